// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduling core of dm-ioband: start-time fair queuing over a short queue.
 *
 * How much a disk can do is unknown and changes, so I/O is not paced. Two things are decided:
 * how many I/Os are at the disk at once (the depth), and whose turn it is when one of them
 * completes. The disk's completions are the clock: at half the speed there are half as many
 * of them, and the shares are the same.
 *
 * 1. Order: start tags
 *
 * SFQ(D): P. Goyal, H. Vin, H. Cheng, "Start-time Fair Queuing", SIGCOMM 1996;
 * W. Jin, J. Chase, J. Kaur, "Interposed Proportional Sharing for a Storage
 * Service Utility", SIGMETRICS 2004.
 *
 * Each group has a start tag, the virtual time at which its next I/O is due. Dispatching an
 * I/O advances the tag by cost / weight, and the smallest tag goes next. The tag dispatched
 * last is the virtual time of the whole. A group that returns from idleness gets at least
 * that, so it accumulates no credit while idle:
 *
 *	tag = max(tag, vtime)		when a queue becomes backlogged
 *	vtime = tag, tag += cost/weight	when the I/O at its head is dispatched
 *
 * Example, weights A = 2, B = 1, each I/O costs 1, both are always backlogged:
 *
 *	tag of A   0   .5   .5   1    1    1.5  2
 *	tag of B   0   0    1    1    2    2    2
 *	goes       A   B    A    B    A    A    B ...	(of equal tags, either)
 *
 * In each unit of virtual time A gets two I/Os and B one. Let A stop at 2 and return when B
 * has reached 9: A's tag becomes 9, not 2. From then on it gets two I/Os of three again, and
 * nothing for the time it was idle.
 *
 * While two groups are both backlogged, neither gets ahead of the other by more than (depth
 * + 1) times the largest cost per weight of the two together:
 *
 *	|served A / weight A - served B / weight B|
 *		<= (depth + 1) * (cost A / weight A + cost B / weight B)
 *
 * At dispatch they are at most one I/O of each apart. The rest is I/O in flight, which may
 * complete in any order; "depth" includes what goes beyond it (see 3). The tests hold the
 * core to this, and compare it with a slow fluid reference.
 *
 * 2. Groups in groups, and what goes before turns
 *
 * A group's share may be divided again, among the groups below it and its own I/O, which
 * counts as one more child of weight 100. Each node keeps a virtual time for its children,
 * and the same rule holds at each level, from the root down to an I/O. So what a child does
 * not use goes to its siblings first. Siblings of class rt go before those of class be, and
 * these before those of class idle, whatever their tags.
 *
 * Limits take a group, and all below it, out of the order until they end (tree.c, terms.c);
 * one for reads or writes alone makes all that goes this way lag (vtime.h). Minimums and
 * latency targets go before all turns (promise.c). On a slow disk it may pay to wait for a
 * group (turn.c). Which of its own I/Os a group sends next is
 * decided inside the group (inner.c).
 *
 * 3. Depth
 *
 * What has been sent down can no longer be put in order, so no more is sent than keeps the
 * disk busy; the caller finds by trial how much that is (depth.c). An I/O of a group that is
 * behind when it arrives, because it asks for less than its share, does not wait for room:
 * some go beyond the depth. A group that always wants more is never behind when its I/O
 * arrives, so it keeps to the depth.
 *
 * A stripe has several disks, its legs. The depth is per leg, and so is the order: a group
 * has a tag at each leg, and what it gets at one advances all of them (charge.c).
 *
 * 4. Busy periods, and what must not wait
 *
 * While the disk takes all that comes, I/O bypasses the scheduler. When contention begins
 * the caller calls ioband_sched_restart(), and tags start afresh. All that still matters of
 * a group's past is what it has in flight at that moment: it is charged for that when it
 * joins.
 *
 * What must not wait for its group's turn the caller sends at once and reports by
 * ioband_charge(). The group is in debt, and its other I/O waits until the rest have caught
 * up.
 *
 * 5. Arithmetic
 *
 * One unit of cost at weight 1 is 2^16 of virtual time. The remainder of a division is
 * carried to the next one, so there is no drift however small the quotient is. Tags are
 * compared modulo 2^64, so one left behind by half of that would seem to be ahead: with
 * nanoseconds as cost, a group that was idle while another of weight 1 had the disk for 39
 * hours without a pause would not be served when it returns. A busy period therefore ends
 * when virtual time has come half that far, and another begins.
 */
#include "private.h"

