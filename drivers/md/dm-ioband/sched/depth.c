// SPDX-License-Identifier: GPL-2.0-only
/*
 * How deep the disk's queue is kept: found by trial, never changed without reason.
 *
 * The depth cannot be calculated: how many I/Os a disk serves at once depends on
 * the disk, on the workload, and on what lies between. So it is found by trial.
 * The work done in a window of time is known; change the depth, let what is in
 * flight drain, and measure a second window:
 *
 *	more, now and then:		kept if it brings 2 % more work
 *	less, if groups lose turns:	kept if it costs no more than 1 %
 *	less, if a target is missed:	kept if it costs no more than 4 %
 *	less, if there are guests:	kept if it costs no more than 1 %
 *
 * More work means more I/Os and more sectors, less work means less of both. The
 * turns that some groups lose go to others, and a disk that is given other I/Os
 * does more or less of one kind without being faster or slower. The same happens
 * by chance where I/Os are of all sizes, as a window has few large ones. If an I/O
 * takes some fixed time and some per sector, whatever these are, the disk has become
 * faster by no less than the smaller of the two gains.
 *
 * A depth of 1 may cost 3 %, and is left for 4 %: the disk idles from one I/O to
 * the next, but it can be kept free for a task that thinks.
 *
 * A group loses a turn if it has too little outstanding: all of it is at the disk,
 * behind I/O of others, and nothing is held when its turn comes. The less there is
 * at the disk, the sooner it comes back. A group that sends one I/O at a time loses
 * a turn in each round of the disk's queue, however long that is. What it costs to
 * keep the disk free for it (turn.c) is not due to the depth: that time does
 * not count.
 *
 * A guest asks for less than its share, or reads a little beside its own writes. It
 * waits only for what is at the disk, so whatever is there needlessly makes it wait
 * longer. There are guests nearly always, and many steps of 1 % would add up: while
 * there are, more means twice as much. What less costs is then measured in the
 * policy's unit, since less for the others is more for the guests; but not while
 * turns are lost, for what others gain by those is no gain.
 *
 * A trial that succeeds is followed at once by one twice as far, so that a disk of
 * a thousand slots is found in a second. After one that fails the pause is twice the
 * last. If more has failed and no turns are lost, twice the depth is tried next,
 * and kept for 4 %: steps of 1 % down may have led to where an eighth up brings too
 * little. Between a depth that proved too little and the present one the next trial
 * is half way, and at once: windows are short, and one that misled is soon corrected.
 *
 * A window misleads if something kept the processor from filling the disk. So a trial
 * is compared to the better of the two windows before it.
 *
 * A trial is cheap: one window, mostly at an eighth more or less; or 16 I/Os, or two
 * rounds of the queue, if it is clear by then that it costs too much. The window in
 * which its effect drains does not count either, and windows in which there was at
 * times nothing to send prove nothing.
 */
#include "depth.h"
#include "heap.h"

enum {
	/* More than a slow disk has slots, too few to cost a busy group its share. */
	DEPTH_START	= 16,

	STEP_MIN	= 1,	/* eighths of the depth */
	STEP_MAX	= 8,

	GAIN_PERCENT	= 2,
	FAR_GAIN_PERCENT = 4,
	LOSS_PERCENT	= 1,
	LATENCY_LOSS_PERCENT = 4,
	SERIAL_LOSS_PERCENT = 3,
	SERIAL_GAIN_PERCENT = 4,

	/* What windows at the same depth may differ by if nothing has changed. */
	CHANCE_PERCENT	= 5,

	/* Turns are being lost if there is more than one in so many I/Os ... */
	LEAK_IOS	= 16,
	/* ... or in so many rounds of the disk's queue. */
	LEAK_ROUNDS	= 2,

	/* There are guests if there is more than one in so many I/Os. */
	GUEST_IOS	= 256,
	/* Not 1 for the sake of guests: each I/O would wait for the one before. */
	GUEST_DEPTH_MIN	= 2,

