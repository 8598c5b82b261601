// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order inside a group: what somebody waits for, what nobody waits for, and
 * the levels of I/O priority.
 */
#include "bed.h"

static struct bed_group *group;

static void start(void)
{
	bed_start("weight", 1);
	group = bed_add(NULL, 100);
}

static struct bed_io *hold(enum ioband_dir dir, bool is_async, u8 prio)
{
	struct bed_io *io = bed_new(group, dir, 8);

	io->io.is_async = is_async;
	io->io.prio = prio;
	bed_hold_io(io);
	return io;
}

static void hold_many(unsigned int count, enum ioband_dir dir, bool is_async,
		      u8 prio)
{
	while (count--)
		hold(dir, is_async, prio);
}

/* One letter per I/O sent: which it was, S or A, over and over. */
static void assert_order(const char *order)
{
	for (; *order; order++) {
		struct bed_io *io = bed_next(0);

		assert_non_null(io);
		if (io->io.is_async != (*order == 'A'))
			fail_msg("%s I/O goes before \"%s\"",
				 io->io.is_async ? "async" : "sync", order);
	}
}

/* Eight sync, two async, and so on; what is left of one kind goes at once. */
static void test_sync_before_async(void **state)
{
	start();
	hold_many(5, IOBAND_WRITE, true, IOBAND_PRIO_NORMAL);
	hold_many(12, IOBAND_READ, false, IOBAND_PRIO_NORMAL);
	hold_many(12, IOBAND_WRITE, false, IOBAND_PRIO_NORMAL);
	assert_order("SSSSSSSSAASSSSSSSSAASSSSSSSSA");
	assert_null(bed_next(0));

	start();
	hold_many(3, IOBAND_WRITE, true, IOBAND_PRIO_NORMAL);
	hold_many(2, IOBAND_READ, false, IOBAND_PRIO_NORMAL);
	assert_order("SSAAA");
}

/* Sync I/O that went while no async waited does not count for a run. */
static void test_runs_count_while_async_waits(void **state)
{
	start();
	hold_many(100, IOBAND_READ, false, IOBAND_PRIO_NORMAL);
	assert_order("SSSSSSSSSSSSS");
	hold_many(3, IOBAND_WRITE, true, IOBAND_PRIO_NORMAL);
	assert_order("SSSSSSSSAASSSSSSSSA");
}

/* It is the async run that a reader waits for: never longer than two. */
static void test_async_run_is_short(void **state)
{
	unsigned int i;

	start();
	hold_many(2000, IOBAND_WRITE, true, IOBAND_PRIO_NORMAL);
	for (i = 0; i < 300; i++) {
		struct bed_io *reader = hold(IOBAND_READ, false,
					     IOBAND_PRIO_NORMAL);
		unsigned int waited = 0;

		while (bed_next(0) != reader)
			waited++;
		assert_in_range(waited, 0, 2);
	}
}

/* An async I/O that has waited for 5 s goes by turns with the sync ones. */
static void test_async_deadline(void **state)
{
	start();
	hold_many(100, IOBAND_READ, false, IOBAND_PRIO_NORMAL);
	hold_many(20, IOBAND_WRITE, true, IOBAND_PRIO_NORMAL);
	bed.now_ns += 5 * SEC;
	assert_order("SSSSSSSSAA");
	bed.now_ns += 1;
	assert_order("AASSAASSAASSAA");
	/* Later ones are not late. */
	start();
	hold_many(100, IOBAND_READ, false, IOBAND_PRIO_NORMAL);
	hold_many(4, IOBAND_WRITE, true, IOBAND_PRIO_NORMAL);
	bed.now_ns += 4 * SEC;
	hold_many(4, IOBAND_WRITE, true, IOBAND_PRIO_NORMAL);
	bed.now_ns += 1 * SEC + 1;
	assert_order("SSAASSAA");
	assert_order("AASSSSSSSSAASSSSSSSSSS");
}

