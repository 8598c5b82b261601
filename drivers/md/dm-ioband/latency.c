// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the disk alone takes for I/O of groups with a latency target; sched/squeeze.c
 * says what for.
 *
 * A completion may not take pool->lock. The first that is late puts its group in a list;
 * as long as there is any in it, what its groups complete is counted, and a work item looks
 * at these counts some ten times a second.
 */
#include <linux/ktime.h>

#include "ioband.h"

enum {
	/* To look at more at a time costs more than it tells. */
	CHECK_GROUPS_MAX	= 32,
};

/* Look once more. Whoever has asked for it before has asked for this. */
static void iop_check_soon(struct ioband_pool *pool)
{
	queue_delayed_work(pool->wq, &pool->latency_work,
			   nsecs_to_jiffies(IOBAND_SQUEEZE_TICK_NS));
}

/**
 * iog_note_latency - note how the disk has served a bio of a group with a latency target
 * @pool: the pool
 * @group: the group, kept by the bio
 * @is_late: the disk alone took longer than the target
 *
 * Context: any, hard interrupts included.
 */
void iog_note_latency(struct ioband_pool *pool, struct ioband_group *group, bool is_late)
{
	if (is_late && !atomic_read(&group->is_late) && !atomic_xchg(&group->is_late, 1)) {
		percpu_ref_get(&group->ref);
		llist_add(&group->late, &pool->late);
		iop_check_soon(pool);
	}
	if (!atomic_read(&group->is_late))
		return;
	atomic_inc(&group->timed_ios);
	if (is_late)
		atomic_inc(&group->late_ios);
}

/*
 * Returns whether it has made up for all that was late, or wants nothing now, or has no
 * target any more.
 */
static bool iog_check_late(struct ioband_pool *pool, struct ioband_group *group, u64 now_ns)
{
	struct ioband_terms *terms = group->node.terms;
	u64 sectors[IOBAND_DIRS];
	u32 late = atomic_xchg(&group->late_ios, 0);
	u32 done = atomic_xchg(&group->timed_ios, 0);

	lockdep_assert_held(&pool->lock);

	if (group->detached || !terms || !terms->latency_ns)
		return true;
	if (!done && !late && !group->node.held && !iog_in_flight(group, sectors)) {
		ioband_squeeze_rest(terms);
		return !pool->sched.squeeze.is_on;
	}
	ioband_squeeze_note(&pool->sched, terms, max(done, late), late, now_ns);
	return !terms->late && !pool->sched.squeeze.is_on;
}

static void iop_check_late(struct ioband_pool *pool, u64 now_ns)
{
	struct llist_node *node;
	unsigned int i;

	/* Who is late again waits for all the others to have been looked at. */
	if (!pool->late_now)
		pool->late_now = llist_del_all(&pool->late);
	for (i = 0; i < CHECK_GROUPS_MAX && (node = pool->late_now); i++) {
		struct ioband_group *group = llist_entry(node, struct ioband_group, late);

		pool->late_now = node->next;
		if (!iog_check_late(pool, group, now_ns)) {
			llist_add(node, &pool->late);
			continue;
		}
		/* Pairs with atomic_xchg(): who puts it in again finds it taken out. */
		atomic_set_release(&group->is_late, 0);
		percpu_ref_put(&group->ref);
	}
}

/**
 * iop_latency_work - look whether targets are missed at the disk
 * @work: the pool's latency_work
 *
 * Context: process.
 */
void iop_latency_work(struct work_struct *work)
{
	struct ioband_pool *pool = container_of(to_delayed_work(work),
						struct ioband_pool, latency_work);
	u64 now_ns;
	bool goes_on;

	spin_lock(&pool->lock);
	now_ns = ktime_get_ns();
	iop_check_late(pool, now_ns);
	goes_on = ioband_squeeze_tick(&pool->sched, now_ns);
	if (goes_on && !pool->contended)
		iop_contend(pool, now_ns);
	iop_update_depth(pool);
	iop_pump(pool, NULL, now_ns);
	if (goes_on || pool->late_now || !llist_empty(&pool->late))
		iop_check_soon(pool);
	spin_unlock(&pool->lock);
}
