// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tree of groups: which of them may go, and their order among siblings.
 *
 * A node has two places among its siblings, one for its reads and one for its
 * writes, because a limit may stop either; and on a stripe two for each leg, because
 * one leg may be full while another has room. Each of these facets is in one of three
 * states: empty; ready, in the parent's heap by start tag; or parked until a limit
 * ends. A facet is empty if the node holds nothing and nothing below it is ready. So
 * whatever is found in a heap leads down to an I/O that may go, and a group at its
 * limit gets in the way of no other, however many groups are below it.
 */
#include "ioband-tree.h"

static struct ioband_heap *siblings_of(const struct ioband_facet *facet)
{
	const struct ioband_node *node = facet->whose;

	return &ioband_facet(node->parent, facet->way)->ready[node->class];
}

/**
 * ioband_open_ways - the ways a node is ready to go, no limit above it in force
 * @node: the node
 *
 * Return: a bit for each way.
 */
u32 ioband_open_ways(const struct ioband_node *node)
{
	u32 ways = node->ready;

	while (ways && (node = node->parent)->parent)
		ways &= node->ready;
	return ways;
}

/* Whether the node of @facet holds I/O that goes this way, or any is ready below. */
bool ioband_facet_has_io(const struct ioband_facet *facet)
{
	unsigned int class;

	for (class = 0; class < IOBAND_CLASSES; class++)
		if (ioband_heap_first(&facet->ready[class]))
			return true;
	return ioband_holds_own(facet);
}

static void facet_leave(struct ioband_sched *sched, struct ioband_facet *facet,
			u64 now_ns)
{
	struct ioband_node *node = facet->whose;

	switch (facet->state) {
	case IOBAND_FACET_READY:
		ioband_heap_erase(siblings_of(facet), &facet->node);
		node->ready &= ~BIT(facet->way);
		break;
	case IOBAND_FACET_PARKED:
		ioband_heap_erase(&sched->timers, &facet->node);
		facet->parked_ns += now_ns - facet->parked_since_ns;
		break;
	case IOBAND_FACET_EMPTY:
		break;
	}
	facet->state = IOBAND_FACET_EMPTY;
}

static void facet_enter(struct ioband_sched *sched, struct ioband_facet *facet,
			u64 open_ns, u64 now_ns)
{
	struct ioband_node *node = facet->whose;

	if (ioband_before(now_ns, open_ns)) {
		facet->state = IOBAND_FACET_PARKED;
		facet->parked_since_ns = now_ns;
		facet->node.key = open_ns;
		ioband_heap_insert(&sched->timers, &facet->node);
		return;
	}
	facet->state = IOBAND_FACET_READY;
	facet->node.key = *ioband_start_of(facet);
	ioband_heap_insert(siblings_of(facet), &facet->node);
	node->ready |= BIT(facet->way);
}

/* Take all facets out of the heaps they are in. */
static void node_leave(struct ioband_sched *sched, struct ioband_node *node,
		       u64 now_ns)
{
	unsigned int way;

	for (way = 0; way < ioband_nr_ways(node); way++)
		facet_leave(sched, ioband_facet(node, way), now_ns);
}

/**
 * ioband_limits_above - whether limits above a group may be why it is behind
 * @node: the group
 * @dir: read or write
 * @now_ns: the time
 * @open_ns: filled in: when all of these limits let the next I/O go, not before
 *	@now_ns
 *
 * Return: whether there is any limit above for this direction.
 */
bool ioband_limits_above(const struct ioband_node *node, enum ioband_dir dir,
			 u64 now_ns, u64 *open_ns)
{
	bool any = false;

	*open_ns = now_ns;
	while ((node = node->parent)->parent) {
		if (!node->terms || !ioband_terms_limit(node->terms, dir))
			continue;
		any = true;
		*open_ns = ioband_terms_open_ns(node->terms, dir, *open_ns);
	}
	return any;
}