/* Among what nobody waits for a level counts as among the rest. */
static void assert_levels(enum ioband_dir dir, bool is_async, unsigned int high,
			  unsigned int low)
{
	unsigned int sent[IOBAND_PRIOS] = { 0 }, i;

	start();
	for (i = 0; i < 40; i++) {
		hold(dir, is_async, IOBAND_PRIO_BE + high);
		hold(dir, is_async, IOBAND_PRIO_BE + low);
	}
	for (i = 0; i < 9000; i++) {
		struct bed_io *io = bed_next(0);

		sent[io->io.prio]++;
		bed_hold_io(io);
	}
	/* Level n weighs 8 - n. */
	assert_in_range(sent[IOBAND_PRIO_BE + high],
			9000 * (8 - high) / (16 - high - low) - 2,
			9000 * (8 - high) / (16 - high - low) + 2);
}

static void test_levels(void **state)
{
	assert_levels(IOBAND_READ, false, 0, 7);
	assert_levels(IOBAND_WRITE, false, 0, 7);
	assert_levels(IOBAND_WRITE, true, 0, 7);
	assert_levels(IOBAND_READ, false, 0, 1);
	assert_levels(IOBAND_READ, false, 4, 6);
}

/* All levels at once: 8 to 1, in every round of 36. */
static void test_all_levels(void **state)
{
	unsigned int sent[8] = { 0 }, level, i;

	start();
	for (i = 0; i < 20; i++)
		for (level = 0; level < 8; level++)
			hold(IOBAND_READ, false, IOBAND_PRIO_BE + level);
	for (i = 0; i < 3600; i++) {
		struct bed_io *io = bed_next(0);

		sent[io->io.prio - IOBAND_PRIO_BE]++;
		bed_hold_io(io);
	}
	for (level = 0; level < 8; level++)
		assert_in_range(sent[level], 100 * (8 - level) - 2,
				100 * (8 - level) + 2);
}

static void test_rt_first_idle_last(void **state)
{
	static const u8 prios[] = {
		IOBAND_PRIO_IDLE, IOBAND_PRIO_BE + 7, IOBAND_PRIO_BE,
		IOBAND_PRIO_RT,
	};
	unsigned int i, j;

	start();
	for (i = 0; i < 10; i++)
		for (j = 0; j < ARRAY_SIZE(prios); j++)
			hold(j & 1, false, prios[j]);
	for (i = 0; i < 10; i++)
		assert_int_equal(bed_next(0)->io.prio, IOBAND_PRIO_RT);
	for (i = 0; i < 20; i++)
		assert_in_range(bed_next(0)->io.prio, IOBAND_PRIO_BE,
				IOBAND_PRIO_BE + 7);
	/* However late it comes, however long the others have waited. */
	hold(IOBAND_READ, false, IOBAND_PRIO_BE + 7);
	assert_int_equal(bed_next(0)->io.prio, IOBAND_PRIO_BE + 7);
	hold(IOBAND_READ, false, IOBAND_PRIO_RT);
	assert_int_equal(bed_next(0)->io.prio, IOBAND_PRIO_RT);
	for (i = 0; i < 10; i++)
		assert_int_equal(bed_next(0)->io.prio, IOBAND_PRIO_IDLE);
	assert_null(bed_next(0));
}

/* Idle stays last even where it is sync and what goes before is not. */
static void test_idle_after_async(void **state)
{
	unsigned int i;

	start();
	for (i = 0; i < 10; i++) {
		hold(IOBAND_READ, false, IOBAND_PRIO_IDLE);
		hold(IOBAND_WRITE, true, IOBAND_PRIO_NORMAL);
	}
	for (i = 0; i < 10; i++)
		assert_true(bed_next(0)->io.is_async);
	for (i = 0; i < 10; i++)
		assert_int_equal(bed_next(0)->io.prio, IOBAND_PRIO_IDLE);
}