/* For so long there is no slack after a group was behind when its I/O arrived. */
#define SLACK_NS	((u64)10 * NSEC_PER_MSEC)

/*
 * The child of @node whose turn it is at leg @nr; NULL if it is the turn of @node's own I/O,
 * which competes as one more child, or of none. Leaves of @ways those it may go: if each
 * direction has a place of its own, those of one.
 */
static struct ioband_node *first_child(const struct ioband_node *node, unsigned int nr,
				       u64 *ways)
{
	const struct ioband_leg *leg = &node->leg[nr];
	struct ioband_node *first = NULL, *child;
	enum ioband_dir dir, first_dir = IOBAND_DIRS;
	const struct ioband_vtime *time;
	u64 place, first_place = 0;

	for (time = leg->vtime; time < leg->vtime + IOBAND_CLASSES; time++) {
		for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++) {
			if (!(*ways & BIT_ULL(leg->facet[dir].way)) ||
			    !ioband_first_waiting(leg, time - leg->vtime, dir, &child, &place))
				continue;
			place = ioband_common(time, dir, place);
			if (first_dir != IOBAND_DIRS && !ioband_before(place, first_place))
				continue;
			first = child;
			first_dir = dir;
			first_place = place;
		}
		if (first_dir == IOBAND_DIRS)
			continue;
		if (!ioband_tag_is_one(first ? &first->leg[nr].tag : &leg->own, time))
			*ways &= ioband_ways_of(first_dir);
		break;
	}
	return first;
}

static void wake_timers(struct ioband_sched *sched, u64 now_ns)
{
	struct ioband_heap_node *first;

	if (sched->root.terms)
		ioband_squeeze_check(sched, now_ns);
	while ((first = ioband_heap_first(&sched->timers)) &&
	       !ioband_before(now_ns, first->key)) {
		ioband_node_update(sched, ioband_facet_node(first), now_ns);
	}
}

/**
 * ioband_sched_init - prepare a scheduler
 * @sched: uninitialised memory
 * @policy: what an I/O costs
 * @depth: I/Os that may be in flight to a leg, at least 1
 */
void ioband_sched_init(struct ioband_sched *sched,
		       const struct ioband_policy *policy, u32 depth)
{
	memset(sched, 0, sizeof(*sched));
	sched->policy = policy;
	sched->depth = depth;
	sched->enough = U32_MAX;
	sched->grant = 1;
	sched->refill = U32_MAX;
	ioband_node_init(&sched->root, IOBAND_WEIGHT_DEFAULT);
	sched->turn.quantum_ns = IOBAND_QUANTUM_NS;
	sched->turn.grace_ns = NSEC_PER_MSEC;
	sched->period = 1;
}

/**
 * ioband_sched_set_policy - change what an I/O costs
 * @sched: the scheduler, holding I/O or not
 * @policy: the new policy
 *
 * Tags that count I/Os and tags that count sectors cannot be compared, so all
 * start afresh; recent costs and strides likewise.
 */
void ioband_sched_set_policy(struct ioband_sched *sched, const struct ioband_policy *policy)
{
	struct ioband_node *root = &sched->root, *node;
	unsigned int leg;

	WRITE_ONCE(sched->policy, policy);
	sched->recent_cost = 0;
	for (node = root; node; node = ioband_node_after(node, root)) {
		node->unpaid = 0;
		for (leg = 0; leg < node->nr_legs; leg++)
			node->leg[leg].stride = 0;
	}
	ioband_sched_restart(sched);
}

/*
 * When an I/O of @node that goes @way is due, by all that others hold: less than 0, before
 * that, if at some level its group is behind, or goes first by its class, and at none it
 * is ahead; more than 0, after some of it, if at any level it is ahead, or others go first.
 * Where nobody else waits there is nothing to compare.
 */
static int order_of(const struct ioband_node *node, unsigned int way)
{
	unsigned int leg = ioband_way_leg(way);
	enum ioband_dir dir = ioband_way_dir(way);
	const struct ioband_vtime *time;
	enum ioband_class class;
	int order = 0;

	for (; node->parent; node = node->parent) {
		for (class = 0; class < IOBAND_CLASSES; class++) {
			if (!ioband_other_waits(node, leg * IOBAND_DIRS + IOBAND_READ, class) &&
			    !ioband_other_waits(node, leg * IOBAND_DIRS + IOBAND_WRITE, class))
				continue;
			time = ioband_vtime_of(node, leg);
			if (class < node->class ||
			    (class == node->class &&
			     ioband_is_ahead(&node->leg[leg].tag, time, dir)))
				return 1;
			if (class > node->class ||
			    ioband_is_behind(&node->leg[leg].tag, time, dir))
				order = -1;
		}
	}
	return order;
}

