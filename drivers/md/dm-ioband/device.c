// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way of a bio through its pool.
 *
 * A bio that finds the disk idle enough passes: one atomic increment in map, one
 * decrement in end_io, no lock. So does a bio of the one group that uses the
 * disk, however many it sends, but for a read behind a flood of its writes. As
 * soon as that comes, or a second group wants more than fits, the pool is
 * contended: each bio takes the lock and a turn (sched/core.c), and a completion
 * lets the next one go. When nothing had to be held for a while, the pool goes
 * back to passing.
 */
#include <linux/hrtimer.h>
#include <linux/ioprio.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include "ioband.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

enum {
	/* So much of a group's dying tasks does not wait for turns or limits. */
	DYING_PER_SECOND	= 64,
};

/* How long nothing must have been held for contention to be over. */
#define CALM_NS		((s64)(100 * NSEC_PER_MSEC))

/* A bio that is longer at the disk waits there for others, or for a head. */
#define SLOW_NS		((u64)(2 * NSEC_PER_MSEC))

/* Time outstanding, the way the block layer keeps a disk's io_ticks. */
static void iog_busy(struct ioband_group *group, bool end)
{
	unsigned long now = jiffies;
	unsigned long stamp = READ_ONCE(group->busy_stamp_jiffies);

	if (stamp != now &&
	    cmpxchg(&group->busy_stamp_jiffies, stamp, now) == stamp)
		WRITE_ONCE(group->busy_jiffies,
			   group->busy_jiffies + (end ? now - stamp : 1));
}

static inline void iob_issue(struct ioband_bio *iob, u64 now_ns)
{
	struct ioband_stats __percpu *stats = iob->group->stats;

	iob->issue_ns = now_ns;
	this_cpu_inc(stats->issued_ios[iob->io.dir]);
	this_cpu_add(stats->issued_sectors[iob->io.dir], iob->data_sectors);
	iog_busy(iob->group, false);
}

static unsigned int bucket_of(u64 ns)
{
	return min_t(unsigned int, fls64(ns >> 10), IOBAND_BUCKETS - 1);
}

/* Account for the time it was held, now that it is over. */
static void iob_released(struct ioband_bio *iob, u64 now_ns)
{
	struct ioband_stats __percpu *stats = iob->group->stats;
	u64 held_ns = now_ns - iob->io.arrival_ns;
	u64 limited_ns = min(iob->io.limited_ns, held_ns);
	u64 graced_ns = min(iob->io.graced_ns, held_ns - limited_ns);

	this_cpu_inc(stats->held_ios);
	this_cpu_add(stats->held_ns, held_ns);
	this_cpu_inc(stats->waits[bucket_of(held_ns)]);
	this_cpu_add(stats->because_ns[IOBAND_BECAUSE_LIMIT], limited_ns);
	this_cpu_add(stats->because_ns[IOBAND_BECAUSE_GRACE], graced_ns);
	this_cpu_add(stats->because_ns[iob->io.because],
		     held_ns - limited_ns - graced_ns);
}

static inline enum ioband_verdict iob_pass(struct ioband_bio *iob, u64 now_ns)
{
	iob_issue(iob, now_ns);
	trace_ioband_pass(iob, 0);
	return IOBAND_PASS;
}

/*
 * Whether the submitter shall wait for its group's queue here to get shorter. That of
 * reads, say: kernel threads do not wait, and what they write back may be any number.
 */
static bool iob_must_wait(struct ioband_pool *pool, const struct ioband_bio *iob)
{
	return READ_ONCE(iob->group->held[iob->io.dir]) >=
	       READ_ONCE(pool->held_max);
}

/* The bios that are at the leg of a bio. */
static atomic_t *iob_in_flight(struct ioband_pool *pool,
			       const struct ioband_bio *iob)
{
	return &pool->in_flight[iob->io.leg];
}

