// SPDX-License-Identifier: GPL-2.0-only
/*
 * The groups of a volume: find, set, attach, detach.
 *
 * A group is looked up under RCU, and each bio holds a reference on it, so it can be
 * detached at any time. Its held bios then move to its parent; those at the disk
 * complete on its account, and the last one frees it.
 */
#include "ioband.h"
#include "trace.h"

static int iov_resolve(const struct ioband_volume *volume,
		       const struct ioband_ref *ref, u64 *id,
		       struct ioband_error *err)
{
	*id = ref->id;
	if (!ref->path)
		return 0;
	if (volume->type != IOBAND_TYPE_CGROUP)
		return ioband_refuse(err, "Invalid group id",
				     "group '%.100s': a path needs type cgroup, not %s",
				     ref->path, ioband_type_name(volume->type));
	if (!ref->id) {
		ioband_refuse(err, "Invalid group id",
			      "group '%.100s': expected the path of a cgroup from the root of its hierarchy",
			      ref->path);
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
	return ioband_refuse(err, "No such group", "group %llu: not attached", id);
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
		return ioband_refuse(err, brief, "parent: the default group is below none");
	if (ref->is_default)
		return 0;
	r = iov_find(volume, ref, parent, err);
	if (r)
		return r;
	return iog_check_parent(group, *parent, err);
}

enum {
	/*
	 * Minimums go before all else. Beyond this part of the disk, in percent, the rest
	 * would starve beside them.
	 */
	MINIMUMS_MAX = 95,
};

/*
 * The most that the disk has shown it does in a second, in the unit of a minimum, and in
 * I/Os of the group's size once that is known; at least 1. What goes one after the other
 * on the disk says nothing about small I/Os all over it. Not inline, as needed() is recursive.
 */
static noinline u64 shown(const struct ioband_group *group, bool ios)
{
	const struct ioband_depth *depth = &group->volume->pool->depth;
	struct ioband_sums sums = { };
	u64 nr, mean, most;

	lockdep_assert_held(&group->volume->pool->lock);

	iog_sum(group, &sums);
	nr = sums.stats.issued_ios[READ] + sums.stats.issued_ios[WRITE];
	mean = sums.stats.issued_sectors[READ] + sums.stats.issued_sectors[WRITE];
	mean = nr ? div64_u64(mean << SECTOR_SHIFT, nr) : 0;
	if (!mean)
		most = ios ? depth->shown_ios : depth->shown_bytes;
	else if (ios)
		most = min(depth->shown_ios, div64_u64(depth->shown_bytes, mean));
	else
		most = min(depth->shown_bytes, depth->shown_ios * mean);
	return max_t(u64, most, 1);
}

/*
 * The part of the disk that the minimum of @node takes, or those below it together if
 * that is more, in hundredths of a percent. @changed counts with the settings in @change,
 * a group of a table that was never resumed not at all.
 */
static u64 needed(const struct ioband_node *node,
		  const struct ioband_group *changed,
		  const struct ioband_settings *change)
{
	const struct ioband_settings *settings;
	const struct ioband_node *child;
	struct ioband_group *group;
	u64 sum = 0, part;

	list_for_each_entry(child, &node->children, sibling)
		sum += needed(child, changed, change);
	if (!node->parent || node->is_stream)
		return sum;
	group = container_of(node, struct ioband_group, node);
	settings = group == changed ? change : &group->settings;
	if (!settings->min_rate || !group->volume->resumed)
		return sum;
	/* A minimum is no more than 2^50, and sums of these parts must fit, too. */
	part = div64_u64(settings->min_rate * 100 * 100, shown(group, settings->min_is_ios));
	return max(sum, min(part, (u64)1 << 40));
}

/*
 * Refuse minimums that leave the others nothing of what the disk has shown it can do. To
 * promise less than before is fine.
 */
static int check_minimum(struct ioband_group *group,
			 const struct ioband_settings *settings,
			 struct ioband_error *err)
{
	const struct ioband_settings *is = &group->settings;
	struct ioband_pool *pool = group->volume->pool;
	bool ios = settings->min_is_ios;
	u64 part = 0, most;

	if (!settings->min_rate ||
	    (is->min_is_ios == ios && settings->min_rate < is->min_rate))
		return 0;
	/* Streams are in the tree, and come and go without ioband_mutex. */
	spin_lock(&pool->lock);
	if (pool->depth.shown_ios)
		part = needed(&pool->sched.root, group, settings);
	most = shown(group, ios);
	spin_unlock(&pool->lock);

	if (part <= MINIMUMS_MAX * 100)
		return 0;
	return ioband_refuse(err, "Invalid policy parameter",
			     "%s %llu: all minimums take %llu %% of what share '%s' has shown, %llu a second in I/Os of this group's size, expected at most %u %%; or add force=1",
			     ios ? "miniops" : "min", settings->min_rate,
			     DIV_ROUND_UP_ULL(part, 100), pool->name, most, MINIMUMS_MAX);
}

static int check_latency(struct ioband_group *group,
			 const struct ioband_settings *settings,
			 struct ioband_error *err)
{
	u64 service_us = READ_ONCE(group->volume->pool->service_ns) / NSEC_PER_USEC;

