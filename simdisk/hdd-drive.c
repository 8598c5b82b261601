// SPDX-License-Identifier: GPL-2.0-only
/*
 * One drive.
 *
 * Choice: of the commands it knows of (ncq_depth) the one that the heads can get
 * at first, seek and rotation counted: D. Jacobson, J. Wilkes, "Disk scheduling
 * algorithms based on rotational position", HP Labs 1991. One that has waited for
 * ncq_age_ns goes before all others.
 *
 * Read buffer: after a read the heads stay and read on, into one of several
 * segments, until three quarters of it are full of what has not been asked for yet,
 * or there is something else to do. Reading ahead goes on when half of that has been
 * used up. A read that goes on where a segment ends belongs to a stream, and for a
 * stream at least prefetch_kib are read ahead before anything else is done: the
 * minimum prefetch of SCSI's caching mode page.
 *
 * Write cache: a write that finds room is done at once. It is written when no read
 * waits, or if a write waits for room or a flush for all that came before it;
 * again what the heads get at first. Neighbours are written as one.
 */
#include "hdd-drive.h"

enum {
	EXTENT_SECTORS_MAX	= 1024,
};

static u64 piece_end(const struct simdisk_piece *piece)
{
	return piece->sector + piece->sectors;
}

static u64 segment_sectors(const struct simdisk *disk)
{
	return disk->params.segment_kib * SIMDISK_SECTORS_PER_KIB;
}

/* What is read ahead at most: a quarter is left for what has been read. */
static u64 ahead_sectors(const struct simdisk *disk)
{
	return segment_sectors(disk) / 4 * 3;
}

/* Seek to a sector and wait for it. */
static u64 access_ns(const struct simdisk *disk, const struct hdd_geometry *geo,
		     const struct hdd_drive *drive, u64 sector)
{
	u64 seek = hdd_seek_ns(geo, &disk->params, drive->track,
			       hdd_track(geo, sector));
	u64 at, due;

	div64_u64_rem(disk->now_ns + seek + drive->phase_ns, geo->turn_ns, &at);
	div64_u64_rem(hdd_pass_ns(geo, sector), geo->turn_ns, &due);
	return seek + (due >= at ? due - at : due + geo->turn_ns - at);
}

/* To read or write from a sector to another, once the heads are there. */
static u64 run_ns(const struct hdd_geometry *geo, u64 sector, u64 end)
{
	return hdd_passed_ns(geo, end) - hdd_pass_ns(geo, sector);
}

/* How far reading ahead has come by now. */
static u64 filled(const struct simdisk *disk, const struct hdd_geometry *geo,
		  const struct hdd_drive *drive)
{
	if (disk->now_ns <= drive->fill_ns)
		return drive->fill_sector;
	return min(drive->fill_limit,
		   hdd_reached(geo, hdd_pass_ns(geo, drive->fill_sector) +
				    disk->now_ns - drive->fill_ns));
}

static bool reads_ahead(const struct hdd_drive *drive)
{
	return drive->segment && (drive->state == HDD_IDLE ||
				  drive->state == HDD_PREFETCHING);
}

/* The segment that is read into now has what has been read by now. */
static void update_segment(const struct simdisk *disk,
			   const struct hdd_geometry *geo,
			   struct hdd_drive *drive)
{
	struct hdd_segment *segment = drive->segment;

	if (!reads_ahead(drive))
		return;
	segment->end = filled(disk, geo, drive);
	if (segment->end > segment->start + segment_sectors(disk))
		segment->start = segment->end - segment_sectors(disk);
}

/* The arm is wanted elsewhere. */
static void leave_segment(const struct simdisk *disk,
			  const struct hdd_geometry *geo,
			  struct hdd_drive *drive)
{
	if (!drive->segment)
		return;
	update_segment(disk, geo, drive);
	if (reads_ahead(drive) && drive->segment->end)
		drive->track = hdd_track(geo, drive->segment->end - 1);
	drive->segment = NULL;
}

static void read_ahead(const struct simdisk *disk,
		       const struct hdd_geometry *geo, struct hdd_drive *drive,
		       struct hdd_segment *segment, u64 from_ns, u64 used)
{
	drive->segment = segment;
	drive->fill_sector = segment->end;
	drive->fill_ns = from_ns;
	drive->fill_limit = min(used + ahead_sectors(disk), geo->sectors);
}

