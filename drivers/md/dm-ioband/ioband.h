/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ioband: share a disk's bandwidth between groups of processes.
 *
 * Five objects, one prefix each:
 *
 *	iop_	struct ioband_pool	all that one share id names: one disk, one
 *					scheduler, one depth
 *	iov_	struct ioband_volume	the lines of one dm table that name the same
 *					share: one type, one set of groups
 *	iot_	struct ioband_target	one line of a table
 *	iog_	struct ioband_group	what a share is given to: a queue, a weight
 *	iob_	struct ioband_bio	one bio, from map to end_io
 *
 * Locks, from the outside in: ioband_mutex, pool->lock, pool->clock_lock (docs/locking.rst).
 */
#ifndef _DM_IOBAND_H
#define _DM_IOBAND_H

#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "args.h"
#include "sched/clock.h"
#include "sched/core.h"
#include "sched/depth.h"

#define DM_MSG_PREFIX "ioband"

struct cgroup_subsys_state;

enum {
	/* Held bios per group and direction at which its submitters wait. */
	HELD_DEFAULT = 1024,
	/* In units of 1024 ns: below 1, 2, 4 ...; the last has no upper bound. */
	IOBAND_BUCKETS = 24,
};

/* per group and CPU; counters only grow, so summing them needs no lock */
struct ioband_stats {
	/* Index: READ or WRITE. */
	u64 issued_ios[2];
	u64 issued_sectors[2];
	u64 done_sectors[2];
	u64 done_ns[2];		/* from map to completion */
	u64 service_ns;		/* from issue to completion */
	u64 late_ios;		/* from map to completion longer than their target */
	/* How long bios were at the disk, of all that completed. */
	u64 services[IOBAND_BUCKETS];
};

/* per group; likewise, but counted where pool->lock is held anyway */
struct ioband_waits {
	u64 because_ns[IOBAND_BECAUSES];	/* how long issued ones had been held, by reason */
	u64 urgent_ios;		/* passed only because they must not be held */
	/* How long bios were held, of those that were. */
	u64 buckets[IOBAND_BUCKETS];
};

/* What a group has counted altogether. */
struct ioband_sums {
	struct ioband_stats stats;
	struct ioband_waits waits;
};

/*
 * What has completed for a group or stream since the scheduler last looked.
 * Completions may not take pool->lock, so they record it here.
 */
struct ioband_account {
	struct list_head news;		/* pool->news; all under pool->clock_lock */
	u64 used_ns;
	u64 charged_ns;
	u64 done_ns;
	u32 nr_done;
	u8 dirs;			/* which way they went, a bit each */
	bool is_sync;
	struct ioband_group *group;
};

/* per group and direction: what is held of tasks that wait if it is too much (held.c) */
struct ioband_bound {
	u32 ios;
	u64 sectors;
};

/* per group; a cache line each for who writes it, as far as every I/O has to do with it */
struct ioband_group {
	/* Read by every I/O, on all CPUs. */
	struct ioband_volume *volume;	/* NULL: it is common to several (place.c) */
	u64 id;
	/* One while attached, one per bio, per account on pool->news, while @is_late. */
	struct percpu_ref ref;
	struct ioband_stats __percpu *stats;
	u64 latency_ns;			/* its target, or 0; written under pool->lock */
	/* The group or an ancestor has limits; written under pool->lock. */
	bool is_limited;
	bool is_default;
	bool has_cgroup;		/* with "auto", just found; under ioband_mutex */
	bool detached;			/* guarded by pool->lock */

	/* Written by completions. */
	struct ioband_account account ____cacheline_aligned_in_smp;
	struct llist_node late;		/* pool->late */
	atomic_t is_late;		/* it is in there, or about to be */
	/* Since the last look while it is: I/Os with data, and late at the disk alone. */
	atomic_t timed_ios;
	atomic_t late_ios;
	/* Time with I/O outstanding, kept like the block layer's io_ticks. */
	unsigned long busy_stamp_jiffies;
	unsigned long busy_jiffies;
	/* When a bio last completed under contention. */
	u64 done_ns;

