// SPDX-License-Identifier: GPL-2.0-only
/*
 * How deep the disk's queue is kept: found by trial.
 *
 * The depth cannot be calculated: how many I/Os a disk serves at once depends on the
 * disk, on the workload, and on what lies between. Too little leaves the disk idle. Too
 * much fills its queue with what can no longer be put in order: groups that send little
 * wait behind it, and lose their turns. So the least is wanted with which the disk does
 * all it can.
 *
 * What it does at some depth shows while it has as much as that, and more waits for room
 * (struct ioband_backlog). Time in which there was less to send does not count. During a
 * trial time counts, though nothing waits, while the disk has more than is known to be too
 * little: or what fits into the depth on trial would leave it in force for ever, and the
 * disk would divide itself. If all fits, and waits inside the disk, less is tried. How long
 * the disk takes for an I/O then does not depend on how many there are to send, but on
 * the depth: it falls as long as parts of the disk were idle, and no longer. It is
 * measured in batches of one round of the queue, so that the scatter among these tells
 * how far the mean can be trusted.
 *
 * As long as the disk is plainly faster with twice as much, the depth doubles with every
 * second round of its queue. Then, from a depth that is too little, twice as much is tried
 * until that brings nothing, and from one that is too much half as much until that costs
 * something; then the depths between, halving the distance each time.
 *
 * A trial compares two depths, each for a few batches by turns, lest it takes a change
 * of the disk for a gain. It ends as soon as it is beyond doubt whether more or less is
 * gained than is asked for. If time is up, what is more likely than not will do; and if
 * nothing is, what is nearer: that the disk does the same, or as much more or less as there
 * is at the disk.
 *
 * When the depth is known to an eighth there is a pause, a second at first and twice as
 * long each time that nothing has changed after it. That is found out by one trial of
 * twice as much, and one of an eighth less. The former ends after a quarter of a second, for it
 * costs groups with few I/Os their turns; but after 2 s while it is likely to be better, or if the
 * disk does little in that time: what is taken by chance is in force until the search is over
 * again, or for good, if all there is fits into it and nothing waits any more. If the disk
 * does much more or less than it did, it is another disk, or other I/O, and the search begins
 * anew at once.
 *
 * Small I/Os and large ones cannot be added up: what each costs depends on the disk, and a
 * depth often trades one for the other. With few at the disk small reads are quick, and
 * large ones wait: more I/Os, and hardly any sectors. So what the disk does is I/Os times
 * sectors, as a mean of both (work_of()): it grows as long as one gains a greater part than
 * the other loses, whatever the sizes are. Unless the number of I/Os stays the same, which
 * is what a disk does that takes as long for each: there larger ones are no gain.
 *
 * A depth of 1 may cost 3 %, and is left for 4 %: the disk idles from one I/O to the next,
 * but it can be kept free for a task that thinks (turn.c).
 */
#include "depth.h"

enum {
	/* Twice as much is soon tried, and what is sent too early cannot be recalled. */
	DEPTH_START	= 2,

	/* 1 in the means. */
	ONE		= 1 << 20,

	/* What more has to bring, what less may cost. */
	GAIN		= ONE / 1024 * 20,
	LOSS		= ONE / 1024 * 10,
	SERIAL_LOSS	= ONE / 1024 * 31,
	SERIAL_GAIN	= ONE / 1024 * 41,
	LATENCY_LOSS	= ONE / 1024 * 41,
	/* So many more or fewer I/Os are as many; so much more or less of each, another mix. */
	SAME		= ONE / 1024 * 10,
	MIX		= ONE / 8,
	/* I/O that takes a part more of its time at the disk waits inside it. */
	INSIDE		= 4,
	/* At one depth: another disk, or other I/O. */
	CHANGE		= 205,
	/* Even few batches tell; a single one, if twice as much gains so much of a half. */
	PLAIN		= ONE / 4,
	RAMP		= 384,

	/* A batch is a round of the queue, but no fewer I/Os. */
	BATCH_IOS	= 8,
	/* Batches that a depth is measured for at a time; of fewer the scatter tells little. */
	BLOCK_BATCHES	= 4,
	/* Of which what is worth it shows beyond doubt; a slow disk takes longer for them. */
	AGAIN_BATCHES	= 4 * BLOCK_BATCHES,
	/* A mean follows what changes as if it were of so many. */
	MEAN_BATCHES	= 64,

