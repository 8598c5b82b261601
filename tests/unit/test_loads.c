// SPDX-License-Identifier: GPL-2.0-only
/*
 * What groups get of simulated disks whose depth has to be found.
 */
#include "simbed.h"

/*
 * Who has a limit and nobody beside gets that, though what a limit lets go comes in clumps;
 * on a disk that seeks, too, where others would have turns.
 */
static void test_alone_with_limit(void **state)
{
	static const struct {
		const char *disk;
		const char *load;
		double limit;
	} cases[] = {
		{ FLAT "slots = 128\nqueue_depth = 1023\nservice_ns = 1000000\n",
		  "[pool]\npolicy = weight\n[group a]\niops = 4442\n[job]\ndepth = 16\nthink = 1ms\n", 4442 },
		{ FLAT "slots = 128\nqueue_depth = 1023\nservice_ns = 1000000\n",
		  "[pool]\npolicy = weight\n[group a]\niops = 30000\n[job]\ndepth = 100\nwrite = 100\n", 30000 },
		{ "[disk]\nmodel = ssd\n",
		  "[pool]\npolicy = weight-iosize\n[group a]\niops = 100000\n[job]\ndepth = 64\n", 100000 },
		{ "[disk]\nmodel = hdd\n",
		  "[pool]\npolicy = weight-time\n[group a]\niops = 200\n[job]\ndepth = 16\n", 200 },
	};
	char text[512];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "[run]\nsettle = 5s\ntime = %s\n%s%s",
			 cases[i].limit < 1000 ? "20s" : "1s", cases[i].disk, cases[i].load);
		clean_up(NULL);
		simulate(text);
		assert_near(iops("a"), cases[i].limit, 1);
	}
}

/*
 * Two groups that together have hardly more than the disk does at once, or less, and whose
 * I/Os complete all at the same time: hardly any wait, and the depth is found nevertheless.
 */
static void test_in_step(void **state)
{
	static const unsigned int loads[][3] = {
		{ 4, 2, 3 }, { 8, 2, 3 }, { 8, 5, 6 }, { 16, 5, 6 }, { 128, 5, 6 }, { 16, 12, 16 },
	};
	char text[500];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		unsigned int slots = loads[i][0], all = loads[i][1] + loads[i][2];

		snprintf(text, sizeof(text), FLAT "slots = %u\nservice_ns = 1000000\n"
			 "queue_depth = 256\n[run]\nsettle = 1s\ntime = 2s\n"
			 "[group a]\n[job]\ndepth = %u\n[group b]\nweight = 200\n"
			 "[job]\ndepth = %u\n", slots, loads[i][1], loads[i][2]);
		simulate(text);
		assert_true(iops("total") >= 0.98 * 1000 * min(slots, all));
		clean_up(NULL);
	}
}

/*
 * What all have outstanding is between the depth and twice that, and fits into what is
 * tried: shares are as at a depth that was set, and little of the rate is lost.
 */
static void test_fits_into_trial(void **state)
{
	static const unsigned int loads[][3] = {
		{ 4, 4, 4 }, { 16, 8, 12 }, { 16, 16, 16 }, { 32, 30, 31 }, { 64, 48, 48 },
	};
	char text[500];
	double share = 1;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(loads) * 2; i++) {
		const unsigned int *load = loads[i / 2];

		for (j = 0; j < 2; j++) {
			snprintf(text, sizeof(text), FLAT "slots = %u\nservice_ns = 1600000\n"
				 "queue_depth = 256\njitter_percent = %u\n"
				 "[run]\nsettle = 5s\ntime = 10s\n[pool]\nio_throttle = %u\n"
				 "[group a]\n[job]\ndepth = %u\n"
				 "[group b]\nweight = 300\n[job]\ndepth = %u\n",
				 load[0], i % 2 ? 50 : 20, j ? 0 : load[0], load[1], load[2]);
			simulate(text);
			if (j) {
				assert_true(iops("b") / iops("total") > share - .02);
				assert_true(iops("total") > .98 * load[0] * 625);
			}
			share = iops("b") / iops("total");
			clean_up(NULL);
		}
	}
}

/*
 * Where decisions take time twice as much does somewhat more; but with all there is at the
 * disk it divides itself.
 */
