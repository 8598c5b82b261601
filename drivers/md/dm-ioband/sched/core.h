/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scheduling core: which held I/O goes to the disk next.
 *
 * Nothing here sleeps, allocates, locks or reads a clock. The caller owns all
 * memory, passes the time, and serialises every call on one scheduler (in the
 * module by the pool's lock), so each function may run in any context. The
 * theory is explained at the head of core.c.
 */
#ifndef _IOBAND_CORE_H
#define _IOBAND_CORE_H

#include "cost.h"
#include "env.h"
#include "heap.h"
#include "squeeze.h"
#include "terms.h"
#include "turn.h"

enum {
	IOBAND_WEIGHT_MIN	= 1,
	IOBAND_WEIGHT_DEFAULT	= 100,
	/* Upper bound of 1.14; the message "set" takes cgroup's 10000 at most. */
	IOBAND_WEIGHT_MAX	= 32767,
};

/* Virtual time of cost 1 at weight 1. */
#define IOBAND_VTIME_SHIFT	16

/*
 * A stripe spreads its I/O over several disks, its legs. A way is a leg and a direction;
 * each I/O goes one way.
 */
enum {
	IOBAND_LEGS_MAX		= 16,	/* a mask of ways has 64 bits */
};

/* Siblings are served strictly by class; weights count within a class. */
enum ioband_class {
	IOBAND_RT,
	IOBAND_BE,
	IOBAND_IDLE,
	IOBAND_CLASSES,
};

/* Priority of an I/O in its group: real-time, best-effort levels 0 to 7, idle. */
enum {
	IOBAND_PRIO_RT		= 0,
	IOBAND_PRIO_BE		= 1,
	IOBAND_PRIO_NORMAL	= IOBAND_PRIO_BE + 4,
	IOBAND_PRIO_IDLE	= 9,
	IOBAND_PRIOS,
};

/* What an I/O waited for (waits.c); status.c has a word for each. */
enum ioband_because {
	IOBAND_BECAUSE_WEIGHT,	/* it was another group's turn */
	IOBAND_BECAUSE_DEPTH,	/* its turn, but the disk's queue was full */
	IOBAND_BECAUSE_LIMIT,	/* its group or one above was at a limit */
	IOBAND_BECAUSE_DEBT,	/* its group had sent I/O that did not wait */
	IOBAND_BECAUSE_GRACE,	/* a place was kept free for another group */
	IOBAND_BECAUSE_SQUEEZE,	/* it is a write, and others miss a latency target */
	IOBAND_BECAUSES,
};

/* One I/O, embedded in the caller's per-bio data */
struct ioband_io {
	struct ioband_heap_node node;	/* its place in its group while it is held */
	u64 arrival_ns;		/* when it arrived */
	/* For how long limits held it; while it is held, how long they had others before */
	u64 limited_ns;
	u64 graced_ns;		/* likewise for grace */
	union {		/* an allocator that clears memory has less to clear */
		/* While it is held, when an I/O of its group last completed, or 0 */
		u64 done_ns;
		u64 cost;	/* once it is dispatched, what its group was charged for it */
	};
	u32 sectors;		/* size in sectors of 512 bytes, those of @merged I/Os included */
	u32 merged;		/* how many other I/Os it stands for */
	u8 dir;			/* %IOBAND_READ or %IOBAND_WRITE */
	u8 leg;			/* which leg of the disk it is for */
	bool is_async;		/* a write that yields to the sync I/O of its group */
	u8 prio;		/* %IOBAND_PRIO_RT to %IOBAND_PRIO_IDLE */
	u8 because;		/* what it waits for, apart from limits and grace */
};

static inline unsigned int ioband_way(const struct ioband_io *io)
{
	return io->leg * IOBAND_DIRS + io->dir;
}

/* The ways to a leg. */
static inline u64 ioband_ways_to(unsigned int leg)
{
	return (BIT_ULL(IOBAND_DIRS) - 1) << leg * IOBAND_DIRS;
}

static inline enum ioband_dir ioband_way_dir(unsigned int way)
{
	return way % IOBAND_DIRS;
}

enum ioband_facet_state {
	IOBAND_FACET_EMPTY,	/* nothing here or below may go */
	IOBAND_FACET_READY,	/* in a heap of the parent, by start tag */
	IOBAND_FACET_PARKED,	/* in the scheduler's heap, by when the limit ends */
};

/* A node and all below it, as far as their I/O goes one way */
struct ioband_facet {
	/* Place among the siblings, or among facets that wait for a limit */
	struct ioband_heap_node node;
	/* Children that have I/O this way which may go, by class */
	struct ioband_heap ready[IOBAND_CLASSES];
	/* I/O of the node itself that goes this way: sync, async */
	struct ioband_queue held[2];
	u64 parked_ns;	/* how long it was parked, in all; while it is, less the time it began */
	u8 state;		/* which heap @node is in */
	u8 way;			/* the leg and the direction */
};

/* A place in the order of siblings */
struct ioband_tag {
	/* Start tags; one place, unless a limit above makes all that goes one way lag */
	u64 start[IOBAND_DIRS];
};

/* Virtual time of siblings of one class */
struct ioband_vtime {
	/* The start tag of what went last, or as much as passed since if nobody lags */
	u64 now[IOBAND_DIRS];
	u64 skew;	/* what to add to a place of writes to compare it with one of reads */
};

/* A node's place at one leg of the disk */
struct ioband_leg {
	struct ioband_facet facet[IOBAND_DIRS];	/* what waits here and below, by direction */
	struct ioband_node *whose;	/* the node */
	/* The node's place, in the virtual time of its siblings at this leg */
	struct ioband_tag tag;
	struct ioband_tag own;	/* the place of the node's own I/O among its children */
	/* Virtual time of the children, by class */
	struct ioband_vtime vtime[IOBAND_CLASSES];
	u64 stride;		/* longest recent step of a child's tag */
};

/* A group in the tree of groups */
struct ioband_node {
	/* The group whose share this one has a part of; %NULL for the root */
	struct ioband_node *parent;
	struct list_head children;	/* the streams, then the groups below */
	struct list_head sibling;	/* place in @children of the parent */
	/* Its places at the legs of the disk: @plain, or an array of the caller's */
	struct ioband_leg *leg;
	/* The ways with I/O, here or below, that no limit up to this one holds, a bit each */
	u64 ready;
	u64 period;		/* busy period of the scheduler that the tags belong to */
	u32 weight;		/* share relative to its siblings that have I/O */
	u32 rest;		/* remainder of the last division of a cost by @weight */
	u8 class;		/* which siblings go before it, whatever the tags say */
	u8 nr_legs;		/* size of @leg */
	bool is_stream;		/* not a group, but the I/O of one task in the group above */
	bool is_debtor;		/* it is ahead because of I/O that did not wait */
	u32 own_rest;		/* remainder, as @rest, for the node's own I/O */
	u64 rivals;	/* total weight of the children that took part in this busy period */
	u64 served;	/* cost of what the node and those below got in this busy period */
	u32 held;		/* number of its own I/Os held */
	u32 held_async;		/* those of them that are async */
	u32 sync_run;		/* counts I/Os that are dispatched while async ones are held */
	u64 inner_vtime[2];	/* virtual time of the priority levels: sync, async */
	/* Finish tag of each level's last I/O: sync, async */
	u64 inner_finish[2][IOBAND_PRIOS];
	u64 done_ns;	/* when its last I/O completed, if it has been thinking since; else 0 */
	u32 think_ns;		/* mean time it thinks before the next I/O */
	u32 think_off_ns;	/* mean deviation of that */
	u64 cost_ns;	/* recent mean of the time that the disk works for one of its I/Os */
	/* Until when nothing of it goes, or below it, by direction; 0 or the past if it may */
	u64 kept_back_ns[IOBAND_DIRS];
	u32 granted;	/* I/Os its tasks may still send before it is charged (grant.c) */
	bool gives;		/* it leaves its next place to others */
	u64 unpaid;		/* cost of what they have sent since it was charged */
	s64 lead;	/* how far it was ahead of its siblings then; below 0 if it was first */
	/* Limits, minimum and latency target, or %NULL; of the root: the squeeze */
	struct ioband_terms *terms;
	struct ioband_leg plain;	/* its place if the disk has one leg */
};

static inline unsigned int ioband_nr_ways(const struct ioband_node *node)
{
	return node->nr_legs * IOBAND_DIRS;
}

static inline struct ioband_facet *ioband_facet(const struct ioband_node *node,
						unsigned int way)
{
	return &node->leg[way / IOBAND_DIRS].facet[way % IOBAND_DIRS];
}

/*
 * The times in which I/O waited for room at the disk, or it had enough. What the disk
 * does at some depth shows only while it has as much as that.
 */
struct ioband_backlog {
	u64 since_ns;		/* since when it does; 0 if none does */
	u64 until_ns;		/* until when it did last */
	u64 until_ios;		/* I/Os sent until then */
	u64 until_sectors;	/* their size */
	u64 ns;			/* for how long it did in all before */
	u64 ios;		/* I/Os sent in these times, less what was sent at other ones */
	u64 sectors;		/* their size, likewise */
	u32 there;	/* I/Os at the disk, or waiting, when that was looked at */
};

/* All groups that share one disk */
struct ioband_sched {
	struct ioband_node root;	/* above all groups; holds nothing itself */
	const struct ioband_policy *policy;	/* turns I/O into cost */
	u32 depth;	/* I/Os that may be in flight to a leg before the next one is held */
	u32 spare;	/* how many more may be, for groups that are behind as they arrive */
	/* I/Os that the disk does in a time in which nobody cares about their order, or 1 */
	u32 quick;
	/* I/Os that groups may send between two looks at the order; 1: each in its turn */
	u32 grant;
	/* With fewer at the disk a worker looks what may go; %U32_MAX: with each that completes */
	u32 refill;
	/* How many more than @depth may be while no group is behind when it arrives */
	u32 slack;
	u64 behind_ns;		/* when a group last was behind as it arrived */
	/* With so many at the disk it does what it can, though none waits: while more is tried */
	u32 enough;
	/* Ways that nothing may go: a worker has its part in hand; kept by the caller */
	u64 backed_up;
	/* With these, if there are several legs, those that have no room; kept by the caller */
	u64 full;
	u64 brim;		/* likewise, the ways to legs that have no spare room either */
	/* The group whose I/O was held last, if it was behind; until the next decision */
	struct ioband_node *behind;
	u32 held;		/* I/Os held in all groups */
	u64 period;		/* counts busy periods; tags of an older one mean nothing */
	struct ioband_heap timers;	/* parked facets, by when their limit ends */
	bool has_parked;		/* there ever were any */
	/* Groups with a minimum and I/O, by when they fall behind it */
	struct ioband_heap minimums;
	/* Groups with a latency target and I/O, by when it must go */
	struct ioband_heap deadlines;
	/* Which group has the disk, or a place at it that is kept free */
	struct ioband_turn turn;
	/* How long the disk takes for an I/O now, at worst; kept by the caller */
	u64 service_ns;
	u64 graced_ns;		/* how long places were kept free, of several each a part */
	u64 sent_ios;		/* I/Os dispatched or charged; a run of merged ones counts once */
	u64 sent_sectors;	/* their size */
	u64 recent_cost;	/* cost of about the last 64 I/Os */
	u64 went_ns;		/* when I/O last went that had room */
	struct ioband_backlog backlog;	/* what was sent while I/O waited for room */
	struct ioband_squeeze squeeze;	/* the limit on writes for the sake of latency targets */
};

void ioband_sched_init(struct ioband_sched *sched,
		       const struct ioband_policy *policy, u32 depth);
void ioband_sched_restart(struct ioband_sched *sched);
void ioband_sched_set_policy(struct ioband_sched *sched, const struct ioband_policy *policy);

struct ioband_node *ioband_node_after(struct ioband_node *node,
				      const struct ioband_node *top);
void ioband_node_init(struct ioband_node *node, u32 weight);
void ioband_node_set_legs(struct ioband_node *node, struct ioband_leg *legs,
			  unsigned int nr_legs);
void ioband_node_add(struct ioband_node *parent, struct ioband_node *node);
void ioband_node_del(struct ioband_sched *sched, struct ioband_node *node, u64 now_ns);
void ioband_node_move(struct ioband_sched *sched, struct ioband_node *node,
		      struct ioband_node *parent, u64 now_ns);
void ioband_node_set_weight(struct ioband_sched *sched, struct ioband_node *node, u32 weight);
void ioband_node_set_class(struct ioband_sched *sched, struct ioband_node *node,
			   enum ioband_class class, u64 now_ns);
struct ioband_terms *ioband_node_set_terms(struct ioband_sched *sched,
					   struct ioband_node *node,
					   struct ioband_terms *terms,
					   u64 now_ns);
void ioband_node_keep_back(struct ioband_sched *sched, struct ioband_node *node,
			   enum ioband_dir dir, u64 until_ns, u64 now_ns);
void ioband_node_join(struct ioband_sched *sched, struct ioband_node *node,
		      u64 ios_in_flight, u64 sectors_in_flight);

/* True if @node has a tag of this busy period; if not, it must join first. */
static inline bool ioband_node_joined(const struct ioband_sched *sched,
				      const struct ioband_node *node)
{
	return node->period == sched->period;
}

void ioband_hold(struct ioband_sched *sched, struct ioband_node *node,
		 struct ioband_io *io, u64 now_ns);
void ioband_charge(struct ioband_sched *sched, struct ioband_node *node,
		   const struct ioband_io *io, u64 now_ns);
void ioband_charge_limits(struct ioband_sched *sched, struct ioband_node *node,
			  const struct ioband_io *io, bool is_debt, u64 now_ns);
bool ioband_may_pass(const struct ioband_node *node, const struct ioband_io *io, u64 now_ns);
u64 ioband_due_ns(const struct ioband_sched *sched, const struct ioband_node *node,
		  enum ioband_dir dir, u64 ios, u64 sectors, u64 now_ns);
struct ioband_io *ioband_next(struct ioband_sched *sched, u32 in_flight, u64 now_ns);
struct ioband_io *ioband_next_own(struct ioband_sched *sched, struct ioband_node *node,
				  u32 in_flight, u64 now_ns);
void ioband_unhold(struct ioband_sched *sched, struct ioband_node *node,
		   struct ioband_io *io, u64 now_ns);
struct ioband_io *ioband_first_held(const struct ioband_node *node);
bool ioband_may_go(const struct ioband_node *node, enum ioband_dir dir);
u64 ioband_blocked_ns(const struct ioband_sched *sched, u64 now_ns);
u64 ioband_due_ppm(const struct ioband_sched *sched, const struct ioband_node *node);
u64 ioband_got_ppm(const struct ioband_sched *sched, const struct ioband_node *node);
bool ioband_is_ready(const struct ioband_sched *sched);
bool ioband_is_promised(const struct ioband_sched *sched);
bool ioband_timer(const struct ioband_sched *sched, u64 *expires_ns);

#endif /* _IOBAND_CORE_H */
