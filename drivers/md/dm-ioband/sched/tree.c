// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tree of groups: which of them may go, and their order among siblings.
 *
 * A node has several places among its siblings: one for its reads and one for its writes,
 * because a limit may stop either; and on a stripe both for each leg, because one leg may
 * be full while another has room. Each of these facets is in one of three states: empty;
 * ready, in the parent's heap by start tag; or parked until a limit ends. A facet is empty
 * if the node holds nothing and nothing below it is ready. So whatever is found in a heap
 * leads down to an I/O that may go, and a group at its limit gets in the way of no other,
 * however many groups are below it.
 */
#include "private.h"

static struct ioband_heap *siblings_of(const struct ioband_facet *facet)
{
	const struct ioband_node *node = ioband_leg_of(facet)->whose;

	return &ioband_facet(node->parent, facet->way)->ready[node->class];
}

/**
 * ioband_may_go - whether a group, or one below it, holds I/O that no limit holds back
 * @node: the group
 * @dir: what goes this way
 */
bool ioband_may_go(const struct ioband_node *node, enum ioband_dir dir)
{
	return ioband_open_ways(node) & ioband_ways_of(dir);
}

static void facet_leave(struct ioband_sched *sched, struct ioband_facet *facet, u64 now_ns)
{
	struct ioband_node *node = ioband_leg_of(facet)->whose;

	switch (facet->state) {
	case IOBAND_FACET_READY:
		ioband_heap_erase(siblings_of(facet), &facet->node);
		node->ready &= ~BIT_ULL(facet->way);
		break;
	case IOBAND_FACET_PARKED:
		ioband_heap_erase(&sched->timers, &facet->node);
		facet->parked_ns += now_ns;
		break;
	case IOBAND_FACET_EMPTY:
		break;
	}
	facet->state = IOBAND_FACET_EMPTY;
}

static void facet_enter(struct ioband_sched *sched, struct ioband_facet *facet,
			u64 open_ns, u64 now_ns)
{
	struct ioband_leg *leg = ioband_leg_of(facet);

	if (ioband_before(now_ns, open_ns)) {
		sched->has_parked = true;
		facet->state = IOBAND_FACET_PARKED;
		facet->parked_ns -= now_ns;
		facet->node.key = open_ns;
		ioband_heap_insert(&sched->timers, &facet->node);
		return;
	}
	facet->state = IOBAND_FACET_READY;
	facet->node.key = leg->tag.start[ioband_way_dir(facet->way)];
	ioband_heap_insert(siblings_of(facet), &facet->node);
	leg->whose->ready |= BIT_ULL(facet->way);
}

/* Reorder a facet that is ready after its tag has changed. */
static void facet_rekey(struct ioband_facet *facet)
{
	u64 key = ioband_leg_of(facet)->tag.start[ioband_way_dir(facet->way)];
	struct ioband_heap *siblings = siblings_of(facet);

	if (facet->node.key == key)
		return;
	ioband_heap_erase(siblings, &facet->node);
	facet->node.key = key;
	ioband_heap_insert(siblings, &facet->node);
}

/* Take all facets out of the heaps they are in. */
static void node_leave(struct ioband_sched *sched, struct ioband_node *node, u64 now_ns)
{
	unsigned int way;

	for (way = 0; way < ioband_nr_ways(node); way++)
		facet_leave(sched, ioband_facet(node, way), now_ns);
}

/*
 * The last on the way up, @node or above it, that has limits, or %NULL. A limit for one
 * direction may make what goes either way lag below: what lags behind it above a group goes as
 * soon as it may, whatever the group would rather send, and below the group that may be more
 * than is due.
 */
const struct ioband_node *ioband_last_limited(const struct ioband_node *node)
{
	const struct ioband_node *last = NULL;

	for (; node; node = node->parent)
		if (node->terms && node->terms->has_limits)
			last = node;
	return last;
}

/*
 * Find a place for what begins to go @way beside I/O that goes the other way: its place,
 * unless either direction lags.
 */
static void tag_place(struct ioband_tag *tag, const struct ioband_node *above,
		      enum ioband_class class, unsigned int way)
{
	const struct ioband_vtime *time = &above->leg[ioband_way_leg(way)].vtime[class];
	enum ioband_dir dir = ioband_way_dir(way), back = ioband_dir_back(dir);

