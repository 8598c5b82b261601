// SPDX-License-Identifier: GPL-2.0-only
/*
 * How disks are unlike clockwork: jitter, tails, drift, stalls, caps, and times that
 * depend on size and direction.
 */
#include <math.h>

#include "test_disk.h"

enum {
	SERVICES = 20000,
};

static struct simdisk_params flat(u64 slots, u64 service_ns)
{
	struct simdisk_params params = simdisk_flat.defaults;

	params.slots = slots;
	params.service_ns = service_ns;
	return params;
}

/* Serve @n I/Os, one after the other, and note how long each took. */
static void serve(u64 *took, int n)
{
	u64 now = disk.now_ns;

	for (int i = 0; i < n; i++) {
		submit(0, SIMDISK_READ, 0, 8, now);
		while (!simdisk_done(&disk, simdisk_next(&disk)))
			;
		took[i] = ios[0]->due_ns - now;
		now = ios[0]->due_ns;
	}
}

static double mean_of(const u64 *took, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += took[i];
	return sum / n;
}

static double deviation_of(const u64 *took, int n)
{
	double mean = mean_of(took, n), sum = 0;

	for (int i = 0; i < n; i++)
		sum += (took[i] - mean) * (took[i] - mean);
	return sqrt(sum / n);
}

static void assert_near(double is, double should, double off)
{
	if (fabs(is - should) > off)
		fail_msg("%g, not %g", is, should);
}

static void test_sizes(void **state)
{
	struct simdisk_params params = flat(1, 1000);

	params.more_ns = 10;
	params.write_percent = 250;
	disk_on(&simdisk_flat, &params);
	submit(0, SIMDISK_READ, 0, 1, 0);
	submit(1, SIMDISK_READ, 0, 9, 0);
	submit(2, SIMDISK_WRITE, 0, 8, 0);
	submit(3, SIMDISK_WRITE, 0, 128, 0);
	submit(4, SIMDISK_FLUSH, 0, 0, 0);
	fetch_all(U64_MAX - 1);
	assert_int_equal(ios[0]->due_ns, 1000);
	assert_int_equal(ios[1]->due_ns, 1000 + 1010);
	assert_int_equal(ios[2]->due_ns, 2010 + 2500);
	assert_int_equal(ios[3]->due_ns, 4510 + 2875);
	assert_int_equal(ios[4]->due_ns, 7385 + 1000);
	disk_off();
}

/* Mean and deviation of n services are off by no more than four standard errors. */
static void test_jitter(void **state)
{
	static const int percents[] = { 0, 10, 60, 100 };
	struct simdisk_params params = flat(1, 1000000);
	static u64 took[SERVICES];
	u64 least;

	for (size_t p = 0; p < ARRAY_SIZE(percents); p++) {
		double deviation = percents[p] * 1e4;

		params.jitter_percent = percents[p];
		disk_on(&simdisk_flat, &params);
		serve(took, SERVICES);
		least = U64_MAX;
		for (int i = 0; i < SERVICES; i++)
			least = min(least, took[i]);
		assert_near(mean_of(took, SERVICES), 1e6,
			    4 * deviation / sqrt(SERVICES));
		/* The fourth central moment of an exponential is 9. */
		assert_near(deviation_of(took, SERVICES), deviation,
			    4 * deviation * sqrt(2.0 / SERVICES));
		assert_near(least, 1e6 - deviation, 1000);
		disk_off();
	}
}

static void test_tail(void **state)
{
	struct simdisk_params params = flat(1, 100000);
	static u64 took[SERVICES];
	double sum = 0;
	int late = 0;

	params.tail_ppm = 10000;
	params.tail_ns = 10000000;
	disk_on(&simdisk_flat, &params);
	serve(took, SERVICES);
	for (int i = 0; i < SERVICES; i++) {
		late += took[i] > 100000;
		sum += took[i] - 100000;
	}
	assert_near(late, 200, 4 * sqrt(200));
	assert_near(sum / late, 1e7, 4 * 1e7 / sqrt(late));
	disk_off();
}

static void test_drift(void **state)
{
	struct simdisk_params params = flat(1, 1000000);
	static u64 took[3000];

	params.drift_percent = 50;
	params.drift_ns = 4000000000;
	disk_on(&simdisk_flat, &params);
	serve(took, ARRAY_SIZE(took));
	assert_int_equal(took[0], 1000000);
	/* The first quarter is served at 3/4 of the speed in the mean. */
	assert_near(took[749], 2e6, 1e4);
	assert_near(took[1499], 1e6, 4e3);
	assert_near(took[2749], 2e6 / 3, 4e3);
	disk_off();
}

/* Nothing begins during a stall, what has begun goes on; all at its own time. */
static void test_stalls(void **state)
{
	struct simdisk_params params = flat(1, 1000);
	static u64 took[SERVICES];
	int stalls = 0;
	double sum = 0;

	params.stall_every_ns = 100000;
	params.stall_ns = 50000;
	disk_on(&simdisk_flat, &params);
	serve(took, SERVICES);
	for (int i = 0; i < SERVICES; i++) {
		assert_in_range(took[i], 1000, 51000);
		stalls += took[i] > 1000;
		sum += took[i] - 1000;
	}
	assert_near(stalls, SERVICES * 1000 / 100000.0, 4 * sqrt(200));
	/* One begins anywhere in a service, and ends the service first. */
	assert_near(sum / stalls, 49500, 200);
	disk_off();
}

static void test_caps(void **state)
{
	struct simdisk_params params = flat(8, 1000);
	int i;

	params.cap_ios_per_s = 1000;
	params.credit_ns = 10000000;
	disk_on(&simdisk_flat, &params);
	for (i = 0; i < 30; i++)
		submit(i, SIMDISK_READ, 0, 8, 0);
	fetch_all(U64_MAX - 1);
	/* What 10 ms allow is saved up, and one goes before it is counted. */
	for (i = 0; i < 11; i++)
		assert_int_equal(ios[i]->due_ns, 1000 * (i / 8 + 1));
	for (; i < 30; i++)
		assert_int_equal(ios[i]->due_ns, (i - 10) * 1000000 + 1000);
	disk_off();

	params.cap_bytes_per_s = 4096000;
	params.credit_ns = 0;
	params.cap_ios_per_s = 10000;
	disk_on(&simdisk_flat, &params);
	for (i = 0; i < 4; i++)
		submit(i, SIMDISK_WRITE, 0, 8 << i, 0);
	fetch_all(U64_MAX - 1);
	for (i = 0; i < 4; i++)
		assert_int_equal(ios[i]->due_ns, ((1 << i) - 1) * 1000000 + 1000);
	disk_off();
}

static void test_refused(void **state)
{
	struct simdisk_params params = flat(1, 1);

	params.drift_percent = 1;
	assert_non_null(simdisk_check(&simdisk_flat, &params));
	params.drift_ns = 1;
	assert_null(simdisk_check(&simdisk_flat, &params));
	params.stall_ns = 1;
	assert_non_null(simdisk_check(&simdisk_flat, &params));
	params.stall_every_ns = 1;
	params.tail_ppm = 1;
	assert_non_null(simdisk_check(&simdisk_flat, &params));
	params.tail_ns = 1;
	params.credit_ns = 1;
	assert_non_null(simdisk_check(&simdisk_flat, &params));
	params.cap_bytes_per_s = 1;
	assert_null(simdisk_check(&simdisk_flat, &params));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_jitter),
		cmocka_unit_test(test_tail),
		cmocka_unit_test(test_drift),
		cmocka_unit_test(test_stalls),
		cmocka_unit_test(test_caps),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
