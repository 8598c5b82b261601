/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Latency histograms with an error of at most half a percent.
 */
#ifndef IOBAND_SIM_HIST_H
#define IOBAND_SIM_HIST_H

#include "ioband-env.h"

enum {
	/* Log2 of the number of steps in an octave. */
	SIM_HIST_BITS	= 7,
	SIM_HIST_STEPS	= 1 << SIM_HIST_BITS,
	SIM_HIST_OCTAVES = 64 - SIM_HIST_BITS + 1,
};

/**
 * struct sim_hist - a histogram of times in nanoseconds
 * @octaves: counters of each octave, allocated on first use
 * @nr: number of values counted
 * @max_ns: the largest value
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
