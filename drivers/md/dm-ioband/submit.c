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
#include <linux/ioprio.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include "ioband.h"
#include "stats.h"
#include "trace.h"

/* How long nothing must have been held for contention to be over. */
#define CALM_NS		((s64)(100 * NSEC_PER_MSEC))
/* Or, where the disk is quick, so many times what it takes for an I/O. */
#define CALM_SERVICES	4
/* In a trial so many, or a slow disk would never come to the end of one; but it may have hung. */
#define TRIAL_SERVICES	16
#define TRIAL_CALM_NS	((s64)(2 * NSEC_PER_SEC))

/* A disk that all passes to is asked whether it is full after so many times what that takes. */
#define ASK_AFTER	32

/* A bio that is longer at the disk waits there for others, or for a head. */
#define SLOW_NS		((u64)(2 * NSEC_PER_MSEC))

/*
 * What a group's dying tasks may send without waiting for turns or limits: an I/O of 64 KiB in
 * this time, a larger one counting as several; so much at once.
 */
#define DYING_NS	((u64)NSEC_PER_SEC / 64)
#define DYING_SECTORS	(SZ_64K >> SECTOR_SHIFT)
#define DYING_BURST_NS	((s64)(16 * NSEC_PER_SEC))

/*
 * How often who waits to submit looks by itself: who freezes the queue wakes nobody, nor does
 * the time that limits take. What they let go in less than a second may be held.
 */
#define WAIT_JIFFIES	(HZ / 2)

static inline enum ioband_verdict iob_pass(struct ioband_bio *iob, u64 now_ns)
{
	iob_issue(iob, now_ns);
	trace_ioband_pass(iob, 0);
	return IOBAND_PASS;
}

/*
 * Note which group uses the disk, and when it is another than before: once a tick, lest
 * several that use it from several CPUs fight for the line.
 */
static inline void iop_note_user(struct ioband_pool *pool, const struct ioband_bio *iob)
{
	struct ioband_group *user = READ_ONCE(pool->user), *group = iob->group;
	unsigned long now = jiffies;

	if (likely(user == group) || READ_ONCE(pool->shared_jiffies) == now)
		return;
	if (user)
		WRITE_ONCE(pool->shared_jiffies, now);
	WRITE_ONCE(pool->user, group);
	WRITE_ONCE(pool->owner, NULL);
	/* Who contends asks for depth and tags anew; where only limits count nobody does. */
	if (unlikely((user && time_after(now, READ_ONCE(pool->ask_jiffies))) ||
		     iot_lost_tags(iob->target)) &&
	    !READ_ONCE(pool->contended) && READ_ONCE(pool->pass_max) != U32_MAX)
		WRITE_ONCE(pool->pass_max, 0);
}

/*
 * Whether the group of a bio has the disk to itself: then there is nobody to share
 * with, and it may send down all it has. But its reads must not wait long behind
 * its own writes.
 */
static bool iop_is_own(struct ioband_pool *pool, const struct ioband_bio *iob)
{
	u64 done[IOBAND_DIRS] = { }, there[IOBAND_DIRS] = { };

	lockdep_assert_held(&pool->lock);

	if (iop_is_shared(pool))
		return false;
	if (!pool->is_split && time_before(jiffies, READ_ONCE(pool->slow_jiffies) + SLOW_JIFFIES)) {
		iog_count_data(iob->group, done, there);
		pool->is_split = there[IOBAND_WRITE] > there[IOBAND_READ] &&
				 (there[IOBAND_READ] || iob->io.dir == IOBAND_READ);
	}
	return !pool->is_split;
}

/*
 * Whether a bio may go down at once, though nobody counts turns; if so it has taken
 * a place at the disk.
 */
