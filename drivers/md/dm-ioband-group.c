// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups, and the volumes that own them: attach, detach, find, set.
 *
 * A group is found under RCU and kept by a reference for each bio, so it can be
 * detached at any time. What it holds goes to the default group then; what it
 * has at the disk comes back to it, and the last one frees it.
 */
#include <linux/cgroup.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "dm-ioband.h"
#include "dm-ioband-trace.h"

/* How often groups that "auto" made are checked for cgroups that have gone. */
#define AUTO_CHECK_JIFFIES	(2 * HZ)

static int refuse(struct ioband_error *err, int r, const char *brief,
		  const char *text)
{
	err->brief = brief;
	strscpy(err->text, text, sizeof(err->text));
	return r;
}

static void iog_free_rcu(struct rcu_head *rcu)
{
	struct ioband_group *group =
		container_of(rcu, struct ioband_group, rcu);
	struct ioband_volume *volume = group->volume;

	if (group->css)
		css_put(group->css);
	free_percpu(group->stats);
	kfree(group);
	if (atomic_dec_and_test(&volume->nr_live))
		wake_up(&volume->live_wait);
}

static void iog_release(struct percpu_ref *ref)
{
	struct ioband_group *group =
		container_of(ref, struct ioband_group, ref);

	percpu_ref_exit(ref);
	call_rcu(&group->rcu, iog_free_rcu);
}

static struct ioband_group *iog_create(struct ioband_volume *volume, u64 id,
				       const struct ioband_settings *settings)
{
	struct ioband_group *group;

	group = kzalloc(sizeof(*group), GFP_KERNEL);
	if (!group)
		return NULL;
	group->stats = alloc_percpu(struct ioband_stats);
	if (!group->stats)
		goto free_group;
	if (percpu_ref_init(&group->ref, iog_release, 0, GFP_KERNEL))
		goto free_stats;

	group->volume = volume;
	group->id = id;
	init_waitqueue_head(&group->wait);
	ioband_queue_init(&group->queue,
			  settings->weight ?: IOBAND_WEIGHT_DEFAULT);
	atomic_inc(&volume->nr_live);
	return group;

free_stats:
	free_percpu(group->stats);
free_group:
	kfree(group);
	return NULL;
}

/**
 * iog_set - change the settings of a group
 * @group: the group
 * @settings: what to change; all of it has been checked
 *
 * Context: process, ioband_mutex held.
 */
void iog_set(struct ioband_group *group, const struct ioband_settings *settings)
{
	struct ioband_pool *pool = group->volume->pool;

	lockdep_assert_held(&ioband_mutex);

	spin_lock(&pool->lock);
	if (settings->weight)
		ioband_queue_set_weight(&pool->sched, &group->queue,
					settings->weight);
	spin_unlock(&pool->lock);
	trace_ioband_group(group, "set");
}

/**
 * iog_sum - add up the statistics of all CPUs
 * @group: the group
 * @sum: filled in, from the creation of the group on
 *
 * What is done is read before what was issued. A bio that moves on meanwhile is
 * then counted as in flight at worst, never as done and not issued.
 *
 * Context: any.
 */
void iog_sum(const struct ioband_group *group, struct ioband_stats *sum)
{
	const struct ioband_stats *stats;
	unsigned int cpu, rw;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		stats = per_cpu_ptr(group->stats, cpu);
		for (rw = READ; rw <= WRITE; rw++) {
			sum->done_ios[rw] += READ_ONCE(stats->done_ios[rw]);
			sum->done_sectors[rw] +=
				READ_ONCE(stats->done_sectors[rw]);
			sum->done_ns[rw] += READ_ONCE(stats->done_ns[rw]);
		}
	}
	/* Pairs with the atomics between issue and completion of a bio. */
	smp_rmb();
	for_each_possible_cpu(cpu) {
		stats = per_cpu_ptr(group->stats, cpu);
		for (rw = READ; rw <= WRITE; rw++) {
			sum->issued_ios[rw] += READ_ONCE(stats->issued_ios[rw]);
			sum->issued_sectors[rw] +=
				READ_ONCE(stats->issued_sectors[rw]);
		}
		sum->held_ios += READ_ONCE(stats->held_ios);
		sum->held_ns += READ_ONCE(stats->held_ns);
		sum->urgent_ios += READ_ONCE(stats->urgent_ios);
	}
}

