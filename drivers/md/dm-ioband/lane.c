// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lanes: which way a bio goes down, and what is queued there for the lane's worker
 * (worker.c).
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>

#include "ioband.h"

/*
 * How long room may stay free until somebody looks: a quarter of what an I/O takes, or
 * between these.
 */
#define SOON_MIN_NS	((u64)50 * NSEC_PER_USEC)
#define SOON_MAX_NS	((u64)NSEC_PER_MSEC)

/**
 * iob_find_leg - note which way a bio goes: its lane, and its pool's leg
 * @iob: the bio, remapped, its target set
 *
 * Once, for whoever splits a bio below moves its start along. A pool has the legs of
 * its first target. Others may have fewer, or more.
 *
 * Context: any.
 */
void iob_find_leg(struct ioband_bio *iob)
{
	struct ioband_target *iot = iob->target;
	u64 chunk = iob_to_bio(iob)->bi_iter.bi_sector >> iot->chunk_shift;

	iob->lane = do_div(chunk, iot->nr_lanes);
	iob->io.leg = iob->lane % iot->volume->pool->nr_legs;
}

/**
 * iob_send - have a worker send a run down
 * @pool: the pool
 * @iob: the first of the run
 * @sender: who is about to look at a lane anyway, or %NULL
 *
 * Context: any but interrupts, pool->lock held.
 */
void iob_send(struct ioband_pool *pool, struct ioband_bio *iob,
	      const struct ioband_sender *sender)
{
	struct ioband_lane *lane = iob_lane(iob);

	lockdep_assert_held(&pool->lock);

	/* While it has some, its work is pending or has not looked yet. */
	if (!lane->nr_bios && !(sender && sender->is_worker && sender->lane == lane))
		queue_work(pool->wq, &lane->work);
	lane->nr_bios += 1 + iob->io.merged;
	for (; iob; iob = iob->next)
		bio_list_add(&lane->bios, iob_to_bio(iob));
}

/*
 * Have the worker look. If it is about to run it will see what the caller has done before,
 * with a full barrier: it clears the bit, with another, before it looks. To find that out
 * costs less than to queue it again.
 */
static void lane_look(struct ioband_lane *lane)
{
	if (!work_pending(&lane->work))
		queue_work(lane->target->volume->pool->wq, &lane->work);
}

/**
 * iob_made_room - have somebody look who is next, after a completion
 * @pool: the pool, which holds something
 * @iob: the bio that has completed
 * @in_flight: how many are at its leg now
 *
 * To wake a worker for each I/O takes more than all the rest. Who has waited for this bio
 * mostly submits another, and may as well send what is next. So some room may be free for
 * a moment; the depth is found with that.
 *
 * Context: any; the caller has passed a full barrier since it gave back the place.
 */
void iob_made_room(struct ioband_pool *pool, struct ioband_bio *iob, u32 in_flight)
{
	struct ioband_lane *lane = iob_lane(iob);
	u32 pushed = atomic_read(&pool->pushed[iob->io.leg]);
	u64 soon_ns;

	if (in_flight - pushed <= READ_ONCE(pool->wake_max)) {
		lane_look(lane);
	} else if (!hrtimer_is_queued(&lane->soon)) {
		soon_ns = clamp(READ_ONCE(pool->service_ns) / 4, SOON_MIN_NS, SOON_MAX_NS);
		hrtimer_start(&lane->soon, ns_to_ktime(soon_ns), HRTIMER_MODE_REL);
	}
}

/**
 * iop_lane_soon - look, if nobody has
 * @timer: a lane's
 *
 * Context: interrupt.
 * Return: that it is not to be started again by itself.
 */
enum hrtimer_restart iop_lane_soon(struct hrtimer *timer)
{
	struct ioband_lane *lane = container_of(timer, struct ioband_lane, soon);
	struct ioband_target *iot = lane->target;
	struct ioband_pool *pool = iot->volume->pool;
	unsigned int leg = (lane - iot->lanes) % pool->nr_legs;

	/* Pairs with who has found the timer queued, after a place was given back. */
	smp_mb();
	if (READ_ONCE(pool->sched.held) &&
	    atomic_read(&pool->in_flight[leg]) < READ_ONCE(pool->sched.depth))
		lane_look(lane);
	return HRTIMER_NORESTART;
}
