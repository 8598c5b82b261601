// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pairing heap (Fredman, Sedgewick, Sleator, Tarjan: "The pairing heap: a new
 * form of self-adjusting heap", Algorithmica 1, 1986).
 *
 * Insertion is O(1), removal O(log n) amortised, and neither allocates: ten
 * thousand groups may come and go under a spinlock. The kernel's min_heap needs
 * an array that has to be grown, and its interface differs between the kernels
 * we support; an rbtree would do, at about twice the work per I/O.
 */
#include "heap.h"

static struct ioband_heap_node *hang(struct ioband_heap_node *top,
				     struct ioband_heap_node *sub)
{
	sub->prev = top;
	sub->next = top->child;
	if (sub->next)
		sub->next->prev = sub;
	top->child = sub;
	return top;
}

/* Hang the root with the larger key below the other; @a wins a tie. */
static struct ioband_heap_node *meld(struct ioband_heap_node *a, struct ioband_heap_node *b)
{
	if (!a)
		return b;
	if (!b)
		return a;
	return ioband_before(b->key, a->key) ? hang(b, a) : hang(a, b);
}

/*
 * Make one heap of a list of siblings: meld them in pairs from left to right,
 * then the pairs from right to left. The two passes give the amortised bound.
 */
static struct ioband_heap_node *meld_siblings(struct ioband_heap_node *first)
{
	struct ioband_heap_node *pairs = NULL, *heap = NULL;

	if (!first || !first->next)
		return first;
	while (first) {
		struct ioband_heap_node *a = first, *b = a->next, *pair;

		first = b ? b->next : NULL;
		pair = meld(a, b);
		pair->next = pairs;
		pairs = pair;
	}

	while (pairs) {
		struct ioband_heap_node *pair = pairs;

		pairs = pair->next;
		pair->next = NULL;
		heap = meld(pair, heap);
	}
	return heap;
}

/**
 * ioband_heap_insert - add a node
 * @heap: the heap
 * @node: a node that is in no heap; its key must not change until it is erased
 *
 * Context: any; the caller serialises access to @heap.
 */
void ioband_heap_insert(struct ioband_heap *heap, struct ioband_heap_node *node)
{
	node->child = NULL;
	node->next = NULL;
	node->prev = NULL;
	heap->root = meld(heap->root, node);
}

/**
 * ioband_heap_erase - remove a node, wherever in the heap it is
 * @heap: the heap
 * @node: one of its nodes
 *
 * Context: any; the caller serialises access to @heap.
 */
void ioband_heap_erase(struct ioband_heap *heap, struct ioband_heap_node *node)
{
	struct ioband_heap_node *rest = meld_siblings(node->child);

	if (rest)
		rest->prev = NULL;
	if (heap->root == node) {
		heap->root = rest;
		return;
	}

	if (node->prev->child == node)
		node->prev->child = node->next;
	else
		node->prev->next = node->next;
	if (node->next)
		node->next->prev = node->prev;
	heap->root = meld(heap->root, rest);
}

/**
 * ioband_queue_insert - add a node that mostly comes after all others
 * @queue: a heap, and what came last
 * @node: as above
 */
void ioband_queue_insert(struct ioband_queue *queue, struct ioband_heap_node *node)
{
	if (queue->last && !ioband_before(node->key, queue->last->key)) {
		node->child = NULL;
		hang(queue->last, node);
	} else {
		ioband_heap_insert(&queue->heap, node);
	}
	queue->last = node;
}

/**
 * ioband_queue_erase - remove a node, wherever in the queue it is
 * @queue: the queue
 * @node: one of its nodes
 */
void ioband_queue_erase(struct ioband_queue *queue, struct ioband_heap_node *node)
{
	ioband_heap_erase(&queue->heap, node);
	if (queue->last == node)
		queue->last = NULL;
}
