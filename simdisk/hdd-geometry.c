// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drive geometry.
 *
 * Let a drive read all of itself without a pause, from the first sector on: each
 * track takes one turn, each change of track the skew. The time at which a sector
 * comes by in this run, hdd_pass_ns(), says all there is to say about rotation:
 * the sector is under the heads whenever the time differs from that by whole
 * turns, and to read from a to b takes just the difference of their times.
 *
 * Seeks: C. Ruemmler, J. Wilkes, "An introduction to disk drive modeling", IEEE
 * Computer 27(3), 1994. The arm speeds up half of the way and slows down again, so
 * the time of short seeks goes with the square root of the distance; on long ones
 * it coasts, and their time goes with the distance. Data sheets give three points
 * of the curve: track to track, the average, which is about that of a third of all
 * cylinders, and the full stroke. The root joins the first two, a line the others.
 */
#include "hdd-geometry.h"

enum {
	ROOT_SHIFT	= 20,	/* the square root has this many binary places */
};

/**
 * hdd_geometry_init - lay out a drive
 * @geo: uninitialised memory
 * @params: its parameters
 *
 * Zones have equally many cylinders; the track length falls evenly from the rim
 * inwards.
 */
void hdd_geometry_init(struct hdd_geometry *geo,
		       const struct simdisk_params *params)
{
	u64 outer, inner, sum = 0, cylinders, tracks;
	struct hdd_zone *zone, *before;
	int i;

	geo->turn_ns = div64_u64(60 * SIMDISK_SECOND, params->rpm);
	geo->skew_ns = params->skew_ns;
	geo->heads = params->heads;
	outer = div64_u64(params->outer_bytes_per_s * geo->turn_ns,
			  SIMDISK_SECTOR_BYTES * SIMDISK_SECOND);
	inner = div64_u64(params->inner_bytes_per_s * geo->turn_ns,
			  SIMDISK_SECTOR_BYTES * SIMDISK_SECOND);

	for (i = 0; i < HDD_ZONES; i++) {
		zone = &geo->zones[i];
		zone->track_sectors = outer - div64_u64((outer - inner) * i,
							HDD_ZONES - 1);
		zone->track_sectors = max(zone->track_sectors, 1U);
		sum += zone->track_sectors;
	}
	cylinders = DIV64_U64_ROUND_UP(params->capacity_mib *
				       SIMDISK_SECTORS_PER_MIB,
				       sum * geo->heads);
	tracks = cylinders * geo->heads;

	for (i = 0; i < HDD_ZONES; i++) {
		zone = &geo->zones[i];
		before = zone - 1;
		zone->track = i * tracks;
		zone->sector = i ? before->sector +
				   tracks * before->track_sectors : 0;
		zone->pass_ns = zone->track * (geo->turn_ns + geo->skew_ns);
	}
	geo->cylinders = cylinders * HDD_ZONES;
	geo->sectors = tracks * sum;
}

/* A sector's track, and its place on it. */
static u64 locate(const struct hdd_geometry *geo, u64 sector, u64 *index,
		  u32 *track_sectors)
{
	const struct hdd_zone *zone = &geo->zones[HDD_ZONES - 1];

	while (zone->sector > sector)
		zone--;
	*track_sectors = zone->track_sectors;
	return zone->track + div64_u64_rem(sector - zone->sector,
					   zone->track_sectors, index);
}

/**
 * hdd_track - the track of a sector
 * @geo: the drive
 * @sector: the sector
 *
 * Return: its number.
 */
u64 hdd_track(const struct hdd_geometry *geo, u64 sector)
{
	u32 track_sectors;
	u64 index;

	return locate(geo, sector, &index, &track_sectors);
}

/**
 * hdd_pass_ns - when a sector begins to pass in a run over the whole drive
 * @geo: the drive
 * @sector: the sector
 *
 * Return: time since the run began.
 */
u64 hdd_pass_ns(const struct hdd_geometry *geo, u64 sector)
{
	u32 track_sectors;
	u64 index, track = locate(geo, sector, &index, &track_sectors);

	return track * (geo->turn_ns + geo->skew_ns) +
	       DIV64_U64_ROUND_UP(index * geo->turn_ns, track_sectors);
}

/**
 * hdd_passed_ns - when the sectors before one have passed
 * @geo: the drive
 * @end: the sector, not 0
 *
 * Return: time since the run began: before hdd_pass_ns() by the skew if @end is
 * the first of a track, else the same.
 */
u64 hdd_passed_ns(const struct hdd_geometry *geo, u64 end)
{
	u32 track_sectors;
	u64 index, track = locate(geo, end - 1, &index, &track_sectors);

	return track * (geo->turn_ns + geo->skew_ns) +
	       DIV64_U64_ROUND_UP((index + 1) * geo->turn_ns, track_sectors);
}

/**
 * hdd_reached - the sectors that have passed by some time of the run
 * @geo: the drive
 * @pass_ns: time since the run began
 *
 * Return: the number of these sectors, which is the first one still to come.
 */
u64 hdd_reached(const struct hdd_geometry *geo, u64 pass_ns)
{
	const struct hdd_zone *zone = &geo->zones[HDD_ZONES - 1];
	u64 rest, tracks;

	while (zone->pass_ns > pass_ns)
		zone--;
	tracks = div64_u64_rem(pass_ns - zone->pass_ns,
			       geo->turn_ns + geo->skew_ns, &rest);
	rest = min(rest, geo->turn_ns);
	return zone->sector + tracks * zone->track_sectors +
	       div64_u64(rest * zone->track_sectors, geo->turn_ns);
}

/**
 * hdd_seek_ns - how long it takes to get from track to track
 * @geo: the drive
 * @params: its parameters
 * @from_track: where the heads are
 * @to_track: where they are to be
 *
 * Return: the time.
 */
u64 hdd_seek_ns(const struct hdd_geometry *geo,
		const struct simdisk_params *params, u64 from_track,
		u64 to_track)
{
	u64 from = div64_u64(from_track, geo->heads);
	u64 to = div64_u64(to_track, geo->heads);
	u64 thirds = 3 * (from < to ? to - from : from - to);
	u64 root;

	if (from_track == to_track)
		return 0;
	if (from == to)		/* another head */
		return geo->skew_ns;
	if (thirds > geo->cylinders)
		return params->seek_avg_ns +
		       div64_u64((params->seek_max_ns - params->seek_avg_ns) *
				 (thirds - geo->cylinders), 2 * geo->cylinders);
	root = int_sqrt64(div64_u64((thirds - 3) << (2 * ROOT_SHIFT),
				    geo->cylinders));
	return params->seek_min_ns +
	       ((params->seek_avg_ns - params->seek_min_ns) * root >> ROOT_SHIFT);
}
