/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a disk takes for an I/O, and what groups got in a run.
 */
#ifndef PROVING_MEASURE_H
#define PROVING_MEASURE_H

#include "proving.h"

/* Of an SSD's dies, as many as can be kept busy without long queues at some of them. */
#define BUSY	0.9

enum {
	PHASES_MAX	= 256,
	NOBODY		= -1,
};

/* What a group got, or all of them. */
struct tally {
	double ios[IOBAND_DIRS];
	double bytes[IOBAND_DIRS];
};

/**
 * struct phase - all times at which the same jobs run, on the same disk
 * @key: tells phases apart
 * @seconds: how long they are in all
 * @params: the disk
 */
struct phase {
	u64 key;
	double seconds;
	struct simdisk_params params;
};

/**
 * struct span - from one moment at which a job or the disk changes to the next
 * @end_ns: when it ends
 * @phase: what it belongs to
 */
struct span {
	u64 end_ns;
	int phase;
};

/**
 * struct who - a group, as the judge sees it
 * @section: its section in the file
 * @parent: index of the group above, or %NOBODY
 * @has_job: it has I/O of its own
 * @is_parent: there are groups below it
 * @is_reader: it is one task that reads one block after the other
 * @is_deep: it keeps the disk busy by itself
 * @visits: how often it begins
 * @think_ns: how long that task thinks
 * @levels: groups above it
 * @largest: the largest I/O
 */
struct who {
	int section;
	int parent;
	bool has_job;
	bool is_parent;
	bool is_reader;
	bool is_deep;
	u64 visits;
	u64 think_ns;
	int levels;
	double largest;
};

/**
 * struct court - a scenario and what is known of it before it runs
 * @is_alike: all I/O is of one size, direction and pattern, and as much at a drive
 * @has_writes: some of it is written
 */
struct court {
	struct scenario sc;
	struct who *who;
	int nr;
	struct phase phases[PHASES_MAX];
	int nr_phases;
	struct span *spans;
	int nr_spans;
	bool is_alike;
	bool has_writes;
};

/**
 * struct outcome - what groups got in a run
 * @got: by phase and group, as tally_of() finds it
 * @hists: latencies, by group
 * @depth: the scheduler's in the end
 * @contended: whether it was in charge then
 */
struct outcome {
	struct tally *got;
	struct sim_hist *hists;
	u32 depth;
	bool contended;
};

/*
 * A run with the scheduler, one with a depth that is known to be right, one in which
 * besides that to decide takes no time, one with limits only, or one of a group alone.
 */
enum control {
	CONTROLLED,
	BEST_DEPTH,
	IDEAL,
	UNCONTROLLED,
	ALONE,
};

int court_open(struct court *court, const char *text, struct parse_error *err);
void court_close(struct court *court);
int court_run(const struct court *court, enum control control, int alone,
	      struct outcome *outcome, struct parse_error *err);
void outcome_free(const struct court *court, struct outcome *outcome);
struct tally *tally_of(const struct court *court, const struct outcome *outcome,
		       int phase, int who);
double outstanding(const struct court *court, int phase, int who);
double arriving(const struct court *court, int phase, int who);
bool is_on(const struct court *court, int phase, int who);
double service_of(const struct court *court, int phase, int who);
double service_percentile(const struct court *court, int phase, int who, double part);
double work_in(const struct court *court, int phase, const struct tally *tally);
double slots_of(const struct court *court, int phase);
u32 best_depth(const struct court *court);
double taken_at_once(const struct court *court, int phase);
double cap_ns(const struct simdisk_params *params, double bytes);
double deviation(const struct sim_hist *hist, double think_ns);

#endif /* PROVING_MEASURE_H */
