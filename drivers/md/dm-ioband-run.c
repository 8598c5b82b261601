// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs: held bios that continue each other.
 *
 * What the disk takes as one request shall have one place there. A large bio is split
 * into such when it comes. But what the page cache of a disk itself writes, or a file
 * system of small blocks, has a bio for each block; without us the block layer merges
 * them, while they are under the submitter's plug. Here they wait, and would go down
 * one by one, as many as the depth has places: so those that continue each other wait
 * as one, the first of a run. It has their turn, and is charged for each of them; then
 * all go down together, for the block layer to merge. The last, with which the request
 * is done, has their place at the disk, and the disk's clock runs for it alone.
 *
 * Only writeback is held so: nobody waits for any one of its bios.
 */
#include <linux/blk-cgroup.h>
#include <linux/blk-crypto.h>

#include "dm-ioband.h"

/* What goes at once is paid for at once: the group's other I/O waits for its limit. */
#define LIMITED_RUN	16

static bool iob_may_run(struct ioband_bio *iob)
{
	return iob->data_sectors && iob_is_writeback(iob) &&
	       !bio_has_crypt_ctx(iob_to_bio(iob));
}

/* What the block layer would not merge has no one place. */
static bool iob_fits(struct ioband_bio *iob, struct ioband_bio *first)
{
	const struct ioband_target *iot = iob->target;

	if (first->io.sectors + iob->io.sectors > iot->bio_bytes >> SECTOR_SHIFT ||
	    (READ_ONCE(iob->group->is_limited) && first->io.merged + 1 >= LIMITED_RUN))
		return false;
	/* To count them is to walk through them: not for those who stay alone. */
	if (!first->io.merged)
		first->segments = bio_segments(iob_to_bio(first));
	iob->segments = bio_segments(iob_to_bio(iob));
	return first->segments + iob->segments <=
	       queue_max_segments(bdev_get_queue(iot->dev->bdev));
}

static bool iob_continues(struct ioband_bio *iob, struct ioband_bio *first)
{
	struct bio *bio = iob_to_bio(iob);
	struct bio *last = iob_to_bio(first->last);

	return first->target == iob->target && first->lane == iob->lane &&
	       first->io.prio == iob->io.prio && bio->bi_opf == last->bi_opf &&
	       bio->bi_ioprio == last->bi_ioprio &&
	       bio_blkcg_css(bio) == bio_blkcg_css(last) &&
	       bio->bi_iter.bi_sector == bio_end_sector(last);
}

/**
 * iob_merge - let a bio go with those that its group holds
 * @pool: the pool
 * @iob: a bio that is not held
 *
 * Context: a submitter's, pool->lock held.
 * Return: false if it continues none of them.
 */
bool iob_merge(struct ioband_pool *pool, struct ioband_bio *iob)
{
	struct ioband_group *group = iob->group;
	struct ioband_bio *first = group->open;

	lockdep_assert_held(&pool->lock);

	if (!first || !iob_may_run(iob) || !iob_continues(iob, first) ||
	    !iob_fits(iob, first))
		return false;
	iob->next = NULL;
	first->last->next = iob;
	first->last = iob;
	first->segments += iob->segments;
	first->io.merged++;
	first->io.sectors += iob->io.sectors;
	group->held[iob->io.dir]++;
	return true;
}

/**
 * iob_begin_run - make a bio the first, and only one, of a run
 * @iob: a bio that is about to be held
 *
 * Context: any.
 */
void iob_begin_run(struct ioband_bio *iob)
{
	iob->next = NULL;
	iob->last = iob;
}

/**
 * iob_add_held - a run's group holds it
 * @iob: the first of the run; others may join
 *
 * Context: any but interrupts, pool->lock held.
 */
void iob_add_held(struct ioband_bio *iob)
{
	struct ioband_group *group = iob->group;

	group->held[iob->io.dir] += 1 + iob->io.merged;
	if (iob_may_run(iob))
		group->open = iob;
}

/**
 * iob_drop_held - a run's group holds it no longer
 * @iob: the first of the run; nobody joins any more
 *
 * Context: any but interrupts, pool->lock held.
 */
void iob_drop_held(struct ioband_bio *iob)
{
	struct ioband_group *group = iob->group;

	group->held[iob->io.dir] -= 1 + iob->io.merged;
	if (group->open == iob)
		group->open = NULL;
}
