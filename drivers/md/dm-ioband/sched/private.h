/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the core have in common, from top to bottom: each uses only what is
 * below it. Not for callers of the core, who have core.h.
 */
#ifndef _IOBAND_PRIVATE_H
#define _IOBAND_PRIVATE_H

#include "vtime.h"

/* The ways of all reads, every other, and of all writes. */
#define IOBAND_READS	0x5555555555555555ULL
#define IOBAND_WRITES	(~IOBAND_READS)

static inline u64 ioband_ways_of(enum ioband_dir dir)
{
	return dir == IOBAND_READ ? IOBAND_READS : IOBAND_WRITES;
}

static inline unsigned int ioband_way_leg(unsigned int way)
{
	return way / IOBAND_DIRS;
}

static inline struct ioband_leg *ioband_leg_of(const struct ioband_facet *facet)
{
	return container_of(facet - facet->way % IOBAND_DIRS, struct ioband_leg, facet[0]);
}

static inline struct ioband_node *
ioband_facet_node(struct ioband_heap_node *heap_node)
{
	return ioband_leg_of(container_of(heap_node, struct ioband_facet, node))->whose;
}

static inline struct ioband_vtime *ioband_vtime_of(const struct ioband_node *node,
						   unsigned int leg)
{
	return &node->parent->leg[leg].vtime[node->class];
}

static inline bool ioband_holds_own(const struct ioband_facet *facet)
{
	return ioband_heap_first(&facet->held[false].heap) ||
	       ioband_heap_first(&facet->held[true].heap);
}

/* Whether the node of @facet holds I/O that goes this way, or any is ready below. */
static inline bool ioband_facet_has_io(const struct ioband_facet *facet)
{
	return ioband_heap_first(&facet->ready[IOBAND_BE]) ||
	       ioband_heap_first(&facet->ready[IOBAND_RT]) ||
	       ioband_heap_first(&facet->ready[IOBAND_IDLE]) ||
	       ioband_holds_own(facet);
}

/* Whether @node, or any below that is ready, has I/O that goes any of @ways. */
static inline bool ioband_has_io(const struct ioband_node *node, u64 ways)
{
	unsigned int way;

	for (way = 0; way < ioband_nr_ways(node); way++)
		if (ways & BIT_ULL(way) && ioband_facet_has_io(ioband_facet(node, way)))
			return true;
	return false;
}

/* Whether a sibling of @node of class @class, or own I/O above it, waits to go @way. */
static inline bool ioband_other_waits(const struct ioband_node *node, unsigned int way,
				      enum ioband_class class)
{
	const struct ioband_facet *above = ioband_facet(node->parent, way);
	struct ioband_heap_node *first = ioband_heap_first(&above->ready[class]);

	return (class == IOBAND_BE && ioband_holds_own(above)) ||
	       (first && (ioband_facet_node(first) != node || first->child));
}

/* The ways a node is ready to go, no limit up to the root in force, a bit each. */
static inline u64 ioband_open_ways(const struct ioband_node *node)
{
	u64 ways = node->ready;

	while (ways && (node = node->parent)->parent)
		ways &= node->ready;
	return ways;
}

/* The ways that the squeeze keeps shut for what goes in its turn. */
static inline u64 ioband_shut(const struct ioband_sched *sched)
{
	return sched->squeeze.is_shut ? IOBAND_WRITES : 0;
}

/* With so many at the disk there is one place more, which may be kept free (turn.c). */
static inline u32 ioband_last_place(const struct ioband_sched *sched)
{
	return sched->turn.has_grace ? sched->depth - 1 : 0;
}

/* How far an I/O moves a tag on; @rest carries the remainder to the next. */
static inline u64 ioband_step(u32 *rest, u64 cost, u32 weight)
{
	u64 left, step;

	step = div64_u64_rem((cost << IOBAND_VTIME_SHIFT) + *rest, weight, &left);
	*rest = left;
	return step;
}

static inline struct ioband_io *ioband_first_io(const struct ioband_queue *queue)
{
	struct ioband_heap_node *node = ioband_heap_first(&queue->heap);

	return node ? container_of(node, struct ioband_io, node) : NULL;
}

