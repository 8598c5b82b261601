/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers that are the same everywhere, so that a seed in a failure
 * report is all one needs. xorshift64*: S. Vigna, ACM TOMS 42(4), 2016.
 */
#ifndef _IOBAND_PRNG_H
#define _IOBAND_PRNG_H

struct prng {
	u64 state;
};

static inline u32 prng_next(struct prng *prng)
{
	prng->state ^= prng->state >> 12;
	prng->state ^= prng->state << 25;
	prng->state ^= prng->state >> 27;
	return (prng->state * 0x2545f4914f6cdd1dULL) >> 32;
}

/* Neighbouring seeds must not begin alike, and the state must not be 0. */
static inline void prng_seed(struct prng *prng, u64 seed)
{
	prng->state = (seed + 1) * 0x9e3779b97f4a7c15ULL;
	if (!prng->state)
		prng->state = 1;
	prng_next(prng);
}

/* 0 to @n - 1. */
static inline u32 prng_below(struct prng *prng, u32 n)
{
	return (u64)prng_next(prng) * n >> 32;
}

static inline bool prng_percent(struct prng *prng, u32 percent)
{
	return prng_below(prng, 100) < percent;
}

/*
 * Of exponential distribution with mean 1, in 2^-32. J. von Neumann, "Various techniques
 * used in connection with random digits", 1951: the fraction is the first of a falling
 * sequence, if that is of odd length; each failure counts 1.
 */
static inline u64 prng_exponential(struct prng *prng)
{
	u64 whole = 0;
	u32 first, last, next;
	bool odd;

	for (;;) {
		first = prng_next(prng);
		last = first;
		for (odd = true; (next = prng_next(prng)) < last; odd = !odd)
			last = next;
		if (odd)
			return whole << 32 | first;
		whole++;
	}
}

#endif /* _IOBAND_PRNG_H */