	struct ioband_node node ____cacheline_aligned_in_smp;	/* guarded by pool->lock */
	/* Bios held, streams included; written under pool->lock. */
	u32 held[IOBAND_DIRS];
	/* Held run that more bios may join, or NULL; under pool->lock. */
	struct ioband_bio *open;
	struct ioband_waits waits;	/* written under pool->lock */
	/* When what was held last went, or the first that is held came; under pool->lock. */
	unsigned long went_jiffies;
	struct ioband_bound bound[IOBAND_DIRS];	/* under pool->lock */
	/* Until when what dying tasks have sent takes all that they may; under pool->lock. */
	u64 dying_ns;
	/* Written under ioband_mutex and pool->lock. */
	struct ioband_settings settings;
	/* In pool->cgroups if it is the place of its cgroup; under ioband_mutex, as the next. */
	struct hlist_node by_cgroup;
	bool is_apart;			/* not there, but below a group of its volume */
	/* At the last reset, what is reported is the difference; written under ioband_mutex. */
	struct ioband_sums base;
	/* Submitters that found no room in @bound. */
	wait_queue_head_t wait[IOBAND_DIRS];
	union {
		struct list_head spare;	/* before the group is in use */
		struct rcu_head rcu;	/* afterwards */
	};
	/* Of @node, if the pool has more than one leg. */
	struct ioband_leg legs[];
};

/* per CPU: the last result of the cgroup lookup */
struct ioband_lookup {
	u64 cgroup_id;
	u64 generation;
	struct ioband_group *group;
};

/* per task, for its I/O to a disk that seeks; guarded by pool->lock */
struct ioband_stream {
	struct ioband_node node;
	struct ioband_account account;
	struct ioband_group *group;	/* NULL: free */
	pid_t pid;
	u32 busy;			/* I/Os held, or issued and not settled */
	struct hlist_node hash;		/* pool->stream_hash, if it has a group */
	struct list_head idle;		/* pool->idle_streams, if not busy */
};

enum {
	IOBAND_STREAMS = 256,
	IOBAND_STREAM_BITS = 7,
};

enum {
	IOBAND_AUTO_PENDING = 16,
};

/* How often option auto looks for groups whose cgroup is gone. */
#define IOBAND_AUTO_JIFFIES	(2 * HZ)

/* per volume and direction: whether the device below answers (stall.c) */
struct ioband_below {
	/* Since when it does not answer, or 0; written under pool->lock. */
	u64 stalled_ns;
	/* The rest is stall_work's. At its last look before it was stalled: */
	u64 done_sectors;		/* what had come or gone */
	u64 there_sectors;		/* and what was there */
	bool is_silent;			/* none has since, or, if it is stalled, not all of it */
};

/* per dm table and share id */
struct ioband_volume {
	struct ioband_pool *pool;
	struct list_head list;		/* pool->volumes */
	struct dm_table *table;
	unsigned int nr_targets;	/* under ioband_mutex */
	/* Its table was resumed once; written under ioband_mutex and pool->lock. */
	bool resumed;
	enum ioband_type type;		/* written under ioband_mutex */
	const struct ioband_policy *policy;	/* as its first line says */

	struct ioband_group *default_group;
	struct xarray groups;		/* by id; written under ioband_mutex */
	u64 generation;			/* of @groups; written under ioband_mutex */
	struct ioband_lookup __percpu *lookup;

	/* Groups not yet freed: attached ones, and detached ones with bios. */
	atomic_t nr_live;

	/* Option "auto": cgroups down to this level get groups; 0: off. */
	u32 auto_depth;
	spinlock_t auto_lock;		/* guards the two below: requests */
	struct cgroup_subsys_state *auto_css[IOBAND_AUTO_PENDING];
	unsigned int nr_auto;
	struct delayed_work auto_work;
	unsigned long auto_check_jiffies;	/* when it next looks for cgroups gone */

	struct ioband_below below[IOBAND_DIRS];
};

/*
 * Memory for a new volume and its groups, allocated before ioband_mutex is taken:
 * allocating per-CPU memory may need I/O.
 */
struct ioband_spare {
	struct ioband_volume *volume;
	struct list_head groups;
};

/*
 * A FIFO of dispatched bios for one leg of a device. Its worker submits them, and may sleep
 * there until a tag is free: that delays no other leg. What the kernel may throttle as
 * writeback (blk-wbt) has a lane of its own, the second of the leg, so that no read waits
 * behind a worker that sleeps for that.
 */
