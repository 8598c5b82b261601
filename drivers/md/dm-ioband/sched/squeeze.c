// SPDX-License-Identifier: GPL-2.0-only
/*
 * The squeeze: latency targets that are missed because of what others have inside the disk.
 *
 * A flash disk takes writes into a buffer, at once, and carries them out later. By then
 * they are nobody's, but its chips are busy with them, and with the garbage they make, for
 * tens of milliseconds at a time. A read that comes meanwhile waits, whoever has sent it,
 * and however few writes are at the disk as far as anybody can see: neither order nor depth
 * is of any help. What helps is that less is written.
 *
 * So if a group misses its latency target by what its I/O takes at the disk alone, all that
 * is written in turn gets a limit, which it shares by weight like any other. Reads are not
 * concerned. What a minimum or a target lets go passes, and groups that have a target do
 * not wait for it at all: it is for their sake.
 *
 * Nobody can say in advance what limit is needed. It begins with what is written: each I/O
 * that is late makes it less by 1/STEPS, and each one in time makes it more, by as much less
 * as late ones shall be rarer, so it comes to rest where 1 in LATE_PART is late (H. Robbins,
 * S. Monro, "A Stochastic Approximation Method", Annals of Mathematical Statistics 22, 1951).
 * The group that fares worst decides.
 *
 * If nearly all I/O is late, whatever is written, it is the disk or the group's own queue;
 * and if at the least rate too much still is, the target cannot be had. Then it lets go, and
 * stays away for twice as long each time.
 */
#include "private.h"

enum {
	/* A target is kept if one I/O in so many is late. */
	LATE_PART	= 110,
	/* A late I/O takes so many from LATE_PART * STEPS parts of the rate, one in time adds 1. */
	STEPS		= 16,
	/* The least rate, as a part of what was written before. */
	LEAST_PART	= 32,
	/* There has to be a limit if a group had so many more late I/Os than it may. */
	LIMIT_LATE	= 4,
	/* So many late I/Os tell whether it is of use: */
	JUDGE_LATE	= 8,
	/* not if less than one in so many is in time; at the least rate, if more are late. */
	ALL_PART	= 32,
	VAIN_PART	= 16,
};

#define SECTOR_BYTES_SHIFT	9

/* When no I/O with a target has come, or no write has waited, for so long, it ends. */
#define IDLE_NS		((u64)NSEC_PER_SEC)
#define NEEDLESS_NS	((u64)10 * NSEC_PER_SEC)

#define AWAY_MIN_NS	((u64)8 * NSEC_PER_SEC)
#define AWAY_MAX_NS	((u64)512 * NSEC_PER_SEC)

static void set_rate(struct ioband_sched *sched, u64 rate, u64 now_ns)
{
	const struct ioband_rate limits[IOBAND_LIMITS] = { [IOBAND_WBPS] = { .rate = rate } };
	struct ioband_squeeze *squeeze = &sched->squeeze;
	struct ioband_terms old = squeeze->terms;

	ioband_terms_init(&squeeze->terms, limits, 0, false, 0);
	if (squeeze->rate)
		ioband_terms_inherit(&squeeze->terms, &old, now_ns);
	else
		ioband_terms_begin(&squeeze->terms, now_ns);
	squeeze->rate = rate;
	sched->root.terms = &squeeze->terms;
}

/* What lags behind because of the limit begins anew beside the rest. */
static void end(struct ioband_sched *sched)
{
	struct ioband_squeeze *squeeze = &sched->squeeze;

	squeeze->is_on = false;
	squeeze->is_shut = false;
	squeeze->rate = 0;
	squeeze->top_rate = 0;
	if (!sched->root.terms)
		return;
	sched->root.terms = NULL;
	ioband_sched_restart(sched);
}

static void give_up(struct ioband_sched *sched, u64 now_ns)
{
	struct ioband_squeeze *squeeze = &sched->squeeze;

	/* It has not been of no use for as long as it had stayed away. */
	if (now_ns - squeeze->until_ns > squeeze->away_ns)
		squeeze->away_ns = 0;
	squeeze->away_ns = clamp(squeeze->away_ns * 2, AWAY_MIN_NS, AWAY_MAX_NS);
	squeeze->until_ns = now_ns + squeeze->away_ns;
	end(sched);
}

/* Whether the target is missed for another reason than what is written. */
static bool is_of_no_use(struct ioband_squeeze *squeeze)
{
	u64 done = squeeze->done, late = squeeze->late;

	if (late < JUDGE_LATE)
		return false;
	squeeze->done = 0;
	squeeze->late = 0;
	if (squeeze->rate && squeeze->rate == squeeze->top_rate / LEAST_PART)
		return late * VAIN_PART > done;
	return (done - late) * ALL_PART < done;
}

