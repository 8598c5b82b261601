/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a simulation has found out, group by group, those below counted in.
 */
#ifndef IOBAND_SIM_REPORT_H
#define IOBAND_SIM_REPORT_H

#include "sim-run.h"

/**
 * struct sim_row - what a group, or the groups of a section, got
 * @name: to be freed
 * @groups: how many they are; 0 for the sum of all
 * @weight: of each
 * @parent: name of the one above, or of its section; %NULL for none
 * @due_ppm: share of the disk that was due to them
 * @got_ppm: share that they got
 * @ios: I/Os done, by direction
 * @bytes: their size
 * @hist: how long they took
 * @min_rate: minimum of each, per second; 0: none
 * @min_is_ios: in I/Os, else bytes
 * @least_rate: what the one that got least got, in units of the minimum
 * @least_name: which it was, to be freed; %NULL without minimum
 * @behind_ns: for how long the one that was worst off was behind its minimum
 * @unmet: how many did not get their minimum
 */
struct sim_row {
	char *name;
	u64 groups;
	u32 weight;
	char *parent;
	double due_ppm;
	double got_ppm;
	u64 ios[IOBAND_DIRS];
	u64 bytes[IOBAND_DIRS];
	struct sim_hist *hist;
	u64 min_rate;
	bool min_is_ios;
	double least_rate;
	char *least_name;
	u64 behind_ns;
	u64 unmet;
};

/**
 * struct sim_report - all rows, the last one that of the sum
 * @seconds: that were counted
 * @total_hist: latencies of all I/O
 */
struct sim_report {
	struct sim_row *rows;
	size_t nr;
	double seconds;
	struct sim_hist total_hist;
};

void sim_report_make(struct sim_report *report, struct sim *sim, bool each);
void sim_report_free(struct sim_report *report);

#endif /* IOBAND_SIM_REPORT_H */
