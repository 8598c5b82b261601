// SPDX-License-Identifier: GPL-2.0-only
/*
 * The depth, found by trial on disks of which all is known.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dm-ioband/sched/depth.h"
#include "prng.h"

enum { MAX = 1024 };

/**
 * struct disk - a disk with always more to do than it is given
 * @slots: I/Os that it serves at once
 * @service_ns: mean time of each
 * @scatter: of the time from one completion to the next, as a part of it
 * @half: its speed grows with each I/O it has, and is half of the most with so many; 0:
 *	until all slots have one
 * @lost_ns: it does nothing for so long after an I/O if it has but one
 * @sectors: of the I/Os on average; a quarter to seven quarters of it
 * @idle_ns: after each I/O there is nothing to do for so long
 * @depth_ns: sum over time of the depth, to judge by
 */
struct disk {
	u32 slots;
	double service_ns;
	double scatter;
	u32 half;
	double lost_ns;
	u32 sectors;
	u64 idle_ns;
	struct prng random;
	struct ioband_depth depth;
	struct ioband_depth_sample now;
	double depth_ns;
	u32 deepest;
};

static void disk_start(struct disk *disk, u32 slots, u64 service_ns)
{
	memset(disk, 0, sizeof(*disk));
	disk->slots = slots;
	disk->service_ns = service_ns;
	disk->sectors = 8;
	disk->now.now_ns = NSEC_PER_SEC;
	prng_seed(&disk->random, slots);
	ioband_depth_init(&disk->depth, 1);
	ioband_depth_begin(&disk->depth, MAX, &disk->now);
}

static double random_part(struct disk *disk)
{
	return (double)prng_below(&disk->random, 1000000) / 1000000;
}

/* One I/O: a fixed time, and with chance an exponential one. */
static void disk_step(struct disk *disk)
{
	u32 depth = disk->depth.depth;
	double busy = disk->half ? disk->slots * (double)depth / (depth + disk->half) :
				   min(depth, disk->slots);
	double ns = disk->service_ns / busy;
	u32 sectors = disk->sectors;

	if (disk->sectors > 8)
		sectors = disk->sectors / 4 + prng_below(&disk->random, disk->sectors * 3 / 2);
	ns *= (double)(disk->sectors + sectors) / (2 * disk->sectors);
	ns *= 1 - disk->scatter - disk->scatter * log(1 - random_part(disk));
	if (depth == 1)
		ns += disk->lost_ns;
	disk->now.ns += ns;
	disk->now.now_ns += (u64)ns + disk->idle_ns;
	disk->now.ios++;
	disk->now.sent_ios += 1 + !!disk->idle_ns;
	disk->now.sectors += sectors;
	disk->depth_ns += ns * depth;
	disk->deepest = max(disk->deepest, depth);
	if (ioband_depth_is_due(&disk->depth, MAX, &(struct ioband_sched) {
				.sent_ios = disk->now.sent_ios }))
		ioband_depth_tick(&disk->depth, MAX, &disk->now);
}

/* Run for so long; return I/Os per second of the time in which there was work. */
static double disk_run(struct disk *disk, double seconds)
{
	struct ioband_depth_sample from = disk->now;
	u64 end_ns = from.now_ns + seconds * NSEC_PER_SEC;

	disk->depth_ns = 0;
	disk->deepest = 0;
	while (disk->now.now_ns < end_ns)
		disk_step(disk);
	disk->depth_ns /= disk->now.ns - from.ns;
	return (disk->now.ios - from.ios) * (double)NSEC_PER_SEC / (disk->now.ns - from.ns);
}

/* What all slots do, in I/Os per second. */
static double most(const struct disk *disk)
{
	return disk->slots / disk->service_ns * NSEC_PER_SEC;
}

/* Any number of slots is found within twenty rounds, to an eighth; or what there may be. */
static void test_finds_the_slots(void **state)
{
	static const u32 slots[] = { 1, 2, 3, 4, 7, 8, 16, 31, 64, 100, 256, 500, 1023 };
	struct disk disk;
	double ios;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		disk_start(&disk, slots[i], NSEC_PER_MSEC);
		disk_run(&disk, .1);
		ios = disk_run(&disk, 2);
		assert_true(ios > most(&disk) * .98);
		assert_true(disk.depth_ns < slots[i] * 1.25 + 1);
	}
}

