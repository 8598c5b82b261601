/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must hold for heap and scheduler whenever nobody is inside them. Unit
 * tests, oracles and fuzzer ask after each step. All that can be computed from
 * the tree is computed from it, from the bottom up, and compared with what the
 * core keeps.
 */
#ifndef _IOBAND_INVARIANTS_H
#define _IOBAND_INVARIANTS_H

#include "dm-ioband/sched/private.h"

/* Counts the nodes below @node; -1 if a pointer or the order is wrong. */
static inline int ioband_heap_count_below(const struct ioband_heap_node *node)
{
	const struct ioband_heap_node *prev = node, *child;
	int total = 0;

	for (child = node->child; child; prev = child, child = child->next) {
		int below = ioband_heap_count_below(child);

		if (below < 0 || child->prev != prev ||
		    ioband_before(child->key, node->key))
			return -1;
		total += 1 + below;
	}
	return total;
}

static inline int ioband_heap_count(const struct ioband_heap *heap)
{
	const struct ioband_heap_node *root = ioband_heap_first(heap);
	int below;

	if (!root)
		return 0;
	if (root->prev || root->next)
		return -1;
	below = ioband_heap_count_below(root);
	return below < 0 ? -1 : below + 1;
}

static inline bool ioband_heap_has(const struct ioband_heap *heap,
				   const struct ioband_heap_node *node)
{
	while (node->prev)
		node = node->prev;
	return ioband_heap_first(heap) == node;
}

/* What a walk through the tree adds up, to be compared with the scheduler. */
struct ioband_sums {
	u64 now_ns;
	u32 held;
	int timers;
	int minimums;
	int deadlines;
};

static inline const char *ioband_own_broken(const struct ioband_node *node)
{
	const struct ioband_facet *facet;
	unsigned int way;
	u32 held = 0;
	int i, count;

	for (way = 0; way < ioband_nr_ways(node); way++) {
		facet = ioband_facet(node, way);
		if (ioband_leg_of(facet)->whose != node || facet->way != way)
			return "a facet has forgotten what it is of";
		if ((facet->state == IOBAND_FACET_READY) !=
		    !!(node->ready & BIT_ULL(way)))
			return "a node has forgotten which of its facets are ready";
		for (i = 0; i < 2; i++) {
			count = ioband_heap_count(&facet->held[i].heap);
			if (count < 0)
				return "a heap of held I/O is torn";
			held += count;
		}
	}
	if (held != node->held)
		return "held of a node is not the number of its I/Os";
	if (node->rest >= node->weight || node->own_rest >= IOBAND_WEIGHT_DEFAULT)
		return "a remainder is not less than the weight";
	return NULL;
}

/* The heaps of a node have just those children that are ready in them. */
static inline const char *ioband_heaps_broken(const struct ioband_node *node,
					      unsigned int way)
{
	const struct ioband_facet *facet = ioband_facet(node, way);
	const struct ioband_node *child;
	int ready[IOBAND_CLASSES] = { 0 };
	unsigned int class;

	list_for_each_entry(child, &node->children, sibling) {
		const struct ioband_facet *below;

		if (way >= ioband_nr_ways(child))
			continue;
		below = ioband_facet(child, way);
		if (below->state != IOBAND_FACET_READY)
			continue;
		ready[child->class]++;
		if (!ioband_heap_has(&facet->ready[child->class], &below->node))
			return "a ready child is not in its parent's heap";
		if (below->node.key !=
		    ioband_leg_of(below)->tag.start[ioband_way_dir(way)])
			return "the key of a ready child is not its start tag";
	}
	for (class = 0; class < IOBAND_CLASSES; class++)
		if (ioband_heap_count(&facet->ready[class]) != ready[class])
			return "a heap of children is torn or has one too many";
	return NULL;
}

static inline bool ioband_any_below(const struct ioband_node *node,
				    unsigned int way)
{
	const struct ioband_node *child;

	list_for_each_entry(child, &node->children, sibling)
		if (way < ioband_nr_ways(child) &&
		    ioband_facet(child, way)->state == IOBAND_FACET_READY)
			return true;
	return ioband_holds_own(ioband_facet(node, way));
}

