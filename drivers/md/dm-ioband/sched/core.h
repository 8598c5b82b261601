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

/* What an I/O waited for. */
enum ioband_because {
	IOBAND_BECAUSE_WEIGHT,	/* it was another group's turn */
	IOBAND_BECAUSE_DEPTH,	/* its turn, but the disk's queue was full */
	IOBAND_BECAUSE_LIMIT,	/* its group or one above was at a limit */
	IOBAND_BECAUSE_DEBT,	/* its group had sent I/O that did not wait */
	IOBAND_BECAUSE_GRACE,	/* the disk was kept free for another group */
	IOBAND_BECAUSE_SQUEEZE,	/* it is a write, and others miss a latency target */
	IOBAND_BECAUSES,
};

/**
 * struct ioband_io - one I/O, embedded in the caller's per-bio data
 * @node: place in its group while it is held
 * @arrival_ns: when it arrived
 * @limited_ns: while it is held, how long its group and those above had been at
 *	limits before it arrived; then, for how long of its wait they were
 * @graced_ns: likewise for grace
 * @done_ns: while it is held, when an I/O of its group last completed, or 0
 * @cost: once it is dispatched, what its group was charged for it
 * @sectors: size in sectors of 512 bytes, those of @merged I/Os included
 * @merged: how many other I/Os it stands for
 * @dir: %IOBAND_READ or %IOBAND_WRITE
 * @leg: which leg of the disk it is for
 * @is_async: a write that yields to the sync I/O of its group
 * @prio: %IOBAND_PRIO_RT to %IOBAND_PRIO_IDLE
 * @because: what it waits for, apart from limits and grace
 */
