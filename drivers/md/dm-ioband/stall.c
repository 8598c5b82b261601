// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device below that does not answer: suspended, without a path, a thin volume whose
 * pool is full.
 *
 * What was sent there takes room until it completes, and soon all that there is. But other
 * volumes of the pool may be on devices that do. So once a second, while I/O waits for
 * room, somebody looks for volumes that had data at the disk at the last look, too, and
 * none has come or gone meanwhile; each direction by itself, for a full thin volume is
 * still read. Such a volume is stalled, that way. The places of all that is at the disk are
 * free then: another generation begins. The stalled volume sends no more until as much has
 * come or gone as it had there, however few of its I/Os come back at a time.
 *
 * Nothing is done unless I/O of another volume waits, or what goes the other way. If it is
 * the whole disk that has fallen silent, what had nothing there sends as much as there is
 * room for, and the disk has to do that, too, when it awakes.
 */
#include "ioband.h"

/* Nothing has gone for so long. */
#define BLOCKED_NS	((u64)NSEC_PER_SEC)

/* Or some goes, but less than there is room for: one look of so many. */
#define SELDOM_LOOKS	10

/* Until a look says otherwise. */
#define KEEP_BACK_NS	((u64)1 << 61)

/* The volume's group after @group in the tree, or the first; NULL if there is none. */
static struct ioband_group *iop_group_after(struct ioband_pool *pool,
					    struct ioband_group *group)
{
	struct ioband_node *root = &pool->sched.root;
	struct ioband_node *node = group ? &group->node : root;

	lockdep_assert_held(&pool->lock);

	do {
		node = ioband_node_after(node, root);
	} while (node && (node->is_stream || !iog_from_node(node)->volume));
	return node ? iog_from_node(node) : NULL;
}

/* Find out which ways a volume is silent; whether it is not stalled there yet. Under RCU. */
static bool iov_listen(struct ioband_volume *volume)
{
	u64 done_sectors[IOBAND_DIRS] = { }, there_sectors[IOBAND_DIRS] = { }, came;
	struct ioband_below *below;
	struct ioband_group *group;
	enum ioband_dir dir;
	bool any = false;
	unsigned long id;

	iog_count_data(volume->default_group, done_sectors, there_sectors);
	xa_for_each(&volume->groups, id, group)
		iog_count_data(group, done_sectors, there_sectors);
	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++) {
		below = &volume->below[dir];
		/* More than anything if a group went. */
		came = done_sectors[dir] - below->done_sectors;
		below->is_silent = came < (below->stalled_ns ? below->there_sectors :
					   !!below->there_sectors);
		if (below->is_silent && below->stalled_ns)
			continue;
		any |= below->is_silent;
		below->done_sectors = done_sectors[dir];
		below->there_sectors = there_sectors[dir];
	}
	return any;
}

/* Without pool->lock: it is a line of each processor for each group. */
static bool iop_listen(struct ioband_pool *pool)
{
	struct ioband_volume *volume;
	bool any = false;

	rcu_read_lock();
	list_for_each_entry_rcu(volume, &pool->volumes, list)
		any |= iov_listen(volume);
	rcu_read_unlock();
	return any;
}

/* Whether there is I/O that may go, and is not of what is silent. */
static bool iop_others_wait(struct ioband_pool *pool)
{
	struct ioband_group *group = NULL;
	enum ioband_dir dir;

	while ((group = iop_group_after(pool, group)))
		for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++)
			if (!group->volume->below[dir].is_silent &&
			    ioband_may_go(&group->node, dir))
				return true;
	return false;
}

/* Have what is at the disk take no room. */
static void iop_give_up(struct ioband_pool *pool)
{
	atomic64_t *places;

	lockdep_assert_held(&pool->lock);

	for (places = pool->places; places < pool->places + pool->nr_legs; places++)
		atomic64_set(places, (u16)(atomic64_read(places) + 1));
}

