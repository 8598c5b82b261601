// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is held, and sent down when its turn comes.
 *
 * While a pool is contended all its bios are held, if only for the moment in which the
 * scheduling core (sched/core.c) decides who is next. The pump takes from it what there
 * is room for, and has a lane (lane.c) send it.
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

	iop_begin_depth(pool, now_ns);
	ioband_sched_restart(&pool->sched);
	pool->last_held_ns = now_ns;
	WRITE_ONCE(pool->contended, true);
	iop_update_depth(pool);
	/*
	 * Pairs with the full barrier of iob_leave_place() in iop_complete():
	 * either that one sees us contended and takes the lock, or we see its
	 * slot free.
	 */
	smp_mb();
}

static u64 throttled_way_to(unsigned int leg)
{
	return BIT_ULL(ioband_throttled_way(leg));
}

/* Who has got on since then jams nothing, though he may sleep just now, for a tag say. */
#define JAM_NS	((u64)30 * NSEC_PER_USEC)

/* Whether a throttled lane's worker sleeps with some in hand, or has slept for the last. */
static bool lane_is_stuck(struct ioband_lane *lane)
{
	const struct task_struct *sender;
	bool is_stuck = false;

	rcu_read_lock();
	sender = READ_ONCE(lane->sender);
	if (sender) {
		/* Until it gets on: that it has been woken is not enough. */
		if (!task_is_running(sender))
			WRITE_ONCE(lane->is_stuck, true);
		is_stuck = READ_ONCE(lane->is_stuck);
	}
	rcu_read_unlock();
	return is_stuck;
}

/* Whether that is so of any volume's way to a leg. */
static bool iop_is_stuck(struct ioband_pool *pool, unsigned int leg)
{
	struct ioband_target *iot;
	unsigned int i;

	lockdep_assert_held(&pool->lock);

	list_for_each_entry(iot, &pool->targets, list)
		for (i = leg; i < iot->nr_legs; i += pool->nr_legs)
			if (lane_is_stuck(&iot->lanes[2 * i + 1]))
				return true;
	return false;
}

/* Whether throttled writes do not get to a leg now. */
static bool iop_is_jammed(struct ioband_pool *pool, unsigned int leg, u64 now_ns)
{
	return atomic_read(&pool->descending[leg]) &&
	       (s64)(now_ns - READ_ONCE(pool->descended_ns[leg])) > (s64)JAM_NS &&
	       iop_is_stuck(pool, leg);
}

/*
 * The room that is taken at a leg. What did not wait for it, swap, metadata and journals,
 * takes half the depth at most, or others would get none while there is always more. A
 * bound that was asked for holds for all. What is jammed on its way to the disk is not there
 * yet, but for the first: whatever it sleeps for, it will want a tag. The rest may exceed the
 * depth, or the bound, for a moment when its worker wakes. Flushes are not there either, but
 * they want a tag, too.
 */
static u32 iop_room_taken(const struct ioband_pool *pool, unsigned int leg)
{
	const struct ioband_places *places = &pool->places[pool->cohort];
	u32 there = atomic_read(&places->in_flight[leg]);
	u32 pushed = atomic_read(&places->pushed[leg]), half = pool->sched.depth / 2;
	u32 free = 0;

	if (!pool->io_throttle && !pool->io_limit)
		free = pushed - min(pushed, half);
	/* What was pushed may be on its way, too. */
	if (pool->sched.jammed & throttled_way_to(leg))
		free = max(free, max(atomic_read(&pool->descending[leg]), 1) - 1U);
	return there - min(there, free) + (half && atomic_read(&pool->flushes));
}

/**
 * iop_jammed - find the ways by which I/O does not get to the disk now
 * @pool: the pool
 * @now_ns: the time
 *
 * These are ways of writes of which a worker has some in hand, and for a while none has got
 * on: it sleeps below, until the kernel's throttling of writeback lets them go. What more is
 * sent that way would wait there, in the order in which it was sent. A worker that only waits
 * for a processor is no jam, or writeback would lose its share wherever those are busy.
 * What a stalled volume has on its way holds up no other.
 *
 * Context: any, pool->lock held.
 * Return: the ways, a bit each.
 */