	/* The most that one batch counts. */
	COST_MAX	= ONE << 6,
};

#define TRIAL_MAX_NS	((u64)NSEC_PER_SEC / 2)
/* For twice of what was found; while that is likely to be better, and of few batches. */
#define AGAIN_MAX_NS	((u64)NSEC_PER_SEC / 4)
#define DOUBT_MAX_NS	((u64)2 * NSEC_PER_SEC)
#define REST_MIN_NS	((u64)NSEC_PER_SEC)
#define REST_MAX_NS	((u64)32 * NSEC_PER_SEC)

/* What the disk has shown it can do is what it did for so long. */
#define SHOWN_NS	((u64)50 * NSEC_PER_MSEC)
#define SHOWN_IOS	128

/* In this time the order of what groups send is not looked at. */
#define QUICK_NS	((u64)200 * NSEC_PER_USEC)
#define QUICK_IOS_MIN	4
#define QUICK_IOS_MAX	((u64)1024)

/* A drive sorts no more at once. */
#define TURN_IOS	32U

/* I/Os beyond the depth, for groups that ask for less than their share. */
#define SPARE_MAX	16U

const char * const ioband_depth_reasons[IOBAND_DEPTH_REASONS] = {
	[IOBAND_DEPTH_START]		= "start",
	[IOBAND_DEPTH_THROUGHPUT]	= "throughput",
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
 * @legs: number of legs, each of which has this depth
 */
void ioband_depth_init(struct ioband_depth *depth, u32 legs)
{
	memset(depth, 0, sizeof(*depth));
	depth->legs = legs;
	depth->depth = DEPTH_START;
	depth->settled = DEPTH_START;
	depth->max = DEPTH_START;
}

static void begin_search(struct ioband_depth *depth, enum ioband_depth_search how)
{
	depth->search = how;
	depth->has_rested &= how != IOBAND_RAMP;
	depth->much = 0;
	depth->little = 0;
	depth->rest_ns = 0;
}

/* It is another disk, or other I/O: search from @settled on. */
static void begin_anew(struct ioband_depth *depth, u32 settled)
{
	begin_search(depth, IOBAND_RAMP);
	depth->settled = settled;
	depth->depth = settled;
	depth->trying = 0;
	depth->is = (struct ioband_depth_cost) {};
	depth->io_unit = 0;
	depth->work_unit = 0;
}

static void set_max(struct ioband_depth *depth, u32 max)
{
	depth->max = max;
	/* What was found, or is tried, cannot be had any more. */
	if (max(depth->settled, depth->trying) > max) {
		begin_search(depth, IOBAND_SEARCH);
		depth->settled = min(depth->settled, max);
		depth->depth = depth->settled;
		depth->trying = 0;
		depth->is = (struct ioband_depth_cost) {};
	}
}

/* Measure anew, when @skip I/Os more have gone. */
static void begin_batch(struct ioband_depth *depth, u32 skip,
			const struct ioband_depth_sample *now)
{
	depth->skip = skip;
	depth->from = *now;
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
	set_max(depth, max);
	depth->shown = *now;
	depth->due_ios = now->sent_ios;
	begin_batch(depth, depth->depth * depth->legs, now);
}

/**
 * ioband_depth_doubt - ask anew whether the disk can do with less
 * @depth: the depth, before a busy period begins
 * @there: how many I/Os are at the disk, none of which had to wait
 *
 * As long as nothing waits nothing is found out: a disk whose cache is full, or whose credit is
 * spent, would divide itself from then on. So the search begins again, with half of what is
 * there: where that is too little twice as much is tried at once.
 */
void ioband_depth_doubt(struct ioband_depth *depth, u32 there)
{
	u32 half = there / (2 * depth->legs);

	if (half < DEPTH_START || half >= depth->settled)
		return;
	begin_anew(depth, half);
}

/*
 * B. P. Welford, "Note on a Method for Calculating Corrected Sums of Squares and
 * Products", Technometrics 4 (1962).
 */
static void mean_add(struct ioband_depth_mean *mean, s64 value)
{
	s64 off = value - mean->mean;

	if (mean->n == MEAN_BATCHES) {
		mean->n /= 2;
		mean->squares /= 2;
	}
	mean->n++;
	mean->mean += off / (s64)mean->n;
	mean->squares += off * (value - mean->mean);
}

/* Go by the last few values only. */
static void mean_fade(struct ioband_depth_mean *mean)
{
	if (mean->n <= BLOCK_BATCHES)
		return;
	mean->squares = mul_u64_u64_div_u64(mean->squares, BLOCK_BATCHES, mean->n);
	mean->n = BLOCK_BATCHES;
}

/* The square of the standard error of a mean of several values. */
static u64 error2(const struct ioband_depth_mean *mean)
{
	u64 rest;

	return div64_u64_rem(mean->squares, (u64)mean->n * (mean->n - 1), &rest);
}

/* Whether two and a half standard errors do not explain a distance; or one. */
static bool is_sure(s64 distance, u64 error2)
{
	return (u64)(distance * distance) > 6 * error2;
}

static bool is_likely(s64 distance, u64 error2)
{
	return (u64)(distance * distance) > error2;
}

/* The cost of @amount done in @ns, relative to @unit, which it makes if there is none. */
static s64 cost_of(u64 ns, u64 amount, u64 *unit)
{
	u64 rest, expected_ns;

	amount = max_t(u64, amount, 1);
	ns = min(ns, TRIAL_MAX_NS << 6) << 8;
	if (!*unit)
		*unit = max(div64_u64_rem(ns, amount, &rest), (u64)1 << 8);
	/* A disk that hung when its unit was measured may have become very fast. */
	expected_ns = amount > div64_u64_rem(U64_MAX, *unit, &rest) ? U64_MAX :
								      amount * *unit;
	return min_t(u64, mul_u64_u64_div_u64(ns, ONE, expected_ns), COST_MAX);
}

/* The geometric mean of what was done, in 2^-8. */
static u64 work_of(u64 ios, u64 sectors)
{
	return int_sqrt64(max_t(u64, ios * sectors, 1) << 16);
}

static void turn_to(struct ioband_depth *depth, u32 to,
		    const struct ioband_depth_sample *now)
{
	begin_batch(depth, max(depth->depth, to) * depth->legs, now);
	depth->block = 0;
	depth->depth = to;
}

static bool is_near(u32 less, u32 more)
{
	return more - less <= max(less / 8, 1U);
}

/* What to try next; @settled if there is nothing. */
static u32 next_depth(const struct ioband_depth *depth)
{
	u32 settled = depth->settled, twice = min(settled * 2, depth->max);

	switch (depth->search) {
	case IOBAND_RAMP:
		return twice;
	case IOBAND_SEARCH_OVER:
		return settled;
	case IOBAND_SEARCH_MORE_AGAIN:
		return twice;
	case IOBAND_SEARCH_LESS_AGAIN:
		return settled == 1 ? 1 : settled - max(settled / 8, 1U);
	case IOBAND_SEARCH:
		break;
	}
	/* First within a factor of two, above and below, then closer. */
	if (!depth->much && settled < depth->max)
		return twice;
	if (!depth->little && settled > 1)
		return settled / 2;
	if (depth->much && !is_near(settled, depth->much))
		return settled + (depth->much - settled) / 2;
	if (settled > 1 && !is_near(depth->little, settled))
		return settled - (settled - depth->little) / 2;
	return settled;
}

/* Go on with the search; if it is over, pause. */
static void go_on(struct ioband_depth *depth, const struct ioband_depth_sample *now)
{
	u32 next = next_depth(depth);

	/* At the bound there is nothing more to try, but there is less. */
	if (next == depth->settled && (depth->search == IOBAND_RAMP ||
				       depth->search == IOBAND_SEARCH_MORE_AGAIN)) {
		depth->search++;
		next = next_depth(depth);
	}
	if (next != depth->settled) {
		depth->trying = next;
		depth->trial = (struct ioband_depth_cost) {};
		depth->trial_ns = 0;
		mean_fade(&depth->is.io);
		mean_fade(&depth->is.work);
		turn_to(depth, next, now);
		return;
	}
	if (depth->depth != next)
		turn_to(depth, next, now);
	depth->search = IOBAND_SEARCH_OVER;
	depth->has_rested = true;
	depth->rest_ns = clamp(depth->rest_ns * 2, REST_MIN_NS, REST_MAX_NS);
	depth->rest_until_ns = now->now_ns + depth->rest_ns;
	depth->was = depth->is;
}

static bool is_late(const struct ioband_depth *depth)
{
	return depth->latency_ns && depth->service_ns > depth->latency_ns / 2;
}

/*
 * Whether all there is fits into the depth on trial, and waits inside the disk for so much
 * longer that less has to be tried, too: nobody would wait here, and nothing be put in order.
 */
static bool waits_inside(const struct ioband_depth *depth)
{
	u64 there = depth->there, had = depth->settled * depth->legs;

	return there <= (u64)depth->trying * depth->legs &&
	       there * depth->trial.io.mean * INSIDE > had * depth->is.io.mean * (INSIDE + 1);
}

static void end_trial(struct ioband_depth *depth, bool good)
{
	bool is_more = depth->trying > depth->settled;

	if (depth->search > IOBAND_SEARCH && good)
		begin_search(depth, IOBAND_SEARCH);
	if (depth->search > IOBAND_SEARCH)
		depth->search = is_more ? IOBAND_SEARCH_LESS_AGAIN : IOBAND_SEARCH_OVER;
	else if (is_more == good)
		depth->little = min(depth->settled, depth->trying);
	else
		depth->much = max(depth->settled, depth->trying);
	if (good && is_more && waits_inside(depth)) {
		depth->much = depth->trying;
		depth->search = IOBAND_SEARCH;
	}
	if (good) {
		depth->settled = depth->trying;
		depth->is = depth->trial;
	}
	if (good || depth->reason == IOBAND_DEPTH_START)
		depth->reason = !is_more && is_late(depth) ? IOBAND_DEPTH_LATENCY :
							     IOBAND_DEPTH_THROUGHPUT;
	depth->trying = 0;
}

/* By which part the trial costs less, in 1/ONE; and the square of the error. */
static s64 gain_of(const struct ioband_depth_mean *is,
		   const struct ioband_depth_mean *trial, u64 *error)
{
	s64 mean = max_t(s64, is->mean, 1);
	u64 square = mean * mean;

	/* No more than 64 bits can hold, several times. */
	*error = mul_u64_u64_div_u64(min(error2(is) + error2(trial), square << 10),
				     (u64)ONE * ONE, square);
	return (mean - trial->mean) * ONE / mean;
}

/* What a trial has to gain. */
static s64 asked_of(const struct ioband_depth *depth)
{
	if (depth->trying > depth->settled)
		return depth->settled == 1 ? SERIAL_GAIN : GAIN;
	if (depth->trying == 1)
		return -SERIAL_LOSS;
	return is_late(depth) ? -LATENCY_LOSS : -LOSS;
}

static bool is_within(s64 gain, s64 part)
{
	return gain < part && gain > -part;
}

/* End the trial if it is clear how. */
static void judge(struct ioband_depth *depth)
{
	const struct ioband_depth_cost *is = &depth->is, *trial = &depth->trial;
	s64 io, work, gain, room, asked = asked_of(depth);
	u64 io_error, work_error, error;
	bool good;
	u32 n;

	if (depth->search == IOBAND_RAMP) {
		if (trial->work.mean * 1024 < is->work.mean * (1024 - RAMP) &&
		    trial->io.mean * 1024 < is->io.mean * (1024 - RAMP)) {
			end_trial(depth, true);
			return;
		}
		depth->search = IOBAND_SEARCH;
	}
	if (trial->io.n < 2 || is->io.n < 2)
		return;
	io = gain_of(&is->io, &trial->io, &io_error);
	work = gain_of(&is->work, &trial->work, &work_error);
	if (is_within(io, SAME) || !is_sure(io < 0 ? io + SAME : io - SAME, io_error)) {
		gain = io;
		error = io_error;
	} else {
		gain = work;
		error = work_error;
	}
	gain -= asked;
	n = min(trial->io.n, is->io.n);
	if (n < BLOCK_BATCHES && is_within(gain, PLAIN))
		return;
	/* It is another mix, and of so many sizes few batches tell nothing. */
	if (n < AGAIN_BATCHES && !is_within(io - work, MIX) &&
	    depth->trial_ns <= TRIAL_MAX_NS)
		return;
	good = gain > 0;
	if (is_sure(gain, error)) {
		end_trial(depth, good);
	} else if (depth->search == IOBAND_SEARCH_MORE_AGAIN) {
		good &= is_likely(gain, error);
		if (depth->trial_ns > (good || n < AGAIN_BATCHES ? DOUBT_MAX_NS : AGAIN_MAX_NS))
			end_trial(depth, good);
	} else if (depth->trial_ns > TRIAL_MAX_NS) {
		room = ((s64)depth->trying - depth->settled) * ONE /
		       max(depth->trying, depth->settled);
		end_trial(depth, is_likely(gain, error) ? good : gain + asked > room / 2);
	}
}

static bool has_changed(const struct ioband_depth_mean *was,
			const struct ioband_depth_mean *is)
{
	s64 distance = is->mean - was->mean;

	return min(was->n, is->n) >= BLOCK_BATCHES &&
	       (distance * 1024 > was->mean * CHANGE ||
		distance * 1024 < -is->mean * CHANGE) &&
	       is_sure(distance, error2(was) + error2(is));
}

/* A batch at the settled depth, while nothing is tried. */
static void watch(struct ioband_depth *depth, const struct ioband_depth_sample *now)
{
	if (depth->search != IOBAND_SEARCH_OVER) {
		if (depth->is.io.n >= (depth->search == IOBAND_RAMP ? 1 : 2))
			go_on(depth, now);
	} else if (has_changed(&depth->was.io, &depth->is.io) ||
		   has_changed(&depth->was.work, &depth->is.work)) {
		begin_anew(depth, depth->settled);
	} else if (!ioband_before(now->now_ns, depth->rest_until_ns)) {
		depth->search = IOBAND_SEARCH_MORE_AGAIN;
		go_on(depth, now);
	}
}

static void note_shown(struct ioband_depth *depth, const struct ioband_depth_sample *now)
{
	u64 ns = now->ns - depth->shown.ns, ios = now->ios - depth->shown.ios;

	if (ns < SHOWN_NS || ios < SHOWN_IOS)
		return;
	depth->shown_ios = max(depth->shown_ios,
			       mul_u64_u64_div_u64(ios, NSEC_PER_SEC, ns));
	depth->shown_bytes = max(depth->shown_bytes,
				 mul_u64_u64_div_u64(now->sectors - depth->shown.sectors,
						     (u64)NSEC_PER_SEC << 9, ns));
	depth->shown = *now;
}

/*
 * The I/Os of the present batch, or of what is to be skipped: whole rounds, for where all
 * of a round complete at once, the part of one takes as long as all of it, or no time.
 */
static u32 batch_ios(const struct ioband_depth *depth)
{
	u32 round = depth->depth * depth->legs;

	return depth->skip ?: DIV_ROUND_UP(BATCH_IOS, round) * round;
}

/**
 * ioband_depth_end - end a busy period
 * @depth: the depth; a trial goes on in the next
 *
 * What is tried is not in force while nobody can tell whether it is any better.
 */
void ioband_depth_end(struct ioband_depth *depth)
{
	depth->depth = depth->settled;
	depth->block = 0;
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
	u64 ios = now->ios - depth->from.ios, ns = now->ns - depth->from.ns;
	u64 sectors = now->sectors - depth->from.sectors;
	bool at_trial = depth->trying && depth->depth != depth->settled;
	struct ioband_depth_cost *cost = at_trial ? &depth->trial : &depth->is;
	u32 before = depth->depth;

	if (max != depth->max)
		set_max(depth, max);
	if (ios < batch_ios(depth))
		goto out;
	if (depth->skip || !ns) {
		begin_batch(depth, 0, now);
		goto out;
	}
	note_shown(depth, now);
	/*
	 * Where all of a round complete at once, the first batch may have begun when a
	 * round had just gone, and counts the time of one more than went in it.
	 */
	if (depth->trying && !depth->block && ios > batch_ios(depth) * 5 / 4) {
		depth->block++;
		begin_batch(depth, 0, now);
		goto out;
	}
	mean_add(&cost->io, cost_of(ns, ios, &depth->io_unit));
	mean_add(&cost->work, cost_of(ns, work_of(ios, sectors), &depth->work_unit));
	begin_batch(depth, 0, now);
	/* What all is compared with took no time, since all of it completed at once. */
	if (depth->is.io.mean > COST_MAX / 2) {
		turn_to(depth, depth->settled, now);
		begin_anew(depth, depth->settled);
		goto out;
	}
	if (!depth->trying) {
		watch(depth, now);
		goto out;
	}
	depth->trial_ns += ns;
	if (at_trial)
		depth->there = now->there;
	judge(depth);
	if (!depth->trying)
		go_on(depth, now);
	else if (++depth->block == BLOCK_BATCHES)
		turn_to(depth, at_trial ? depth->settled : depth->trying, now);
out:
	ios = now->ios - depth->from.ios;
	depth->due_ios = now->sent_ios + batch_ios(depth) - min_t(u64, ios, batch_ios(depth));
	return depth->depth != before;
}

/*
 * How many I/Os the disk does in a time in which nobody cares about their order; 1 if too few
 * to make use of it.
 */
static u32 find_quick(const struct ioband_depth *depth)
{
	u64 io_ns = mul_u64_u64_div_u64(depth->is.io.mean, depth->io_unit >> 8, ONE);
	u64 quick_ns = QUICK_NS, quick, rest;

	if (!depth->is.io.n)
		return 1;
	if (depth->latency_ns)
		quick_ns = min(quick_ns, depth->latency_ns / 8);
	quick = div64_u64_rem(quick_ns, max_t(u64, io_ns, 1), &rest);
	return quick < QUICK_IOS_MIN ? 1 : min(quick, QUICK_IOS_MAX);
}

/*
 * With how many at the disk time counts though nothing waits. As long as more is tried only
 * for the first time, that is so while it is tried.
 */
static u32 find_enough(const struct ioband_depth *depth)
{
	u32 least = depth->much && depth->little ? depth->little : depth->settled;

	if (!depth->trying || (!depth->much && depth->depth != depth->trying))
		return U32_MAX;
	return min(least, depth->trying) * depth->legs + 1;
}

/**
 * ioband_depth_enforce - put a depth into force
 * @depth: what trials have found
 * @sched: the scheduler; its depth, spare, quick, grant, refill, slack and parts of @turn are
 *	set
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
	sched->turn.at_once = 0;
	if (by_turns) {
		/* Who has a latency target would wait for all of it. */
		if (bounds->legs == 1 && !bounds->io_throttle && !depth->latency_ns)
			sched->turn.at_once = min3(most, limit ?: most, TURN_IOS);
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
	sched->enough = find_enough(depth);
	/* One I/O at each of several legs is not one at a time, except with turns. */
	sched->turn.is_serial = in_force == 1 && (bounds->legs == 1 || by_turns);
	sched->quick = 1;
	if (bounds->legs == 1 && !bounds->io_throttle && !limit && !sched->turn.is_serial &&
	    !sched->policy->by_time && !sched->policy->only_limits && !sched->squeeze.is_on)
		sched->quick = find_quick(depth);
	/* On a fast disk a place is worth less than it costs to keep it. */
	sched->turn.has_grace = sched->turn.is_serial ||
				(bounds->legs == 1 && find_quick(depth) == 1 &&
				 !bounds->io_throttle && !sched->policy->only_limits);
	/* The search is for the least depth that does without waiting for tasks. */
	sched->grant = depth->has_rested ? sched->quick : 1;
	sched->refill = U32_MAX;
	sched->slack = 0;
	if (sched->grant > 1) {
		sched->refill = in_force - min(in_force / 2, sched->grant);
		/* Trials are without. */
		if (depth->search == IOBAND_SEARCH_OVER)
			sched->slack = min3(in_force / 8, sched->grant, most - in_force);
	}
	sched->depth = in_force;
	sched->spare = min(most - in_force, SPARE_MAX);
	return reason;
}