	/* A trial that costs much is ended when it has cost this many. */
	COSTLY_IOS	= 16,
};

#define PAUSE_MIN_NS	((u64)NSEC_PER_SEC)
/* Less that fails costs much at once, and what it has told holds for a while. */
#define DOWN_PAUSE_NS	((u64)2 * NSEC_PER_SEC)
#define PAUSE_MAX_NS	((u64)32 * NSEC_PER_SEC)

/* I/Os beyond the depth, for groups that ask for less than their share. */
#define SPARE_MAX	16U

const char * const ioband_depth_reasons[IOBAND_DEPTH_REASONS] = {
	[IOBAND_DEPTH_START]		= "start",
	[IOBAND_DEPTH_THROUGHPUT]	= "throughput",
	[IOBAND_DEPTH_SHARE]		= "share",
	[IOBAND_DEPTH_GUESTS]		= "guests",
	[IOBAND_DEPTH_LATENCY]		= "latency",
	[IOBAND_DEPTH_TAGS]		= "tags",
	[IOBAND_DEPTH_SEEKS]		= "seeks",
	[IOBAND_DEPTH_IO_THROTTLE]	= "io_throttle",
	[IOBAND_DEPTH_IO_LIMIT]		= "io_limit",
	[IOBAND_DEPTH_POLICY]		= "policy",
};

/**
 * ioband_depth_init - prepare for a disk of which nothing is known
 * @depth: uninitialised memory
 */
void ioband_depth_init(struct ioband_depth *depth)
{
	memset(depth, 0, sizeof(*depth));
	depth->depth = DEPTH_START;
	depth->settled = DEPTH_START;
	depth->max = DEPTH_START;
	depth->step = STEP_MIN;
	depth->up_pause_ns = PAUSE_MIN_NS;
	depth->down_pause_ns = DOWN_PAUSE_NS;
}

static void set_max(struct ioband_depth *depth, u32 max)
{
	depth->max = max;
	depth->settled = min(depth->settled, max);
	depth->depth = min(depth->depth, max);
}

/**
 * ioband_depth_begin - begin a busy period
 * @depth: the depth; what was learnt before is kept
 * @max: bound of the depth
 * @now: a sample taken now
 */
void ioband_depth_begin(struct ioband_depth *depth, u32 max,
			const struct ioband_depth_sample *now)
{
	/* A bound that was once learnt too low must not last. */
	if (depth->reason == IOBAND_DEPTH_START)
		depth->settled = DEPTH_START;
	depth->depth = depth->settled;
	depth->trying = 0;
	depth->last = (struct ioband_depth_rate){};
	depth->from = *now;
	depth->try_up_ns = now->now_ns + PAUSE_MIN_NS / 2;
	depth->try_down_ns = depth->try_up_ns;
	set_max(depth, max);
}

static u64 per_second(u64 amount, u64 ns)
{
	return mul_u64_u64_div_u64(amount, NSEC_PER_SEC, ns);
}

static u64 working_ns(const struct ioband_depth_sample *from,
		      const struct ioband_depth_sample *now)
{
	u64 ns = now->now_ns - from->now_ns;

	return max(ns - min(now->graced_ns - from->graced_ns, ns), (u64)1);
}

static void try(struct ioband_depth *depth, s32 direction)
{
	u32 change = max(depth->settled * depth->step / 8, 1U);

	/* Many steps down may have cost 1 % each: look far. */
	if (direction > 0 && (depth->guests || depth->far))
		change = depth->settled;
	else if (direction < 0 && depth->floor)
		change = max((depth->settled - depth->floor) / 2, 1U);
	if (direction > 0)
		depth->depth = min(depth->settled + change, depth->max);
	else
		/* With less than half, the disk might idle for a window. */
		depth->depth = depth->settled - min(change, depth->settled / 2);
	depth->trying = direction;
	depth->settling = true;
}

static u64 doubled(u64 pause_ns)
{
	return min(pause_ns * 2, PAUSE_MAX_NS);
}