static void iop_contend(struct ioband_pool *pool, u64 now_ns)
{
	lockdep_assert_held(&pool->lock);

	iop_begin_depth(pool, now_ns);
	ioband_sched_restart(&pool->sched);
	pool->last_held_ns = now_ns;
	WRITE_ONCE(pool->contended, true);
	iop_update_depth(pool);
	/*
	 * Pairs with the full barrier of atomic_dec_return() in iop_complete():
	 * either that one sees us contended and takes the lock, or we see its
	 * slot free.
	 */
	smp_mb();
}

/* What goes next, to a leg that has room; a disk with turns has but one slot. */
static struct ioband_io *iop_next_of(struct ioband_pool *pool, u64 now_ns)
{
	const u32 both = BIT(IOBAND_READ) | BIT(IOBAND_WRITE);
	u32 in_flight = iop_in_flight(pool), full = 0, brim = 0;
	unsigned int leg;

	for (leg = 0; pool->nr_legs > 1 && leg < pool->nr_legs; leg++) {
		u32 there = atomic_read(&pool->in_flight[leg]);

		if (there >= pool->sched.depth ||
		    (pool->sched.turn.is_serial && in_flight))
			full |= both << leg * IOBAND_DIRS;
		if (there >= pool->sched.depth + pool->sched.spare)
			brim |= both << leg * IOBAND_DIRS;
	}
	pool->sched.full = full;
	pool->sched.brim = brim;
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

/* See to it that the pump runs when the next limit ends. */
static void iop_arm(struct ioband_pool *pool)
{
	u64 expires_ns;

	lockdep_assert_held(&pool->lock);

	if (!ioband_timer(&pool->sched, &expires_ns) ||
	    expires_ns == pool->timer_ns)
		return;
	pool->timer_ns = expires_ns;
	hrtimer_start(&pool->timer, ns_to_ktime(expires_ns), HRTIMER_MODE_ABS);
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

	if (!list_empty_careful(&pool->news))
		iop_settle(pool);
	iop_tick_depth(pool, now_ns);
	while ((io = iop_next(pool, now_ns))) {
		struct ioband_bio *iob = iob_from_io(io);
		wait_queue_head_t *wait = &iob->group->wait[io->dir];
		struct ioband_bio *last;
		u32 in_flight;

		iob_drop_held(iob);
		/* A full barrier, between held and the look at the wait queue, too. */
		in_flight = atomic_inc_return(iob_in_flight(pool, iob));
		last = iob_issue_run(pool, iob, now_ns);
		if (pool->is_timed)
			iob_start_clock(pool, last, now_ns);
		else
			iop_unstream(pool, iob);
		/* Whoever is woken wakes the next, as long as there is room. */
		if (waitqueue_active(wait) && !iob_must_wait(pool, iob))
			wake_up(wait);
		if (iob == self) {
			direct = in_flight <= iot_direct(iob->target);
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

static void iog_join(struct ioband_pool *pool, struct ioband_group *group)
{
	u64 ios, sectors[IOBAND_DIRS];

	if (ioband_node_joined(&pool->sched, &group->node))
		return;
	ios = iog_in_flight(group, sectors);
	ioband_node_join(&pool->sched, &group->node, ios,
			 sectors[IOBAND_READ] + sectors[IOBAND_WRITE]);
}

static void iop_disown(struct ioband_pool *pool)
{
	lockdep_assert_held(&pool->lock);

	pool->owner = NULL;
	WRITE_ONCE(pool->passes[IOBAND_READ], NULL);
	WRITE_ONCE(pool->passes[IOBAND_WRITE], NULL);
}

/*
 * Whether the group of a bio has the disk to itself: then there is nobody to share
 * with, and it may send down all it has. But its reads must not wait long behind
 * its own writes.
 */
static bool iop_own(struct ioband_pool *pool, const struct ioband_bio *iob)
{
	u64 sectors[IOBAND_DIRS];

	lockdep_assert_held(&pool->lock);

	if (pool->owner && pool->owner != iob->group) {
		if (iog_in_flight(pool->owner, sectors))
			return false;
		iop_disown(pool);
	}
	pool->owner = iob->group;
	if (iob->io.dir == IOBAND_READ &&
	    time_before(jiffies, READ_ONCE(pool->slow_jiffies) + SLOW_JIFFIES)) {
		iog_in_flight(pool->owner, sectors);
		if (sectors[IOBAND_WRITE] > sectors[IOBAND_READ])
			return false;
	}
	WRITE_ONCE(pool->passes[iob->io.dir], iob->group);
	return true;
}

/*
 * Whether a bio may go down at once, though nobody counts turns; if so it has taken
 * a place at the disk.
 */
static bool iop_take_place(struct ioband_pool *pool, const struct ioband_bio *iob)
{
	if (atomic_inc_return(iob_in_flight(pool, iob)) <= pool->pass_max ||
	    pool->sched.policy->only_limits || iop_own(pool, iob))
		return true;
	atomic_dec(iob_in_flight(pool, iob));
	return false;
}

/*
 * Whether dm takes bios back now. It does not any more once a suspend was broken
 * off, which we are told of only after it has brought all it had kept.
 */
static bool iot_pushes_back(const struct ioband_target *iot)
{
	return READ_ONCE(iot->push_back) && dm_noflush_suspending(iot->ti);
}

/*
 * Whether somebody waits for all submitters to leave the queue of the device, and lets
 * no new ones in. A submitter that sleeps in map for room would keep everybody out
 * until its group's limit has let it go.
 */
static bool iot_is_frozen(const struct ioband_target *iot)
{
	struct mapped_device *md = dm_table_get_md(iot->ti->table);

	return READ_ONCE(dm_disk(md)->queue->mq_freeze_depth);
}

/**
 * iog_may_die - whether an I/O of a dying task may go at once
 * @group: the group of the I/O, which then is counted
 *
 * Some may, to get it over with; but one can die in the middle of a request for
 * gigabytes, and many can.
 *
 * Context: any but interrupts, the pool's lock held.
 */
bool iog_may_die(struct ioband_group *group)
{
	unsigned long now = jiffies;

	if (time_after_eq(now, group->dying_jiffies + HZ)) {
		group->dying_jiffies = now;
		group->nr_dying = 0;
	}
	return group->nr_dying++ < DYING_PER_SECOND;
}

/*
 * Who pays for an I/O that did not wait for its turn. What the kernel sends at once for
 * all who use a file system is charged to nobody, or who fills the journal would
 * starve the group that kernel threads are in.
 */
static struct ioband_node *iob_payer(const struct ioband_bio *iob)
{
	return iob->is_common && iob->is_urgent ?
	       &iob->target->volume->pool->sched.root : &iob->group->node;
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
 */
void iob_enqueue(struct ioband_pool *pool, struct ioband_bio *iob, u64 now_ns)
{
	lockdep_assert_held(&pool->lock);

	iob_add_held(iob);
	iob->io.done_ns = READ_ONCE(iob->group->done_ns);
	ioband_hold(&pool->sched, iob_node(iob), &iob->io, now_ns);
	/*
	 * Pairs with the full barrier of atomic_dec_return() in iop_complete():
	 * either that one sees that something is held, or whoever pumps now
	 * sees its slot free.
	 */
	smp_mb();
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
	atomic_inc(iob_in_flight(pool, iob));
	iob_issue_run(pool, iob, now_ns);
	iob_released_run(iob, now_ns);
	iob_send(pool, iob, NULL);
}

/* Charge a bio that does not wait, though the others of its group may have to. */
static void iob_owe(struct ioband_pool *pool, struct ioband_bio *iob, u64 now_ns)
{
	lockdep_assert_held(&pool->lock);

	iog_join(pool, iob->group);
	this_cpu_inc(iob->group->stats->urgent_ios);
	ioband_charge(&pool->sched, iob_payer(iob), &iob->io, now_ns);
	/* What was ready may be at its limit by that, and nobody else looks. */
	iop_arm(pool);
}

static u8 core_prio(int ioprio)
{
	switch (IOPRIO_PRIO_CLASS(ioprio)) {
	case IOPRIO_CLASS_RT:
		return IOBAND_PRIO_RT;
	case IOPRIO_CLASS_IDLE:
		return IOBAND_PRIO_IDLE;
	default:
		return IOBAND_PRIO_BE +
		       IOPRIO_PRIO_DATA(ioprio) % IOPRIO_BE_NR;
	}
}

/*
 * A write past the page cache. The kernel calls it sync, but many at once fill a
 * disk, and what must not get lost, like a log, is forced to the medium.
 */
static bool is_direct(const struct bio *bio)
{
	return op_is_write(bio_op(bio)) && (bio->bi_opf & REQ_IDLE) &&
	       !(bio->bi_opf & (REQ_FUA | REQ_PREFLUSH));
}

static bool iob_hold(struct ioband_pool *pool, struct ioband_bio *iob,
		     u64 now_ns)
{
	struct bio *bio = iob_to_bio(iob);

	lockdep_assert_held(&pool->lock);

	/* A worker will send the bio: let the submitter's priority go with it. */
	bio->bi_ioprio = bio_ioprio(bio);
	iob->io.prio = core_prio(bio->bi_ioprio);
	iob->io.is_async = iob_is_writeback(iob) || is_direct(bio);
	iob->pid = current->flags & PF_KTHREAD ? 0 : task_pid_nr(current);
	iob->account = iop_stream(pool, iob);
	/*
	 * A stream has one place only, and turns are of the whole disk: where there are
	 * any, all legs have one order.
	 */
	if (iob->account || pool->sched.turn.is_serial)
		iob->io.leg = 0;
	if (iob_merge(pool, iob)) {
		iop_pump(pool, NULL, NULL, now_ns);
	} else {
		iob_begin_run(iob);
		iob_enqueue(pool, iob, now_ns);
		if (iop_pump(pool, iob, NULL, now_ns))
			return false;
	}

	/* A worker may wait for a tag, and the submitter goes on. */
	bio->bi_opf &= ~REQ_NOWAIT;
	if (ioband_is_ready(&pool->sched))
		pool->last_held_ns = now_ns;
	trace_ioband_hold(iob, 0);
	return true;
}

/* When nothing had to be held for a while, bios pass again. */
static void iop_calm(struct ioband_pool *pool, u64 now_ns)
{
	if (!pool->contended || ioband_is_ready(&pool->sched) ||
	    (s64)(now_ns - pool->last_held_ns) <= CALM_NS)
		return;
	WRITE_ONCE(pool->contended, false);
	WRITE_ONCE(pool->is_timed, false);
	iop_disown(pool);
}

/* What to do with a bio that has not passed without the lock. */
static enum ioband_verdict iop_judge(struct ioband_pool *pool,
				     struct ioband_bio *iob, u64 now_ns)
{
	struct ioband_group *group = iob->group;
	bool limited;

	lockdep_assert_held(&pool->lock);

	iop_calm(pool, now_ns);
	iob->is_urgent |= iob->target->drain ||
			  (iob->is_dying && iog_may_die(group));
	limited = !ioband_may_pass(&group->node, &iob->io, now_ns);
	if (!pool->contended && (iob->is_urgent || !limited)) {
		if (iop_take_place(pool, iob)) {
			if (limited)
				this_cpu_inc(group->stats->urgent_ios);
			ioband_charge_limits(&pool->sched, iob_payer(iob),
					     &iob->io, iob->is_urgent, now_ns);
			return iob_pass(iob, now_ns);
		}
		iop_contend(pool, now_ns);
	}

	if (iob->is_urgent) {
		iob_owe(pool, iob, now_ns);
		atomic_inc(iob_in_flight(pool, iob));
		return iob_pass(iob, now_ns);
	}
	iog_join(pool, group);
	if (iot_pushes_back(iob->target))
		return IOBAND_REQUEUE;
	if (iob_must_wait(pool, iob) && !iob->is_dying && current_may_sleep() &&
	    !iot_is_frozen(iob->target))
		return IOBAND_WAIT;
	return iob_hold(pool, iob, now_ns) ? IOBAND_HELD : IOBAND_PASS;
}

static noinline enum ioband_verdict
iop_submit_contended(struct ioband_pool *pool, struct ioband_bio *iob)
{
	struct ioband_group *group = iob->group;
	enum ioband_verdict verdict;
	bool waited = false;
	u64 now_ns;

	iob_find_urgency(iob, iob_to_bio(iob));
retry:
	spin_lock(&pool->lock);
	if (group->detached) {
		/* It went between classification and here: it is not found again. */
		spin_unlock(&pool->lock);
		percpu_ref_put(&group->ref);
		iob_classify(iob, iob_to_bio(iob));
		group = iob->group;
		waited = false;
		goto retry;
	}
	now_ns = ktime_get_ns();
	verdict = iop_judge(pool, iob, now_ns);
	/* While this bio was trying to pass it may have taken another's room. */
	if (verdict == IOBAND_WAIT || verdict == IOBAND_REQUEUE)
		iop_pump(pool, NULL, NULL, now_ns);
	/* Here: a bio that is held, and its reference, are not ours after that. */
	if (waited && !iob_must_wait(pool, iob))
		wake_up(&group->wait[iob->io.dir]);
	spin_unlock(&pool->lock);

	if (verdict == IOBAND_WAIT &&
	    !(iob_to_bio(iob)->bi_opf & REQ_NOWAIT)) {
		/*
		 * The group stays: the bio has a reference on it. Who freezes the queue
		 * wakes nobody, so look now and then; the place in the line is kept.
		 */
		if (___wait_event(group->wait[iob->io.dir],
				  !iob_must_wait(pool, iob) ||
				  READ_ONCE(group->detached) ||
				  iot_pushes_back(iob->target) ||
				  iot_is_frozen(iob->target),
				  TASK_KILLABLE, 1, 0, schedule_timeout(HZ)))
			iob->is_dying = true;
		waited = true;
		goto retry;
	}
	return verdict;
}

/**
 * iop_submit - let a bio pass, or hold it
 * @pool: the pool
 * @iob: the bio, remapped, classified
 *
 * Context: a submitter's. May sleep if the group has io_limit bios held, but
 * only a user task that has not set REQ_NOWAIT.
 * Return: what to do with the bio; %IOBAND_WAIT only with REQ_NOWAIT.
 */
enum ioband_verdict iop_submit(struct ioband_pool *pool,
			       struct ioband_bio *iob)
{
	if (likely(!READ_ONCE(pool->contended) &&
		   !READ_ONCE(iob->group->is_limited))) {
		if (likely(atomic_inc_return(iob_in_flight(pool, iob)) <=
			   READ_ONCE(pool->pass_max) ||
			   READ_ONCE(pool->passes[iob->io.dir]) == iob->group))
			return iob_pass(iob, iob->io.arrival_ns);
		atomic_dec(iob_in_flight(pool, iob));
	}
	return iop_submit_contended(pool, iob);
}

/**
 * iop_flush - account for an empty flush that is about to pass
 * @pool: the pool
 * @iob: the flush, classified
 *
 * It takes no place at the disk: the disk keeps flushes apart from what it has queued.
 *
 * Context: a submitter's; does not sleep.
 */
void iop_flush(struct ioband_pool *pool, struct ioband_bio *iob)
{
	u64 now_ns = iob->io.arrival_ns;

	iob->has_no_place = true;
	if (READ_ONCE(pool->contended) || READ_ONCE(iob->group->is_limited)) {
		iob_find_urgency(iob, iob_to_bio(iob));
		iob->is_urgent = true;
		spin_lock(&pool->lock);
		now_ns = ktime_get_ns();
		if (!iob->group->detached)
			iob_owe(pool, iob, now_ns);
		spin_unlock(&pool->lock);
	}
	iob_pass(iob, now_ns);
}

/* The owner's reads have to ask again. */
static void iop_slow(struct ioband_pool *pool)
{
	unsigned long now = jiffies;

	if (READ_ONCE(pool->slow_jiffies) == now)
		return;
	WRITE_ONCE(pool->slow_jiffies, now);
	WRITE_ONCE(pool->passes[IOBAND_READ], NULL);
}

/**
 * iop_complete - account for a bio the disk is done with
 * @pool: the pool
 * @iob: a bio that was issued; its group reference is dropped
 *
 * Context: any, hard interrupts included.
 */
void iop_complete(struct ioband_pool *pool, struct ioband_bio *iob)
{
	struct ioband_group *group = iob->group;
	struct ioband_stats __percpu *stats = group->stats;
	u64 now_ns = ktime_get_ns();
	u64 service_ns = now_ns - iob->issue_ns;

	this_cpu_add(stats->done_sectors[iob->io.dir], iob->data_sectors);
	this_cpu_add(stats->done_ns[iob->io.dir],
		     now_ns - iob->io.arrival_ns);
	this_cpu_inc(stats->services[bucket_of(service_ns)]);
	iog_busy(group, true);
	if (unlikely(iob->is_timed))
		iob_stop_clock(pool, iob, now_ns);
	if (unlikely(iob->has_no_place))
		goto put;

	/*
	 * A full barrier: pairs with iop_contend(), which counts what is in flight
	 * after it has set @contended, and below with iob_enqueue().
	 */
	atomic_dec_return(iob_in_flight(pool, iob));
	if (likely(!READ_ONCE(pool->contended))) {
		if (service_ns > SLOW_NS)
			iop_slow(pool);
		goto put;
	}
	WRITE_ONCE(group->done_ns, now_ns);
	iop_note_service(pool, service_ns);
	/*
	 * There is room for one more. Which one is left to the worker that will
	 * send it: bios cannot be submitted here, and disks complete several at
	 * a time, all of which would wait for as many decisions.
	 */
	if (READ_ONCE(pool->sched.held))
		queue_work(pool->wq, &iob_lane(iob)->work);
put:
	percpu_ref_put(&group->ref);
}

/**
 * iog_wake_all - have all who wait to submit look again
 * @group: whose I/O they have
 *
 * Context: any.
 */
void iog_wake_all(struct ioband_group *group)
{
	wake_up_all(&group->wait[IOBAND_READ]);
	wake_up_all(&group->wait[IOBAND_WRITE]);
}

/**
 * iog_rehome - move what a group holds to another
 * @pool: the pool of both
 * @from: a group that is being detached
 * @to: a group of the same volume
 *
 * Context: process.
 */
void iog_rehome(struct ioband_pool *pool, struct ioband_group *from,
		struct ioband_group *to)
{
	struct ioband_io *io;
	u64 now_ns;

	spin_lock(&pool->lock);
	now_ns = ktime_get_ns();
	from->detached = true;
	if (pool->owner == from)
		iop_disown(pool);
	/* Without another to go to, it holds nothing. */
	if (iog_held(from))
		iog_join(pool, to);
	while ((io = iog_first_held(from))) {
		struct ioband_bio *first = iob_from_io(io), *iob;

		iob_dequeue(pool, first, now_ns);
		for (iob = first; iob; iob = iob->next)
			iob_move(iob, to);
		iob_enqueue(pool, first, now_ns);
	}
	iop_drop_streams(pool, from);
	ioband_node_del(&pool->sched, &from->node, now_ns);
	iop_pump(pool, NULL, NULL, now_ns);
	spin_unlock(&pool->lock);
	iog_wake_all(from);
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
