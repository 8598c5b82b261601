// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is held, and sent down when its turn comes.
 *
 * While a pool is contended all its bios are held, if only for the moment in which the
 * scheduling core (sched/core.c) decides who is next. The pump takes from it what there
 * is room for, and has a lane (worker.c) send it. It does nothing by itself: who looks is
 *
 *	what happens			who calls iop_pump()
 *
 *	a bio comes, none is held	its submitter, in iop_judge()
 *	a bio comes, others wait	its submitter if there is room (B), or else nobody
 *	contention begins		who begins it (A)
 *	an I/O completes		the worker of its lane; while that sends, and may
 *					sleep, look_work (C); nobody while @refill or more
 *					that waited for room are in flight: tasks come, or
 *					the next to complete
 *	a submitter took a place, and	that submitter
 *	gives it back
 *	a limit or a grace ends		look_work, by the timer that iop_arm() starts
 *	a worker has sent what may be	that worker
 *	throttled
 *	a setting changes, a device	who changes it, in iop_changed(); iop_stall_work();
 *	answers, a group goes		suspend, detach
 *
 * No I/O is left when two of these happen at once, since each notes what it has done, and
 * after a full barrier looks at what the other notes:
 *
 *	A	iop_contend() sets @contended, looks at what is in flight;
 *		iop_complete() takes off what is in flight, looks at @contended
 *	B	iob_enqueue() counts what is held, looks at what is in flight;
 *		iop_complete() takes off what is in flight, looks at what is held
 *	C	iop_lane_work() sets @sender, looks at what is in flight;
 *		iop_complete() takes off what is in flight, looks at @sender
 */
#include <linux/hrtimer.h>
#include <linux/timekeeping.h>

#include "ioband.h"
#include "stats.h"
#include "trace.h"

/**
 * iop_contend - have all bios take turns from now on
 * @pool: the pool
 * @now_ns: the time
 *
 * Context: any but interrupts, pool->lock held.
 */
void iop_contend(struct ioband_pool *pool, u64 now_ns)
{
	lockdep_assert_held(&pool->lock);

	/* It was to be asked whether less would do: iop_note_user(). */
	if (!pool->pass_max)
		ioband_depth_doubt(&pool->depth, iop_in_flight(pool));
	iop_begin_depth(pool, now_ns);
	ioband_sched_restart(&pool->sched);
	pool->last_held_ns = now_ns;
	WRITE_ONCE(pool->contended, true);
	iop_update_depth(pool);
	smp_mb();	/* A */
}

/**
 * iob_push - have a bio go to the disk without waiting for room
 * @pool: the pool
 * @iob: the bio
 *
 * Swap, metadata and journals take half the depth at most, or others would get none while
 * there is always more. A bound that was asked for holds for all. Flushes, which the disk
 * keeps apart from what it has queued, take one place at most: below they need a tag, for
 * which they would wait for ever if others' I/O always took the next one. To a device that
 * does not answer nothing takes a place, which it would keep.
 *
 * Context: any but interrupts, pool->lock held.
 */
void iob_push(struct ioband_pool *pool, struct ioband_bio *iob)
{
	atomic64_t *places = &pool->places[iob->io.leg];
	bool is_flush = !bio_sectors(iob->bio);

	lockdep_assert_held(&pool->lock);

	if (iob_below(iob)->stalled_ns)
		iob->takes = IOBAND_TAKES_NONE;
	else if (is_flush || (!pool->settings.io_throttle && !pool->settings.io_limit))
		iob->takes = (u16)(atomic64_read(places) >> 16) <
			     min(pool->sched.depth / 2, is_flush ? 1U : S16_MAX) ?
			     IOBAND_TAKES_PUSHED : IOBAND_TAKES_NONE;
	if (iob->takes == IOBAND_TAKES_NONE)
		return;
	iob_take_place(pool, iob);
	if (iob->takes == IOBAND_TAKES_PUSHED)
		atomic64_add(IOBAND_PLACE_PUSHED, places);
}

/*
 * The ways that are shut because workers have as much in hand as they may: half of the room.
 * What more is sent that way would wait with them, in the order in which it was sent, and
 * while they sleep, as blk-wbt has them, others need room. The worker looks when it has sent
 * it. What a stalled volume has in hand holds up no other.
 */
