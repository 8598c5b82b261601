/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The results of a simulation by group, each including the groups below it.
 */
#ifndef IOBAND_SIM_REPORT_H
#define IOBAND_SIM_REPORT_H

#include "sim-run.h"

/**
 * struct sim_row - what a group, or the groups of a section, got
 * @name: name of the group or section; to be freed
 * @groups: number of groups; 0 for the total
 * @weight: weight of each group
 * @parent: name of the parent, or of its section; %NULL for none
 * @due_ppm: part of the disk that was due to them
 * @got_ppm: part that they got
 * @ios: I/Os done, by direction
 * @bytes: their size
 * @hist: their latencies
 * @min_rate: minimum of each group per second; 0 for none
 * @min_is_ios: the minimum is in I/Os, otherwise in bytes
 * @least_rate: lowest rate of a group, in the unit of the minimum
 * @least_name: name of that group, to be freed; %NULL without a minimum
 * @behind_ns: longest time that a group was behind its minimum
 * @unmet: number of groups that did not get their minimum
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
 * struct sim_report - all rows, the last one being the total
 * @seconds: time that was counted
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
