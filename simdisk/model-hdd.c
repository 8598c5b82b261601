// SPDX-License-Identifier: GPL-2.0-only
/*
 * hdd: one drive, and array: several, striped.
 *
 * A write's data cross the link to the host before the drives have it, a read's
 * after that. Each drive does its piece of an I/O; an I/O is done with its last.
 *
 * Where the defaults come from. "Seed 002" is "IO scheduler based IO controller
 * V10" (V. Goyal, linux-kernel, 2009-09-24): one 7200 rpm SATA disk, queue depth
 * 31. "Seed 003" is "Performance numbers with IO throttling patches" (V. Goyal,
 * 2009-10-10): an array of 5 striped disks.
 *
 *	rpm			7200: seed 002
 *	seek, skew		0.8 ms track to track, 8.5 ms on average, about
 *				twice that full stroke: data sheets of 7200 rpm
 *				desktop drives of these years
 *	outer, inner rate	78 and 46 MB/s with the skew counted in, 62 MB/s
 *				on average: what HD Tune read from a Barracuda
 *				7200.10 (goughlui.com, ST3320620A)
 *	ncq_depth		31: seed 002
 *	capacity		250 GB, of 125 GB per surface; the array's 500 GB:
 *				seed 003, and its size is that of the LUN there
 *	buffers			half each of the 16 MiB that such drives have
 *	link			300 MB/s, SATA 2; the array's 115 MB/s, for that
 *				is what seed 003 reads at most, and Gigabit
 *				Ethernet
 *
 * Fitted to the seeds, for nothing says what they were:
 *
 *	overhead		a lone sequential reader of 4 KiB gets 35 MB/s
 *				(002), 14 MB/s from the array (003)
 *	hdd's size		how far apart the files lay decides how long seeks
 *				are: a lone random reader of 4 KiB gets 484 KB/s
 *				(002)
 *
 * With these, 8 random readers get 1.4 MB/s from the array, seed 003 says 1.5.
 */
#include "hdd-drive.h"
#include "prng.h"

enum {
	CYLINDERS_MAX	= 1 << 22,
};

/**
 * struct hdd - state of the models
 * @geo: of each drive
 * @chunk_sectors: what lies on one drive before the next one's turn
 * @disks: number of drives
 * @drives: the drives
 */
struct hdd {
	struct hdd_geometry geo;
	u64 chunk_sectors;
	u32 disks;
	struct hdd_drive *drives[SIMDISK_DISKS_MAX];
};

static void hdd_exit(struct simdisk *disk)
{
	struct hdd *hdd = disk->state;
	u32 i;

	for (i = 0; i < hdd->disks; i++)
		kfree(hdd->drives[i]);
	kfree(hdd);
}

static int hdd_init(struct simdisk *disk)
{
	const struct simdisk_params *params = &disk->params;
	struct hdd *hdd = kcalloc(1, sizeof(*hdd), GFP_KERNEL);
	struct hdd_drive *drive;
	struct prng prng;
	u32 i;

	if (!hdd)
		return -ENOMEM;
	disk->state = hdd;
	hdd_geometry_init(&hdd->geo, params);
	hdd->disks = params->disks;
	hdd->chunk_sectors = params->chunk_kib * SIMDISK_SECTORS_PER_KIB;
	if (hdd->disks == 1)
		hdd->chunk_sectors = hdd->geo.sectors;

	/* Spindles do not turn in step. */
	prng_seed(&prng, params->seed);
	for (i = 0; i < hdd->disks; i++) {
		drive = kcalloc(1, sizeof(*drive), GFP_KERNEL);
		if (!drive) {
			hdd_exit(disk);
			return -ENOMEM;
		}
		INIT_LIST_HEAD(&drive->queue);
		if (hdd->disks > 1)
			drive->phase_ns = prng_below(&prng, hdd->geo.turn_ns);
		hdd->drives[i] = drive;
	}
	return 0;
}

/* Chunks that follow each other on a drive are one piece. */
static void dispatch(struct simdisk *disk, struct simdisk_io *io)
{
	struct hdd *hdd = disk->state;
	u64 sector = io->sector, end = io->sector + io->sectors;
	u64 chunk, row, offset, n, drive;
	struct simdisk_piece *piece;
	u32 i;

	for (i = 0; i < hdd->disks; i++)
		io->pieces[i].sectors = 0;
	for (; sector < end; sector += n) {
		chunk = div64_u64_rem(sector, hdd->chunk_sectors, &offset);
		row = div64_u64_rem(chunk, hdd->disks, &drive);
		n = min(end - sector, hdd->chunk_sectors - offset);
		piece = &io->pieces[drive];
		if (!piece->sectors)
			piece->sector = row * hdd->chunk_sectors + offset;
		piece->sectors += n;
	}

	io->pieces_left = 0;
	for (i = 0; i < hdd->disks; i++) {
		piece = &io->pieces[i];
		if (!piece->sectors && io->op != SIMDISK_FLUSH)
			continue;
		piece->io = io;
		io->pieces_left++;
		hdd_drive_add(disk, hdd->drives[i], piece);
	}
}

