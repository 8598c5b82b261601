// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs: held bios that continue each other.
 *
 * What the disk takes as one request should take one place there. Larger bios are
 * split to that size in map. But the page cache of a block device, or of a file system
 * with small blocks, writes one bio per block. Normally the block layer merges these in
 * the submitter's plug; held here, they would be dispatched one by one, each with a
 * place of its own. So held bios that continue each other form a run, which the
 * scheduler sees as one I/O, that of the first. It has one turn and is charged for all
 * of them, and they go down together for the block layer to merge. The request is done
 * when the last is, so that one has the place at the disk, and the disk's clock runs
 * for it alone.
 *
 * Writeback forms runs, since nobody waits for a single bio of it; and so does what a
 * task submits in a batch, under a plug, as io_submit() and io_uring have it: there the
 * block layer would merge it, too.
 */
#include <linux/blk-cgroup.h>
#include <linux/blk-crypto.h>
#include <linux/sched.h>

#include "ioband.h"

/* With limits: a group's other I/O waits until the run it sent is paid for. */
#define LIMITED_RUN	16

/* Whether it leaves no gap that the disk cannot take within a request (NVMe's PRP lists). */
static bool iob_is_whole(struct ioband_bio *iob)
{
	struct request_queue *q = bdev_get_queue(iob->target->dev->bdev);
	struct bio *bio = iob->bio;
	struct bio_vec first = bio_iter_iovec(bio, bio->bi_iter);

	return !((first.bv_offset | bio->bi_iter.bi_size) & queue_virt_boundary(q));
}

/**
 * iob_may_run - whether a bio may be part of a run
 * @iob: the bio, classified
 *
 * A stream counts each of its bios, and keeps what continues together by its turns. Of
 * atomic writes the disk takes fewer sectors at once than of others.
 *
 * Context: its submitter's; from others a batch looks as if it were none.
 */
bool iob_may_run(struct ioband_bio *iob)
{
	struct bio *bio = iob->bio;

	return bio_has_data(bio) &&
	       (iob_is_writeback(iob) || (current->plug && iob_is_whole(iob))) &&
	       !iob->account && !(bio->bi_opf & (REQ_NOMERGE_FLAGS | IOBAND_REQ_ATOMIC)) &&
	       !bio_has_crypt_ctx(bio);
}

/* Whether with @iob the run still merges into one request, and is not too long. */
static bool iob_fits(struct ioband_bio *iob, struct ioband_bio *first)
{
	const struct ioband_target *iot = iob->target;

	if (first->io.sectors + iob->io.sectors > iot->bio_bytes >> SECTOR_SHIFT ||
	    (READ_ONCE(iob->group->is_limited) && first->io.merged + 1 >= LIMITED_RUN))
		return false;
	/* Counting walks the bio, so spare those that stay alone. */
	if (!first->io.merged)
		first->segments = bio_segments(first->bio);
	iob->segments = bio_segments(iob->bio);
	return first->segments + iob->segments <=
	       queue_max_segments(bdev_get_queue(iot->dev->bdev));
}

static bool iob_continues(struct ioband_bio *iob, struct ioband_bio *first)
{
	struct bio *bio = iob->bio;
	struct bio *last = first->last->bio;

	/* A held bio is not NOWAIT any more. */
	return first->target == iob->target && first->io.leg == iob->io.leg &&
	       first->is_bounded == iob->is_bounded && first->io.prio == iob->io.prio &&
	       !((bio->bi_opf ^ last->bi_opf) & ~REQ_NOWAIT) &&
	       bio->bi_ioprio == last->bi_ioprio &&
	       bio_blkcg_css(bio) == bio_blkcg_css(last) &&
	       bio->bi_iter.bi_sector == bio_end_sector(last);
}

/**
 * iob_merge - add a bio to the run that its group has open, or make it a run of its own
 * @pool: the pool
 * @iob: a bio that is not held
 *
 * Context: the submitter's, pool->lock held.
 * Return: whether it was added, and so is held.
 */
bool iob_merge(struct ioband_pool *pool, struct ioband_bio *iob)
{
	struct ioband_group *group = iob->group;
	struct ioband_bio *first = group->open;

	lockdep_assert_held(&pool->lock);

	iob->next = NULL;
	iob->last = iob;
	if (!first || !iob_may_run(iob) || !iob_continues(iob, first) ||
	    !iob_fits(iob, first))
		return false;
	first->last->next = iob;
	first->last = iob;
	first->segments += iob->segments;
	first->io.merged++;
	first->io.sectors += iob->io.sectors;
	iob_count_held(iob, 1, iob->io.sectors);
	return true;
}
