// SPDX-License-Identifier: GPL-2.0-only
/*
 * Volumes, and the groups they own: find, set, attach, detach.
 *
 * A group is looked up under RCU, and each bio holds a reference on it, so it can be
 * detached at any time. Its held bios then move to its parent; those at the disk
 * complete on its account, and the last one frees it.
 */
#include <linux/cgroup.h>
#include <linux/kernel.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "ioband.h"
#include "trace.h"

/* How often to look for groups of "auto" whose cgroup is gone. */
#define AUTO_CHECK_JIFFIES	(2 * HZ)

static int refuse(struct ioband_error *err, int r, const char *brief,
		  const char *text)
{
	err->brief = brief;
	strscpy(err->text, text, sizeof(err->text));
	return r;
}

static int iov_resolve(const struct ioband_volume *volume,
		       const struct ioband_ref *ref, u64 *id,
		       struct ioband_error *err)
{
	*id = ref->id;
	if (!ref->path)
		return 0;
	if (volume->type != IOBAND_TYPE_CGROUP) {
		snprintf(err->text, sizeof(err->text),
			 "group '%.100s': a path needs type cgroup, not %s",
			 ref->path, ioband_type_name(volume->type));
		err->brief = "Invalid group id";
		return -EINVAL;
	}
	if (!ref->id) {
		snprintf(err->text, sizeof(err->text),
			 "group '%.100s': expected the path of a cgroup from the root of its hierarchy",
			 ref->path);
		err->brief = "Invalid group id";
		return -ENOENT;
	}
	return 0;
}

/**
 * iov_find - find an attached group
 * @volume: the volume
 * @ref: which group
 * @group: filled in
 * @err: says what was wrong on failure
 *
 * Context: process, ioband_mutex held.
 * Return: 0, or -EINVAL or -ENOENT.
 */
int iov_find(struct ioband_volume *volume, const struct ioband_ref *ref,
	     struct ioband_group **group, struct ioband_error *err)
{
	u64 id;
	int r;

	lockdep_assert_held(&ioband_mutex);

	if (ref->is_default) {
		*group = volume->default_group;
		return 0;
	}
	r = iov_resolve(volume, ref, &id, err);
	if (r)
		return r;
	*group = xa_load(&volume->groups, id);
	if (*group)
		return 0;
	snprintf(err->text, sizeof(err->text),
		 "group %llu: not attached", (unsigned long long)id);
	err->brief = "No such group";
	return -EINVAL;
}

static int resolve_parent(struct ioband_volume *volume,
			  struct ioband_group *group,
			  const struct ioband_ref *ref,
			  struct ioband_group **parent,
			  struct ioband_error *err)
{
	static const char brief[] = "Invalid policy parameter";
	int r;

	*parent = NULL;
	if (volume->type == IOBAND_TYPE_CGROUP)
		return ioband_refuse(err, brief,
				     "parent: groups of type cgroup follow the tree of cgroups");
	if (group->is_default)
		return ioband_refuse(err, brief,
				     "parent: the default group is below none");
	if (ref->is_default)
		return 0;
	r = iov_find(volume, ref, parent, err);
	if (r)
		return r;
	return iog_check_parent(group, *parent, err);
}

/**
 * iov_set - change the settings of a group, all or nothing
 * @volume: its volume
 * @group: the group
 * @change: what to change
 * @err: says what was wrong on failure
 *
 * Context: process, ioband_mutex held.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int iov_set(struct ioband_volume *volume, struct ioband_group *group,
	    const struct ioband_settings *change, struct ioband_error *err)
{
	struct ioband_settings settings = group->settings;
	bool forced = change->given & BIT(IOBAND_KEY_FORCE);
	bool moves = change->given & BIT(IOBAND_KEY_PARENT);
	struct ioband_pool *pool = volume->pool;
	struct ioband_group *parent;
	int r;

	lockdep_assert_held(&ioband_mutex);

	ioband_settings_merge(&settings, change);
	r = ioband_settings_check(&settings, pool->sched.policy, err);
	if (!r && !forced)
		r = iog_check_promises(group, &settings, change->given, err);
	if (!r && moves)
		r = resolve_parent(volume, group, &change->parent, &parent,
				   err);
	if (r)
		return r;
	if (iog_apply(group, &settings))
		return refuse(err, -ENOMEM, "Cannot change ioband group",
			      "out of memory");
	if (moves)
		iog_move(group, parent);
	iop_changed(pool);
	return 0;
}

/**
 * iov_next - walk the groups of a volume
 * @volume: the volume
 * @last: the group before, or %NULL for the first
 * @id: where the walk is
 *
 * Context: process, ioband_mutex held or under RCU.
 * Return: the default group, then the others by id, then %NULL.
 */
