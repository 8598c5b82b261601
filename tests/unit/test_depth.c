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

#include "dm-ioband/sched/depth.h"

#define TICK_NS		((u64)10 * NSEC_PER_MSEC)
#define SLOT_IOS	10	/* in a tick */

struct disk {
	u32 slots;
	u32 enough;	/* with more at the disk, groups lose turns */
	bool has_mix;	/* those who lose turns send small I/Os, and the others large ones */
	bool has_guest;	/* asks for little */
	bool by_size;	/* what the policy divides is sectors, of I/Os of all sizes */
	u32 leaky_ticks;	/* in which more were at the disk than is enough */
	bool is_disturbed;	/* now and then, the processor is late to fill it */
	u32 unsent;	/* thousandths of an I/O that it was late for */
	u32 random;
	u32 half;	/* of the slots' work is done at this depth; 0: all, if they are full */
	bool has_thinker;	/* sends one I/O at a time, and thinks between */
	u32 thought;	/* I/Os since it came too late for its turn */
	u32 in_flight;
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
	disk->in_flight = disk->depth.depth;
}

static u32 next_random(struct disk *disk)
{
	disk->random = disk->random * 1664525 + 1013904223;
	return disk->random >> 16;
}

/*
 * What is left of a tick's I/Os if the next is sent a little late, and for two ticks
 * of fifty much later: then the disk does what waits at it beyond its slots.
 */
static u32 disturbed(struct disk *disk, u32 ios)
{
	bool is_late = disk->now.now_ns / TICK_NS % 50 < 2;
	u32 permille = 1000 - next_random(disk) % 20;

	if (disk->depth.depth <= disk->slots)
		permille = permille * (is_late ? 790 : 988) / 1000;
	else if (disk->depth.depth < 2 * disk->slots && is_late)
		permille = permille * 950 / 1000;
	disk->unsent += ios * permille;
	ios = disk->unsent / 1000;
	disk->unsent %= 1000;
	return ios;
}

/* A tick's I/Os; of one that thinks, with more than one at the disk, all are late. */
static u32 disk_tick(struct disk *disk)
{
	u32 busy = min(disk->depth.depth, disk->slots), ios = busy * SLOT_IOS;

	if (disk->half)
		ios = disk->slots * SLOT_IOS * disk->depth.depth /
		      (disk->depth.depth + disk->half);
	if (disk->is_disturbed)
		ios = disturbed(disk, ios);
	disk->now.guests += disk->has_guest * ios / 32;

	disk->now.now_ns += TICK_NS;
	if (disk->depth.depth > disk->enough)
		disk->now.leaks += ios / 4;
	if (!disk->has_thinker)
		return ios;
	if (disk->depth.depth == 1) {
		/* It is waited for; and 2 % is lost from one I/O to the next. */
		disk->now.graced_ns += TICK_NS / SLOT_IOS;
		return ios - 1 - (disk->now.now_ns / TICK_NS % 5 == 0);
	}
	disk->thought += ios;
	disk->now.leaks += disk->thought / (disk->depth.depth + 1);
	disk->thought %= disk->depth.depth + 1;
	return ios;
}

/* What was sent is what is done, and what more there is at the disk than before. */
static u32 disk_send(struct disk *disk, u32 done)
{
	u32 most = done + disk->depth.depth, sent = most - min(disk->in_flight, most);

	disk->in_flight += sent - done;
	return sent;
}

static void disk_step(struct disk *disk)
{
	u32 settled = disk->depth.settled, ios = disk_send(disk, disk_tick(disk));
	u32 sectors = ios * 8;

	if (disk->by_size)
		sectors += next_random(disk) % (4 * sectors + 1);
	if (disk->has_mix && disk->depth.depth > disk->enough)
		sectors += ios * (disk->depth.depth - disk->enough);
	disk->leaky_ticks += disk->depth.depth > disk->enough;
	disk->now.ios += ios;
	disk->now.sectors += sectors;
	disk->now.work += disk->by_size ? sectors : ios;
	ioband_depth_tick(&disk->depth, 1024, &disk->now);
	if (disk->depth.depth < disk->least) {
		disk->least = disk->depth.depth;
		disk->least_after = settled;
	}
}