/* The host has read from a segment, up to the sector @used: keep ahead of it. */
static void keep_ahead(const struct simdisk *disk,
		       const struct hdd_geometry *geo, struct hdd_drive *drive,
		       struct hdd_segment *segment, u64 used)
{
	u64 limit = min(used + ahead_sectors(disk), geo->sectors);

	segment->used_ns = disk->now_ns;
	segment->stream = true;
	if (segment == drive->segment && reads_ahead(drive) &&
	    segment->end < drive->fill_limit) {
		drive->fill_limit = max(drive->fill_limit, limit);
	} else if (drive->state == HDD_IDLE &&
		   limit >= segment->end + ahead_sectors(disk) / 2) {
		leave_segment(disk, geo, drive);
		read_ahead(disk, geo, drive, segment, disk->now_ns +
			   access_ns(disk, geo, drive, segment->end), used);
		drive->track = hdd_track(geo, segment->end);
	}
}

/* The segment that has a sector or is just about to read it, or %NULL. */
static struct hdd_segment *find_segment(const struct simdisk *disk,
					struct hdd_drive *drive, u64 sector)
{
	struct hdd_segment *segment;
	u32 i;

	for (i = 0; i < disk->params.segments; i++) {
		segment = &drive->segments[i];
		if (segment->end > segment->start &&
		    sector >= segment->start && sector <= segment->end)
			return segment;
	}
	return NULL;
}

static struct hdd_segment *new_segment(const struct simdisk *disk,
				       struct hdd_drive *drive, u64 sector)
{
	struct hdd_segment *segment, *oldest = NULL;
	u32 i;

	for (i = 0; i < disk->params.segments; i++) {
		segment = &drive->segments[i];
		if (!oldest || segment->used_ns < oldest->used_ns)
			oldest = segment;
	}
	if (oldest)
		*oldest = (struct hdd_segment) {
			.start	= sector,
			.end	= sector,
		};
	return oldest;
}

/* What is written is no longer in the read buffer. */
static void forget(const struct simdisk *disk, const struct hdd_geometry *geo,
		   struct hdd_drive *drive, const struct simdisk_piece *piece)
{
	struct hdd_segment *segment;
	u32 i;

	for (i = 0; i < disk->params.segments; i++) {
		segment = &drive->segments[i];
		if (segment->start >= piece_end(piece) ||
		    segment->end <= piece->sector)
			continue;
		if (segment == drive->segment) {
			if (!reads_ahead(drive))
				continue;
			leave_segment(disk, geo, drive);
		}
		segment->start = 0;
		segment->end = 0;
	}
}

static bool holds(const struct hdd_extent *extent,
		  const struct simdisk_piece *piece)
{
	return piece->sector >= extent->sector &&
	       piece_end(piece) <= extent->sector + extent->sectors;
}

/* The cache's extent that has all of a piece, or %NULL. */
static bool is_dirty(const struct hdd_drive *drive,
		     const struct simdisk_piece *piece)
{
	u32 i;

	for (i = 0; i < drive->dirty_count; i++)
		if (holds(&drive->dirty[i], piece))
			return true;
	return drive->state == HDD_DESTAGING && holds(&drive->destage, piece);
}

static u64 cache_sectors(const struct simdisk *disk)
{
	return disk->params.write_cache_kib * SIMDISK_SECTORS_PER_KIB;
}

/* A write that may end in the cache, now or when there is room. */
static bool is_cacheable(const struct simdisk *disk,
			 const struct simdisk_piece *piece)
{
	return !piece->io->fua && piece->sectors <= cache_sectors(disk);
}

/* Put a write into the cache if there is room. */
static bool absorb(const struct simdisk *disk, struct hdd_drive *drive,
		   const struct simdisk_piece *piece)
{
	struct hdd_extent *extent;
	u32 i;

	for (i = 0; i < drive->dirty_count; i++)
		if (holds(&drive->dirty[i], piece))
			return true;
	if (drive->dirty_sectors + piece->sectors > cache_sectors(disk))
		return false;
	for (i = 0; i < drive->dirty_count; i++) {
		extent = &drive->dirty[i];
		if (extent->sector + extent->sectors == piece->sector &&
		    extent->sectors + piece->sectors <= EXTENT_SECTORS_MAX) {
			extent->sectors += piece->sectors;
			drive->dirty_sectors += piece->sectors;
			return true;
		}
	}
	if (drive->dirty_count == HDD_DIRTY_MAX)
		return false;
	drive->dirty[drive->dirty_count++] = (struct hdd_extent) {
		.sector		= piece->sector,
		.sectors	= piece->sectors,
	};
	drive->dirty_sectors += piece->sectors;
	return true;
}