/*
 * Where service times are a matter of chance, too: all that the disk can do is had, and
 * it is not led deeper.
 */
static void test_chance_does_not_mislead(void **state)
{
	static const u32 slots[] = { 1, 2, 4, 8, 32, 128 };
	struct disk disk;
	double ios;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		disk_start(&disk, slots[i], 2 * NSEC_PER_MSEC);
		disk.scatter = .6;
		disk_run(&disk, 5);
		ios = disk_run(&disk, 20 + 200 / slots[i]);
		assert_true(ios > most(&disk) * .95);
		assert_true(disk.depth_ns < slots[i] * 1.5 + 1);
	}
}

/* I/Os of all sizes: of large ones there are sometimes more. */
static void test_sizes(void **state)
{
	struct disk disk;

	disk_start(&disk, 4, NSEC_PER_MSEC);
	disk.sectors = 1024;
	disk.scatter = .3;
	disk_run(&disk, 5);
	assert_true(disk_run(&disk, 300) > most(&disk) * .95);
	assert_true(disk.depth_ns < 7);
}

/* What there is to do now and then tells as much as what there always is. */
static void test_little_to_do(void **state)
{
	struct disk disk;

	disk_start(&disk, 32, NSEC_PER_MSEC);
	disk.idle_ns = 100000;
	disk_run(&disk, 1);
	assert_true(disk_run(&disk, 30) > most(&disk) * .98);
	assert_true(disk.depth_ns < 41);
}

/* Another disk, as behind a volume that has moved, or credits that are used up. */
static void test_the_disk_changes(void **state)
{
	struct disk disk;

	disk_start(&disk, 4, NSEC_PER_MSEC);
	disk_run(&disk, 40);
	disk.slots = 64;
	disk.service_ns = 100000;
	disk_run(&disk, .1);
	assert_true(disk_run(&disk, 1) > most(&disk) * .9);
	disk.slots = 2;
	disk.service_ns = NSEC_PER_MSEC;
	disk_run(&disk, 2);
	assert_true(disk_run(&disk, 5) > most(&disk) * .98);
	assert_true(disk.depth_ns < 4);
}

/*
 * A disk that takes half a minute for a sector when it is measured first, and later does
 * 2^21 of them at a time: what was expected of it then is beyond 64 bits, and was 0.
 */
static void test_disk_that_hung(void **state)
{
	struct ioband_depth_sample now = { .now_ns = NSEC_PER_SEC };
	struct ioband_depth depth;
	u32 i;

	ioband_depth_init(&depth, 1);
	ioband_depth_begin(&depth, MAX, &now);
	for (i = 0; i < 2000; i++) {
		u64 ns = i < 4 ? 1ULL << 35 : 1000;

		now.now_ns += ns;
		now.ns += ns;
		now.ios += MAX;
		now.sent_ios += MAX;
		now.sectors += i < 4 ? 1 : 1 << 21;
		ioband_depth_tick(&depth, MAX, &now);
		assert_in_range(depth.depth, 1, MAX);
	}
}

/* The bound falls below what is tried: the search goes on. */
static void test_bound_falls(void **state)
{
	struct disk disk;

	disk_start(&disk, 256, NSEC_PER_MSEC);
	while (disk.depth.trying < 128)
		disk_step(&disk);
	ioband_depth_begin(&disk.depth, disk.depth.settled, &disk.now);
	assert_int_equal(disk.depth.trying, 0);
	ioband_depth_begin(&disk.depth, MAX, &disk.now);
	disk_run(&disk, 3);
	assert_true(disk_run(&disk, 1) > most(&disk) * .98);
}

/* What it is like is learnt once, not in each busy period. */
static void test_busy_periods(void **state)
{
	struct disk disk;
	u32 i;

	disk_start(&disk, 256, NSEC_PER_MSEC);
	for (i = 0; i < 50; i++) {
		disk_run(&disk, .02);
		disk.now.now_ns += NSEC_PER_SEC;
		ioband_depth_begin(&disk.depth, MAX, &disk.now);
	}
	assert_true(disk_run(&disk, .02) > most(&disk) * .9);
}

