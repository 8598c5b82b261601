// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits and minimums: clocks that run ahead with each I/O.
 *
 * Both are leaky buckets in their virtual-scheduling form (GCRA, ITU-T
 * Recommendation I.371, annex A): the state is not a level, which would have to be
 * drained, but the time at which the bucket will have run empty. An I/O moves that
 * time on by units / rate. As long as it is no further ahead of the clock than the
 * burst allows, the group may go on; so in any time t it gets at most
 *
 *	rate * t + burst + one I/O
 *
 * and that much if it is backlogged, without time slices: the I/Os of a constant
 * load go at equal intervals. A large I/O is never split; its excess is owed. If
 * an I/O goes late because it had to wait for the disk, or for another limit, the
 * next may follow as if it had been in time, by up to one interval (the
 * recommendation's tolerance of delay variation). Otherwise the group would fall
 * short of its limit by the time the disk takes, and groups at limits of their own
 * short of the one they share. A burst of 0 makes this a strict leaky bucket, any
 * other a token bucket. The peak is a second bucket without a burst.
 *
 * What could not wait for a limit is charged, too, and what comes later waits for it:
 * a debt. It may be any number of I/Os, swap above all. Paid in full, it would keep the
 * group's next read waiting for as long as hours, and perhaps others that wait for what
 * the reader holds. So a debt makes no I/O wait for more than DEBT_NS, be there more of
 * it meanwhile or not: a group that pays debts all the time gets one I/O through in
 * that time.
 *
 * The bucket of a minimum runs empty when the group is about to get less than its
 * minimum; that is when it goes first (mClock's reservation clock: A. Gulati,
 * A. Merchant, P. Varman, "mClock: Handling Throughput Variability for
 * Hypervisor IO Scheduling", OSDI 2010). All service counts, in turn or out of
 * it: a minimum does not come on top of the group's share.
 */
#include "terms.h"

#define SECTOR_BYTES_SHIFT	9

/*
 * How much lag behind its minimum a group makes up for: MIN_BEHIND_NS while it is
 * backlogged, or sends the next I/O as soon as the last completes; the rest counts
 * as unmet. A pause adds to the lag only up to MIN_PAUSE_NS in all.
 */
#define MIN_PAUSE_NS		((u64)100 * NSEC_PER_MSEC)
#define MIN_BEHIND_NS		((u64)NSEC_PER_SEC)

/*
 * A minimum is kept with 1/200, 0.5 %, to spare: I/O can only be dispatched when
 * other I/O completes, so service is a little late now and then.
 */
#define MIN_LEAD		200

/*
 * How long an I/O waits for a debt at most. A second pays for all that does not wait now
 * and then: metadata, a flush. Whoever waits longer looks dead.
 */
#define DEBT_NS			((u64)NSEC_PER_SEC)

/* How far ahead of the clock a bucket may get and still be compared: 73 years. */
#define AHEAD_MAX_NS		((u64)1 << 61)

const char * const ioband_limit_names[IOBAND_LIMITS] = {
	[IOBAND_RBPS]	= "rbps",
	[IOBAND_WBPS]	= "wbps",
	[IOBAND_BPS]	= "bps",
	[IOBAND_RIOPS]	= "riops",
	[IOBAND_WIOPS]	= "wiops",
	[IOBAND_IOPS]	= "iops",
};

/* The limits that apply to reads, and to writes. */
static const u8 limits_of[IOBAND_DIRS][4] = {
	[IOBAND_READ]	= { IOBAND_RBPS, IOBAND_BPS, IOBAND_RIOPS, IOBAND_IOPS },
	[IOBAND_WRITE]	= { IOBAND_WBPS, IOBAND_BPS, IOBAND_WIOPS, IOBAND_IOPS },
};

/* @a * @b / @rate, capped at AHEAD_MAX_NS before it can overflow. */
static u64 ahead_ns(u64 a, u64 b, u64 rate)
{
	u64 left;

	if (div64_u64_rem(a, rate, &left) >= div64_u64_rem(AHEAD_MAX_NS, b, &left))
		return AHEAD_MAX_NS;
	return mul_u64_u64_div_u64(a, b, rate);
}

static void bucket_init(struct ioband_bucket *bucket, u64 rate, u64 burst)
{
	memset(bucket, 0, sizeof(*bucket));
	bucket->rate = rate;
	if (burst)
		bucket->burst_ns = ahead_ns(burst, NSEC_PER_SEC, rate);
}

static void bucket_set(struct ioband_bucket *bucket, u64 empty_ns)
{
	bucket->empty_ns = empty_ns;
	bucket->rest = 0;
}

/* @units must fit 32 bits: times nanoseconds they then fit 64. */
static void bucket_fill(struct ioband_bucket *bucket, u64 units)
{
	bucket->empty_ns += div64_u64_rem(units * NSEC_PER_SEC + bucket->rest,
					  bucket->rate, &bucket->rest);
}

/*
 * An empty bucket earns no credit, except for the time since @since_ns, for which the
 * I/O has waited for something else; and of that no more than the I/O uses up.
 */
static void limit_fill(struct ioband_bucket *bucket, u64 units, u64 since_ns, u64 now_ns)
{
	u64 distance_ns, left;

	if (ioband_before(bucket->empty_ns, now_ns)) {
		distance_ns = div64_u64_rem(units * NSEC_PER_SEC, bucket->rate, &left);
		if (ioband_before(since_ns, now_ns - distance_ns))
			since_ns = now_ns - distance_ns;
		if (ioband_before(bucket->empty_ns, since_ns))
			bucket_set(bucket, since_ns);
	}
	if ((s64)(bucket->empty_ns - now_ns) < (s64)AHEAD_MAX_NS)
		bucket_fill(bucket, units);
}

/* As limit_fill(), but no I/O goes later than @until_ns for it. */
static void limit_owe(struct ioband_bucket *bucket, u64 units, u64 until_ns, u64 now_ns)
{
	struct ioband_bucket was = *bucket;

	limit_fill(bucket, units, now_ns, now_ns);
	until_ns += bucket->burst_ns;
	if (!ioband_before(until_ns, bucket->empty_ns))
		return;
	if (ioband_before(was.empty_ns, until_ns))
		bucket_set(bucket, until_ns);
	else
		*bucket = was;
}

/* Service beyond the minimum does not count against the group later. */
static void min_fill(struct ioband_bucket *bucket, u64 units, u64 now_ns)
{
	if (ioband_before(now_ns, bucket->empty_ns))
		bucket_set(bucket, now_ns);
	bucket_fill(bucket, units);
}

/* When the bucket admits the next I/O after @units; it may be in the past. */
static u64 bucket_open_ns(const struct ioband_bucket *bucket, u64 units, u64 now_ns)
{
	u64 empty_ns = bucket->empty_ns;

	if (units) {
		if (ioband_before(empty_ns, now_ns))
			empty_ns = now_ns;
		empty_ns += ahead_ns(units, NSEC_PER_SEC, bucket->rate);
	}
	return empty_ns - bucket->burst_ns;
}

/**
 * ioband_terms_init - set up terms from the user's settings
 * @terms: uninitialised memory
 * @limits: %IOBAND_LIMITS of them, each rate and peak up to %IOBAND_RATE_MAX
 * @min_rate: units per second, 0 for no minimum
 * @min_is_ios: these units are I/Os, else bytes
 * @latency_ns: latency target, 0 for none
 */
void ioband_terms_init(struct ioband_terms *terms,
		       const struct ioband_rate *limits, u64 min_rate,
		       bool min_is_ios, u64 latency_ns)
{
	unsigned int i;

	memset(terms, 0, sizeof(*terms));
	for (i = 0; i < IOBAND_LIMITS; i++) {
		if (!limits[i].rate)
			continue;
		terms->has_limits = true;
		bucket_init(&terms->limits[i][0], limits[i].rate, limits[i].burst);
		bucket_init(&terms->limits[i][1], limits[i].peak, 0);
	}
	terms->min_rate = min_rate;
	terms->min_is_ios = min_is_ios;
	bucket_init(&terms->min, min_rate + min_rate / MIN_LEAD, 0);
	terms->latency_ns = latency_ns;
}

/* As after a pause: I/O at the disk just now is not from before that. */
static void min_begin(struct ioband_terms *terms, u64 now_ns)
{
	bucket_set(&terms->min, now_ns - MIN_PAUSE_NS);
	terms->wanted_ns = now_ns;
}

/**
 * ioband_terms_begin - begin with terms of a group that had none
 * @terms: the terms
 * @now_ns: the time: what the group holds waits for these terms since then
 */
void ioband_terms_begin(struct ioband_terms *terms, u64 now_ns)
{
	terms->waits_ns[IOBAND_READ] = now_ns;
	terms->waits_ns[IOBAND_WRITE] = now_ns;
	min_begin(terms, now_ns);
}

static void bucket_inherit(struct ioband_bucket *bucket,
			   const struct ioband_bucket *old, u64 now_ns)
{
	if (!old->rate || !bucket->rate)
		return;
	bucket->empty_ns = old->empty_ns;
	/* What it is ahead takes a different time to leak at the new rate. */
	if (ioband_before(now_ns, old->empty_ns))
		bucket->empty_ns = now_ns + ahead_ns(old->empty_ns - now_ns,
						     old->rate, bucket->rate);
}

/**
 * ioband_terms_inherit - take over the state of a group's old terms
 * @terms: the new terms
 * @old: the old ones
 * @now_ns: the time
 *
 * What was used of a limit stays used; otherwise each change of a limit would
 * grant a new burst.
 */
void ioband_terms_inherit(struct ioband_terms *terms,
			  const struct ioband_terms *old, u64 now_ns)
{
	unsigned int i;

	for (i = 0; i < 2 * IOBAND_LIMITS; i++)
		bucket_inherit(&terms->limits[i / 2][i % 2], &old->limits[i / 2][i % 2], now_ns);
	/* A minimum in the other unit is a new one. */
	if (terms->min_rate && old->min_rate && terms->min_is_ios == old->min_is_ios) {
		bucket_inherit(&terms->min, &old->min, now_ns);
		terms->wanted_ns = old->wanted_ns;
	} else {
		min_begin(terms, now_ns);
	}
	memcpy(terms->waits_ns, old->waits_ns, sizeof(terms->waits_ns));
	terms->unmet_ns = old->unmet_ns;
	terms->promised_ns = old->promised_ns;
}

static bool limit_is_bytes(unsigned int id)
{
	return id <= IOBAND_BPS;
}

/**
 * ioband_terms_due_ns - when limits let an I/O go
 * @terms: the terms of its group, or of one above
 * @dir: read or write
 * @ios: how many go before it
 * @sectors: their size
 * @now_ns: the time
 *
 * This does not depend on the size of the I/O.
 *
 * Return: the time, not before @now_ns.
 */
u64 ioband_terms_due_ns(const struct ioband_terms *terms, enum ioband_dir dir, u64 ios,
			u64 sectors, u64 now_ns)
{
	u64 open_ns = now_ns, at_ns;
	unsigned int i, j;

	if (!terms->has_limits)
		return now_ns;
	for (i = 0; i < ARRAY_SIZE(limits_of[dir]); i++) {
		const struct ioband_bucket *bucket = terms->limits[limits_of[dir][i]];
		u64 units = limit_is_bytes(limits_of[dir][i]) ?
			    sectors << SECTOR_BYTES_SHIFT : ios;

		for (j = 0; j < 2 && bucket[j].rate; j++) {
			at_ns = bucket_open_ns(&bucket[j], units, now_ns);
			if (ioband_before(open_ns, at_ns))
				open_ns = at_ns;
		}
	}
	return open_ns;
}

/* No bio is larger: its size is kept in 32 bits. */
static u64 bytes_of(u32 sectors)
{
	return min_t(u64, (u64)sectors << SECTOR_BYTES_SHIFT, U32_MAX);
}

/* Charge I/O; if it did not wait, none goes later than @until_ns for it, else that is 0. */
static void charge(struct ioband_terms *terms, enum ioband_dir dir, u32 ios, u32 sectors,
		   u64 since_ns, u64 until_ns, u64 now_ns)
{
	u64 bytes = bytes_of(sectors);
	unsigned int i, j;

	if (terms->min_rate)
		min_fill(&terms->min, terms->min_is_ios ? ios : bytes, now_ns);
	if (!terms->has_limits)
		return;
	for (i = 0; i < ARRAY_SIZE(limits_of[dir]); i++) {
		struct ioband_bucket *bucket = terms->limits[limits_of[dir][i]];
		u64 units = limit_is_bytes(limits_of[dir][i]) ? bytes : ios;

		for (j = 0; j < 2 && bucket[j].rate; j++) {
			if (until_ns)
				limit_owe(&bucket[j], units, until_ns, now_ns);
			else
				limit_fill(&bucket[j], units, since_ns, now_ns);
		}
	}
}

/**
 * ioband_terms_charge - charge I/O to limits and minimum
 * @terms: the terms of its group, or of one above
 * @dir: read or write
 * @ios: how many
 * @sectors: their size in all
 * @since_ns: when it had arrived; @now_ns if it did not wait
 * @now_ns: the time
 */
void ioband_terms_charge(struct ioband_terms *terms, enum ioband_dir dir,
			 u32 ios, u32 sectors, u64 since_ns, u64 now_ns)
{
	charge(terms, dir, ios, sectors, since_ns, 0, now_ns);
	terms->waits_ns[dir] = now_ns;
}

/**
 * ioband_terms_owe - charge I/O that did not wait to limits and minimum
 * @terms: the terms of its group, or of one above
 * @dir: read or write
 * @ios: how many
 * @sectors: their size in all
 * @waits_ns: since when other I/O of the group waits; @now_ns if none does
 * @now_ns: the time
 */
void ioband_terms_owe(struct ioband_terms *terms, enum ioband_dir dir, u32 ios,
		      u32 sectors, u64 waits_ns, u64 now_ns)
{
	charge(terms, dir, ios, sectors, now_ns, waits_ns + DEBT_NS, now_ns);
}

static void min_forgive(struct ioband_terms *terms, u64 now_ns, u64 lag_ns)
{
	if (ioband_before(terms->min.empty_ns, now_ns - lag_ns))
		bucket_set(&terms->min, now_ns - lag_ns);
}

/**
 * ioband_terms_wake - end a pause: a group has I/O again
 * @terms: its terms
 * @now_ns: the time
 *
 * Lag behind the minimum from before the pause stays. The pause adds to it only up
 * to %MIN_PAUSE_NS in all.
 */
void ioband_terms_wake(struct ioband_terms *terms, u64 now_ns)
{
	s64 pause_ns = now_ns - terms->wanted_ns;
	s64 behind_ns = now_ns - terms->min.empty_ns;

	if (pause_ns > 0)
		min_forgive(terms, now_ns, max_t(s64, behind_ns - pause_ns, MIN_PAUSE_NS));
}

/**
 * ioband_terms_min_check - count as unmet what will not be made up for
 * @terms: terms of a group that is behind its minimum and about to be served
 * @now_ns: the time
 */
void ioband_terms_min_check(struct ioband_terms *terms, u64 now_ns)
{
	u64 behind_ns = now_ns - terms->min.empty_ns;

	if ((s64)behind_ns <= (s64)MIN_BEHIND_NS)
		return;
	terms->unmet_ns += behind_ns - MIN_BEHIND_NS;
	min_forgive(terms, now_ns, MIN_BEHIND_NS);
}
