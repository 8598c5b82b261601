/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long a disk works for an I/O.
 *
 * A disk that has n I/Os at once works for each of them with an n-th of its time, as far
 * as we can see. So it has a clock that runs only while it is busy, and n times slower
 * with n of them. What the clock advances by from issue to completion of an I/O is that
 * one's part of the disk's time. One addition does for all that are in flight (as the
 * virtual time of processor sharing does: A. Demers, S. Keshav, S. Shenker, "Analysis and
 * simulation of a fair queueing algorithm", SIGCOMM 1989).
 */
#ifndef _IOBAND_CLOCK_H
#define _IOBAND_CLOCK_H

#include "env.h"

/* A disk's clock */
struct ioband_clock {
	u64 ns;			/* what it shows */
	u64 at_ns;	/* until when it has been advanced, but for the remainder of a division */
	u32 ios;		/* number of I/Os at the disk */
};

/**
 * ioband_clock_advance - bring a clock up to date, before @ios changes
 * @clock: the clock
 * @now_ns: the time; if it is noted late, it may be before what was noted already
 */
static inline void ioband_clock_advance(struct ioband_clock *clock, u64 now_ns)
{
	u64 rest = 0;

	if ((s64)(now_ns - clock->at_ns) <= 0)
		return;
	if (clock->ios)
		clock->ns += div64_u64_rem(now_ns - clock->at_ns, clock->ios, &rest);
	clock->at_ns = now_ns - rest;
}

/**
 * ioband_clock_start - an I/O goes to the disk
 * @clock: the clock
 * @now_ns: the time
 *
 * Return: what to pass to ioband_clock_stop().
 */
static inline u64 ioband_clock_start(struct ioband_clock *clock, u64 now_ns)
{
	ioband_clock_advance(clock, now_ns);
	clock->ios++;
	return clock->ns;
}

/**
 * ioband_clock_stop - the disk is done with an I/O
 * @clock: the clock
 * @start_ns: as returned by ioband_clock_start()
 * @now_ns: the time
 *
 * Return: how long the disk worked for it.
 */
static inline u64 ioband_clock_stop(struct ioband_clock *clock, u64 start_ns, u64 now_ns)
{
	ioband_clock_advance(clock, now_ns);
	clock->ios--;
	return clock->ns - start_ns;
}

#endif /* _IOBAND_CLOCK_H */
