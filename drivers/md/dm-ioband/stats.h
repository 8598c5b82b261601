/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting what a bio does, in the path of each.
 */
#ifndef _DM_IOBAND_STATS_H
#define _DM_IOBAND_STATS_H

#include "ioband.h"

/* Time outstanding, the way the block layer keeps a disk's io_ticks. */
static inline void iog_busy(struct ioband_group *group, bool end)
{
	unsigned long now = jiffies;
	unsigned long stamp = READ_ONCE(group->busy_stamp_jiffies);

	if (stamp != now && cmpxchg(&group->busy_stamp_jiffies, stamp, now) == stamp)
		WRITE_ONCE(group->busy_jiffies,
			   READ_ONCE(group->busy_jiffies) + (end ? now - stamp : 1));
}

static inline void iob_issue(struct ioband_bio *iob, u64 now_ns)
{
	struct ioband_stats __percpu *stats = iob->group->stats;

	iob->issue_ns = now_ns;
	this_cpu_inc(stats->issued_ios[iob->io.dir]);
	this_cpu_add(stats->issued_sectors[iob->io.dir], iob->data_sectors);
	iog_busy(iob->group, false);
}

static inline unsigned int ioband_bucket(u64 ns)
{
	return min_t(unsigned int, fls64(ns >> 10), IOBAND_BUCKETS - 1);
}

/* Add to a counter of a group's waits: under pool->lock, but iog_sum() reads without. */
static inline void waits_add(u64 *counter, u64 more)
{
	WRITE_ONCE(*counter, *counter + more);
}

/* Account for the time it was held, now that it is over; pool->lock is held. */
static inline void iob_released(struct ioband_bio *iob, u64 now_ns)
{
	struct ioband_waits *waits = &iob->group->waits;
	u64 held_ns = now_ns - iob->io.arrival_ns;
	u64 limited_ns = min(iob->io.limited_ns, held_ns);
	u64 graced_ns = min(iob->io.graced_ns, held_ns - limited_ns);

	waits_add(&waits->buckets[ioband_bucket(held_ns)], 1);
	waits_add(&waits->because_ns[IOBAND_BECAUSE_LIMIT], limited_ns);
	waits_add(&waits->because_ns[IOBAND_BECAUSE_GRACE], graced_ns);
	waits_add(&waits->because_ns[iob->io.because], held_ns - limited_ns - graced_ns);
}

#endif /* _DM_IOBAND_STATS_H */