static void disk_run(struct disk *disk, unsigned int seconds)
{
	u64 end_ns = disk->now.now_ns + seconds * NSEC_PER_SEC;

	while (disk->now.now_ns < end_ns)
		disk_step(disk);
}

/* What a trial in vain has sent too much or too little is not what the disk does. */
static void test_trials_leave_no_trace(void **state)
{
	struct disk disk;
	u32 ticks;

	disk_start(&disk, 4, 20);
	disk.has_guest = true;
	for (ticks = 0; ticks < 6000; ticks++) {
		disk_step(&disk);
		if (!disk.depth.trying && disk.depth.rate.ios)
			assert_in_range(disk.depth.rate.ios, 3990, 4010);
	}
}

/* More that costs turns, and brings nothing, is over before many are lost. */
static void test_lost_turns_end_a_trial(void **state)
{
	struct disk disk;

	disk_start(&disk, 4, 20);
	disk_run(&disk, 60);
	assert_in_range(disk.leaky_ticks, 1, 6);
}

static void test_finds_many_slots(void **state)
{
	struct disk disk;

	disk_start(&disk, 500, 1024);
	disk_run(&disk, 5);
	assert_in_range(disk.depth.settled, 490, 1024);
}

/*
 * Where I/Os are of all sizes, chance makes a trial for guests look good. Turns shall
 * not be lost by that.
 */
static void test_guests_and_turns(void **state)
{
	struct disk disk;

	disk_start(&disk, 4, 20);
	disk.has_mix = true;
	disk.has_guest = true;
	disk.by_size = true;
	disk_run(&disk, 300);
	assert_in_range(disk.leaky_ticks, 0, 300 * 100 / 20);
}

/* Where there are but a few large I/Os in a window, one more of them is no gain. */
static void test_chance_is_no_gain(void **state)
{
	struct disk disk;
	u32 i;

	disk_start(&disk, 4, 1024);
	disk.has_guest = true;
	disk.by_size = true;
	for (i = 0; i < 300; i++) {
		disk_run(&disk, 1);
		assert_in_range(disk.depth.settled, 2, 16);
	}
	assert_true(disk.now.ios > 4 * SLOT_IOS * 100 * 300 * 95 / 100);
}

