// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits and minimums: clocks that run ahead with each I/O.
 *
 * Both are the same device, a leaky bucket in its virtual-scheduling form (GCRA,
 * ITU-T Recommendation I.371, annex A): instead of a level that somebody has to
 * let leak, the time at which the bucket will have run empty. An I/O moves that
 * time on by units / rate. As long as it is not further ahead of the clock than
 * the burst allows, the group may go on; so in any time t it gets at most
 *
 *	rate * t + burst + one I/O
 *
 * and with work at hand that much, without slices: the I/Os of a constant load go
 * at equal distances. A large I/O is never split; what it took too much is owed. An
 * I/O that had to wait for the disk when its time had come goes late; the next may
 * then follow as if it had gone in time, up to one I/O's distance (the recommendation's
 * tolerance of delay variation). Or the limit would be missed by what the disk takes.
 * A burst of 0 makes it the strict leaky bucket, any other the token bucket. The
 * peak is a second bucket without a burst.
 *
 * Of a minimum the bucket runs empty when the group is about to get less than
 * that, which is when it is put first (mClock's reservation clock: A. Gulati,
 * A. Merchant, P. Varman, "mClock: Handling Throughput Variability for
 * Hypervisor IO Scheduling", OSDI 2010). All that a group gets counts, for
 * whatever reason it went: a minimum is no extra.
 */
#include "ioband-terms.h"

#define SECTOR_BYTES_SHIFT	9

/*
 * What a group that comes back may have missed of its minimum while it had
 * nothing to send, and what one may be behind that always has, or sends the next
 * as soon as the last is done: more is not made up for, it is counted as unmet.
 */
#define MIN_PAUSE_NS		((u64)100 * NSEC_PER_MSEC)
#define MIN_BEHIND_NS		((u64)NSEC_PER_SEC)

/*
 * A minimum is kept by this part more than promised: 0.5 %. Turns are taken when
 * the disk is done with something, so service comes a little late now and then.
 */
#define MIN_LEAD		200

/* How far ahead a bucket may get, so that times stay comparable: 73 years. */
#define AHEAD_MAX_NS		((u64)1 << 61)

const char * const ioband_limit_names[IOBAND_LIMITS] = {
	[IOBAND_RBPS]	= "rbps",
	[IOBAND_WBPS]	= "wbps",
	[IOBAND_BPS]	= "bps",
	[IOBAND_RIOPS]	= "riops",
	[IOBAND_WIOPS]	= "wiops",
	[IOBAND_IOPS]	= "iops",
};

/* The limits that hold for reads, and for writes. */
static const u8 limits_of[IOBAND_DIRS][4] = {
	[IOBAND_READ]	= { IOBAND_RBPS, IOBAND_BPS, IOBAND_RIOPS, IOBAND_IOPS },
	[IOBAND_WRITE]	= { IOBAND_WBPS, IOBAND_BPS, IOBAND_WIOPS, IOBAND_IOPS },
};

/* @a times @b by @rate; what is too much for a quotient is too much here. */
static u64 ahead_ns(u64 a, u64 b, u64 rate)
{
	u64 left;

	if (div64_u64_rem(a, rate, &left) >=
	    div64_u64_rem(AHEAD_MAX_NS, b, &left))
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

/* @units fits 32 bits, so that nanoseconds times units fit 64. */
static void bucket_fill(struct ioband_bucket *bucket, u64 units)
{
	bucket->empty_ns += div64_u64_rem(units * NSEC_PER_SEC + bucket->rest,
					  bucket->rate, &bucket->rest);
}

/* What leaked out while it was empty is lost, unless an I/O could have gone then. */
static void limit_fill(struct ioband_bucket *bucket, u64 units, u64 open_ns,
		       u64 now_ns)
{
	u64 distance_ns, left;

	if (ioband_before(bucket->empty_ns, now_ns)) {
		distance_ns = div64_u64_rem(units * NSEC_PER_SEC, bucket->rate,
					    &left);
		if (ioband_before(open_ns, now_ns - distance_ns))
			open_ns = now_ns - distance_ns;
		if (ioband_before(bucket->empty_ns, open_ns))
			bucket_set(bucket, open_ns);
	}
	if ((s64)(bucket->empty_ns - now_ns) < (s64)AHEAD_MAX_NS)
		bucket_fill(bucket, units);
}

/* What the group got beyond its minimum does not count against it later. */
static void min_fill(struct ioband_bucket *bucket, u64 units, u64 now_ns)
{
	if (ioband_before(now_ns, bucket->empty_ns))
		bucket_set(bucket, now_ns);
	bucket_fill(bucket, units);
}

/* When the bucket takes the next I/O; no later than @now_ns: at once. */
static u64 bucket_open_ns(const struct ioband_bucket *bucket)
{
	return bucket->empty_ns - bucket->burst_ns;
}

/**
 * ioband_terms_init - make terms of what the user said
 * @terms: uninitialised memory
 * @limits: %IOBAND_LIMITS of them, each rate and peak up to %IOBAND_RATE_MAX
 * @min_rate: units per second, 0 for no minimum
 * @min_is_ios: these are I/Os, else bytes
 * @latency_ns: target, 0 for none
 */
void ioband_terms_init(struct ioband_terms *terms,
		       const struct ioband_rate *limits, u64 min_rate,
		       bool min_is_ios, u64 latency_ns)
{
	unsigned int i;

	memset(terms, 0, sizeof(*terms));
	for (i = 0; i < IOBAND_LIMITS; i++) {
		terms->limits[i] = limits[i];
		if (!limits[i].rate)
			continue;
		terms->has_limits = true;
		bucket_init(&terms->average[i], limits[i].rate,
			    limits[i].burst);
		bucket_init(&terms->peak[i], limits[i].peak, 0);
	}
	terms->min_rate = min_rate;
	terms->min_is_ios = min_is_ios;
	bucket_init(&terms->min, min_rate + min_rate / MIN_LEAD, 0);
	terms->latency_ns = latency_ns;
}

static void bucket_inherit(struct ioband_bucket *bucket,
			   const struct ioband_bucket *old, u64 now_ns)
{
	if (!old->rate || !bucket->rate)
		return;
	bucket->empty_ns = old->empty_ns;
	/* As many units as it is ahead take another time to leak. */
	if (ioband_before(now_ns, old->empty_ns))
		bucket->empty_ns = now_ns + ahead_ns(old->empty_ns - now_ns,
						     old->rate, bucket->rate);
}

/**
 * ioband_terms_inherit - go on where other terms of the group end
 * @terms: the new terms
 * @old: the old ones
 * @now_ns: the time
 *
 * What was used of a limit stays used, or a change would be a present.
 */
void ioband_terms_inherit(struct ioband_terms *terms,
			  const struct ioband_terms *old, u64 now_ns)
{
	unsigned int i;

	for (i = 0; i < IOBAND_LIMITS; i++) {
		bucket_inherit(&terms->average[i], &old->average[i], now_ns);
		bucket_inherit(&terms->peak[i], &old->peak[i], now_ns);
	}
	/* One of another kind begins as after a pause. */
	if (terms->min_rate && old->min_rate &&
	    terms->min_is_ios == old->min_is_ios) {
		bucket_inherit(&terms->min, &old->min, now_ns);
		terms->wanted_ns = old->wanted_ns;
	}
	terms->unmet_ns = old->unmet_ns;
	terms->promised_ns = old->promised_ns;
}

/**
 * ioband_terms_open_ns - when the next I/O may go
 * @terms: the terms of its group, or of one above
 * @dir: read or write
 * @now_ns: the time
 *
 * It does not depend on the size of the I/O.
 *
 * Return: the time, not before @now_ns.
 */
u64 ioband_terms_open_ns(const struct ioband_terms *terms, enum ioband_dir dir,
			 u64 now_ns)
{
	u64 open_ns = now_ns;
	unsigned int i;

	if (!terms->has_limits)
		return now_ns;
	for (i = 0; i < ARRAY_SIZE(limits_of[dir]); i++) {
		unsigned int id = limits_of[dir][i];
		u64 average_ns = bucket_open_ns(&terms->average[id]);
		u64 peak_ns = bucket_open_ns(&terms->peak[id]);

		if (!terms->limits[id].rate)
			continue;
		if (ioband_before(open_ns, average_ns))
			open_ns = average_ns;
		if (terms->limits[id].peak && ioband_before(open_ns, peak_ns))
			open_ns = peak_ns;
	}
	return open_ns;
}

/**
 * ioband_terms_limit - whether there is any limit of a direction
 * @terms: the terms of a group
 * @dir: read or write
 */
bool ioband_terms_limit(const struct ioband_terms *terms, enum ioband_dir dir)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(limits_of[dir]); i++)
		if (terms->limits[limits_of[dir][i]].rate)
			return true;
	return false;
}