/*
 * The virtual time that counts for @facet. Usually that of the class, but if a limit
 * above makes the siblings that go this way lag behind it, the smallest tag of these.
 */
static u64 way_vtime(const struct ioband_facet *facet, u64 now_ns)
{
	const struct ioband_heap_node *first = ioband_heap_first(siblings_of(facet));
	const struct ioband_node *node = facet->whose;
	u64 vtime = *ioband_vtime_of(node, ioband_way_leg(facet->way)), open_ns;

	if (first && ioband_before(first->key, vtime) &&
	    ioband_limits_above(node, ioband_way_dir(facet->way), now_ns, &open_ns))
		return first->key;
	return vtime;
}

/*
 * Whether the node of a facet that becomes ready is behind because a limit above
 * holds back its other direction, and has nothing ready in this one yet.
 */
static bool is_kept_elsewhere(const struct ioband_facet *facet, u64 now_ns)
{
	const struct ioband_node *node = facet->whose;
	enum ioband_dir dir = ioband_way_dir(facet->way);
	unsigned int way;
	u64 open_ns;

	for (way = dir; way < ioband_nr_ways(node); way += IOBAND_DIRS)
		if (node->ready & BIT(way))
			return false;
	return ioband_before(*ioband_start_of(facet),
			     *ioband_vtime_of(node, ioband_way_leg(facet->way))) &&
	       ioband_limits_above(node, !dir, now_ns, &open_ns);
}

/*
 * An idle group must not accumulate credit, nor may one that a limit kept from going
 * the way of @facet. Conversely, if a limit above makes the siblings that go this way
 * lag behind the rest, a group need not wait until they have caught up: its lead over
 * the rest becomes its lead over them.
 *
 * At other legs the group may stay behind: all its I/O was at the disk, by chance most
 * of it at this leg, and it has not missed much at the others meanwhile.
 */
static void take_place(struct ioband_sched *sched, struct ioband_facet *facet,
		       u64 now_ns)
{
	struct ioband_node *node = facet->whose;
	u64 *start = ioband_start_of(facet);
	u64 vtime, least;

	if (node->ready && !is_kept_elsewhere(facet, now_ns))
		return;
	/* It may have been parked since before this busy period. */
	ioband_path_join(sched, node);
	vtime = *ioband_vtime_of(node, ioband_way_leg(facet->way));
	least = way_vtime(facet, now_ns);
	if (ioband_before(*start, least)) {
		*start = least;
		node->is_debtor = false;
	} else if (!node->ready && least != vtime && !ioband_before(*start, vtime)) {
		*start -= vtime - least;
	}
	ioband_node_rekey(node);
}

/*
 * Bring a facet into the state in which it should be now. Returns whether the parent's
 * needs an update, too, because it may have become empty or ceased to be.
 */
static bool facet_update(struct ioband_sched *sched, struct ioband_facet *facet,
			 u64 now_ns)
{
	bool was_ready = facet->state == IOBAND_FACET_READY;
	struct ioband_node *node = facet->whose;
	u64 open_ns = now_ns;

	if (!ioband_facet_has_io(facet)) {
		facet_leave(sched, facet, now_ns);
		return was_ready;
	}
	if (node->terms)
		open_ns = ioband_terms_open_ns(node->terms,
					       ioband_way_dir(facet->way),
					       now_ns);
	if (was_ready && facet->node.key == *ioband_start_of(facet) &&
	    open_ns == now_ns)
		return false;
	if (facet->state == IOBAND_FACET_PARKED && facet->node.key == open_ns &&
	    open_ns != now_ns)
		return false;
	if (!was_ready && open_ns == now_ns)
		take_place(sched, facet, now_ns);
	facet_leave(sched, facet, now_ns);
	facet_enter(sched, facet, open_ns, now_ns);
	return was_ready != (facet->state == IOBAND_FACET_READY);
}

