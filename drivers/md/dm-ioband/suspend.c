// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of held bios when dm suspends a target.
 *
 * A flushing suspend waits for every bio, so all that the volume holds is sent down at
 * once, limits or not. In a noflush suspend the target's bios are handed back to dm,
 * which submits them again after resume, possibly to another table.
 */
#include "ioband.h"

/* Take a run out of what is held; its group is not charged for it. */
static void iob_give_back(struct ioband_pool *pool, struct ioband_bio *iob,
			  struct bio_list *bios)
{
	iob_dequeue(pool, iob, ktime_get_ns());
	for (; iob; iob = iob->next) {
		percpu_ref_put(&iob->group->ref);
		iob->group = NULL;
		bio_list_add(bios, iob_to_bio(iob));
	}
}

/* Have a group hold nothing: it goes to @bios, or down if that is %NULL. */
static void iog_empty(struct ioband_pool *pool, struct ioband_group *group,
		      struct bio_list *bios)
{
	struct ioband_io *io;
	unsigned int nr = 0;

	spin_lock(&pool->lock);
	while ((io = iog_first_held(group))) {
		if (bios)
			iob_give_back(pool, iob_from_io(io), bios);
		else
			iob_let_go(pool, iob_from_io(io), ktime_get_ns());
		iop_let_others(pool, &nr, io);
	}
	spin_unlock(&pool->lock);
	iog_wake_all(group);
}

/**
 * iov_suspend - have a volume hold nothing
 * @volume: the volume; none of its targets holds a bio until they are resumed
 * @noflush: hand what is held back to dm, to be requeued, instead of sending it down
 *
 * A flushing suspend must not wait until a limit of one I/O per second has let a thousand
 * pass. The groups are charged all the same.
 *
 * Context: process; dm suspends all of the volume's targets, that way.
 */
void iov_suspend(struct ioband_volume *volume, bool noflush)
{
	struct bio_list bios = BIO_EMPTY_LIST;
	struct ioband_pool *pool = volume->pool;
	struct ioband_group *group = NULL;
	struct ioband_target *iot;
	struct bio *bio;
	unsigned long id;

	spin_lock(&pool->lock);
	list_for_each_entry(iot, &pool->targets, list)
		if (iot->volume == volume)
			WRITE_ONCE(*(noflush ? &iot->push_back : &iot->drain), true);
	spin_unlock(&pool->lock);

	mutex_lock(&ioband_mutex);
	while ((group = iov_next(volume, group, &id)))
		iog_empty(pool, group, noflush ? &bios : NULL);
	mutex_unlock(&ioband_mutex);

	while ((bio = bio_list_pop(&bios))) {
		bio->bi_status = BLK_STS_DM_REQUEUE;
		bio_endio(bio);
	}
}