/* The work that a trial must yield to succeed, in percent of that before. */
static u32 asked_percent(const struct ioband_depth *depth)
{
	if (depth->trying > 0 && depth->settled == 1)
		return 100 + SERIAL_GAIN_PERCENT;
	if (depth->trying > 0)
		return 100 + (depth->far && !depth->guests ? FAR_GAIN_PERCENT :
							     GAIN_PERCENT);
	if (depth->reason == IOBAND_DEPTH_LATENCY)
		return 100 - LATENCY_LOSS_PERCENT;
	return 100 - (depth->depth == 1 ? SERIAL_LOSS_PERCENT : LOSS_PERCENT);
}

static bool is_enough(const struct ioband_depth *depth,
		      const struct ioband_depth_rate *rate)
{
	u32 percent = asked_percent(depth);
	bool ios = rate->ios * 100 >= depth->rate.ios * percent;
	bool sectors = rate->sectors * 100 >= depth->rate.sectors * percent;
	bool work = rate->work * 100 >= depth->rate.work * percent;

	if (depth->trying > 0)
		return ios && sectors;
	/* By the policy's unit, guests gain what the others lose. */
	if (depth->guests)
		return rate->work ? work : ios && sectors;
	return ios || sectors;
}

static void after_more(struct ioband_depth *depth, bool good, u64 now_ns)
{
	depth->far = !good && !depth->far;
	if (!good) {
		depth->up_pause_ns = doubled(depth->up_pause_ns);
		depth->try_up_ns = now_ns + depth->up_pause_ns;
		return;
	}
	depth->up_pause_ns = PAUSE_MIN_NS / 2;
	depth->try_up_ns = now_ns;
	/* Do not give away at once what a trial of more has regained. */
	if (depth->guests)
		depth->try_down_ns = now_ns + PAUSE_MAX_NS;
}

static void after_less(struct ioband_depth *depth, bool good, u64 now_ns)
{
	/*
	 * Even one less costs too much: it is not worth trying often for guests. But
	 * this takes more than one trial to tell: 1 % of a window may be a matter of
	 * when a disk that completes several at once does so.
	 */
	bool is_knee = depth->reason == IOBAND_DEPTH_GUESTS &&
		       depth->settled == depth->depth + 1 &&
		       depth->down_pause_ns > DOWN_PAUSE_NS;

	if (!good) {
		depth->down_pause_ns = is_knee ? PAUSE_MAX_NS :
				       doubled(depth->down_pause_ns);
		depth->try_down_ns = now_ns + depth->down_pause_ns;
	} else {
		if (!depth->floor) {
			depth->down_pause_ns = DOWN_PAUSE_NS;
			depth->try_down_ns = now_ns;
		}
		/* While 2 is tried, a task that thinks loses all of its turns. */
		if (depth->depth == 1)
			depth->up_pause_ns = PAUSE_MAX_NS;
		else if (depth->guests)
			depth->up_pause_ns = PAUSE_MIN_NS;
	}
	/* Otherwise the same 1 % would raise the depth again at once. */
	if (good)
		depth->try_up_ns = now_ns + depth->up_pause_ns;
}

/* End a trial: keep the depth and go on from there, or go back. */
static void judge(struct ioband_depth *depth,
		  const struct ioband_depth_rate *rate, bool tells, bool leaky,
		  bool costly, u64 now_ns)
{
	bool is_more = depth->trying > 0;
	bool good;

	/* Turns that some lose go to the others, not to guests. */
	if (leaky)
		depth->guests = false;
	/* Less that costs nothing is good, even if there were gaps. */
	good = !costly && (tells || !is_more) && is_enough(depth, rate);

	/* More that paid, or less that did not: the smaller depth is too little. */
	if (good == is_more)
		depth->floor = min(depth->settled, depth->depth);
	if (is_more)
		after_more(depth, good, now_ns);
	else
		after_less(depth, good, now_ns);
	if (good == is_more || (tells && !good))
		depth->reason = IOBAND_DEPTH_THROUGHPUT;
	if (good) {
		depth->settled = depth->depth;
		depth->rate = *rate;
		depth->last = *rate;
		depth->step = min_t(u32, depth->step * 2, STEP_MAX);
	} else {
		depth->depth = depth->settled;
		depth->settling = true;
		depth->step = STEP_MIN;
	}
	depth->trying = 0;
}

