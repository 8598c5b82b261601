/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual time of siblings, and their places in it.
 *
 * As long as no limit above is for one direction only, what goes either way passes in
 * one order, and a node has one place in it. Such a limit may let less go that way than
 * is due. Others use what is left of the disk, and all that goes that way falls behind
 * them, though it is in order among itself. So each direction has a time and places of
 * its own, and @skew tells how they compare.
 *
 * What lags goes first as soon as the limit allows, and a little lag is needed to use
 * the limit up. But a limit accumulates no credit: at more than %IOBAND_LAG_STEPS of the
 * longest steps the skew grows instead. That leaves the order of what lags as it is, and
 * takes the same time however many there are.
 */
#ifndef _IOBAND_VTIME_H
#define _IOBAND_VTIME_H

#include "core.h"

#define IOBAND_LAG_STEPS	16

static inline enum ioband_dir ioband_dir_back(enum ioband_dir dir)
{
	return dir ^ 1;
}

/* A place of what goes @dir, to be compared with those of either direction. */
static inline u64 ioband_common(const struct ioband_vtime *time, enum ioband_dir dir,
				u64 place)
{
	return dir == IOBAND_WRITE ? place + time->skew : place;
}

/* The place in the other direction that compares with @place of what goes @dir. */
static inline u64 ioband_place_back(const struct ioband_vtime *time,
				    enum ioband_dir dir, u64 place)
{
	return dir == IOBAND_WRITE ? place + time->skew : place - time->skew;
}

/* The earlier of the places of both directions, to be compared with any. */
static inline u64 ioband_place_first(const struct ioband_tag *tag,
				     const struct ioband_vtime *time)
{
	u64 write = ioband_common(time, IOBAND_WRITE, tag->start[IOBAND_WRITE]);

	return ioband_before(write, tag->start[IOBAND_READ]) ? write :
							       tag->start[IOBAND_READ];
}

/* How far behind the other direction is what goes @dir; below 0 if it is ahead. */
static inline s64 ioband_lag(const struct ioband_vtime *time, enum ioband_dir dir)
{
	enum ioband_dir back = ioband_dir_back(dir);

	return ioband_common(time, back, time->now[back]) -
	       ioband_common(time, dir, time->now[dir]);
}

/* Take away lag of what goes @dir beyond the limit for it. */
static inline void ioband_lag_cut(struct ioband_vtime *time, enum ioband_dir dir, u64 stride)
{
	s64 excess = ioband_lag(time, dir) - (s64)(IOBAND_LAG_STEPS * stride);

	if (excess > 0)
		time->skew += dir == IOBAND_WRITE ? excess : -excess;
}

/* Whether @tag is of the past of what goes @dir. */
static inline bool ioband_is_behind(const struct ioband_tag *tag,
				    const struct ioband_vtime *time, enum ioband_dir dir)
{
	return ioband_before(tag->start[dir], time->now[dir]);
}

static inline bool ioband_is_ahead(const struct ioband_tag *tag,
				   const struct ioband_vtime *time, enum ioband_dir dir)
{
	return ioband_before(time->now[dir], tag->start[dir]);
}

/* Move @tag on, as far as it is further behind virtual time than by @behind. */
static inline void ioband_tag_raise(struct ioband_tag *tag,
				    const struct ioband_vtime *time, u64 behind)
{
	enum ioband_dir dir;

	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++)
		if (ioband_before(tag->start[dir], time->now[dir] - behind))
			tag->start[dir] = time->now[dir] - behind;
}

static inline struct ioband_tag ioband_tag_now(const struct ioband_vtime *time, u64 ahead)
{
	return (struct ioband_tag) {
		.start = { time->now[IOBAND_READ] + ahead, time->now[IOBAND_WRITE] + ahead },
	};
}

/* By how much @tag is ahead, in the direction where it is further; no less than 0. */
static inline u64 ioband_tag_ahead(const struct ioband_tag *tag,
				   const struct ioband_vtime *time)
{
	s64 ahead = max((s64)(tag->start[IOBAND_READ] - time->now[IOBAND_READ]),
			(s64)(tag->start[IOBAND_WRITE] - time->now[IOBAND_WRITE]));

	return max_t(s64, ahead, 0);
}

static inline void ioband_tag_move(struct ioband_tag *tag, u64 step)
{
	tag->start[IOBAND_READ] += step;
	tag->start[IOBAND_WRITE] += step;
}

/* Whether both directions have one place. */
static inline bool ioband_tag_is_one(const struct ioband_tag *tag,
				     const struct ioband_vtime *time)
{
	return tag->start[IOBAND_READ] ==
	       ioband_common(time, IOBAND_WRITE, tag->start[IOBAND_WRITE]);
}

#endif /* _IOBAND_VTIME_H */
