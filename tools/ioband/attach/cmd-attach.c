// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband attach: put ioband into a device in use, typically a logical volume.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "cmd.h"
#include "config/current.h"
#include "config/groupref.h"
#include "config/services.h"
#include "config/share.h"
#include "config/store.h"
#include "inside.h"
#include "lib/blk.h"
#include "lib/leaf.h"
#include "lib/target.h"
#include "lib/util.h"
#include "wbt.h"

/*
 * Values for what the command does not give: from the record of an earlier attach,
 * else from the configuration, else the defaults.
 */
static int find_base(const struct options *opts, const char *name,
		     const char *uuid, struct config *base)
{
	bool found = false;
	int status;

	if (record_find(opts, name, uuid, base) && base->is_attached) {
		strcpy(base->name, name);
		/* The share may have changed since; its present values win. */
		for (int i = CONFIG_POLICY; i <= CONFIG_QUANTUM; i++)
			base->given[i] = false;
		return 0;
	}
	config_free(base);
	status = store_load(opts, STORE_ETC, name, base, &found);
	if (!status && (!found || !base->is_attached)) {
		config_free(base);
		config_init(base, name);
	}
	return status;
}

/* Attaching again is an error only if it asks for other settings. */
static int check_same(const struct options *opts,
		      const struct volumes *volumes, const struct volume *vol,
		      const struct config *words)
{
	struct config now, want;
	char devno[DEVNO_LEN];
	char *is, *should;
	int status;

	status = volume_config(opts, vol, &now);
	config_init(&want, vol->name);
	if (!status) {
		config_merge(&want, &now);
		for (size_t i = 0; i < now.nr_groups; i++)
			want.groups[i].has_id = now.groups[i].has_id,
			want.groups[i].id = now.groups[i].id;
		config_merge(&want, words);
		want.is_attached = now.is_attached;
		snprintf(devno, sizeof(devno), "%u:%u", vol->major, vol->minor);
		if (words->given[CONFIG_POLICY])
			share_adopt(opts, volumes, &want, devno);
		is = config_params(&now, "0:0", 0);
		should = config_params(&want, "0:0", 0);
		if (strcmp(is, should))
			status = fail(IOBAND_BUSY,
				      "'%s' is attached already, with other settings: 'ioband set', 'ioband group' and 'ioband apply' change them, or detach it first",
				      vol->title);
		free(is);
		free(should);
	}
	config_free(&want);
	config_free(&now);
	return status;
}

/*
 * Under another policy the settings in @base would mean something else: reset them,
 * as the kernel does.
 */
static int fit_policy(const struct options *opts, const struct volumes *volumes,
		      struct config *base, const struct config *words,
		      const char *devno)
{
	struct config will = *base, more = *words;
	int status;

	more.nr_groups = 0;
	config_merge(&will, &more);
	status = share_default(opts, &will, devno);
	if (status)
		return status;
	share_adopt(opts, volumes, &will, devno);
	policy_by_disks(opts, base, devno);
	if (!strcmp(will.policy, base->policy))
		return 0;
	base->quantum_ms = 0;
	for (size_t i = 0; i < base->nr_groups; i++)
		settings_begin_anew(&base->groups[i].set);
	return 0;
}

/*
 * Write the record before attaching: without it, an attach that LVM undoes could not
 * be restored, so it had better fail.
 */
static int remember(const struct options *opts, const struct volumes *volumes,
		    struct config *cfg, struct config *old, bool *has_old)
{
	const struct ioband_dm_device *dev;

	if (opts->dry_run)
		return 0;
	dev = volumes_device(volumes, cfg->name, NULL);
	snprintf(cfg->uuid, sizeof(cfg->uuid), "%s",
		 dev && dev->uuid ? dev->uuid : "");
	config_free(old);
	*has_old = record_find(opts, cfg->name, cfg->uuid, old);
	return store_save(opts, STORE_RUN, cfg);
}

