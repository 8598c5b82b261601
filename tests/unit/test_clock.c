// SPDX-License-Identifier: GPL-2.0-only
/*
 * A disk's clock: all that it is said to have worked, for all I/Os together, is the time
 * it was busy.
 */
#include "unit.h"
#include "dm-ioband/sched/clock.h"
#include "prng.h"

enum {
	IOS	= 1000,
};

static u64 start_ns[IOS];

/* @ios at the disk all the time; one ends and the next begins every @each_ns. */
static void busy(struct ioband_clock *clock, unsigned int ios, u64 each_ns,
		 unsigned int late_percent)
{
	struct prng prng;
	u64 used_ns = 0, now_ns = clock->at_ns + NSEC_PER_SEC, begin_ns = now_ns, noted_ns;
	unsigned int i, n;

	prng_seed(&prng, ios);
	for (i = 0; i < ios; i++)
		start_ns[i] = ioband_clock_start(clock, now_ns);
	for (n = 0; n < 100000; n++, i = prng_below(&prng, ios)) {
		i %= ios;
		now_ns += each_ns;
		noted_ns = now_ns;
		if (late_percent && prng_percent(&prng, late_percent))
			noted_ns -= prng_below(&prng, 4 * each_ns);
		used_ns += ioband_clock_stop(clock, start_ns[i], noted_ns);
		start_ns[i] = ioband_clock_start(clock, now_ns);
	}
	for (i = 0; i < ios; i++)
		used_ns += ioband_clock_stop(clock, start_ns[i], now_ns);
	/* A remainder is less than one of each. */
	assert_in_range(used_ns, now_ns - begin_ns - ios, now_ns - begin_ns);
	assert_int_equal(clock->ios, 0);
}

static void test_busy(void **state)
{
	static const unsigned int ios[] = { 1, 2, 7, 64, 256, IOS };
	static const u64 each_ns[] = { 1, 50, 500, 1000, 12345, 1000003 };
	struct ioband_clock clock = { 0 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(ios); i++)
		for (j = 0; j < ARRAY_SIZE(each_ns); j++)
			busy(&clock, ios[i], each_ns[j], 0);
}

/* Completions read the time before they are counted, so one may come after a later one. */
static void test_noted_late(void **state)
{
	struct ioband_clock clock = { 0 };

	busy(&clock, 64, 1000, 25);
	busy(&clock, 256, 100, 25);
}

static void test_idle(void **state)
{
	struct ioband_clock clock = { 0 };
	u64 start = ioband_clock_start(&clock, 1000);

	assert_int_equal(ioband_clock_stop(&clock, start, 1600), 600);
	start = ioband_clock_start(&clock, 1000000);
	assert_int_equal(ioband_clock_stop(&clock, start, 1000001), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_noted_late),
		cmocka_unit_test(test_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