u64 iop_jammed(struct ioband_pool *pool, u64 now_ns)
{
	unsigned int leg;
	u64 jammed = 0;

	lockdep_assert_held(&pool->lock);

	if (!pool->contended || pool->has_stalled)
		return 0;
	for (leg = 0; leg < pool->nr_legs; leg++)
		if (iop_is_jammed(pool, leg, now_ns))
			jammed |= throttled_way_to(leg);
	return jammed;
}

/* Have nothing be sent by ways that are jammed; who frees one looks what may go. */
static void iop_note_jams(struct ioband_pool *pool, u64 now_ns)
{
	WRITE_ONCE(pool->sched.jammed, iop_jammed(pool, now_ns));
	if (likely(!pool->sched.jammed))
		return;
	/*
	 * Pairs with the full barrier of send_all() in iop_lane_work(): either that sees that a
	 * way was jammed, or we see that it is not any more.
	 */
	smp_mb();
	WRITE_ONCE(pool->sched.jammed, iop_jammed(pool, now_ns));
}

/* What goes next, to a leg that has room; a disk with turns has but one slot. */
static struct ioband_io *iop_next_of(struct ioband_pool *pool, u64 now_ns)
{
	u64 full = 0, brim = 0;
	unsigned int leg;
	u32 in_flight = 0;

