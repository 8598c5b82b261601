// SPDX-License-Identifier: GPL-2.0-only
/*
 * The depth: drivers/md/dm-ioband/depth.c for a disk with a known number of tags.
 */
#include "sim-pool.h"

#define GRACE_SEEK_NS	((u64)8 * NSEC_PER_MSEC)
#define GRACE_NS	((u64)NSEC_PER_MSEC)

/**
 * iop_update_depth - apply the depth
 * @pool: the pool, after a change of anything that the depth depends on
 */
void iop_update_depth(struct sim_pool *pool)
{
	struct ioband_sched *sched = &pool->sched;
	const struct ioband_depth_bounds bounds = {
		.tags		= pool->tags,
		.legs		= 1,
		.io_throttle	= pool->io_throttle,
		.io_limit	= pool->io_limit,
		.is_rotational	= pool->is_rotational,
	};

	ioband_depth_enforce(&pool->depth, sched, &bounds);
	pool->pass_max = sched->policy->only_limits ? U32_MAX :
			 min(sched->depth + sched->quick - 1, pool->tags);
	pool->held_max = pool->io_limit ? pool->io_limit : SIM_HELD_DEFAULT;
	pool->is_timed = pool->contended &&
			 (sched->turn.has_grace || sched->policy->by_time);
}

/**
 * iop_begin_depth - set up the depth when contention begins
 * @pool: the pool
 * @now_ns: current time
 */
void iop_begin_depth(struct sim_pool *pool, u64 now_ns)
{
	struct ioband_depth_sample sample;

	pool->sched.turn.grace_ns = pool->is_rotational ? GRACE_SEEK_NS :
							  GRACE_NS;
	sample = ioband_depth_look(&pool->sched, now_ns);
	ioband_depth_begin(&pool->depth, pool->tags, &sample);
	iop_update_depth(pool);
}

/**
 * iop_tick_depth - adapt the depth if need be
 * @pool: the pool
 * @now_ns: current time
 */
void iop_tick_depth(struct sim_pool *pool, u64 now_ns)
{
	struct ioband_depth_sample sample;

	pool->sched.service_ns = pool->service_ns + pool->service_off_ns * 4;
	if (!pool->contended || pool->io_throttle ||
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
 * iop_note_service - account for the service time of an I/O
 * @pool: the pool
 * @ns: time that the I/O took at the disk
 */
void iop_note_service(struct sim_pool *pool, u64 ns)
{
	s64 error_ns = ns - pool->service_ns;
	s64 off_ns = pool->service_off_ns;

	pool->service_ns += error_ns / 8;
	pool->service_off_ns += ((error_ns < 0 ? -error_ns : error_ns) -
				 off_ns) / 4;
}
