/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many I/Os took how long, to within half a percent.
 */
#ifndef IOBAND_SIM_HIST_H
#define IOBAND_SIM_HIST_H

#include "ioband-env.h"

enum {
	/* Buckets of each power of two. */
	SIM_HIST_BITS	= 7,
	SIM_HIST_STEPS	= 1 << SIM_HIST_BITS,
	SIM_HIST_OCTAVES = 64 - SIM_HIST_BITS + 1,
};

/**
 * struct sim_hist - a histogram of times in nanoseconds
 * @octaves: counters, for the powers of two that have occurred
 * @nr: all that was counted
 * @max_ns: the longest
 */
struct sim_hist {
	u64 *octaves[SIM_HIST_OCTAVES];
	u64 nr;
	u64 max_ns;
};

void sim_hist_add(struct sim_hist *hist, u64 ns);
void sim_hist_merge(struct sim_hist *hist, const struct sim_hist *more);
u64 sim_hist_percentile(const struct sim_hist *hist, double percent);
void sim_hist_free(struct sim_hist *hist);

#endif /* IOBAND_SIM_HIST_H */