/* Update all facets of @node. Returns whether its parent needs an update, too. */
bool ioband_node_place(struct ioband_sched *sched, struct ioband_node *node,
		       u64 now_ns)
{
	bool changed = false;
	unsigned int way;

	for (way = 0; way < ioband_nr_ways(node); way++)
		changed |= facet_update(sched, ioband_facet(node, way), now_ns);
	if (node->terms)
		ioband_promise_update(sched, node, now_ns);
	return changed;
}

/* Update the facets of @node, and of the nodes above as far as they are affected. */
void ioband_node_update(struct ioband_sched *sched, struct ioband_node *node,
			u64 now_ns)
{
	while (node->parent && ioband_node_place(sched, node, now_ns))
		node = node->parent;
}

/* Bring a node into the busy period; its parent is in it already. */
static void node_join(struct ioband_sched *sched, struct ioband_node *node)
{
	unsigned int leg;

	if (ioband_node_joined(sched, node))
		return;
	node->period = sched->period;
	for (leg = 0; leg < node->nr_legs; leg++)
		node->leg[leg].start = *ioband_vtime_of(node, leg);
	node->rest = 0;
	node->is_debtor = false;
	node->parent->rivals += node->weight;
	ioband_node_retag(sched, node);
}

/* Restart virtual time in @node, and with it the tags of all that is ready below. */
void ioband_node_retag(struct ioband_sched *sched, struct ioband_node *node)
{
	struct ioband_heap_node *first;
	struct ioband_heap *ready, again;
	unsigned int leg, way, class;
	struct ioband_node *child;

	for (leg = 0; leg < node->nr_legs; leg++) {
		memset(node->leg[leg].vtime, 0, sizeof(node->leg[leg].vtime));
		node->leg[leg].own_start = 0;
	}
	node->own_rest = 0;
	node->rivals = 0;
	node->served = 0;
	for (way = 0; way < ioband_nr_ways(node); way++) {
		for (class = 0; class < IOBAND_CLASSES; class++) {
			ready = &ioband_facet(node, way)->ready[class];
			again.root = NULL;
			while ((first = ioband_heap_first(ready))) {
				child = ioband_facet_node(first);
				ioband_heap_erase(ready, first);
				node_join(sched, child);
				first->key = child->leg[ioband_way_leg(way)].start;
				ioband_heap_insert(&again, first);
			}
			*ready = again;
		}
	}
}

/* Reorder a node among its siblings after its tags have changed. */
void ioband_node_rekey(struct ioband_node *node)
{
	struct ioband_facet *facet;
	unsigned int way;

	for (way = 0; way < ioband_nr_ways(node); way++) {
		facet = ioband_facet(node, way);
		if (facet->state != IOBAND_FACET_READY ||
		    facet->node.key == *ioband_start_of(facet))
			continue;
		ioband_heap_erase(siblings_of(facet), &facet->node);
		facet->node.key = *ioband_start_of(facet);
		ioband_heap_insert(siblings_of(facet), &facet->node);
	}
}

/*
 * Put a node in its places after its tags have changed. If it is a stream, its group's
 * latency target may now be due to the I/O of another.
 */
void ioband_node_resort(struct ioband_sched *sched, struct ioband_node *node,
			u64 now_ns)
{
	ioband_node_rekey(node);
	if (node->is_stream && node->parent->terms)
		ioband_promise_update(sched, node->parent, now_ns);
}

/* Join from the top down: a child's tag begins at its parent's virtual time. */
void ioband_path_join(struct ioband_sched *sched, struct ioband_node *node)
{
	if (!node->parent || ioband_node_joined(sched, node))
		return;
	ioband_path_join(sched, node->parent);
	node_join(sched, node);
}

/* Take a node's weight out of the total of its parent's children. */
static void node_withdraw(struct ioband_sched *sched, struct ioband_node *node)
{
	if (ioband_node_joined(sched, node))
		node->parent->rivals -= node->weight;
}

/**
 * ioband_node_after - walk a subtree, parents before children
 * @node: a node in it
 * @top: its root
 *
 * Return: the node after @node, or %NULL after the last.
 */
