/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One drive of a disk: the arm, the buffer for reads, the cache for writes.
 */
#ifndef _SIMDISK_HDD_DRIVE_H
#define _SIMDISK_HDD_DRIVE_H

#include "hdd-geometry.h"

enum {
	/* More than this, and there is no room for another whatever its size. */
	HDD_DIRTY_MAX	= 256,
};

/**
 * struct hdd_segment - a part of the read buffer, with neighbouring sectors
 * @start: first of these sectors
 * @end: the one after the last; as far as had been read when last looked
 * @used_ns: when the host last read from it
 * @stream: the host has read on where it had read before
 */
struct hdd_segment {
	u64 start;
	u64 end;
	u64 used_ns;
	bool stream;
};

/**
 * struct hdd_extent - sectors in the write cache
 * @sector: the first
 * @sectors: their number
 */
struct hdd_extent {
	u64 sector;
	u64 sectors;
};

enum hdd_state {
	HDD_IDLE,	/* or reading ahead, which may be broken off */
	HDD_READING,
	HDD_PREFETCHING, /* reading ahead, which may not */
	HDD_WRITING,
	HDD_DESTAGING,	/* writing from the cache */
};

/**
 * struct hdd_drive - one drive
 * @state: what the arm does
 * @until_ns: how long
 * @track: where it is
 * @phase_ns: how far this drive's rotation is ahead of the clock
 * @queue: pieces that wait, oldest first
 * @piece: what is being read or written
 * @segment: where that which is read goes, also ahead; or %NULL
 * @fill_sector: reading ahead began with this sector
 * @fill_ns: at this time
 * @fill_limit: and ends before this sector
 * @segments: the read buffer
 * @dirty: the write cache
 * @dirty_count: entries of @dirty
 * @dirty_sectors: sectors in the cache, with those being written from it
 * @destage: what is being written from the cache
 */
struct hdd_drive {
	enum hdd_state state;
	u64 until_ns;
	u64 track;
	u64 phase_ns;
	struct list_head queue;
	struct simdisk_piece *piece;
	struct hdd_segment *segment;
	u64 fill_sector;
	u64 fill_ns;
	u64 fill_limit;
	struct hdd_segment segments[SIMDISK_SEGMENTS_MAX];
	struct hdd_extent dirty[HDD_DIRTY_MAX];
	u32 dirty_count;
	u64 dirty_sectors;
	struct hdd_extent destage;
};

void hdd_drive_add(struct simdisk *disk, struct hdd_drive *drive,
		   struct simdisk_piece *piece);
void hdd_drive_start(struct simdisk *disk, const struct hdd_geometry *geo,
		     struct hdd_drive *drive);
void hdd_drive_event(struct simdisk *disk, const struct hdd_geometry *geo,
		     struct hdd_drive *drive);

#endif /* _SIMDISK_HDD_DRIVE_H */
