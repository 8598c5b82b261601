/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must hold for heap and scheduler whenever nobody is inside them. Unit
 * tests, oracle and fuzzer ask after each step.
 */
#ifndef _IOBAND_INVARIANTS_H
#define _IOBAND_INVARIANTS_H

#include "ioband-core.h"

/* Counts the nodes below @node; -1 if a pointer or the order is wrong. */
static inline int ioband_heap_count_below(const struct ioband_heap_node *node)
{
	const struct ioband_heap_node *prev = node, *child;
	int total = 0;

	for (child = node->child; child; prev = child, child = child->next) {
		int below = ioband_heap_count_below(child);

		if (below < 0 || child->prev != prev ||
		    ioband_before(child->key, node->key))
			return -1;
		total += 1 + below;
	}
	return total;
}

static inline int ioband_heap_count(const struct ioband_heap *heap)
{
	const struct ioband_heap_node *root = ioband_heap_first(heap);
	int below;

	if (!root)
		return 0;
	if (root->prev || root->next)
		return -1;
	below = ioband_heap_count_below(root);
	return below < 0 ? -1 : below + 1;
}

static inline const char *ioband_queue_broken(const struct ioband_sched *sched,
					      const struct ioband_queue *queue)
{
	const struct list_head *link;
	u32 length = 0;

	for (link = queue->fifo.next; link != &queue->fifo; link = link->next) {
		if (link->next->prev != link)
			return "FIFO is torn";
		length++;
	}
	if (length != queue->held)
		return "held of the queue is not the length of its FIFO";
	if (queue->rest >= queue->weight)
		return "remainder is not less than the weight";
	if (queue->held && ioband_before(queue->node.key, sched->vtime))
		return "a backlogged queue is behind virtual time";
	return NULL;
}

/* What is wrong, or %NULL. @stride: from one queue to the next, in bytes. */
static inline const char *ioband_sched_broken(const struct ioband_sched *sched,
					      const struct ioband_queue *queues,
					      size_t stride, unsigned int nr)
{
	u32 held = 0;
	int backlogged = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct ioband_queue *queue =
			(const void *)((const char *)queues + i * stride);
		const char *broken = ioband_queue_broken(sched, queue);

		if (broken)
			return broken;
		held += queue->held;
		backlogged += !!queue->held;
	}
	if (held != sched->held)
		return "held of the scheduler is not the sum of its queues";
	if (ioband_heap_count(&sched->backlogged) != backlogged)
		return "the heap is torn or has not just the backlogged queues";
	return NULL;
}

#endif /* _IOBAND_INVARIANTS_H */