struct ioband_group *iov_next(struct ioband_volume *volume,
			      const struct ioband_group *last, unsigned long *id)
{
	if (!last) {
		*id = 0;
		return volume->default_group;
	}
	if (last->is_default)
		return xa_find(&volume->groups, id, ULONG_MAX, XA_PRESENT);
	return xa_find_after(&volume->groups, id, ULONG_MAX, XA_PRESENT);
}

/**
 * iov_reset_settings - give all groups the default settings
 * @volume: the volume
 *
 * Context: process, ioband_mutex held.
 */
void iov_reset_settings(struct ioband_volume *volume)
{
	struct ioband_settings settings;
	struct ioband_group *group = NULL;
	unsigned long id;

	/* Defaults need no memory, so iog_apply() cannot fail. */
	ioband_settings_init(&settings);
	while ((group = iov_next(volume, group, &id)))
		iog_apply(group, &settings);
}

/*
 * Groups come and go
 */

/* Invalidate cached lookups, after a change of the volume's groups. */
static void iov_changed(struct ioband_volume *volume)
{
	/* Publishes the change; pairs with the acquire in iov_generation(). */
	smp_store_release(&volume->generation, volume->generation + 1);
}

static struct ioband_group *iov_add(struct ioband_volume *volume, u64 id,
				    const struct ioband_settings *settings,
				    struct list_head *spare,
				    struct ioband_error *err, int *error)
{
	struct ioband_group *group;

	if (xa_load(&volume->groups, id)) {
		snprintf(err->text, sizeof(err->text),
			 "group %llu: is attached already",
			 (unsigned long long)id);
		err->brief = "Cannot create ioband group";
		*error = -EEXIST;
		return NULL;
	}
	group = xa_reserve(&volume->groups, id, GFP_NOIO) ? NULL :
		iog_create(volume, id, settings, spare);
	if (!group) {
		xa_release(&volume->groups, id);
		*error = refuse(err, -ENOMEM, "Cannot create ioband group",
				"out of memory");
		return NULL;
	}
	/* Bios arrive as soon as it can be found: give it its place before. */
	iog_add(group);
	if (volume->type == IOBAND_TYPE_CGROUP)
		ioband_cgroup_place(volume, group);
	xa_store(&volume->groups, id, group, GFP_NOIO);
	iov_changed(volume);
	trace_ioband_group(group, "attach");
	return group;
}

/**
 * iov_attach - create a group for an id
 * @volume: the volume
 * @ref: the id
 * @settings: of the new group; what is not given has its default
 * @spare: where its memory is taken from
 * @err: says what was wrong on failure
 *
 * Context: process, ioband_mutex held.
 * Return: 0, or -EINVAL, -EEXIST, -ENOENT or -ENOMEM.
 */
int iov_attach(struct ioband_volume *volume, const struct ioband_ref *ref,
	       const struct ioband_settings *settings, struct list_head *spare,
	       struct ioband_error *err)
{
	u64 id;
	int r;

	lockdep_assert_held(&ioband_mutex);

	if (volume->type == IOBAND_TYPE_NONE)
		return refuse(err, -EINVAL, "Cannot create ioband group",
			      "attach: type none has the default group only");
	r = iov_resolve(volume, ref, &id, err);
	if (r || !iov_add(volume, id, settings, spare, err, &r))
		return r;
	if (volume->auto_depth)
		queue_delayed_work(ioband_system_wq, &volume->auto_work,
				   AUTO_CHECK_JIFFIES);
	return 0;
}

static void iov_remove(struct ioband_volume *volume, struct ioband_group *group)
{
	trace_ioband_group(group, "detach");
	xa_erase(&volume->groups, group->id);
	iov_changed(volume);
	iog_del(group, iog_parent(group) ?: volume->default_group);
}

/**
 * iov_detach - detach the group of an id
 * @volume: the volume
 * @ref: the id
 * @err: says what was wrong on failure
 *
 * Its held bios move to its parent, whose limits they were under already, or to the
 * default group. Those at the disk complete on its account; nothing waits for them.
 *
 * Context: process, ioband_mutex held.
 * Return: 0, or -EINVAL or -ENOENT.
 */
int iov_detach(struct ioband_volume *volume, const struct ioband_ref *ref,
	       struct ioband_error *err)
{
	struct ioband_group *group;
	int r = iov_find(volume, ref, &group, err);

	if (!r)
		iov_remove(volume, group);
	return r;
}

