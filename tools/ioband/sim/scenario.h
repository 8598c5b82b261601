/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is to be simulated: docs/simulate.rst tells the format.
 */
#ifndef IOBAND_SCENARIO_H
#define IOBAND_SCENARIO_H

#include "config.h"
#include "dm-ioband-settings.h"
#include "simdisk-model.h"

enum {
	SCENARIO_SECTIONS_MAX	= 4096,
	SCENARIO_GROUPS_MAX	= 1000000,
	SCENARIO_STREAMS_MAX	= 1000000,
	/* I/Os outstanding, streams times depth: some 300 bytes each. */
	SCENARIO_IOS_MAX	= 4000000,
	/* Levels of groups: the module has no more. */
	SCENARIO_LEVELS_MAX	= 16,
	SCENARIO_NONE		= -1,
};

/**
 * struct scenario_step - a change of the disk
 * @at_ns: when, from the beginning
 * @place: which parameter
 */
struct scenario_step {
	u64 at_ns;
	int place;
	u64 value;
};

/**
 * struct scenario_group - a section [group NAME]
 * @line: where it begins
 * @count: how many groups it stands for
 * @is_counted: they are numbered, even if it is one
 * @is_placed: parent was given
 * @parent: the section of the groups above, or %SCENARIO_NONE
 * @level: how many groups are above
 * @settings: of each of them
 */
struct scenario_group {
	char *name;
	unsigned long line;
	u64 count;
	bool is_counted;
	bool is_placed;
	int parent;
	unsigned int level;
	struct ioband_settings settings;
};

/* Which keys of a job were given. */
enum scenario_job_key {
	JOB_STREAMS,
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
 * @line: where it begins
 * @given: which keys it has
 * @group: the section whose groups run it, each
 * @streams: tasks in each group
 * @depth: I/Os that a task has outstanding
 * @think_ns: for how long it thinks after each
 * @interval_ns: without regard to that, one comes so often; 0: not so
 * @is_poisson: in the mean only
 * @is_sequential: each begins where the last ended
 * @bytes: size of an I/O
 * @write_percent: of all I/Os
 * @is_async: nobody waits for writes
 * @prio: as in &struct ioband_io
 * @start_ns: when it begins
 * @stop_ns: when it ends
 * @offset_bytes: the part of the disk
 * @span_bytes: its size; 0: to the end
 */
struct scenario_job {
	unsigned long line;
	bool given[NR_JOB_KEYS];
	int group;
	u64 streams;
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
 * struct scenario - all of it
 * @model: what kind of disk
 * @pool: policy, io_throttle, io_limit and quantum
 * @turnaround_ns: from the end of an I/O to the next one that was held
 * @settle_ns: time before anything is counted
 * @time_ns: time in which it is
 * @seed: of all that is random
 * @interval_ns: of the points of the plot
 * @trace: file with recorded I/O, or %NULL
 * @trace_line: where it is named
 * @trace_start_ns: when it begins
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
