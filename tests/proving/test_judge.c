// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who judges the judge? Where the answer is known it has to be his: on a disk like
 * clockwork, with queues deep enough, the scheduler is exact, and without it the disk is
 * wrong in the way expected. And his formulas: what a disk takes, by simulation.
 */
#include "lib/util.h"
#include "unit.h"
#include <math.h>

#include "measure.h"

#define DISK	"[disk]\nmodel = flat\nslots = 4\nservice_ns = 1000000\n"
#define RUN	"[run]\nsettle = 2s\ntime = 6s\n"
/* A depth that is right, so that only the order is judged. */
#define POOL	"[pool]\nio_throttle = 5\n"

static struct verdict verdict;

static void judge(const char *text, int how)
{
	char why[400];

	if (judge_text(text, how, &verdict, why, sizeof(why)))
		fail_msg("%s", why);
}

static void assert_right(const char *text)
{
	judge(text, 0);
	if (verdict.nr)
		fail_msg("%s of %s: %g, expected %g", fault_names[verdict.faults[0].kind],
			 verdict.faults[0].who, verdict.faults[0].got,
			 verdict.faults[0].due);
}

/* Right with the scheduler, and without it this fault of that group is found. */
static void assert_tells(const char *text, enum fault_kind kind, const char *who)
{
	assert_right(text);
	judge(text, JUDGE_UNCONTROLLED);
	for (int i = 0; i < verdict.nr; i++)
		if (verdict.faults[i].kind == kind && !strcmp(verdict.faults[i].who, who))
			return;
	fail_msg("without control, the %s of %s is not found wrong", fault_names[kind], who);
}

static void test_weights(void **state)
{
	assert_tells(DISK POOL RUN
		     "[group a]\nweight = 1000\n[job]\ndepth = 32\n"
		     "[group b]\nweight = 10\n[job]\ndepth = 32\n"
		     "[group c]\nweight = 1\n[job]\ndepth = 128\n", FAULT_SHARE, "a");
}

static void test_policies(void **state)
{
	static const char * const policies[] = { "weight", "weight-iosize", "weight-time" };

	for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
		/* With none waiting in the disk, its time is that of the I/Os. */
		char *text = xasprintf(DISK "more_ns = 20000\nwrite_percent = 200\n"
				       "[pool]\nio_throttle = 4\npolicy = %s\n" RUN
				       "[group small]\n[job]\ndepth = 64\n"
				       "[group large]\n[job]\nsize = 64K\ndepth = 64\n"
				       "[group writer]\nweight = 300\n"
				       "[job]\nwrite = 100\ndepth = 64\n", policies[i]);

		assert_tells(text, FAULT_SHARE, "writer");
		free(text);
	}
}

static void test_tree(void **state)
{
	assert_tells(DISK POOL RUN
		     "[group slice]\nweight = 300\n"
		     "[group a]\nparent = slice\n[job]\ndepth = 16\n"
		     "[group b]\nparent = slice\nweight = 20\n[job]\ndepth = 64\n"
		     "[group c]\n[job]\ndepth = 64\n", FAULT_SHARE, "a");
}

static void test_class(void **state)
{
	assert_tells(DISK POOL RUN
		     "[group a]\nclass = rt\nweight = 1\n[job]\ndepth = 32\n"
		     "[group b]\nweight = 1000\n[job]\ndepth = 128\n", FAULT_SHARE, "a");
}

static void test_minimum(void **state)
{
	assert_tells(DISK POOL RUN
		     "[group a]\nweight = 1\nminiops = 2000\n[job]\ndepth = 16\n"
		     "[group b]\nweight = 1000\n[job]\ndepth = 128\n", FAULT_MINIMUM, "a");
}

/* More than there is cannot be kept, and is nobody's fault. */
static void test_too_much(void **state)
{
	judge(DISK POOL RUN
	      "[group a]\nminiops = 3000\n[job]\ndepth = 16\n"
	      "[group b]\nminiops = 3000\n[job]\ndepth = 16\n", 0);
	for (int i = 0; i < verdict.nr; i++)
		assert_int_not_equal(verdict.faults[i].kind, FAULT_MINIMUM);
}

static void test_target(void **state)
{
	assert_tells("[disk]\nmodel = flat\nslots = 1\nservice_ns = 1000000\n"
		     "jitter_percent = 20\n[pool]\nio_throttle = 1\n" RUN
		     "[group a]\nweight = 1\nlatency = 20ms\n[job]\n"
		     "[group b]\nweight = 1000\n[job]\ndepth = 128\n", FAULT_TARGET, "a");
}

static void test_wait(void **state)
{
	assert_tells("[disk]\nmodel = flat\nslots = 1\nservice_ns = 1000000\n"
		     "jitter_percent = 20\n[pool]\nio_throttle = 1\n" RUN
		     "[group a]\nweight = 1000\n[job]\nthink = 3ms\n"
		     "[group b]\nweight = 1\n[job]\ndepth = 128\n", FAULT_WAIT, "a");
}

/* A depth of one leaves three of four slots unused. */
static void test_waste(void **state)
{
	judge(DISK RUN "[pool]\nio_throttle = 1\n"
	      "[group a]\n[job]\ndepth = 16\n[group b]\n[job]\ndepth = 16\n", 0);
	assert_int_equal(verdict.nr, 1);
	assert_int_equal(verdict.faults[0].kind, FAULT_WASTE);
	judge(DISK RUN POOL
	      "[group a]\n[job]\ndepth = 16\n[group b]\n[job]\ndepth = 16\n", 0);
	assert_int_equal(verdict.nr, 0);
}