/*
 * Of two windows at one depth, the one in which more was done: now and then
 * something keeps the processor from filling the disk. If they differ much, the
 * disk or the workload has changed.
 */
static struct ioband_depth_rate better(const struct ioband_depth_rate *last,
				       const struct ioband_depth_rate *now)
{
	bool is_chance = last->ios * (100 - CHANCE_PERCENT) <= now->ios * 100;

	return is_chance && last->ios > now->ios ? *last : *now;
}

static bool is_late(const struct ioband_depth *depth)
{
	return depth->latency_ns && depth->service_ns > depth->latency_ns / 2;
}

static bool is_leaky(const struct ioband_depth *depth, u64 ios, u64 leaks)
{
	u32 few = max_t(u32, LEAK_IOS, LEAK_ROUNDS * depth->settled);

	return leaks * few > ios;
}

/* Whether more brings nothing but lost turns; told after two rounds of the queue. */
static bool is_vain(const struct ioband_depth *depth, u64 ios, u64 leaks, u64 due)
{
	u64 filled = depth->settling ? depth->depth - depth->settled : 0;

	return !depth->leaky && is_leaky(depth, ios, leaks) &&
	       ios >= max_t(u32, COSTLY_IOS, LEAK_ROUNDS * depth->depth) &&
	       (ios - filled) * 100 < due * (100 + GAIN_PERCENT);
}

/* Whether less costs more than a tenth; told long before the window ends. */
static bool is_costly(const struct ioband_depth *depth, u64 ios, u64 sectors,
		      u64 due)
{
	u64 drained = depth->settling ? depth->settled - depth->depth : 0;

	if (due <= drained)
		return false;
	due -= drained;
	return ios + max_t(u64, COSTLY_IOS, due / 10) <= due &&
	       sectors * depth->rate.ios * 10 <= due * depth->rate.sectors * 9;
}

static bool has_guests(u64 ios, u64 guests)
{
	return guests * GUEST_IOS > ios;
}

/* Whether there is a depth to try between what is too little and the present one. */
static bool may_go_down(const struct ioband_depth *depth, u64 now_ns)
{
	return depth->settled > depth->floor + 1 &&
	       (depth->floor || !ioband_before(now_ns, depth->try_down_ns));
}

static void consider(struct ioband_depth *depth, bool leaky, bool tells,
		     u64 now_ns)
{
	bool may_go_up = tells && depth->settled < depth->max &&
			 !is_late(depth) &&
			 !ioband_before(now_ns, depth->try_up_ns);

	if (!ioband_before(now_ns, depth->try_down_ns))
		depth->floor = 0;
	/* If more may be tried, a depth half way to the floor can wait. */
	if (may_go_down(depth, now_ns) && !(depth->floor && may_go_up)) {
		if (is_late(depth))
			depth->reason = IOBAND_DEPTH_LATENCY;
		else if (leaky)
			depth->reason = IOBAND_DEPTH_SHARE;
		else if (depth->guests && depth->settled > GUEST_DEPTH_MIN)
			depth->reason = IOBAND_DEPTH_GUESTS;
		else
			goto up;
		try(depth, -1);
		return;
	}
up:
	if (!may_go_up)
		return;
	/* At twice the depth, even more turns would be lost. */
	if (leaky)
		depth->far = false;
	try(depth, 1);
}

/**
 * ioband_depth_tick - change the depth if it is time to
 * @depth: the depth
 * @max: its bound, which may have changed
 * @now: a sample taken now
 *
 * To be called often while the disk is busy, at least whenever
 * ioband_depth_is_due() says so.
 *
 * Return: whether @depth->depth was changed.
 */
