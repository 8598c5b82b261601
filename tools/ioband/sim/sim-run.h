/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulation: jobs, the pool and the disk, driven by events.
 */
#ifndef IOBAND_SIM_RUN_H
#define IOBAND_SIM_RUN_H

#include "prng.h"
#include "sim-hist.h"
#include "sim-pool.h"
#include "sim-trace.h"

/* Do not start at 0, which means "never" to the core. */
#define SIM_BEGIN_NS	((u64)NSEC_PER_SEC)

/**
 * struct sim_span - how long there has been at least one of something
 * @nr: present number
 * @since_ns: time since when there has been any
 * @ns: total time of earlier spans
 */
struct sim_span {
	u64 nr;
	u64 since_ns;
	u64 ns;
};

/**
 * struct sim_count - what a group has got while counting
 * @ios: I/Os done, by direction
 * @bytes: their size
 * @work_ns: disk time spent on them
 * @want: I/Os that its jobs wait for
 * @busy: these, and I/Os whose jobs are thinking
 * @unmet_ns: unmet_ns of the group's terms when counting started; in the end, the
 *	difference
 * @hist: latencies, possibly shared by all groups of a section
 * @series: data of the section for the plot, or %NULL
 */
struct sim_count {
	u64 ios[IOBAND_DIRS];
	u64 bytes[IOBAND_DIRS];
	u64 work_ns;
	struct sim_span want;
	struct sim_span busy;
	u64 unmet_ns;
	struct sim_hist *hist;
	struct sim_series *series;
};

/* What a section has got since the last point of the plot. */
struct sim_series {
	u64 ios;
	u64 bytes;
	u64 latency_ns;
};

/**
 * struct sim_job - one task
 * @spec: its section; %NULL for recorded I/O
 * @ready: entry in the list of jobs that can go on
 * @waiting: entry in the list of jobs that wait for room in their group
 * @pending: I/O that it wants to submit
 * @event: start of the job, or arrival of its next I/O by rate or recording
 * @next_ns: time of that
 * @blocked: it sleeps while submitting an I/O
 * @head: block at which the last I/O ended
 * @blocks: size in blocks of the part of the disk that it uses
 * @next: index of the next recorded I/O
 */
struct sim_job {
	const struct scenario_job *spec;
	struct sim_group *group;
	struct list_head ready;
	struct list_head waiting;
	struct list_head pending;
	struct ioband_heap_node event;
	struct prng prng;
	u64 next_ns;
	bool is_ready;
	bool blocked;
	u64 head;
	u64 blocks;
	size_t next;
};

/**
 * struct sim - a simulation
 * @now_ns: current time
 * @counting: the time to settle is over
 * @tags_used: number of I/Os that the disk has taken
 * @tag_waits: I/O that has been sent and waits for a tag
 * @events: events of jobs
 * @thoughts: I/O whose job is thinking
 * @ready: jobs that can go on
 * @spare: unused I/O structures
 * @blocks: their memory, to be freed
 * @point: called at each point of the plot, or %NULL
 */
struct sim {
	const struct scenario *sc;
	const struct trace *trace;
	struct sim_pool pool;
	struct simdisk disk;
	u64 now_ns;
	u64 from_ns;
	u64 end_ns;
	bool counting;
	u32 tags_used;
	struct list_head tag_waits;
	struct ioband_heap events;
	struct ioband_heap thoughts;
	struct list_head ready;
	size_t step;

	struct sim_group *groups;
	struct sim_count *counts;
	struct ioband_terms *terms;
	size_t nr_groups;
	struct sim_group *members;	/* of groups on several volumes */
	struct ioband_terms *member_terms;
	size_t *first_member;		/* index, by section */
	size_t *first_group;		/* index, by section */
	struct sim_hist *hists;
	size_t nr_hists;
	struct sim_series *series;
	struct sim_job *jobs;
	size_t nr_jobs;

	struct list_head spare;
	size_t io_bytes;
	void **blocks;
	size_t nr_blocks;

	u64 next_point_ns;
	void (*point)(struct sim *sim, void *data);
	void *point_data;
	u64 ios;
};

/* sim-run.c */
int sim_run(struct sim *sim, struct parse_error *err);

/* sim-setup.c */
int sim_init(struct sim *sim, const struct scenario *sc,
	     const struct trace *trace, bool each,
	     void (*point)(struct sim *sim, void *data), void *point_data,
	     struct parse_error *err);
void sim_free(struct sim *sim);
struct sim_io *sim_io_get(struct sim *sim);

/* sim-job.c */
void sim_job_start(struct sim *sim, struct sim_job *job);
bool sim_job_due(struct sim *sim, struct sim_job *job);
void sim_job_aim(struct sim *sim, struct sim_job *job, struct sim_io *iob);
bool sim_job_goes_on(const struct sim *sim, const struct sim_job *job);

#endif /* IOBAND_SIM_RUN_H */