static void test_takes_all_there_is(void **state)
{
	simulate(FLAT "slots = 16\nservice_ns = 80000\njitter_percent = 25\n"
		 "[run]\nsettle = 3s\ntime = 1s\n[group a]\n[job]\ndepth = 16\n"
		 "[group b]\nweight = 200\n[job]\ndepth = 16\n");
	assert_true(iops("total") > .98 * 200000);
	assert_true(iops("b") / iops("total") > .62);
}

/*
 * A group that has no more outstanding than the disk does at once loses turns while more
 * is tried. It has three quarters at a depth of 4, two thirds at 5.
 */
static void test_few_outstanding(void **state)
{
	simulate(FLAT "slots = 4\njitter_percent = 20\n[run]\nsettle = 2s\ntime = 10s\n"
		 "[group db]\nweight = 300\n[job]\ndepth = 4\n"
		 "[group backup]\n[job]\ndepth = 64\n");
	assert_true(iops("total") > 3960);
	assert_true(iops("db") / iops("total") > 0.715);
}

/*
 * A few small reads beside large ones, on flash: the disk does what it can, and not what
 * few I/Os can do one after the other. A backup alone reads 2,663 MB/s.
 */
static void test_small_beside_large(void **state)
{
	static const char * const sizes[] = { "1M", "512K" };
	char text[300];
	size_t i;
	int few;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (few = 1; few <= 4; few *= 2) {
			snprintf(text, sizeof(text), "[pool]\npolicy = weight-iosize\n"
				 "[run]\nsettle = 4s\ntime = 1s\n" SSD
				 "[group db]\n[job]\ndepth = %d\n[group backup]\n[job]\n"
				 "pattern = sequential\ndepth = 16\nsize = %s\n", few, sizes[i]);
			simulate(text);
			assert_true(row("backup")->bytes[0] / result.seconds > .7 * 2663e6);
			assert_true(iops("db") > .06 * 9900 * few);
			clean_up(NULL);
		}
	}
}

/*
 * Where an I/O takes as long whatever its size, large ones do not drive small ones out: at
 * a depth of 16 as many go as at 32, of which more would be large.
 */
static void test_size_does_not_matter(void **state)
{
	simulate("[pool]\npolicy = weight\n[run]\nsettle = 4s\ntime = 1s\n"
		 FLAT "slots = 16\nservice_ns = 80000\njitter_percent = 25\nqueue_depth = 1023\n"
		 "[group db]\nweight = 300\n[job]\ndepth = 8\n"
		 "[group backup]\n[job]\ndepth = 64\nsize = 1M\n");
	assert_true(iops("total") > 196000);
	assert_true(iops("db") > 66000);
}

/*
 * A drive sorts what whoever has the turn has outstanding, and so does more than with one
 * I/O at a time, 119 a second; who has one only has its half.
 */
static void test_drive_sorts(void **state)
{
	static const unsigned int deep[] = { 16, 1 };
	char text[300];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(deep); i++) {
		snprintf(text, sizeof(text), "[pool]\npolicy = weight-time\n[disk]\nmodel = hdd\n"
			 "[run]\nsettle = 10s\ntime = 60s\n[group a]\n[job]\ndepth = %u\n"
			 "[group b]\n[job]\ndepth = 16\n", deep[i]);
		simulate(text);
		assert_true(iops("b") > 95);
		assert_true(iops("a") > (deep[i] > 1 ? 95 : 56));
		clean_up(NULL);
	}
}

/* On a slow disk it takes longer to see that twice as much is worth it. */
static void test_slow_depth(void **state)
{
	simulate(FLAT "slots = 8\nservice_ns = 40000000\njitter_percent = 100\nseed = 1\n"
		 "[run]\nsettle = 120s\ntime = 300s\n"
		 "[group a]\n[job]\ndepth = 32\n[group b]\n[job]\ndepth = 32\n");
	assert_true(iops("total") > 190);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_alone_with_limit),
		TEST(test_in_step),
		TEST(test_fits_into_trial),
		TEST(test_takes_all_there_is),
		TEST(test_few_outstanding),
		TEST(test_small_beside_large),
		TEST(test_size_does_not_matter),
		TEST(test_drive_sorts),
		TEST(test_slow_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