bool ioband_depth_tick(struct ioband_depth *depth, u32 max,
		       const struct ioband_depth_sample *now)
{
	const struct ioband_depth_sample *from = &depth->from;
	u64 ns = now->now_ns - from->now_ns;
	u32 before = depth->depth;
	struct ioband_depth_rate rate;
	bool tells, leaky, costly;
	u64 ios, sectors, leaks, due;

	if (max != depth->max)
		set_max(depth, max);
	ios = now->ios - from->ios;
	sectors = now->sectors - from->sectors;
	leaks = now->leaks - from->leaks;
	due = mul_u64_u64_div_u64(depth->rate.ios, working_ns(from, now), NSEC_PER_SEC);
	costly = depth->trying < 0 ? is_costly(depth, ios, sectors, due) :
		 depth->trying && is_vain(depth, ios, leaks, due);
	if (costly)
		depth->settling = false;
	else if (!ioband_depth_window_ends(ns, ios))
		return depth->depth != before;

	tells = now->gaps == from->gaps;
	rate.ios = per_second(ios, working_ns(from, now));
	rate.sectors = per_second(sectors, working_ns(from, now));
	rate.work = per_second(now->work - from->work, working_ns(from, now));
	leaky = is_leaky(depth, ios, leaks);
	if (tells && !depth->settling) {
		depth->shown_ios = max(depth->shown_ios, per_second(ios, ns));
		depth->shown_bytes = max(depth->shown_bytes,
					 per_second(sectors << 9, ns));
	}
	if (depth->settling) {
		depth->settling = false;
	} else if (depth->trying) {
		judge(depth, &rate, tells, leaky, costly, now->now_ns);
	} else {
		depth->rate = better(&depth->last, &rate);
		depth->last = rate;
		depth->leaky = leaky;
		depth->guests = !leaky && has_guests(ios, now->guests - from->guests);
		consider(depth, leaky, tells, now->now_ns);
	}
	depth->from = *now;
	return depth->depth != before;
}

/**
 * ioband_depth_enforce - put a depth into force
 * @depth: what trials have found
 * @sched: the scheduler; its depth, spare and @turn.is_serial are set
 * @bounds: what overrides the result of trials
 *
 * Context: any; the lock of @sched held.
 * Return: what determined the depth.
 */
enum ioband_depth_reason
ioband_depth_enforce(const struct ioband_depth *depth, struct ioband_sched *sched,
		     const struct ioband_depth_bounds *bounds)
{
	/* Where a disk seeks, a turn belongs to one task at a time. */
	bool by_turns = sched->policy->by_time && bounds->is_rotational;
	u32 limit = DIV_ROUND_UP(bounds->io_limit, bounds->legs);
	enum ioband_depth_reason reason = depth->reason;
	u32 in_force = depth->depth, most = bounds->tags;

	if (in_force >= most) {
		in_force = most;
		reason = IOBAND_DEPTH_TAGS;
	}
	if (by_turns) {
		in_force = 1;
		most = 1;
		reason = IOBAND_DEPTH_SEEKS;
	}
	if (bounds->io_throttle) {
		in_force = DIV_ROUND_UP(bounds->io_throttle, bounds->legs);
		most = in_force;
		reason = IOBAND_DEPTH_IO_THROTTLE;
	}
	if (limit)
		most = min(most, limit);
	if (in_force > most) {
		in_force = most;
		reason = IOBAND_DEPTH_IO_LIMIT;
	}
	if (sched->policy->only_limits) {
		in_force = U32_MAX;
		most = in_force;
		reason = IOBAND_DEPTH_POLICY;
	}
	sched->depth = in_force;
	sched->spare = min(most - in_force, SPARE_MAX);
	/* One I/O at each of several legs is not one at a time, except with turns. */
	sched->turn.is_serial = in_force == 1 && (bounds->legs == 1 || by_turns);
	return reason;
}