static void test_limit(void **state)
{
	struct court court;
	struct parse_error err;
	struct outcome free_run;

	/* Kept, and the jobs of the other have what is left. */
	assert_right(DISK POOL RUN
		     "[group a]\niops = 300\n[job]\ndepth = 16\n"
		     "[group b]\nweight = 1\n[job]\ndepth = 128\n");
	/* Without control limits remain; alone they do not. */
	assert_int_equal(court_open(&court, DISK RUN "[group a]\niops = 300\n[job]\n", &err), 0);
	assert_int_equal(court_run(&court, UNCONTROLLED, NOBODY, &free_run, &err), 0);
	assert_in_range(tally_of(&court, &free_run, 0, 0)->ios[IOBAND_READ], 1799, 1801);
	outcome_free(&court, &free_run);
	assert_int_equal(court_run(&court, ALONE, 0, &free_run, &err), 0);
	assert_in_range(tally_of(&court, &free_run, 0, 0)->ios[IOBAND_READ], 5900, 6000);
	outcome_free(&court, &free_run);
	court_close(&court);
}

/* Groups that come and go are due something only while they are there. */
static void test_phases(void **state)
{
	struct court court;
	struct parse_error err;
	const char *text =
		DISK POOL RUN
		"[group a]\nweight = 300\n"
		"[job]\ndepth = 32\nstart = 0s\nstop = 3s\n"
		"[job]\ndepth = 32\nstart = 5s\nstop = 6s\n"
		"[group b]\n[job]\ndepth = 64\n";

	assert_int_equal(court_open(&court, text, &err), 0);
	assert_int_equal(court.nr_phases, 2);
	assert_int_equal(court.nr_spans, 4);
	assert_true(fabs(court.phases[0].seconds - 2) < 1e-9);
	assert_true(fabs(court.phases[1].seconds - 4) < 1e-9);
	assert_true(is_on(&court, 0, 0) && !is_on(&court, 1, 0) && is_on(&court, 1, 1));
	court_close(&court);
	assert_tells(text, FAULT_SHARE, "a");
}

static void assert_near(double is, double should, double part)
{
	if (fabs(is - should) > part * should)
		fail_msg("%g, not %g", is, should);
}

/* A task that does one I/O at a time has the service times, but for its 10 us. */
static void test_formulas(void **state)
{
	static const char * const disks[] = {
		DISK, DISK "jitter_percent = 60\n", DISK "more_ns = 30000\n",
		DISK "write_percent = 300\n",
		DISK "tail_ppm = 20000\ntail_ns = 8000000\n",
		"[disk]\nmodel = serial\n", "[disk]\nmodel = ssd\n",
	};
	static const char * const jobs[] = { "size = 4K", "size = 64K", "write = 100" };

	for (size_t i = 0; i < ARRAY_SIZE(disks); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(jobs); j++) {
			char *text = xasprintf("%s[run]\nsettle = 1s\ntime = 40s\n[group a]\n[job]\n%s\n",
					       disks[i], jobs[j]);
			struct parse_error err;
			struct outcome out;
			struct court court;

			/* A buffered write takes what it takes later. */
			if (strstr(disks[i], "ssd") && strstr(jobs[j], "write"))
				goto next;
			assert_int_equal(court_open(&court, text, &err), 0);
			assert_int_equal(court_run(&court, ALONE, 0, &out, &err), 0);
			assert_near(40e9 / out.hists[0].nr - 10000,
				    service_of(&court, 0, 0), 0.03);
			if (court.phases[0].params.jitter_percent)
				assert_near(sim_hist_percentile(&out.hists[0], 99),
					    service_percentile(&court, 0, 0, 0.99), 0.05);
			outcome_free(&court, &out);
			court_close(&court);
next:
			free(text);
		}
	}
}

/* A seed is a scenario that can be parsed, and the same one each time. */
static void test_draw(void **state)
{
	for (u64 seed = 0; seed < 500; seed++) {
		enum disk_kind disk;
		enum load_kind asked = seed % (LOAD_ANY + 1), load = asked;
		char *text = draw_scenario(seed, &disk, &load);
		char *again = draw_scenario(seed, &disk, &asked);
		struct parse_error err;
		struct court court;

		assert_string_equal(text, again);
		if (court_open(&court, text, &err))
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
		court_close(&court);
		free(text);
		free(again);
	}
}

/* What matters is left, and nothing else. */
static void test_shrink(void **state)
{
	char *text = shrink(DISK "jitter_percent = 20\n[run]\nsettle = 1s\ntime = 4s\n"
			    "[pool]\npolicy = weight\nio_throttle = 1\nturnaround = 3us\n"
			    "[group a]\nweight = 30\n[job]\ndepth = 16\n"
			    "[group b]\n[job]\ndepth = 48\nsize = 8K\n"
			    "[group c]\nparent = b\nlatency = 200ms\n[job]\nthink = 5ms\n",
			    0, FAULT_WASTE);

	assert_non_null(strstr(text, "io_throttle = 1\n"));
	assert_null(strstr(text, "policy"));
	assert_null(strstr(text, "turnaround"));
	assert_null(strstr(text, "jitter"));
	assert_null(strstr(text, "latency"));
	assert_null(strstr(text, "size"));
	judge(text, 0);
	assert_int_equal(verdict.faults[0].kind, FAULT_WASTE);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_class),
		cmocka_unit_test(test_minimum),
		cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_target),
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_waste),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_formulas),
		cmocka_unit_test(test_draw),
		cmocka_unit_test(test_shrink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