static void adjust(struct ioband_sched *sched, u64 now_ns)
{
	const s64 most = LATE_PART * STEPS;
	struct ioband_squeeze *squeeze = &sched->squeeze;
	s64 part = clamp(squeeze->worst, -most / 8, most / 2);
	u64 rate = squeeze->rate, rest;

	if (!rate) {
		rate = mul_u64_u64_div_u64(squeeze->sent_sectors,
					   (u64)NSEC_PER_SEC << SECTOR_BYTES_SHIFT,
					   now_ns - squeeze->looked_ns);
		squeeze->top_rate = max(squeeze->top_rate, rate);
		if (squeeze->excess <= LIMIT_LATE * LATE_PART || squeeze->top_rate < LEAST_PART)
			return;
		rate = squeeze->top_rate;
		part = squeeze->excess;
		squeeze->done = 0;
		squeeze->late = 0;
	} else if (part < 0 && (squeeze->heard_ns != now_ns ||
				ioband_before(squeeze->shut_ns, squeeze->looked_ns))) {
		/* Nothing tells that there may be more, or nobody has waited for it. */
		return;
	}
	rate -= (s64)div64_u64_rem(rate, most, &rest) * part;
	if (rate < squeeze->top_rate)
		set_rate(sched, max(rate, squeeze->top_rate / LEAST_PART), now_ns);
	else
		end(sched);
}

/**
 * ioband_squeeze_note - note how I/O of a group with a latency target fared
 * @sched: the scheduler
 * @terms: the group's terms
 * @done: I/Os done since the last note
 * @late: those that took longer than the target at the disk alone
 * @now_ns: the time
 *
 * Once a look, for all groups of which any I/O was late, until they have made up for it
 * (@terms->late is 0) and ioband_squeeze_tick() returns false.
 */
void ioband_squeeze_note(struct ioband_sched *sched, struct ioband_terms *terms,
			 u32 done, u32 late, u64 now_ns)
{
	struct ioband_squeeze *squeeze = &sched->squeeze;
	s64 part = (s64)late * LATE_PART - done;

	terms->late = clamp(terms->late + part, (s64)0, (s64)2 * LIMIT_LATE * LATE_PART);
	squeeze->excess = max(squeeze->excess, terms->late);
	if (!done)
		return;
	squeeze->heard_ns = now_ns;
	squeeze->done += done;
	squeeze->late += late;
	squeeze->worst = max(squeeze->worst, part);
}

/**
 * ioband_squeeze_rest - note that a group with a latency target wants nothing now
 * @terms: the group's terms
 *
 * What it has missed begins no squeeze any more; one more I/O that is late does.
 */
void ioband_squeeze_rest(struct ioband_terms *terms)
{
	terms->late = min_t(s64, terms->late, LATE_PART);
}

/**
 * ioband_squeeze_check - see whether a write may go now
 * @sched: the scheduler, squeezing
 * @now_ns: the time
 */
void ioband_squeeze_check(struct ioband_sched *sched, u64 now_ns)
{
	struct ioband_squeeze *squeeze = &sched->squeeze;

	squeeze->open_ns = ioband_terms_open_ns(&squeeze->terms, IOBAND_WRITE, now_ns);
	squeeze->is_shut = squeeze->open_ns != now_ns;
	if (squeeze->is_shut && ioband_has_io(&sched->root, IOBAND_WRITES))
		squeeze->shut_ns = now_ns;
}

/*
 * Look whether to squeeze writes, and how far. Returns whether all I/O has to take turns,
 * and this is to be called again.
 * @now_ns: the time, IOBAND_SQUEEZE_TICK_NS or more after the last
 */
bool ioband_squeeze_tick(struct ioband_sched *sched, u64 now_ns)
{
	struct ioband_squeeze *squeeze = &sched->squeeze;

	if (sched->policy->only_limits) {
		end(sched);
	} else if (!squeeze->is_on) {
		squeeze->is_on = squeeze->excess > LATE_PART &&
				 !ioband_before(now_ns, squeeze->until_ns);
		squeeze->shut_ns = now_ns;
		squeeze->done = 0;
		squeeze->late = 0;
	} else if (now_ns - squeeze->heard_ns > IDLE_NS ||
		   now_ns - squeeze->shut_ns > NEEDLESS_NS ||
		   (!squeeze->rate && !squeeze->excess)) {
		end(sched);
	} else if (is_of_no_use(squeeze)) {
		give_up(sched, now_ns);
	} else {
		adjust(sched, now_ns);
	}
	squeeze->looked_ns = now_ns;
	squeeze->sent_sectors = 0;
	squeeze->worst = -S64_MAX;
	squeeze->excess = 0;
	return squeeze->is_on;
}

/**
 * ioband_squeeze_percent - how much may be written
 * @sched: the scheduler
 *
 * Return: percent of what was written before; 100 if that is not limited now.
 */
u32 ioband_squeeze_percent(const struct ioband_sched *sched)
{
	const struct ioband_squeeze *squeeze = &sched->squeeze;

	return squeeze->rate ? mul_u64_u64_div_u64(squeeze->rate, 100, squeeze->top_rate) : 100;
}