struct ioband_node *ioband_node_after(struct ioband_node *node,
				      const struct ioband_node *top)
{
	if (!list_empty(&node->children))
		return list_first_entry(&node->children, struct ioband_node,
					sibling);
	while (node != top && list_is_last(&node->sibling,
					   &node->parent->children))
		node = node->parent;
	return node == top ? NULL : list_next_entry(node, sibling);
}

/**
 * ioband_node_init - prepare a group
 * @node: uninitialised memory
 * @weight: %IOBAND_WEIGHT_MIN to %IOBAND_WEIGHT_MAX
 */
void ioband_node_init(struct ioband_node *node, u32 weight)
{
	memset(node, 0, sizeof(*node));
	INIT_LIST_HEAD(&node->children);
	INIT_LIST_HEAD(&node->sibling);
	node->weight = weight;
	node->class = IOBAND_BE;
	ioband_node_set_legs(node, &node->plain, 1);
}

/**
 * ioband_node_set_legs - give a group a place at each leg of the disk
 * @node: the root of a scheduler that holds nothing, or a group that is in no tree
 * @legs: zeroed memory, which must last as long as @node is in use
 * @nr_legs: how many there are, up to %IOBAND_LEGS_MAX; groups above the group must
 *	have no fewer
 */
void ioband_node_set_legs(struct ioband_node *node, struct ioband_leg *legs,
			  unsigned int nr_legs)
{
	unsigned int way;

	node->leg = legs;
	node->nr_legs = nr_legs;
	for (way = 0; way < ioband_nr_ways(node); way++) {
		ioband_facet(node, way)->whose = node;
		ioband_facet(node, way)->way = way;
	}
}

/**
 * ioband_node_add - put a group or stream into the tree
 * @parent: the group above it, or the root
 * @node: a group or stream that holds nothing
 */
void ioband_node_add(struct ioband_node *parent, struct ioband_node *node)
{
	node->parent = parent;
	node->period = 0;
	/* Streams come first, to be found without a look at all children. */
	if (node->is_stream)
		list_add(&node->sibling, &parent->children);
	else
		list_add_tail(&node->sibling, &parent->children);
}

/*
 * Nodes below @top that are behind because of a limit of @top must not have
 * accumulated credit when the limit is gone.
 */
static void catch_up(struct ioband_sched *sched, struct ioband_node *top,
		     u64 now_ns)
{
	struct ioband_node *node = top;
	unsigned int leg;
	u64 vtime;

	while ((node = ioband_node_after(node, top))) {
		if (node->terms)
			ioband_promise_update(sched, node, now_ns);
		if (!node->ready)
			continue;
		for (leg = 0; leg < node->nr_legs; leg++) {
			vtime = *ioband_vtime_of(node, leg);
			if (ioband_before(node->leg[leg].start, vtime))
				node->leg[leg].start = vtime;
		}
		ioband_node_resort(sched, node, now_ns);
	}
}

/**
 * ioband_node_move - move a group, and all below it, elsewhere in the tree
 * @sched: the scheduler
 * @node: the group, holding I/O or not
 * @parent: the group to be above it, or the root; not below @node
 * @now_ns: the time
 */
void ioband_node_move(struct ioband_sched *sched, struct ioband_node *node,
		      struct ioband_node *parent, u64 now_ns)
{
	unsigned int leg;
	u64 *start;

	node_leave(sched, node, now_ns);
	ioband_node_update(sched, node->parent, now_ns);
	node_withdraw(sched, node);