	if (!ioband_last_limited(above))
		return;
	if (!ioband_lag(time, dir))
		tag->start[dir] = ioband_place_back(time, back, tag->start[back]);
	if (ioband_is_behind(tag, time, dir))
		tag->start[dir] = time->now[dir];
}

/*
 * Find who waits first to go @dir among those of a class: a child, or NULL for the node's own
 * I/O. Returns false if nobody does.
 */
bool ioband_first_waiting(const struct ioband_leg *leg, enum ioband_class class,
			  enum ioband_dir dir, struct ioband_node **child, u64 *place)
{
	const struct ioband_facet *facet = &leg->facet[dir];
	struct ioband_heap_node *first = ioband_heap_first(&facet->ready[class]);
	bool own = class == IOBAND_BE && ioband_holds_own(facet);

	if (own && !(first && ioband_before(first->key, leg->own.start[dir]))) {
		*child = NULL;
		*place = leg->own.start[dir];
	} else if (first) {
		*child = ioband_facet_node(first);
		*place = first->key;
	}
	return own || first;
}

/*
 * A facet becomes ready. At other legs the group may stay behind: all its I/O was at the
 * disk, by chance most of it at this leg, and it has not missed much at the others
 * meanwhile.
 */
static void take_place(struct ioband_sched *sched, struct ioband_facet *facet)
{
	struct ioband_leg *leg = ioband_leg_of(facet);
	struct ioband_node *node = leg->whose;
	const struct ioband_vtime *time;

	if (!node->ready) {
		/* It may have been parked since before this busy period. */
		ioband_path_join(sched, node);
		time = ioband_vtime_of(node, ioband_way_leg(facet->way));
		if (ioband_is_behind(&leg->tag, time, ioband_way_dir(facet->way)))
			node->is_debtor = false;
		ioband_tag_raise(&leg->tag, time, 0);
	} else if (!(node->ready & ioband_ways_of(ioband_way_dir(facet->way)))) {
		tag_place(&leg->tag, node->parent, node->class, facet->way);
	}
}

static bool holds_own_dir(const struct ioband_node *node, enum ioband_dir dir)
{
	unsigned int way;

	for (way = 0; way < ioband_nr_ways(node); way++)
		if (ioband_way_dir(way) == dir && ioband_holds_own(ioband_facet(node, way)))
			return true;
	return false;
}

/**
 * ioband_place_own - find a place for a node's own I/O that begins to go one way
 * @node: the node, which holds none of its own that goes this way
 * @way: the way
 */
void ioband_place_own(struct ioband_node *node, unsigned int way)
{
	struct ioband_leg *leg;

	if (node->held) {
		if (!holds_own_dir(node, ioband_way_dir(way)))
			tag_place(&node->leg[ioband_way_leg(way)].own, node, IOBAND_BE, way);
		return;
	}
	for (leg = node->leg; leg < node->leg + node->nr_legs; leg++)
		ioband_tag_raise(&leg->own, &leg->vtime[IOBAND_BE], 0);
}

/*
 * Bring a facet of @node into the state in which it should be now. Returns whether the
 * parent's needs an update, too, because it may have become empty or ceased to be.
 */
static bool facet_update(struct ioband_sched *sched, struct ioband_node *node,
			 struct ioband_facet *facet, u64 now_ns)
{
	bool was_ready = facet->state == IOBAND_FACET_READY;
	enum ioband_dir dir = ioband_way_dir(facet->way);
	u64 open_ns = now_ns;

	if (!ioband_facet_has_io(facet)) {
		facet_leave(sched, facet, now_ns);
		return was_ready;
	}
	if (node->terms) {
		if (facet->state == IOBAND_FACET_EMPTY)
			node->terms->waits_ns[dir] = now_ns;
		open_ns = ioband_terms_open_ns(node->terms, dir, now_ns);
	}
	if (ioband_before(open_ns, node->kept_back_ns[dir]))
		open_ns = node->kept_back_ns[dir];
	if (was_ready && open_ns == now_ns) {
		facet_rekey(facet);
		return false;
	}
	if (facet->state == IOBAND_FACET_PARKED && facet->node.key == open_ns &&
	    open_ns != now_ns)
		return false;
	if (open_ns == now_ns)
		take_place(sched, facet);
	facet_leave(sched, facet, now_ns);
	facet_enter(sched, facet, open_ns, now_ns);
	return was_ready != (facet->state == IOBAND_FACET_READY);
}

