// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the disk alone takes for I/O of groups with a latency target; sched/squeeze.c
 * says what for.
 *
 * A completion may not take pool->lock. It counts what is late, and puts the group in a
 * list; who looks some ten times a second, as long as there is any, asks how many I/Os
 * these groups have sent meanwhile.
 */
#include <linux/ktime.h>

#include "ioband.h"
#include "stats.h"

enum {
	/* To look at more costs more than it tells. */
	LATE_GROUPS_MAX	= 32,
};

/* Look once more. Whoever has asked for it before has asked for this. */
static void iop_look_soon(struct ioband_pool *pool)
{
	queue_delayed_work(pool->wq, &pool->squeeze_work,
			   nsecs_to_jiffies(IOBAND_SQUEEZE_LOOK_NS));
}

/**
 * iog_note_late - the disk took longer for a bio than its group's target
 * @pool: the pool
 * @group: the group, kept by the bio
 *
 * Context: any, hard interrupts included.
 */
void iog_note_late(struct ioband_pool *pool, struct ioband_group *group)
{
	unsigned long flags;

	spin_lock_irqsave(&pool->clock_lock, flags);
	if (list_empty(&group->late) && pool->nr_late < LATE_GROUPS_MAX) {
		percpu_ref_get(&group->ref);
		list_add_tail(&group->late, &pool->late);
		WRITE_ONCE(pool->nr_late, pool->nr_late + 1);
		group->late_ios = 0;
	}
	group->late_ios++;
	spin_unlock_irqrestore(&pool->clock_lock, flags);
	iop_look_soon(pool);
}

/* The next group of @groups, to be looked at, and what is to be added to its late I/Os. */
static struct ioband_group *pop_late(struct ioband_pool *pool, struct list_head *groups,
				     u32 *late)
{
	struct ioband_group *group;

	spin_lock_irq(&pool->clock_lock);
	group = list_first_entry_or_null(groups, struct ioband_group, late);
	if (group) {
		*late = group->late_ios;
		group->late_ios = 0;
	}
	spin_unlock_irq(&pool->clock_lock);
	return group;
}

/* Back into the list, or out of it. */
static void put_late(struct ioband_pool *pool, struct ioband_group *group, bool is_over)
{
	spin_lock_irq(&pool->clock_lock);
	/* What has become late meanwhile is lost with it: the next begins anew. */
	if (is_over) {
		list_del_init(&group->late);
		WRITE_ONCE(pool->nr_late, pool->nr_late - 1);
	} else {
		list_move_tail(&group->late, &pool->late);
	}
	spin_unlock_irq(&pool->clock_lock);
	if (is_over)
		percpu_ref_put(&group->ref);
}

/* Returns whether it has made up for all that was late, or has no target any more. */
static bool iog_look(struct ioband_pool *pool, struct ioband_group *group, u32 late,
		     u64 now_ns)
{
	struct ioband_terms *terms = group->node.terms;
	u64 sent = iog_sent(group), before = group->seen.sent_ios;

	lockdep_assert_held(&pool->lock);

	group->seen.sent_ios = sent;
	if (group->detached || !terms || !terms->latency_ns)
		return true;
	/* It was not looked at for a while: of what it sent, only these count. */
	if (!group->seen.is_late)
		before = sent - late;
	ioband_squeeze_note(&pool->sched, terms, max_t(u64, sent - before, late), late, now_ns);
	group->seen.is_late = terms->late || pool->sched.squeeze.state;
	return !group->seen.is_late;
}

static void iop_look_at_late(struct ioband_pool *pool, u64 now_ns)
{
	struct ioband_group *group;
	LIST_HEAD(groups);
	u32 late;

	spin_lock_irq(&pool->clock_lock);
	list_splice_init(&pool->late, &groups);
	spin_unlock_irq(&pool->clock_lock);
	while ((group = pop_late(pool, &groups, &late)))
		put_late(pool, group, iog_look(pool, group, late, now_ns));
}

/**
 * iop_squeeze_work - look whether targets are missed at the disk
 * @work: the pool's squeeze_work
 *
 * Context: process.
 */
void iop_squeeze_work(struct work_struct *work)
{
	struct ioband_pool *pool = container_of(to_delayed_work(work),
						struct ioband_pool, squeeze_work);
	u64 now_ns;
	bool goes_on;

	spin_lock(&pool->lock);
	now_ns = ktime_get_ns();
	iop_look_at_late(pool, now_ns);
	goes_on = ioband_squeeze_tick(&pool->sched, now_ns);
	if (goes_on && !pool->contended)
		iop_contend(pool, now_ns);
	iop_pump(pool, NULL, NULL, now_ns);
	goes_on |= READ_ONCE(pool->nr_late);
	spin_unlock(&pool->lock);
	if (goes_on)
		iop_look_soon(pool);
}
