/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can be set on a simulated disk: one list, from which come the structure,
 * the table that words are checked with, and the module's configfs attributes.
 *
 *	P(name, models, when, least, most)
 *
 * Models are those of which it is a parameter; LIVE ones may be changed while
 * the disk runs, and hold for what is begun after that. MiB, KiB and heads are
 * whole numbers; a rate is in bytes per second, of 1000.
 */
#ifndef _SIMDISK_PARAMS_H
#define _SIMDISK_PARAMS_H

#define SIMDISK_DISKS_MAX	16
#define SIMDISK_SEGMENTS_MAX	64
#define SIMDISK_SECOND		1000000000ULL

#define SIMDISK_PARAMS(P)						\
	/* all models: what the host sees */				\
	P(size_mib,		SIMDISK_ALL, OFF,	1,	1 << 24)	\
	P(queue_depth,		SIMDISK_ALL, OFF,	1,	1023)		\
	P(memory_backed,	SIMDISK_ALL, OFF,	0,	1)		\
	P(discard,		SIMDISK_FLAT | SIMDISK_SSD, OFF, 0,	1)		\
	P(seed,			SIMDISK_ALL, OFF,	0,	U32_MAX)	\
	/* all models: how it is unlike clockwork */			\
	P(cap_ios_per_s,	SIMDISK_ALL, LIVE,	0,	SIMDISK_SECOND)	\
	P(cap_bytes_per_s,	SIMDISK_ALL, LIVE,	0,	1000 * SIMDISK_SECOND) \
	P(credit_ns,		SIMDISK_ALL, LIVE,	0,	100000 * SIMDISK_SECOND) \
	P(stall_every_ns,	SIMDISK_ALL, OFF,	0,	100000 * SIMDISK_SECOND) \
	P(stall_ns,		SIMDISK_ALL, OFF,	0,	100 * SIMDISK_SECOND) \
	/* flat, serial, ssd: the same of a single service */		\
	P(jitter_percent,	SIMDISK_VARIED, LIVE,	0,	100)	\
	P(tail_ppm,		SIMDISK_VARIED, LIVE,	0,	1000000) \
	P(tail_ns,		SIMDISK_VARIED, LIVE,	0,	10 * SIMDISK_SECOND) \
	P(drift_percent,	SIMDISK_VARIED, LIVE,	0,	90)	\
	P(drift_ns,		SIMDISK_VARIED, LIVE,	0,	100000 * SIMDISK_SECOND) \
	/* flat */							\
	P(slots,		SIMDISK_FLAT,	LIVE,	1,	1023)		\
	P(service_ns,		SIMDISK_FLAT,	LIVE,	0,	100 * SIMDISK_SECOND) \
	P(more_ns,		SIMDISK_FLAT,	LIVE,	0,	SIMDISK_SECOND)	\
	P(write_percent,	SIMDISK_FLAT,	LIVE,	1,	1000)	\
	/* serial */							\
	P(seek_ns,		SIMDISK_SERIAL,	LIVE,	0,	100 * SIMDISK_SECOND) \
	P(seq_ns,		SIMDISK_SERIAL,	LIVE,	0,	SIMDISK_SECOND)	\
	/* hdd, array: the drive */					\
	P(capacity_mib,		SIMDISK_DRIVE,	OFF,	16,	1 << 24) \
	P(heads,		SIMDISK_DRIVE,	OFF,	1,	64)	\
	P(rpm,			SIMDISK_DRIVE,	OFF,	300,	100000)	\
	P(outer_bytes_per_s,	SIMDISK_DRIVE,	OFF,	100000,	10 * SIMDISK_SECOND) \
	P(inner_bytes_per_s,	SIMDISK_DRIVE,	OFF,	100000,	10 * SIMDISK_SECOND) \
	P(skew_ns,		SIMDISK_DRIVE,	OFF,	0,	SIMDISK_SECOND) \
	P(seek_min_ns,		SIMDISK_DRIVE,	LIVE,	0,	SIMDISK_SECOND) \
	P(seek_avg_ns,		SIMDISK_DRIVE,	LIVE,	0,	SIMDISK_SECOND) \
	P(seek_max_ns,		SIMDISK_DRIVE,	LIVE,	0,	SIMDISK_SECOND) \
	P(ncq_depth,		SIMDISK_DRIVE,	LIVE,	1,	32)	\
	P(ncq_age_ns,		SIMDISK_DRIVE,	LIVE,	0,	100 * SIMDISK_SECOND) \
	P(segments,		SIMDISK_DRIVE,	OFF,	0,	SIMDISK_SEGMENTS_MAX) \
	P(segment_kib,		SIMDISK_DRIVE,	OFF,	4,	65536)	\
	P(prefetch_kib,		SIMDISK_DRIVE,	LIVE,	0,	65536)	\
	P(write_cache_kib,	SIMDISK_DRIVE,	OFF,	0,	1 << 20) \
	/* array */							\
	P(disks,		SIMDISK_ARRAY,	OFF,	1,	SIMDISK_DISKS_MAX) \
	P(chunk_kib,		SIMDISK_ARRAY,	OFF,	4,	65536)	\
	/* hdd, array, ssd: between host and disk */			\
	P(overhead_ns,		SIMDISK_LINKED,	LIVE,	0,	SIMDISK_SECOND)	\
	P(link_bytes_per_s,	SIMDISK_LINKED,	LIVE,	100000,	100 * SIMDISK_SECOND) \
	/* ssd */							\
	P(channels,		SIMDISK_SSD,	OFF,	1,	16)	\
	P(dies,			SIMDISK_SSD,	OFF,	1,	8)	\
	P(page_kib,		SIMDISK_SSD,	OFF,	4,	64)	\
	P(block_pages,		SIMDISK_SSD,	OFF,	1,	65536)	\
	P(bus_bytes_per_s,	SIMDISK_SSD,	LIVE,	100000,	100 * SIMDISK_SECOND) \
	P(read_ns,		SIMDISK_SSD,	LIVE,	0,	SIMDISK_SECOND) \
	P(program_ns,		SIMDISK_SSD,	LIVE,	0,	SIMDISK_SECOND) \
	P(erase_ns,		SIMDISK_SSD,	LIVE,	0,	SIMDISK_SECOND) \
	P(gc_valid_percent,	SIMDISK_SSD,	LIVE,	0,	95)	\
	P(buffer_kib,		SIMDISK_SSD,	OFF,	4,	1 << 20)

#endif /* _SIMDISK_PARAMS_H */
