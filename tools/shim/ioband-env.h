/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User space's side of the seam: what drivers/md/dm-ioband/sched/env.h takes from the
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
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX
#define S32_MAX		INT32_MAX
#define S64_MAX		INT64_MAX

#define noinline	__attribute__((noinline))
#define __printf(a, b)	__attribute__((format(printf, a, b)))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define min(a, b)	((a) < (b) ? (a) : (b))
#define min3(a, b, c) min(min(a, b), c)
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define max(a, b)	((a) > (b) ? (a) : (b))
#define clamp(v, lo, hi) min(max(v, lo), hi)

#define BIT(nr)		(1UL << (nr))
#define BIT_ULL(nr)	(1ULL << (nr))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))

#define NSEC_PER_USEC	1000L
#define NSEC_PER_MSEC	1000000L
#define NSEC_PER_SEC	1000000000L

/* Of what the kernel reads without a lock; here nobody else does. */
#define WRITE_ONCE(x, value) ((x) = (value))

#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

/* Memory: the tests make an allocation fail by setting this. */
extern bool ioband_shim_out_of_memory;
#define GFP_KERNEL	0

/* Steps that the core has taken, where it was built to count them. */
extern u64 ioband_shim_steps;

static inline void *kcalloc(size_t n, size_t size, int gfp)
{
	(void)gfp;
	return ioband_shim_out_of_memory ? NULL : calloc(n, size);
}

static inline void kfree(void *p)
{
	free(p);
}

#define kvcalloc	kcalloc
#define kvfree		kfree

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

/* A quotient that does not fit is a trap in the kernel, and so it is here. */
static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c)
{
	unsigned __int128 quotient = (unsigned __int128)a * b / c;

	if (quotient > U64_MAX)
		abort();
	return quotient;
}

/* As the kernel's, digit by digit, of two bits each. */
static inline u32 int_sqrt64(u64 x)
{
	u64 root = 0, bit;

	for (bit = 1ULL << 62; bit; bit >>= 2) {
		if (x >= root + bit) {
			x -= root + bit;
			root = root / 2 + bit;
		} else {
			root /= 2;
		}
	}
	return root;
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

static inline void list_add(struct list_head *entry, struct list_head *after)
{
	list_add_tail(entry, after->next);
}

static inline void list_del_init(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	INIT_LIST_HEAD(entry);
}

static inline void list_move_tail(struct list_head *entry,
				  struct list_head *list)
{
	list_del_init(entry);
	list_add_tail(entry, list);
}

static inline bool list_is_last(const struct list_head *entry,
				const struct list_head *list)
{
	return entry->next == list;
}

#define list_next_entry(pos, member) \
	container_of((pos)->member.next, __typeof__(*(pos)), member)

#define list_entry(ptr, type, member) container_of(ptr, type, member)

#define list_for_each_entry(pos, head, member)				\
	for (pos = list_entry((head)->next, __typeof__(*pos), member);	\
	     &pos->member != (head);					\
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))

#define list_for_each_entry_safe(pos, n, head, member)			\
	for (pos = list_entry((head)->next, __typeof__(*pos), member),	\
	     n = list_entry(pos->member.next, __typeof__(*pos), member); \
	     &pos->member != (head);					\
	     pos = n, n = list_entry(n->member.next, __typeof__(*n), member))

#define list_first_entry(list, type, member) \
	container_of((list)->next, type, member)

#endif /* _IOBAND_ENV_H */