/**
 * iog_reset - start the statistics of a group afresh
 * @group: the group
 *
 * The counters themselves only grow, what is in flight depends on them.
 *
 * Context: process, ioband_mutex held.
 */
void iog_reset(struct ioband_group *group)
{
	lockdep_assert_held(&ioband_mutex);

	iog_sum(group, &group->base);
	WRITE_ONCE(group->busy_jiffies, 0);
}

static int iov_resolve(const struct ioband_volume *volume,
		       const struct ioband_ref *ref, u64 *id,
		       struct ioband_error *err)
{
	int r;

	if (!ref->path) {
		*id = ref->id;
		return 0;
	}
	if (volume->type != IOBAND_TYPE_CGROUP) {
		snprintf(err->text, sizeof(err->text),
			 "group '%.100s': a path needs type cgroup, not %s",
			 ref->path, ioband_type_name(volume->type));
		err->brief = "Invalid group id";
		return -EINVAL;
	}
	r = ioband_cgroup_id(ref->path, id);
	if (r) {
		snprintf(err->text, sizeof(err->text),
			 "group '%.100s': expected the path of a cgroup from the root of its hierarchy",
			 ref->path);
		err->brief = "Invalid group id";
	}
	return r;
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

/* Lookups begun before this may find what was, none after it. */
static void iov_changed(struct ioband_volume *volume)
{
	WRITE_ONCE(volume->generation, volume->generation + 1);
}

static struct ioband_group *iov_add(struct ioband_volume *volume, u64 id,
				    const struct ioband_settings *settings,
				    struct ioband_error *err, int *error)
{
	struct ioband_group *group = iog_create(volume, id, settings);
	int r;

	if (!group) {
		*error = refuse(err, -ENOMEM, "Cannot create ioband group",
				"out of memory");
		return NULL;
	}
	r = xa_insert(&volume->groups, id, group, GFP_KERNEL);
	if (r) {
		percpu_ref_kill(&group->ref);
		*error = r == -EBUSY ? -EEXIST : r;
		snprintf(err->text, sizeof(err->text), "group %llu: %s",
			 (unsigned long long)id, r == -EBUSY ?
			 "is attached already" : "out of memory");
		err->brief = "Cannot create ioband group";
		return NULL;
	}
	iov_changed(volume);
	trace_ioband_group(group, "attach");
	return group;
}

/**
 * iov_attach - give an id a group of its own
 * @volume: the volume
 * @ref: the id
 * @settings: of the new group; what is not set has its default
 * @err: says what was wrong on failure
 *
 * Context: process, ioband_mutex held.
 * Return: 0, or -EINVAL, -EEXIST, -ENOENT or -ENOMEM.
 */
int iov_attach(struct ioband_volume *volume, const struct ioband_ref *ref,
	       const struct ioband_settings *settings, struct ioband_error *err)
{
	u64 id;
	int r;

	lockdep_assert_held(&ioband_mutex);

	if (volume->type == IOBAND_TYPE_NONE)
		return refuse(err, -EINVAL, "Cannot create ioband group",
			      "attach: type none has the default group only");
	r = iov_resolve(volume, ref, &id, err);
	if (r || !iov_add(volume, id, settings, err, &r))
		return r;
	if (volume->auto_depth) {
		/* It may be one that auto once made: then it goes as such. */
		volume->adopt = true;
		mod_delayed_work(system_wq, &volume->auto_work, 0);
	}
	return 0;
}

static void iov_remove(struct ioband_volume *volume, struct ioband_group *group)
{
	trace_ioband_group(group, "detach");
	xa_erase(&volume->groups, group->id);
	iov_changed(volume);
	iog_rehome(volume->pool, group, volume->default_group);
	percpu_ref_kill(&group->ref);
}

/**
 * iov_detach - take an id's group away
 * @volume: the volume
 * @ref: the id
 * @err: says what was wrong on failure
 *
 * Its bios are the default group's from here on; those at the disk come back to
 * it, and then it goes. Nothing waits for that.
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
 * iov_set_type - change what ids mean
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
 * Groups that come and go by themselves. A bio cannot wait for a group to be
 * made, so it is charged to the nearest ancestor once more and asks for one.
 */

/**
 * iov_want_group - ask for a cgroup to get a group of its own
 * @volume: the volume
 * @css: the cgroup
 *
 * If too many are wanted at once, this one's next bio will ask again.
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
		mod_delayed_work(system_wq, &volume->auto_work, 0);
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

static void iov_auto_work(struct work_struct *work)
{
	struct ioband_volume *volume =
		container_of(work, struct ioband_volume, auto_work.work);
	const struct ioband_settings settings = { };
	struct cgroup_subsys_state *css;
	struct ioband_group *group;
	struct ioband_error err;
	unsigned long id;
	int r;

	mutex_lock(&ioband_mutex);
	while ((css = iov_pop_wanted(volume))) {
		group = iov_add(volume, cgroup_id(css->cgroup), &settings, &err,
				&r);
		if (group)
			group->css = css;
		else
			css_put(css);
	}
	if (volume->adopt) {
		volume->adopt = false;
		ioband_cgroup_adopt(volume);
		xa_for_each(&volume->groups, id, group)
			if (!group->css && !ioband_cgroup_exists(id))
				iov_remove(volume, group);
	}
	xa_for_each(&volume->groups, id, group)
		if (group->css && !(group->css->flags & CSS_ONLINE))
			iov_remove(volume, group);
	mutex_unlock(&ioband_mutex);

	if (!xa_empty(&volume->groups))
		queue_delayed_work(system_wq, &volume->auto_work,
				   AUTO_CHECK_JIFFIES);
}

/* Drops ioband_mutex for a moment, so that the volume's work can end. */
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
		percpu_ref_kill(&volume->default_group->ref);
	/* No bio is left: this takes a grace period, no more. */
	wait_event(volume->live_wait, !atomic_read(&volume->nr_live));
	xa_destroy(&volume->groups);
	free_percpu(volume->lookup);
	kfree(volume);
}

