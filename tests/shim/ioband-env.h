/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User space's side of the seam: what drivers/md/ioband-env.h takes from the
 * kernel, in terms of the C library. Same include guard, so that forcing this
 * header in (cc -include) replaces that one.
 */
#ifndef _IOBAND_ENV_H
#define _IOBAND_ENV_H

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX
#define S32_MAX		INT32_MAX
#define S64_MAX		INT64_MAX

#define __printf(a, b)	__attribute__((format(printf, a, b)))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

/* Memory: the tests make an allocation fail by setting this. */
extern bool ioband_shim_out_of_memory;
#define GFP_KERNEL	0

static inline void *kcalloc(size_t n, size_t size, int gfp)
{
	(void)gfp;
	return ioband_shim_out_of_memory ? NULL : calloc(n, size);
}

static inline void kfree(void *p)
{
	free(p);
}

/*
 * As the kernel's: the whole word or nothing, but for a sign + before it and a
 * newline after it; base 0 reads C notation.
 */
static inline int kstrtoull(const char *s, unsigned int base, u64 *value)
{
	char *end;

	s += *s == '+';
	if (*s < '0' || *s > '9')
		return -EINVAL;
	errno = 0;
	*value = strtoull(s, &end, base);
	if (errno == ERANGE)
		return -ERANGE;
	end += *end == '\n';
	return *end ? -EINVAL : 0;
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *rest)
{
	*rest = dividend % divisor;
	return dividend / divisor;
}

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

static inline void list_add_tail(struct list_head *entry, struct list_head *list)
{
	entry->prev = list->prev;
	entry->next = list;
	list->prev->next = entry;
	list->prev = entry;
}

static inline void list_del_init(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	INIT_LIST_HEAD(entry);
}

#define list_first_entry(list, type, member) \
	container_of((list)->next, type, member)

#endif /* _IOBAND_ENV_H */
