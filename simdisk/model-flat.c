// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two plainest models. Both serve in the order of arrival.
 *
 * flat: a number of slots, each of which serves one I/O in a fixed time, service_ns
 * for up to 4 KiB and more_ns for each 4 KiB more. Writes take write_percent of that.
 * What finds no slot free waits inside the disk, however many that are.
 *
 * serial: one I/O at a time. One that begins where the last one ended takes
 * seq_ns per 4 KiB; any other takes seek_ns for its first 4 KiB, and the same for
 * what follows. This is the plainest disk on which order matters: 9 ms is the seek
 * (8.5 ms on average) or half a turn and a short seek (4.2 + 4 ms) of a 7200 rpm
 * drive, 0.1 ms per 4 KiB its 40 MB/s in the middle.
 */
#include "simdisk-model.h"

enum {
	UNIT_SECTORS	= 8,
};

static u64 flat_ns(const struct simdisk *disk, const struct simdisk_io *io)
{
	const struct simdisk_params *params = &disk->params;
	u64 ns = params->service_ns;

	if (io->sectors > UNIT_SECTORS)
		ns += (DIV_ROUND_UP(io->sectors, UNIT_SECTORS) - 1) *
		      params->more_ns;
	if (io->op == SIMDISK_WRITE)
		ns = div64_u64(ns * params->write_percent, 100);
	return ns;
}

static void flat_start(struct simdisk *disk)
{
	struct simdisk_io *io;

	while (disk->in_service < disk->params.slots &&
	       (io = simdisk_take(disk)))
		simdisk_end_at(disk, io, disk->now_ns +
			       simdisk_varied(disk, flat_ns(disk, io)));
}

static u64 serial_ns(const struct simdisk *disk, const struct simdisk_io *io)
{
	const struct simdisk_params *params = &disk->params;
	u64 units = DIV_ROUND_UP(io->sectors, UNIT_SECTORS);

	if (io->sector == disk->head)
		return units * params->seq_ns;
	return params->seek_ns + (units - 1) * params->seq_ns;
}

static void serial_start(struct simdisk *disk)
{
	struct simdisk_io *io;

	if (disk->in_service)
		return;
	io = simdisk_take(disk);
	if (!io)
		return;
	simdisk_end_at(disk, io, disk->now_ns +
		       simdisk_varied(disk, serial_ns(disk, io)));
	disk->head = io->sector + io->sectors;
}

const struct simdisk_model simdisk_flat = {
	.name		= "flat",
	.bit		= SIMDISK_FLAT,
	.start		= flat_start,
	.defaults	= {
		.size_mib	= 1024,
		.queue_depth	= 128,
		.slots		= 4,
		.service_ns	= 1000000,
		.write_percent	= 100,
	},
};

const struct simdisk_model simdisk_serial = {
	.name		= "serial",
	.bit		= SIMDISK_SERIAL,
	.rotational	= true,
	.start		= serial_start,
	.defaults	= {
		.size_mib	= 65536,
		.queue_depth	= 128,
		.seek_ns	= 9000000,
		.seq_ns		= 100000,
	},
};
