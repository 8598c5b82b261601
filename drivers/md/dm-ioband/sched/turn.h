/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns and grace: on a disk that is slow, when to hold back I/O that could be sent. */
#ifndef _IOBAND_TURN_H
#define _IOBAND_TURN_H

#include "env.h"

#define IOBAND_QUANTUM_NS	((u64)40 * NSEC_PER_MSEC)

struct ioband_node;
struct ioband_sched;

/* Which group has the disk, and which a place is kept free for */
struct ioband_turn {
	bool is_serial;		/* the disk is given one I/O at a time; kept by the caller */
	bool has_grace;	/* a place may be kept free; then the caller says what completes */
	/* How many I/Os of the stream that has the disk it may be given at once */
	u32 at_once;
	u64 quantum_ns;		/* how long a group may keep the disk under policy weight-time */
	u64 grace_ns;		/* the longest that a place is kept free for one I/O */
	struct ioband_node *group;	/* the group whose turn it is, or %NULL */
	u64 used_ns;		/* how much of its quantum is used up */
	/* The stream in it that was served last; @group if that I/O had no stream */
	struct ioband_node *stream;
	/* Group or stream whose I/O completed last and that may come back at once, or %NULL */
	struct ioband_node *last;
	/*
	 * Since when a place is kept free for @last and that is not counted yet; 0 if none
	 * is, or if no other I/O could go: ioband_timer() relies on it
	 */
	u64 since_ns;
	u64 until_ns;		/* until when it is kept free */
	u64 began_ns;		/* when the busy period began; 0 until that is known */
	u64 spent_ns;	/* how long one was kept free since then while no group had a turn */
};

void ioband_done(struct ioband_sched *sched, struct ioband_node *node, u32 ios,
		 u32 dirs, u64 used_ns, u64 charged_ns, bool is_sync, u64 now_ns);

#endif /* _IOBAND_TURN_H */