struct ioband_lane {
	struct work_struct work;
	struct ioband_target *target;
	u8 leg;				/* this and the next are constant */
	bool is_throttled;
	struct bio_list bios;		/* under pool->lock */
	/* Its worker from before it looks what may go until it has sent all it has. */
	struct task_struct *sender;
};

/* per line of a table */
struct ioband_target {
	struct ioband_volume *volume;
	struct list_head list;		/* pool->targets, under pool->lock */
	struct dm_target *ti;
	struct dm_dev *dev;
	sector_t offset_sectors;
	bool as_linear;			/* others are shown a line of dm-linear; constant */
	u32 bio_bytes;			/* larger bios are split; constant */
	struct ioband_lane *lanes;	/* two for each leg of the pool */
	unsigned int nr_legs;		/* of its device; the pool may have others */
	unsigned int chunk_shift;	/* sectors to chunks, of a stripe */
	/* Set in a noflush suspend, which hands held bios back to dm ... */
	bool push_back;
	/* ... and in one that flushes, and waits for them. */
	bool drain;
	/* The line's, for the share; in force from the first resume. */
	struct ioband_share_settings settings;
	bool resumed;
};

/* How often stall.c looks for devices that do not answer, while any group holds I/O. */
#define IOBAND_LOOK_JIFFIES	HZ

/* How long a slow bio (SLOW_NS) is remembered. */
#define SLOW_JIFFIES	(HZ / 10)

/*
 * How long a disk counts as shared after another group than before has used it. Who is
 * back sooner would wait each time for all that the one left has sent meanwhile.
 */
#define SHARED_JIFFIES	(10 * HZ)

/*
 * How many places at a leg are taken, how many of them by what did not wait for room (less
 * than 2^15), and the generation of those who have them, from the highest bit of one word to
 * the lowest. When a generation ends its places are free, whoever is still there.
 */
#define IOBAND_PLACE		((s64)1 << 32)
#define IOBAND_PLACE_PUSHED	((s64)1 << 16)

/* per share id */
struct ioband_pool {
	/* Read by every I/O, and seldom written. */
	bool contended;			/* written under lock */
	bool has_stalled;		/* some volume is; guarded by lock */
	/* In flight per leg; written under lock, but for 0, by which the next bio contends. */
	u32 pass_max;
	u32 refill;			/* with fewer there a worker looks; written under lock */
	/*
	 * Which group used the disk last, and when that was another than before. It may have
	 * been freed: it is compared, never followed, and who comes to be at its address is
	 * taken for it until another group sends I/O.
	 */
	struct ioband_group *user;
	unsigned long shared_jiffies;
	/* When to ask whether the disk is full, though all passes; written under lock. */
	unsigned long ask_jiffies;
	/*
	 * The user, if it may exceed pass_max: granted under lock. Who is granted it while
	 * another takes it away may keep it for a tick.
	 */
	struct ioband_group *owner;
	/* When a bio last took long: its completion has the owner ask again. */
	unsigned long slow_jiffies;
	unsigned int nr_legs;		/* of the disk; constant */
	struct workqueue_struct *wq;	/* sends down what was held */

	/* Written by every I/O: the places at each leg. */
	atomic64_t places[IOBAND_LEGS_MAX] ____cacheline_aligned_in_smp;

	spinlock_t lock ____cacheline_aligned_in_smp;
	struct ioband_sched sched;	/* guarded by lock */
	bool is_split;			/* contended by reads and writes of one group; under lock */
	bool is_alone;			/* one group uses the disk; under lock */
	u32 nr_holding;			/* groups that hold I/O; under lock */
	u32 held_writes;		/* of all of them; a run is one; under lock */
	u64 last_held_ns;		/* guarded by lock */
	u32 nr_stall_looks;		/* how often it has run; under lock */
	/* Runs of throttled lanes that workers have not sent yet; under lock. */
	u32 in_hand[IOBAND_LEGS_MAX];
	struct list_head targets;	/* written under ioband_mutex and lock */
	struct ioband_depth depth;	/* guarded by lock */
	u32 tags;			/* I/Os a leg takes at once; under lock */
	u32 tags_least;			/* fewest of any device; under lock */
	enum ioband_depth_reason depth_reason;	/* guarded by lock */
	u32 held_max;			/* per group and direction; under lock */
	bool is_rotational;		/* guarded by lock */

