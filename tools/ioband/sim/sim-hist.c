// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many I/Os took how long: each power of two is divided into equal steps, as
 * G. Tene's HdrHistogram does it.
 */
#include <math.h>

#include "sim-hist.h"
#include "util.h"

/* The octave of a time: 0 for all below SIM_HIST_STEPS. */
static unsigned int octave_of(u64 ns)
{
	return ns < SIM_HIST_STEPS ? 0 :
	       64 - SIM_HIST_BITS - __builtin_clzll(ns);
}

/* Its step there: from the second octave on the first bit is known. */
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
 * sim_hist_add - count one
 * @hist: the histogram
 * @ns: how long it took
 */
void sim_hist_add(struct sim_hist *hist, u64 ns)
{
	unsigned int octave = octave_of(ns);

	counters(hist, octave)[step_of(ns, octave)]++;
	hist->nr++;
	hist->max_ns = max(hist->max_ns, ns);
}

/**
 * sim_hist_merge - count what another one has counted
 * @hist: the histogram
 * @more: the other
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
 * sim_hist_percentile - the time that so many did not exceed
 * @hist: the histogram
 * @percent: of all that was counted
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
 * sim_hist_free - release what it has allocated
 * @hist: the histogram
 */
void sim_hist_free(struct sim_hist *hist)
{
	for (unsigned int octave = 0; octave < SIM_HIST_OCTAVES; octave++)
		free(hist->octaves[octave]);
}