/* When what @node holds may go that goes @dir, as of @ns. */
static inline u64 ioband_node_open_ns(const struct ioband_node *node, enum ioband_dir dir,
				      u64 ns)
{
	u64 open_ns = node->terms ? ioband_terms_open_ns(node->terms, dir, ns) : ns;

	return ioband_before(open_ns, node->kept_back_ns[dir]) ? node->kept_back_ns[dir] :
								 open_ns;
}

static inline const char *ioband_facet_broken(const struct ioband_sched *sched,
					      const struct ioband_node *node,
					      unsigned int way,
					      struct ioband_sums *sums)
{
	const struct ioband_facet *facet = ioband_facet(node, way);
	enum ioband_dir dir = ioband_way_dir(way);
	u64 key = facet->node.key;

	switch (facet->state) {
	case IOBAND_FACET_EMPTY:
		return ioband_any_below(node, way) ?
		       "a facet is empty though there is I/O that may go" : NULL;
	case IOBAND_FACET_READY:
		/* Below a parked node tags begin again when it wakes up. */
		if (!ioband_node_joined(sched, node) &&
		    (!node->parent->parent ||
		     ioband_node_joined(sched, node->parent)))
			return "a ready node is not of its parent's busy period";
		if (ioband_node_open_ns(node, dir, sums->now_ns) != sums->now_ns)
			return "a facet is ready though its limit is reached";
		break;
	case IOBAND_FACET_PARKED:
		sums->timers++;
		if (ioband_node_open_ns(node, dir, key - 1) != key ||
		    ioband_node_open_ns(node, dir, key) != key)
			return "the timer of a facet is not when its limit ends";
		if (!ioband_heap_has(&sched->timers, &facet->node))
			return "a parked facet has no timer";
		break;
	default:
		return "a facet is in no known state";
	}
	return ioband_any_below(node, way) ? NULL :
	       "a facet is not empty though there is nothing that may go";
}

static inline const char *ioband_terms_broken(const struct ioband_sched *sched,
					      const struct ioband_node *node,
					      struct ioband_sums *sums)
{
	const struct ioband_terms *terms = node->terms;
	bool any_group = false;
	const struct ioband_node *child;
	unsigned int way;
	u64 own = 0;

	for (way = 0; way < ioband_nr_ways(node); way++)
		if (ioband_holds_own(ioband_facet(node, way)))
			own |= BIT_ULL(way);
	if (terms->node != node)
		return "terms have forgotten whose they are";
	sums->minimums += terms->by_min.is_there;
	sums->deadlines += terms->by_deadline.is_there;
	if (terms->by_min.is_there != (terms->min_rate && node->ready))
		return "a minimum is not watched just while there is I/O";
	/* What streams hold is its own I/O. */
	list_for_each_entry(child, &node->children, sibling) {
		if (child->is_stream && any_group)
			return "a stream is behind a group among the children";
		any_group |= !child->is_stream;
		if (child->is_stream)
			own |= child->ready;
	}
	if (terms->by_deadline.is_there != (terms->latency_ns && node->ready & own))
		return "a latency target is not watched just while there is I/O";
	/* Later than that: until then a limit above it stands in its way. */
	if (terms->by_min.is_there &&
	    ioband_before(terms->by_min.node.key, terms->min.empty_ns))
		return "a minimum is looked after too early";
	if (terms->by_min.is_there &&
	    !ioband_heap_has(&sched->minimums, &terms->by_min.node))
		return "a watched minimum is not in the heap";
	if (terms->by_deadline.is_there &&
	    !ioband_heap_has(&sched->deadlines, &terms->by_deadline.node))
		return "a watched latency target is not in the heap";
	return NULL;
}

static inline const char *ioband_rivals_broken(const struct ioband_sched *sched,
					       const struct ioband_node *node)
{
	const struct ioband_node *child;
	u64 rivals = 0;

	if (node->parent && !ioband_node_joined(sched, node))
		return NULL;
	list_for_each_entry(child, &node->children, sibling)
		if (ioband_node_joined(sched, child))
			rivals += child->weight;
	return rivals == node->rivals ? NULL :
	       "rivals are not the weight of those who take part";
}

static inline const char *ioband_node_broken(const struct ioband_sched *sched,
					     const struct ioband_node *node,
					     struct ioband_sums *sums)
{
	const struct ioband_node *child;
	const struct list_head *link;
	const char *broken;
	unsigned int way;

