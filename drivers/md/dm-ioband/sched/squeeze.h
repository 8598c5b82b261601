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

enum ioband_squeeze_state {
	IOBAND_SQUEEZE_OFF,
	IOBAND_SQUEEZE_MEASURING,	/* what is written, and missed, without it */
	IOBAND_SQUEEZE_ON,
};

/* I/Os with a target. */
struct ioband_squeeze_count {
	u64 done;
	u64 late;
};

/**
 * struct ioband_squeeze - how far writes are slowed down, and what for
 * @state: what it is doing
 * @is_shut: writes wait until @open_ns
 * @terms: the limit; of the root while it is on
 * @rate: bytes per second that may be written; 0 unless it is on
 * @was_rate: what was written before
 * @kept_rate: @rate when it was last on, if it was of use
 * @sent_sectors: written in turn, in all
 * @from_sectors: written when it began to measure
 * @open_ns: when the next write may go
 * @shut_ns: when a write last had to wait
 * @heard_ns: when it was last told of I/O with a target
 * @began_ns: when it began to measure
 * @looked_ns: the last look
 * @away_ns: for how long it stays away when it does not help
 * @until_ns: until when it stays away
 * @worst: since the last look, by how much rather less than more should be written
 * @now: what was kept and what was not, since something has changed
 * @was: the same while it measured
 */
struct ioband_squeeze {
	u8 state;
	bool is_shut;
	struct ioband_terms terms;
	u64 rate;
	u64 was_rate;
	u64 kept_rate;
	u64 sent_sectors;
	u64 from_sectors;
	u64 open_ns;
	u64 shut_ns;
	u64 heard_ns;
	u64 began_ns;
	u64 looked_ns;
	u64 away_ns;
	u64 until_ns;
	s64 worst;
	struct ioband_squeeze_count now;
	struct ioband_squeeze_count was;
};

void ioband_squeeze_note(struct ioband_sched *sched, struct ioband_terms *terms,
			 u64 done, u64 late, u64 now_ns);
void ioband_squeeze_check(struct ioband_sched *sched, u64 now_ns);
bool ioband_squeeze_tick(struct ioband_sched *sched, u64 now_ns);
u32 ioband_squeeze_percent(const struct ioband_sched *sched);

#endif /* _IOBAND_SQUEEZE_H */
