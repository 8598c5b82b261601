/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What submit.c, dispatch.c, depth.c, time.c and latency.c are in the module: the
 * layer around the scheduling core, for simulated I/O, without locks, CPUs and bios.
 * Functions are named as in the module, so that the two can be read side by side.
 */
#ifndef IOBAND_SIM_POOL_H
#define IOBAND_SIM_POOL_H

#include "dm-ioband/sched/clock.h"
#include "dm-ioband/sched/core.h"
#include "dm-ioband/sched/depth.h"
#include "simdisk-model.h"

struct sim_group;
struct sim_io;
struct sim_job;

/* What the disk has done for a group or stream and the scheduler has yet to be told. */
struct sim_account {
	struct list_head news;
	u64 used_ns;
	u64 charged_ns;
	u64 done_ns;
	u32 nr_done;
	u32 dirs;		/* which way they went, a bit each */
	bool is_sync;
	struct ioband_node *node;
};

/**
 * struct sim_group - a group
 * @held: number of I/Os held, those of its streams included
 * @is_limited: it or a group above it has limits
 * @waiters: jobs that wait because too many I/Os are held
 * @in_flight: number of I/Os at the disk
 * @in_flight_sectors: their size, by direction
 * @done_ns: time of the last completion under contention
 * @late: place in the pool's list while I/O took too long at the disk
 * @timed_ios: I/Os done since the last look while it is there
 * @late_ios: those that took too long
 * @count: where its I/O is counted
 */
struct sim_group {
	struct ioband_node node;
	struct sim_account account;
	u32 held;
	bool is_limited;
	struct list_head waiters;
	u64 in_flight;
	u64 in_flight_sectors[IOBAND_DIRS];
	u64 done_ns;
	struct list_head late;
	u32 timed_ios;
	u32 late_ios;
	struct sim_count *count;
};

/* The I/O of one task on a rotational disk. */
struct sim_stream {
	struct ioband_node node;
	struct sim_account account;
	struct sim_group *group;	/* NULL: unused */
	const struct sim_job *job;
	u32 busy;			/* I/Os held or not yet accounted for */
	struct list_head hash;
	struct list_head idle;
};

enum {
	/* As in the module. */
	SIM_STREAMS		= 256,
	SIM_STREAM_BITS		= 7,
	SIM_HELD_DEFAULT	= 1024,
};

/**
 * struct sim_io - an I/O, for its whole life
 * @link: entry in a list of the job, the pool or the disk
 * @event: end of its job's think time
 * @begin_ns: time at which its job wanted it
 * @issue_ns: time at which it was issued
 * @clock_ns: disk clock at that time
 * @work_ns: likewise, the clock for the report
 * @is_writeback: it comes from the page cache
 * @is_aimed: direction, size and place have been decided
 * @blocks_job: its job sleeps until the disk has a tag for it
 * @disk: the I/O as the disk model sees it; last, as it ends in a flexible array
 */
struct sim_io {
	struct ioband_io io;
	struct list_head link;
	struct ioband_heap_node event;
	struct sim_job *job;
	struct sim_group *group;
	struct sim_account *account;
	u64 begin_ns;
	u64 issue_ns;
	u64 clock_ns;
	u64 work_ns;
	bool is_timed;
	bool is_writeback;
	bool is_aimed;
	bool blocks_job;
	struct simdisk_io disk;
};

/**
 * struct sim_pool - all groups of a disk
 * @tags: number of I/Os that the disk takes at once
 * @late: groups of which I/O took too long at the disk
 * @lane: dispatched I/O that the worker will send
 * @is_pumping: the worker has been woken
 * @pump_ns: time at which it will run
 * @turnaround_ns: time that it takes to run after being woken
 * @clock: the disk's clock, which runs under contention
 * @work: that for the report, which always runs
 * @released: called when a group is back below @held_max held I/Os
 */
struct sim_pool {
	bool contended;
	u32 pass_max;
	struct sim_group *passes[IOBAND_DIRS];
	u64 slow_ns;
	u32 in_flight;

	struct ioband_sched sched;
	struct sim_group *user;
	u64 shared_ns;
	u64 ask_ns;
	bool is_split;
	bool is_alone;
	u32 nr_holding;
	u32 held_writes;
	u64 last_held_ns;
	struct ioband_depth depth;
	struct list_head late;
	u32 tags;
	u32 held_max;
	bool is_rotational;
	u32 io_throttle;
	u32 io_limit;

	bool is_timed;
	struct ioband_clock clock;
	struct ioband_clock work;
	struct list_head news;
	struct sim_stream *streams;
	struct list_head idle_streams;
	struct list_head stream_hash[1 << SIM_STREAM_BITS];
	u64 service_ns;
	u64 service_off_ns;

	bool is_armed;
	u64 timer_ns;
	struct list_head lane;
	bool is_pumping;
	u64 pump_ns;
	u64 turnaround_ns;
	void (*released)(struct sim_pool *pool, struct sim_group *group);
};

enum sim_verdict {
	SIM_PASS,		/* its submitter sends it down */
	SIM_HELD,		/* it is sent down when it is dispatched */
	SIM_WAIT,		/* its submitter has to wait */
};

static inline struct sim_io *sim_io_of(struct ioband_io *io)
{
	return container_of(io, struct sim_io, io);
}

/* sim-pool.c */
void iop_init(struct sim_pool *pool, const struct ioband_policy *policy,
	      u32 tags, bool is_rotational, u64 now_ns);
void iop_set_quantum(struct sim_pool *pool, u32 quantum_ms);
void iog_init(struct sim_group *group, u32 weight, enum ioband_class class,
	      struct ioband_terms *terms);
void iog_add(struct sim_pool *pool, struct sim_group *group,
	     struct sim_group *parent);
void iop_free(struct sim_pool *pool);
enum sim_verdict iop_submit(struct sim_pool *pool, struct sim_io *iob, struct sim_io **send,
			    u64 now_ns);
void iop_complete(struct sim_pool *pool, struct sim_io *iob, u64 now_ns);
void iop_pump(struct sim_pool *pool, u64 now_ns);

/* sim-depth.c */
void iop_update_depth(struct sim_pool *pool);
void iop_begin_depth(struct sim_pool *pool, u64 now_ns);
void iop_tick_depth(struct sim_pool *pool, u64 now_ns);
void iop_note_service(struct sim_pool *pool, u64 ns);

/* sim-latency.c */
bool iob_note_latency(struct sim_pool *pool, struct sim_io *iob, u64 now_ns);
bool iop_tick_squeeze(struct sim_pool *pool, u64 now_ns);

/* sim-time.c */
void iob_start_clock(struct sim_pool *pool, struct sim_io *iob, u64 now_ns);
void iob_stop_clock(struct sim_pool *pool, struct sim_io *iob, u64 now_ns);
void iop_settle(struct sim_pool *pool);
void iop_alloc_streams(struct sim_pool *pool);
struct sim_account *iop_stream(struct sim_pool *pool, const struct sim_io *iob,
			       u64 now_ns);
void iop_unstream(struct sim_pool *pool, struct sim_io *iob);

#endif /* IOBAND_SIM_POOL_H */
