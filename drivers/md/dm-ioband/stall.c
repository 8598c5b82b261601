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
 * given up: another cohort begins, and only the places of the last one count as taken. The
 * stalled volume sends no more until all that it had there has completed, so it never has
 * more than one cohort, however few of its I/Os come back at a time.
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

/**
 * iob_note_answer - note that a bio has completed
 * @iob: the bio
 *
 * Context: any; after a full barrier since the bio was counted as done. That pairs with
 * iov_give_up(): what is not seen there as done sees here that it was given up.
 * Return: whether the bio was given up.
 */
bool iob_note_answer(const struct ioband_bio *iob)
{
	struct ioband_below *below = iob_below(iob);
	unsigned long now = jiffies;

	if (READ_ONCE(below->done_jiffies) != now && iob->data_sectors)
		WRITE_ONCE(below->done_jiffies, now);
	if (likely(!iob_is_given_up(iob)))
		return false;
	atomic64_sub(iob->data_sectors, &below->given_up_sectors);
	return true;
}

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

/* Count the data that a volume has at the disk. Under RCU. */
static void iov_count_there(struct ioband_volume *volume, u64 sectors[IOBAND_DIRS])
{
	struct ioband_group *group;
	unsigned long id;

	memset(sectors, 0, sizeof(*sectors) * IOBAND_DIRS);
	iog_data_in_flight(volume->default_group, sectors);
	xa_for_each(&volume->groups, id, group)
		iog_data_in_flight(group, sectors);
}

/*
 * Whether there was something at the last look, too, and nothing came meanwhile. What comes
 * is noted only within a busy period.
 */
static bool was_suspect(struct ioband_below *below, u32 period)
{
	bool was = below->suspect_period == period &&
		   time_before(READ_ONCE(below->done_jiffies), below->suspect_jiffies);

	below->suspect_jiffies = jiffies;
	below->suspect_period = period;
	return was;
}

static bool iov_find_silent(struct ioband_volume *volume, u32 period)
{
	struct ioband_below *below = volume->below;
	u64 there_sectors[IOBAND_DIRS];
	enum ioband_dir dir;

	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++)
		below[dir].is_silent = !below[dir].stalled_ns &&
				       time_before(READ_ONCE(below[dir].done_jiffies),
						   jiffies - IOBAND_LOOK_JIFFIES / 2);
	if (!below[IOBAND_READ].is_silent && !below[IOBAND_WRITE].is_silent)
		return false;
	iov_count_there(volume, there_sectors);
	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++)
		below[dir].is_silent = below[dir].is_silent && there_sectors[dir] &&
				       was_suspect(&below[dir], period);
	return below[IOBAND_READ].is_silent || below[IOBAND_WRITE].is_silent;
}

/* Without pool->lock: it is a line of each processor for each group. */
static bool iop_find_silent(struct ioband_pool *pool, u32 period)
{
	struct ioband_volume *volume;
	bool any = false;

	rcu_read_lock();
	list_for_each_entry_rcu(volume, &pool->volumes, list)
		any |= iov_find_silent(volume, period);
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

/* Begin another cohort; false if too many have not completed. */
static bool iop_begin_cohort(struct ioband_pool *pool)
{
	unsigned int cohort;

	lockdep_assert_held(&pool->lock);

	for (cohort = 0; cohort < IOBAND_COHORTS; cohort++) {
		if (cohort != pool->cohort && !places_taken(pool, cohort)) {
			WRITE_ONCE(pool->cohort, cohort);
			return true;
		}
	}
	return false;
}

static void iov_give_up(struct ioband_volume *volume, u64 now_ns)
{
	u64 there_sectors[IOBAND_DIRS];
	struct ioband_below *below;
	enum ioband_dir dir;

	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++) {
		below = &volume->below[dir];
		if (!below->is_silent)
			continue;
		DMWARN_LIMIT("share %s: the device below %s does not answer to %s",
			     volume->pool->name,
			     dm_device_name(dm_table_get_md(volume->table)),
			     dir == IOBAND_READ ? "reads" : "writes");
		atomic64_set(&below->given_up_sectors, 0);
		WRITE_ONCE(below->stalled_ns, now_ns);
	}
	/*
	 * Pairs with the barrier before iob_note_answer(). What completes now may be taken
	 * off though it was not counted; then the rest is not waited for.
	 */
	smp_mb();
	iov_count_there(volume, there_sectors);
	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++)
		if (volume->below[dir].is_silent)
			atomic64_add(there_sectors[dir], &volume->below[dir].given_up_sectors);
}

/* Have what is at the disk take no room, and what is silent wait until it has completed. */
static void iop_give_up(struct ioband_pool *pool, u64 now_ns)
{
	struct ioband_volume *volume;

	lockdep_assert_held(&pool->lock);

	rcu_read_lock();
	list_for_each_entry(volume, &pool->volumes, list)
		if (volume->below[IOBAND_READ].is_silent || volume->below[IOBAND_WRITE].is_silent)
			iov_give_up(volume, now_ns);
	rcu_read_unlock();
	pool->has_stalled = true;
}

/* Whether a volume is still stalled. */
static bool iov_let_back(struct ioband_volume *volume)
{
	struct ioband_below *below;
	bool any = false;

	for (below = volume->below; below < volume->below + IOBAND_DIRS; below++) {
		if (below->stalled_ns && atomic64_read(&below->given_up_sectors) <= 0)
			WRITE_ONCE(below->stalled_ns, 0);
		any |= below->stalled_ns;
	}
	return any;
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
static bool iop_look_for_stalls(struct ioband_pool *pool, bool any_silent, u64 now_ns)
{
	bool had_stalled = pool->has_stalled;
	struct ioband_group *group = NULL;
	struct ioband_volume *volume;

	lockdep_assert_held(&pool->lock);

	pool->has_stalled = false;
	list_for_each_entry(volume, &pool->volumes, list)
		pool->has_stalled |= iov_let_back(volume);
	if (any_silent && iop_others_wait(pool) && iop_begin_cohort(pool))
		iop_give_up(pool, now_ns);
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
	bool any_silent;
	u64 now_ns;
	u32 period;

	spin_lock(&pool->lock);
	pool->nr_stall_looks++;
	any_silent = iop_is_blocked(pool, ktime_get_ns());
	period = pool->sched.period;
	spin_unlock(&pool->lock);
	any_silent = any_silent && iop_find_silent(pool, period);
	spin_lock(&pool->lock);
	now_ns = ktime_get_ns();
	if (iop_look_for_stalls(pool, any_silent, now_ns))
		iop_pump(pool, NULL, NULL, now_ns);
	if (pool->nr_holding || pool->has_stalled)
		queue_delayed_work(pool->wq, &pool->stall_work, IOBAND_LOOK_JIFFIES);
	spin_unlock(&pool->lock);
}
