// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many I/Os a pool keeps in flight at each leg: no more than the leg takes without
 * putting submitters to sleep, and within that as many as sched/depth.c finds to pay.
 */
#include <linux/ktime.h>

#include "ioband.h"

enum {
	/*
	 * Tags that a stacked device is assumed to have until a worker has slept
	 * there. No disk in use has fewer.
	 */
	TAGS_STACKED_MIN	= 4,

	/* Once reached without a sleep, only the next one bounds the depth. */
	TAGS_STACKED_MANY	= 16,
	TAGS_STACKED_MAX	= 1024,

	/*
	 * In flight per leg from several groups without contention: no more,
	 * whatever depth was found to pay some time ago.
	 */
	PASS_MAX		= 16,
};

/*
 * How long until one more tag is tried on a stacked device: before a worker has slept
 * there, and after that.
 */
#define TAGS_GROW_NS	((s64)(5 * NSEC_PER_MSEC))
#define TAGS_TRIAL_NS	((s64)NSEC_PER_SEC)

/* The longest grace: a seek's time on a disk that seeks, less on others. */
#define GRACE_SEEK_NS	((u64)8 * NSEC_PER_MSEC)
#define GRACE_NS	((u64)NSEC_PER_MSEC)

/**
 * iot_direct - how many I/Os may be in flight for a submitter to send its own
 * @iot: the target
 *
 * It must not sleep below for want of a tag: meanwhile it submits nothing else, and
 * once all submitters sleep there, nothing is held that could be put in order.
 *
 * Context: any.
 */
u32 iot_direct(const struct ioband_target *iot)
{
	struct request_queue *q = bdev_get_queue(iot->dev->bdev);

	return queue_is_mq(q) ? READ_ONCE(q->nr_requests) : TAGS_STACKED_MIN;
}

/* The upper bound of trials. */
static u32 iop_depth_max(const struct ioband_pool *pool)
{
	if (pool->tags_grow && !pool->tags_slept &&
	    pool->tags >= TAGS_STACKED_MANY)
		return TAGS_STACKED_MAX;
	return pool->tags;
}

/**
 * iop_update_depth - put the depth in force
 * @pool: the pool, after a change of something that the depth depends on
 *
 * Context: process, pool->lock held.
 */
void iop_update_depth(struct ioband_pool *pool)
{
	struct ioband_sched *sched = &pool->sched;
	const struct ioband_depth_bounds bounds = {
		.tags		= iop_depth_max(pool),
		.legs		= pool->nr_legs,
		.io_throttle	= pool->io_throttle,
		.io_limit	= pool->io_limit,
		.is_rotational	= pool->is_rotational,
	};

	lockdep_assert_held(&pool->lock);

	pool->depth_reason = ioband_depth_enforce(&pool->depth, sched, &bounds);
	WRITE_ONCE(pool->pass_max, sched->policy->only_limits ? U32_MAX :
		   min3(sched->depth, pool->tags_least, (u32)PASS_MAX));
	WRITE_ONCE(pool->held_max, pool->io_limit ?: HELD_DEFAULT);
	WRITE_ONCE(pool->is_timed, pool->contended &&
		   (sched->turn.is_serial || sched->policy->by_time));
}

/**
 * iop_begin_depth - find out how many I/Os the devices take at once
 * @pool: the pool, when contention begins or its devices have changed
 * @now_ns: the time
 *
 * A request queue reports its tags. Of several devices the largest counts: each lane
 * has a worker, and one that sleeps delays no other. A stacked device does not report
 * them, so begin with few and try more until a worker sleeps. That has another use:
 * submitters that have slept below since before contention began must get their tags
 * before more is sent after them.
 *
 * Context: process, pool->lock held.
 */