	for (leg = 0; leg < node->nr_legs; leg++)
		node->leg[leg].start -= *ioband_vtime_of(node, leg);
	node->parent = parent;
	list_move_tail(&node->sibling, &parent->children);
	ioband_path_join(sched, parent);
	for (leg = 0; leg < node->nr_legs; leg++) {
		start = &node->leg[leg].start;
		/* It keeps its lead but not its lag; below it nothing changes. */
		if ((s64)*start < 0)
			*start = 0;
		*start += *ioband_vtime_of(node, leg);
	}
	if (ioband_node_joined(sched, node))
		parent->rivals += node->weight;
	ioband_path_join(sched, node);
	catch_up(sched, node, now_ns);
	ioband_node_update(sched, node, now_ns);
}

/**
 * ioband_node_del - take a group out of the tree
 * @sched: the scheduler
 * @node: a group that holds nothing itself; its children move to its parent
 * @now_ns: the time
 */
void ioband_node_del(struct ioband_sched *sched, struct ioband_node *node,
		     u64 now_ns)
{
	struct ioband_node *child, *next;

	list_for_each_entry_safe(child, next, &node->children, sibling)
		ioband_node_move(sched, child, node->parent, now_ns);
	if (node->terms)
		ioband_promise_leave(sched, node->terms);
	node_withdraw(sched, node);
	ioband_turn_forget(sched, node);
	if (sched->late == node)
		sched->late = NULL;
	list_del_init(&node->sibling);
	node->parent = NULL;
}

/**
 * ioband_node_set_weight - change the weight of a group
 * @sched: the scheduler
 * @node: the group, holding I/O or not
 * @weight: %IOBAND_WEIGHT_MIN to %IOBAND_WEIGHT_MAX
 *
 * The group's lead over virtual time was built up at the old weight. It is scaled
 * to be worth the same I/O at the new one; otherwise a group raised from 1 to 10000
 * would still wait out the step of its last I/O, ten thousand times too long.
 */
void ioband_node_set_weight(struct ioband_sched *sched,
			    struct ioband_node *node, u32 weight)
{
	u64 vtime, ahead, rest = 0;
	unsigned int leg;

	for (leg = 0; leg < node->nr_legs; leg++) {
		vtime = *ioband_vtime_of(node, leg);
		ahead = node->leg[leg].start - vtime;
		/* A lead times its weight is a cost, which cannot overflow. */
		if (ioband_node_joined(sched, node) && (s64)ahead >= 0)
			node->leg[leg].start = vtime +
				div64_u64_rem(ahead * node->weight + node->rest,
					      weight, &rest);
	}
	node_withdraw(sched, node);
	node->weight = weight;
	node->rest = rest;
	if (ioband_node_joined(sched, node))
		node->parent->rivals += weight;
	ioband_node_rekey(node);
}

/**
 * ioband_node_set_class - change the class of a group
 * @sched: the scheduler
 * @node: the group, holding I/O or not
 * @class: the new class
 * @now_ns: the time
 */
void ioband_node_set_class(struct ioband_sched *sched, struct ioband_node *node,
			   enum ioband_class class, u64 now_ns)
{
	unsigned int leg;

	node_leave(sched, node, now_ns);
	node->class = class;
	for (leg = 0; leg < node->nr_legs; leg++)
		node->leg[leg].start = *ioband_vtime_of(node, leg);
	node->rest = 0;
	ioband_node_update(sched, node, now_ns);
}

/**
 * ioband_node_set_terms - change limits, minimum and latency target of a group
 * @sched: the scheduler
 * @node: the group, holding I/O or not
 * @terms: the new terms, or %NULL for none
 * @now_ns: the time
 *
 * Return: the old terms, for the caller to free, or %NULL.
 */
struct ioband_terms *ioband_node_set_terms(struct ioband_sched *sched,
					   struct ioband_node *node,
					   struct ioband_terms *terms,
					   u64 now_ns)
{
	struct ioband_terms *old = node->terms;

	if (old)
		ioband_promise_leave(sched, old);
	if (terms)
		terms->node = node;
	if (terms && old)
		ioband_terms_inherit(terms, old, now_ns);
	node->terms = terms;
	catch_up(sched, node, now_ns);
	ioband_node_update(sched, node, now_ns);
	return old;
}

