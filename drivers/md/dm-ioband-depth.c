// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many bios a pool sends down to a leg at once: what that takes without putting
 * anybody to sleep, and of it as much as ioband-depth.c finds worth while.
 */
#include <linux/ktime.h>

#include "dm-ioband.h"

enum {
	/*
	 * What a stacked device is taken to accept at once before we have seen
	 * it put somebody to sleep. Of the disks in use none takes fewer.
	 */
	TAGS_STACKED_MIN	= 4,

	/* From here on, more is tried for its throughput only. */
	TAGS_STACKED_MANY	= 16,
	TAGS_STACKED_MAX	= 1024,

	/*
	 * In flight, from several groups, without anybody counting turns: no
	 * more, however deep a queue was found to pay some time ago.
	 */
	PASS_MAX		= 16,
};

/*
 * When one more tag is tried on a stacked device: soon, as long as no worker was
 * put to sleep, and now and then after that.
 */
#define TAGS_GROW_NS	((s64)(5 * NSEC_PER_MSEC))
#define TAGS_TRIAL_NS	((s64)NSEC_PER_SEC)

/* How long it is worth waiting for the next I/O of a stream: a seek, or less. */
#define GRACE_SEEK_NS	((u64)8 * NSEC_PER_MSEC)
#define GRACE_NS	((u64)NSEC_PER_MSEC)

/**
 * iot_direct - how much a submitter may send itself
 * @iot: where
 *
 * It must not be put to sleep down there for want of a tag: while it sleeps it
 * sends us nothing, and where all submitters sleep nothing is held that could be
 * put in order.
 *
 * Context: any.
 */
u32 iot_direct(const struct ioband_target *iot)
{
	struct request_queue *q = bdev_get_queue(iot->dev->bdev);

	return queue_is_mq(q) ? READ_ONCE(q->nr_requests) : TAGS_STACKED_MIN;
}

/* The most that may be tried. */
static u32 iop_depth_max(const struct ioband_pool *pool)
{
	if (pool->tags_grow && !pool->tags_slept &&
	    pool->tags >= TAGS_STACKED_MANY)
		return TAGS_STACKED_MAX;
	return pool->tags;
}

/**
 * iop_update_depth - put the depth in force
 * @pool: the pool, of which something changed that the depth depends on
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
 * iop_begin_depth - find out what the devices take at once
 * @pool: the pool; contention begins, or its devices have changed
 * @now_ns: the time
 *
 * A request queue says so; of several legs the one that takes most counts, for each
 * has a worker, and one that has to wait keeps no other from its own. A stacked device
 * does not, so we begin with little and try more until a worker is put to sleep.
 * To begin with little has another use: submitters may sleep down there since
 * before there was contention, and must get their tags before we send more after
 * them.
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
		pool->tags = max(pool->tags, iot_direct(iot));
		pool->tags_least = min(pool->tags_least, iot_direct(iot));
		if (!queue_is_mq(bdev_get_queue(iot->dev->bdev)))
			pool->tags_grow = true;
		if (!bdev_nonrot(iot->dev->bdev))
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
 * iop_learn_tags - a worker was put to sleep for want of a tag
 * @pool: the pool
 * @below: bios that were at that leg then: that is what it takes
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
 * iop_note_service - the disk was done with a bio
 * @pool: the pool
 * @ns: how long it took
 *
 * Mean and mean deviation, as TCP keeps its round-trip time (V. Jacobson,
 * "Congestion Avoidance and Control", SIGCOMM 1988). Completions on several CPUs
 * may lose an update to each other.
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
