// SPDX-License-Identifier: GPL-2.0-only
/*
 * The path of an I/O through a pool: submit.c and dispatch.c of drivers/md/dm-ioband, for
 * a machine in which only the disk, thinking and the turnaround take time.
 *
 * An I/O passes if the disk is idle enough, or if its group is the only one that uses
 * the disk. Once a second group wants more than fits, the pool is contended and I/O is
 * scheduled, until none has been held for a while.
 */
#include "lib/util.h"
#include "sim-pool.h"
#include "sim-run.h"

/* Contention is over once nothing has been held for this long. */
#define CALM_NS		((s64)(100 * NSEC_PER_MSEC))
#define CALM_SERVICES	4
/* In a trial so many, or a slow disk would never come to the end of one; but it may have hung. */
#define TRIAL_SERVICES	16
#define TRIAL_CALM_NS	((s64)(2 * NSEC_PER_SEC))

/* A disk that all passes to is asked whether it is full after so many times what that takes. */
#define ASK_AFTER	32

/* I/O that takes longer is waiting inside the disk; for how long that is remembered. */
#define SLOW_NS		((u64)(2 * NSEC_PER_MSEC))
#define SLOW_FOR_NS	((u64)(100 * NSEC_PER_MSEC))

/* How long a disk counts as shared after another group than before has used it. */
#define SHARED_FOR_NS	((u64)(10 * NSEC_PER_SEC))

static void iog_issue(struct sim_pool *pool, struct sim_io *iob, u64 now_ns)
{
	iob->issue_ns = now_ns;
	iob->work_ns = ioband_clock_start(&pool->work, now_ns);
	iob->group->in_flight++;
	iob->group->in_flight_sectors[iob->io.dir] += iob->io.sectors;
}

static enum sim_verdict iob_pass(struct sim_pool *pool, struct sim_io *iob,
				 u64 now_ns)
{
	iog_issue(pool, iob, now_ns);
	return SIM_PASS;
}

/* Wake the worker unless it has been woken already. */
static void iop_queue_work(struct sim_pool *pool, u64 now_ns)
{
	if (pool->is_pumping)
		return;
	pool->is_pumping = true;
	pool->pump_ns = now_ns + pool->turnaround_ns;
}

static bool iop_is_shared(const struct sim_pool *pool, u64 now_ns)
{
	return pool->shared_ns && now_ns - pool->shared_ns < SHARED_FOR_NS;
}

static void iop_contend(struct sim_pool *pool, u64 now_ns)
{
	if (!pool->pass_max)
		ioband_depth_doubt(&pool->depth, pool->in_flight);
	iop_begin_depth(pool, now_ns);
	ioband_sched_restart(&pool->sched);
	pool->last_held_ns = now_ns;
	pool->contended = true;
	iop_update_depth(pool);
}

static struct ioband_io *iop_next(struct sim_pool *pool, u64 now_ns)
{
	struct ioband_io *io;

	io = ioband_next(&pool->sched, pool->in_flight, now_ns);
	if (io || pool->contended || !ioband_is_ready(&pool->sched))
		return io;
	iop_contend(pool, now_ns);
	return ioband_next(&pool->sched, pool->in_flight, now_ns);
}

/* Arm the timer to run the pump when the next limit expires. */
static void iop_arm(struct sim_pool *pool)
{
	u64 expires_ns;

	if (!ioband_timer(&pool->sched, &expires_ns) ||
	    expires_ns == pool->timer_ns)
		return;
	pool->timer_ns = expires_ns;
	pool->is_armed = true;
}

/*
 * If all that is held is of the one group that uses the disk, all of it goes, but of writes
 * no more than the disk takes.
 */
