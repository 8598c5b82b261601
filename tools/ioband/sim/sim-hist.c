// SPDX-License-Identifier: GPL-2.0-only
/*
 * Latency histograms: each octave is divided into equal steps, as in G. Tene's
 * HdrHistogram.
 */
#include <math.h>

#include "lib/util.h"
#include "sim-hist.h"

/* The octave of a time: 0 for all below SIM_HIST_STEPS. */
static unsigned int octave_of(u64 ns)
{
	return ns < SIM_HIST_STEPS ? 0 :
	       64 - SIM_HIST_BITS - __builtin_clzll(ns);
}

/* The step within the octave; above octave 0 the leading bit is implied. */
static unsigned int step_of(u64 ns, unsigned int octave)
{
	return octave ? ns >> (octave - 1) & (SIM_HIST_STEPS - 1) : ns;
}

/* The middle of a step. */
static u64 middle_of(unsigned int octave, unsigned int step)
{
	u64 width;

	if (!octave)
		return step;
	width = 1ULL << (octave - 1);
	return (SIM_HIST_STEPS + step) * width + width / 2;
}

static u64 *counters(struct sim_hist *hist, unsigned int octave)
{
	if (!hist->octaves[octave])
		hist->octaves[octave] = xcalloc(SIM_HIST_STEPS,
						sizeof(**hist->octaves));
	return hist->octaves[octave];
}

/**
 * sim_hist_add - count a value
 * @hist: the histogram
 * @ns: the value
 */
void sim_hist_add(struct sim_hist *hist, u64 ns)
{
	unsigned int octave = octave_of(ns);

	counters(hist, octave)[step_of(ns, octave)]++;
	hist->nr++;
	hist->max_ns = max(hist->max_ns, ns);
}

/**
 * sim_hist_merge - add another histogram
 * @hist: the histogram to add to
 * @more: the other histogram
 */
void sim_hist_merge(struct sim_hist *hist, const struct sim_hist *more)
{
	for (unsigned int octave = 0; octave < SIM_HIST_OCTAVES; octave++) {
		const u64 *from = more->octaves[octave];

		for (unsigned int i = 0; from && i < SIM_HIST_STEPS; i++)
			counters(hist, octave)[i] += from[i];
	}
	hist->nr += more->nr;
	hist->max_ns = max(hist->max_ns, more->max_ns);
}

/**
 * sim_hist_percentile - compute a percentile
 * @hist: the histogram
 * @percent: which percentile
 *
 * Return: nanoseconds, 0 if nothing was counted.
 */
u64 sim_hist_percentile(const struct sim_hist *hist, double percent)
{
	u64 rank = ceil(hist->nr * percent / 100), seen = 0;

	if (rank >= hist->nr)
		return hist->max_ns;
	for (unsigned int octave = 0; octave < SIM_HIST_OCTAVES; octave++) {
		const u64 *from = hist->octaves[octave];

		for (unsigned int i = 0; from && i < SIM_HIST_STEPS; i++) {
			seen += from[i];
			if (seen && seen >= rank)
				return min(middle_of(octave, i), hist->max_ns);
		}
	}
	return hist->max_ns;
}

/**
 * sim_hist_free - free what a histogram has allocated
 * @hist: the histogram
 */
void sim_hist_free(struct sim_hist *hist)
{
	for (unsigned int octave = 0; octave < SIM_HIST_OCTAVES; octave++)
		free(hist->octaves[octave]);
}