/**
 * ioband_hold - queue an I/O until its turn comes
 * @sched: the scheduler
 * @node: the I/O's group, joined
 * @io: the I/O, filled in by the caller except for node, limited_ns, graced_ns
 *	and because; it belongs to the core until ioband_next() or
 *	ioband_unhold() gives it back
 * @now_ns: the time
 */
void ioband_hold(struct ioband_sched *sched, struct ioband_node *node,
		 struct ioband_io *io, u64 now_ns)
{
	struct ioband_facet *facet = ioband_facet(node, ioband_way(io));
	bool was_empty = !node->held;

	sched->behind = NULL;
	if (was_empty) {
		if (order_of(node, ioband_way(io)) < 0) {
			sched->behind = node;
			sched->behind_ns = now_ns;
		}
		ioband_turn_back(sched, node, now_ns);
		ioband_promise_wanted(node, io->done_ns);
	}
	if (!ioband_holds_own(facet))
		ioband_place_own(node, ioband_way(io));
	ioband_inner_insert(node, io);
	WRITE_ONCE(sched->held, sched->held + 1);
	/* Who has a place keeps it, unless something was promised. */
	if (facet->state == IOBAND_FACET_EMPTY || node->terms)
		ioband_node_update(sched, node, now_ns);

	ioband_waits_begin(sched, node, io, was_empty, now_ns);
}

/**
 * ioband_may_pass - whether limits let an I/O go at once
 * @node: the I/O's group
 * @io: the I/O
 * @now_ns: the time
 *
 * Return: false if it must be held: for a limit, or because its group already
 * holds I/O of the same direction.
 */
bool ioband_may_pass(const struct ioband_node *node, const struct ioband_io *io, u64 now_ns)
{
	if (ioband_holds_own(ioband_facet(node, ioband_way(io))))
		return false;
	for (; node->parent; node = node->parent)
		if (node->terms &&
		    ioband_terms_open_ns(node->terms, io->dir, now_ns) != now_ns)
			return false;
	return true;
}

/* What goes at a limit above while so many units of @node do. */
static u64 scaled(u64 units, const struct ioband_node *node)
{
	return min_t(u64, mul_u64_u64_div_u64(units, node->parent->rivals, node->weight),
		     U32_MAX);
}

/**
 * ioband_due_ns - when limits will let go what comes after what a group holds
 * @sched: the scheduler
 * @node: the group
 * @dir: read or write
 * @ios: how many I/Os it holds
 * @sectors: their size
 * @now_ns: the time
 *
 * Of a limit above, the group gets its part by weight of those who took part in this busy
 * period.
 *
 * Return: the time, not before @now_ns.
 */
u64 ioband_due_ns(const struct ioband_sched *sched, const struct ioband_node *node,
		  enum ioband_dir dir, u64 ios, u64 sectors, u64 now_ns)
{
	u64 due_ns = now_ns, open_ns;

	for (; node->parent; node = node->parent) {
		if (node->terms) {
			open_ns = ioband_terms_due_ns(node->terms, dir, ios, sectors, now_ns);
			if (ioband_before(due_ns, open_ns))
				due_ns = open_ns;
		}
		if (!ioband_node_joined(sched, node))
			continue;
		ios = scaled(ios, node);
		sectors = scaled(sectors, node);
	}
	return due_ns;
}

/*
 * The last of @ways which @node or a group below has I/O for. It is at the leg to serve
 * now. This does not starve the other legs, since this one is soon full. Where groups
 * have turns, all I/O is for leg 0 but for what was held before they had: that goes
 * first.
 */
static unsigned int way_to_serve(const struct ioband_node *node, u64 ways)
{
	unsigned int way;

	for (way = ioband_nr_ways(node) - 1; way; way--)
		if (ways & BIT_ULL(way) && ioband_facet_has_io(ioband_facet(node, way)))
			break;
	return way;
}

/*
 * Descend from @node by class and tag to the group whose own I/O goes next. Each leg
 * has its own order, so @ways is reduced to those of one leg.
 */
static struct ioband_node *descend(struct ioband_node *node, u64 *ways)
{
	unsigned int leg = ioband_way_leg(way_to_serve(node, *ways));
	struct ioband_node *child;