static bool limit_is_bytes(unsigned int id)
{
	return id <= IOBAND_BPS;
}

/**
 * ioband_terms_charge - account for I/O
 * @terms: the terms of its group, or of one above
 * @dir: read or write
 * @ios: how many
 * @sectors: their size in all
 * @open_ns: since when it was there and at no limit
 * @now_ns: the time
 */
void ioband_terms_charge(struct ioband_terms *terms, enum ioband_dir dir,
			 u32 ios, u32 sectors, u64 open_ns, u64 now_ns)
{
	/* A bio has no more: its size is kept in 32 bits. */
	u64 bytes = min_t(u64, (u64)sectors << SECTOR_BYTES_SHIFT, U32_MAX);
	unsigned int i;

	if (terms->min_rate)
		min_fill(&terms->min, terms->min_is_ios ? ios : bytes, now_ns);
	if (!terms->has_limits)
		return;
	for (i = 0; i < ARRAY_SIZE(limits_of[dir]); i++) {
		unsigned int id = limits_of[dir][i];
		u64 units = limit_is_bytes(id) ? bytes : ios;

		if (!terms->limits[id].rate)
			continue;
		limit_fill(&terms->average[id], units, open_ns, now_ns);
		if (terms->limits[id].peak)
			limit_fill(&terms->peak[id], units, open_ns, now_ns);
	}
}

static void min_forgive(struct ioband_terms *terms, u64 now_ns, u64 lag_ns)
{
	if (ioband_before(terms->min.empty_ns, now_ns - lag_ns))
		bucket_set(&terms->min, now_ns - lag_ns);
}

/**
 * ioband_terms_wake - the group has something to send again
 * @terms: its terms
 * @now_ns: the time
 *
 * What it is behind because its I/O had to wait, it stays; not what fell into a pause.
 */
void ioband_terms_wake(struct ioband_terms *terms, u64 now_ns)
{
	s64 pause_ns = now_ns - terms->wanted_ns;
	s64 behind_ns = now_ns - terms->min.empty_ns;

	if (pause_ns > 0)
		min_forgive(terms, now_ns,
			    max_t(s64, behind_ns - pause_ns, MIN_PAUSE_NS));
}

/**
 * ioband_terms_min_check - count by how much the minimum is not met
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