	bool is_timed;			/* the clock is in use; written under lock */
	/* Written by completions; nests in lock. */
	spinlock_t clock_lock ____cacheline_aligned_in_smp;
	struct ioband_clock clock;	/* guarded by clock_lock, as the next */
	struct list_head news;		/* accounts to be settled */
	/* Groups of which I/O took too long at the disk; taken out by latency_work. */
	struct llist_head late;
	struct llist_node *late_now;	/* of these, who is looked at next; under lock */
	/* Mean time of a bio at the disk, of what completes under contention. */
	u64 service_ns;
	u64 service_off_ns;		/* mean deviation */

	/* Streams; NULL until a policy of time needs them; under lock. */
	struct ioband_stream *streams ____cacheline_aligned_in_smp;
	struct list_head idle_streams;
	struct hlist_head stream_hash[1 << IOBAND_STREAM_BITS];

	struct hrtimer timer;		/* earliest end of a limit or grace */
	u64 timer_ns;			/* its expiry; guarded by lock */
	struct work_struct look_work;	/* looks what may go; never sleeps below */
	struct delayed_work stall_work;	/* looks for devices that do not answer */
	struct delayed_work latency_work;	/* looks whether targets are missed below */

	struct ioband_share_settings settings;	/* written under ioband_mutex and lock */

	/* The rest is guarded by ioband_mutex. */
	DECLARE_HASHTABLE(cgroups, 7);	/* places of cgroups in the tree (place.c) */
	struct list_head list;		/* all pools */
	struct list_head volumes;	/* written under lock, too; read under RCU */
	unsigned int nr_users;
	char name[IOBAND_SHARE_LEN + 1];
	struct ioband_leg legs[];	/* of the root, if there are several legs */
};

/* What a bio takes of the room at the disk. */
enum ioband_takes {
	IOBAND_TAKES_PLACE,	/* one for which it waited, or that was free */
	IOBAND_TAKES_PUSHED,	/* one for which it did not wait */
	/* None: its run's last has one, what is pushed has its part, or nothing answers. */
	IOBAND_TAKES_NONE,
};

/* per bio, in dm's per-bio data */
struct ioband_bio {
	struct ioband_io io;
	struct bio *bio;
	struct ioband_target *target;
	struct ioband_group *group;	/* NULL: not accounted for */
	struct ioband_account *account;	/* its stream's; NULL: the group's */
	union {
		u64 issue_ns;		/* when it was issued */
		u64 blocked_ns;		/* until then: how long limits had its submitter wait */
	};
	union {
		u64 clock_ns;		/* the disk's clock at that time */
		u32 segments;		/* until then: of the run, in its first */
	};
	/* Its run (run.c), @last in the first only; under pool->lock. */
	struct ioband_bio *next;
	struct ioband_bio *last;
	u32 data_sectors;
	u16 generation;			/* when it took its place */
	u8 takes;			/* what of the room at the disk: enum ioband_takes */
	bool is_timed;
	bool is_throttled;		/* blk-wbt may have who submits it sleep */
	/* Set only off the fast path: */
	bool is_bounded;		/* its submitter may wait: it counts in group->bound */
	bool is_urgent;			/* it must not be held */
	bool is_dying;			/* its task is dying */
	bool is_common;			/* from a kernel thread of the root cgroup */
};

static inline struct ioband_bio *iob_from_bio(struct bio *bio)
{
	return dm_per_bio_data(bio, sizeof(struct ioband_bio));
}

/* The stream that an I/O is of; it has an account. */
static inline struct ioband_stream *iob_stream(const struct ioband_bio *iob)
{
	return container_of(iob->account, struct ioband_stream, account);
}

/* Whether a bio is writeback of the page cache: a write nobody waits for. */
static inline bool iob_is_writeback(struct ioband_bio *iob)
{
	const struct bio *bio = iob->bio;

	return op_is_write(bio_op(bio)) && !op_is_sync(bio->bi_opf);
}