	*ways &= ioband_ways_to(leg);
	while (!list_empty(&node->children) && (child = first_child(node, leg, ways))) {
		node = child;
		*ways &= node->ready;
	}
	return node;
}

/*
 * The group that goes next. Fills in the ways it may go, and @top, the node below
 * which it was chosen by tags, or NULL if it was not.
 */
static struct ioband_node *choose(struct ioband_sched *sched, u64 now_ns,
				  struct ioband_node **top, u64 *ways,
				  enum ioband_how *how)
{
	struct ioband_node *node, *target;
	u64 target_ways;

	*how = IOBAND_OUT_OF_TURN;
	*top = ioband_behind_minimum(sched, now_ns, ways);
	if (*top)
		return descend(*top, ways);
	node = ioband_near_deadline(sched, now_ns, ways);
	if (node)
		return node;
	*how = IOBAND_SAME_TURN;
	*top = ioband_turn_holder(sched, ways);
	if (*top)
		return descend(*top, ways);
	*how = IOBAND_BY_TAG;
	*top = &sched->root;
	*ways = ~(sched->full | ioband_shut(sched));
	node = descend(*top, ways);
	if (!ioband_shut(sched) || ioband_inner_pick(node, *ways, now_ns))
		return node;
	/* It is for the sake of groups with a target: their writes need not wait for it. */
	target = ioband_first_target(sched, now_ns, &target_ways);
	if (!target)
		return node;
	*how = IOBAND_OUT_OF_TURN;
	*top = NULL;
	*ways = target_ways;
	return target;
}

/*
 * Whether no leg has room: @depth I/Os are in flight to the only one, or all of several
 * are in @full. I/Os beyond the depth of one leg take no room at another.
 */
static bool is_full(const struct ioband_sched *sched, u32 in_flight, u64 depth, u64 full)
{
	if (sched->root.nr_legs == 1)
		return in_flight >= depth;
	return full == U64_MAX >> (64 - ioband_nr_ways(&sched->root));
}

/* How many I/Os may be at the disk. */
static u64 room(const struct ioband_sched *sched, u32 in_flight, u64 now_ns)
{
	if (ioband_turn_has_room(sched, in_flight))
		return U64_MAX;
	return now_ns - sched->behind_ns < SLACK_NS ? sched->depth :
						    (u64)sched->depth + sched->slack;
}

/*
 * The group that just queued an I/O and may exceed the depth, with the ways it may
 * go; or NULL. Hence the descent: it may have got children since, or the limit of one
 * may have ended.
 */
static struct ioband_node *take_behind(struct ioband_sched *sched, u32 in_flight, u64 now_ns,
				       u64 *ways)
{
	struct ioband_node *node = sched->behind;

	sched->behind = NULL;
	/* What is promised to others would never get room if there were always another. */
	if (is_full(sched, in_flight, (u64)sched->depth + sched->spare, sched->brim) ||
	    ioband_owes_others(sched, node, now_ns))
		return NULL;
	*ways = ioband_open_ways(node) & ~(sched->brim | ioband_shut(sched));
	return *ways && order_of(node, way_to_serve(node, *ways)) <= 0 ? descend(node, ways) : NULL;
}

/* Whether any I/O waits for its turn or room, but for what goes some ways. */
static bool is_ready_but(const struct ioband_sched *sched, u64 but)
{
	return ioband_has_io(&sched->root, ~(but | ioband_shut(sched)));
}

/*
 * Note when I/O begins to wait for room at the disk, or it has enough though none does, and
 * when that ends. While writes are shut out it does not have all there is for it. Where
 * all I/Os of a round complete at once, none may wait until the next have come; that is
 * part of what the round takes.
 */
static void note_backlog(struct ioband_sched *sched, u32 in_flight, u64 now_ns)
{
	struct ioband_backlog *backlog = &sched->backlog;
	bool has_enough = is_ready_but(sched, sched->backed_up) ||
			  (in_flight >= sched->enough && !ioband_shut(sched));

	backlog->there = in_flight + sched->held;
	if (has_enough == (bool)backlog->since_ns)
		return;
	if (!backlog->since_ns) {
		if (now_ns - backlog->until_ns > sched->service_ns) {
			backlog->until_ns = now_ns;
			backlog->until_ios = sched->sent_ios;
			backlog->until_sectors = sched->sent_sectors;
		}
		backlog->since_ns = backlog->until_ns;
		backlog->ios -= backlog->until_ios;
		backlog->sectors -= backlog->until_sectors;
		return;
	}
	backlog->ns += now_ns - backlog->since_ns;
	backlog->ios += sched->sent_ios;
	backlog->sectors += sched->sent_sectors;
	backlog->since_ns = 0;
	backlog->until_ns = now_ns;
	backlog->until_ios = sched->sent_ios;
	backlog->until_sectors = sched->sent_sectors;
}

