// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs: held bios that continue each other.
 *
 * What the disk takes as one request shall have one place there. A large bio is split
 * into such when it comes. But what the page cache of a disk itself writes, or a file
 * system of small blocks, has a bio for each block; without us the block layer merges
 * them, while they are under the submitter's plug. Here they wait, and would go down
 * one by one, as many as the depth has places: so those that continue each other wait
 * as one, the first of a run. It has their turn and their place, and is charged for
 * each of them; then all go down together, for the block layer to merge.
 *
 * Only writeback is held so: nobody waits for any one of its bios.
 */
#include "dm-ioband.h"

static bool iob_may_run(struct ioband_bio *iob)
{
	return iob->data_sectors && iob_is_writeback(iob);
}

static bool iob_continues(struct ioband_bio *iob, struct ioband_bio *first)
{
	const struct bio *bio = iob_to_bio(iob);
	const struct bio *last = iob_to_bio(first->last);

	return first->target == iob->target && first->lane == iob->lane &&
	       first->io.prio == iob->io.prio && bio->bi_opf == last->bi_opf &&
	       bio->bi_iter.bi_sector == bio_end_sector(last) &&
	       first->io.sectors + iob->io.sectors <=
	       iob->target->bio_bytes >> SECTOR_SHIFT;
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

	if (!first || !iob_may_run(iob) || !iob_continues(iob, first))
		return false;
	iob->is_merged = true;
	iob->next = NULL;
	first->last->next = iob;
	first->last = iob;
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
 * iog_add_held - a run's group holds it
 * @iob: the first of the run; others may join
 *
 * Context: any but interrupts, pool->lock held.
 */
void iog_add_held(struct ioband_bio *iob)
{
	struct ioband_group *group = iob->group;

	group->held[iob->io.dir] += 1 + iob->io.merged;
	if (iob_may_run(iob))
		group->open = iob;
}

/**
 * iog_drop_held - a run's group holds it no longer
 * @iob: the first of the run; nobody joins any more
 *
 * Context: any but interrupts, pool->lock held.
 */
void iog_drop_held(struct ioband_bio *iob)
{
	struct ioband_group *group = iob->group;

	group->held[iob->io.dir] -= 1 + iob->io.merged;
	if (group->open == iob)
		group->open = NULL;
}