	for (link = node->children.next; link != &node->children; link = link->next)
		if (link->next->prev != link)
			return "the list of children is torn";
	list_for_each_entry(child, &node->children, sibling)
		if (child->parent != node || child->class >= IOBAND_CLASSES)
			return "a child has forgotten its parent or its class";

	sums->held += node->held;
	broken = ioband_own_broken(node);
	for (way = 0; !broken && way < ioband_nr_ways(node); way++) {
		broken = ioband_heaps_broken(node, way);
		if (!broken && node->parent)
			broken = ioband_facet_broken(sched, node, way, sums);
	}
	if (!broken && node->terms)
		broken = ioband_terms_broken(sched, node, sums);
	if (!broken)
		broken = ioband_rivals_broken(sched, node);
	if (broken)
		return broken;
	list_for_each_entry(child, &node->children, sibling) {
		broken = ioband_node_broken(sched, child, sums);
		if (broken)
			return broken;
	}
	return NULL;
}

/**
 * ioband_sched_broken - whether anything in a scheduler contradicts the rest
 * @sched: the scheduler
 * @now_ns: when it was called last
 *
 * Return: what is wrong, or %NULL.
 */
static inline const char *ioband_sched_broken(const struct ioband_sched *sched,
					      u64 now_ns)
{
	struct ioband_sums sums = { .now_ns = now_ns };
	const char *broken;

	if (sched->root.held)
		return "the root holds I/O itself";
	broken = ioband_node_broken(sched, &sched->root, &sums);
	if (broken)
		return broken;
	if (sums.held != sched->held)
		return "held of the scheduler is not the sum of its nodes";
	if (ioband_heap_count(&sched->timers) != sums.timers)
		return "the timers are torn or not those of the parked";
	if (ioband_heap_count(&sched->minimums) != sums.minimums)
		return "the heap of minimums is torn or has one too many";
	if (ioband_heap_count(&sched->deadlines) != sums.deadlines)
		return "the heap of deadlines is torn or has one too many";
	return NULL;
}

/* Whether the directions have times, or places, of their own below @node. */
static inline bool ioband_directions_differ(const struct ioband_sched *sched,
				     const struct ioband_node *node)
{
	const struct ioband_vtime *times = node->plain.vtime;
	const struct ioband_node *child;
	unsigned int class;

	/* Of an older period: it begins again when something below wants to go. */
	if (node->parent && !ioband_node_joined(sched, node))
		return false;
	for (class = 0; class < IOBAND_CLASSES; class++)
		if (ioband_lag(&times[class], IOBAND_READ))
			return true;
	list_for_each_entry(child, &node->children, sibling)
		if (ioband_node_joined(sched, child) &&
		    !ioband_tag_is_one(&child->plain.tag, &times[child->class]))
			return true;
	return !ioband_tag_is_one(&node->plain.own, &times[IOBAND_BE]);
}

/**
 * ioband_tags_broken - whether anybody has saved up virtual time
 * @sched: a scheduler of one leg, not by time
 * @node: its root
 *
 * Return: what is wrong, or %NULL.
 */
static inline const char *ioband_tags_broken(const struct ioband_sched *sched,
					     const struct ioband_node *node)
{
	const struct ioband_node *child;
	const char *broken;
	unsigned int way;

	if (!ioband_last_limited(node) && ioband_directions_differ(sched, node))
		return "directions differ without a limit";
	list_for_each_entry(child, &node->children, sibling) {
		for (way = 0; way < ioband_nr_ways(node); way++)
			if (child->ready & BIT_ULL(way) &&
			    ioband_is_behind(&child->plain.tag,
					     &node->plain.vtime[child->class],
					     ioband_way_dir(way)))
				return "a ready child is behind virtual time";
		broken = ioband_tags_broken(sched, child);
		if (broken)
			return broken;
	}
	for (way = 0; way < ioband_nr_ways(node); way++)
		if (ioband_holds_own(ioband_facet(node, way)) &&
		    ioband_is_behind(&node->plain.own, &node->plain.vtime[IOBAND_BE],
				     ioband_way_dir(way)))
			return "a node's own I/O is behind virtual time";
	return NULL;
}

#endif /* _IOBAND_INVARIANTS_H */
