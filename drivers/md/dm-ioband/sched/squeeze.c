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
 * Nobody can say in advance what limit is needed, so it is found as a quantile is
 * (H. Robbins, S. Monro, "A Stochastic Approximation Method", Annals of Mathematical
 * Statistics 22, 1951): each I/O that is late makes it less by a fixed part, and each one
 * in time makes it more, by as much less as late ones shall be rarer. It comes to rest
 * where 1 in LATE_PART is late. The group that fares worst decides.
 *
 * It is on trial. First it is measured what is written and missed without it. If all I/O
 * of the group is late, it is the disk, or its own queue: nothing is done. If at the least
 * rate half as much is missed as before, it is kept; if not, it is let go, and stays away
 * for twice as long each time. It ends, too, when it has let go of all that was written
 * before, when no write had to wait for it for a while, or when nobody who has a target
 * sends I/O. Then the rate is remembered, to begin there next time.
 */
#include "private.h"

enum {
	/* A target is kept if one I/O in so many is late. */
	LATE_PART	= 110,
	/* A late I/O takes so many from LATE_PART * STEPS parts of the rate, one in time adds 1. */
	STEPS		= 16,
	/* The least rate, as a part of what was written before. */
	LEAST_PART	= 32,
	/* What tells something: so many more late than may be, so many late. */
	BEGIN_LATE	= 2,
	JUDGE_LATE	= 8,
	/* All are late, if no more are in time than one in so many. */
	ALL_PART	= 32,
};

#define SECTOR_BYTES_SHIFT	9

/* To measure for so long, if less than JUDGE_LATE are late. */
#define MEASURE_NS	((u64)2 * NSEC_PER_SEC)

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

	if (rate == squeeze->rate)
		return;
	ioband_terms_init(&squeeze->terms, limits, 0, false, 0);
	if (squeeze->rate)
		ioband_terms_inherit(&squeeze->terms, &old, now_ns);
	else
		ioband_terms_begin(&squeeze->terms, now_ns);
	squeeze->rate = rate;
	sched->root.terms = &squeeze->terms;
}

static void measure(struct ioband_squeeze *squeeze, u64 now_ns)
{
	squeeze->state = IOBAND_SQUEEZE_MEASURING;
	squeeze->began_ns = now_ns;
	squeeze->from_sectors = squeeze->sent_sectors;
	squeeze->now = (struct ioband_squeeze_count) { };
}

/* What lags behind because of the limit begins anew beside the rest. */
static void end(struct ioband_sched *sched, u64 kept_rate, u64 away_ns, u64 now_ns)
{
	struct ioband_squeeze *squeeze = &sched->squeeze;

	squeeze->state = IOBAND_SQUEEZE_OFF;
	squeeze->kept_rate = kept_rate;
	squeeze->until_ns = now_ns + away_ns;
	squeeze->rate = 0;
	squeeze->is_shut = false;
	if (!sched->root.terms)
		return;
	sched->root.terms = NULL;
	ioband_sched_restart(sched);
}

static void give_up(struct ioband_sched *sched, u64 now_ns)
{
	struct ioband_squeeze *squeeze = &sched->squeeze;

	squeeze->away_ns = clamp(squeeze->away_ns * 2, AWAY_MIN_NS, AWAY_MAX_NS);
	end(sched, 0, squeeze->away_ns, now_ns);
}

/* It is known, or not yet, what is written and missed without it. */
static void begin(struct ioband_sched *sched, u64 now_ns)
{
	struct ioband_squeeze *squeeze = &sched->squeeze;
	const struct ioband_squeeze_count *was = &squeeze->was;
	u64 ns = now_ns - squeeze->began_ns, least;

	/* One of several groups may just have made it begin, and then others have told. */
	if (ns < IOBAND_SQUEEZE_LOOK_NS / 2 ||
	    (squeeze->now.late < JUDGE_LATE && ns < MEASURE_NS))
		return;
	squeeze->was = squeeze->now;
	squeeze->was_rate = mul_u64_u64_div_u64(squeeze->sent_sectors - squeeze->from_sectors,
						(u64)NSEC_PER_SEC << SECTOR_BYTES_SHIFT, ns);
	least = squeeze->was_rate / LEAST_PART;
	if (!least || was->late * LATE_PART < was->done) {
		end(sched, squeeze->kept_rate, 0, now_ns);
		return;
	}
	if ((was->done - was->late) * ALL_PART < was->done) {
		give_up(sched, now_ns);
		return;
	}
	squeeze->state = IOBAND_SQUEEZE_ON;
	squeeze->shut_ns = now_ns;
	squeeze->now = (struct ioband_squeeze_count) { };
	if (!squeeze->kept_rate || squeeze->kept_rate > squeeze->was_rate / 2)
		squeeze->kept_rate = squeeze->was_rate / 2;
	set_rate(sched, max(squeeze->kept_rate, least), now_ns);
}

