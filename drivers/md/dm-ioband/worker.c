// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who sends down what was held.
 *
 * A completion may be an interrupt, and submission may sleep, so each lane has a worker.
 * Where one disk of several takes no more, its worker sleeps and the others go on. A
 * worker decides for all that there is room for at once, and sends it with the lock
 * dropped.
 */
#include <linux/ktime.h>

#include "ioband.h"

/* So many bios that go one way at once are sent under a plug. */
#define PLUG_MIN	8

/* A worker sends so many, and then it is others' turn who have work on its processor. */
#define BATCH_BIOS	64

/* Take some of what a lane has, but no part of a run. */
static unsigned int lane_take(struct ioband_lane *lane, struct bio_list *bios)
{
	unsigned int nr = 0;
	bool in_run = false;
	struct bio *bio;

	bio_list_init(bios);
	while ((nr < BATCH_BIOS || in_run) && (bio = bio_list_pop(&lane->bios))) {
		in_run = iob_from_bio(bio)->next;
		bio_list_add(bios, bio);
		nr++;
	}
	return nr;
}

/*
 * It pays to tell the disk of many at once, and to wait for few not, unless they are one
 * request. Returns how many runs these were.
 */
static u32 send_all(struct bio_list *bios, unsigned int nr)
{
	bool is_plugged = false, in_run;
	struct blk_plug plug;
	u32 nr_runs = 0;
	struct bio *bio;

	while ((bio = bio_list_pop(bios))) {
		in_run = iob_from_bio(bio)->next;
		nr_runs += !in_run;
		if (!is_plugged && (nr >= PLUG_MIN || in_run)) {
			blk_start_plug(&plug);
			is_plugged = true;
		}
		submit_bio_noacct(bio);
	}
	if (is_plugged)
		blk_finish_plug(&plug);
	return nr_runs;
}

/**
 * iop_lane_work - a worker of a lane
 * @work: the lane's
 *
 * Choose whose turn it is as long as there is room, and send down what goes this way.
 *
 * Context: process; may be put to sleep below for want of a tag, and of writes because the
 * kernel throttles writeback.
 */
void iop_lane_work(struct work_struct *work)
{
	struct ioband_lane *lane = container_of(work, struct ioband_lane, work);
	struct ioband_pool *pool = lane->target->volume->pool;
	struct bio_list bios;
	unsigned int nr;
	u32 nr_runs;

	spin_lock(&pool->lock);
	smp_store_mb(lane->sender, current);	/* C: dispatch.c */
	iop_pump(pool, NULL, ktime_get_ns());
	nr = lane_take(lane, &bios);
	/*
	 * A fast disk may never let it come to an end, and what else waits for a worker
	 * of this priority here, as kblockd's work for other disks, would never begin.
	 * Without more to send the target may be about to go, and this work with it.
	 */
	if (!bio_list_empty(&lane->bios))
		queue_work(pool->wq, work);
	spin_unlock(&pool->lock);
	nr_runs = send_all(&bios, nr);
	WRITE_ONCE(lane->sender, NULL);
	if (!lane->is_throttled || !nr_runs)
		return;
	spin_lock(&pool->lock);
	pool->in_hand[lane->leg] -= nr_runs;
	if (pool->sched.held)
		iop_pump(pool, NULL, ktime_get_ns());
	spin_unlock(&pool->lock);
}

/**
 * iop_timer - a limit or a grace has ended
 * @timer: the pool's
 *
 * Context: interrupt.
 * Return: that it is not to be started again by itself.
 */
enum hrtimer_restart iop_timer(struct hrtimer *timer)
{
	struct ioband_pool *pool = container_of(timer, struct ioband_pool,
						timer);

	queue_work(pool->wq, &pool->look_work);
	return HRTIMER_NORESTART;
}

/**
 * iop_look_work - look what may go, for the timer or while a worker sends
 * @work: the pool's look_work
 *
 * Context: process.
 */
void iop_look_work(struct work_struct *work)
{
	struct ioband_pool *pool = container_of(work, struct ioband_pool,
						look_work);

	iop_changed(pool);
}