/* Can a piece be done without the arm? */
static bool serve_buffered(const struct simdisk *disk,
			   const struct hdd_geometry *geo,
			   struct hdd_drive *drive,
			   const struct simdisk_piece *piece, bool flushing)
{
	struct hdd_segment *segment;

	switch (piece->io->op) {
	case SIMDISK_READ:
		if (is_dirty(drive, piece))
			return true;
		segment = find_segment(disk, drive, piece->sector);
		if (!segment || piece_end(piece) > segment->end)
			return false;
		keep_ahead(disk, geo, drive, segment, piece_end(piece));
		return true;
	case SIMDISK_WRITE:
		if (flushing || !is_cacheable(disk, piece) ||
		    !absorb(disk, drive, piece))
			return false;
		forget(disk, geo, drive, piece);
		return true;
	default:	/* a flush */
		return !drive->dirty_sectors;
	}
}

static void serve_all_buffered(struct simdisk *disk,
			       const struct hdd_geometry *geo,
			       struct hdd_drive *drive)
{
	struct simdisk_piece *piece, *next;
	bool flushing = false;
	u32 n = 0;

	update_segment(disk, geo, drive);
	list_for_each_entry_safe(piece, next, &drive->queue, link) {
		if (n++ == disk->params.ncq_depth)
			break;
		if (serve_buffered(disk, geo, drive, piece, flushing)) {
			list_del(&piece->link);
			simdisk_piece_done(disk, piece);
		} else if (piece->io->op == SIMDISK_FLUSH) {
			flushing = true;
		}
	}
}

/* How soon a read can begin: a stream's next one runs already. */
static u64 read_access_ns(const struct simdisk *disk,
			  const struct hdd_geometry *geo,
			  struct hdd_drive *drive,
			  const struct simdisk_piece *piece,
			  struct hdd_segment **segment)
{
	*segment = find_segment(disk, drive, piece->sector);
	if (!*segment)
		return access_ns(disk, geo, drive, piece->sector);
	if (*segment == drive->segment && (*segment)->end < drive->fill_limit)
		return 0;
	return access_ns(disk, geo, drive, (*segment)->end);
}

static void begin_read(struct simdisk *disk, const struct hdd_geometry *geo,
		       struct hdd_drive *drive, struct simdisk_piece *piece)
{
	struct hdd_segment *segment;
	u64 access = read_access_ns(disk, geo, drive, piece, &segment);
	u64 begin, from;

	if (segment && segment == drive->segment &&
	    segment->end < drive->fill_limit) {
		begin = drive->fill_ns;
		from = drive->fill_sector;
	} else {
		begin = disk->now_ns + access;
		from = segment ? segment->end : piece->sector;
		leave_segment(disk, geo, drive);
	}
	if (segment)
		segment->stream = true;
	else
		segment = new_segment(disk, drive, piece->sector);
	drive->segment = segment;
	drive->state = HDD_READING;
	drive->until_ns = begin + run_ns(geo, from, piece_end(piece));
}

static void begin_write(struct simdisk *disk, const struct hdd_geometry *geo,
			struct hdd_drive *drive, u64 sector, u64 end)
{
	leave_segment(disk, geo, drive);
	drive->until_ns = disk->now_ns + access_ns(disk, geo, drive, sector) +
			  run_ns(geo, sector, end);
	drive->track = hdd_track(geo, end - 1);
}

/* The dirty extent that the heads get at first. */
static u32 choose_dirty(const struct simdisk *disk,
			const struct hdd_geometry *geo,
			const struct hdd_drive *drive, u64 *best_ns)
{
	u32 i, best = HDD_DIRTY_MAX;
	u64 ns;

	for (i = 0; i < drive->dirty_count; i++) {
		ns = access_ns(disk, geo, drive, drive->dirty[i].sector);
		if (ns < *best_ns) {
			*best_ns = ns;
			best = i;
		}
	}
	return best;
}

/* The piece that the heads get at first, or one that has waited too long. */
static struct simdisk_piece *
choose_piece(const struct simdisk *disk, const struct hdd_geometry *geo,
	     struct hdd_drive *drive, u64 *best_ns, bool *wants_destage)
{
	struct simdisk_piece *piece, *best = NULL;
	struct hdd_segment *segment;
	bool flushing = false;
	u32 n = 0;
	u64 ns;