/* A level that comes late gets its part from now on, not what it has missed. */
static void test_newcomer_level(void **state)
{
	unsigned int sent[IOBAND_PRIOS] = { 0 }, i;

	start();
	for (i = 0; i < 10; i++)
		hold(IOBAND_READ, false, IOBAND_PRIO_BE);
	for (i = 0; i < 10000; i++)
		bed_hold_io(bed_next(0));
	for (i = 0; i < 40; i++)
		hold(IOBAND_READ, false, IOBAND_PRIO_BE + 7);
	for (i = 0; i < 90; i++) {
		struct bed_io *io = bed_next(0);

		sent[io->io.prio]++;
		bed_hold_io(io);
	}
	assert_in_range(sent[IOBAND_PRIO_BE + 7], 9, 12);
}

/* Nor if there is async I/O, which lags behind by intent. */
static void test_newcomer_level_beside_async(void **state)
{
	unsigned int sent[IOBAND_PRIOS] = { 0 }, i, syncs;
	struct bed_io *io;

	start();
	for (i = 0; i < 10; i++) {
		hold(IOBAND_READ, false, IOBAND_PRIO_BE);
		hold(IOBAND_WRITE, true, IOBAND_PRIO_BE);
	}
	for (i = 0; i < 10000; i++)
		bed_hold_io(bed_next(0));
	/* Stop where virtual time may have been set back by an async one. */
	do {
		io = bed_next(0);
		bed_hold_io(io);
	} while (!io->io.is_async);
	for (i = 0; i < 40; i++)
		hold(IOBAND_READ, false, IOBAND_PRIO_BE + 7);
	for (syncs = 0; syncs < 90;) {
		io = bed_next(0);
		bed_hold_io(io);
		if (io->io.is_async)
			continue;
		sent[io->io.prio]++;
		syncs++;
	}
	assert_in_range(sent[IOBAND_PRIO_BE + 7], 8, 12);
}

/* What was sent at a level long ago is not held against it. */
static void test_no_debt_of_levels(void **state)
{
	unsigned int i;

	start();
	for (i = 0; i < 1000; i++)
		hold(IOBAND_READ, false, IOBAND_PRIO_BE + 7);
	for (i = 0; i < 1000; i++)
		bed_next(0);
	hold(IOBAND_READ, false, IOBAND_PRIO_BE + 7);
	hold(IOBAND_READ, false, IOBAND_PRIO_BE + 7);
	hold(IOBAND_READ, false, IOBAND_PRIO_BE);
	assert_int_equal(bed_next(0)->io.prio, IOBAND_PRIO_BE + 7);
	assert_int_equal(bed_next(0)->io.prio, IOBAND_PRIO_BE);
}

/* Order inside changes nothing about shares between groups. */
static void test_order_costs_nothing(void **state)
{
	struct bed_group *other;
	unsigned int i;

	start();
	other = bed_add(NULL, 100);
	for (i = 0; i < 10; i++) {
		hold(IOBAND_READ, false, IOBAND_PRIO_RT);
		hold(IOBAND_WRITE, true, IOBAND_PRIO_IDLE);
	}
	bed_backlog(other, IOBAND_READ, 8, 10);
	bed_serve(1000);
	assert_in_range(group->cost, 499, 501);
	assert_in_range(other->cost, 499, 501);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sync_before_async),
		cmocka_unit_test(test_runs_count_while_async_waits),
		cmocka_unit_test(test_async_run_is_short),
		cmocka_unit_test(test_async_deadline),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_all_levels),
		cmocka_unit_test(test_rt_first_idle_last),
		cmocka_unit_test(test_idle_after_async),
		cmocka_unit_test(test_newcomer_level),
		cmocka_unit_test(test_newcomer_level_beside_async),
		cmocka_unit_test(test_no_debt_of_levels),
		cmocka_unit_test(test_order_costs_nothing),
	};
	int failed = cmocka_run_group_tests_name("inner", tests, NULL, NULL);

	bed_stop();
	return failed;
}