/* Why an I/O was dispatched. */
enum ioband_how {
	IOBAND_BY_TAG,		/* its tag was the smallest */
	IOBAND_SAME_TURN,	/* its group goes on with its turn (turn.c) */
	IOBAND_OUT_OF_TURN,	/* a minimum or a latency target was due */
	IOBAND_AS_DEBT,		/* it could not wait for its turn */
};

/* waits.c */
void ioband_waits_begin(const struct ioband_sched *sched, const struct ioband_node *node,
			struct ioband_io *io, bool is_first, u64 now_ns);
void ioband_waits_end(const struct ioband_sched *sched, const struct ioband_node *node,
		      struct ioband_io *io, u64 now_ns);

/* grant.c */
void ioband_grant(const struct ioband_sched *sched, struct ioband_node *node);
void ioband_grant_used(struct ioband_sched *sched, struct ioband_node *node,
		       const struct ioband_io *io, u64 now_ns);

/* charge.c */
u64 ioband_count(struct ioband_sched *sched, const struct ioband_node *node,
		 const struct ioband_io *io);
void ioband_path_charge(struct ioband_sched *sched, struct ioband_node *node,
			const struct ioband_io *io, u64 cost, const struct ioband_node *top,
			enum ioband_how how, u64 now_ns);

/* turn.c */
void ioband_turn_begin(struct ioband_sched *sched);
void ioband_turn_stop(struct ioband_sched *sched, u64 now_ns);
struct ioband_node *ioband_turn_holder(const struct ioband_sched *sched, u64 *ways);
bool ioband_turn_has_room(const struct ioband_sched *sched, u32 in_flight);
void ioband_turn_taken(struct ioband_sched *sched, struct ioband_node *node, bool goes_on);
void ioband_turn_back(struct ioband_sched *sched, struct ioband_node *node, u64 now_ns);
bool ioband_turn_waits(struct ioband_sched *sched,
		       const struct ioband_node *next, u64 now_ns);

/* tree.c */
bool ioband_first_waiting(const struct ioband_leg *leg, enum ioband_class class,
			  enum ioband_dir dir, struct ioband_node **child, u64 *place);
void ioband_place_own(struct ioband_node *node, unsigned int way);
const struct ioband_node *ioband_last_limited(const struct ioband_node *node);
bool ioband_node_place(struct ioband_sched *sched, struct ioband_node *node, u64 now_ns);
void ioband_node_update(struct ioband_sched *sched, struct ioband_node *node, u64 now_ns);
void ioband_tags_restart(struct ioband_sched *sched);
void ioband_node_rekey(struct ioband_node *node);
void ioband_node_resort(struct ioband_sched *sched, struct ioband_node *node, u64 now_ns);
void ioband_path_join(struct ioband_sched *sched, struct ioband_node *node);

/* promise.c */
void ioband_promise_wanted(struct ioband_node *node, u64 done_ns);
void ioband_promise_update(struct ioband_sched *sched, struct ioband_node *node, u64 now_ns);
void ioband_promise_leave(struct ioband_sched *sched, struct ioband_terms *terms);
struct ioband_node *ioband_behind_minimum(struct ioband_sched *sched, u64 now_ns, u64 *ways);
struct ioband_node *ioband_near_deadline(struct ioband_sched *sched, u64 now_ns, u64 *ways);
struct ioband_node *ioband_first_target(const struct ioband_sched *sched, u64 now_ns,
					u64 *ways);
bool ioband_owes_others(const struct ioband_sched *sched,
			const struct ioband_node *node, u64 now_ns);

/* inner.c */
void ioband_inner_insert(struct ioband_node *node, struct ioband_io *io);
void ioband_inner_erase(struct ioband_node *node, struct ioband_io *io);
struct ioband_io *ioband_inner_pick(const struct ioband_node *node, u64 ways, u64 now_ns);
void ioband_inner_take(struct ioband_node *node, struct ioband_io *io);

#endif /* _IOBAND_PRIVATE_H */
