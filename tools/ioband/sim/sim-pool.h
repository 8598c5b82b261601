/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's side of the scheduling core, for simulated I/O: what
 * drivers/md/dm-ioband-device.c, -depth.c and -time.c do, without locks, CPUs and
 * bios. Functions have the names of the module's, so that one can be read beside
 * the other.
 */
#ifndef IOBAND_SIM_POOL_H
#define IOBAND_SIM_POOL_H

#include "ioband-core.h"
#include "ioband-depth.h"
#include "simdisk-model.h"

struct sim_group;
struct sim_io;
struct sim_job;

/* What the disk has done for a group or stream since the scheduler looked. */
struct sim_account {
	struct list_head news;
	u64 used_ns;
	u64 charged_ns;
	u64 done_ns;
	u32 nr_done;
	bool is_sync;
	struct ioband_node *node;
};

/**
 * struct sim_group - a group
 * @held: I/Os held, streams included
 * @is_limited: it or one above it has limits
 * @waiters: jobs that found too many held
 * @in_flight: I/Os at the disk
 * @in_flight_sectors: their size, of reads and of writes
 * @done_ns: when the last one was done while there was contention
 * @report: where its I/O is counted
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
	struct sim_count *count;
};

/* The I/O of one task on a disk that seeks. */
struct sim_stream {
	struct ioband_node node;
	struct sim_account account;
	struct sim_group *group;	/* NULL: free */
	const struct sim_job *job;
	u32 busy;			/* I/Os held or not yet accounted for */
	struct list_head hash;
	struct list_head idle;
};

enum {
	/* As the module has them. */
	SIM_STREAMS		= 256,
	SIM_STREAM_BITS		= 7,
	SIM_HELD_DEFAULT	= 1024,
};

/**
 * struct sim_io - an I/O, for all its life
 * @link: place in a list of the job's, the pool's or the disk's
 * @event: when it comes back from its job's thinking
 * @begin_ns: when its job wanted it
 * @issue_ns: when its turn had come
 * @clock_ns: what the disk's clock said then
 * @work_ns: likewise the clock that counts for the report
 * @is_writeback: it comes from the page cache
 * @is_aimed: it is known what it is
 * @blocks_job: its job sleeps until the disk has a tag for it
 * @disk: what the disk sees; it ends with the disk's pieces
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
 * @tags: what the disk takes at once
 * @lane: I/O that the worker will send
 * @is_pumping: the worker will look
 * @pump_ns: when it will
 * @turnaround_ns: how long it takes to get there
 * @work_ns: as @clock_ns, but it always runs
 * @released: called for a group of which less than @held_max are held again
 */
struct sim_pool {
	bool contended;
	u32 pass_max;
	struct sim_group *passes[IOBAND_DIRS];
	u64 slow_ns;
	u32 in_flight;

	struct ioband_sched sched;
	struct sim_group *owner;
	u64 last_held_ns;
	struct ioband_depth depth;
	u32 tags;
	u32 held_max;
	bool is_rotational;
	u32 io_throttle;
	u32 io_limit;

	bool is_timed;
	u64 clock_ns;
	u64 clock_at_ns;
	u32 clock_ios;
	u64 work_ns;
	u64 work_at_ns;
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
	SIM_HELD,		/* it is sent down when its turn comes */
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
enum sim_verdict iop_submit(struct sim_pool *pool, struct sim_io *iob,
			    u64 now_ns);
void iop_complete(struct sim_pool *pool, struct sim_io *iob, u64 now_ns);
void iop_pump(struct sim_pool *pool, u64 now_ns);

/* sim-depth.c */
void iop_update_depth(struct sim_pool *pool);
void iop_begin_depth(struct sim_pool *pool, u64 now_ns);
void iop_tick_depth(struct sim_pool *pool, u64 now_ns);
void iop_note_service(struct sim_pool *pool, u64 ns);

/* sim-time.c */
void iop_work(struct sim_pool *pool, u64 now_ns);
void iob_start_clock(struct sim_pool *pool, struct sim_io *iob, u64 now_ns);
void iob_stop_clock(struct sim_pool *pool, struct sim_io *iob, u64 now_ns);
void iop_settle(struct sim_pool *pool);
void iop_alloc_streams(struct sim_pool *pool);
struct sim_account *iop_stream(struct sim_pool *pool, const struct sim_io *iob,
			       u64 now_ns);
void iop_unstream(struct sim_pool *pool, struct sim_io *iob);

#endif /* IOBAND_SIM_POOL_H */
