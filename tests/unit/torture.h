/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Torture: a random tree of groups, random senders, a random disk. What the core
 * was told is kept here a second time, plainly, and three judges watch what it
 * makes of it. They share no arithmetic with it: long double, and every group
 * looked at in every step.
 */
#ifndef _IOBAND_TORTURE_H
#define _IOBAND_TORTURE_H

#include "unit.h"
#include <float.h>
#include <math.h>
#include "invariants.h"
#include "prng.h"

enum {
	NODES		= 12,	/* the first is the root */
	LEVELS		= 4,	/* of groups below the root */
	/* Shares are had by a group, and by what a group sends itself. */
	ENTITIES	= 2 * NODES,
	HELD_MAX	= 300,
};

struct sim_io {
	struct ioband_io io;
	struct list_head link;
	struct sim_node *node;
};

/* A limit as a bucket of units: it leaks, and may be filled up to @burst. */
struct sim_bucket {
	long double rate;	/* 0: none */
	long double burst;
	long double level;
	long double slack;	/* what rounding may have done, units */
	u64 at_ns;
};

struct sim_node {
	struct ioband_node node;
	struct ioband_terms *terms;
	bool in_tree;
	struct sim_node *parent;
	u32 weight;
	u8 class;

	bool sends;		/* has I/O of its own */
	bool on;
	u32 max_sectors;
	bool one_size;
	u32 percent_writes;

	struct list_head held;
	u32 nr_held[IOBAND_DIRS];
	u32 held_below;		/* and by itself */
	bool may_go;		/* any of that is at no limit up to here */

	struct sim_bucket buckets[IOBAND_LIMITS][2];	/* average, peak */
	bool has_limits;
	u64 until_ns;		/* a debt puts off nothing any longer */
	u64 min_rate;
	bool min_is_ios;
	u64 latency_ns;
};

/* A child's or a node's own part of what the parent gets. */
struct sim_entity {
	long double cost;	/* of the largest I/O */
	long double sent;	/* cost, ever */
	long double left;	/* fluid: what it still has to serve */
	long double lag;	/* fluid: what it has served more than the disk */
	/* Over the time for which it has had I/O, to the last. */
	bool in_window;
	long double least;
	u64 start;		/* tag after the last event */
};

struct sim {
	u64 seed;
	u64 event;
	u64 events;
	struct prng prng;

	bool by_size;		/* cost counts sectors, not I/Os */
	bool charges;		/* some I/O may not wait */
	bool reweight;
	bool topology;		/* groups come, go and move */
	bool classes;
	bool levels;		/* I/O of all priorities, sync and async */
	bool limits;
	bool minimums;
	bool latencies;
	bool unholds;
	bool restarts;
	bool grants;		/* groups go on as their tasks come */

	struct ioband_sched sched;
	u64 now_ns;
	u64 slow_ns;		/* the disk takes no longer for an I/O ... */
	u64 fast_ns;		/* ... and no less */
	u64 done_ns;
	struct sim_node nodes[NODES];
	struct sim_entity entities[ENTITIES];
	struct ioband_vtime vtimes[NODES][IOBAND_CLASSES];

	struct sim_io *at_disk[2 * HELD_MAX];
	u32 in_flight;
	u32 held;
	u64 arrived, gone;
};

extern struct sim sim;

/* The letters say what sort of run it is, see torture_flags(). */
#define must(condition, fmt, ...) do {					\
	if (!(condition))						\
		fail_msg("IOBAND_SEED=%llu event %llu (%s): " fmt,	\
			 (unsigned long long)sim.seed,			\
			 (unsigned long long)sim.event,			\
			 torture_flags(), ##__VA_ARGS__);		\
} while (0)

const char *torture_flags(void);

static inline bool is_own(unsigned int entity)
{
	return entity >= NODES;
}

static inline unsigned int index_of(const struct sim_node *node)
{
	return node - sim.nodes;
}

static inline unsigned int own_of(const struct sim_node *node)
{
	return NODES + index_of(node);
}

/* What the core knows a node as. */
static inline struct ioband_node *core_of(struct sim_node *node)
{
	return node->parent ? &node->node : &sim.sched.root;
}

/* The node an entity is, or is a part of. */
static inline struct sim_node *node_of(unsigned int entity)
{
	return &sim.nodes[entity % NODES];
}

static inline struct sim_node *parent_of(unsigned int entity)
{
	struct sim_node *node = node_of(entity);

	return is_own(entity) ? node : node->parent;
}

static inline bool exists(unsigned int entity)
{
	const struct sim_node *node = node_of(entity);

	return node->in_tree && node->parent &&
	       (!is_own(entity) || node->sends);
}

static inline u32 weight_of(unsigned int entity)
{
	return is_own(entity) ? IOBAND_WEIGHT_DEFAULT : node_of(entity)->weight;
}

static inline u8 class_of(unsigned int entity)
{
	return is_own(entity) ? IOBAND_BE : node_of(entity)->class;
}

static inline u32 held_of(unsigned int entity)
{
	const struct sim_node *node = node_of(entity);

	return is_own(entity) ?
	       node->nr_held[IOBAND_READ] + node->nr_held[IOBAND_WRITE] :
	       node->held_below;
}

static inline bool is_child_of(unsigned int entity, const struct sim_node *node)
{
	return exists(entity) && parent_of(entity) == node;
}

static inline long double cost_of(const struct sim_io *io)
{
	return sim.by_size ? max_t(u64, io->io.sectors, 8) : 1;
}

#define for_each_entity(e) for (e = 0; e < ENTITIES; e++)
#define for_each_child(e, node)			\
	for_each_entity(e)			\
		if (is_child_of(e, node))

/* Tags: judge_order.c */
void order_snapshot(void);
void order_held(struct sim_node *node, u32 held_before);
void order_sent(const struct sim_io *io);
void order_charged(const struct sim_io *io);
void order_weighed(struct sim_node *node, u32 old_weight);

/* Shares: judge_share.c */
void share_begin(void);
void share_arrived(const struct sim_io *io);
void share_moved(const struct sim_node *node);
void share_sent(const struct sim_io *io);
void share_done(const struct sim_io *io);
void share_gone(const struct sim_io *io);
void share_judge(void);

/* Limits and promises: judge_terms.c */
void terms_begin(void);
void terms_set(struct sim_node *node, const struct ioband_rate *limits);
void terms_owe(const struct sim_io *io);
void terms_sent(const struct sim_io *io, bool waited);
void terms_look(void);
void terms_judge(void);

#endif /* _IOBAND_TORTURE_H */