void iop_begin_depth(struct ioband_pool *pool, u64 now_ns)
{
	struct ioband_depth_sample sample;
	struct ioband_target *iot;

	lockdep_assert_held(&pool->lock);

	pool->tags = 1;
	pool->tags_least = U32_MAX;
	pool->is_rotational = false;
	pool->tags_grow = false;
	pool->tags_slept = false;
	pool->tags_ns = now_ns;
	list_for_each_entry(iot, &pool->targets, list) {
		if (!iot->volume->resumed)
			continue;
		pool->tags = max(pool->tags, iot_direct(iot));
		pool->tags_least = min(pool->tags_least, iot_direct(iot));
		if (!queue_is_mq(bdev_get_queue(iot->dev->bdev)))
			pool->tags_grow = true;
		if (ioband_bdev_rot(iot->dev->bdev))
			pool->is_rotational = true;
	}
	pool->sched.turn.grace_ns = pool->is_rotational ? GRACE_SEEK_NS :
							  GRACE_NS;
	sample = ioband_depth_look(&pool->sched, now_ns);
	ioband_depth_begin(&pool->depth, iop_depth_max(pool), &sample);
	iop_update_depth(pool);
}

static bool iop_grow_tags(struct ioband_pool *pool, u64 now_ns)
{
	s64 wait_ns = pool->tags_slept ? TAGS_TRIAL_NS : TAGS_GROW_NS;

	if (!pool->tags_grow || pool->tags >= TAGS_STACKED_MANY ||
	    (s64)(now_ns - pool->tags_ns) <= wait_ns)
		return false;
	pool->tags++;
	pool->tags_ns = now_ns;
	return true;
}

/**
 * iop_tick_depth - change the depth if there is reason to
 * @pool: the pool
 * @now_ns: the time
 *
 * Context: process, pool->lock held.
 */
void iop_tick_depth(struct ioband_pool *pool, u64 now_ns)
{
	struct ioband_depth_sample sample;
	bool changed;
	u32 max;

	lockdep_assert_held(&pool->lock);

	pool->sched.service_ns = READ_ONCE(pool->service_ns) +
				 READ_ONCE(pool->service_off_ns) * 4;
	if (!pool->contended || pool->io_throttle ||
	    pool->sched.policy->only_limits)
		return;
	changed = iop_grow_tags(pool, now_ns);
	max = iop_depth_max(pool);
	if (ioband_depth_is_due(&pool->depth, max, &pool->sched, now_ns)) {
		pool->depth.service_ns = pool->sched.service_ns;
		sample = ioband_depth_look(&pool->sched, now_ns);
		changed |= ioband_depth_tick(&pool->depth, max, &sample);
	}
	if (changed)
		iop_update_depth(pool);
}

/**
 * iop_learn_tags - learn how many tags there are from a worker that slept for one
 * @pool: the pool
 * @below: number of I/Os at the leg before its own, which is taken for its tags
 *
 * Context: process.
 */
void iop_learn_tags(struct ioband_pool *pool, u32 below)
{
	spin_lock(&pool->lock);
	if (below < pool->sched.depth) {
		pool->tags = max_t(u32, below, TAGS_STACKED_MIN);
		pool->tags_slept = true;
		pool->tags_ns = ktime_get_ns();
		iop_update_depth(pool);
	}
	spin_unlock(&pool->lock);
}

/**
 * iop_note_service - note how long the disk took for a bio
 * @pool: the pool
 * @ns: from issue to completion
 *
 * Keeps mean and mean deviation, as TCP does for its round-trip time (V. Jacobson,
 * "Congestion Avoidance and Control", SIGCOMM 1988). Of concurrent completions, one
 * may overwrite the update of another.
 *
 * Context: any.
 */
void iop_note_service(struct ioband_pool *pool, u64 ns)
{
	u64 mean_ns = READ_ONCE(pool->service_ns);
	u64 off_ns = READ_ONCE(pool->service_off_ns);
	s64 error_ns = ns - mean_ns;

	WRITE_ONCE(pool->service_ns, mean_ns + error_ns / 8);
	WRITE_ONCE(pool->service_off_ns,
		   off_ns + ((s64)abs(error_ns) - (s64)off_ns) / 4);
}
