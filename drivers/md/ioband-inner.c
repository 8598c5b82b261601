// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inside a group: the order of what it holds itself.
 *
 * Somebody waits for a synchronous I/O, so these go first; but what nobody waits
 * for, or for many at once, must go some day, too. If both are there, a few async
 * I/Os follow on a few sync ones. Few, for it is the length of the async run that
 * decides how long a reader waits beside a big write, not how seldom it is.
 *
 * Among I/O of a kind the priority decides: the classes real-time and idle go
 * first and last. The levels between are weights, 8 for level 0 to 1 for level 7,
 * by start tags as in ioband-core.c, of sync and of async I/O apart, for these
 * two do not go equally fast.
 */
#include "ioband-inner.h"

enum {
	/* So many sync I/Os go, then so many async ones, if both wait. */
	SYNC_RUN	= 8,
	ASYNC_RUN	= 2,
};

/* An async I/O that has waited so long goes by turns with the sync ones. */
#define ASYNC_DEADLINE_NS	((u64)5 * NSEC_PER_SEC)

/* I/O of the first and the last priority stands so far apart from the rest. */
#define PRIO_APART		((u64)1 << 61)

/* 840 can be divided by 8, the weight of level 0, and by all down to 1. */
static const u16 level_steps[IOBAND_PRIOS] = {
	1,
	840 / 8, 840 / 7, 840 / 6, 840 / 5, 840 / 4, 840 / 3, 840 / 2, 840,
	1,
};

static struct ioband_heap *held_of(struct ioband_node *node,
				   const struct ioband_io *io)
{
	return &ioband_facet(node, ioband_way(io))->held[io->is_async];
}

static struct ioband_io *first_of(const struct ioband_node *node, u32 ways,
				  bool is_async)
{
	struct ioband_io *first = NULL, *io;
	unsigned int way;

	for (way = 0; way < ioband_nr_ways(node); way++) {
		if (!(ways & BIT(way)))
			continue;
		io = ioband_first_io(&ioband_facet(node, way)->held[is_async]);
		if (io && (!first || ioband_before(io->node.key,
						   first->node.key)))
			first = io;
	}
	return first;
}

/**
 * ioband_inner_is_first - whether a sync I/O finds nothing but async ones held
 * @node: its group
 * @io: the I/O, not in its place yet
 */
bool ioband_inner_is_first(const struct ioband_node *node,
			   const struct ioband_io *io)
{
	return !io->is_async && node->held && !first_of(node, U32_MAX, false);
}

/**
 * ioband_inner_insert - put an I/O in its place in the group
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

	ioband_heap_insert(held_of(node, io), &io->node);
	node->held++;
}

/**
 * ioband_inner_erase - take an I/O out of its group, whatever its place
 * @node: its group
 * @io: the I/O
 */
void ioband_inner_erase(struct ioband_node *node, struct ioband_io *io)
{
	ioband_heap_erase(held_of(node, io), &io->node);
	node->held--;
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
 * ioband_inner_pick - which of its own I/Os a group would send next
 * @node: the group
 * @ways: the ways to choose from, a bit each
 * @now_ns: the time
 *
 * Return: the I/O, where it was, or %NULL if there is none.
 */
struct ioband_io *ioband_inner_pick(const struct ioband_node *node, u32 ways,
				    u64 now_ns)
{
	struct ioband_io *sync = first_of(node, ways, false);
	struct ioband_io *async = first_of(node, ways, true);

	return async_goes(node, sync, async, now_ns) ? async : sync;
}

/**
 * ioband_inner_take - take out what ioband_inner_pick() chose
 * @node: the group
 * @io: the I/O
 */
void ioband_inner_take(struct ioband_node *node, struct ioband_io *io)
{
	u64 *vtime = &node->inner_vtime[io->is_async];

	/* One way may lag behind, when its limit ends or its leg has room. */
	if (io->prio != IOBAND_PRIO_RT && io->prio != IOBAND_PRIO_IDLE &&
	    ioband_before(*vtime, io->node.key))
		*vtime = io->node.key;
	if (first_of(node, U32_MAX, true))
		node->sync_run++;
	ioband_inner_erase(node, io);
}