/* Whether at the least rate it is of use, or cannot be told yet. */
static bool is_of_use(struct ioband_squeeze *squeeze)
{
	const struct ioband_squeeze_count now = squeeze->now, *was = &squeeze->was;

	if (squeeze->rate > squeeze->was_rate / LEAST_PART) {
		squeeze->now = (struct ioband_squeeze_count) { };
		return true;
	}
	if (now.late < JUDGE_LATE)
		return true;
	squeeze->now = (struct ioband_squeeze_count) { };
	return 2 * now.late * was->done <= was->late * now.done;
}

static void adjust(struct ioband_sched *sched, u64 now_ns)
{
	const s64 most = LATE_PART * STEPS;
	struct ioband_squeeze *squeeze = &sched->squeeze;
	s64 part = clamp(squeeze->worst, -most / 8, most / 2);
	u64 rate = squeeze->rate, rest;

	if (now_ns - squeeze->heard_ns > IDLE_NS ||
	    now_ns - squeeze->shut_ns > NEEDLESS_NS) {
		end(sched, rate, 0, now_ns);
		return;
	}
	if (!is_of_use(squeeze)) {
		give_up(sched, now_ns);
		return;
	}
	/* More does no good if nobody has waited for it. */
	if (part < 0 && ioband_before(squeeze->shut_ns, squeeze->looked_ns))
		return;
	rate -= (s64)div64_u64_rem(rate, most, &rest) * part;
	if (rate >= squeeze->was_rate) {
		squeeze->away_ns = 0;
		end(sched, 0, 0, now_ns);
		return;
	}
	set_rate(sched, max(rate, squeeze->was_rate / LEAST_PART), now_ns);
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
			 u64 done, u64 late, u64 now_ns)
{
	struct ioband_squeeze *squeeze = &sched->squeeze;
	s64 part = late * LATE_PART - min(done, U64_MAX >> 1);

	terms->late = clamp(terms->late + part, (s64)0, (s64)BEGIN_LATE * LATE_PART);
	if (!done)
		return;
	squeeze->heard_ns = now_ns;
	squeeze->now.done += done;
	squeeze->now.late += late;
	squeeze->worst = max(squeeze->worst, part);
	if (squeeze->state == IOBAND_SQUEEZE_OFF && terms->late > LATE_PART &&
	    !ioband_before(now_ns, squeeze->until_ns))
		measure(squeeze, now_ns);
}

/**
 * ioband_squeeze_check - see whether a write may go now
 * @sched: the scheduler, squeezing
 * @now_ns: the time
 */
void ioband_squeeze_check(struct ioband_sched *sched, u64 now_ns)
{
	struct ioband_squeeze *squeeze = &sched->squeeze;
	unsigned int way;

	squeeze->open_ns = ioband_terms_open_ns(&squeeze->terms, IOBAND_WRITE, now_ns);
	squeeze->is_shut = squeeze->open_ns != now_ns;
	if (!squeeze->is_shut)
		return;
	for (way = 0; way < ioband_nr_ways(&sched->root); way++)
		if (ioband_way_dir(way) == IOBAND_WRITE &&
		    ioband_facet_has_io(ioband_facet(&sched->root, way)))
			squeeze->shut_ns = now_ns;
}

/**
 * ioband_squeeze_tick - look whether to squeeze writes, and how far
 * @sched: the scheduler; all is noted
 * @now_ns: the time, IOBAND_SQUEEZE_LOOK_NS or more after the last
 *
 * Return: whether all I/O has to take turns, and this is to be called again.
 */
bool ioband_squeeze_tick(struct ioband_sched *sched, u64 now_ns)
{
	struct ioband_squeeze *squeeze = &sched->squeeze;

	if (sched->policy->only_limits)
		end(sched, 0, 0, now_ns);
	else if (squeeze->state == IOBAND_SQUEEZE_MEASURING)
		begin(sched, now_ns);
	else if (squeeze->state == IOBAND_SQUEEZE_ON)
		adjust(sched, now_ns);
	squeeze->looked_ns = now_ns;
	squeeze->worst = -S64_MAX;
	return squeeze->state != IOBAND_SQUEEZE_OFF;
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

	return squeeze->rate ? mul_u64_u64_div_u64(squeeze->rate, 100, squeeze->was_rate) : 100;
}
