/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User space's side of the seam: forced in (cc -include) in place of the header
 * of the same name and guard. It adds to the scheduling core's shim.
 */
#ifndef _SIMDISK_ENV_H
#define _SIMDISK_ENV_H

#include "ioband-env.h"

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (unsigned __int128)a * b >> shift;
}

#define DIV64_U64_ROUND_UP(n, d)	DIV_ROUND_UP((u64)(n), (u64)(d))

static inline void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
}

#define list_first_entry_or_null(list, type, member) \
	(list_empty(list) ? NULL : list_first_entry(list, type, member))

#define list_for_each_prev(pos, list) \
	for ((pos) = (list)->prev; (pos) != (list); (pos) = (pos)->prev)

#endif /* _SIMDISK_ENV_H */