	if (!settings->latency_us || settings->latency_us >= service_us)
		return 0;
	return ioband_refuse(err, "Invalid policy parameter",
			     "latency %u: expected at least the %llu us that the disk takes for one I/O; or add force=1",
			     settings->latency_us, service_us);
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
	bool moves = change->given & BIT(IOBAND_KEY_PARENT);
	struct ioband_pool *pool = volume->pool;
	u32 promises = change->given;
	struct ioband_group *parent;
	int r;

	lockdep_assert_held(&ioband_mutex);

	ioband_settings_merge(&settings, change);
	if (promises & BIT(IOBAND_KEY_FORCE))
		promises = 0;
	r = ioband_settings_check(&settings, pool->sched.policy, err);
	if (!r && promises & BIT(IOBAND_KEY_MIN))
		r = check_minimum(group, &settings, err);
	if (!r && promises & BIT(IOBAND_KEY_LATENCY))
		r = check_latency(group, &settings, err);
	if (!r && moves)
		r = resolve_parent(volume, group, &change->parent, &parent, err);
	if (r)
		return r;
	if (iog_set(group, &settings))
		return ioband_no_memory(err, "Cannot change ioband group");
	if (moves)
		iog_move(pool, group, parent);
	iop_changed(pool);
	return 0;
}

/**
 * iov_place - put a group of a table below the parent that it names
 * @volume: the volume, with all groups of the table attached
 * @args: the group
 * @err: says what was wrong on failure
 *
 * Context: process, ioband_mutex held.
 * Return: 0, or -EINVAL or -ENOENT.
 */
int iov_place(struct ioband_volume *volume,
	      const struct ioband_group_args *args, struct ioband_error *err)
{
	struct ioband_group *group, *parent;
	int r;

	if (!(args->settings.given & BIT(IOBAND_KEY_PARENT)))
		return 0;
	r = iov_find(volume, &args->ref, &group, err);
	if (!r)
		r = resolve_parent(volume, group, &args->settings.parent, &parent, err);
	if (!r)
		iog_move(volume->pool, group, parent);
	return r;
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

/*
 * Groups come and go
 */

/* Invalidate cached lookups, after a change of the volume's groups. */
static void iov_changed(struct ioband_volume *volume)
{
	/* Publishes the change; pairs with the acquire in iov_generation(). */
	smp_store_release(&volume->generation, volume->generation + 1);
}

/**
 * iov_add - attach a new group
 * @volume: the volume
 * @id: an id of its type
 * @settings: of the group; what is not given has its default
 * @spare: where its memory is taken from
 * @err: says what was wrong on failure
 *
 * Context: process, ioband_mutex held.
 * Return: 0, -EEXIST or -ENOMEM.
 */
int iov_add(struct ioband_volume *volume, u64 id, const struct ioband_settings *settings,
	    struct list_head *spare, struct ioband_error *err)
{
	static const char brief[] = "Cannot create ioband group";
	struct ioband_group *group;

	if (xa_load(&volume->groups, id)) {
		ioband_refuse(err, brief, "group %llu: is attached already", id);
		return -EEXIST;
	}
	group = xa_reserve(&volume->groups, id, GFP_NOIO) ? NULL :
		iog_create(volume, id, settings, spare);
	if (!group) {
		xa_release(&volume->groups, id);
		return ioband_no_memory(err, brief);
	}
	/* Bios arrive as soon as it can be found: give it its place before. */
	iog_add(group);
	if (volume->type == IOBAND_TYPE_CGROUP)
		iog_enter(group);
	xa_store(&volume->groups, id, group, GFP_NOIO);
	if (volume->type == IOBAND_TYPE_CGROUP)
		iog_reach_below(group);
	iov_changed(volume);
	trace_ioband_group(group, "attach");
	return 0;
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
		return ioband_refuse(err, "Cannot create ioband group",
				     "attach: type none has the default group only");
	r = iov_resolve(volume, ref, &id, err) ?: iov_add(volume, id, settings, spare, err);
	if (!r && volume->auto_depth)
		queue_delayed_work(ioband_system_wq, &volume->auto_work, IOBAND_AUTO_JIFFIES);
	return r;
}

/**
 * iov_remove - detach a group
 * @volume: the volume
 * @group: a group of it, not the default one
 *
 * Its held bios move to its parent, whose limits they were under already, or to the
 * default group. Those at the disk complete on its account; nothing waits for them.
 *
 * Context: process, ioband_mutex held.
 */
void iov_remove(struct ioband_volume *volume, struct ioband_group *group)
{
	struct ioband_group *heir;

	trace_ioband_group(group, "detach");
	xa_erase(&volume->groups, group->id);
	iov_changed(volume);
	heir = iog_parent(group) ?: volume->default_group;
	if (volume->type == IOBAND_TYPE_CGROUP)
		iog_leave(group, heir);
	else
		iog_del(group, heir);
}
