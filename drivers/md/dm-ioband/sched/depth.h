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
	IOBAND_DEPTH_SHARE,		/* groups lost turns */
	IOBAND_DEPTH_GUESTS,		/* some ask for little and still wait */
	IOBAND_DEPTH_LATENCY,		/* a latency target would be missed */
	IOBAND_DEPTH_TAGS,		/* the disk takes no more */
	IOBAND_DEPTH_SEEKS,		/* turns on a disk that seeks */
	IOBAND_DEPTH_IO_THROTTLE,	/* set by hand */
	IOBAND_DEPTH_IO_LIMIT,		/* set by hand */
	IOBAND_DEPTH_POLICY,		/* the policy puts nothing in order */
	IOBAND_DEPTH_REASONS,
};

/* What the disk was given until now, and what came of it: totals that only grow. */
struct ioband_depth_sample {
	u64 now_ns;
	u64 ios;
	u64 sectors;
	u64 work;		/* in units of the policy, unless that is by time */
	u64 leaks;		/* turns lost for want of I/O to send */
	u64 guests;		/* I/Os that waited only for what is at the disk */
	u64 gaps;		/* times when there was room and nothing to send */
	u64 graced_ns;		/* how long the disk was kept free on purpose */
};

struct ioband_depth_rate {
	u64 ios;
	u64 sectors;
	u64 work;
};

/**
 * struct ioband_depth - what is known of the depth
 * @depth: the depth now
 * @settled: the depth that the last trial ended with; @depth, except during a trial
 * @max: upper bound of @depth
 * @step: how much the next trial changes, in eighths of @settled
 * @floor: the largest depth that proved too little, until @try_down_ns; or 0
 * @trying: +1 or -1 during a trial, else 0
 * @settling: a trial has just begun or failed; this window does not count
 * @leaky: turns were lost in the last window
 * @guests: there were guests in the last window
 * @far: the next trial of more is twice the depth
 * @reason: what @settled comes from
 * @rate: what the disk does per second at @settled
 * @last: what it did in the last window at @settled
 * @from: where the window began
 * @try_up_ns: no trial of more before this
 * @try_down_ns: no trial of @floor or less before this
 * @up_pause_ns: how long the last failed trial of more has put off the next
 * @down_pause_ns: likewise for less
 * @latency_ns: the closest latency target that there is, or 0
 * @service_ns: how long the disk takes for an I/O now, at worst
 * @shown_ios: the most I/Os per second in any window in which it was always busy
 * @shown_bytes: likewise for bytes
 */
struct ioband_depth {
	u32 depth;
	u32 settled;
	u32 max;
	u32 step;
	u32 floor;
	s32 trying;
	bool settling;
	bool leaky;
	bool guests;
	bool far;
	enum ioband_depth_reason reason;
	struct ioband_depth_rate rate;
	struct ioband_depth_rate last;
	struct ioband_depth_sample from;
	u64 try_up_ns;
	u64 try_down_ns;
	u64 up_pause_ns;
	u64 down_pause_ns;
	u64 latency_ns;
	u64 service_ns;
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

void ioband_depth_init(struct ioband_depth *depth);
void ioband_depth_begin(struct ioband_depth *depth, u32 max,
			const struct ioband_depth_sample *now);
bool ioband_depth_tick(struct ioband_depth *depth, u32 max,
		       const struct ioband_depth_sample *now);
enum ioband_depth_reason
ioband_depth_enforce(const struct ioband_depth *depth, struct ioband_sched *sched,
		     const struct ioband_depth_bounds *bounds);

/* Take a sample of a scheduler's totals. */
static inline struct ioband_depth_sample
ioband_depth_look(const struct ioband_sched *sched, u64 now_ns)
{
	return (struct ioband_depth_sample) {
		.now_ns		= now_ns,
		.ios		= sched->sent_ios,
		.sectors	= sched->sent_sectors,
		.work		= sched->sent_work,
		.leaks		= sched->leaks,
		.guests		= sched->guests,
		.gaps		= sched->gaps,
		.graced_ns	= sched->graced_ns,
	};
}

/* A window lasts at least 50 ms, then until it has 128 I/Os or has lasted 1 s. */
static inline bool ioband_depth_window_ends(u64 ns, u64 ios)
{
	return ns >= 50 * NSEC_PER_MSEC && (ios >= 128 || ns >= NSEC_PER_SEC);
}

/* Whether ioband_depth_tick() could change anything; most often it could not. */
static inline bool ioband_depth_is_due(const struct ioband_depth *depth, u32 max,
				       const struct ioband_sched *sched, u64 now_ns)
{
	return max != depth->max || depth->trying ||
	       ioband_depth_window_ends(now_ns - depth->from.now_ns,
					sched->sent_ios - depth->from.ios);
}

#endif /* _IOBAND_DEPTH_H */
