// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns and grace: on a disk that is slow, when to hold back I/O that could be sent.
 *
 * Grace. A task that reads one block after the other has nothing to send for a
 * moment after each. A group with a queue gets its place then. On a disk with one slot
 * the reader gets at most every second turn, whatever its weight (S. Iyer,
 * P. Druschel, "Anticipatory scheduling: a disk scheduling framework to overcome
 * deceptive idleness in synchronous I/O", SOSP 2001); with more slots each read waits
 * until one is done. So a place is kept free for the reader for a moment, if
 *
 *	- it comes back soon: its think time is short and varies little;
 *	- it is owed: with an I/O queued, it would be its turn;
 *	- it matters: no other place is free, and other I/O would be sent.
 *
 * The price is the reader's think time, for one place; where there are no turns, at most
 * an eighth of the time.
 *
 * Turns. On a disk that seeks, alternating between two sequential readers turns all
 * of their I/O into seeks. Under policy weight-time a group therefore keeps the disk
 * until its quantum is used up. Within the turn a stream, the I/O of one task, keeps
 * it for as long as that is cheap: a task that reads at random seeks anyhow, and
 * takes turns with the other streams of its group. What it, or then its group, has
 * outstanding may all be at the disk, for a drive to sort; no other turn begins before all
 * of that is done. Between the I/Os of a stream the disk is kept free as above. This falls
 * into the group's own turn and is charged to no group, since only the time that the disk
 * is at work counts. Start tags order the turns, and the streams in a group.
 */
#include "private.h"

/* Where there are no turns, grace takes at most 1/GRACE_PART of the time. */
#define GRACE_PART		8

/* The time allowed for a wait is at least 1/GRACE_LEAST of the longest grace. */
#define GRACE_LEAST		8

/* A stream is cheap if more than this many of its I/Os fit into a quantum. */
#define CHEAP_IOS		8

/* A pause this long is no think time: the task was idle. */
#define THINK_MAX_NS		((u64)100 * NSEC_PER_MSEC)

/**
 * ioband_turn_stop - stop keeping the disk free
 * @sched: the scheduler
 * @now_ns: the time; a completion may be older than the decision to wait
 */
void ioband_turn_stop(struct ioband_sched *sched, u64 now_ns)
{
	struct ioband_turn *turn = &sched->turn;
	u64 rest;

	if (turn->since_ns && ioband_before(turn->since_ns, now_ns)) {
		/* Of several places it is one. */
		sched->graced_ns += div64_u64_rem(now_ns - turn->since_ns,
						  (u64)ioband_last_place(sched) + 1, &rest);
		if (!turn->group)
			turn->spent_ns += now_ns - turn->since_ns;
	}
	turn->since_ns = 0;
}

/**
 * ioband_turn_begin - begin a busy period, in which no group has the disk yet
 * @sched: the scheduler
 */
void ioband_turn_begin(struct ioband_sched *sched)
{
	struct ioband_turn *turn = &sched->turn;

	turn->group = NULL;
	turn->stream = NULL;
	turn->last = NULL;
	turn->since_ns = 0;
	turn->began_ns = 0;
	turn->spent_ns = 0;
}

static bool has_turns(const struct ioband_sched *sched)
{
	return sched->turn.is_serial && sched->policy->by_time;
}

static struct ioband_node *group_of(struct ioband_node *node)
{
	return node->is_stream ? node->parent : node;
}

/* Whether the stream that had the disk goes before the others of its group. */
static bool stream_goes_on(const struct ioband_turn *turn)
{
	return turn->stream &&
	       turn->stream->cost_ns * CHEAP_IOS < turn->quantum_ns;
}

/**
 * ioband_turn_holder - find the stream or group whose turn goes on
 * @sched: the scheduler
 * @ways: filled in: the ways it may go
 *
 * Return: a stream, or a group of which any stream may be next, with I/O that may
 * go; or %NULL if a new turn begins.
 */
struct ioband_node *ioband_turn_holder(const struct ioband_sched *sched, u64 *ways)
{
	const struct ioband_turn *turn = &sched->turn;
	u64 shut = sched->full | ioband_shut(sched);

	if (!has_turns(sched) || !turn->group || turn->used_ns >= turn->quantum_ns)
		return NULL;
	if (stream_goes_on(turn)) {
		*ways = ioband_open_ways(turn->stream) & ~shut;
		if (*ways)
			return turn->stream;
	}
	*ways = ioband_open_ways(turn->group) & ~shut;
	return *ways ? turn->group : NULL;
}

/**
 * ioband_turn_has_room - whether the stream that has the disk may send more at once
 * @sched: the scheduler
 * @in_flight: I/Os at the disk
 */
bool ioband_turn_has_room(const struct ioband_sched *sched, u32 in_flight)
{
	const struct ioband_turn *turn = &sched->turn;

	return in_flight < turn->at_once && has_turns(sched) && turn->stream &&
	       turn->used_ns < turn->quantum_ns &&
	       in_flight * turn->stream->cost_ns < 2 * turn->quantum_ns &&
	       ioband_open_ways(stream_goes_on(turn) ? turn->stream : turn->group) &
	       ~(sched->full | ioband_shut(sched));
}

/* Whether any other group has I/O that may go. */
static bool has_rival(const struct ioband_node *node)
{
	enum ioband_class class;
	unsigned int way;

	for (; node->parent; node = node->parent)
		for (way = 0; way < ioband_nr_ways(node->parent); way++)
			for (class = 0; class < IOBAND_CLASSES; class++)
				if (ioband_other_waits(node, way, class))
					return true;
	return false;
}

/**
 * ioband_turn_taken - note whose I/O was chosen, by tags or because a turn goes on
 * @sched: the scheduler
 * @node: the group or stream
 * @goes_on: its turn goes on
 */
void ioband_turn_taken(struct ioband_sched *sched, struct ioband_node *node, bool goes_on)
{
	struct ioband_turn *turn = &sched->turn;

	if (!has_turns(sched)) {
		turn->group = NULL;
		turn->stream = NULL;
		return;
	}
	/*
	 * A group that is still behind when its turn is over goes on until it is
	 * not, but gets no second turn: the others would wait for all of that.
	 */
	if (!goes_on && (turn->group != group_of(node) || !has_rival(group_of(node))))
		turn->used_ns = 0;
	turn->group = group_of(node);
	turn->stream = node;
}

/* Update mean and mean deviation of think time, as TCP does for round trips. */
static void note_think(struct ioband_node *node, u64 think_ns)
{
	s64 error_ns = (s64)think_ns - node->think_ns;

	if (!node->think_ns && !node->think_off_ns) {
		node->think_ns = think_ns;
		node->think_off_ns = think_ns / 2;
		return;
	}
	node->think_ns += error_ns / 8;
	if (error_ns < 0)
		error_ns = -error_ns;
	node->think_off_ns += (error_ns - node->think_off_ns) / 4;
}

/**
 * ioband_turn_back - note that a group or stream that held nothing has an I/O again
 * @sched: the scheduler
 * @node: the group or stream
 * @now_ns: the time
 */
void ioband_turn_back(struct ioband_sched *sched, struct ioband_node *node, u64 now_ns)
{
	u64 think_ns = now_ns - node->done_ns;

	if (!node->done_ns)
		return;
	if (think_ns < THINK_MAX_NS)
		note_think(node, think_ns);
	node->done_ns = 0;
	if (sched->turn.last == node) {
		ioband_turn_stop(sched, now_ns);
		sched->turn.last = NULL;
	}
}

/* Find siblings above two nodes, or the nodes themselves; the same if one is below the other. */
static void find_siblings(const struct ioband_node **a, const struct ioband_node **b)
{
	const struct ioband_node *n, *m = *b;

	for (n = *a; n->parent; n = n->parent) {
		for (m = *b; m->parent && m->parent != n->parent; m = m->parent)
			;
		if (m->parent)
			break;
	}
	*a = n;
	*b = m;
}

/* Whether it would be the turn of @node, not of @next, if @node had an I/O here. */
static bool is_owed(const struct ioband_node *node, const struct ioband_node *next)
{
	const struct ioband_vtime *time;
	struct ioband_tag tag;

	find_siblings(&node, &next);
	if (node == next)
		return false;
	if (node->class != next->class)
		return node->class < next->class;
	/* Where there is grace there is one leg, or one order for all. */
	time = ioband_vtime_of(node, 0);
	tag = node->leg[0].tag;
	ioband_tag_raise(&tag, time, 0);
	return ioband_before(ioband_place_first(&tag, time),
			     ioband_place_first(&next->leg[0].tag, time));
}

/*
 * How long it is worth waiting for @node; 0: not at all. Giving up a moment too early
 * costs a seek, or a place in the order, so a task may take somewhat longer than
 * usual, for a page fault or a tick of the clock.
 */
static u64 patience_ns(const struct ioband_turn *turn, const struct ioband_node *node)
{
	u64 likely_ns = node->think_ns + (u64)2 * node->think_off_ns;

	if (!likely_ns || likely_ns > turn->grace_ns)
		return 0;
	return clamp(2 * likely_ns, turn->grace_ns / GRACE_LEAST, turn->grace_ns);
}

static bool may_wait(const struct ioband_sched *sched,
		     const struct ioband_node *next, u64 now_ns)
{
	const struct ioband_turn *turn = &sched->turn;
	struct ioband_node *group = group_of(turn->last);

	if (has_turns(sched) && turn->group == group && turn->used_ns < turn->quantum_ns)
		return turn->stream == turn->last &&
		       (stream_goes_on(turn) || !group->ready || is_owed(turn->last, next));
	return turn->spent_ns * GRACE_PART < now_ns - turn->began_ns &&
	       is_owed(turn->last, next);
}

/**
 * ioband_turn_waits - whether to keep the last place free now
 * @sched: the scheduler
 * @next: the group or stream that would go otherwise
 * @now_ns: the time
 *
 * Return: true until the awaited I/O is there or @sched->turn.until_ns has come.
 */
bool ioband_turn_waits(struct ioband_sched *sched, const struct ioband_node *next, u64 now_ns)
{
	struct ioband_turn *turn = &sched->turn;
	u64 wait_ns;

	if (!turn->began_ns)
		turn->began_ns = now_ns;
	if (!turn->last)
		goto give_up;
	wait_ns = patience_ns(turn, turn->last);
	if (!wait_ns || !may_wait(sched, next, now_ns))
		goto give_up;
	/* The last I/O may have completed after the caller read the clock. */
	if (!ioband_before(now_ns, turn->last->done_ns + wait_ns)) {
		/* It did not come back in time: trust it less. */
		note_think(turn->last, 2 * wait_ns);
		goto give_up;
	}
	/* What it took so far counts at once: others go meanwhile, and are measured. */
	ioband_turn_stop(sched, now_ns);
	turn->since_ns = now_ns;
	turn->until_ns = turn->last->done_ns + wait_ns;
	return true;

give_up:
	ioband_turn_stop(sched, now_ns);
	turn->last = NULL;
	return false;
}

/* How far a tag moves on for @cost, or back if that is negative. */
static u64 correction(u32 *rest, s64 cost, u32 weight)
{
	u64 step = ioband_step(rest, cost < 0 ? -cost : cost, weight);

	return cost < 0 ? -step : step;
}

/* What lags moves on only for what goes its way, as when that was charged. */
static void tag_settle(struct ioband_tag *tag, const struct ioband_vtime *time, u32 dirs,
		       u64 step)
{
	enum ioband_dir dir;

	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++)
		if (dirs & BIT(dir) || ioband_lag(time, dir) <= 0)
			tag->start[dir] += step;
}