static u64 iop_backed_up(const struct ioband_pool *pool)
{
	u64 ways = 0;
	unsigned int leg;

	lockdep_assert_held(&pool->lock);

	if (pool->has_stalled)
		return 0;
	for (leg = 0; leg < pool->nr_legs; leg++)
		if (pool->in_hand[leg] >= max(pool->sched.depth / 2, 1U))
			ways |= BIT_ULL(leg * IOBAND_DIRS + IOBAND_WRITE);
	return ways;
}

/* What goes next, to a leg that has room; a disk with turns has but one slot. */
static struct ioband_io *iop_next_of(struct ioband_pool *pool, u64 now_ns)
{
	u64 full = 0, brim = 0;
	unsigned int leg;
	u32 in_flight = 0;

	pool->sched.backed_up = iop_backed_up(pool);
	pool->sched.full = pool->sched.backed_up;
	pool->sched.brim = pool->sched.backed_up;
	if (pool->nr_legs == 1)
		return ioband_next(&pool->sched, iop_taken(pool, 0), now_ns);
	for (leg = 0; leg < pool->nr_legs; leg++)
		in_flight += iop_taken(pool, leg);
	for (leg = 0; leg < pool->nr_legs; leg++) {
		u32 there = iop_taken(pool, leg);

		if (there >= pool->sched.depth ||
		    (pool->sched.turn.is_serial && in_flight))
			full |= ioband_ways_to(leg);
		if (there >= (u64)pool->sched.depth + pool->sched.spare)
			brim |= ioband_ways_to(leg);
	}
	pool->sched.full |= full;
	pool->sched.brim |= brim;
	return ioband_next(&pool->sched, in_flight, now_ns);
}

/*
 * What goes next. If something stays that only waits for room, completions have to
 * look for it from now on.
 */
static struct ioband_io *iop_next(struct ioband_pool *pool, u64 now_ns)
{
	struct ioband_io *io = iop_next_of(pool, now_ns);

	if (io || pool->contended || !ioband_is_ready(&pool->sched))
		return io;
	iop_contend(pool, now_ns);
	return iop_next_of(pool, now_ns);
}

/* What the group of a bio that has just come may send in a place that is free. */
static struct ioband_io *iop_next_own(struct ioband_pool *pool, const struct ioband_bio *self,
				      u64 now_ns)
{
	if (!self->group->node.granted)
		return NULL;
	pool->sched.backed_up = iop_backed_up(pool);
	pool->sched.full = pool->sched.backed_up;
	return ioband_next_own(&pool->sched, &self->group->node, iop_taken(pool, 0), now_ns);
}

/**
 * iop_arm - see to it that the pump runs when the next limit ends
 * @pool: the pool
 *
 * Context: any but interrupts, pool->lock held.
 */
void iop_arm(struct ioband_pool *pool)
{
	u64 expires_ns;

	lockdep_assert_held(&pool->lock);

	/* It may be about to go. */
	if (list_empty(&pool->targets))
		return;
	if (!ioband_timer(&pool->sched, &expires_ns) || expires_ns == pool->timer_ns)
		return;
	pool->timer_ns = expires_ns;
	hrtimer_start(&pool->timer, ns_to_ktime(expires_ns), HRTIMER_MODE_ABS);
}

/*
 * A run goes. All of it has waited for what its first has waited for, unless that is @self, who
 * has not waited at all. Its place, and what it was charged, are now the last one's, which this
 * returns.
 */
static struct ioband_bio *iob_issue_run(struct ioband_pool *pool, struct ioband_bio *first,
					const struct ioband_bio *self, u64 now_ns)
{
	struct ioband_bio *last = first->last, *iob;

	lockdep_assert_held(&pool->lock);

	for (iob = first; iob; iob = iob->next) {
		iob->io.limited_ns = first->io.limited_ns;
		iob->io.graced_ns = first->io.graced_ns;
		iob->io.because = first->io.because;
		iob->takes = iob == last ? IOBAND_TAKES_PLACE : IOBAND_TAKES_NONE;
		iob_issue(iob, now_ns);
		trace_ioband_dispatch(iob, now_ns - iob->io.arrival_ns);
		if (iob != self)
			iob_released(iob, now_ns);
	}
	last->io.cost = first->io.cost;
	last->io.merged = first->io.merged;
	return last;
}

