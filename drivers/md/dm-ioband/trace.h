/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints: the stages of a bio, and changes of a group. Entries have no pointers.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ioband

#if !defined(_DM_IOBAND_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _DM_IOBAND_TRACE_H

#include <linux/tracepoint.h>

#include "ioband.h"

DECLARE_EVENT_CLASS(ioband_bio,
	TP_PROTO(struct ioband_bio *iob, u64 wait_ns),
	TP_ARGS(iob, wait_ns),

	TP_STRUCT__entry(
		__string(share, iob->group->volume->pool->name)
		__field(dev_t, dev)
		__field(s64, group)
		__field(sector_t, sector)
		__field(unsigned int, nr_sectors)
		__field(u64, wait_ns)
		__field(u32, held)
		__field(u32, in_flight)
		__field(char, op)
	),

	TP_fast_assign(
		struct bio *bio = iob->bio;
		struct ioband_group *group = iob->group;
		struct ioband_pool *pool = group->volume->pool;

		ioband_assign_str(share, pool->name);
		__entry->dev = bio_dev(bio);
		__entry->group = group->is_default ? -1 : (s64)group->id;
		__entry->sector = bio->bi_iter.bi_sector;
		__entry->nr_sectors = bio_sectors(bio);
		__entry->wait_ns = wait_ns;
		__entry->held = group->node.held;
		__entry->in_flight = iop_in_flight(pool);
		__entry->op = bio_has_data(bio) ? "RW"[iob->io.dir] : 'D';
	),

	TP_printk("%s %d,%d group=%lld %c %llu + %u held=%u in_flight=%u wait_ns=%llu",
		  __get_str(share), MAJOR(__entry->dev), MINOR(__entry->dev),
		  __entry->group, __entry->op,
		  (unsigned long long)__entry->sector, __entry->nr_sectors,
		  __entry->held, __entry->in_flight, __entry->wait_ns)
);

/* Held: its turn has not come. */
DEFINE_EVENT(ioband_bio, ioband_hold,
	TP_PROTO(struct ioband_bio *iob, u64 wait_ns),
	TP_ARGS(iob, wait_ns));

/* Its turn has come; wait_ns counts from submission. */
DEFINE_EVENT(ioband_bio, ioband_dispatch,
	TP_PROTO(struct ioband_bio *iob, u64 wait_ns),
	TP_ARGS(iob, wait_ns));

/* Not held: there was room, or it must not wait. */
DEFINE_EVENT(ioband_bio, ioband_pass,
	TP_PROTO(struct ioband_bio *iob, u64 wait_ns),
	TP_ARGS(iob, wait_ns));

TRACE_EVENT(ioband_group,
	TP_PROTO(const struct ioband_group *group, const char *what),
	TP_ARGS(group, what),

	TP_STRUCT__entry(
		__string(share, group->volume->pool->name)
		__string(what, what)
		__field(s64, group)
		__field(u32, weight)
	),

	TP_fast_assign(
		ioband_assign_str(share, group->volume->pool->name);
		ioband_assign_str(what, what);
		__entry->group = group->is_default ? -1 : (s64)group->id;
		__entry->weight = group->node.weight;
	),

	TP_printk("%s group=%lld %s weight=%u", __get_str(share),
		  __entry->group, __get_str(what), __entry->weight)
);

#endif /* _DM_IOBAND_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
