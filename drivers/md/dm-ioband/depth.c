// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many I/Os a pool keeps in flight at each leg: no more than a request queue has tags
 * for, so that no submitter sleeps for one, and within that as many as sched/depth.c finds
 * to pay.
 */
#include <linux/blk-mq.h>
#include <linux/ktime.h>

#include "ioband.h"

enum {
	/* No disk in use has fewer tags. */
	TAGS_STACKED_MIN	= 4,
	/* And no stacked device tells how many it has. */
	TAGS_STACKED_MAX	= 1024,
};

/* The longest grace: a seek's time on a disk that seeks, less on others. */
#define GRACE_SEEK_NS	((u64)8 * NSEC_PER_MSEC)
#define GRACE_NS	((u64)NSEC_PER_MSEC)

/*
 * How many I/Os a target's device takes before all submitters sleep; @stacked if unknown. Each
 * of its hardware queues has as many tags, unless they share them, for some of the processors.
 */
static u32 iot_tags(const struct ioband_target *iot, u32 stacked)
{
	struct request_queue *q = bdev_get_queue(iot->dev->bdev);
	u32 queues = 1;

	if (!queue_is_mq(q))
		return stacked;
	if (!(q->tag_set->flags & BLK_MQ_F_TAG_HCTX_SHARED))
		queues = q->tag_set->map[HCTX_TYPE_DEFAULT].nr_queues;
	return READ_ONCE(q->nr_requests) * queues;
}

/**
 * iot_direct - how many I/Os may be in flight for a submitter to send one
 * @iot: the target
 *
 * It must not sleep below for want of a tag: meanwhile it submits nothing else, and
 * once all submitters sleep there, nothing is held that could be put in order. Where
 * there are several hardware queues it may, for one of its own processor's, as it would
 * without ioband; those of other processors go on.
 *
 * Context: any.
 */
u32 iot_direct(const struct ioband_target *iot)
{
	return iot_tags(iot, TAGS_STACKED_MIN);
}

/**
 * iot_lost_tags - whether a target's device takes fewer I/Os than its pool goes by
 * @iot: the target
 *
 * Another scheduler, or who writes nr_requests, changes that while the device is in use.
 *
 * Context: any.
 */
bool iot_lost_tags(const struct ioband_target *iot)
{
	return iot_tags(iot, TAGS_STACKED_MAX) < READ_ONCE(iot->volume->pool->tags_least);
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
		.tags		= pool->tags,
		.legs		= pool->nr_legs,
		.io_throttle	= pool->settings.io_throttle,
		.io_limit	= pool->settings.io_limit,
		.is_rotational	= pool->is_rotational,
	};

	lockdep_assert_held(&pool->lock);

	pool->depth_reason = ioband_depth_enforce(&pool->depth, sched, &bounds);
	/* What the disk does in a time in which nobody cares about order may pass beyond it. */
	WRITE_ONCE(pool->pass_max, sched->policy->only_limits ? U32_MAX :
		   min(sched->depth + sched->quick - 1, pool->tags_least));
	WRITE_ONCE(pool->held_max, pool->settings.io_limit ?: HELD_DEFAULT);
	WRITE_ONCE(pool->is_timed, pool->contended &&
		   (sched->turn.has_grace || sched->policy->by_time));
}

/**
 * iop_begin_depth - find out how many I/Os the devices take at once
 * @pool: the pool, when contention begins or its devices have changed
 * @now_ns: the time
 *
 * A request queue reports its tags, of all its hardware queues. Of several devices the
 * largest counts: each lane has a worker, and one that sleeps for a tag delays no other. A
 * stacked device does not report them, but with more than there are nothing is gained, and
 * so trials end.
 *
 * Context: process, pool->lock held.
 */
void iop_begin_depth(struct ioband_pool *pool, u64 now_ns)
{
	struct ioband_depth_sample sample;
	struct ioband_target *iot;
	u32 tags, least = U32_MAX;

	lockdep_assert_held(&pool->lock);

	pool->tags = 1;
	pool->is_rotational = false;
	list_for_each_entry(iot, &pool->targets, list) {
		if (!iot->volume->resumed)
			continue;
		tags = iot_tags(iot, TAGS_STACKED_MAX);
		pool->tags = max(pool->tags, tags);
		least = min(least, tags);
		if (ioband_bdev_rot(iot->dev->bdev))
			pool->is_rotational = true;
	}
	WRITE_ONCE(pool->tags_least, least);
	pool->sched.turn.grace_ns = pool->is_rotational ? GRACE_SEEK_NS :
							  GRACE_NS;
	sample = ioband_depth_look(&pool->sched, now_ns);
	ioband_depth_begin(&pool->depth, pool->tags, &sample);
	iop_update_depth(pool);
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

	lockdep_assert_held(&pool->lock);

	pool->sched.service_ns = READ_ONCE(pool->service_ns) +
				 READ_ONCE(pool->service_off_ns) * 4;
	if (!pool->contended || pool->settings.io_throttle ||
	    pool->sched.policy->only_limits)
		return;
	if (!ioband_depth_is_due(&pool->depth, pool->tags, &pool->sched))
		return;
	pool->depth.service_ns = pool->sched.service_ns;
	sample = ioband_depth_look(&pool->sched, now_ns);
	if (ioband_depth_tick(&pool->depth, pool->tags, &sample))
		iop_update_depth(pool);
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
