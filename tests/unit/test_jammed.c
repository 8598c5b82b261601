// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the block layer below may throttle, where the first of it has got stuck there.
 */
#include "bed.h"

static void jam(bool is_jammed)
{
	bed.sched.jammed = is_jammed ? BIT_ULL(IOBAND_KIND_THROTTLED) : 0;
	bed.sched.full = bed.sched.jammed;
	bed.sched.brim = bed.sched.jammed;
}

static void start(void)
{
	bed_start("weight", 8);
	bed.sched.service_ns = MS;
	bed.jams = true;
}

static void stop(void)
{
	jam(false);
	bed_stop();
}

static struct bed_io *hold_throttled(struct bed_group *group)
{
	struct bed_io *io = bed_new(group, IOBAND_WRITE, KIB(4));

	io->io.is_throttled = true;
	bed_hold_io(io);
	return io;
}

/*
 * Where throttled writes are jammed all else goes, of any group: other writes of the same
 * group, too, though they have come later. Then those left behind are first.
 */
static void test_others_go(void **state)
{
	struct bed_io *throttled, *swift, *io;
	struct bed_group *mine, *others;
	unsigned int i, nr_swift = 0;

	start();
	mine = bed_add(NULL, 100);
	others = bed_add(NULL, 100);
	throttled = hold_throttled(mine);
	hold_throttled(mine);
	swift = bed_hold_write(mine, KIB(4));
	for (i = 0; i < 8; i++)
		bed_hold_write(others, KIB(4));
	jam(true);
	for (i = 0; i < 5; i++) {
		io = bed_next(0);
		assert_true(io == swift || io->group == others);
		nr_swift += io == swift;
	}
	assert_int_equal(nr_swift, 1);
	jam(false);
	assert_ptr_equal(bed_next(0), throttled);
	assert_ptr_equal(bed_next(0)->group, mine);
	for (i = 0; i < 4; i++)
		assert_ptr_equal(bed_next(0)->group, others);
	assert_null(bed_next(0));
	stop();
}

/*
 * How many of 70,000 I/Os are throttled, and how many of these are @one's, where each is
 * followed by the like at once and every seventh finds no jam.
 */
static unsigned int throttled_in_jams(struct bed_group *one, unsigned int *of_one)
{
	unsigned int i, nr = 0, opened = 0;
	struct bed_io *io;

	*of_one = 0;
	for (i = 0; i < 70000; i++) {
		bed.now_ns += MS / 10;
		jam(i % 7 != 6);
		opened += !bed.sched.jammed;
		io = bed_next(0);
		assert_non_null(io);
		nr += io->io.is_throttled;
		*of_one += io->io.is_throttled && io->group == one;
		bed_hold_io(io);
	}
	assert_int_equal(opened, 10000);
	return nr;
}

/*
 * Who has other I/O, too, has what is throttled go as well, though others have nothing else
 * and so fall behind; and has no more for that.
 */
static void beside(enum ioband_dir dir, bool is_below, bool is_above)
{
	struct bed_group *mixed, *only, *above;
	unsigned int i, of_mixed;
	struct bed_io *io;

	start();
	mixed = bed_add(NULL, 100);
	only = bed_add(NULL, 100);
	if (is_below || is_above) {
		above = bed_add(NULL, 100);
		bed_move(is_below ? mixed : only, above);
	}
	for (i = 0; i < 8; i++)
		hold_throttled(only);
	hold_throttled(mixed);
	for (i = 0; i < 4; i++) {
		io = bed_new(mixed, dir, KIB(4));
		io->io.is_async = dir == IOBAND_WRITE;
		bed_hold_io(io);
	}
	/* Nobody loses a turn of what is throttled, and none has more than its half. */
	assert_in_range(throttled_in_jams(mixed, &of_mixed), 9900, 10000);
	assert_in_range(of_mixed, 4500, 5010);
	stop();
}

static void test_beside_reads(void **state)
{
	beside(IOBAND_READ, false, false);
}

static void test_beside_writes(void **state)
{
	beside(IOBAND_WRITE, false, false);
}

static void test_below_others(void **state)
{
	beside(IOBAND_READ, true, false);
	beside(IOBAND_WRITE, false, true);
}

/* What is jammed is divided by weight, whoever else has the disk meanwhile. */
static void by_weight(bool with_reads)
{
	struct bed_group *reader, *light, *heavy;
	unsigned int i, of_light;

	start();
	reader = bed_add(NULL, 100);
	light = bed_add(NULL, 100);
	heavy = bed_add(NULL, 400);
	for (i = 0; i < 8; i++) {
		bed_hold(reader, KIB(4));
		hold_throttled(light);
		hold_throttled(heavy);
	}
	for (i = 0; with_reads && i < 4; i++)
		bed_hold(light, KIB(4));
	assert_in_range(throttled_in_jams(light, &of_light), 9900, 10000);
	assert_in_range(of_light, 1900, 2100);
	stop();
}

static void test_by_weight(void **state)
{
	by_weight(false);
	by_weight(true);
}

/* How many I/Os others have before @group's next. */
static unsigned int before(const struct bed_group *group)
{
	struct bed_io *io;
	unsigned int nr;

	for (nr = 0; nr < 100 && (io = bed_next(0))->group != group; nr++)
		bed_hold_io(io);
	return nr;
}

/* A jam that is over has saved up no more than goes in a tenth of a second. */
static void test_for_long(void **state)
{
	struct bed_group *reader, *jammed;
	unsigned int i;

	start();
	reader = bed_add(NULL, 100);
	jammed = bed_add(NULL, 100);
	for (i = 0; i < 8; i++)
		bed_hold(reader, KIB(4));
	for (i = 0; i < 64; i++)
		hold_throttled(jammed);
	jam(true);
	bed_serve(20000);
	jam(false);
	bed.now_ns += SEC / 5;
	assert_in_range(before(reader), 1, 18);
	jam(true);
	bed_serve(20000);
	for (i = 0; i < 8; i++)
		bed_hold(jammed, KIB(4));
	assert_in_range(before(reader), 1, 2);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_others_go),
		cmocka_unit_test(test_beside_reads),
		cmocka_unit_test(test_beside_writes),
		cmocka_unit_test(test_below_others),
		cmocka_unit_test(test_by_weight),
		cmocka_unit_test(test_for_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