/*
 * A disk that does a little more with each I/O it has: steps of 1 % do not add up, on
 * the way down and on the way up.
 */
static void test_small_steps_do_not_add_up(void **state)
{
	struct disk disk;

	disk_start(&disk, 64, NSEC_PER_MSEC);
	disk.half = 2;
	disk_run(&disk, 1);
	assert_true(disk_run(&disk, 20) > most(&disk) * .9);
	assert_true(disk.depth_ns < 150);
}

/* 1 is kept where it costs little, for it can be kept free, and not where it costs much. */
static void test_one_at_a_time(void **state)
{
	struct disk disk;

	disk_start(&disk, 1, NSEC_PER_MSEC);
	disk.lost_ns = 20000;
	disk_run(&disk, 1);
	disk_run(&disk, 60);
	assert_int_equal(disk.depth.settled, 1);
	disk_start(&disk, 1, NSEC_PER_MSEC);
	disk.lost_ns = 60000;
	disk_run(&disk, 1);
	assert_true(disk_run(&disk, 60) > most(&disk) * .98);
	assert_in_range(disk.depth.settled, 2, 3);
}

/* Less is kept for a target that is missed if it costs no more than 4 %. */
static void test_latency(void **state)
{
	struct disk disk;
	double without;

	disk_start(&disk, 64, NSEC_PER_MSEC);
	disk.half = 1;
	disk_run(&disk, 10);
	disk_run(&disk, 10);
	without = disk.depth_ns;
	disk_start(&disk, 64, NSEC_PER_MSEC);
	disk.half = 1;
	disk.depth.latency_ns = 100000;
	disk.depth.service_ns = NSEC_PER_MSEC;
	disk_run(&disk, 10);
	assert_true(disk_run(&disk, 10) > most(&disk) * .9);
	assert_true(disk.depth_ns < without * .9);
}

/* Trials cost little once it is known what to do. */
static void test_trials_are_rare(void **state)
{
	struct disk disk;

	disk_start(&disk, 16, NSEC_PER_MSEC);
	disk_run(&disk, 100);
	assert_true(disk_run(&disk, 100) > most(&disk) * .999);
	assert_true(disk.depth_ns < 18.1);
}

/* What the disk has shown it can do is what it does at most, not a moment's luck. */
static void test_shown(void **state)
{
	struct disk disk;

	disk_start(&disk, 8, NSEC_PER_MSEC);
	disk.scatter = .3;
	disk_run(&disk, 10);
	assert_in_range(disk.depth.shown_ios, 7800, 9600);
	assert_in_range(disk.depth.shown_bytes, (u64)7800 * 4096, (u64)9600 * 4096);
}

static void test_enforced(void **state)
{
	static const struct {
		const char *policy;
		u32 found;
		struct ioband_depth_bounds bounds;
		u32 depth, spare;
		bool serial;
		const char *reason;
	} cases[] = {
		{ "weight", 4, { .tags = 16, .legs = 1 }, 4, 12, false, "throughput" },
		{ "weight", 1, { .tags = 16, .legs = 1 }, 1, 15, true, "throughput" },
		{ "weight", 1, { .tags = 16, .legs = 2 }, 1, 15, false, "throughput" },
		{ "weight", 40, { .tags = 1024, .legs = 1 }, 40, 16, false, "throughput" },
		{ "weight", 40, { .tags = 16, .legs = 1 }, 16, 0, false, "tags" },
		{ "weight", 4, { .tags = 16, .legs = 1, .io_throttle = 7 },
		  7, 0, false, "io_throttle" },
		{ "weight", 4, { .tags = 16, .legs = 2, .io_throttle = 7 },
		  4, 0, false, "io_throttle" },
		/* A limit that the depth does not reach is not its reason. */
		{ "weight", 4, { .tags = 16, .legs = 1, .io_limit = 10 },
		  4, 6, false, "throughput" },
		{ "weight", 4, { .tags = 16, .legs = 1, .io_limit = 4 },
		  4, 0, false, "throughput" },
		{ "weight", 4, { .tags = 16, .legs = 1, .io_limit = 2 },
		  2, 0, false, "io_limit" },
		{ "weight", 4, { .tags = 16, .legs = 1, .io_limit = 100 },
		  4, 12, false, "throughput" },
		{ "weight-time", 4, { .tags = 16, .legs = 1 }, 4, 12, false, "throughput" },
		{ "weight-time", 4, { .tags = 16, .legs = 2, .is_rotational = true },
		  1, 0, true, "seeks" },
		{ "weight", 4, { .tags = 16, .legs = 1, .is_rotational = true },
		  4, 12, false, "throughput" },
		{ "limit", 4, { .tags = 16, .legs = 1, .io_limit = 8 },
		  U32_MAX, 0, false, "policy" },
	};
	struct ioband_depth depth = { .reason = IOBAND_DEPTH_THROUGHPUT };
	struct ioband_sched sched = { .depth = 0 };
	enum ioband_depth_reason reason;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		sched.policy = ioband_policy_find(cases[i].policy);
		depth.depth = cases[i].found;
		reason = ioband_depth_enforce(&depth, &sched, &cases[i].bounds);
		assert_int_equal(sched.depth, cases[i].depth);
		assert_int_equal(sched.spare, cases[i].spare);
		assert_int_equal(sched.turn.is_serial, cases[i].serial);
		assert_string_equal(ioband_depth_reasons[reason], cases[i].reason);
	}
}