/* The lane a bio goes down; lanes do not wait for each other. */
static inline struct ioband_lane *iob_lane(const struct ioband_bio *iob)
{
	return &iob->target->lanes[2 * iob->io.leg + iob->is_throttled];
}

/* Whether more than one group has sent I/O of late. */
static inline bool iop_is_shared(const struct ioband_pool *pool)
{
	return time_before(jiffies, READ_ONCE(pool->shared_jiffies) + SHARED_JIFFIES);
}

/*
 * How many places are taken at a leg. Without pool->lock the depth and the generation may be
 * about to change; whoever changes them pumps.
 */
static inline u32 iop_taken(const struct ioband_pool *pool, unsigned int leg)
{
	return max_t(s64, atomic64_read(&pool->places[leg]) >> 32, 0);
}

/* How many of them are taken by what has waited for room; the same holds for this. */
static inline u32 iop_taken_in_turn(const struct ioband_pool *pool, unsigned int leg)
{
	s64 places = atomic64_read(&pool->places[leg]);

	return max_t(s64, (places >> 32) - (u16)(places >> 16), 0);
}

static inline u32 iop_in_flight(const struct ioband_pool *pool)
{
	unsigned int leg;
	u32 sum = 0;

	for (leg = 0; leg < pool->nr_legs; leg++)
		sum += iop_taken(pool, leg);
	return sum;
}

/* Length of the legs[] that a node needs; for one leg, @plain does. */
static inline unsigned int iop_more_legs(unsigned int nr_legs)
{
	return nr_legs > 1 ? nr_legs : 0;
}

static inline struct ioband_bio *iob_from_io(struct ioband_io *io)
{
	return container_of(io, struct ioband_bio, io);
}

static inline u32 iog_held(const struct ioband_group *group)
{
	return READ_ONCE(group->held[IOBAND_READ]) +
	       READ_ONCE(group->held[IOBAND_WRITE]);
}

/* Have a group hold so much more: under pool->lock, but iog_held() reads without. */
static inline void iob_count_held(const struct ioband_bio *iob, s32 ios, s64 sectors)
{
	struct ioband_group *group = iob->group;
	enum ioband_dir dir = iob->io.dir;

	WRITE_ONCE(group->held[dir], group->held[dir] + ios);
	if (!iob->is_bounded)
		return;
	group->bound[dir].ios += ios;
	group->bound[dir].sectors += sectors;
}

static inline struct ioband_group *iog_from_node(struct ioband_node *node)
{
	return container_of(node, struct ioband_group, node);
}

/* What it is directly below: a group, perhaps a common one, or %NULL. */
static inline struct ioband_group *iog_above(const struct ioband_group *group)
{
	struct ioband_node *above = group->node.parent;

	return above->parent ? iog_from_node(above) : NULL;
}

/* Whether @group is what its volume has for the cgroup that @common is common for. */
static inline bool iog_is_member(const struct ioband_group *group,
				 const struct ioband_group *common)
{
	return group->volume && !common->volume && group->id == common->id;
}

/* Take a place at the leg of a bio. A full barrier. Returns how many are taken, with this. */
static inline u32 iob_take_place(struct ioband_pool *pool, struct ioband_bio *iob)
{
	s64 places = atomic64_add_return(IOBAND_PLACE, &pool->places[iob->io.leg]);

	iob->generation = places;
	return places >> 32;
}

/* Leave it, unless it was given up. A full barrier. */
static inline void iob_leave_place(struct ioband_pool *pool, struct ioband_bio *iob)
{
	atomic64_t *places = &pool->places[iob->io.leg];
	s64 place = IOBAND_PLACE;

	if (unlikely(iob->takes == IOBAND_TAKES_PUSHED))
		place += IOBAND_PLACE_PUSHED;
	if (unlikely((u16)atomic64_sub_return(place, places) != iob->generation))
		atomic64_add(place, places);
}

/* What a bio is to its volume, by its direction. */
static inline struct ioband_below *iob_below(const struct ioband_bio *iob)
{
	return &iob->target->volume->below[iob->io.dir];
}

/* Whether it was at the disk when its volume was found to be stalled. */
static inline bool iob_is_given_up(const struct ioband_bio *iob)
{
	u64 stalled_ns = READ_ONCE(iob_below(iob)->stalled_ns);

	return unlikely(stalled_ns) && iob->issue_ns <= stalled_ns;
}

