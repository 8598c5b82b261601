/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The squeeze: a limit on all writes, for as long as what they leave inside the disk
 * makes others miss a latency target.
 */
#ifndef _IOBAND_SQUEEZE_H
#define _IOBAND_SQUEEZE_H

#include "terms.h"

/* How often to look. */
#define IOBAND_SQUEEZE_TICK_NS	((u64)100 * NSEC_PER_MSEC)

struct ioband_sched;

/* How far writes are slowed down */
struct ioband_squeeze {
	bool is_on;		/* all I/O takes turns, so that it is known what is written */
	bool is_shut;		/* writes wait until @open_ns */
	struct ioband_terms terms;	/* the limit; the root's while there is one */
	u64 rate;	/* bytes per second that may be written; 0: no limit, or not yet */
	u64 top_rate;	/* the most that was written in a look since it is on, without a limit */
	u64 sent_sectors;	/* written in turn since the last look */
	/* I/Os of groups with a target, since it was last asked whether it is of use */
	u64 done;
	u64 late;		/* those that were late */
	/* Since the last look, by how much rather less than more should be written */
	s64 worst;
	s64 excess;		/* of the groups looked at last, the most @terms->late */
	u64 open_ns;		/* when the next write may go */
	u64 shut_ns;		/* when a write last had to wait, or it began */
	u64 heard_ns;		/* when it was last told of I/O with a target */
	u64 looked_ns;		/* the last look */
	u64 away_ns;		/* for how long it stays away when it is of no use */
	u64 until_ns;		/* until when it stays away */
};

void ioband_squeeze_rest(struct ioband_terms *terms);
void ioband_squeeze_note(struct ioband_sched *sched, struct ioband_terms *terms,
			 u32 done, u32 late, u64 now_ns);
void ioband_squeeze_check(struct ioband_sched *sched, u64 now_ns);
bool ioband_squeeze_tick(struct ioband_sched *sched, u64 now_ns);
u32 ioband_squeeze_percent(const struct ioband_sched *sched);

#endif /* _IOBAND_SQUEEZE_H */
