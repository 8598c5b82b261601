// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns and grace: on a disk that does one thing at a time, when not to send what
 * could be sent.
 *
 * Grace. A task that reads one block after the other has nothing to send for a
 * moment each time it got one. On a disk with one slot, whoever has a queue gets
 * in then, and the reader never gets more than every second turn, whatever its
 * weight (S. Iyer, P. Druschel, "Anticipatory scheduling: a disk scheduling
 * framework to overcome deceptive idleness in synchronous I/O", SOSP 2001). So the
 * disk is kept free for it for a moment, if
 *
 *	- it comes back soon: its thinking is short, and always about as short;
 *	- it is owed: with an I/O here, it would be its turn;
 *	- it matters: nothing is at the disk, and somebody else would take it.
 *
 * This costs what the reader thinks, and where there are no turns no more than an
 * eighth of the time.
 *
 * Turns. Where the disk has to seek, to change after each I/O between two who read
 * one after the other makes seeks of both. Under policy weight-time a group
 * therefore keeps the disk until its quantum is used up, and in it a stream, the
 * I/O of one task, as long as that is cheap: a task that reads here and there seeks
 * anyhow, and takes turns with the others of its group. The disk is kept free
 * between the I/Os of a stream as above. That is within the group's own turn and
 * charged to nobody: what counts is the time the disk is at work. The order of
 * turns is that of start tags, and that of the streams in a group is, too.
 */
#include "ioband-inner.h"
#include "ioband-tree.h"
#include "ioband-turn.h"

/* Grace outside turns is at most this part of the time. */
#define GRACE_PART		8

/* Whoever is waited for is for at least this part of the longest grace. */
#define GRACE_LEAST		8

/* An I/O is cheap if so many are done within a quantum. */
#define CHEAP_IOS		8

/* Who stays away so long has not been thinking, he was away. */
#define THINK_MAX_NS		((u64)100 * NSEC_PER_MSEC)

/**
 * ioband_turn_init - nobody has the disk
 * @turn: uninitialised memory
 */
void ioband_turn_init(struct ioband_turn *turn)
{
	memset(turn, 0, sizeof(*turn));
	turn->quantum_ns = IOBAND_QUANTUM_NS;
	turn->grace_ns = NSEC_PER_MSEC;
}

/**
 * ioband_turn_stop - the disk is not kept free any longer
 * @sched: the scheduler
 * @now_ns: the time; a completion may be older than the decision to wait
 */
void ioband_turn_stop(struct ioband_sched *sched, u64 now_ns)
{
	struct ioband_turn *turn = &sched->turn;

	if (turn->since_ns && ioband_before(turn->since_ns, now_ns)) {
		sched->graced_ns += now_ns - turn->since_ns;
		if (!turn->group)
			turn->spent_ns += now_ns - turn->since_ns;
	}
	turn->since_ns = 0;
}

/**
 * ioband_turn_begin - a busy period begins
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

/**
 * ioband_turn_forget - a group or stream leaves the tree
 * @sched: the scheduler
 * @node: the group or stream
 */
void ioband_turn_forget(struct ioband_sched *sched,
			const struct ioband_node *node)
{
	struct ioband_turn *turn = &sched->turn;

	if (turn->group == node)
		turn->group = NULL;
	if (turn->stream == node)
		turn->stream = NULL;
	if (turn->last == node)
		turn->last = NULL;
}

static bool has_turns(const struct ioband_sched *sched)
{
	return sched->turn.is_serial && sched->policy->by_time;
}

static struct ioband_node *group_of(struct ioband_node *node)
{
	return node->is_stream ? node->parent : node;
}

/* Whether the others of its group have to wait for the stream that had the disk. */
static bool stream_goes_on(const struct ioband_turn *turn)
{
	return turn->stream &&
	       turn->stream->cost_ns * CHEAP_IOS < turn->quantum_ns;
}

/**
 * ioband_turn_holder - who goes on, if anybody does
 * @sched: the scheduler
 * @ways: filled in: the ways he may go
 *
 * Return: a stream, or a group of which any stream may be next, that has I/O that
 * may go; or %NULL if a new turn begins.
 */
struct ioband_node *ioband_turn_holder(const struct ioband_sched *sched,
				       u32 *ways)
{
	const struct ioband_turn *turn = &sched->turn;

	if (!has_turns(sched) || !turn->group ||
	    turn->used_ns >= turn->quantum_ns)
		return NULL;
	if (stream_goes_on(turn)) {
		*ways = ioband_open_ways(turn->stream) & ~sched->full;
		if (*ways)
			return turn->stream;
	}
	*ways = ioband_open_ways(turn->group) & ~sched->full;
	return *ways ? turn->group : NULL;
}

static bool is_alone(const struct ioband_node *node, unsigned int way)
{
	const struct ioband_facet *above = ioband_facet(node->parent, way);
	struct ioband_heap_node *first;
	unsigned int class;

	for (class = 0; class < IOBAND_CLASSES; class++) {
		first = ioband_heap_first(&above->ready[class]);
		if (first && (ioband_facet_node(first) != node || first->child))
			return false;
	}
	return !ioband_holds_own(above);
}

/* Whether any other group has something to send. */
static bool has_rival(const struct ioband_node *node)
{
	unsigned int way;

	for (; node->parent; node = node->parent)
		for (way = 0; way < ioband_nr_ways(node->parent); way++)
			if (!is_alone(node, way))
				return true;
	return false;
}

/**
 * ioband_turn_taken - an I/O was chosen by turn
 * @sched: the scheduler
 * @node: the group or stream it is of
 * @goes_on: the group goes on with its turn
 */
void ioband_turn_taken(struct ioband_sched *sched, struct ioband_node *node,
		       bool goes_on)
{
	struct ioband_turn *turn = &sched->turn;

	if (!has_turns(sched)) {
		turn->group = NULL;
		turn->stream = NULL;
		return;
	}
	/*
	 * Who is still behind the others when his turn is over goes on until he
	 * is not, but has no second turn: they would wait for all of that.
	 */
	if (!goes_on && (turn->group != group_of(node) || !has_rival(group_of(node))))
		turn->used_ns = 0;
	turn->group = group_of(node);
	turn->stream = node;
}

/* Mean and mean deviation, as of a round trip. */
static void note_think(struct ioband_node *node, u64 think_ns)
{
	s64 error_ns = think_ns - node->think_ns;

	if (!node->think_ns && !node->think_off_ns) {
		node->think_ns = think_ns;
		node->think_off_ns = think_ns / 2;
		return;
	}
	node->think_ns += error_ns / 8;
	if (error_ns < 0)
		error_ns = -error_ns;
	node->think_off_ns += (error_ns - (s64)node->think_off_ns) / 4;
}

/**
 * ioband_turn_back - a group or stream that held nothing has an I/O again
 * @sched: the scheduler
 * @node: the group or stream
 * @now_ns: the time
 */
void ioband_turn_back(struct ioband_sched *sched, struct ioband_node *node,
		      u64 now_ns)
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

/* Whether with an I/O here it would be the turn of @node, and not of @next. */
static bool is_owed(const struct ioband_node *node,
		    const struct ioband_node *next)
{
	const struct ioband_node *n;
	int levels = 0;
	u64 start, vtime;

	for (n = node; n->parent; n = n->parent)
		levels++;
	for (n = next; n->parent; n = n->parent)
		levels--;
	for (; levels > 0; levels--)
		node = node->parent;
	for (; levels < 0; levels++)
		next = next->parent;
	/* One above the other: they are of a kind. */
	if (node == next)
		return false;
	while (node->parent != next->parent) {
		node = node->parent;
		next = next->parent;
	}
	if (node->class != next->class)
		return node->class < next->class;
	/* Kept free is what does one thing at a time: that has one leg, or one order. */
	start = node->leg[0].start;
	vtime = *ioband_vtime_of(node, 0);
	if (ioband_before(start, vtime))
		start = vtime;
	return ioband_before(start, next->leg[0].start);
}

/*
 * How long it is worth waiting for @node; 0: not at all. To give up a moment too
 * early costs a seek, or a place in the order: who thinks a moment longer than he
 * is used to, for a page that was not there or a tick of the clock, may.
 */
static u64 patience_ns(const struct ioband_turn *turn,
		       const struct ioband_node *node)
{
	u64 likely_ns = node->think_ns + 2 * node->think_off_ns;

	if (!likely_ns || likely_ns > turn->grace_ns)
		return 0;
	return clamp(2 * likely_ns, turn->grace_ns / GRACE_LEAST, turn->grace_ns);
}

static bool may_wait(const struct ioband_sched *sched,
		     const struct ioband_node *next, u64 now_ns)
{
	const struct ioband_turn *turn = &sched->turn;
	struct ioband_node *group = group_of(turn->last);

	if (has_turns(sched) && turn->group == group &&
	    turn->used_ns < turn->quantum_ns)
		return turn->stream == turn->last &&
		       (stream_goes_on(turn) || !group->ready ||
			is_owed(turn->last, next));
	return turn->spent_ns * GRACE_PART < now_ns - turn->began_ns &&
	       is_owed(turn->last, next);
}

/**
 * ioband_turn_waits - whether the disk is to be kept free now
 * @sched: the scheduler, nothing at the disk
 * @next: who would go otherwise
 * @now_ns: the time
 *
 * Return: true until the I/O that is waited for is there or
 * @sched->turn.until_ns has come.
 */
bool ioband_turn_waits(struct ioband_sched *sched,
		       const struct ioband_node *next, u64 now_ns)
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
	/* It may have been done after whoever asks has taken the time. */
	if (!ioband_before(now_ns, turn->last->done_ns + wait_ns)) {
		/* It did not come: it will be trusted less. */
		note_think(turn->last, 2 * wait_ns);
		goto give_up;
	}
	if (!turn->since_ns)
		turn->since_ns = now_ns;
	turn->until_ns = turn->last->done_ns + wait_ns;
	return true;

give_up:
	ioband_turn_stop(sched, now_ns);
	turn->last = NULL;
	return false;
}