static bool iop_take_place(struct ioband_pool *pool, struct ioband_bio *iob)
{
	if (iob_take_place(pool, iob) <= pool->pass_max || pool->sched.policy->only_limits)
		return true;
	if (iop_is_own(pool, iob)) {
		WRITE_ONCE(pool->owner, iob->group);
		return true;
	}
	iob_leave_place(pool, iob);
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

/* Charge a bio that does not wait, though the others of its group may have to. */
static void iob_owe(struct ioband_pool *pool, struct ioband_bio *iob, u64 now_ns)
{
	lockdep_assert_held(&pool->lock);

	iog_join(pool, iob->group);
	waits_add(&iob->group->waits.urgent_ios, 1);
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

/* Whether blk-wbt may have who submits it sleep below. */
static bool is_throttled(const struct bio *bio)
{
	return bio_op(bio) == REQ_OP_DISCARD ||
	       (bio_op(bio) == REQ_OP_WRITE &&
		(bio->bi_opf & (REQ_SYNC | REQ_IDLE)) != (REQ_SYNC | REQ_IDLE));
}

/* Returns what the submitter shall send: this bio, another that its group held, or %NULL. */
static struct ioband_bio *iob_hold(struct ioband_pool *pool, struct ioband_bio *iob,
				   u64 now_ns)
{
	struct bio *bio = iob->bio;
	struct ioband_bio *direct = NULL;

	lockdep_assert_held(&pool->lock);

	/* A worker will send the bio: let the submitter's priority go with it. */
	bio->bi_ioprio = bio_ioprio(bio);
	iob->io.prio = core_prio(bio->bi_ioprio);
	iob->io.is_async = iob_is_writeback(iob) || is_direct(bio);
	/* Of that there may be any number, and a task's own I/O would wait behind all of it. */
	if (iob_is_writeback(iob) && iob->io.prio == IOBAND_PRIO_NORMAL)
		iob->io.prio++;
	iob->account = pool->streams ? iop_stream(pool, iob) : NULL;
	/*
	 * A stream has one place only, and turns are of the whole disk: where there are
	 * any, all legs have one order.
	 */
	if (iob->account || pool->sched.turn.is_serial)
		iob->io.leg = 0;
	if (!iob_merge(pool, iob)) {
		if (iob_enqueue(pool, iob, now_ns))
			direct = iop_pump(pool, iob, now_ns);
		if (direct == iob)
			return direct;
	} else if (iop_taken(pool, iob->io.leg) < pool->sched.depth) {
		/* While it was trying to pass it may have taken another's room. */
		iop_pump(pool, NULL, now_ns);
	}

	/* A worker may wait for a tag, and the submitter goes on. */
	bio->bi_opf &= ~REQ_NOWAIT;
	if (pool->sched.backlog.since_ns)
		pool->last_held_ns = now_ns;
	trace_ioband_hold(iob, 0);
	return direct;
}

/* A trial at which nothing waits has to come to an end. */
static s64 iop_calm_in_trial_ns(const struct ioband_pool *pool)
{
	return clamp_t(u64, READ_ONCE(pool->service_ns) * TRIAL_SERVICES, CALM_NS, TRIAL_CALM_NS);
}

/* What is held for a moment, since processors are slow, is not held by the disk. */
static s64 iop_calm_ns(const struct ioband_pool *pool)
{
	if (pool->depth.trying)
		return iop_calm_in_trial_ns(pool);
	if (pool->sched.quick == 1)
		return CALM_NS;
	return min_t(u64, READ_ONCE(pool->service_ns) * CALM_SERVICES, CALM_NS);
}

/* When nothing had to be held for a while, bios pass again. */
static void iop_calm(struct ioband_pool *pool, u64 now_ns)
{
	lockdep_assert_held(&pool->lock);

	if ((s64)(now_ns - pool->last_held_ns) <= iop_calm_ns(pool) || pool->has_stalled ||
	    pool->sched.squeeze.is_on || ioband_is_ready(&pool->sched))
		return;
	WRITE_ONCE(pool->ask_jiffies, jiffies +
		   nsecs_to_jiffies(ASK_AFTER * iop_calm_in_trial_ns(pool)));
	WRITE_ONCE(pool->contended, false);
	WRITE_ONCE(pool->is_timed, false);
	pool->is_split = false;
	WRITE_ONCE(pool->owner, NULL);
	ioband_depth_end(&pool->depth);
	iop_update_depth(pool);
}

/*
 * Whether the I/O of a dying task may go at once, to get it over with. But one can die in the
 * middle of a request for gigabytes, and many can.
 */
static bool iob_may_die(const struct ioband_bio *iob, u64 now_ns)
{
	struct ioband_group *group = iob->group;

	lockdep_assert_held(&group->volume->pool->lock);

	if (!iob->is_dying || (s64)(group->dying_ns - now_ns) > DYING_BURST_NS)
		return false;
	group->dying_ns = max(group->dying_ns, now_ns) +
			  (1 + iob->io.sectors / DYING_SECTORS) * DYING_NS;
	return true;
}

/*
 * What to do with a bio that has not passed without the lock. If it is held, @send is what
 * its submitter shall send instead, or %NULL.
 */
static enum ioband_verdict iop_judge(struct ioband_pool *pool, struct ioband_bio *iob,
				     struct ioband_bio **send, u64 now_ns)
{
	struct ioband_group *group = iob->group;
	bool limited;

	lockdep_assert_held(&pool->lock);

	if (pool->contended) {
		if (!iop_is_shared(pool))
			iop_is_own(pool, iob);
		iop_calm(pool, now_ns);
	}
	iob->is_urgent |= READ_ONCE(iob->target->drain) || iob_may_die(iob, now_ns);
	limited = !pool->contended && !ioband_may_pass(&group->node, &iob->io, now_ns);
	if (!pool->contended && (iob->is_urgent || !limited)) {
		if (iop_take_place(pool, iob)) {
			if (limited)
				waits_add(&group->waits.urgent_ios, 1);
			ioband_charge_limits(&pool->sched, iob_payer(iob),
					     &iob->io, iob->is_urgent, now_ns);
			return iob_pass(iob, now_ns);
		}
		iop_contend(pool, now_ns);
	}

	if (iob->is_urgent) {
		iob_owe(pool, iob, now_ns);
		iob_push(pool, iob);
		return iob_pass(iob, now_ns);
	}
	iog_join(pool, group);
	if (iot_pushes_back(iob->target))
		return IOBAND_REQUEUE;
	if (iob->is_bounded && !iob_has_room(pool, iob, now_ns) && !iot_is_frozen(iob->target))
		return IOBAND_WAIT;
	*send = iob_hold(pool, iob, now_ns);
	return *send == iob ? IOBAND_PASS : IOBAND_HELD;
}

static noinline enum ioband_verdict
iop_submit_contended(struct ioband_pool *pool, struct ioband_bio *iob)
{
	struct ioband_group *group = iob->group;
	wait_queue_head_t *wait = &group->wait[iob->io.dir];
	struct ioband_bio *send = NULL;
	enum ioband_verdict verdict;
	bool waited = false, sleeps;
	u64 now_ns;

	/* Who looks in vain keeps its place in the queue, or it might never come to the front. */
	DEFINE_WAIT_FUNC(entry, default_wake_function);

	iob->is_bounded = current_may_sleep();
	iob->blocked_ns = 0;
	iob_find_urgency(iob, iob->bio);
	iob->is_throttled = is_throttled(iob->bio);
retry:
	spin_lock(&pool->lock);
	if (group->detached) {
		/* It went between classification and here: it is not found again. */
		spin_unlock(&pool->lock);
		finish_wait(wait, &entry);
		percpu_ref_put(&group->ref);
		iob_classify(iob, iob->bio);
		group = iob->group;
		wait = &group->wait[iob->io.dir];
		waited = false;
		goto retry;
	}
	now_ns = ktime_get_ns();
	verdict = iop_judge(pool, iob, &send, now_ns);
	sleeps = verdict == IOBAND_WAIT && !(iob->bio->bi_opf & REQ_NOWAIT);
	if (sleeps)
		prepare_to_wait_exclusive(wait, &entry, iob->is_dying ? TASK_UNINTERRUPTIBLE :
									TASK_KILLABLE);
	else if (waited)
		finish_wait(wait, &entry);
	/* While this bio was trying to pass it may have taken another's room. */
	if (verdict == IOBAND_WAIT || verdict == IOBAND_REQUEUE)
		iop_pump(pool, NULL, now_ns);
	/* Here: a bio that is held, and its reference, are not ours after that. */
	if (waited && waitqueue_active(wait) && iob_has_room(pool, iob, now_ns))
		wake_up(wait);
	spin_unlock(&pool->lock);
	/* It goes when map has returned, as what map passes does. */
	if (send && verdict == IOBAND_HELD)
		submit_bio_noacct(send->bio);
	if (!sleeps)
		return verdict;

	/* The group stays: the bio has a reference on it. */
	if (iob->is_dying || !fatal_signal_pending(current))
		schedule_timeout(WAIT_JIFFIES);
	__set_current_state(TASK_RUNNING);
	iob->is_dying |= fatal_signal_pending(current);
	if (READ_ONCE(group->is_limited))
		iob->blocked_ns += ktime_get_ns() - now_ns;
	waited = true;
	goto retry;
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
	iop_note_user(pool, iob);
	if (likely(!READ_ONCE(pool->contended) &&
		   !READ_ONCE(iob->group->is_limited))) {
		if (likely(iob_take_place(pool, iob) <= READ_ONCE(pool->pass_max) ||
			   READ_ONCE(pool->owner) == iob->group))
			return iob_pass(iob, iob->io.arrival_ns);
		iob_leave_place(pool, iob);
	}
	return iop_submit_contended(pool, iob);
}

/**
 * iop_flush - account for an empty flush that is about to pass
 * @pool: the pool
 * @iob: the flush, classified
 *
 * Context: a submitter's; does not sleep.
 */
void iop_flush(struct ioband_pool *pool, struct ioband_bio *iob)
{
	u64 now_ns = iob->io.arrival_ns;

	if (!READ_ONCE(pool->contended) && !READ_ONCE(iob->group->is_limited)) {
		iob_take_place(pool, iob);
	} else {
		iob_find_urgency(iob, iob->bio);
		iob->is_urgent = true;
		spin_lock(&pool->lock);
		now_ns = ktime_get_ns();
		if (!iob->group->detached)
			iob_owe(pool, iob, now_ns);
		iob_push(pool, iob);
		spin_unlock(&pool->lock);
	}
	iob_pass(iob, now_ns);
}

/* The owner has to ask again. */
static void iop_slow(struct ioband_pool *pool)
{
	unsigned long now = jiffies;

	if (READ_ONCE(pool->slow_jiffies) == now)
		return;
	WRITE_ONCE(pool->slow_jiffies, now);
	WRITE_ONCE(pool->owner, NULL);
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
	u64 latency_ns = READ_ONCE(group->latency_ns);
	struct ioband_lane *lane = iob_lane(iob);
	const struct task_struct *sender;
	struct work_struct *work;

	this_cpu_add(stats->done_sectors[iob->io.dir], iob->data_sectors);
	this_cpu_add(stats->done_ns[iob->io.dir],
		     now_ns - iob->io.arrival_ns);
	this_cpu_add(stats->service_ns, service_ns);
	this_cpu_inc(stats->services[ioband_bucket(service_ns)]);
	/* How long a flush or a discard takes is the drive's affair. */
	if (unlikely(latency_ns) && iob->data_sectors) {
		if (now_ns - iob->io.arrival_ns > latency_ns)
			this_cpu_inc(stats->late_ios);
		iog_note_latency(pool, group, service_ns > latency_ns &&
				 !READ_ONCE(iob_below(iob)->stalled_ns));
	}
	iog_busy(group, true);
	if (unlikely(iob->is_timed))
		iob_stop_clock(pool, iob, now_ns);
	if (unlikely(iob->takes == IOBAND_TAKES_NONE))
		goto put;
	/* A full barrier: A, B and C of dispatch.c. */
	iob_leave_place(pool, iob);
	if (service_ns > SLOW_NS && iob->data_sectors)
		iop_slow(pool);
	if (likely(!READ_ONCE(pool->contended)))
		goto put;
	WRITE_ONCE(group->done_ns, now_ns);
	if (likely(iob->data_sectors && !iob_is_given_up(iob)))
		iop_note_service(pool, service_ns);
	/*
	 * There is room for one more. Which one is left to the worker that will
	 * send it: bios cannot be submitted here, and disks complete several at
	 * a time, all of which would wait for as many decisions.
	 */
	if (!READ_ONCE(pool->sched.held))
		goto put;
	/* The disk has enough; the tasks that come with more will send what is held. */
	if (iop_taken_in_turn(pool, iob->io.leg) >= READ_ONCE(pool->refill))
		goto put;
	/*
	 * The lane's worker, as it is about to send. If it is sending it may come to sleep
	 * below before it looks again: then it is another. Unless it is the worker that
	 * completes it, on a disk of memory, and not an interrupt of it.
	 */
	sender = READ_ONCE(lane->sender);
	work = likely(!sender || (sender == current && in_task())) ? &lane->work :
								     &pool->look_work;
	/*
	 * If it is about to run it sees the place free: between our look and its own it
	 * clears the bit, with a full barrier. To look costs less than to queue.
	 */
	if (!work_pending(work))
		queue_work(pool->wq, work);
put:
	percpu_ref_put(&group->ref);
}
