/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scheduling core: which held I/O goes to the disk next.
 *
 * Nothing here sleeps, allocates, locks or reads a clock. The caller owns all
 * memory and serialises every call on one scheduler (in the module by the
 * pool's lock), so each function may run in any context. The theory stands at
 * the head of ioband-core.c.
 */
#ifndef _IOBAND_CORE_H
#define _IOBAND_CORE_H

#include "ioband-env.h"
#include "ioband-heap.h"

enum {
	IOBAND_WEIGHT_MIN	= 1,
	IOBAND_WEIGHT_DEFAULT	= 100,
	/* 1.14's upper bound; the message "set" stops at cgroup's 10000. */
	IOBAND_WEIGHT_MAX	= 32767,
};

/**
 * struct ioband_policy - what an I/O costs its group
 * @name: the word in table and message
 * @cost: cost of @ios I/Os that move @sectors of 512 bytes in all
 *
 * Costs are relative. Only their ratios matter, never the disk's speed.
 */
struct ioband_policy {
	const char *name;
	u64 (*cost)(u64 ios, u64 sectors);
};

extern const struct ioband_policy ioband_policies[];
const struct ioband_policy *ioband_policy_find(const char *name);

/**
 * struct ioband_io - one I/O, embedded in the caller's per-bio data
 * @link: place in the FIFO of its queue while it is held
 * @sectors: size in sectors of 512 bytes
 */
struct ioband_io {
	struct list_head link;
	u32 sectors;
};

/**
 * struct ioband_queue - the held I/O of one group
 * @node: place among the backlogged queues; its key is the start tag of the
 *	next I/O, kept between backlogs too
 * @fifo: held I/O, oldest first
 * @held: number of I/Os in @fifo
 * @weight: share of the disk, relative to the other backlogged queues
 * @rest: what the last division of a cost by @weight left over
 * @period: busy period of the scheduler in which the start tag was made
 */
struct ioband_queue {
	struct ioband_heap_node node;
	struct list_head fifo;
	u32 held;
	u32 weight;
	u32 rest;
	u32 period;
};

/**
 * struct ioband_sched - all queues that share one disk
 * @backlogged: the queues that hold I/O, by start tag
 * @vtime: virtual time, the start tag of the last I/O dispatched
 * @policy: turns I/O into cost
 * @depth: I/Os that may be in flight before the next one is held
 * @held: I/Os held in all queues
 * @period: counts busy periods; tags of an older one mean nothing
 */
struct ioband_sched {
	struct ioband_heap backlogged;
	u64 vtime;
	const struct ioband_policy *policy;
	u32 depth;
	u32 held;
	u32 period;
};

void ioband_sched_init(struct ioband_sched *sched,
		       const struct ioband_policy *policy, u32 depth);
void ioband_sched_restart(struct ioband_sched *sched);
void ioband_sched_set_policy(struct ioband_sched *sched,
			     const struct ioband_policy *policy);

void ioband_queue_init(struct ioband_queue *queue, u32 weight);
void ioband_queue_set_weight(struct ioband_sched *sched,
			     struct ioband_queue *queue, u32 weight);
void ioband_queue_join(struct ioband_sched *sched, struct ioband_queue *queue,
		       u64 ios_in_flight, u64 sectors_in_flight);

/* True if @queue has a tag of this busy period; else join it first. */
static inline bool ioband_queue_joined(const struct ioband_sched *sched,
				       const struct ioband_queue *queue)
{
	return queue->period == sched->period;
}

void ioband_hold(struct ioband_sched *sched, struct ioband_queue *queue,
		 struct ioband_io *io);
void ioband_charge(struct ioband_sched *sched, struct ioband_queue *queue,
		   const struct ioband_io *io);
struct ioband_io *ioband_next(struct ioband_sched *sched, u32 in_flight);
void ioband_unhold(struct ioband_sched *sched, struct ioband_queue *queue,
		   struct ioband_io *io);

#endif /* _IOBAND_CORE_H */
