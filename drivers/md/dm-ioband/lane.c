// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lanes: which way a bio goes down, and what is queued there for the lane's worker
 * (worker.c).
 */
#include <linux/ktime.h>

#include "ioband.h"

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
	u32 leg = do_div(chunk, iot->nr_legs);

	iob->leg = leg;
	iob->io.leg = leg % iot->volume->pool->nr_legs;
}

/**
 * iob_send - have a worker send a run down
 * @pool: the pool
 * @iob: the first of the run
 * @here: the lane whose worker is about to look anyway, or %NULL
 *
 * Context: any but interrupts, pool->lock held.
 */
void iob_send(struct ioband_pool *pool, struct ioband_bio *iob,
	      const struct ioband_lane *here)
{
	struct ioband_lane *lane = iob_lane(iob);

	lockdep_assert_held(&pool->lock);

	/* While it has some, its work is pending or has not looked yet. */
	if (!lane->nr_bios && lane != here)
		queue_work(pool->wq, &lane->work);
	lane->nr_bios += 1 + iob->io.merged;
	if (lane->is_throttled)
		pool->in_hand[lane->leg]++;
	for (; iob; iob = iob->next)
		bio_list_add(&lane->bios, iob_to_bio(iob));
}
