// SPDX-License-Identifier: GPL-2.0-only
/*
 * The depth, found by trial on disks of which all is known: so many slots, each of
 * which serves a thousand I/Os a second.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "ioband-depth.h"

#define TICK_NS		((u64)10 * NSEC_PER_MSEC)
#define SLOT_IOS	10	/* in a tick */

struct disk {
	u32 slots;
	u32 enough;	/* with more at the disk, groups lose turns */
	struct ioband_depth depth;
	struct ioband_depth_sample now;
	u32 least, least_after;	/* tried, and settled on before that */
};

static void disk_start(struct disk *disk, u32 slots, u32 enough)
{
	memset(disk, 0, sizeof(*disk));
	disk->slots = slots;
	disk->enough = enough;
	disk->now.now_ns = NSEC_PER_SEC;
	ioband_depth_init(&disk->depth);
	ioband_depth_begin(&disk->depth, 1024, &disk->now);
	disk->least = UINT32_MAX;
}

static void disk_run(struct disk *disk, unsigned int seconds)
{
	u64 end_ns = disk->now.now_ns + seconds * NSEC_PER_SEC;

	while (disk->now.now_ns < end_ns) {
		u32 busy = min(disk->depth.depth, disk->slots);
		u32 settled = disk->depth.settled;

		disk->now.now_ns += TICK_NS;
		disk->now.ios += busy * SLOT_IOS;
		disk->now.work += busy * SLOT_IOS;
		disk->now.sectors += busy * SLOT_IOS * 8;
		if (disk->depth.depth > disk->enough)
			disk->now.leaks += busy * SLOT_IOS / 4;
		ioband_depth_tick(&disk->depth, 1024, &disk->now);
		if (disk->depth.depth < disk->least) {
			disk->least = disk->depth.depth;
			disk->least_after = settled;
		}
	}
}

static void test_finds_many_slots(void **state)
{
	struct disk disk;

	disk_start(&disk, 500, 1024);
	disk_run(&disk, 5);
	assert_in_range(disk.depth.settled, 490, 1024);
}

/* One that needs no more than it begins with pays for trials with a trifle. */
static void test_stays_where_more_is_no_use(void **state)
{
	struct disk disk;

	disk_start(&disk, 4, 1024);
	disk_run(&disk, 60);
	assert_in_range(disk.depth.settled, 4, 20);
	assert_true(disk.now.ios > 4 * SLOT_IOS * 100 * 60 * 99 / 100);
}

/* Groups that lose turns want less; the disk must not stand still for a trial. */
static void test_less_is_tried_by_halves(void **state)
{
	struct disk disk;
	u64 ios;

	disk_start(&disk, 8, 4);
	disk_run(&disk, 60);
	assert_in_range(disk.depth.settled, 8, 16);
	assert_true(disk.least >= disk.least_after / 2);
	assert_true(disk.least > 1);

	/* And what a disk can do is not lost when it gets more slots. */
	disk.slots = 64;
	disk.enough = 1024;
	disk_run(&disk, 60);
	ios = disk.now.ios;
	disk_run(&disk, 10);
	assert_true(disk.now.ios - ios > (u64)64 * SLOT_IOS * 100 * 10 * 95 / 100);

	/* Nor may success after success on the way back carry it too far. */
	disk.slots = 8;
	disk.enough = 4;
	disk.least = UINT32_MAX;
	disk_run(&disk, 60);
	assert_in_range(disk.depth.settled, 8, 16);
	assert_true(disk.least > 1);
	assert_true(disk.least >= disk.least_after / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_many_slots),
		cmocka_unit_test(test_stays_where_more_is_no_use),
		cmocka_unit_test(test_less_is_tried_by_halves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
