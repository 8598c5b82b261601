// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of held bios when dm suspends a target.
 *
 * A flushing suspend waits for every bio, so all that the volume holds is sent down at
 * once, limits or not. In a noflush suspend the target's bios are handed back to dm,
 * which submits them again after resume, possibly to another table.
 */
#include "ioband.h"

static void iog_push_back(struct ioband_pool *pool, struct ioband_group *group,
			  struct bio_list *bios)
{
	struct ioband_io *io;
	unsigned int nr = 0;

	spin_lock(&pool->lock);
	while ((io = iog_first_held(group))) {
		struct ioband_bio *iob = iob_from_io(io);

		iob_dequeue(pool, iob, ktime_get_ns());
		for (; iob; iob = iob->next) {
			iob->group = NULL;
			percpu_ref_put(&group->ref);
			bio_list_add(bios, iob_to_bio(iob));
		}
		iop_let_others(pool, &nr, io);
	}
	spin_unlock(&pool->lock);
	iog_wake_all(group);
}

/**
 * iop_push_back - hand the held bios of a volume back to dm, to be requeued
 * @pool: the pool
 * @volume: the volume; none of its targets holds a bio until its push_back is cleared
 *
 * Context: process; dm is in a noflush suspend of all its targets.
 */
void iop_push_back(struct ioband_pool *pool, struct ioband_volume *volume)
{
	struct ioband_target *iot;
	struct bio_list bios = BIO_EMPTY_LIST;
	struct ioband_group *group = NULL;
	struct bio *bio;
	unsigned long id;

	spin_lock(&pool->lock);
	list_for_each_entry(iot, &pool->targets, list)
		if (iot->volume == volume)
			WRITE_ONCE(iot->push_back, true);
	spin_unlock(&pool->lock);

	mutex_lock(&ioband_mutex);
	while ((group = iov_next(volume, group, &id)))
		iog_push_back(pool, group, &bios);
	mutex_unlock(&ioband_mutex);

	while ((bio = bio_list_pop(&bios))) {
		bio->bi_status = BLK_STS_DM_REQUEUE;
		bio_endio(bio);
	}
}

static void iog_drain(struct ioband_pool *pool, struct ioband_group *group)
{
	struct ioband_io *io;
	unsigned int nr = 0;

	spin_lock(&pool->lock);
	while ((io = iog_first_held(group))) {
		iob_let_go(pool, iob_from_io(io), ktime_get_ns());
		iop_let_others(pool, &nr, io);
	}
	spin_unlock(&pool->lock);
	iog_wake_all(group);
}

/**
 * iop_drain - send down all that a volume holds
 * @pool: the pool
 * @volume: the volume; none of its targets holds a bio until its drain is cleared
 *
 * A flushing suspend waits for every bio, and must not wait until a limit of one
 * I/O per second has let a thousand pass. The groups are charged all the same.
 *
 * Context: process.
 */
void iop_drain(struct ioband_pool *pool, struct ioband_volume *volume)
{
	struct ioband_target *iot;
	struct ioband_group *group = NULL;
	unsigned long id;

	spin_lock(&pool->lock);
	list_for_each_entry(iot, &pool->targets, list)
		if (iot->volume == volume)
			WRITE_ONCE(iot->drain, true);
	spin_unlock(&pool->lock);

	mutex_lock(&ioband_mutex);
	while ((group = iov_next(volume, group, &id)))
		iog_drain(pool, group);
	mutex_unlock(&ioband_mutex);
}