/* What to add to tags for what an I/O took besides, or took less. */
static u64 correction(u32 *rest, s64 cost, u32 weight)
{
	u64 step = ioband_step(rest, cost < 0 ? -cost : cost, weight);

	return cost < 0 ? -step : step;
}

/* What an I/O took besides what was charged for it, or less than that. */
static void settle(struct ioband_sched *sched, struct ioband_node *node,
		   s64 cost)
{
	unsigned int leg;
	u64 step;

	sched->root.served += cost;
	if (!list_empty(&node->children) && ioband_node_joined(sched, node)) {
		step = correction(&node->own_rest, cost, IOBAND_WEIGHT_DEFAULT);
		for (leg = 0; leg < node->nr_legs; leg++)
			node->leg[leg].own_start += step;
	}
	for (; node->parent && ioband_node_joined(sched, node);
	     node = node->parent) {
		step = correction(&node->rest, cost, node->weight);
		for (leg = 0; leg < node->nr_legs; leg++)
			node->leg[leg].start += step;
		node->served += cost;
		ioband_node_rekey(node);
	}
}

/**
 * ioband_done - the disk is done with I/O of a group
 * @sched: the scheduler
 * @node: the group or stream, in the tree
 * @ios: how many
 * @used_ns: how long the disk was at work for it
 * @charged_ns: what was charged for it when it went
 * @is_sync: somebody waits for it
 * @now_ns: the time at which it was done
 *
 * To be called where @turn.is_serial is set or the policy is by time, before
 * ioband_next() is.
 */
void ioband_done(struct ioband_sched *sched, struct ioband_node *node, u32 ios,
		 u64 used_ns, u64 charged_ns, bool is_sync, u64 now_ns)
{
	struct ioband_turn *turn = &sched->turn;

	if (sched->policy->by_time) {
		node->cost_ns += ((s64)(used_ns / ios) - (s64)node->cost_ns) / 8;
		settle(sched, node, (s64)used_ns - (s64)charged_ns);
		if (turn->group == group_of(node))
			turn->used_ns += used_ns;
	}
	ioband_turn_stop(sched, now_ns);
	turn->last = NULL;
	if (!is_sync || node->held)
		return;
	node->done_ns = now_ns;
	turn->last = node;
}