/* What map is to do with a bio. */
enum ioband_verdict {
	IOBAND_PASS,		/* submit it now */
	IOBAND_HELD,		/* nothing: a worker sends it when its turn comes */
	IOBAND_WAIT,		/* fail it: its submitter would have to wait */
	IOBAND_REQUEUE,		/* have dm requeue it */
};

/*
 * The files, from top to bottom: each uses only what is below it (Makefile).
 */

/* message.c */
int iot_message(struct dm_target *ti, unsigned int argc, char **argv,
		char *result, unsigned int maxlen);

/* status.c */
void iot_status(struct dm_target *ti, status_type_t type,
		unsigned int status_flags, char *result, unsigned int maxlen);
void iot_stats(struct ioband_target *iot, char *result, unsigned int maxlen);
void iot_show(struct ioband_target *iot, char *result, unsigned int maxlen);
void iot_table(const struct ioband_target *iot, char *result, unsigned int maxlen);

/* pool.c */
struct ioband_pool *iop_get(const struct ioband_table *table,
			    unsigned int nr_legs);
void iop_put(struct ioband_pool *pool);
void iop_set(struct ioband_pool *pool, const struct ioband_share_settings *settings);
void iop_set_policy(struct ioband_pool *pool,
		    const struct ioband_policy *policy);

/* volume.c */
int iov_alloc(struct ioband_pool *pool, unsigned int nr_groups,
	      struct ioband_spare *spare);
void iov_free(struct ioband_spare *spare);
int iov_get(struct ioband_pool *pool, struct ioband_target *iot,
	    const struct ioband_table *table, struct ioband_spare *spare,
	    struct ioband_error *err);
void iov_put(struct ioband_target *iot);

/* submit.c */
enum ioband_verdict iop_submit(struct ioband_pool *pool,
			       struct ioband_bio *iob);
void iop_flush(struct ioband_pool *pool, struct ioband_bio *iob);
void iop_complete(struct ioband_pool *pool, struct ioband_bio *iob);

/* classify.c */
const char *ioband_attribution(void);
void bio_adopt(struct bio *clone, struct block_device *bdev);
bool current_may_sleep(void);
int bio_ioprio(const struct bio *bio);
void iob_classify(struct ioband_bio *iob, struct bio *bio);
void iob_find_urgency(struct ioband_bio *iob, struct bio *bio);

/* auto.c */
void iov_auto_init(struct ioband_volume *volume);
void iov_auto_stop(struct ioband_volume *volume);
void iov_want_group(struct ioband_volume *volume,
		    struct cgroup_subsys_state *css);

/* attach.c */
int iov_find(struct ioband_volume *volume, const struct ioband_ref *ref,
	     struct ioband_group **group, struct ioband_error *err);
int iov_set(struct ioband_volume *volume, struct ioband_group *group,
	    const struct ioband_settings *change, struct ioband_error *err);
int iov_place(struct ioband_volume *volume,
	      const struct ioband_group_args *args, struct ioband_error *err);
struct ioband_group *iov_next(struct ioband_volume *volume,
			      const struct ioband_group *last, unsigned long *id);
int iov_add(struct ioband_volume *volume, u64 id, const struct ioband_settings *settings,
	    struct list_head *spare, struct ioband_error *err);
int iov_attach(struct ioband_volume *volume, const struct ioband_ref *ref,
	       const struct ioband_settings *settings, struct list_head *spare,
	       struct ioband_error *err);
void iov_remove(struct ioband_volume *volume, struct ioband_group *group);

/* place.c */
void iog_enter(struct ioband_group *group);
void iog_reach_below(struct ioband_group *group);
void iog_leave(struct ioband_group *group, struct ioband_group *heir);
int iog_set(struct ioband_group *group, const struct ioband_settings *settings);
void iov_weigh(struct ioband_volume *volume);
struct ioband_group *iog_parent(const struct ioband_group *group);

/* cgroup.c */
void ioband_cgroup_look_up(struct ioband_ref *ref);
struct cgroup_subsys_state *ioband_cgroup_css(u64 id);