/*
 * If all that is held is of the one group that uses the disk there is no order to make, and
 * no depth to find: all of it goes. But of writes no more than the disk takes, or the group's
 * next read would wait for all of them; and none beside reads that wait for them already.
 */
static void iop_set_depth(struct ioband_pool *pool, u64 now_ns)
{
	bool is_alone = pool->nr_holding <= 1 && !pool->is_split && !pool->has_stalled &&
			!pool->sched.squeeze.is_on && !pool->sched.policy->only_limits &&
			!iop_is_shared(pool);

	if (is_alone != pool->is_alone) {
		pool->is_alone = is_alone;
		ioband_depth_end(&pool->depth);
		iop_begin_depth(pool, now_ns);
	}
	if (!is_alone) {
		iop_tick_depth(pool, now_ns);
		return;
	}
	pool->sched.depth = pool->held_writes ? pool->tags : U32_MAX;
	pool->sched.grant = 1;
	pool->sched.turn.is_serial = false;
}

/* Have a worker send a run down, of which this is the first. */
static void iob_send(struct ioband_pool *pool, struct ioband_bio *iob)
{
	struct ioband_lane *lane = iob_lane(iob);

	/* While it has some, its work is pending or has not looked yet: or this is it. */
	if (bio_list_empty(&lane->bios) && READ_ONCE(lane->sender) != current)
		queue_work(pool->wq, &lane->work);
	if (lane->is_throttled)
		pool->in_hand[lane->leg]++;
	for (; iob; iob = iob->next)
		bio_list_add(&lane->bios, iob->bio);
}

/* An I/O that the core has chosen goes. Returns how many are in flight with it. */
static u32 iob_go(struct ioband_pool *pool, struct ioband_bio *iob,
		  const struct ioband_bio *self, u64 now_ns)
{
	wait_queue_head_t *wait = &iob->group->wait[iob->io.dir];
	struct ioband_bio *last;
	u32 in_flight;

	iob_drop_held(iob);
	/* A full barrier, between held and the look at the wait queue, too. */
	in_flight = iob_take_place(pool, iob->last);
	last = iob_issue_run(pool, iob, self, now_ns);
	if (pool->is_timed)
		iob_start_clock(pool, last, now_ns);
	else if (iob->account)
		iop_unstream(pool, iob);
	/* Whoever is woken wakes the next, as long as there is room. */
	if (waitqueue_active(wait) && iob_has_room(pool, iob, now_ns))
		wake_up(wait);
	return in_flight;
}

/* Whether a submitter may send it: it must not sleep; what was given up may have tags. */
static bool iob_is_direct(const struct ioband_pool *pool, const struct ioband_bio *iob,
			  u32 in_flight)
{
	return !iob->is_throttled && !iob->io.merged && !pool->has_stalled &&
	       in_flight <= iot_direct(iob->target);
}

/**
 * iop_pump - send down the bios whose turn it is
 * @pool: the pool
 * @self: a bio that its own submitter, who calls, has just had held, or %NULL
 * @now_ns: the time
 *
 * Where groups have grants a submitter sends one at most: what else there is room for is
 * for others who come, or for a worker if they do not.
 *
 * Context: any but interrupts, pool->lock held.
 * Return: a bio that the submitter shall send down right there, @self or another that its
 * group holds; or %NULL.
 */
struct ioband_bio *iop_pump(struct ioband_pool *pool, struct ioband_bio *self, u64 now_ns)
{
	struct ioband_bio *direct = NULL, *iob;
	struct ioband_io *io = NULL;
	u32 in_flight, refill;
	bool is_own;

	lockdep_assert_held(&pool->lock);

