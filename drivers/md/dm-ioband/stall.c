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
 * iop_give_up(): what is not seen there as done sees here that it was given up.
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

/* Count what volumes have at the disk, where that is asked for. */
static void iop_count_there(struct ioband_pool *pool)
{
	struct ioband_group *group = NULL;
	u64 sectors[IOBAND_DIRS];
	struct ioband_below *below;
	enum ioband_dir dir;

	while ((group = iop_group_after(pool, group))) {
		below = group->volume->below;
		if (!below[IOBAND_READ].is_counted && !below[IOBAND_WRITE].is_counted)
			continue;
		iog_data_in_flight(group, sectors);
		for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++)
			below[dir].there_sectors += sectors[dir];
	}
}

/* Ask for a volume to be counted if it may be silent. */
static bool iov_may_be_silent(struct ioband_volume *volume)
{
	struct ioband_below *below;
	bool any = false;

	for (below = volume->below; below < volume->below + IOBAND_DIRS; below++) {
		below->there_sectors = 0;
		below->is_counted = !below->stalled_ns &&
				    time_before(READ_ONCE(below->done_jiffies),
						jiffies - IOBAND_LOOK_JIFFIES / 2);
		any |= below->is_counted;
	}
	return any;
}

/*
 * Whether it had something there at the last look, too, and nothing came meanwhile. What
 * comes is noted only within a busy period.
 */
static bool below_is_silent(struct ioband_below *below, u32 period)
{
	bool was_suspect = below->suspect_period == period &&
			   time_before(READ_ONCE(below->done_jiffies), below->suspect_jiffies);

	below->suspect_jiffies = jiffies;
	below->suspect_period = period;
	return was_suspect;
}

/* Whether a volume is silent: that is to be counted from now on. */
static bool iov_is_silent(struct ioband_volume *volume, u32 period)
{
	struct ioband_below *below;
	bool any = false;

	for (below = volume->below; below < volume->below + IOBAND_DIRS; below++) {
		/* A volume of several targets comes several times. */
		if (below->is_counted && !time_before(jiffies, below->suspect_jiffies +
							       IOBAND_LOOK_JIFFIES / 2))
			below->is_counted = below->there_sectors &&
					    below_is_silent(below, period);
		any |= below->is_counted;
	}
	return any;
}

static bool iop_find_silent(struct ioband_pool *pool)
{
	struct ioband_target *iot;
	bool any = false;

	lockdep_assert_held(&pool->lock);

	list_for_each_entry(iot, &pool->targets, list)
		any |= iov_may_be_silent(iot->volume);
	if (!any)
		return false;
	iop_count_there(pool);
	any = false;
	list_for_each_entry(iot, &pool->targets, list)
		any |= iov_is_silent(iot->volume, pool->sched.period);
	return any;
}

/* Whether there is I/O that may go, and is not of what is silent. */
static bool iop_others_wait(struct ioband_pool *pool)
{
	struct ioband_group *group = NULL;
	enum ioband_dir dir;

	while ((group = iop_group_after(pool, group)))
		for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++)
			if (!group->volume->below[dir].is_counted &&
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

static void iov_begin_stall(struct ioband_volume *volume, u64 now_ns)
{
	struct ioband_below *below;

	for (below = volume->below; below < volume->below + IOBAND_DIRS; below++) {
		below->there_sectors = 0;
		if (!below->is_counted)
			continue;
		atomic64_set(&below->given_up_sectors, 0);
		/* A volume of several targets comes several times. */
		if (!below->stalled_ns)
			DMWARN_LIMIT("share %s: the device below %s does not answer to %s",
				     volume->pool->name,
				     dm_device_name(dm_table_get_md(volume->table)),
				     below == volume->below ? "reads" : "writes");
		WRITE_ONCE(below->stalled_ns, now_ns);
	}
}

static void iov_give_up(struct ioband_volume *volume)
{
	struct ioband_below *below;

	for (below = volume->below; below < volume->below + IOBAND_DIRS; below++) {
		if (below->is_counted)
			atomic64_add(below->there_sectors, &below->given_up_sectors);
		below->is_counted = false;
	}
}

/* Have what is at the disk take no room, and what is silent wait until it has completed. */
static void iop_give_up(struct ioband_pool *pool, u64 now_ns)
{
	struct ioband_target *iot;

	lockdep_assert_held(&pool->lock);

	list_for_each_entry(iot, &pool->targets, list)
		iov_begin_stall(iot->volume, now_ns);
	/*
	 * Pairs with the barrier before iob_note_answer(). What completes now may be taken
	 * off though it was not counted; then the rest is not waited for.
	 */
	smp_mb();
	iop_count_there(pool);
	list_for_each_entry(iot, &pool->targets, list)
		iov_give_up(iot->volume);
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
static bool iop_look_for_stalls(struct ioband_pool *pool, u64 now_ns)
{
	bool had_stalled = pool->has_stalled;
	struct ioband_group *group = NULL;
	struct ioband_target *iot;

	lockdep_assert_held(&pool->lock);

	pool->has_stalled = false;
	list_for_each_entry(iot, &pool->targets, list)
		pool->has_stalled |= iov_let_back(iot->volume);
	if (iop_is_blocked(pool, now_ns) && iop_find_silent(pool) && iop_others_wait(pool) &&
	    iop_begin_cohort(pool))
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
	u64 now_ns;

	spin_lock(&pool->lock);
	now_ns = ktime_get_ns();
	pool->nr_stall_looks++;
	if (iop_look_for_stalls(pool, now_ns))
		iop_pump(pool, NULL, NULL, now_ns);
	pool->looks_for_stalls = pool->nr_holding || pool->has_stalled;
	if (pool->looks_for_stalls)
		queue_delayed_work(pool->wq, &pool->stall_work, IOBAND_LOOK_JIFFIES);
	spin_unlock(&pool->lock);
}