/* An I/O of a group is no longer held, but goes. */
static void take(struct ioband_sched *sched, struct ioband_node *node, struct ioband_io *io,
		 u64 now_ns)
{
	ioband_inner_take(node, io);
	WRITE_ONCE(sched->held, sched->held - 1);
	ioband_waits_end(sched, node, io, now_ns);
}

/**
 * ioband_next - dequeue the I/O whose turn it is
 * @sched: the scheduler
 * @in_flight: I/Os at the disk now, on all legs together
 * @now_ns: the time
 *
 * Call it when an I/O has been queued, when one completes, and when the time of
 * ioband_timer() has come, each time until it returns %NULL. The order is: a
 * group that has just queued an I/O and is behind, one that falls behind its
 * minimum, one that would miss its latency target, one whose turn goes on, then
 * by class and start tag from the root down.
 *
 * Return: the I/O to send down now, or %NULL if none may go.
 */
struct ioband_io *ioband_next(struct ioband_sched *sched, u32 in_flight, u64 now_ns)
{
	struct ioband_node *node = NULL, *top = &sched->root;
	enum ioband_how how = IOBAND_BY_TAG;
	struct ioband_io *io;
	bool is_behind = true;
	u64 ways;

	wake_timers(sched, now_ns);
	/* What went out of turn meanwhile has ended it. */
	if (in_flight > ioband_last_place(sched))
		ioband_turn_stop(sched, now_ns);
	if (sched->behind)
		node = take_behind(sched, in_flight, now_ns, &ways);
	if (!node) {
		if (is_full(sched, in_flight, room(sched, in_flight, now_ns), sched->full)) {
			note_backlog(sched, in_flight, now_ns);
			return NULL;
		}
		node = choose(sched, now_ns, &top, &ways, &how);
		is_behind = false;
	}
	io = ioband_inner_pick(node, ways, now_ns);
	if (!io) {
		/* It is no grace if no other I/O could go. */
		ioband_turn_stop(sched, now_ns);
		note_backlog(sched, in_flight, now_ns);
		return NULL;
	}
	if (how != IOBAND_OUT_OF_TURN) {
		if (in_flight == ioband_last_place(sched) &&
		    ioband_turn_waits(sched, node, now_ns)) {
			note_backlog(sched, in_flight, now_ns);
			return NULL;
		}
		ioband_turn_taken(sched, node, how == IOBAND_SAME_TURN);
	}

	if (!is_behind)
		sched->went_ns = now_ns;
	take(sched, node, io, now_ns);
	io->cost = ioband_count(sched, node, io);
	ioband_path_charge(sched, node, io, io->cost, top, how, now_ns);
	if (how == IOBAND_BY_TAG)
		ioband_grant(sched, node);
	return io;
}

/**
 * ioband_next_own - dequeue an I/O of a group whose task has come, if it may go on
 * @sched: the scheduler
 * @node: the group, to which ioband_hold() has just added one
 * @in_flight: I/Os at the disk now
 * @now_ns: the time
 *
 * Return: the I/O to send down, in a place that is free and before all others; or %NULL
 * if it is for ioband_next() to say what goes.
 */
struct ioband_io *ioband_next_own(struct ioband_sched *sched, struct ioband_node *node,
				  u32 in_flight, u64 now_ns)
{
	struct ioband_io *io;

	if (!node->granted || sched->grant <= 1 || in_flight >= room(sched, in_flight, now_ns) ||
	    ioband_owes_others(sched, node, now_ns))
		return NULL;
	if (node->gives) {
		node->gives = false;
		return NULL;
	}
	io = ioband_inner_pick(node, ioband_open_ways(node) & ~(sched->full | ioband_shut(sched)),
			       now_ns);
	if (!io)
		return NULL;
	sched->behind = NULL;
	sched->went_ns = now_ns;
	take(sched, node, io, now_ns);
	node->unpaid += ioband_count(sched, node, io);
	if (!--node->granted)
		ioband_grant_used(sched, node, io, now_ns);
	else if (!ioband_holds_own(ioband_facet(node, ioband_way(io))))
		ioband_node_update(sched, node, now_ns);
	if (!sched->backlog.since_ns == (sched->held || in_flight >= sched->enough))
		note_backlog(sched, in_flight, now_ns);
	return io;
}