/* Update all facets of @node. Returns whether its parent needs an update, too. */
bool ioband_node_place(struct ioband_sched *sched, struct ioband_node *node, u64 now_ns)
{
	bool changed = false;
	unsigned int way;

	for (way = 0; way < ioband_nr_ways(node); way++)
		changed |= facet_update(sched, node, ioband_facet(node, way), now_ns);
	if (node->terms)
		ioband_promise_update(sched, node, now_ns);
	return changed;
}

/* Update the facets of @node, and of the nodes above as far as they are affected. */
void ioband_node_update(struct ioband_sched *sched, struct ioband_node *node, u64 now_ns)
{
	while (node->parent && ioband_node_place(sched, node, now_ns))
		node = node->parent;
}

static void node_retag(struct ioband_sched *sched, struct ioband_node *node);

/* Bring a node into the busy period; its parent is in it already. */
static void node_join(struct ioband_sched *sched, struct ioband_node *node)
{
	unsigned int leg;

	if (ioband_node_joined(sched, node))
		return;
	node->period = sched->period;
	for (leg = 0; leg < node->nr_legs; leg++)
		node->leg[leg].tag = ioband_tag_now(ioband_vtime_of(node, leg), 0);
	node->rest = 0;
	node->is_debtor = false;
	node->granted = 0;
	node->lead = 0;
	node->parent->rivals += node->weight;
	node_retag(sched, node);
}

/* Restart virtual time in @node, and with it the tags of all that is ready below. */
static void node_retag(struct ioband_sched *sched, struct ioband_node *node)
{
	struct ioband_heap_node *first;
	struct ioband_heap *ready, again;
	unsigned int leg, way, class;
	struct ioband_node *child;

	for (leg = 0; leg < node->nr_legs; leg++) {
		memset(node->leg[leg].vtime, 0, sizeof(node->leg[leg].vtime));
		node->leg[leg].own = (struct ioband_tag) { };
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
				first->key = child->leg[ioband_way_leg(way)].tag
					     .start[ioband_way_dir(way)];
				ioband_heap_insert(&again, first);
			}
			*ready = again;
		}
	}
}

/* Have all tags start afresh. */
void ioband_tags_restart(struct ioband_sched *sched)
{
	sched->period++;
	node_retag(sched, &sched->root);
}

/* Reorder a node among its siblings after its tags have changed. */
void ioband_node_rekey(struct ioband_node *node)
{
	struct ioband_facet *facet;
	unsigned int way;

	for (way = 0; way < ioband_nr_ways(node); way++) {
		facet = ioband_facet(node, way);
		if (facet->state == IOBAND_FACET_READY)
			facet_rekey(facet);
	}
}

/*
 * Put a node in its places after its tags have changed. If it is a stream, its group's
 * latency target may now be due to the I/O of another.
 */