static struct ioband_volume *iov_create(struct ioband_pool *pool,
					const struct ioband_table *table,
					struct ioband_error *err, int *error)
{
	const struct ioband_group_args *args = table->groups;
	struct ioband_volume *volume;
	unsigned int i;

	*error = refuse(err, -ENOMEM, "Cannot allocate ioband device",
			"out of memory");
	volume = kzalloc(sizeof(*volume), GFP_KERNEL);
	if (!volume)
		return NULL;
	volume->pool = pool;
	volume->type = table->type;
	volume->policy = table->policy;
	volume->auto_depth = table->auto_depth;
	/* 0 is what a lookup that was never made has. */
	volume->generation = 1;
	xa_init(&volume->groups);
	atomic_set(&volume->nr_live, 0);
	init_waitqueue_head(&volume->live_wait);
	spin_lock_init(&volume->auto_lock);
	INIT_DELAYED_WORK(&volume->auto_work, iov_auto_work);

	volume->lookup = alloc_percpu(struct ioband_lookup);
	if (!volume->lookup)
		goto destroy;
	volume->default_group = iog_create(volume, 0, &args[0].settings);
	if (!volume->default_group)
		goto destroy;
	volume->default_group->is_default = true;

	for (i = 1; i < table->nr_groups; i++) {
		*error = iov_attach(volume, &args[i].ref, &args[i].settings,
				    err);
		if (*error)
			goto destroy;
	}
	*error = 0;
	return volume;

destroy:
	iov_destroy(volume);
	return NULL;
}

/* Another line of the same table must say the same of the groups they share. */
static int iov_check_line(struct ioband_volume *volume,
			  const struct ioband_table *table,
			  struct ioband_error *err)
{
	static const char brief[] = "Cannot create ioband group";
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
		if ((args->settings.weight ?: IOBAND_WEIGHT_DEFAULT) !=
		    group->queue.weight)
			return refuse(err, -EINVAL, brief,
				      "weight: lines of one table that share an id must agree");
	}
	return 0;
}

/**
 * iov_get - find or create the volume a line belongs to
 * @pool: the line's pool
 * @iot: the line's target; its volume is filled in
 * @table: the line
 * @err: says what was wrong on failure
 *
 * Context: process, ioband_mutex held.
 * Return: 0, or what iov_attach() returns.
 */
int iov_get(struct ioband_pool *pool, struct ioband_target *iot,
	    const struct ioband_table *table, struct ioband_error *err)
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
	volume = iov_create(pool, table, err, &r);
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
 * iov_put - undo iov_get()
 * @iot: the target, with no bio left
 *
 * Context: process, ioband_mutex held; dropped for a moment with the last target.
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
