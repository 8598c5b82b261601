/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside a group: the order of the I/O it holds itself.
 */
#ifndef _IOBAND_INNER_H
#define _IOBAND_INNER_H

#include "core.h"

static inline struct ioband_io *ioband_first_io(const struct ioband_heap *heap)
{
	struct ioband_heap_node *node = ioband_heap_first(heap);

	return node ? container_of(node, struct ioband_io, node) : NULL;
}

bool ioband_inner_is_first(const struct ioband_node *node,
			   const struct ioband_io *io);
void ioband_inner_insert(struct ioband_node *node, struct ioband_io *io);
void ioband_inner_erase(struct ioband_node *node, struct ioband_io *io);
struct ioband_io *ioband_inner_pick(const struct ioband_node *node, u32 ways,
				    u64 now_ns);
void ioband_inner_take(struct ioband_node *node, struct ioband_io *io);

#endif /* _IOBAND_INNER_H */
