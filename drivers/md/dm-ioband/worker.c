// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who sends down what was held.
 *
 * A completion may be an interrupt, and submission may sleep, so each lane has a worker.
 * Where one disk of several takes no more, its worker sleeps and the others go on. A
 * worker asks for the next bio itself, as late as it can.
 */
#include <linux/ktime.h>

#include "ioband.h"

/* So many bios that go one way at once are sent under a plug. */
#define PLUG_MIN	8

/* A worker sends so many, and then it is others' turn who have work on its processor. */
#define BATCH_BIOS	64

/**
 * iop_lane_work - a worker of a lane
 * @work: the lane's
 *
 * Choose whose turn it is as long as there is room, and send down what goes this way.
 *
 * Context: process; may be put to sleep below for want of a tag.
 */
void iop_lane_work(struct work_struct *work)
{
	struct ioband_lane *lane = container_of(work, struct ioband_lane, work);
	struct ioband_pool *pool = lane->target->volume->pool;
	bool in_run = false, has_more = false, plug_it, is_plugged = false;
	unsigned int nr_sent = 0;
	struct blk_plug plug;
	struct bio *bio;

	while (nr_sent < BATCH_BIOS || in_run) {
		spin_lock(&pool->lock);
		iop_pump(pool, NULL, lane, ktime_get_ns());
		bio = bio_list_pop(&lane->bios);
		if (bio) {
			in_run = iob_from_bio(bio)->has_no_place;
			plug_it = lane->nr_bios >= PLUG_MIN || in_run;
			lane->nr_bios--;
			has_more = lane->nr_bios;
		}
		spin_unlock(&pool->lock);
		if (!bio)
			goto all_sent;
		/*
		 * It pays to tell the disk of many at once, and to wait for few not,
		 * unless they are one request.
		 */
		if (plug_it && !is_plugged) {
			blk_start_plug(&plug);
			is_plugged = true;
		}
		submit_bio_noacct(bio);
		nr_sent++;
	}
	/*
	 * A fast disk may never let it come to an end, and what else waits for a worker
	 * of this priority here, as kblockd's work for other disks, would never begin.
	 * Without more to send the target may be about to go, and this work with it.
	 */
	if (has_more)
		queue_work(pool->wq, work);
all_sent:
	if (is_plugged)
		blk_finish_plug(&plug);
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

	queue_work(pool->wq, &pool->timer_work);
	return HRTIMER_NORESTART;
}

/**
 * iop_timer_work - what iop_timer() may not do in an interrupt
 * @work: the pool's timer_work
 *
 * Context: process.
 */
void iop_timer_work(struct work_struct *work)
{
	struct ioband_pool *pool = container_of(work, struct ioband_pool,
						timer_work);

	iop_changed(pool);
}
