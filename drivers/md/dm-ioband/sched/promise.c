// SPDX-License-Identifier: GPL-2.0-only
/*
 * Minimums and latency targets: two heaps beside the tree. The first group of
 * either goes before all turns once its time has come.
 */
#include "private.h"

static struct ioband_terms *terms_of_min(struct ioband_heap_node *node)
{
	return container_of(node, struct ioband_terms, by_min.node);
}

static struct ioband_terms *terms_of_deadline(struct ioband_heap_node *node)
{
	return container_of(node, struct ioband_terms, by_deadline.node);
}

/* Streams have one leg, and tasks wait for their reads, or for their writes. */
static u64 stream_place(const struct ioband_node *stream)
{
	return ioband_place_first(&stream->plain.tag, ioband_vtime_of(stream, 0));
}

/*
 * The node that holds the group's next own I/O: the group itself, or else the first of
 * its streams, even behind a child group. Async I/O of the group itself is writeback,
 * which no task waits for: it comes after the streams. Reduces @ways to the stream's.
 * Returns NULL if no such I/O may go any of @ways.
 */
static struct ioband_node *owner_of_next(struct ioband_node *group, u64 *ways, u64 now_ns)
{
	struct ioband_io *own = ioband_inner_pick(group, *ways, now_ns);
	struct ioband_node *first = NULL, *child;

	if (own && !own->is_async)
		return group;
	list_for_each_entry(child, &group->children, sibling) {
		if (!child->is_stream)
			break;
		if (child->ready & *ways &&
		    (!first || ioband_before(stream_place(child), stream_place(first))))
			first = child;
	}
	if (!first)
		return own ? group : NULL;
	*ways &= first->ready;
	return first;
}

/*
 * owner_of_next(), and when that I/O must go to complete in time. Twice what the disk
 * takes at worst is set aside, since all room may just have been taken when the deadline
 * comes.
 */
static struct ioband_node *next_deadline(const struct ioband_sched *sched,
					 const struct ioband_terms *terms, u64 *ways,
					 u64 now_ns, u64 *deadline_ns)
{
	u64 service_ns = min(sched->service_ns, terms->latency_ns / 2), again_ns;
	struct ioband_node *owner = owner_of_next(terms->node, ways, now_ns);
	const struct ioband_io *io;

	if (!owner)
		return NULL;
	io = ioband_inner_pick(owner, *ways, now_ns);
	*deadline_ns = io->arrival_ns + terms->latency_ns - 2 * service_ns;
	/*
	 * The promise is to a task that sends its next I/O when the last completes,
	 * not to any number of I/Os sent at once.
	 */
	again_ns = terms->promised_ns + terms->latency_ns - service_ns;
	if (ioband_before(*deadline_ns, again_ns))
		*deadline_ns = again_ns;
	return owner;
}

static void leave(struct ioband_heap *heap, struct ioband_promise *promise)
{
	if (promise->is_there)
		ioband_heap_erase(heap, &promise->node);
	promise->is_there = false;
}

/* Put a group to where it belongs in a heap, in which it may be already. */
static void enter(struct ioband_heap *heap, struct ioband_promise *promise, u64 key)
{
	leave(heap, promise);
	promise->is_there = true;
	promise->node.key = key;
	ioband_heap_insert(heap, &promise->node);
}

/**
 * ioband_promise_leave - take a group out of both heaps
 * @sched: the scheduler
 * @terms: the group's terms
 */
void ioband_promise_leave(struct ioband_sched *sched, struct ioband_terms *terms)
{
	leave(&sched->minimums, &terms->by_min);
	leave(&sched->deadlines, &terms->by_deadline);
}

/**
 * ioband_promise_update - put a group where it now belongs in both heaps
 * @sched: the scheduler
 * @node: a group with terms, up to date in the tree
 * @now_ns: the time
 */
void ioband_promise_update(struct ioband_sched *sched, struct ioband_node *node, u64 now_ns)
{
	struct ioband_terms *terms = node->terms;
	bool was_in = terms->by_min.is_there;
	u64 ways = node->ready;
	u64 key;

	ioband_promise_leave(sched, terms);
	if (was_in)
		terms->wanted_ns = now_ns;
	if (!ways)
		return;
	if (terms->min_rate) {
		if (!was_in)
			ioband_terms_wake(terms, now_ns);
		enter(&sched->minimums, &terms->by_min, terms->min.empty_ns);
	}
	if (terms->latency_ns && next_deadline(sched, terms, &ways, now_ns, &key))
		enter(&sched->deadlines, &terms->by_deadline, key);
}

/*
 * When to look again for what is promised and may not go: for a limit above, which takes
 * precedence, no earlier than any limit ends; else at once, as others may have room.
 */
