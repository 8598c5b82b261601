// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inside a group: the order of the I/O it holds itself.
 *
 * A task waits for each synchronous I/O, so these go first. Async I/O, which no
 * task waits for or one waits for in bulk, must not starve either: while both
 * are held, a few async I/Os follow a few sync ones. The async run is short, as
 * its length decides how long a reader waits beside a big write, not how often
 * it comes.
 *
 * Among I/O of a kind the priority decides. The classes real-time and idle go
 * first and last. The levels between are weights, 8 for level 0 down to 1 for
 * level 7, applied by start tags as in core.c. Sync and async I/O have
 * tags of their own, since the two are not served at the same rate.
 */
#include "private.h"

enum {
	/* While both are held: this many sync I/Os, then this many async ones. */
	SYNC_RUN	= 8,
	ASYNC_RUN	= 2,
};

/* When an async I/O has waited this long, sync runs are as short as async ones. */
#define ASYNC_DEADLINE_NS	((u64)5 * NSEC_PER_SEC)

/* Moves the tags of real-time before, and those of idle behind, all others. */
#define PRIO_APART		((u64)1 << 61)

/* 840 is divisible by the weights of all levels, 8 to 1. */
static const u16 level_steps[IOBAND_PRIOS] = {
	1,
	840 / 8, 840 / 7, 840 / 6, 840 / 5, 840 / 4, 840 / 3, 840 / 2, 840,
	1,
};

static struct ioband_queue *held_of(struct ioband_node *node, const struct ioband_io *io)
{
	return &ioband_facet(node, ioband_way(io))->held[io->is_async];
}

static struct ioband_io *first_of(const struct ioband_node *node, u64 ways, bool is_async)
{
	struct ioband_io *first = NULL, *io;
	unsigned int way;

	for (way = 0; way < ioband_nr_ways(node); way++) {
		if (!(ways & BIT_ULL(way)))
			continue;
		io = ioband_first_io(&ioband_facet(node, way)->held[is_async]);
		if (io && (!first || ioband_before(io->node.key, first->node.key)))
			first = io;
	}
	return first;
}

/**
 * ioband_inner_insert - queue an I/O in its group
 * @node: its group
 * @io: the I/O
 */
void ioband_inner_insert(struct ioband_node *node, struct ioband_io *io)
{
	u64 *finish = &node->inner_finish[io->is_async][io->prio];
	u64 vtime;

	if (!node->held) {
		memset(node->inner_vtime, 0, sizeof(node->inner_vtime));
		memset(node->inner_finish, 0, sizeof(node->inner_finish));
		node->sync_run = 0;
	}
	vtime = node->inner_vtime[io->is_async];
	if (ioband_before(*finish, vtime))
		*finish = vtime;
	io->node.key = *finish;
	*finish += level_steps[io->prio];
	if (io->prio == IOBAND_PRIO_RT)
		io->node.key -= PRIO_APART;
	else if (io->prio == IOBAND_PRIO_IDLE)
		io->node.key += PRIO_APART;

	ioband_queue_insert(held_of(node, io), &io->node);
	node->held++;
	node->held_async += io->is_async;
}

/**
 * ioband_inner_erase - remove an I/O from its group, wherever it is queued
 * @node: its group
 * @io: the I/O
 */
void ioband_inner_erase(struct ioband_node *node, struct ioband_io *io)
{
	ioband_queue_erase(held_of(node, io), &io->node);
	node->held--;
	node->held_async -= io->is_async;
}

static bool async_goes(const struct ioband_node *node,
		       const struct ioband_io *sync,
		       const struct ioband_io *async, u64 now_ns)
{
	u32 run = SYNC_RUN;

	if (!async || !sync)
		return async;
	if (sync->prio == IOBAND_PRIO_IDLE && async->prio != IOBAND_PRIO_IDLE)
		return true;
	if (ioband_before(async->arrival_ns + ASYNC_DEADLINE_NS, now_ns))
		run = ASYNC_RUN;
	return node->sync_run % (run + ASYNC_RUN) >= run;
}

/**
 * ioband_inner_pick - find the I/O of its own that a group would send next
 * @node: the group
 * @ways: the ways to choose from, a bit each
 * @now_ns: the time
 *
 * Return: the I/O, still queued, or %NULL if there is none.
 */
struct ioband_io *ioband_inner_pick(const struct ioband_node *node, u64 ways, u64 now_ns)
{
	struct ioband_io *sync = first_of(node, ways, false);
	struct ioband_io *async = node->held_async ? first_of(node, ways, true) : NULL;

	return async_goes(node, sync, async, now_ns) ? async : sync;
}

/**
 * ioband_inner_take - remove the I/O that ioband_inner_pick() chose
 * @node: the group
 * @io: the I/O
 */
void ioband_inner_take(struct ioband_node *node, struct ioband_io *io)
{
	u64 *vtime = &node->inner_vtime[io->is_async];

	/* An I/O that a limit or a full leg kept back may have an older tag. */
	if (io->prio != IOBAND_PRIO_RT && io->prio != IOBAND_PRIO_IDLE &&
	    ioband_before(*vtime, io->node.key))
		*vtime = io->node.key;
	if (node->held_async)
		node->sync_run++;
	ioband_inner_erase(node, io);
}
