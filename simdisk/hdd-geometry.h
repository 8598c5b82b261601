/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the sectors of a drive lie, and when they pass under its heads.
 */
#ifndef _SIMDISK_HDD_GEOMETRY_H
#define _SIMDISK_HDD_GEOMETRY_H

#include "simdisk-model.h"

enum {
	HDD_ZONES	= 16,
};

/**
 * struct hdd_zone - cylinders of equal track length
 * @sector: its first sector
 * @track: its first track, counted along the sectors: all heads of a cylinder,
 *	then the next cylinder
 * @pass_ns: see hdd_pass_ns()
 * @track_sectors: sectors per track
 */
struct hdd_zone {
	u64 sector;
	u64 track;
	u64 pass_ns;
	u32 track_sectors;
};

/**
 * struct hdd_geometry - a drive's platters
 * @turn_ns: one revolution
 * @skew_ns: by how much the first sector of a track lies behind the last one of
 *	the track before, so that a switch of heads does not miss it
 * @sectors: their number
 * @cylinders: their number
 * @heads: tracks per cylinder
 * @zones: from the rim inwards
 */
struct hdd_geometry {
	u64 turn_ns;
	u64 skew_ns;
	u64 sectors;
	u64 cylinders;
	u32 heads;
	struct hdd_zone zones[HDD_ZONES];
};

void hdd_geometry_init(struct hdd_geometry *geo,
		       const struct simdisk_params *params);
u64 hdd_track(const struct hdd_geometry *geo, u64 sector);
u64 hdd_pass_ns(const struct hdd_geometry *geo, u64 sector);
u64 hdd_passed_ns(const struct hdd_geometry *geo, u64 end);
u64 hdd_reached(const struct hdd_geometry *geo, u64 pass_ns);
u64 hdd_seek_ns(const struct hdd_geometry *geo,
		const struct simdisk_params *params, u64 from_track,
		u64 to_track);

#endif /* _SIMDISK_HDD_GEOMETRY_H */