/* What steps of 1 % down have cost is regained, though each of them up brings as little. */
static void test_many_small_losses(void **state)
{
	struct disk disk;
	u64 ios;

	disk_start(&disk, 100, 16);
	disk.half = 4;
	disk_run(&disk, 300);
	disk.enough = 1024;
	disk_run(&disk, 100);
	ios = disk.now.ios;
	disk_run(&disk, 100);
	assert_true(disk.now.ios - ios > (u64)100 * SLOT_IOS * 100 * 100 * 93 / 100);
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

/* With their turns given to large I/Os the disk does more bytes, but no more I/Os. */
static void test_another_mix_is_no_gain(void **state)
{
	struct disk disk;

	disk_start(&disk, 4, 20);
	disk.has_mix = true;
	disk_run(&disk, 60);
	assert_in_range(disk.depth.settled, 4, 20);
	disk.depth.settled = 64;
	disk_run(&disk, 60);
	assert_in_range(disk.depth.settled, 4, 20);
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

/*
 * One that sends its next I/O only when it has the last can have its turns where
 * the disk has one slot: if nothing else is at it. What it costs to wait for it is
 * not the depth's fault.
 */
static void test_one_slot_is_found_for_one_that_thinks(void **state)
{
	struct disk disk;

	disk_start(&disk, 1, 1024);
	disk.has_thinker = true;
	disk_run(&disk, 5);
	assert_int_equal(disk.depth.settled, 1);
	disk_run(&disk, 60);
	assert_int_equal(disk.depth.settled, 1);

	/* Where there are more slots, it costs the rest too much. */
	disk_start(&disk, 4, 1024);
	disk.has_thinker = true;
	disk_run(&disk, 60);
	assert_in_range(disk.depth.settled, 4, 5);
}

/* Somebody who asks for little: what he waits for is no more than the disk needs. */
static void test_guest(void **state)
{
	struct disk disk;
	u64 ios;

	disk_start(&disk, 4, 1024);
	disk.has_guest = true;
	disk_run(&disk, 60);
	assert_in_range(disk.depth.settled, 4, 5);
	assert_true(disk.now.ios > 4 * SLOT_IOS * 100 * 60 * 99 / 100);

	/* A trial that costs a quarter is over before it has cost 1 % of a second. */
	ios = disk.now.ios;
	for (unsigned int i = 0; i < 100; i++, ios = disk.now.ios) {
		disk_run(&disk, 1);
		assert_true(disk.now.ios - ios >= 4 * SLOT_IOS * 100 * 99 / 100);
	}
}

/*
 * Where windows differ by chance, a depth that costs 1.2 % and more is not kept for
 * long; and what has just proved too little is not tried again at once.
 */
static void test_chance_misleads_rarely(void **state)
{
	static const u32 slots[] = { 4, 5, 6, 8, 10, 13, 17, 22 };
	const unsigned int runs = 320, ticks = 20000;
	unsigned int low_ticks = 0;
	struct disk disk;

	for (unsigned int run = 0; run < runs; run++) {
		u32 enough = slots[run % ARRAY_SIZE(slots)], failed = 0;
		u64 failed_ns = 0;

		disk_start(&disk, enough, 1024);
		disk.random = run;
		disk.has_guest = true;
		disk.is_disturbed = true;
		disk_run(&disk, 5);
		for (unsigned int tick = 0; tick < ticks; tick++) {
			struct ioband_depth was = disk.depth;

			disk_step(&disk);
			low_ticks += disk.depth.settled <= enough;
			if (was.trying < 0 && disk.depth.settled == was.settled &&
			    !disk.depth.trying) {
				failed = was.depth;
				failed_ns = disk.now.now_ns;
			} else if (!was.trying && disk.depth.trying < 0 &&
				   disk.now.now_ns - failed_ns < 3 * NSEC_PER_SEC) {
				assert_true(disk.depth.depth > failed);
			}
		}
	}
	assert_true(low_ticks < runs * ticks / 5);
}

/* A disk that does a little more with each that it has: steps of 1 % do not add up. */
static void test_guest_costs_little(void **state)
{
	struct disk disk;

	disk_start(&disk, 64, 1024);
	disk.has_guest = true;
	disk.half = 2;
	disk_run(&disk, 120);
	assert_true(disk.depth.settled <= 64);
	assert_true(disk.now.ios > 64 * SLOT_IOS * 100 * 120 * 95 / 100);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_many_slots),
		cmocka_unit_test(test_trials_leave_no_trace),
		cmocka_unit_test(test_lost_turns_end_a_trial),
		cmocka_unit_test(test_guests_and_turns),
		cmocka_unit_test(test_chance_is_no_gain),
		cmocka_unit_test(test_many_small_losses),
		cmocka_unit_test(test_stays_where_more_is_no_use),
		cmocka_unit_test(test_another_mix_is_no_gain),
		cmocka_unit_test(test_less_is_tried_by_halves),
		cmocka_unit_test(test_one_slot_is_found_for_one_that_thinks),
		cmocka_unit_test(test_guest),
		cmocka_unit_test(test_guest_costs_little),
		cmocka_unit_test(test_chance_misleads_rarely),
		cmocka_unit_test(test_enforced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
