/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How deep the disk's queue is kept: found by trial, never changed without reason.
 */
#ifndef _IOBAND_DEPTH_H
#define _IOBAND_DEPTH_H

#include "core.h"

/* Why the depth is what it is; the user is shown a word for it. */
enum ioband_depth_reason {
	IOBAND_DEPTH_START,		/* nothing is known yet */
	IOBAND_DEPTH_THROUGHPUT,	/* less or more in flight did not pay */
	IOBAND_DEPTH_LATENCY,		/* a latency target would be missed */
	IOBAND_DEPTH_TAGS,		/* the disk takes no more */
	IOBAND_DEPTH_SEEKS,		/* turns on a disk that seeks */
	IOBAND_DEPTH_IO_THROTTLE,	/* set by hand */
	IOBAND_DEPTH_IO_LIMIT,		/* set by hand */
	IOBAND_DEPTH_POLICY,		/* the policy puts nothing in order */
	IOBAND_DEPTH_REASONS,
};

/* What the disk was given while I/O waited for room: totals that only grow. */
struct ioband_depth_sample {
	u64 now_ns;
	u64 ns;			/* for how long any did; time kept free on purpose is not */
	u64 ios;
	u64 sectors;
	u64 sent_ios;		/* at other times, too */
	u32 there;		/* how many there are at the disk, or wait */
};

/**
 * struct ioband_depth_mean - a mean and how far it can be trusted
 * @n: number of values
 * @mean: their mean
 * @squares: sum of the squares of their distances from it
 */
struct ioband_depth_mean {
	u32 n;
	s64 mean;
	u64 squares;
};

/* The disk's time per I/O and for its work (work_of()), in parts of what it was at first. */
struct ioband_depth_cost {
	struct ioband_depth_mean io;
	struct ioband_depth_mean work;
};

/* In the order in which they follow each other. */
enum ioband_depth_search {
	IOBAND_RAMP,			/* twice as much, as long as that is plainly better */
	IOBAND_SEARCH,			/* between what is too little and too much */
	IOBAND_SEARCH_OVER,
	IOBAND_SEARCH_MORE_AGAIN,	/* after a pause: whether more is better now */
	IOBAND_SEARCH_LESS_AGAIN,	/* or less is as good */
};

/**
 * struct ioband_depth - what is known of the depth
 * @depth: the depth now, of each leg
 * @legs: number of legs
 * @settled: the depth that the last trial ended with
 * @trying: the depth that is compared with it; 0: none
 * @max: upper bound of @depth
 * @little: the largest depth below @settled that proved too little; 0: none known
 * @much: the smallest depth above @settled that proved no better; 0: none known
 * @skip: I/Os until what was sent at another depth has drained
 * @block: batches since then
 * @search: what is tried, and why
 * @reason: what @settled comes from
 * @io_unit: time per I/O that is 1 in the means, in 2^-8 ns; 0: none measured yet
 * @work_unit: likewise, for the work
 * @is: what I/O costs at @settled
 * @was: what it cost there when the pause began
 * @trial: what it costs at @trying
 * @trial_ns: how long the trial has lasted
 * @there: how many I/Os there were in it, in all
 * @from: where the present batch began
 * @due_ios: no batch ends before so many I/Os are sent
 * @rest_ns: length of the pause; 0: none since the search began
 * @rest_until_ns: its end
 * @has_rested: there was one since this disk, or I/O, was new
 * @latency_ns: the closest latency target that there is, or 0
 * @service_ns: how long the disk takes for an I/O now, at worst
 * @shown: where the window began in which the disk shows what it can do
 * @shown_ios: the most I/Os per second in any of them
 * @shown_bytes: likewise for bytes
 */
struct ioband_depth {
	u32 depth;
	u32 legs;
	u32 settled;
	u32 trying;
	u32 max;
	u32 little;
	u32 much;
	u32 skip;
	u32 block;
	enum ioband_depth_search search;
	enum ioband_depth_reason reason;
	u64 io_unit;
	u64 work_unit;
	struct ioband_depth_cost is;
	struct ioband_depth_cost was;
	struct ioband_depth_cost trial;
	u64 trial_ns;
	u32 there;
	struct ioband_depth_sample from;
	u64 due_ios;
	u64 rest_ns;
	u64 rest_until_ns;
	bool has_rested;
	u64 latency_ns;
	u64 service_ns;
	struct ioband_depth_sample shown;
	u64 shown_ios;
	u64 shown_bytes;
};

/**
 * struct ioband_depth_bounds - what overrides the result of trials
 * @tags: I/Os that a leg takes before a submitter sleeps for a tag, at least 1
 * @legs: number of legs, at least 1
 * @io_throttle: I/Os that may be in flight on all legs together; 0 if not set
 * @io_limit: I/Os that may be in flight at the very most; 0 if not set
 * @is_rotational: the disk seeks
 */
struct ioband_depth_bounds {
	u32 tags;
	u32 legs;
	u32 io_throttle;
	u32 io_limit;
	bool is_rotational;
};

extern const char * const ioband_depth_reasons[IOBAND_DEPTH_REASONS];

void ioband_depth_init(struct ioband_depth *depth, u32 legs);
void ioband_depth_begin(struct ioband_depth *depth, u32 max,
			const struct ioband_depth_sample *now);
void ioband_depth_end(struct ioband_depth *depth);
void ioband_depth_doubt(struct ioband_depth *depth, u32 there);
bool ioband_depth_tick(struct ioband_depth *depth, u32 max,
		       const struct ioband_depth_sample *now);
enum ioband_depth_reason
ioband_depth_enforce(const struct ioband_depth *depth, struct ioband_sched *sched,
		     const struct ioband_depth_bounds *bounds);

/* Take a sample of a scheduler's totals. */
static inline struct ioband_depth_sample
ioband_depth_look(const struct ioband_sched *sched, u64 now_ns)
{
	const struct ioband_backlog *backlog = &sched->backlog;
	struct ioband_depth_sample sample = {
		.now_ns		= now_ns,
		.ns		= backlog->ns - sched->graced_ns,
		.ios		= backlog->ios,
		.sectors	= backlog->sectors,
		.sent_ios	= sched->sent_ios,
		.there		= backlog->there,
	};

	if (backlog->since_ns) {
		sample.ns += now_ns - backlog->since_ns;
		sample.ios += sched->sent_ios;
		sample.sectors += sched->sent_sectors;
	}
	return sample;
}

/* Whether ioband_depth_tick() could change anything; most often it could not. */
static inline bool ioband_depth_is_due(const struct ioband_depth *depth, u32 max,
				       const struct ioband_sched *sched)
{
	return max != depth->max || sched->sent_ios >= depth->due_ios;
}

#endif /* _IOBAND_DEPTH_H */
