/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits, minimums and latency targets for fuzzers of the core.
 */
#ifndef _IOBAND_FUZZ_TERMS_H
#define _IOBAND_FUZZ_TERMS_H

#include "dm-ioband/sched/terms.h"
#include "prng.h"

/* Up to @max, all orders of magnitude alike. */
static inline u64 fuzz_rate(struct prng *prng, u64 max)
{
	return 1 + (((u64)prng_next(prng) << 32 | prng_next(prng)) % max >>
		    prng_below(prng, 50));
}

/* Each limit is set with so many percent; equal @kind, equal terms. */
static inline void fuzz_terms(struct ioband_terms *terms, unsigned int kind,
			      unsigned int percent_limits)
{
	struct ioband_rate limits[IOBAND_LIMITS] = { 0 };
	u64 min_rate = 0, latency_ns = 0;
	struct prng prng;
	unsigned int i;

	prng_seed(&prng, kind);
	for (i = 0; i < IOBAND_LIMITS; i++) {
		if (prng_percent(&prng, 100 - percent_limits))
			continue;
		limits[i].rate = fuzz_rate(&prng, IOBAND_RATE_MAX);
		if (prng_percent(&prng, 50))
			limits[i].burst = fuzz_rate(&prng, IOBAND_RATE_MAX);
		if (prng_percent(&prng, 30))
			limits[i].peak = fuzz_rate(&prng, IOBAND_RATE_MAX);
	}
	if (prng_percent(&prng, 40))
		min_rate = fuzz_rate(&prng, IOBAND_RATE_MAX);
	if (prng_percent(&prng, 40))
		latency_ns = fuzz_rate(&prng, NSEC_PER_SEC);
	ioband_terms_init(terms, limits, min_rate, prng_percent(&prng, 50),
			  latency_ns);
}

#endif /* _IOBAND_FUZZ_TERMS_H */