struct ioband_io {
	struct ioband_heap_node node;
	u64 arrival_ns;
	u64 limited_ns;
	u64 graced_ns;
	union {		/* an allocator that clears memory has less to clear */
		u64 done_ns;
		u64 cost;
	};
	u32 sectors;
	u32 merged;
	u8 dir;
	u8 leg;
	bool is_async;
	u8 prio;
	u8 because;
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

/**
 * struct ioband_facet - a node and all below it, as far as their I/O goes one way
 * @node: place among the siblings, or among facets that wait for a limit
 * @ready: children that have I/O this way which may go, by class
 * @held: I/O of the node itself that goes this way: sync, async
 * @parked_ns: how long it was parked, in all; while it is, less the time it began
 * @state: which heap @node is in
 * @way: the leg and the direction
 */
struct ioband_facet {
	struct ioband_heap_node node;
	struct ioband_heap ready[IOBAND_CLASSES];
	struct ioband_heap held[2];
	u64 parked_ns;
	u8 state;
	u8 way;
};

/**
 * struct ioband_tag - a place in the order of siblings
 * @start: start tags, by direction; one place, unless a limit above makes all that
 *	goes one way lag
 */
struct ioband_tag {
	u64 start[IOBAND_DIRS];
};

/**
 * struct ioband_vtime - virtual time of siblings of one class
 * @now: by direction, the start tag of what went last, or as much as passed since if
 *	nobody lags
 * @skew: what to add to a place of writes to compare it with one of reads
 */
struct ioband_vtime {
	u64 now[IOBAND_DIRS];
	u64 skew;
};

/**
 * struct ioband_leg - a node's place at one leg of the disk
 * @facet: what waits here and below, by direction
 * @whose: the node
 * @tag: the node's place, in the virtual time of its siblings at this leg
 * @own: the place of the node's own I/O among its children
 * @vtime: virtual time of the children, by class
 * @stride: longest recent step of a child's tag
 */
struct ioband_leg {
	struct ioband_facet facet[IOBAND_DIRS];
	struct ioband_node *whose;
	struct ioband_tag tag;
	struct ioband_tag own;
	struct ioband_vtime vtime[IOBAND_CLASSES];
	u64 stride;
};

/**
 * struct ioband_node - a group in the tree of groups
 * @parent: the group whose share this one has a part of; %NULL for the root
 * @children: the streams, then the groups below
 * @sibling: place in @children of the parent
 * @leg: its places at the legs of the disk: @plain, or an array of the caller's
 * @ready: the ways with I/O, here or below, that no limit up to this one holds, a
 *	bit each
 * @period: busy period of the scheduler that the tags belong to
 * @weight: share relative to its siblings that have I/O
 * @rest: remainder of the last division of a cost by @weight
 * @class: which siblings go before it, whatever the tags say
 * @nr_legs: size of @leg
 * @is_stream: not a group, but the I/O of one task in the group above
 * @is_debtor: it is ahead because of I/O that did not wait
 * @own_rest: remainder, as @rest, for the node's own I/O
 * @rivals: total weight of the children that took part in this busy period
 * @served: cost of what the node and those below got in this busy period
 * @held: number of its own I/Os held
 * @held_async: those of them that are async
 * @sync_run: counts I/Os that are dispatched while async ones are held
 * @inner_vtime: virtual time of the priority levels: sync, async
 * @inner_finish: finish tag of each level's last I/O: sync, async
 * @done_ns: when its last I/O completed, if it has been thinking since; else 0
 * @think_ns: mean time it thinks before the next I/O
 * @think_off_ns: mean deviation of that
 * @cost_ns: recent mean of the time that the disk works for one of its I/Os
 * @kept_back_ns: until when nothing of it goes, or below it, by direction; 0 or the past
 *	if it may
 * @granted: how many I/Os its tasks may still send before it is charged (grant.c)
 * @unpaid: cost of those they have sent since it was
 * @lead: how far it was ahead of its siblings then, in virtual time; below 0 if it was first
 * @gives: it leaves its next place to others
 * @terms: limits, minimum and latency target, or %NULL; of the root: the squeeze
 * @plain: its place if the disk has one leg
 */
struct ioband_node {
	struct ioband_node *parent;
	struct list_head children;
	struct list_head sibling;
	struct ioband_leg *leg;
	u64 ready;
	u64 period;
	u32 weight;
	u32 rest;
	u8 class;
	u8 nr_legs;
	bool is_stream;
	bool is_debtor;
	u32 own_rest;
	u64 rivals;
	u64 served;
	u32 held;
	u32 held_async;
	u32 sync_run;
	u64 inner_vtime[2];
	u64 inner_finish[2][IOBAND_PRIOS];
	u64 done_ns;
	u32 think_ns;
	u32 think_off_ns;
	u64 cost_ns;
	u64 kept_back_ns[IOBAND_DIRS];
	u32 granted;
	bool gives;
	u64 unpaid;
	s64 lead;
	struct ioband_terms *terms;
	struct ioband_leg plain;
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

/**
 * struct ioband_backlog - the times in which I/O waited for room at the disk, or it had enough
 * @since_ns: since when it does; 0 if none does
 * @until_ns: until when it did last
 * @until_ios: I/Os sent until then
 * @until_sectors: their size
 * @ns: for how long it did in all before
 * @ios: I/Os sent in these times, less what was sent at other ones
 * @sectors: their size, likewise
 * @there: how many I/Os were at the disk, or waited, when that was looked at
 *
 * What the disk does at some depth shows only while it has as much as that.
 */
struct ioband_backlog {
	u64 since_ns;
	u64 until_ns;
	u64 until_ios;
	u64 until_sectors;
	u64 ns;
	u64 ios;
	u64 sectors;
	u32 there;
};

/**
 * struct ioband_sched - all groups that share one disk
 * @root: above all groups; holds nothing itself
 * @policy: turns I/O into cost
 * @depth: I/Os that may be in flight to a leg before the next one is held
 * @spare: I/Os that may be in flight to a leg beyond @depth, for groups that are
 *	behind when they arrive; 0 if @depth was asked for as a bound
 * @quick: how many I/Os the disk does in a time in which nobody cares about their order; 1:
 *	none, or that is not to be made use of
 * @grant: how many I/Os groups may send, all together, between two looks at the order; 1:
 *	each in its turn
 * @refill: with fewer at the disk a worker shall look what may go; %U32_MAX, with each
 *	that completes, if @grant is 1
 * @slack: I/Os that may be in flight beyond @depth as long as no group is behind when it
 *	arrives, since some places are free until tasks come
 * @late_ns: when a group last was
 * @enough: with so many I/Os at the disk it does what it can at this depth, though none
 *	waits for room: set while it is tried whether more than was found is better
 * @backed_up: the ways that nothing may go for now, whatever room there is, a bit each:
 *	a worker has as much of that in hand as it may; kept by the caller
 * @full: with these, if there are several legs, the ways to those that have no room;
 *	kept by the caller, too
 * @brim: likewise, the ways to legs that have no spare room either
 * @late: the group whose I/O was held last, if it was behind; until the next
 *	dispatch decision
 * @held: I/Os held in all groups
 * @period: counts busy periods; tags of an older one mean nothing
 * @timers: parked facets, by when their limit ends
 * @minimums: groups with a minimum and I/O, by when they fall behind it
 * @deadlines: groups with a latency target and I/O, by when it must go
 * @turn: which group has the disk, if that does one thing at a time
 * @service_ns: how long the disk takes for an I/O now, at worst; kept by the
 *	caller, for latency targets
 * @graced_ns: how long the disk was kept free in all
 * @sent_ios: I/Os dispatched or charged; a run of merged ones counts once
 * @sent_sectors: their size
 * @sent_work: their cost, except under policies by time
 * @recent_cost: cost of about the last 64 I/Os
 * @went_ns: when I/O last went that had room
 * @backlog: what was sent while I/O waited for room
 * @squeeze: the limit on writes for the sake of latency targets
 */
struct ioband_sched {
	struct ioband_node root;
	const struct ioband_policy *policy;
	u32 depth;
	u32 spare;
	u32 quick;
	u32 grant;
	u32 refill;
	u32 slack;
	u64 late_ns;
	u32 enough;
	u64 backed_up;
	u64 full;
	u64 brim;
	struct ioband_node *late;
	u32 held;
	u64 period;
	struct ioband_heap timers;
	struct ioband_heap minimums;
	struct ioband_heap deadlines;
	struct ioband_turn turn;
	u64 service_ns;
	u64 graced_ns;
	u64 sent_ios;
	u64 sent_sectors;
	u64 sent_work;
	u64 recent_cost;
	u64 went_ns;
	struct ioband_backlog backlog;
	struct ioband_squeeze squeeze;
};

void ioband_sched_init(struct ioband_sched *sched,
		       const struct ioband_policy *policy, u32 depth);
void ioband_sched_restart(struct ioband_sched *sched);
void ioband_sched_set_policy(struct ioband_sched *sched,
			     const struct ioband_policy *policy);

struct ioband_node *ioband_node_after(struct ioband_node *node,
				      const struct ioband_node *top);
void ioband_node_init(struct ioband_node *node, u32 weight);
void ioband_node_set_legs(struct ioband_node *node, struct ioband_leg *legs,
			  unsigned int nr_legs);
void ioband_node_add(struct ioband_node *parent, struct ioband_node *node);
void ioband_node_del(struct ioband_sched *sched, struct ioband_node *node,
		     u64 now_ns);
void ioband_node_move(struct ioband_sched *sched, struct ioband_node *node,
		      struct ioband_node *parent, u64 now_ns);
void ioband_node_set_weight(struct ioband_sched *sched,
			    struct ioband_node *node, u32 weight);
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
bool ioband_may_pass(const struct ioband_node *node, const struct ioband_io *io,
		     u64 now_ns);
u64 ioband_due_ns(const struct ioband_sched *sched, const struct ioband_node *node,
		  enum ioband_dir dir, u64 ios, u64 sectors, u64 now_ns);
struct ioband_io *ioband_next(struct ioband_sched *sched, u32 in_flight,
			      u64 now_ns);
struct ioband_io *ioband_next_own(struct ioband_sched *sched, struct ioband_node *node,
				  u32 in_flight, u64 now_ns);
void ioband_unhold(struct ioband_sched *sched, struct ioband_node *node,
		   struct ioband_io *io, u64 now_ns);
struct ioband_io *ioband_first_held(const struct ioband_node *node);
bool ioband_may_go(const struct ioband_node *node, enum ioband_dir dir);
u64 ioband_blocked_ns(const struct ioband_sched *sched, u64 now_ns);
u64 ioband_due_ppm(const struct ioband_sched *sched,
		   const struct ioband_node *node);
u64 ioband_got_ppm(const struct ioband_sched *sched,
		   const struct ioband_node *node);
bool ioband_is_ready(const struct ioband_sched *sched);
bool ioband_is_promised(const struct ioband_sched *sched);
bool ioband_timer(const struct ioband_sched *sched, u64 *expires_ns);

#endif /* _IOBAND_CORE_H */