static void iop_set_depth(struct sim_pool *pool, u64 now_ns)
{
	bool is_alone = pool->nr_holding <= 1 && !pool->is_split &&
			!pool->sched.squeeze.is_on && !pool->sched.policy->only_limits &&
			!iop_is_shared(pool, now_ns);

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

/* An I/O that the core has chosen goes. */
static void iob_go(struct sim_pool *pool, struct sim_io *iob, u64 now_ns)
{
	struct sim_group *group = iob->group;

	pool->in_flight++;
	if (!--group->held)
		pool->nr_holding--;
	pool->held_writes -= iob->io.dir == IOBAND_WRITE;
	iog_issue(pool, iob, now_ns);
	if (pool->is_timed)
		iob_start_clock(pool, iob, now_ns);
	else
		iop_unstream(pool, iob);
	if (group->held < pool->held_max && !list_empty(&group->waiters))
		pool->released(pool, group);
}

/*
 * Dispatch held I/O while there is room; where groups have grants a submitter sends one at
 * most. @self, if any, has just been held by the caller. If it, or another of its group,
 * is dispatched and the disk has a tag it is returned, for the caller to send it.
 * @is_worker: the caller will send the lane, so do not wake the worker.
 */
static struct sim_io *pump(struct sim_pool *pool, struct sim_io *self, bool is_worker,
			   u64 now_ns)
{
	struct sim_io *direct = NULL, *iob;
	struct ioband_io *io = NULL;
	bool is_own;

	iop_settle(pool);
	if (iop_tick_squeeze(pool, now_ns) && !pool->contended)
		iop_contend(pool, now_ns);
	iop_set_depth(pool, now_ns);
	if (self)
		io = ioband_next_own(&pool->sched, &self->group->node, pool->in_flight, now_ns);
	is_own = io;
	while (io || (io = iop_next(pool, now_ns))) {
		iob = sim_io_of(io);
		iob_go(pool, iob, now_ns);
		if ((is_own || iob == self) && pool->in_flight <= pool->tags) {
			direct = iob;
		} else {
			list_add_tail(&iob->link, &pool->lane);
			if (!is_worker)
				iop_queue_work(pool, now_ns);
		}
		if (is_own || (self && pool->sched.grant > 1))
			break;
		io = NULL;
	}
	if (pool->is_alone)
		iop_update_depth(pool);
	iop_arm(pool);
	return direct;
}

/**
 * iop_pump - dispatch held I/O in the worker
 * @pool: the pool; the caller has to send its lane afterwards
 * @now_ns: current time
 */
void iop_pump(struct sim_pool *pool, u64 now_ns)
{
	pump(pool, NULL, true, now_ns);
}

static void iog_join(struct sim_pool *pool, struct sim_group *group)
{
	if (!ioband_node_joined(&pool->sched, &group->node))
		ioband_node_join(&pool->sched, &group->node, group->in_flight,
				 group->in_flight_sectors[IOBAND_READ] +
				 group->in_flight_sectors[IOBAND_WRITE]);
}

static void iop_disown(struct sim_pool *pool)
{
	pool->passes[IOBAND_READ] = NULL;
	pool->passes[IOBAND_WRITE] = NULL;
}

/* Note which group uses the disk, and when that was another than before. */
static void iop_note_user(struct sim_pool *pool, struct sim_group *group, u64 now_ns)
{
	if (pool->user == group)
		return;
	if (pool->user) {
		pool->shared_ns = now_ns;
		if (now_ns > pool->ask_ns && !pool->contended && pool->pass_max != U32_MAX)
			pool->pass_max = 0;
	}
	pool->user = group;
	iop_disown(pool);
}

/*
 * Whether the group of an I/O has the disk to itself, and its reads would not wait long
 * behind its own writes.
 */
static bool iop_is_own(struct sim_pool *pool, const struct sim_io *iob, u64 now_ns)
{
	const u64 *sectors = iob->group->in_flight_sectors;

	if (iop_is_shared(pool, now_ns))
		return false;
	if (iob->io.dir == IOBAND_READ && pool->slow_ns &&
	    now_ns - pool->slow_ns < SLOW_FOR_NS)
		pool->is_split |= sectors[IOBAND_WRITE] > sectors[IOBAND_READ];
	return !pool->is_split;
}

/* Whether an I/O may pass without contention; if so, count it as in flight. */
static bool iop_takes(struct sim_pool *pool, struct sim_io *iob, u64 now_ns)
{
	if (pool->in_flight >= pool->pass_max && !pool->sched.policy->only_limits) {
		if (!iop_is_own(pool, iob, now_ns))
			return false;
		pool->passes[iob->io.dir] = iob->group;
	}
	pool->in_flight++;
	return true;
}

/* Returns what the submitter shall send: this I/O, another of its group, or %NULL. */
static struct sim_io *iob_hold(struct sim_pool *pool, struct sim_io *iob, u64 now_ns)
{
	struct sim_io *send;
	struct ioband_node *node = &iob->group->node;

	iob->account = iop_stream(pool, iob, now_ns);
	if (iob->account)
		node = iob->account->node;
	if (!iob->group->held++)
		pool->nr_holding++;
	pool->held_writes += iob->io.dir == IOBAND_WRITE;
	iob->io.done_ns = iob->group->done_ns;
	ioband_hold(&pool->sched, node, &iob->io, now_ns);
	send = pump(pool, iob, false, now_ns);
	if (send != iob && pool->sched.backlog.since_ns)
		pool->last_held_ns = now_ns;
	return send;
}

static s64 iop_calm_in_trial_ns(const struct sim_pool *pool)
{
	return clamp((s64)pool->service_ns * TRIAL_SERVICES, CALM_NS, TRIAL_CALM_NS);
}

static s64 iop_calm_ns(const struct sim_pool *pool)
{
	if (pool->depth.trying)
		return iop_calm_in_trial_ns(pool);
	if (pool->sched.quick == 1)
		return CALM_NS;
	return min_t(s64, pool->service_ns * CALM_SERVICES, CALM_NS);
}

/* When nothing had to be held for a while, I/O passes again. */
static void iop_calm(struct sim_pool *pool, u64 now_ns)
{
	if (pool->sched.squeeze.is_on || ioband_is_ready(&pool->sched) ||
	    (s64)(now_ns - pool->last_held_ns) <= iop_calm_ns(pool))
		return;
	pool->contended = false;
	pool->ask_ns = now_ns + ASK_AFTER * iop_calm_in_trial_ns(pool);
	pool->is_timed = false;
	pool->is_split = false;
	iop_disown(pool);
	ioband_depth_end(&pool->depth);
	iop_update_depth(pool);
}

static enum sim_verdict iop_submit_contended(struct sim_pool *pool, struct sim_io *iob,
					     struct sim_io **send, u64 now_ns)
{
	struct sim_group *group = iob->group;

	if (pool->contended) {
		iop_is_own(pool, iob, now_ns);
		iop_calm(pool, now_ns);
	}
	if (!pool->contended &&
	    ioband_may_pass(&group->node, &iob->io, now_ns)) {
		if (iop_takes(pool, iob, now_ns)) {
			ioband_charge_limits(&pool->sched, &group->node,
					     &iob->io, false, now_ns);
			return iob_pass(pool, iob, now_ns);
		}
		iop_contend(pool, now_ns);
	}

	iog_join(pool, group);
	if (group->held >= pool->held_max) {
		pump(pool, NULL, false, now_ns);
		return SIM_WAIT;
	}
	*send = iob_hold(pool, iob, now_ns);
	return *send == iob ? SIM_PASS : SIM_HELD;
}

/**
 * iop_submit - pass an I/O or hold it
 * @pool: the pool
 * @iob: the I/O with its job, group, size and kind filled in
 * @send: filled in: what to send if @iob is held, or %NULL
 * @now_ns: current time
 *
 * Return: what to do with it; on %SIM_WAIT the caller still owns it.
 */
enum sim_verdict iop_submit(struct sim_pool *pool, struct sim_io *iob, struct sim_io **send,
			    u64 now_ns)
{
	*send = NULL;
	iob->io.arrival_ns = now_ns;
	iob->account = NULL;
	iob->is_timed = false;
	iop_note_user(pool, iob->group, now_ns);
	if (!pool->contended && !iob->group->is_limited &&
	    (pool->in_flight < pool->pass_max ||
	     pool->passes[iob->io.dir] == iob->group)) {
		pool->in_flight++;
		return iob_pass(pool, iob, now_ns);
	}
	return iop_submit_contended(pool, iob, send, now_ns);
}

/**
 * iop_complete - account for the completion of an I/O
 * @pool: the pool
 * @iob: an I/O that was issued
 * @now_ns: current time
 */
void iop_complete(struct sim_pool *pool, struct sim_io *iob, u64 now_ns)
{
	iob->group->in_flight--;
	iob->group->in_flight_sectors[iob->io.dir] -= iob->io.sectors;
	if (iob->is_timed)
		iob_stop_clock(pool, iob, now_ns);
	pool->in_flight--;
	if (iob_note_latency(pool, iob, now_ns) && !pool->contended)
		iop_queue_work(pool, now_ns);
	if (now_ns - iob->issue_ns > SLOW_NS) {
		pool->slow_ns = now_ns;
		pool->passes[IOBAND_READ] = NULL;
	}
	if (!pool->contended)
		return;
	iob->group->done_ns = now_ns;
	iop_note_service(pool, now_ns - iob->issue_ns);
	if (pool->sched.held && (pool->in_flight < pool->sched.refill ||
				 ioband_is_promised(&pool->sched)))
		iop_queue_work(pool, now_ns);
}

/**
 * iog_init - initialise a group
 * @group: zeroed memory, except for @count
 * @weight: its weight
 * @class: its class among its siblings
 * @terms: limits and so on, or %NULL; owned by the caller
 */
void iog_init(struct sim_group *group, u32 weight, enum ioband_class class,
	      struct ioband_terms *terms)
{
	ioband_node_init(&group->node, weight);
	group->node.class = class;
	group->node.terms = terms;
	if (terms)
		terms->node = &group->node;
	group->account.node = &group->node;
	INIT_LIST_HEAD(&group->account.news);
	INIT_LIST_HEAD(&group->waiters);
	INIT_LIST_HEAD(&group->late);
}

/**
 * iog_add - add a group to the tree
 * @pool: the pool
 * @group: the group
 * @parent: its parent in the tree, or %NULL for none
 */
void iog_add(struct sim_pool *pool, struct sim_group *group,
	     struct sim_group *parent)
{
	const struct ioband_terms *terms = group->node.terms;

	ioband_node_add(parent ? &parent->node : &pool->sched.root,
			&group->node);
	group->is_limited = (terms && terms->has_limits) ||
			    (parent && parent->is_limited);
	if (terms && terms->latency_ns &&
	    (!pool->depth.latency_ns ||
	     terms->latency_ns < pool->depth.latency_ns))
		pool->depth.latency_ns = terms->latency_ns;
}

/**
 * iop_set_quantum - set how long a group may keep a rotational disk
 * @pool: the pool
 * @quantum_ms: the quantum; 0 for the default
 */
void iop_set_quantum(struct sim_pool *pool, u32 quantum_ms)
{
	if (quantum_ms)
		pool->sched.turn.quantum_ns = (u64)quantum_ms * NSEC_PER_MSEC;
}

/**
 * iop_init - initialise a pool with one disk
 * @pool: zeroed memory, except for io_throttle, io_limit and turnaround_ns
 * @policy: the policy, which says what is divided
 * @tags: number of I/Os that the disk takes at once
 * @is_rotational: seeks cost time
 * @now_ns: current time
 */
void iop_init(struct sim_pool *pool, const struct ioband_policy *policy,
	      u32 tags, bool is_rotational, u64 now_ns)
{
	INIT_LIST_HEAD(&pool->news);
	INIT_LIST_HEAD(&pool->late);
	INIT_LIST_HEAD(&pool->idle_streams);
	INIT_LIST_HEAD(&pool->lane);
	for (u32 i = 0; i < ARRAY_SIZE(pool->stream_hash); i++)
		INIT_LIST_HEAD(&pool->stream_hash[i]);
	pool->tags = tags;
	pool->is_rotational = is_rotational;
	ioband_sched_init(&pool->sched, policy, 1);
	ioband_depth_init(&pool->depth, 1);
	if (policy->by_time)
		iop_alloc_streams(pool);
	iop_begin_depth(pool, now_ns);
}

/**
 * iop_free - free what a pool has allocated
 * @pool: the pool
 */
void iop_free(struct sim_pool *pool)
{
	free(pool->streams);
	pool->streams = NULL;
}