/* Keep back what is silent, if @new also what was not before. */
static void iov_set_stalled(struct ioband_volume *volume, bool new, u64 now_ns)
{
	struct ioband_pool *pool = volume->pool;
	struct ioband_below *below;
	enum ioband_dir dir;

	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++) {
		below = &volume->below[dir];
		if (below->stalled_ns && !below->is_silent) {
			WRITE_ONCE(below->stalled_ns, 0);
		} else if (new && !below->stalled_ns && below->is_silent) {
			DMWARN_LIMIT("share %s: the device below %s does not answer to %s",
				     pool->name, dm_device_name(dm_table_get_md(volume->table)),
				     dir == IOBAND_READ ? "reads" : "writes");
			WRITE_ONCE(below->stalled_ns, now_ns);
		}
		pool->has_stalled |= (bool)below->stalled_ns;
	}
}

/**
 * iog_keep_back - keep a group back as long as its volume is stalled
 * @group: the group, in the tree
 * @now_ns: the time
 *
 * Context: any but interrupts, pool->lock held.
 */
void iog_keep_back(struct ioband_group *group, u64 now_ns)
{
	struct ioband_pool *pool = group->volume->pool;
	enum ioband_dir dir;
	u64 stalled_ns, until_ns;

	lockdep_assert_held(&pool->lock);

	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++) {
		stalled_ns = group->volume->below[dir].stalled_ns;
		until_ns = stalled_ns ? stalled_ns + KEEP_BACK_NS : 0;
		if (until_ns == group->node.kept_back_ns[dir])
			continue;
		ioband_node_keep_back(&pool->sched, &group->node, dir, until_ns, now_ns);
		group->went_jiffies = jiffies;
	}
}

/* Whether it is time to look for what does not answer. */
static bool iop_is_blocked(const struct ioband_pool *pool, u64 now_ns)
{
	/* A bound that was asked for holds. */
	if (pool->settings.io_throttle || pool->settings.io_limit)
		return false;
	return ioband_blocked_ns(&pool->sched, now_ns) >= BLOCKED_NS || pool->sched.backed_up ||
	       (pool->nr_stall_looks % SELDOM_LOOKS == 0 && ioband_is_ready(&pool->sched));
}

/* Keep back volumes that do not answer, and no others; true if something may go by that. */
static bool iop_set_stalled(struct ioband_pool *pool, bool new, u64 now_ns)
{
	bool had_stalled = pool->has_stalled;
	struct ioband_group *group = NULL;
	struct ioband_volume *volume;

	lockdep_assert_held(&pool->lock);

	new = new && iop_others_wait(pool);
	if (new)
		iop_give_up(pool);
	pool->has_stalled = false;
	list_for_each_entry(volume, &pool->volumes, list)
		iov_set_stalled(volume, new, now_ns);
	if (!had_stalled && !pool->has_stalled)
		return false;
	while ((group = iop_group_after(pool, group)))
		iog_keep_back(group, now_ns);
	return true;
}

/**
 * iop_stall_work - look for devices that do not answer, as long as any group holds I/O
 * @work: the pool's stall_work
 *
 * Context: process.
 */
void iop_stall_work(struct work_struct *work)
{
	struct ioband_pool *pool = container_of(to_delayed_work(work), struct ioband_pool,
						stall_work);
	bool is_blocked, any;
	u64 now_ns;

	spin_lock(&pool->lock);
	pool->nr_stall_looks++;
	is_blocked = iop_is_blocked(pool, ktime_get_ns());
	any = is_blocked || pool->has_stalled;
	spin_unlock(&pool->lock);
	any = any && iop_listen(pool);
	spin_lock(&pool->lock);
	now_ns = ktime_get_ns();
	if (iop_set_stalled(pool, is_blocked && any, now_ns))
		iop_pump(pool, NULL, now_ns);
	if (pool->nr_holding || pool->has_stalled)
		queue_delayed_work(pool->wq, &pool->stall_work, IOBAND_LOOK_JIFFIES);
	spin_unlock(&pool->lock);
}