/* The device has ioband already, in all or in some lines of its table. */
static int attach_again(const struct options *opts,
			const struct volumes *volumes,
			const struct volume *vol, const struct config *words)
{
	struct config cfg;
	int status;

	if (!volume_is_attached(vol) && !vol->nr_others)
		return fail(IOBAND_DEVICE,
			    "cannot attach '%s': it is a volume itself; name the device that ioband is to be put in",
			    vol->name);
	status = check_same(opts, volumes, vol, words);
	if (status)
		return status;
	if (!vol->nr_others) {
		warn("'%s' is attached already", vol->title);
		return volume_changed(opts, vol->name, NULL);
	}
	status = volume_config(opts, vol, &cfg);
	if (!status)
		status = inside_put(opts, volumes, &cfg);
	if (!status)
		status = volume_changed(opts, vol->name, NULL);
	config_free(&cfg);
	return status;
}

/**
 * attach_find - find the device that a configuration file of mode attach is about
 * @opts: the global options
 * @cfg: what the file says; a device that it leaves out is filled in
 * @blk: filled in
 *
 * A file of another name than the device's would undo what the device's own one says,
 * and be undone by that.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int attach_find(const struct options *opts, struct config *cfg,
		struct blk *blk)
{
	int status;

	if (!*cfg->device)
		snprintf(cfg->device, sizeof(cfg->device), "/dev/mapper/%s",
			 cfg->name);
	status = blk_find(opts->sysroot, cfg->device, blk);
	if (!status && !*blk->dm_name)
		status = fail(IOBAND_DEVICE,
			      STORE_ETC "/%s.conf: device '%s': expected a device-mapper device, such as a logical volume, for mode attach",
			      cfg->name, cfg->device);
	/* A volume that has become thin since is one that ioband cannot be put into. */
	if (!status && strcmp(blk->dm_name, cfg->name))
		leaf_find(opts->sysroot, blk);
	if (!status && strcmp(blk->dm_name, cfg->name))
		status = fail(IOBAND_USAGE,
			      STORE_ETC "/%s.conf: device '%s' is the volume %s: expected the file to be %s.conf",
			      cfg->name, cfg->device, blk->dm_name, blk->dm_name);
	return status;
}

/**
 * attach_volume - put ioband into a device and record it
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @cfg: the configuration, resolved
 * @devno: the device; its device-mapper name is the name of @cfg
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int attach_volume(const struct options *opts, const struct volumes *volumes,
		  struct config *cfg, const char *devno)
{
	bool has_old = false, is_renamed;
	struct config old;
	int status;

	config_init(&old, cfg->name);
	cfg->is_attached = true;
	status = share_default(opts, cfg, devno);
	if (!status)
		share_adopt(opts, volumes, cfg, devno);
	if (!status)
		status = remember(opts, volumes, cfg, &old, &has_old);
	if (status)
		goto out;
	/* The logical volume has been renamed since it was recorded. */
	is_renamed = has_old && strcmp(old.name, cfg->name);
	status = inside_put(opts, volumes, cfg);
	if (!status && is_renamed)
		record_remove(opts, old.name);
	if (!status)
		status = volume_changed(opts, cfg->name, cfg);
	else if (status && has_old && !is_renamed)
		store_save(opts, STORE_RUN, &old);
	else if (status && !opts->dry_run)
		record_remove(opts, cfg->name);
out:
	config_free(&old);
	return status;
}

/**
 * attach_config - get the configuration of a device that has no ioband yet
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @name: its device-mapper name
 * @uuid: its uuid
 * @devno: MAJOR:MINOR
 * @words: what the command line gives
 * @cfg: initialised; filled in
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int attach_config(const struct options *opts, const struct volumes *volumes,
		  const char *name, const char *uuid, const char *devno,
		  const struct config *words, struct config *cfg)
{
	struct parse_error err;
	int status;

	status = find_base(opts, name, uuid, cfg);
	if (!status)
		status = fit_policy(opts, volumes, cfg, words, devno);
	if (status)
		return status;
	config_merge(cfg, words);
	return config_check(cfg, &err) ?
	       fail(IOBAND_USAGE, "attach: %s", err.text) : 0;
}

/**
 * report_volume - say what has become of a volume
 * @opts: the global options
 * @title: what volume_title() returned
 * @done: what has been done
 * @cfg: the volume, resolved
 * @fmt: more of the sentence
 */