	/* What comes in at this moment is for the next. */
	if (!list_empty(&pool->news))
		iop_settle(pool);
	iop_set_depth(pool, now_ns);
	if (self)
		io = iop_next_own(pool, self, now_ns);
	is_own = io;
	while (io || (io = iop_next(pool, now_ns))) {
		iob = iob_from_io(io);
		in_flight = iob_go(pool, iob, self, now_ns);
		if ((is_own || iob == self) && iob_is_direct(pool, iob, in_flight))
			direct = iob;
		if (iob != direct)
			iob_send(pool, iob);
		if (is_own || (self && pool->sched.grant > 1))
			break;
		io = NULL;
	}
	if (pool->is_alone)
		iop_update_depth(pool);
	/* What is promised is looked at with each completion. */
	refill = ioband_is_promised(&pool->sched) ? U32_MAX : pool->sched.refill;
	if (pool->refill != refill)
		WRITE_ONCE(pool->refill, refill);
	iop_arm(pool);
	return direct;
}

/**
 * iog_join - have a group take part in the current busy period
 * @pool: the pool
 * @group: a group of it; nothing is done if it does already
 *
 * Context: any but interrupts, pool->lock held.
 */
void iog_join(struct ioband_pool *pool, struct ioband_group *group)
{
	u64 ios, sectors[IOBAND_DIRS];

	if (ioband_node_joined(&pool->sched, &group->node))
		return;
	ios = iog_in_flight(group, sectors);
	ioband_node_join(&pool->sched, &group->node, ios,
			 sectors[IOBAND_READ] + sectors[IOBAND_WRITE]);
}

static struct ioband_node *iob_node(const struct ioband_bio *iob)
{
	return iob->account ? &iob_stream(iob)->node : &iob->group->node;
}

/**
 * iob_enqueue - have a bio, or a run of them, wait for its turn
 * @pool: the pool
 * @iob: a bio that is not held, or the first of a run
 * @now_ns: the time
 *
 * Context: any but interrupts; pool->lock is held.
 * Return: whether to look what may go now, as the table above says.
 */
bool iob_enqueue(struct ioband_pool *pool, struct ioband_bio *iob, u64 now_ns)
{
	lockdep_assert_held(&pool->lock);

	iob_add_held(iob);
	iob->io.done_ns = READ_ONCE(iob->group->done_ns);
	ioband_hold(&pool->sched, iob_node(iob), &iob->io, now_ns);
	iob->io.limited_ns -= iob->blocked_ns;
	smp_mb();	/* B */
	return !pool->contended || !pool->sched.backlog.since_ns || pool->sched.behind ||
	       iop_taken(pool, iob->io.leg) < (u64)pool->sched.depth + pool->sched.slack;
}

/**
 * iob_dequeue - have a bio, and the run it is the first of, no longer wait
 * @pool: the pool
 * @iob: a bio that is held, and not merged
 * @now_ns: the time
 *
 * Context: any but interrupts; pool->lock is held.
 */
void iob_dequeue(struct ioband_pool *pool, struct ioband_bio *iob, u64 now_ns)
{
	lockdep_assert_held(&pool->lock);

	iob_drop_held(iob);
	ioband_unhold(&pool->sched, iob_node(iob), &iob->io, now_ns);
	iop_unstream(pool, iob);
}

/**
 * iob_let_go - send down a held bio, whose turn it is not; its group pays
 * @pool: the pool
 * @iob: a bio that is held
 * @now_ns: the time
 *
 * Context: any but interrupts; pool->lock is held.
 */
void iob_let_go(struct ioband_pool *pool, struct ioband_bio *iob, u64 now_ns)
{
	/* At a limit it has not been in order since the busy period before, perhaps. */
	iog_join(pool, iob->group);
	iob_dequeue(pool, iob, now_ns);
	ioband_charge(&pool->sched, &iob->group->node, &iob->io, now_ns);
	iob_push(pool, iob_issue_run(pool, iob, NULL, now_ns));
	iob_send(pool, iob);
}

/**
 * iop_changed - let what held bios back no longer go
 * @pool: the pool, of which some setting was changed
 *
 * Context: process.
 */
void iop_changed(struct ioband_pool *pool)
{
	spin_lock(&pool->lock);
	iop_pump(pool, NULL, ktime_get_ns());
	spin_unlock(&pool->lock);
}
