// SPDX-License-Identifier: GPL-2.0-only
/*
 * Disks are made and set up below /sys/kernel/config/simdisk, a directory each.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "simdisk.h"

static struct simdisk_dev *to_dev(struct config_item *item)
{
	return container_of(item, struct simdisk_dev, item);
}

/* Refuse a word with a sentence that names it. */
static __printf(4, 5) void refuse(struct simdisk_dev *dev, const char *name,
				  const char *page, const char *fmt, ...)
{
	struct va_format why = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	why.va = &args;
	pr_err("%s: %s=%.*s: %pV\n", config_item_name(&dev->item), name,
	       (int)strcspn(page, "\n"), page, &why);
	va_end(args);
}

static ssize_t param_show(struct simdisk_dev *dev, int place, char *page)
{
	return sysfs_emit(page, "%llu\n", simdisk_param_get(&dev->params, place));
}

static ssize_t param_store(struct simdisk_dev *dev, int place, const char *page,
			   size_t count)
{
	const struct simdisk_param *param = &simdisk_param_table[place];
	struct simdisk_params changed;
	const char *wrong = NULL;
	int err = -EINVAL;
	u64 value;

	mutex_lock(&dev->power_lock);
	if (!(param->models & dev->model->bit)) {
		refuse(dev, param->name, page,
		       "the model %s has no such parameter", dev->model->name);
	} else if (kstrtou64(page, 0, &value) || value < param->least ||
		   value > param->most) {
		refuse(dev, param->name, page,
		       "expected a number from %llu to %llu", param->least,
		       param->most);
	} else if (dev->gendisk && !param->live) {
		refuse(dev, param->name, page,
		       "cannot be changed while the disk is on");
		err = -EBUSY;
	} else {
		changed = dev->params;
		simdisk_param_set(&changed, place, value);
		/* While it is off the others may still change to go with it. */
		if (dev->gendisk)
			wrong = simdisk_check(dev->model, &changed);
		if (wrong) {
			refuse(dev, param->name, page, "%s", wrong);
		} else {
			dev->params = changed;
			if (dev->gendisk)
				simdisk_set_live(dev, place, value);
			err = 0;
		}
	}
	mutex_unlock(&dev->power_lock);
	return err ?: count;
}

#define PARAM_ATTRIBUTE(name, models, when, least, most)		\
static ssize_t simdisk_##name##_show(struct config_item *item, char *page) \
{									\
	return param_show(to_dev(item), SIMDISK_PARAM_##name, page);	\
}									\
									\
static ssize_t simdisk_##name##_store(struct config_item *item,		\
				      const char *page, size_t count)	\
{									\
	return param_store(to_dev(item), SIMDISK_PARAM_##name, page, count); \
}									\
CONFIGFS_ATTR(simdisk_, name);

SIMDISK_PARAMS(PARAM_ATTRIBUTE)

static ssize_t simdisk_model_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%s\n", to_dev(item)->model->name);
}

/* Another model begins with its own defaults, so it has to be chosen first. */
static ssize_t simdisk_model_store(struct config_item *item, const char *page,
				   size_t count)
{
	struct simdisk_dev *dev = to_dev(item);
	const struct simdisk_model *model;
	char name[16];
	int err = -EINVAL;

	strscpy(name, page, sizeof(name));
	model = simdisk_model_find(strim(name));

	mutex_lock(&dev->power_lock);
	if (!model) {
		refuse(dev, "model", page,
		       "expected flat, serial, hdd, array or ssd");
	} else if (dev->gendisk) {
		refuse(dev, "model", page,
		       "cannot be changed while the disk is on");
		err = -EBUSY;
	} else {
		dev->model = model;
		dev->params = model->defaults;
		err = 0;
	}
	mutex_unlock(&dev->power_lock);
	return err ?: count;
}
CONFIGFS_ATTR(simdisk_, model);

static ssize_t simdisk_power_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", !!to_dev(item)->gendisk);
}

static ssize_t simdisk_power_store(struct config_item *item, const char *page,
				   size_t count)
{
	struct simdisk_dev *dev = to_dev(item);
	bool power;
	int err = 0;

	if (kstrtobool(page, &power)) {
		refuse(dev, "power", page, "expected 0 or 1");
		return -EINVAL;
	}
	mutex_lock(&dev->power_lock);
	if (power && !dev->gendisk)
		err = simdisk_power_on(dev);
	else if (!power && dev->gendisk)
		simdisk_power_off(dev);
	mutex_unlock(&dev->power_lock);
	return err ?: count;
}
CONFIGFS_ATTR(simdisk_, power);

#define PARAM_ENTRY(name, models, when, least, most)	&simdisk_attr_##name,

static struct configfs_attribute *attributes[] = {
	SIMDISK_PARAMS(PARAM_ENTRY)
	&simdisk_attr_model,
	&simdisk_attr_power,
	NULL
};

static void release(struct config_item *item)
{
	kfree(to_dev(item));
}

static struct configfs_item_operations item_ops = {
	.release	= release,
};

static const struct config_item_type item_type = {
	.ct_item_ops	= &item_ops,
	.ct_attrs	= attributes,
	.ct_owner	= THIS_MODULE,
};

static struct config_item *make_item(struct config_group *group,
				     const char *name)
{
	struct simdisk_dev *dev;

	if (strlen(name) >= DISK_NAME_LEN) {
		pr_err("%s: a disk's name has at most %d characters\n", name,
		       DISK_NAME_LEN - 1);
		return ERR_PTR(-ENAMETOOLONG);
	}
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return ERR_PTR(-ENOMEM);
	config_item_init_type_name(&dev->item, name, &item_type);
	mutex_init(&dev->power_lock);
	spin_lock_init(&dev->lock);
	simdisk_timer_init(dev);
	dev->model = &simdisk_flat;
	dev->params = dev->model->defaults;
	return &dev->item;
}

/* To remove the directory is to pull the plug. */
static void drop_item(struct config_group *group, struct config_item *item)
{
	struct simdisk_dev *dev = to_dev(item);

	mutex_lock(&dev->power_lock);
	if (dev->gendisk)
		simdisk_power_off(dev);
	mutex_unlock(&dev->power_lock);
	config_item_put(item);
}

static struct configfs_group_operations group_ops = {
	.make_item	= make_item,
	.drop_item	= drop_item,
};

static const struct config_item_type group_type = {
	.ct_group_ops	= &group_ops,
	.ct_owner	= THIS_MODULE,
};

static struct configfs_subsystem subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf	= KBUILD_MODNAME,
			.ci_type	= &group_type,
		},
	},
};

int __init simdisk_configfs_init(void)
{
	config_group_init(&subsystem.su_group);
	mutex_init(&subsystem.su_mutex);
	return configfs_register_subsystem(&subsystem);
}

void simdisk_configfs_exit(void)
{
	configfs_unregister_subsystem(&subsystem);
}
