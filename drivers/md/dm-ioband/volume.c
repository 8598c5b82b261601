// SPDX-License-Identifier: GPL-2.0-only
/*
 * Volumes: creation and destruction.
 */
#include <linux/slab.h>

#include "ioband.h"

/**
 * iov_free - free spare memory that was not used
 * @spare: as left by iov_alloc() and iov_get()
 *
 * Context: process.
 */
void iov_free(struct ioband_spare *spare)
{
	iog_free(&spare->groups);
	if (spare->volume)
		free_percpu(spare->volume->lookup);
	kfree(spare->volume);
}

/**
 * iov_alloc - allocate memory for a volume and its groups
 * @pool: the pool it will belong to
 * @nr_groups: how many groups it will have
 * @spare: filled in; to be freed by iov_free() even on failure
 *
 * Context: process, ioband_mutex not held: waits for memory.
 * Return: 0 or -ENOMEM.
 */
int iov_alloc(struct ioband_pool *pool, unsigned int nr_groups, struct ioband_spare *spare)
{
	INIT_LIST_HEAD(&spare->groups);
	spare->volume = kzalloc(sizeof(*spare->volume), GFP_KERNEL);
	if (!spare->volume)
		return -ENOMEM;
	spare->volume->lookup = alloc_percpu(struct ioband_lookup);
	if (!spare->volume->lookup)
		return -ENOMEM;
	return iog_alloc(pool, nr_groups, &spare->groups);
}

/* Drops ioband_mutex while it waits for the work of option auto and for groups to be freed. */
static void iov_destroy(struct ioband_volume *volume)
{
	struct ioband_group *group;
	unsigned long id;

	mutex_unlock(&ioband_mutex);
	iov_auto_stop(volume);
	mutex_lock(&ioband_mutex);
	xa_for_each(&volume->groups, id, group)
		iov_remove(volume, group);
	if (volume->default_group)
		iog_del(volume->default_group, NULL);
	/* No bio is left, so this takes a grace period, which may be ten seconds. */
	mutex_unlock(&ioband_mutex);
	wait_var_event(&volume->nr_live, !atomic_read(&volume->nr_live));
	mutex_lock(&ioband_mutex);
	xa_destroy(&volume->groups);
	free_percpu(volume->lookup);
	kfree(volume);
}

static int iov_create(struct ioband_pool *pool, const struct ioband_table *table,
		      struct ioband_spare *spare, struct ioband_volume **created,
		      struct ioband_error *err)
{
	const struct ioband_group_args *args = table->groups;
	struct ioband_volume *volume = spare->volume;
	unsigned int i;
	int r;

	*created = volume;
	spare->volume = NULL;
	volume->pool = pool;
	volume->type = table->type;
	volume->policy = table->policy;
	volume->auto_depth = table->auto_depth;
	/* 0 marks a cached lookup as invalid. */
	volume->generation = 1;
	xa_init(&volume->groups);
	atomic_set(&volume->nr_live, 0);
	iov_auto_init(volume);

	r = ioband_no_memory(err, "Cannot allocate ioband device");
	volume->default_group = iog_create(volume, 0, &args[0].settings, &spare->groups);
	if (!volume->default_group)
		goto destroy;
	volume->default_group->is_default = true;
	iog_add(volume->default_group);

	for (i = 1, r = 0; !r && i < table->nr_groups; i++)
		r = iov_attach(volume, &args[i].ref, &args[i].settings, &spare->groups, err);
	/* A parent may be listed after its children. */
	for (i = 0; !r && i < table->nr_groups; i++)
		r = iov_place(volume, &args[i], err);
	if (!r)
		return 0;

destroy:
	iov_destroy(volume);
	return r;
}

/* Lines of one table that name the same share must agree on its groups. */
static int iov_check_line(struct ioband_volume *volume,
			  const struct ioband_table *table,
			  struct ioband_error *err)
{
	static const char brief[] = "Cannot create ioband group";
	struct ioband_settings settings;
	struct ioband_group *group;
	unsigned int i;
	int r;

	if (table->type != volume->type || table->policy != volume->policy ||
	    table->auto_depth != volume->auto_depth)
		return ioband_refuse(err, brief,
				     "type, policy or auto: lines of one table that share an id must agree");
	for (i = 0; i < table->nr_groups; i++) {
		const struct ioband_group_args *args = &table->groups[i];

		r = iov_find(volume, &args->ref, &group, err);
		if (r)
			return r;
		ioband_settings_init(&settings);
		ioband_settings_merge(&settings, &args->settings);
		if (!ioband_settings_equal(&settings, &group->settings))
			return ioband_refuse(err, brief,
					     "settings of a group: lines of one table that share an id must agree");
	}
	return 0;
}

/**
 * iov_get - find or create the volume a line belongs to
 * @pool: the line's pool
 * @iot: the line's target; its volume is filled in
 * @table: the line
 * @spare: memory for the volume and all groups of the line
 * @err: says what was wrong on failure
 *
 * Context: process, ioband_mutex held.
 * Return: 0, or what iov_attach() returns.
 */
int iov_get(struct ioband_pool *pool, struct ioband_target *iot,
	    const struct ioband_table *table, struct ioband_spare *spare,
	    struct ioband_error *err)
{
	struct ioband_volume *volume;
	int r;

	lockdep_assert_held(&ioband_mutex);

	list_for_each_entry(volume, &pool->volumes, list) {
		if (volume->table != iot->ti->table)
			continue;
		r = iov_check_line(volume, table, err);
		if (r)
			return r;
		goto found;
	}
	r = iov_create(pool, table, spare, &volume, err);
	if (r)
		return r;
	volume->table = iot->ti->table;
	spin_lock(&pool->lock);
	list_add_tail_rcu(&volume->list, &pool->volumes);
	spin_unlock(&pool->lock);
found:
	volume->nr_targets++;
	iot->volume = volume;
	return 0;
}

/**
 * iov_put - undo iov_get()
 * @iot: the target, with no bio left
 *
 * Context: process, ioband_mutex held, but dropped meanwhile for the last target.
 */
void iov_put(struct ioband_target *iot)
{
	struct ioband_volume *volume = iot->volume;

	lockdep_assert_held(&ioband_mutex);

	if (--volume->nr_targets)
		return;
	/* A grace period later its groups are freed, and then it is. */
	spin_lock(&volume->pool->lock);
	list_del_rcu(&volume->list);
	spin_unlock(&volume->pool->lock);
	iov_destroy(volume);
}
