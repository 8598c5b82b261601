/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The squeeze: a limit on all writes, for as long as what they leave inside the disk
 * makes others miss a latency target.
 */
#ifndef _IOBAND_SQUEEZE_H
#define _IOBAND_SQUEEZE_H

#include "terms.h"

/* How often to look. */
#define IOBAND_SQUEEZE_LOOK_NS	((u64)100 * NSEC_PER_MSEC)

struct ioband_sched;

/**
 * struct ioband_squeeze - how far writes are slowed down
 * @is_on: all I/O takes turns, so that it is known what is written
 * @is_shut: writes wait until @open_ns
 * @terms: the limit; the root's while there is one
 * @rate: bytes per second that may be written; 0: no limit, or not yet
 * @top_rate: the most that was written in a look since it is on, without a limit
 * @sent_sectors: written in turn since the last look
 * @done: I/Os of groups with a target, since it was last asked whether it is of use
 * @late: those that were late
 * @worst: since the last look, by how much rather less than more should be written
 * @excess: of the groups looked at last, the most @terms->late
 * @open_ns: when the next write may go
 * @shut_ns: when a write last had to wait, or it began
 * @heard_ns: when it was last told of I/O with a target
 * @looked_ns: the last look
 * @away_ns: for how long it stays away when it is of no use
 * @until_ns: until when it stays away
 */
struct ioband_squeeze {
	bool is_on;
	bool is_shut;
	struct ioband_terms terms;
	u64 rate;
	u64 top_rate;
	u64 sent_sectors;
	u64 done;
	u64 late;
	s64 worst;
	s64 excess;
	u64 open_ns;
	u64 shut_ns;
	u64 heard_ns;
	u64 looked_ns;
	u64 away_ns;
	u64 until_ns;
};

void ioband_squeeze_note(struct ioband_sched *sched, struct ioband_terms *terms,
			 u32 done, u32 late, u64 now_ns);
void ioband_squeeze_check(struct ioband_sched *sched, u64 now_ns);
bool ioband_squeeze_tick(struct ioband_sched *sched, u64 now_ns);
u32 ioband_squeeze_percent(const struct ioband_sched *sched);

#endif /* _IOBAND_SQUEEZE_H */