static void hdd_start(struct simdisk *disk)
{
	struct hdd *hdd = disk->state;
	struct simdisk_io *io;
	u32 i;

	while ((io = simdisk_take(disk))) {
		if (io->op == SIMDISK_WRITE)
			simdisk_transfer(disk, io);
		else
			dispatch(disk, io);
	}
	for (i = 0; i < hdd->disks; i++)
		hdd_drive_start(disk, &hdd->geo, hdd->drives[i]);
}

static void hdd_step(struct simdisk *disk, struct simdisk_io *io)
{
	if (io->op == SIMDISK_WRITE) {
		io->arrived = true;
		dispatch(disk, io);
	} else {
		simdisk_finish(disk, io);
	}
}

static u64 hdd_next(const struct simdisk *disk)
{
	const struct hdd *hdd = disk->state;
	u64 next = U64_MAX;
	u32 i;

	for (i = 0; i < hdd->disks; i++)
		if (hdd->drives[i]->state != HDD_IDLE)
			next = min(next, hdd->drives[i]->until_ns);
	return next;
}

static void hdd_event(struct simdisk *disk)
{
	struct hdd *hdd = disk->state;
	struct hdd_drive *drive;
	u32 i;

	for (i = 0; i < hdd->disks; i++) {
		drive = hdd->drives[i];
		if (drive->state != HDD_IDLE && drive->until_ns <= disk->now_ns)
			hdd_drive_event(disk, &hdd->geo, drive);
	}
}

static bool hdd_write_cache(const struct simdisk_params *params)
{
	return params->write_cache_kib;
}

static u32 hdd_pieces(const struct simdisk_params *params)
{
	return params->disks;
}

static const char *hdd_check(const struct simdisk_params *params)
{
	struct hdd_geometry geo;
	u64 chunk = params->chunk_kib * SIMDISK_SECTORS_PER_KIB;
	u64 size = params->size_mib * SIMDISK_SECTORS_PER_MIB;

	if (params->inner_bytes_per_s > params->outer_bytes_per_s)
		return "inner_bytes_per_s: expected at most outer_bytes_per_s";
	if (params->seek_min_ns > params->seek_avg_ns ||
	    params->seek_avg_ns > params->seek_max_ns)
		return "seek_avg_ns: expected from seek_min_ns to seek_max_ns";
	hdd_geometry_init(&geo, params);
	if (geo.cylinders > CYLINDERS_MAX)
		return "capacity_mib: expected less for so few heads and so short tracks";
	if (DIV64_U64_ROUND_UP(size, params->disks) + chunk > geo.sectors)
		return "capacity_mib: expected more than each drive's part of size_mib";
	return NULL;
}

#define DRIVE_DEFAULTS				\
	.rpm			= 7200,		\
	.outer_bytes_per_s	= 85500000,	\
	.inner_bytes_per_s	= 50000000,	\
	.skew_ns		= 800000,	\
	.seek_min_ns		= 800000,	\
	.seek_avg_ns		= 8500000,	\
	.seek_max_ns		= 17000000,	\
	.ncq_depth		= 31,		\
	.ncq_age_ns		= 500000000,	\
	.segments		= 16,		\
	.segment_kib		= 512,		\
	.prefetch_kib		= 128,		\
	.write_cache_kib	= 8192

#define DRIVE_MODEL				\
	.rotational	= true,			\
	.init		= hdd_init,		\
	.exit		= hdd_exit,		\
	.start		= hdd_start,		\
	.step		= hdd_step,		\
	.next		= hdd_next,		\
	.event		= hdd_event,		\
	.write_cache	= hdd_write_cache,	\
	.pieces		= hdd_pieces,		\
	.check		= hdd_check

const struct simdisk_model simdisk_hdd = {
	.name		= "hdd",
	.bit		= SIMDISK_HDD,
	.defaults	= {
		DRIVE_DEFAULTS,
		.size_mib		= 61440,
		.capacity_mib		= 238418,
		.heads			= 2,
		.queue_depth		= 32,
		.disks			= 1,
		.chunk_kib		= 64,
		.overhead_ns		= 85000,
		.link_bytes_per_s	= 300000000,
	},
	DRIVE_MODEL
};

const struct simdisk_model simdisk_array = {
	.name		= "array",
	.bit		= SIMDISK_ARRAY,
	.defaults	= {
		DRIVE_DEFAULTS,
		.size_mib		= 2380000,
		.capacity_mib		= 476837,
		.heads			= 4,
		.queue_depth		= 128,
		.disks			= 5,
		.chunk_kib		= 64,
		.overhead_ns		= 240000,
		.link_bytes_per_s	= 115000000,
	},
	DRIVE_MODEL
};