/* Correct tags by what I/O cost beyond its charge; negative if it cost less. */
static void settle(struct ioband_sched *sched, struct ioband_node *node, u32 dirs,
		   s64 cost, u64 now_ns)
{
	unsigned int leg;
	u64 step;

	sched->root.served += cost;
	if (!list_empty(&node->children) && ioband_node_joined(sched, node)) {
		step = correction(&node->own_rest, cost, IOBAND_WEIGHT_DEFAULT);
		for (leg = 0; leg < node->nr_legs; leg++)
			tag_settle(&node->leg[leg].own, &node->leg[leg].vtime[IOBAND_BE],
				   dirs, step);
	}
	for (; node->parent && ioband_node_joined(sched, node); node = node->parent) {
		step = correction(&node->rest, cost, node->weight);
		for (leg = 0; leg < node->nr_legs; leg++)
			tag_settle(&node->leg[leg].tag, ioband_vtime_of(node, leg), dirs,
				   step);
		node->served += cost;
		ioband_node_resort(sched, node, now_ns);
	}
}

/**
 * ioband_done - tell the scheduler that the disk has completed I/O
 * @sched: the scheduler
 * @node: the group or stream it is of, in the tree
 * @ios: how many I/Os, at least 1
 * @dirs: which way they went, a bit for each direction
 * @used_ns: how long the disk worked for them
 * @charged_ns: what was charged for them when they were dispatched
 * @is_sync: a task waits for the last of them
 * @now_ns: when that completed
 *
 * Call it before ioband_next() where @turn.has_grace is set or the policy is by
 * time.
 */
void ioband_done(struct ioband_sched *sched, struct ioband_node *node, u32 ios,
		 u32 dirs, u64 used_ns, u64 charged_ns, bool is_sync, u64 now_ns)
{
	struct ioband_turn *turn = &sched->turn;

	if (sched->policy->by_time) {
		node->cost_ns += ((s64)(used_ns / ios) - (s64)node->cost_ns) / 8;
		settle(sched, node, dirs, (s64)used_ns - (s64)charged_ns, now_ns);
		if (turn->group == group_of(node))
			turn->used_ns += used_ns;
	}
	is_sync &= !node->held;
	if (is_sync)
		node->done_ns = now_ns;
	/* One place is kept at a time. Who is not waited for takes it from nobody. */
	if (turn->last && turn->last != node &&
	    (turn->since_ns ? ioband_before(now_ns, turn->until_ns) :
			      !is_sync && !has_turns(sched)))
		return;
	ioband_turn_stop(sched, now_ns);
	turn->last = is_sync ? node : NULL;
}
