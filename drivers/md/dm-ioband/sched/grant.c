// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grants: how many I/Os a group may send before the order of groups is looked at again.
 *
 * The group with the smallest start tag goes next. It is seldom that of the task which the
 * completion wakes, so a worker has to send its I/O: a switch of tasks for each. A fast
 * disk does many I/Os in a time that nobody cares about. There a group whose turn it is may
 * send several, one each time one of its tasks comes with the next: then the tasks that
 * completions wake send down what is held, each for its own group, and a place at the disk
 * stays with the group that has it. When the grant is used up the group is charged for it,
 * and the next one begins (F. Hedayati, K. Shen, M. Scott, M. Marty, "Multi-Queue Fair
 * Queuing", ATC 2019, lets each queue run ahead of virtual time by as much).
 *
 * How many places each group has decides how much it gets, and tags say whether that is
 * right. Who is ahead of the first that waits by more than a grant, and by more than the
 * last time, leaves one place to it. So places move as long as tags draw apart, and no
 * longer. Who is ahead by several grants waits for its turn.
 *
 * A grant is the group's part, by weight, of what the disk does in a time that the caller
 * chooses. The bound in the head of core.c grows by one grant, and by those that it takes
 * until enough places have moved. Groups with limits or promises of their own, or below
 * such, have no grants: each I/O is in its turn.
 */
#include "private.h"

#define GRANT_MIN	((u64)4)
#define GRANT_MAX	((u64)64)

/* Who is ahead by so many grants sends nothing until its turn. */
#define LEAD_GRANTS	4

/* Whether something is promised to a group or one above, or asked of it. */
static bool has_terms(const struct ioband_node *node)
{
	for (; node; node = node->parent)
		if (node->terms)
			return true;
	return false;
}

/**
 * ioband_grant - a group's turn has come: begin its next grant
 * @sched: the scheduler
 * @node: the group, which has paid for all it has sent
 */
void ioband_grant(const struct ioband_sched *sched, struct ioband_node *node)
{
	u64 part = 2 * (u64)sched->grant, rest;
	const struct ioband_node *n;

	node->granted = 0;
	/* If what it paid has ended the busy period it is in none. */
	if (sched->grant <= 1 || !list_empty(&node->children) || has_terms(node) ||
	    !ioband_node_joined(sched, node))
		return;
	for (n = node; n->parent; n = n->parent)
		part = div64_u64_rem(part * n->weight, n->parent->rivals, &rest);
	/* Of so many groups that it would be less than half an I/O each sends in its turn. */
	if (part)
		node->granted = clamp(part / 2, GRANT_MIN, GRANT_MAX);
}

/*
 * How far @node is ahead of the first of its siblings that waits; not above 0 if it is first
 * itself, or alone.
 */
static s64 lead_of(const struct ioband_node *node)
{
	const struct ioband_leg *above = node->parent->leg;
	const struct ioband_tag *tag = &node->leg->tag;
	const struct ioband_heap_node *first;
	const struct ioband_facet *facet;
	enum ioband_class class;
	enum ioband_dir dir;
	s64 lead = -S64_MAX;
	bool own;

	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++) {
		facet = &above->facet[dir];
		own = ioband_holds_own(facet);
		for (class = 0; class < node->class; class++)
			if (ioband_heap_first(&facet->ready[class]) ||
			    (own && class == IOBAND_BE))
				return S64_MAX;
		first = ioband_heap_first(&facet->ready[node->class]);
		if (first && first != &node->leg->facet[dir].node)
			lead = max(lead, (s64)(tag->start[dir] - first->key));
		if (own && node->class == IOBAND_BE)
			lead = max(lead, (s64)(tag->start[dir] - above->own.start[dir]));
	}
	return lead;
}

/* Whether a lead is more than what several times @cost moves the tag on. */
static bool is_far(const struct ioband_node *node, s64 lead, u64 cost)
{
	u64 rest;

	return lead > (s64)div64_u64_rem(LEAD_GRANTS * cost << IOBAND_VTIME_SHIFT, node->weight,
					 &rest);
}

/**
 * ioband_grant_used - a group has sent as much as it was granted: charge it, and go on
 * @sched: the scheduler
 * @node: the group
 * @io: the last it has sent
 * @now_ns: the time
 */
void ioband_grant_used(struct ioband_sched *sched, struct ioband_node *node,
		       const struct ioband_io *io, u64 now_ns)
{
	const struct ioband_node *top = &sched->root;
	bool gives = false, waits = false;
	struct ioband_node *n;
	s64 lead;

	for (n = node; n->parent; n = n->parent) {
		lead = lead_of(n);
		if (lead > 0 && top == &sched->root)
			top = n;
		gives |= lead > max_t(s64, n->lead, 0);
		waits |= is_far(n, lead, node->unpaid);
		n->lead = lead;
	}
	ioband_path_charge(sched, node, io, 0, top, IOBAND_SAME_TURN, now_ns);
	ioband_grant(sched, node);
	node->gives = gives;
	if (waits)
		node->granted = 0;
}