/* Where there are turns, a drive is given what it can sort, unless a target waits for that. */
static void test_at_once(void **state)
{
	static const struct {
		struct ioband_depth_bounds bounds;
		u64 latency_ns;
		u32 at_once;
	} cases[] = {
		{ { .tags = 16, .legs = 1, .is_rotational = true }, 0, 16 },
		{ { .tags = 99, .legs = 1, .is_rotational = true }, 0, 32 },
		{ { .tags = 16, .legs = 1, .io_limit = 9, .is_rotational = true }, 0, 9 },
		{ { .tags = 16, .legs = 1, .io_throttle = 1, .is_rotational = true }, 0, 0 },
		{ { .tags = 16, .legs = 2, .is_rotational = true }, 0, 0 },
		{ { .tags = 16, .legs = 1, .is_rotational = true }, 1, 0 },
		{ { .tags = 16, .legs = 1 }, 0, 0 },
	};
	struct ioband_sched sched = { .policy = ioband_policy_find("weight-time") };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct ioband_depth depth = { .depth = 4, .latency_ns = cases[i].latency_ns };

		ioband_depth_enforce(&depth, &sched, &cases[i].bounds);
		assert_int_equal(sched.turn.at_once, cases[i].at_once);
	}
}

/*
 * Half of the room may be taken for ever by what did not wait for it. Of what did, each that
 * completes then has somebody look: or what is held might wait until the other is gone.
 */
static void test_refill(void **state)
{
	static const u32 io_ns[] = { 1, 200, 2000, 20000, 50000 };
	struct ioband_sched sched = { .policy = ioband_policy_find("weight") };
	struct ioband_depth_bounds bounds = { .tags = 1024, .legs = 1 };
	struct ioband_depth depth = {
		.has_rested = true, .search = IOBAND_SEARCH_OVER,
		.is.io = { .n = 8, .mean = 1 << 20 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(io_ns); i++) {
		depth.io_unit = (u64)io_ns[i] << 8;
		for (depth.depth = 2; depth.depth <= 1024; depth.depth++) {
			ioband_depth_enforce(&depth, &sched, &bounds);
			assert_true(sched.grant > 1);
			assert_in_range(sched.refill, depth.depth - depth.depth / 2, depth.depth);
		}
	}
	/* Where few may be sent at a time, few places are left free. */
	depth.depth = 64;
	ioband_depth_enforce(&depth, &sched, &bounds);
	assert_int_equal(sched.refill, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_the_slots),
		cmocka_unit_test(test_chance_does_not_mislead),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_little_to_do),
		cmocka_unit_test(test_the_disk_changes),
		cmocka_unit_test(test_busy_periods),
		cmocka_unit_test(test_bound_falls),
		cmocka_unit_test(test_disk_that_hung),
		cmocka_unit_test(test_small_steps_do_not_add_up),
		cmocka_unit_test(test_one_at_a_time),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_trials_are_rare),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_enforced),
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_refill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