void ioband_node_resort(struct ioband_sched *sched, struct ioband_node *node, u64 now_ns)
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
struct ioband_node *ioband_node_after(struct ioband_node *node, const struct ioband_node *top)
{
	if (!list_empty(&node->children))
		return list_first_entry(&node->children, struct ioband_node, sibling);
	while (node != top && list_is_last(&node->sibling, &node->parent->children))
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
		ioband_facet(node, way)->way = way;
		legs[ioband_way_leg(way)].whose = node;
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
 * Limits of @top or above have changed; @was_limited: there was any. Where there is none any
 * more nothing lags: directions have one time again, and nobody has saved anything up. What
 * is promised below may have waited for a limit that is gone.
 */
static void limits_changed(struct ioband_sched *sched, struct ioband_node *top,
			   bool was_limited, u64 now_ns)
{
	struct ioband_node *node;

	if (was_limited && !ioband_last_limited(top))
		ioband_tags_restart(sched);
	for (node = top; node; node = ioband_node_after(node, top)) {
		/* At limits, or for a promise, each I/O goes in its turn (grant.c). */
		node->granted = 0;
		if (node->terms && node != top)
			ioband_promise_update(sched, node, now_ns);
	}
	ioband_node_update(sched, top, now_ns);
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
	bool was_limited = ioband_last_limited(node);
	u64 ahead[IOBAND_LEGS_MAX] = { };
	unsigned int leg;

	node_leave(sched, node, now_ns);
	ioband_node_update(sched, node->parent, now_ns);
	node_withdraw(sched, node);

	for (leg = 0; node->is_debtor && leg < node->nr_legs; leg++)
		ahead[leg] = ioband_tag_ahead(&node->leg[leg].tag, ioband_vtime_of(node, leg));
	/* Who walks the children may change the class of one. */
	if (node->parent != parent)
		list_move_tail(&node->sibling, &parent->children);
	node->parent = parent;
	/* What has wanted nothing in this busy period does not count as a rival by that. */
	if (ioband_node_joined(sched, node)) {
		ioband_path_join(sched, parent);
		parent->rivals += node->weight;
	}
	/* It is behind for nothing but a debt; below it nothing changes. */
	for (leg = 0; leg < node->nr_legs; leg++)
		node->leg[leg].tag = ioband_tag_now(ioband_vtime_of(node, leg), ahead[leg]);
	limits_changed(sched, node, was_limited, now_ns);
}

static void forget(struct ioband_sched *sched, const struct ioband_node *node)
{
	struct ioband_turn *turn = &sched->turn;

	if (turn->group == node)
		turn->group = NULL;
	if (turn->stream == node)
		turn->stream = NULL;
	if (turn->last == node)
		turn->last = NULL;
	if (sched->behind == node)
		sched->behind = NULL;
}

/**
 * ioband_node_del - take a group out of the tree
 * @sched: the scheduler
 * @node: a group that holds nothing itself; its children move to its parent
 * @now_ns: the time
 */
void ioband_node_del(struct ioband_sched *sched, struct ioband_node *node, u64 now_ns)
{
	struct ioband_node *child, *next;

	list_for_each_entry_safe(child, next, &node->children, sibling)
		ioband_node_move(sched, child, node->parent, now_ns);
	if (node->terms)
		ioband_promise_leave(sched, node->terms);
	node_withdraw(sched, node);
	forget(sched, node);
	list_del_init(&node->sibling);
	node->parent = NULL;
}

/* A lead times its weight is a cost, which cannot overflow. */
static void reweigh(struct ioband_node *node, unsigned int leg, u32 weight, u64 *rest)
{
	const struct ioband_vtime *time = ioband_vtime_of(node, leg);
	struct ioband_tag *tag = &node->leg[leg].tag;
	enum ioband_dir dir;
	u64 ahead;

	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++) {
		ahead = tag->start[dir] - time->now[dir];
		if ((s64)ahead >= 0)
			tag->start[dir] = time->now[dir] +
					  div64_u64_rem(ahead * node->weight + node->rest,
							weight, rest);
	}
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
void ioband_node_set_weight(struct ioband_sched *sched, struct ioband_node *node, u32 weight)
{
	unsigned int leg;
	u64 rest = 0;

	for (leg = 0; ioband_node_joined(sched, node) && leg < node->nr_legs; leg++)
		reweigh(node, leg, weight, &rest);
	node_withdraw(sched, node);
	WRITE_ONCE(node->weight, weight);
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
	node_leave(sched, node, now_ns);
	node->class = class;
	/* Places in one class are not to be compared with those in another. */
	node->is_debtor = false;
	ioband_node_move(sched, node, node->parent, now_ns);
}

/**
 * ioband_node_keep_back - have what a group and those below it hold wait, or no longer
 * @sched: the scheduler
 * @node: the group, holding I/O or not
 * @dir: what goes this way
 * @until_ns: until when; now or earlier: no longer
 * @now_ns: the time
 *
 * It is as if it were at a limit.
 */
void ioband_node_keep_back(struct ioband_sched *sched, struct ioband_node *node,
			   enum ioband_dir dir, u64 until_ns, u64 now_ns)
{
	node->kept_back_ns[dir] = until_ns;
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
	bool was_limited = ioband_last_limited(node);
	struct ioband_terms *old = node->terms;

	if (old)
		ioband_promise_leave(sched, old);
	if (terms)
		terms->node = node;
	if (terms && old)
		ioband_terms_inherit(terms, old, now_ns);
	else if (terms)
		ioband_terms_begin(terms, now_ns);
	node->terms = terms;
	limits_changed(sched, node, was_limited, now_ns);
	return old;
}

