/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a group may be granted or denied besides its weight: limits, a minimum,
 * a latency target. Only groups that have any of these spend memory on them.
 */
#ifndef _IOBAND_TERMS_H
#define _IOBAND_TERMS_H

#include "cost.h"
#include "env.h"
#include "heap.h"

struct ioband_node;

/* The limits of a group, in the order in which they are printed. */
enum ioband_limit_id {
	IOBAND_RBPS,
	IOBAND_WBPS,
	IOBAND_BPS,
	IOBAND_RIOPS,
	IOBAND_WIOPS,
	IOBAND_IOPS,
	IOBAND_LIMITS,
};

/* In bytes or I/Os per second: beyond any disk, and too little to overflow. */
#define IOBAND_RATE_MAX		((u64)1 << 50)

/* A limit as the user set it */
struct ioband_rate {
	u64 rate;		/* units per second in the long run; 0: no limit */
	u64 burst;		/* units that may go at once after a pause, besides one I/O */
	u64 peak;		/* units per second during a burst; 0: as fast as the disk can */
};

/* A leaky bucket */
struct ioband_bucket {
	u64 rate;		/* units that leak in a second */
	u64 burst_ns;		/* how far @empty_ns may be ahead of the clock when an I/O goes */
	u64 empty_ns;		/* when it will have run empty, GCRA's theoretical arrival time */
	u64 rest;		/* remainder of the last division by @rate */
};

/* A group's place in one of the scheduler's heaps of promises */
struct ioband_promise {
	struct ioband_heap_node node;	/* the place */
	bool is_there;		/* it is in the heap */
};

/* Limits, minimum and latency target of a group */
struct ioband_terms {
	/* The buckets of each limit, and of its peak; a rate of 0: none */
	struct ioband_bucket limits[IOBAND_LIMITS][2];
	/* By direction, when an I/O last went in its turn, or began to wait when none did */
	u64 waits_ns[IOBAND_DIRS];
	bool has_limits;	/* there are any */

	bool min_is_ios;	/* the units of the minimum are I/Os, else bytes */
	u64 min_rate;	/* units per second that the group is to get at least; 0: no minimum */
	/* Leaks a little faster than @min_rate; empty: the group falls behind */
	struct ioband_bucket min;
	struct ioband_promise by_min;	/* place among the groups that have a minimum and I/O */
	u64 wanted_ns;	/* when the group was last seen to have I/O, held or at the disk */
	u64 unmet_ns;	/* by how much it fell behind its minimum beyond what is made up for */

	u64 latency_ns;		/* how long an I/O may take; 0: no target */
	u64 promised_ns;	/* when an I/O was last sent out of turn to meet the target */
	s64 late;	/* by how much more were late than may be, in units of squeeze.c */
	/* Place among the groups that have a target and I/O */
	struct ioband_promise by_deadline;

	struct ioband_node *node;	/* the group */
};

extern const char * const ioband_limit_names[IOBAND_LIMITS];

void ioband_terms_init(struct ioband_terms *terms,
		       const struct ioband_rate *limits, u64 min_rate,
		       bool min_is_ios, u64 latency_ns);
void ioband_terms_begin(struct ioband_terms *terms, u64 now_ns);
void ioband_terms_inherit(struct ioband_terms *terms,
			  const struct ioband_terms *old, u64 now_ns);
u64 ioband_terms_due_ns(const struct ioband_terms *terms, enum ioband_dir dir, u64 ios,
			u64 sectors, u64 now_ns);
void ioband_terms_charge(struct ioband_terms *terms, enum ioband_dir dir,
			 u32 ios, u32 sectors, u64 since_ns, u64 now_ns);
void ioband_terms_owe(struct ioband_terms *terms, enum ioband_dir dir, u32 ios,
		      u32 sectors, u64 waits_ns, u64 now_ns);
void ioband_terms_wake(struct ioband_terms *terms, u64 now_ns);
void ioband_terms_min_check(struct ioband_terms *terms, u64 now_ns);

/* When limits let the next I/O go. */
static inline u64 ioband_terms_open_ns(const struct ioband_terms *terms, enum ioband_dir dir,
				       u64 now_ns)
{
	return ioband_terms_due_ns(terms, dir, 0, 0, now_ns);
}

#endif /* _IOBAND_TERMS_H */
