/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A disk to test.
 */
#ifndef _SIMDISK_TEST_DISK_H
#define _SIMDISK_TEST_DISK_H

#include "unit.h"
#include "simdisk-model.h"
#include "prng.h"

enum {
	IOS	= 400,
};

static struct simdisk disk;
static struct simdisk_io *ios[IOS];
static u64 began[IOS];

static void disk_on(const struct simdisk_model *model,
		    const struct simdisk_params *params)
{
	assert_null(simdisk_check(model, params));
	assert_int_equal(simdisk_init(&disk, model, params), 0);
}

static void disk_off(void)
{
	int i;

	simdisk_exit(&disk);
	for (i = 0; i < IOS; i++) {
		free(ios[i]);
		ios[i] = NULL;
	}
}

static struct simdisk_io *new_io(int i)
{
	size_t bytes = simdisk_io_bytes(disk.model, &disk.params);

	free(ios[i]);
	ios[i] = malloc(bytes);
	assert_non_null(ios[i]);
	/* A request's memory is what the one before it has left. */
	memset(ios[i], 0xa5, bytes);
	return ios[i];
}

static void submit(int i, enum simdisk_op op, u64 sector, u32 sectors, u64 now)
{
	struct simdisk_io *io = new_io(i);

	io->op = op;
	io->fua = false;
	io->sector = sector;
	io->sectors = sectors;
	began[i] = now;
	simdisk_submit(&disk, io, now);
}

static inline void fetch_all(u64 now)
{
	while (simdisk_done(&disk, now))
		;
}

#endif /* _SIMDISK_TEST_DISK_H */
