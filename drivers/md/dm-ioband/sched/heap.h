/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pairing heap: finds the smallest tag, and has no array that must grow.
 */
#ifndef _IOBAND_HEAP_H
#define _IOBAND_HEAP_H

#include "env.h"

/* Embedded in what the heap orders */
struct ioband_heap_node {
	/*
	 * Virtual time; compared modulo 2^64, so all keys of a heap must lie within 2^63 of
	 * each other
	 */
	u64 key;
	struct ioband_heap_node *child;	/* first of the subtrees below this node */
	struct ioband_heap_node *next;	/* next sibling */
	struct ioband_heap_node *prev;	/* previous sibling, or the parent for a first child */
};

struct ioband_heap {
	struct ioband_heap_node *root;
};

/* A heap of what mostly comes in order: as far as it does it is a list, and goes as one */
struct ioband_queue {
	struct ioband_heap heap;
	struct ioband_heap_node *last;	/* what came last, if it is still there */
};

/* True if virtual time @a comes before @b, across the wrap of the u64. */
static inline bool ioband_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

/* The node with the smallest key, or %NULL. Of equal keys the first one in stays. */
static inline struct ioband_heap_node *
ioband_heap_first(const struct ioband_heap *heap)
{
	return heap->root;
}

void ioband_heap_insert(struct ioband_heap *heap, struct ioband_heap_node *node);
void ioband_heap_erase(struct ioband_heap *heap, struct ioband_heap_node *node);
void ioband_queue_insert(struct ioband_queue *queue, struct ioband_heap_node *node);
void ioband_queue_erase(struct ioband_queue *queue, struct ioband_heap_node *node);

#endif /* _IOBAND_HEAP_H */