static u64 again_ns(const struct ioband_sched *sched, u64 open, u64 now_ns)
{
	const struct ioband_heap_node *first = ioband_heap_first(&sched->timers);

	return !open && first ? first->key : now_ns + 1;
}

/**
 * ioband_behind_minimum - find the group that is furthest behind its minimum
 * @sched: the scheduler, its timers run
 * @now_ns: the time
 * @ways: filled in: the ways it may go, a bit each
 *
 * Return: the group, or %NULL if none is behind that may go and has room at its legs.
 */
struct ioband_node *ioband_behind_minimum(struct ioband_sched *sched, u64 now_ns, u64 *ways)
{
	struct ioband_heap_node *first;

	while ((first = ioband_heap_first(&sched->minimums)) &&
	       !ioband_before(now_ns, first->key)) {
		struct ioband_terms *terms = terms_of_min(first);
		u64 open = ioband_open_ways(terms->node);

		*ways = open & ~sched->full;
		if (*ways) {
			ioband_terms_min_check(terms, now_ns);
			return terms->node;
		}
		enter(&sched->minimums, &terms->by_min, again_ns(sched, open, now_ns));
	}
	return NULL;
}

/**
 * ioband_near_deadline - find the I/O that would miss its latency target first
 * @sched: the scheduler, its timers run
 * @now_ns: the time
 * @ways: filled in: the ways it may go, a bit each
 *
 * Return: the group or stream that holds it, or %NULL if there is no such I/O that
 * may go and has room at its leg.
 */
struct ioband_node *ioband_near_deadline(struct ioband_sched *sched, u64 now_ns, u64 *ways)
{
	struct ioband_heap_node *first;

	while ((first = ioband_heap_first(&sched->deadlines)) &&
	       !ioband_before(now_ns, first->key)) {
		struct ioband_terms *terms = terms_of_deadline(first);
		u64 open = ioband_open_ways(terms->node), due_ns;
		struct ioband_node *owner;

		*ways = open & ~sched->full;
		owner = next_deadline(sched, terms, ways, now_ns, &due_ns);
		if (owner && !ioband_before(now_ns, due_ns)) {
			terms->promised_ns = now_ns;
			return owner;
		}
		/* If only the leg of what is due is full, the next group may use another. */
		if (!owner_of_next(terms->node, &open, now_ns))
			open = 0;
		enter(&sched->deadlines, &terms->by_deadline, again_ns(sched, open, now_ns));
	}
	return NULL;
}

/**
 * ioband_first_target - find I/O of a group with a latency target, due or not
 * @sched: the scheduler, its timers run
 * @now_ns: the time
 * @ways: filled in: the ways it may go
 *
 * Return: the group or stream that holds it, or %NULL.
 */
struct ioband_node *ioband_first_target(const struct ioband_sched *sched, u64 now_ns,
					u64 *ways)
{
	struct ioband_heap_node *first = ioband_heap_first(&sched->deadlines);
	struct ioband_node *group;

	if (!first)
		return NULL;
	group = terms_of_deadline(first)->node;
	*ways = ioband_open_ways(group) & ~sched->full;
	return owner_of_next(group, ways, now_ns);
}

/**
 * ioband_owes_others - whether a promise to another group is due
 * @sched: the scheduler, its timers run
 * @node: the group
 * @now_ns: the time
 *
 * Return: true, too, if what is due may not go because of a limit or a full leg: that is
 * known only when it is looked for.
 */
bool ioband_owes_others(const struct ioband_sched *sched,
			const struct ioband_node *node, u64 now_ns)
{
	struct ioband_heap_node *first = ioband_heap_first(&sched->minimums);

	if (first && !ioband_before(now_ns, first->key) && terms_of_min(first)->node != node)
		return true;
	first = ioband_heap_first(&sched->deadlines);
	return first && !ioband_before(now_ns, first->key) &&
	       terms_of_deadline(first)->node != node;
}

/**
 * ioband_is_promised - whether anything is promised to a group that has I/O
 * @sched: the scheduler
 */
bool ioband_is_promised(const struct ioband_sched *sched)
{
	return ioband_heap_first(&sched->minimums) || ioband_heap_first(&sched->deadlines);
}

/**
 * ioband_promise_wanted - a group that held nothing wants I/O again
 * @node: the group
 * @done_ns: when an I/O of it last completed
 *
 * A group that sends one I/O at a time holds none while the disk works on it. This is
 * no pause, neither for the group nor for any above that has a minimum.
 */
void ioband_promise_wanted(struct ioband_node *node, u64 done_ns)
{
	for (; node->parent; node = node->parent)
		if (node->terms && ioband_before(node->terms->wanted_ns, done_ns))
			node->terms->wanted_ns = done_ns;
}