	list_for_each_entry(piece, &drive->queue, link) {
		if (n++ == disk->params.ncq_depth)
			break;
		if (piece->io->op == SIMDISK_FLUSH) {
			flushing = true;
			*wants_destage = true;
			continue;
		}
		if (piece->io->op == SIMDISK_WRITE &&
		    (flushing || is_cacheable(disk, piece))) {
			*wants_destage = true;
			continue;
		}
		if (!best &&
		    disk->now_ns - piece->since_ns > disk->params.ncq_age_ns) {
			*best_ns = 0;
			return piece;
		}
		ns = piece->io->op == SIMDISK_WRITE ?
		     access_ns(disk, geo, drive, piece->sector) :
		     read_access_ns(disk, geo, drive, piece, &segment);
		if (ns < *best_ns) {
			*best_ns = ns;
			best = piece;
		}
	}
	return best;
}

/**
 * hdd_drive_add - give a piece to a drive
 * @disk: the disk
 * @drive: the drive; hdd_drive_start() has to be called after this
 * @piece: the piece, with sector and sectors
 */
void hdd_drive_add(struct simdisk *disk, struct hdd_drive *drive,
		   struct simdisk_piece *piece)
{
	piece->since_ns = disk->now_ns;
	list_add_tail(&piece->link, &drive->queue);
}

/**
 * hdd_drive_start - begin what a drive can begin now
 * @disk: the disk
 * @geo: the drive's geometry
 * @drive: the drive
 */
void hdd_drive_start(struct simdisk *disk, const struct hdd_geometry *geo,
		     struct hdd_drive *drive)
{
	struct simdisk_piece *piece;
	bool wants_destage = false;
	u64 best_ns = U64_MAX;
	u32 i = HDD_DIRTY_MAX;

	if (!list_empty(&drive->queue))
		serve_all_buffered(disk, geo, drive);
	if (drive->state != HDD_IDLE)
		return;

	piece = choose_piece(disk, geo, drive, &best_ns, &wants_destage);
	if (!piece || wants_destage)
		i = choose_dirty(disk, geo, drive, &best_ns);
	if (i < HDD_DIRTY_MAX) {
		drive->destage = drive->dirty[i];
		drive->dirty[i] = drive->dirty[--drive->dirty_count];
		begin_write(disk, geo, drive, drive->destage.sector,
			    drive->destage.sector + drive->destage.sectors);
		drive->state = HDD_DESTAGING;
		return;
	}
	if (!piece)
		return;
	list_del(&piece->link);
	drive->piece = piece;
	if (piece->io->op == SIMDISK_READ) {
		begin_read(disk, geo, drive, piece);
	} else {
		begin_write(disk, geo, drive, piece->sector, piece_end(piece));
		forget(disk, geo, drive, piece);
		drive->state = HDD_WRITING;
	}
}

static void end_read(struct simdisk *disk, const struct hdd_geometry *geo,
		     struct hdd_drive *drive)
{
	struct hdd_segment *segment = drive->segment;
	u64 end = piece_end(drive->piece);
	u64 from, ahead;

	drive->state = HDD_IDLE;
	drive->track = hdd_track(geo, end - 1);
	drive->segment = NULL;
	if (segment) {
		segment->end = end;
		segment->used_ns = disk->now_ns;
	}
	if (segment && end < geo->sectors) {
		from = disk->now_ns + hdd_pass_ns(geo, end) -
		       hdd_passed_ns(geo, end);
		read_ahead(disk, geo, drive, segment, from, end);
		ahead = disk->params.prefetch_kib * SIMDISK_SECTORS_PER_KIB;
		ahead = min(end + ahead, drive->fill_limit);
		if (segment->stream && ahead > end) {
			drive->state = HDD_PREFETCHING;
			drive->until_ns = from + run_ns(geo, end, ahead);
		}
	}
	simdisk_piece_done(disk, drive->piece);
}

/**
 * hdd_drive_event - what the arm was doing is done
 * @disk: the disk
 * @geo: the drive's geometry
 * @drive: a drive that is not idle; hdd_drive_start() has to be called after this
 */
void hdd_drive_event(struct simdisk *disk, const struct hdd_geometry *geo,
		     struct hdd_drive *drive)
{
	switch (drive->state) {
	case HDD_READING:
		end_read(disk, geo, drive);
		return;
	case HDD_WRITING:
		simdisk_piece_done(disk, drive->piece);
		break;
	case HDD_DESTAGING:
		drive->dirty_sectors -= drive->destage.sectors;
		break;
	default:
		break;
	}
	drive->state = HDD_IDLE;
}