	pool->sched.full = pool->sched.jammed;
	pool->sched.brim = pool->sched.jammed;
	if (pool->nr_legs == 1)
		return ioband_next(&pool->sched, iop_room_taken(pool, 0), now_ns);
	for (leg = 0; leg < pool->nr_legs; leg++)
		in_flight += iop_room_taken(pool, leg);
	for (leg = 0; leg < pool->nr_legs; leg++) {
		u32 there = iop_room_taken(pool, leg);

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

/*
 * Whether all room of a leg is taken by what may turn out to be jammed, at @expires_ns, and
 * other I/O waits: no completion may come to look then.
 */
static bool iop_may_jam(const struct ioband_pool *pool, u64 *expires_ns)
{
	const struct ioband_places *places = &pool->places[pool->cohort];
	unsigned int leg;
	u64 descended_ns, now_ns;
	u32 descending;

	if (!pool->contended || pool->has_stalled)
		return false;
	for (leg = 0; leg < pool->nr_legs; leg++) {
		descending = atomic_read(&pool->descending[leg]);
		if (likely(!descending) || pool->sched.jammed & throttled_way_to(leg) ||
		    atomic_read(&places->in_flight[leg]) > descending ||
		    !ioband_is_ready_but(&pool->sched, throttled_way_to(leg)))
			continue;
		descended_ns = READ_ONCE(pool->descended_ns[leg]);
		*expires_ns = descended_ns + JAM_NS + 1;
		/* Its worker waits for a processor, and may sleep when it has one. */
		now_ns = ktime_get_ns();
		if (!ioband_before(now_ns, *expires_ns))
			*expires_ns = now_ns + (now_ns - descended_ns);
		return true;
	}
	return false;
}

/**
 * iop_arm - see to it that the pump runs when the next limit ends, or a jam is found
 * @pool: the pool
 *
 * Context: any but interrupts, pool->lock held.
 */
void iop_arm(struct ioband_pool *pool)
{
	u64 expires_ns, jam_ns;
	bool any;

	lockdep_assert_held(&pool->lock);

	/* It may be about to go. */
	if (list_empty(&pool->targets))
		return;
	any = ioband_timer(&pool->sched, &expires_ns);
	if (unlikely(iop_may_jam(pool, &jam_ns)) &&
	    (!any || ioband_before(jam_ns, expires_ns))) {
		expires_ns = jam_ns;
		any = true;
	}
	if (!any || expires_ns == pool->timer_ns)
		return;
	pool->timer_ns = expires_ns;
	hrtimer_start(&pool->timer, ns_to_ktime(expires_ns), HRTIMER_MODE_ABS);
}

/*
 * A run goes. All of it has waited for what its first has waited for. Its place, and
 * what it was charged, are now the last one's, which this returns.
 */
static struct ioband_bio *iob_issue_run(struct ioband_pool *pool,
					struct ioband_bio *first, u64 now_ns)
{
	struct ioband_bio *last = first->last, *iob;

	lockdep_assert_held(&pool->lock);

	for (iob = first; iob; iob = iob->next) {
		iob->io.limited_ns = first->io.limited_ns;
		iob->io.graced_ns = first->io.graced_ns;
		iob->io.because = first->io.because;
		iob->has_no_place = iob != last;
		iob_issue(iob, now_ns);
		trace_ioband_dispatch(iob, now_ns - iob->io.arrival_ns);
	}
	last->io.cost = first->io.cost;
	last->io.merged = first->io.merged;
	return last;
}

static void iob_released_run(struct ioband_bio *first, u64 now_ns)
{
	struct ioband_bio *iob;

	for (iob = first; iob; iob = iob->next)
		iob_released(iob, now_ns);
}

/**
 * iop_pump - send down the bios whose turn it is
 * @pool: the pool
 * @self: a bio that its own submitter, who calls, has just had held, or %NULL
 * @here: the lane whose worker calls, or %NULL
 * @now_ns: the time
 *
 * Context: any but interrupts, pool->lock held.
 * Return: whether @self may go, and its submitter shall send it down right there.
 */
bool iop_pump(struct ioband_pool *pool, struct ioband_bio *self,
	      const struct ioband_lane *here, u64 now_ns)
{
	struct ioband_io *io;
	bool direct = false;

	lockdep_assert_held(&pool->lock);

	/* What comes in at this moment is for the next. */
	if (!list_empty(&pool->news))
		iop_settle(pool);
	iop_tick_depth(pool, now_ns);
	iop_note_jams(pool, now_ns);
	while ((io = iop_next(pool, now_ns))) {
		struct ioband_bio *iob = iob_from_io(io);
		wait_queue_head_t *wait = &iob->group->wait[ioband_kind(io)];
		struct ioband_bio *last;
		u32 in_flight;

		iob_drop_held(iob);
		/* A full barrier, between held and the look at the wait queue, too. */
		in_flight = iob_take_place(pool, iob->last);
		last = iob_issue_run(pool, iob, now_ns);
		if (pool->is_timed)
			iob_start_clock(pool, last, now_ns);
		else
			iop_unstream(pool, iob);
		/* Whoever is woken wakes the next, as long as there is room. */
		if (waitqueue_active(wait) && !iob_must_wait(pool, iob))
			wake_up(wait);
		if (iob == self) {
			/* It must not sleep; what was given up may have tags. */
			direct = !iob->io.is_throttled && !pool->has_stalled &&
				 in_flight <= iot_direct(iob->target);
			if (direct)
				continue;
		} else {
			iob_released_run(iob, now_ns);
		}
		iob_send(pool, iob, here);
	}
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

/**
 * iop_disown - no group has the disk to itself any more
 * @pool: the pool
 *
 * Who is granted it at the same time, under pool->lock, may keep it for a tick.
 *
 * Context: any.
 */
void iop_disown(struct ioband_pool *pool)
{
	WRITE_ONCE(pool->passes[IOBAND_READ], NULL);
	WRITE_ONCE(pool->passes[IOBAND_WRITE], NULL);
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
 * Return: whether to look what may go now. If others wait already and there is no room,
 * a completion will have that done.
 */
bool iob_enqueue(struct ioband_pool *pool, struct ioband_bio *iob, u64 now_ns)
{
	/* Nobody may come for what waits only because it is about to be jammed. */
	u64 but = iob->io.is_throttled ? 0 : throttled_way_to(iob->io.leg);
	bool others_wait = ioband_is_ready_but(&pool->sched, but);

	lockdep_assert_held(&pool->lock);

	iob_add_held(iob);
	iob->io.done_ns = READ_ONCE(iob->group->done_ns);
	ioband_hold(&pool->sched, iob_node(iob), &iob->io, now_ns);
	/*
	 * Pairs with the full barrier of iob_leave_place() in iop_complete():
	 * either that one sees that something is held, or whoever pumps now
	 * sees its slot free.
	 */
	smp_mb();
	return !pool->contended || !others_wait || pool->sched.late ||
	       iop_jammed(pool, now_ns) ||
	       iop_room_taken(pool, iob->io.leg) < pool->sched.depth;
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
	iob_dequeue(pool, iob, now_ns);
	ioband_charge(&pool->sched, &iob->group->node, &iob->io, now_ns);
	iob_push(pool, iob_issue_run(pool, iob, now_ns));
	iob_released_run(iob, now_ns);
	iob_send(pool, iob, NULL);
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
	iop_pump(pool, NULL, NULL, ktime_get_ns());
	spin_unlock(&pool->lock);
}