/**
 * iov_set_type - change what the ids of groups stand for
 * @volume: the volume
 * @type: the new type
 * @err: says what was wrong on failure
 *
 * Context: process, ioband_mutex held.
 * Return: 0, or -EBUSY while groups are attached.
 */
int iov_set_type(struct ioband_volume *volume, enum ioband_type type,
		 struct ioband_error *err)
{
	lockdep_assert_held(&ioband_mutex);

	if (type == volume->type)
		return 0;
	if (!xa_empty(&volume->groups) || volume->auto_depth)
		return refuse(err, -EBUSY, "Cannot set ioband group type",
			      volume->auto_depth ?
			      "type: option auto needs type cgroup" :
			      "type: expected no attached group; detach all first");
	WRITE_ONCE(volume->type, type);
	return 0;
}

/*
 * Option auto. A bio cannot wait for a group to be created: it requests one, and is
 * charged to the nearest ancestor that has one.
 */

/**
 * iov_want_group - request a group for a cgroup
 * @volume: the volume
 * @css: the cgroup
 *
 * Dropped if too many are pending: the cgroup's next bio will repeat it.
 *
 * Context: process, under RCU.
 */
void iov_want_group(struct ioband_volume *volume,
		    struct cgroup_subsys_state *css)
{
	unsigned int i;

	spin_lock(&volume->auto_lock);
	for (i = 0; i < volume->nr_auto; i++)
		if (volume->auto_css[i] == css)
			goto unlock;
	if (i < IOBAND_AUTO_PENDING && css_tryget_online(css)) {
		volume->auto_css[volume->nr_auto++] = css;
		mod_delayed_work(ioband_system_wq, &volume->auto_work, 0);
	}
unlock:
	spin_unlock(&volume->auto_lock);
}

static struct cgroup_subsys_state *iov_pop_wanted(struct ioband_volume *volume)
{
	struct cgroup_subsys_state *css = NULL;

	spin_lock(&volume->auto_lock);
	if (volume->nr_auto)
		css = volume->auto_css[--volume->nr_auto];
	spin_unlock(&volume->auto_lock);
	return css;
}

/* The topmost of @css and its ancestors, but the root, without a group, or %NULL. */
static struct cgroup_subsys_state *
iov_first_missing(struct ioband_volume *volume, struct cgroup_subsys_state *css)
{
	struct cgroup_subsys_state *missing = NULL;

	lockdep_assert_held(&ioband_mutex);

	for (; css->parent; css = css->parent)
		if (!xa_load(&volume->groups, cgroup_id(css->cgroup)))
			missing = css;
	return missing;
}

/* Create the missing groups of @css and its ancestors; drops a reference on @css. */
static void iov_auto_add(struct ioband_volume *volume,
			 struct cgroup_subsys_state *css)
{
	const struct ioband_settings settings = { };
	struct cgroup_subsys_state *missing;
	struct ioband_group *group;
	struct ioband_error err;
	LIST_HEAD(spare);
	int r;

	do {
		group = NULL;
		if (iog_alloc(volume->pool, 1, &spare))
			break;
		mutex_lock(&ioband_mutex);
		missing = iov_first_missing(volume, css);
		if (missing)
			group = iov_add(volume, cgroup_id(missing->cgroup),
					&settings, &spare, &err, &r);
		mutex_unlock(&ioband_mutex);
	} while (group);
	iog_free(&spare);
	css_put(css);
}

/* Remove the groups whose cgroups are gone. */
static void iov_auto_remove(struct ioband_volume *volume)
{
	struct ioband_group *group;
	unsigned long id;

	mutex_lock(&ioband_mutex);
	ioband_cgroup_mark(volume);
	xa_for_each(&volume->groups, id, group) {
		if (!group->has_cgroup)
			iov_remove(volume, group);
		else
			group->has_cgroup = false;
	}
	mutex_unlock(&ioband_mutex);
}

static void iov_auto_work(struct work_struct *work)
{
	struct ioband_volume *volume =
		container_of(work, struct ioband_volume, auto_work.work);
	struct cgroup_subsys_state *css;
	unsigned long now = jiffies;
	unsigned int noio;

	/*
	 * Removing a table waits for this work, perhaps with other devices
	 * suspended: allocations must not depend on them.
	 */
	noio = memalloc_noio_save();
	while ((css = iov_pop_wanted(volume)))
		iov_auto_add(volume, css);
	memalloc_noio_restore(noio);

	if (time_after_eq(now, volume->auto_check_jiffies)) {
		iov_auto_remove(volume);
		volume->auto_check_jiffies = now + AUTO_CHECK_JIFFIES;
	}
	if (!xa_empty(&volume->groups))
		queue_delayed_work(ioband_system_wq, &volume->auto_work,
				   volume->auto_check_jiffies - now);
}

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
int iov_alloc(struct ioband_pool *pool, unsigned int nr_groups,
	      struct ioband_spare *spare)
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