/**
 * ioband_unhold - dequeue a held I/O without charging it
 * @sched: the scheduler
 * @node: the group that holds it
 * @io: the I/O
 * @now_ns: the time
 */
void ioband_unhold(struct ioband_sched *sched, struct ioband_node *node,
		   struct ioband_io *io, u64 now_ns)
{
	ioband_inner_erase(node, io);
	if (sched->behind == node)
		sched->behind = NULL;
	WRITE_ONCE(sched->held, sched->held - 1);
	ioband_waits_end(sched, node, io, now_ns);
	ioband_node_update(sched, node, now_ns);
	note_backlog(sched, 0, now_ns);
}

/**
 * ioband_first_held - find any I/O that a group itself holds
 * @node: the group
 *
 * Return: the I/O, or %NULL if it holds none.
 */
struct ioband_io *ioband_first_held(const struct ioband_node *node)
{
	struct ioband_io *io = NULL;
	unsigned int way;

	for (way = 0; !io && way < ioband_nr_ways(node); way++)
		io = ioband_first_io(&ioband_facet(node, way)->held[false]) ?:
		     ioband_first_io(&ioband_facet(node, way)->held[true]);
	return io;
}

/**
 * ioband_blocked_ns - for how long there has been no room, and I/O has waited for it
 * @sched: the scheduler
 * @now_ns: the time
 *
 * What may go beyond the depth does not count.
 */
u64 ioband_blocked_ns(const struct ioband_sched *sched, u64 now_ns)
{
	u64 since_ns = sched->backlog.since_ns;

	if (!since_ns || !ioband_is_ready(sched))
		return 0;
	if (ioband_before(since_ns, sched->went_ns))
		since_ns = sched->went_ns;
	return now_ns - since_ns;
}

/**
 * ioband_due_ppm - the share of the disk that is due to a group by weight
 * @sched: the scheduler
 * @node: the group
 *
 * The disk is divided among the groups that wanted any since contention began.
 * Classes and whatever else takes precedence over weights are ignored.
 *
 * Return: parts per million, 0 if the group wanted none.
 */
u64 ioband_due_ppm(const struct ioband_sched *sched, const struct ioband_node *node)
{
	u64 ppm = 1000000;

	for (; node->parent; node = node->parent) {
		u64 rivals = node->parent->rivals, rest;

		if (!ioband_node_joined(sched, node))
			return 0;
		ppm = div64_u64_rem(ppm * node->weight, rivals, &rest);
	}
	return ppm;
}

/**
 * ioband_got_ppm - the share of the disk that a group got, those below included
 * @sched: the scheduler
 * @node: the group
 *
 * Return: parts per million of all that was served since contention began.
 */
u64 ioband_got_ppm(const struct ioband_sched *sched, const struct ioband_node *node)
{
	s64 served = node->served, all = sched->root.served;

	/* Below 0 if I/O from before contention began was charged too much. */
	if (!ioband_node_joined(sched, node) || served <= 0 || all <= 0)
		return 0;
	return mul_u64_u64_div_u64(min(served, all), 1000000, all);
}

/**
 * ioband_is_ready - whether any I/O waits for its turn or room, not for a limit or the
 *	squeeze
 * @sched: the scheduler
 */
bool ioband_is_ready(const struct ioband_sched *sched)
{
	return is_ready_but(sched, 0);
}

/* Whether there is a time @at_ns; if it is the first, or the only one, it counts. */
static bool is_sooner(bool is_there, u64 at_ns, bool any, u64 *expires_ns)
{
	if (is_there && (!any || ioband_before(at_ns, *expires_ns)))
		*expires_ns = at_ns;
	return is_there;
}

/**
 * ioband_timer - when to call ioband_next() even if nothing completes
 * @sched: the scheduler
 * @expires_ns: filled in: that time
 *
 * Return: false if there is no such time.
 */
bool ioband_timer(const struct ioband_sched *sched, u64 *expires_ns)
{
	const struct ioband_heap_node *first = ioband_heap_first(&sched->timers);
	bool any = first;

	*expires_ns = first ? first->key : 0;
	any |= is_sooner(sched->turn.since_ns, sched->turn.until_ns, any, expires_ns);
	any |= is_sooner(sched->squeeze.is_shut, sched->squeeze.open_ns, any, expires_ns);
	return any;
}
