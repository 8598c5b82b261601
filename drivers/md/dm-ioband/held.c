// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is held, counted by group and direction, and at limits listed for who watches
 * whether its task still lives.
 */
#include "ioband.h"

/* Have a run, held at a limit, go when its task is killed (watch.c). */
static void iop_watch(struct ioband_pool *pool, struct ioband_bio *iob)
{
	lockdep_assert_held(&pool->lock);

	if (!pool->nr_watched++)
		queue_delayed_work(pool->wq, &pool->watch_work, HZ);
	list_add_tail(&iob->watched, &pool->watched);
}

static void iop_unwatch(struct ioband_pool *pool, struct ioband_bio *iob)
{
	lockdep_assert_held(&pool->lock);

	list_del(&iob->watched);
	pool->nr_watched--;
}

/**
 * iob_add_held - count a run as held by its group
 * @iob: the first of the run; others may join from now on
 *
 * Context: any but interrupts, pool->lock held.
 */
void iob_add_held(struct ioband_bio *iob)
{
	struct ioband_pool *pool = iob->target->volume->pool;
	struct ioband_group *group = iob->group;

	if (!iog_held(group)) {
		pool->nr_holding++;
		group->went_jiffies = jiffies;
	}
	if (!pool->is_noticing) {
		pool->is_noticing = true;
		pool->nr_looks = 0;
		queue_delayed_work(pool->wq, &pool->notice_work, IOBAND_LOOK_JIFFIES);
	}
	iog_count_held(group, iob->io.dir, 1 + iob->io.merged);
	if (iob_may_run(iob))
		group->open = iob;
	/* Without a limit its turn comes soon enough. */
	iob->is_watched = iob->pid && READ_ONCE(group->is_limited);
	if (iob->is_watched)
		iop_watch(pool, iob);
}

/**
 * iob_drop_held - count a run as no longer held by its group
 * @iob: the first of the run; no more may join
 *
 * Context: any but interrupts, pool->lock held.
 */
void iob_drop_held(struct ioband_bio *iob)
{
	struct ioband_pool *pool = iob->target->volume->pool;
	struct ioband_group *group = iob->group;

	iog_count_held(group, iob->io.dir, -(1 + iob->io.merged));
	group->went_jiffies = jiffies;
	pool->went_jiffies = group->went_jiffies;
	if (!iog_held(group))
		pool->nr_holding--;
	if (group->open == iob)
		group->open = NULL;
	if (iob->is_watched)
		iop_unwatch(pool, iob);
}