void report_volume(const struct options *opts, const char *title,
		   const char *done, const struct config *cfg,
		   const char *fmt, ...)
{
	const char *serves = leaf_serves(cfg->name);
	va_list args;

	if (opts->quiet || opts->dry_run)
		return;
	printf("%s: %s", title, done);
	if (serves)
		printf(" for %s", serves);
	printf(", share %s, policy %s", cfg->share, cfg->policy);
	if (cfg->policy_why)
		printf(" (%s)", cfg->policy_why);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static void report_result(const struct options *opts, const char *title,
			  const struct config *cfg)
{
	if (volume_is_enabled(opts, cfg->name))
		report_volume(opts, title, "ioband inserted", cfg,
			      "; it is enabled, and so put back after a reboot");
	else
		report_volume(opts, title, "ioband inserted", cfg,
			      "; lost at a reboot or a change by LVM, unless kept with 'ioband enable %s'",
			      title);
}

int cmd_attach(const struct options *opts, int argc, char **argv)
{
	struct ioband_dm_version version;
	struct volumes volumes = { 0 };
	const struct ioband_dm_device *dev;
	struct config words, base;
	unsigned int nr_missing = 0;
	struct parse_error err;
	char devno[DEVNO_LEN];
	struct volume *vol;
	struct blk blk;
	char *title;
	int status;

	config_init(&words, "");
	config_init(&base, "");
	if (!argc)
		status = fail(IOBAND_USAGE,
			      "attach: expected a logical volume, as in 'ioband attach /dev/vg/data'");
	else if (config_take_words(&words, argc - 1, argv + 1, &err))
		status = fail(IOBAND_USAGE, "attach: %s", err.text);
	else
		status = target_check(&version);
	if (!status)
		status = blk_find(opts->sysroot, argv[0], &blk);
	if (!status && !*blk.dm_name)
		status = fail(IOBAND_DEVICE,
			      "cannot attach '%s': it is not a device-mapper device, such as a logical volume is; use 'ioband create' on top of it",
			      argv[0]);
	if (!status)
		status = volumes_lock(opts, &volumes);
	if (status)
		goto out;
	dev = volumes_device(&volumes, blk.dm_name, NULL);
	if (dev)
		dev = volumes_leaf(opts, &volumes, dev);
	if (!dev || !dev->uuid) {
		status = fail(IOBAND_DEVICE,
			      "cannot attach '%s': device-mapper has no such device any more",
			      argv[0]);
		goto out;
	}
	snprintf(devno, sizeof(devno), "%u:%u", dev->major, dev->minor);
	strcpy(words.name, dev->name);
	vol = volumes_find(&volumes, dev->name);
	if (vol) {
		status = attach_again(opts, &volumes, vol, &words);
		if (!status)
			wbt_off(opts, devno, true);
		goto out;
	}
	status = attach_config(opts, &volumes, dev->name, dev->uuid, devno,
			       &words, &base);
	if (!status)
		status = groupref_resolve_all(opts, &base, &nr_missing);
	if (!status)
		status = attach_volume(opts, &volumes, &base, devno);
	if (!status) {
		title = volume_title(dev->name, dev->uuid);
		report_result(opts, title, &base);
		wbt_off(opts, devno, true);
		report_dormant(opts, title, &base);
		free(title);
	}
	if (!status && nr_missing)
		status = IOBAND_PARTLY;
out:
	config_free(&words);
	config_free(&base);
	volumes_free(&volumes);
	return status;
}