/* Drops ioband_mutex while it waits for auto_work and for groups to be freed. */
static void iov_destroy(struct ioband_volume *volume)
{
	struct cgroup_subsys_state *css;
	struct ioband_group *group;
	unsigned long id;

	mutex_unlock(&ioband_mutex);
	cancel_delayed_work_sync(&volume->auto_work);
	mutex_lock(&ioband_mutex);
	while ((css = iov_pop_wanted(volume)))
		css_put(css);
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

static int iov_place(struct ioband_volume *volume,
		     const struct ioband_group_args *args,
		     struct ioband_error *err)
{
	struct ioband_group *group, *parent;
	int r;

	if (!(args->settings.given & BIT(IOBAND_KEY_PARENT)))
		return 0;
	r = iov_find(volume, &args->ref, &group, err);
	if (!r)
		r = resolve_parent(volume, group, &args->settings.parent,
				   &parent, err);
	if (!r)
		iog_move(group, parent);
	return r;
}

static struct ioband_volume *iov_create(struct ioband_pool *pool,
					const struct ioband_table *table,
					struct ioband_spare *spare,
					struct ioband_error *err, int *error)
{
	const struct ioband_group_args *args = table->groups;
	struct ioband_volume *volume = spare->volume;
	unsigned int i;

	spare->volume = NULL;
	volume->pool = pool;
	volume->type = table->type;
	volume->policy = table->policy;
	volume->auto_depth = table->auto_depth;
	/* 0 marks a cached lookup as invalid. */
	volume->generation = 1;
	xa_init(&volume->groups);
	atomic_set(&volume->nr_live, 0);
	spin_lock_init(&volume->auto_lock);
	INIT_DELAYED_WORK(&volume->auto_work, iov_auto_work);
	volume->auto_check_jiffies = jiffies + AUTO_CHECK_JIFFIES;

	*error = refuse(err, -ENOMEM, "Cannot allocate ioband device",
			"out of memory");
	volume->default_group = iog_create(volume, 0, &args[0].settings,
					   &spare->groups);
	if (!volume->default_group)
		goto destroy;
	volume->default_group->is_default = true;
	iog_add(volume->default_group);

	for (i = 1; i < table->nr_groups; i++) {
		*error = iov_attach(volume, &args[i].ref, &args[i].settings,
				    &spare->groups, err);
		if (*error)
			goto destroy;
	}
	/* A parent may be listed after its children. */
	for (i = 0; i < table->nr_groups; i++) {
		*error = iov_place(volume, &args[i], err);
		if (*error)
			goto destroy;
	}
	*error = 0;
	return volume;

destroy:
	iov_destroy(volume);
	return NULL;
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
		return refuse(err, -EINVAL, brief,
			      "type, policy or auto: lines of one table that share an id must agree");
	for (i = 0; i < table->nr_groups; i++) {
		const struct ioband_group_args *args = &table->groups[i];

		r = iov_find(volume, &args->ref, &group, err);
		if (r)
			return r;
		ioband_settings_init(&settings);
		ioband_settings_merge(&settings, &args->settings);
		if (!ioband_settings_equal(&settings, &group->settings))
			return refuse(err, -EINVAL, brief,
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
	volume = iov_create(pool, table, spare, err, &r);
	if (!volume)
		return r;
	volume->table = iot->ti->table;
	list_add_tail(&volume->list, &pool->volumes);
found:
	volume->nr_targets++;
	iot->volume = volume;
	return 0;
}

/**
 * iov_resume - have the groups and devices of a volume count from now on
 * @volume: a volume of a table that is being resumed
 *
 * A table that is merely loaded, perhaps for ever, has no part in what the pool goes
 * by: the minimums promised, the tightest latency target, the devices' tags.
 *
 * Context: process, ioband_mutex held.
 */
void iov_resume(struct ioband_volume *volume)
{
	struct ioband_pool *pool = volume->pool;

	lockdep_assert_held(&ioband_mutex);

	if (volume->resumed)
		return;
	spin_lock(&pool->lock);
	volume->resumed = true;
	iop_find_latency(pool);
	iop_begin_depth(pool, ktime_get_ns());
	spin_unlock(&pool->lock);
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
	list_del(&volume->list);
	iov_destroy(volume);
}
