/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is to be simulated. The format is described in docs/simulate.rst.
 */
#ifndef IOBAND_SCENARIO_H
#define IOBAND_SCENARIO_H

#include "config/config.h"
#include "dm-ioband/settings.h"
#include "simdisk-model.h"

enum {
	SCENARIO_SECTIONS_MAX	= 4096,
	SCENARIO_GROUPS_MAX	= 1000000,
	SCENARIO_STREAMS_MAX	= 1000000,
	SCENARIO_VOLUMES_MAX	= 1000,
	/* Outstanding I/Os, streams times depth, some 300 bytes each. */
	SCENARIO_IOS_MAX	= 4000000,
	/* Levels of groups: as many as the module has. */
	SCENARIO_LEVELS_MAX	= 16,
	SCENARIO_NONE		= -1,
};

/**
 * struct scenario_step - a change of the disk
 * @at_ns: time since the start
 * @place: index of the parameter
 * @line: line number
 */
struct scenario_step {
	u64 at_ns;
	int place;
	u64 value;
	unsigned long line;
};

/**
 * struct scenario_group - a section [group NAME]
 * @line: line number of the section
 * @count: number of groups that it describes
 * @is_counted: count was given: the groups are numbered, even a single one
 * @is_placed: parent was given
 * @parent: index of the section of the parent groups, or %SCENARIO_NONE
 * @level: number of groups above
 * @volumes: the most volumes of any of its jobs; more than 1: it has a member for each
 * @settings: settings of each group
 */
struct scenario_group {
	char *name;
	unsigned long line;
	u64 count;
	bool is_counted;
	bool is_placed;
	int parent;
	unsigned int level;
	u64 volumes;
	struct ioband_settings settings;
};

/* Keys of a job. */
enum scenario_job_key {
	JOB_STREAMS,
	JOB_VOLUMES,
	JOB_DEPTH,
	JOB_THINK,
	JOB_RATE,
	JOB_ARRIVALS,
	JOB_PATTERN,
	JOB_SIZE,
	JOB_WRITE,
	JOB_ASYNC,
	JOB_PRIO,
	JOB_START,
	JOB_STOP,
	JOB_OFFSET,
	JOB_SPAN,
	NR_JOB_KEYS,
};

/**
 * struct scenario_job - a section [job]
 * @line: line number of the section
 * @given: which keys were given
 * @group: index of the section whose groups run it, each of them
 * @streams: number of tasks in each group
 * @volumes: number of volumes that they are dealt out to
 * @depth: number of I/Os that a task keeps outstanding
 * @think_ns: think time after each I/O
 * @interval_ns: instead of @depth, the interval at which I/Os arrive; 0 for a closed
 *	loop
 * @is_poisson: @interval_ns is the mean of a Poisson process
 * @is_sequential: each I/O starts where the last one ended
 * @bytes: size of an I/O
 * @write_percent: percentage of writes
 * @is_async: writes are writeback, for which no task waits
 * @prio: as in &struct ioband_io
 * @start_ns: start time
 * @stop_ns: end time
 * @offset_bytes: start of the part of the disk that is used
 * @span_bytes: size of that part; 0: to the end
 */
struct scenario_job {
	unsigned long line;
	bool given[NR_JOB_KEYS];
	int group;
	u64 streams;
	u64 volumes;
	u64 depth;
	u64 think_ns;
	u64 interval_ns;
	bool is_poisson;
	bool is_sequential;
	u64 bytes;
	u64 write_percent;
	bool is_async;
	u8 prio;
	u64 start_ns;
	u64 stop_ns;
	u64 offset_bytes;
	u64 span_bytes;
};

/**
 * struct scenario - a scenario
 * @model: model of the disk
 * @pool: policy, io_throttle, io_limit and quantum
 * @turnaround_ns: time from a completion to the dispatch of a held I/O
 * @settle_ns: time before counting starts
 * @time_ns: time for which I/O is counted
 * @seed: seed of the random numbers
 * @interval_ns: interval between points of the plot
 * @trace: file with recorded I/O, or %NULL
 * @trace_line: line number where it is named
 * @trace_start_ns: time at which the recording starts
 */
struct scenario {
	const struct simdisk_model *model;
	struct simdisk_params params;
	struct scenario_step *steps;
	size_t nr_steps;
	struct config pool;
	const struct ioband_policy *policy;
	u64 turnaround_ns;
	u64 settle_ns;
	u64 time_ns;
	u64 seed;
	u64 interval_ns;
	struct scenario_group *groups;
	size_t nr_groups;
	struct scenario_job *jobs;
	size_t nr_jobs;
	char *trace;
	unsigned long trace_line;
	u64 trace_start_ns;
};

/* scenario.c */
int scenario_parse(struct scenario *sc, const char *text, unsigned long *line,
		   struct parse_error *err);
void scenario_free(struct scenario *sc);

/* scenario-group.c */
int scenario_group(const struct scenario *sc, const char *name);
int scenario_group_take(const struct scenario *sc, struct scenario_group *group,
			const char *key, char *value, struct parse_error *err);
int scenario_group_check_names(const struct scenario *sc,
			       const struct scenario_group *group,
			       const struct scenario_group **at,
			       struct parse_error *err);

/* scenario-job.c */
void scenario_job_init(struct scenario_job *job, int group, unsigned long line);
int scenario_job_take(struct scenario_job *job, const char *key,
		      const char *value, struct parse_error *err);
int scenario_job_check(const struct scenario_job *job,
		       const struct scenario *sc, struct parse_error *err);

#endif /* IOBAND_SCENARIO_H */