/* group.c */
extern struct mutex ioband_mutex;
int iog_alloc(struct ioband_pool *pool, unsigned int count,
	      struct list_head *spare);
void iog_free(struct list_head *spare);
struct ioband_group *iog_create(struct ioband_volume *volume, u64 id,
				const struct ioband_settings *change,
				struct list_head *spare);
void iog_add(struct ioband_group *group);
void iog_del(struct ioband_group *group, struct ioband_group *heir);
void iog_move(struct ioband_pool *pool, struct ioband_group *group,
	      struct ioband_group *parent);
void iop_find_latency(struct ioband_pool *pool);
int iog_check_parent(struct ioband_group *group, struct ioband_group *parent,
		     struct ioband_error *err);
int iog_apply(struct ioband_group *group,
	      const struct ioband_settings *settings);
void iog_wake_all(struct ioband_group *group);

/* worker.c */
void iop_lane_work(struct work_struct *work);
enum hrtimer_restart iop_timer(struct hrtimer *timer);
void iop_look_work(struct work_struct *work);

/* latency.c */
void iog_note_latency(struct ioband_pool *pool, struct ioband_group *group, bool is_late);
void iop_latency_work(struct work_struct *work);

/* stall.c */
void iop_stall_work(struct work_struct *work);
void iog_keep_back(struct ioband_group *group, u64 now_ns);

/* dispatch.c */
struct ioband_bio *iop_pump(struct ioband_pool *pool, struct ioband_bio *self, u64 now_ns);
void iop_contend(struct ioband_pool *pool, u64 now_ns);
void iop_arm(struct ioband_pool *pool);
void iop_changed(struct ioband_pool *pool);
void iog_join(struct ioband_pool *pool, struct ioband_group *group);
bool iob_enqueue(struct ioband_pool *pool, struct ioband_bio *iob, u64 now_ns);
void iob_dequeue(struct ioband_pool *pool, struct ioband_bio *iob, u64 now_ns);
void iob_push(struct ioband_pool *pool, struct ioband_bio *iob);
void iob_let_go(struct ioband_pool *pool, struct ioband_bio *iob, u64 now_ns);

/* held.c */
void iob_add_held(struct ioband_bio *iob);
void iob_drop_held(struct ioband_bio *iob);
void iop_let_others(struct ioband_pool *pool, unsigned int *nr, const struct ioband_io *io);
bool iob_has_room(struct ioband_pool *pool, const struct ioband_bio *iob, u64 now_ns);

/* run.c */
bool iob_merge(struct ioband_pool *pool, struct ioband_bio *iob);
bool iob_may_run(struct ioband_bio *iob);

/* time.c */
void iob_start_clock(struct ioband_pool *pool, struct ioband_bio *iob,
		     u64 now_ns);
void iob_stop_clock(struct ioband_pool *pool, struct ioband_bio *iob,
		    u64 now_ns);
void iop_settle(struct ioband_pool *pool);
void iop_alloc_streams(struct ioband_pool *pool);
struct ioband_account *iop_stream(struct ioband_pool *pool,
				  struct ioband_bio *iob);
void iop_unstream(struct ioband_pool *pool, struct ioband_bio *iob);
void iop_drop_streams(struct ioband_pool *pool, struct ioband_group *group);
struct ioband_io *iog_first_held(const struct ioband_group *group);

/* depth.c */
u32 iot_direct(const struct ioband_target *iot);
bool iot_lost_tags(const struct ioband_target *iot);
void iop_update_depth(struct ioband_pool *pool);
void iop_begin_depth(struct ioband_pool *pool, u64 now_ns);
void iop_tick_depth(struct ioband_pool *pool, u64 now_ns);
void iop_note_service(struct ioband_pool *pool, u64 ns);

/* stats.c */
void iog_sum(const struct ioband_group *group, struct ioband_sums *sums);
void iog_reset(struct ioband_group *group);
void iog_counted(const struct ioband_group *group, struct ioband_sums *sums);
void iog_count_data(const struct ioband_group *group, u64 done_sectors[IOBAND_DIRS],
		    u64 there_sectors[IOBAND_DIRS]);
u64 iog_in_flight(const struct ioband_group *group, u64 sectors[IOBAND_DIRS]);

#endif /* _DM_IOBAND_H */
