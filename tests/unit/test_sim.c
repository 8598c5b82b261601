// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulation: what can be calculated has to come out.
 */
#include "simbed.h"
#include "lib/units.h"

/* Fed without delay: it does all it can with as many I/Os as it has slots. */
#define FED	"[pool]\nturnaround = 0ns\n" FLAT

/* N slots of 1 ms are N thousand I/Os, and Little's law gives the latencies. */
static void test_weights(void **state)
{
	simulate("[pool]\nio_throttle = 4\nturnaround = 0ns\n" FLAT "[group a]\nweight = 40\n[job]\ndepth = 20\n"
		 "[group b]\nweight = 20\n[job]\ndepth = 40\n"
		 "[group c]\nweight = 10\n[job]\ndepth = 80\n");
	assert_near(iops("total"), 4000, 0.01);
	assert_near(iops("a"), 16000 / 7.0, 0.05);
	assert_near(iops("b"), 8000 / 7.0, 0.05);
	assert_near(iops("c"), 4000 / 7.0, 0.05);
	assert_near(p99_ms("a"), 8.75, 4);
	assert_near(p99_ms("b"), 35, 1);
	assert_near(p99_ms("c"), 140, 1);
	assert_near(row("a")->due_ppm, 4e6 / 7, 0.001);
	assert_near(row("a")->got_ppm, 4e6 / 7, 0.05);
}

/* A lone group has the disk to itself, up to what the disk takes. */
static void test_alone(void **state)
{
	simulate(FLAT "queue_depth = 8\n[group a]\n[job]\ndepth = 100\n");
	assert_near(iops("a"), 4000, 0.01);
	assert_near(p99_ms("a"), 25, 1);
	assert_int_equal(sim.pool.contended, false);
	assert_int_equal(sim.tags_used, 8);
	/* One sleeps for a tag, the others wait behind it. */
	assert_int_equal(sim.pool.in_flight, 9);
}

/* One at a time, and 1 ms each, plus what the machine takes to send the next. */
static void test_turnaround(void **state)
{
	simulate(FLAT "[pool]\nio_throttle = 1\nturnaround = 250us\n"
		 "[group a]\n[job]\ndepth = 4\n[group b]\n[job]\ndepth = 4\n");
	assert_near(iops("total"), 800, 0.1);
}

static void test_think(void **state)
{
	simulate(FLAT "[group a]\n[job]\ndepth = 2\nthink = 3ms\n");
	assert_near(iops("a"), 500, 0.1);
	assert_near(p99_ms("a"), 1, 1);
}

static void test_limits(void **state)
{
	simulate(FED "[group a]\nriops = 500\n[job]\ndepth = 8\n"
		 "[group b]\nbps = 4096000\n[job]\ndepth = 8\n"
		 "[group c]\n[job]\ndepth = 8\n");
	assert_near(iops("a"), 500, 0.1);
	assert_near(iops("b"), 1000, 0.1);
	assert_near(iops("c"), 2500, 0.1);
}

static void test_minimum(void **state)
{
	simulate(FED "[group a]\nweight = 1\nminiops = 1500\n[job]\ndepth = 16\n"
		 "[group b]\nweight = 100\n[job]\ndepth = 32\n");
	assert_near(iops("a"), 1507.5, 0.2);
	assert_int_equal(row("a")->unmet, 0);
	clean_up(NULL);
	/* More than there is. */
	simulate(FED "[group a]\ncount = 3\nminiops = 1500\n[job]\ndepth = 16\n");
	assert_near(iops("a"), 4000, 0.1);
	assert_in_range(row("a")->unmet, 1, 3);
	assert_true(row("total")->unmet == row("a")->unmet);
	assert_true(row("a")->least_rate <= 4000 / 3.0);
	assert_true(row("a")->behind_ns > 0);
	clean_up(NULL);
	/* Who does not ask for it gets less, and nobody is to blame. */
	simulate(FED "[group a]\nminiops = 1500\n[job]\nrate = 100\n"
		 "[group b]\n[job]\ndepth = 16\n");
	assert_near(iops("a"), 100, 0.1);
	assert_int_equal(row("a")->unmet, 0);
}

#define FLASH "[disk]\nmodel = ssd\nchannels = 1\ndies = 4\n[pool]\npolicy = "
#define QUIET_READER							\
	"[group writer]\n[job]\nwrite = 100\ndepth = 16\nsize = 64K\n"	\
	"offset = 1073741824\nspan = 4294967296\n"			\
	"[group reader]\n[job]\nspan = 1073741824\nthink = 1ms\n"

/*
 * Who asks for little does not wait until a large write makes room: half of its reads take
 * no longer than if nobody put anything in order. That it has two thirds of these only is
 * what order costs here: it should be as many.
 */
static void test_quiet_reader(void **state)
{
	double alike;
	u64 alike_ns;

	/* As if nobody put anything in order. */
	simulate(FLASH "limit\n" QUIET_READER);
	alike = iops("reader");
	alike_ns = sim_hist_percentile(row("reader")->hist, 50);
	clean_up(NULL);
	simulate(FLASH "weight-time\n" QUIET_READER);
	assert_near(sim_hist_percentile(row("reader")->hist, 50), alike_ns, 5);
	assert_true(iops("reader") >= alike * .65);
}

/* A latency target holds for the last I/O of all, and is no reason for throughput. */
static void test_latency(void **state)
{
	simulate(FLAT "slots = 4\nservice_ns = 1000000\nqueue_depth = 64\n"
		 "[group floor]\nweight = 1\nminiops = 1000\n[job]\ndepth = 8\n"
		 "[group swift]\nlatency = 3ms\n[job]\n"
		 "[group crowd]\ncount = 16\nweight = 1000\n[job]\ndepth = 64\n");
	assert_true(row("swift")->hist->max_ns <= 3 * NSEC_PER_MSEC);
	assert_in_range(iops("swift"), 333, 500);
	assert_true(row("floor")->least_rate >= 1000);
	assert_true(iops("total") >= 0.99 * 4000);
}

/*
 * A group that sends 400 at once, and nothing for long after that, does not have the disk
 * to itself: another reads now and then.
 */
static void test_burst(void **state)
{
	char text[2000];
	size_t len, i;

	len = snprintf(text, sizeof(text), FLAT "queue_depth = 1023\nslots = 8\n"
		       "service_ns = 2000000\n[run]\nsettle = 2s\ntime = 8s\n"
		       "[group victim]\nweight = 1000\n[job]\nrate = 100\n[group burst]\n");
	for (i = 0; i < 20; i++)
		len += snprintf(text + len, sizeof(text) - len,
				"[job]\ndepth = 400\nstart = %zums\nstop = %zums\n",
				500 * i, 500 * i + 1);
	simulate(text);
	assert_near(iops("burst"), 800, 1);
	assert_true(p99_ms("victim") <= 3 * 2);
}

/*
 * Who reads a few times a second does not wait for all that another has sent meanwhile,
 * who is alone in between.
 */
static void test_now_and_then(void **state)
{
	simulate(FLAT "slots = 1\nservice_ns = 5000000\nqueue_depth = 1023\n[run]\n"
		 "settle = 2s\ntime = 20s\n[group rare]\n[job]\nthink = 300ms\n"
		 "[group deep]\n[job]\ndepth = 256\n");
	assert_true(p99_ms("rare") <= 4 * 5);
}

/* The second user gone, the first is limited by the disk alone, deep as its queue is. */
static void test_alone_again(void **state)
{
	simulate(FLAT "slots = 64\nqueue_depth = 64\n[run]\nsettle = 15200ms\ntime = 1s\n"
		 "[group a]\n[job]\ndepth = 256\n[group b]\n[job]\nstop = 5s\n");
	assert_near(iops("a"), 64000, 0.1);
	assert_int_equal(sim.pool.contended, false);
	assert_int_equal(sim.tags_used, 64);
}

/*
 * One group: who reads a little does not wait behind 256 writes, only behind those
 * that keep the disk busy.
 */
static void test_reads_beside_own_writes(void **state)
{
	simulate(FLAT "slots = 4\nservice_ns = 1000000\nqueue_depth = 64\n"
		 "[group one]\n[job]\nsize = 16K\n"
		 "[job]\nstreams = 4\ndepth = 64\nsize = 64K\nwrite = 100\n");
	assert_true(row("one")->ios[IOBAND_READ] / result.seconds >= 400);
	assert_true(iops("one") >= 0.99 * 4000);
}

static void test_tree(void **state)
{
	simulate(FED "[group top]\ncount = 2\nweight = 300\n"
		 "[group sub]\nparent = top\ncount = 6\nweight = 10\n[job]\ndepth = 16\n"
		 "[group other]\nweight = 200\nparent = default\n[job]\ndepth = 32\n"
		 "[group default]\n");
	assert_near(iops("top"), 3000, 0.1);
	assert_near(iops("sub"), 3000, 0.1);
	assert_near(iops("other"), 1000, 0.2);
	assert_near(row("sub")->due_ppm, 750000, 0.001);
	assert_near(row("sub")->got_ppm, 750000, 0.1);
	sim_report_free(&result);
	sim_free(&sim);
	run(true);
	assert_near(iops("sub5"), 500, 0.5);
	assert_string_equal(row("sub5")->parent, "top1");
	assert_string_equal(row("sub6")->parent, "top2");
}

static unsigned int level_weight(unsigned int level, unsigned int i)
{
	return level == 1 ? 100 + 37 * i : 100 + i * (level == 3 ? 50 : 100);
}

/* A thousand groups in four levels: in a minute each is within 2 I/Os of its due. */
static void test_thousand_groups(void **state)
{
	static const unsigned int fan[] = { 5, 5, 5, 8 };
	unsigned int sums[ARRAY_SIZE(fan)] = { 0 }, level, i, n, rest;
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	for (level = 0; level < ARRAY_SIZE(fan); level++)
		for (i = 0; i < fan[level]; i++)
			sums[level] += level_weight(level, i);

	fputs(FLAT "service_ns = 100000\n[run]\nsettle = 20s\ntime = 60s\n", file);
	/* The name says where it is: a digit for each level. */
	for (level = 0, n = 1; level < ARRAY_SIZE(fan); level++) {
		n *= fan[level];
		for (i = 0; i < n; i++) {
			char name[8] = "g";
			int l;

			for (l = level, rest = i; l >= 0; rest /= fan[l--])
				name[1 + l] = '0' + rest % fan[l];
			fprintf(file, "[group %s]\nweight = %u\n", name,
				level_weight(level, i % fan[level]));
			if (level)
				fprintf(file, "parent = %.*s\n", (int)level + 1, name);
			if (level == ARRAY_SIZE(fan) - 1)
				fputs("[job]\ndepth = 4\n", file);
		}
	}
	fclose(file);
	simulate(text);
	free(text);

	n = 0;
	for (i = 0; i < result.nr; i++) {
		const struct sim_row *leaf = &result.rows[i];
		double due = 40000 * 60;

		if (strlen(leaf->name) != 1 + ARRAY_SIZE(fan) || leaf->name[0] != 'g')
			continue;
		for (level = 0; level < ARRAY_SIZE(fan); level++)
			due *= level_weight(level, leaf->name[1 + level] - '0') /
			       (double)sums[level];
		if (leaf->ios[0] < due - 2 || leaf->ios[0] > due + 2)
			fail_msg("%s has %llu I/Os of %g", leaf->name,
				 (unsigned long long)leaf->ios[0], due);
		n++;
	}
	assert_int_equal(n, 1000);
}

/* A third of what comes finds no place: it is late, and no more than so much held. */
static void test_overload(void **state)
{
	simulate(FED "[group a]\n[job]\nrate = 3000\n[group b]\n[job]\nrate = 3000\n");
	assert_near(iops("a"), 2000, 0.1);
	assert_near(iops("b"), 2000, 0.1);
	assert_in_range(sim.groups[0].held, 1, 1024);
	/* After 40 s a third of 40 s is missing. */
	assert_near(row("a")->hist->max_ns / 1e9, 13.3, 2);
}

/* An M/D/1 queue at half its load: mean wait is a half of the service. */
static void test_random_arrivals(void **state)
{
	u64 sum = 0;
	size_t i;

	simulate(FLAT "slots = 1\n[run]\ntime = 1000s\n"
		 "[group a]\n[job]\nrate = 500\narrivals = random\n");
	assert_near(iops("a"), 500, 1);
	for (i = 0; i < 1000; i++)
		sum += sim_hist_percentile(row("a")->hist, i / 10.0);
	assert_near(sum / 1000 / 1e6, 1.5, 2);
}

static void test_steps(void **state)
{
	simulate(FLAT "[disk at 20s]\nservice_ns = 2000000\n[disk at 30s]\nslots = 16\n"
		 "[run]\nsettle = 10s\ntime = 30s\n[group a]\n[job]\ndepth = 64\n");
	assert_near(row("a")->ios[0], 40000 + 20000 + 80000, 0.1);
}

static void test_start_stop(void **state)
{
	simulate(FLAT "[run]\nsettle = 0s\ntime = 10s\n"
		 "[group a]\n[job]\nthink = 0s\nstart = 2s\nstop = 5s\n"
		 "[group b]\n[job]\nrate = 10\nstart = 8s\n");
	assert_in_range(row("a")->ios[0], 2999, 3001);
	assert_in_range(row("b")->ios[0], 19, 20);
	assert_int_equal(sim.counts[0].want.nr, 0);
}

/* Half the time of the disk each, whatever they do with it. */
static void test_time(void **state)
{
	simulate("[disk]\nmodel = serial\n[pool]\npolicy = weight-time\n"
		 "[run]\ntime = 100s\n"
		 "[group random]\n[job]\ndepth = 2\n"
		 "[group files]\n[job]\nstreams = 2\npattern = sequential\nsize = 64K\n");
	assert_near(row("random")->got_ppm, 500000, 3);
	assert_near(iops("random"), 111 / 2.0, 6);
	clean_up(NULL);
	/* And with one I/O at a time, whose task is waited for. */
	simulate("[disk]\nmodel = serial\n[pool]\npolicy = weight-time\n"
		 "[run]\ntime = 100s\n"
		 "[group random]\n[job]\n"
		 "[group files]\n[job]\nstreams = 4\npattern = sequential\nsize = 64K\n");
	assert_near(row("random")->got_ppm, 500000, 3);
}

static void test_trace(void **state)
{
	static const char text[] =
		" x 1.000: ioband_pass: s 1,0 group=7 R 0 + 8 held=0 in_flight=1 wait_ns=0\n"
		" x 2.500: ioband_dispatch: s 1,0 group=-1 W 8 + 16 held=0 in_flight=1 wait_ns=500000000\n"
		" x 3.000: ioband_pass: s 1,0 group=7 R 64 + 8 held=0 in_flight=1 wait_ns=0\n";
	struct parse_error err;
	unsigned long line;

	read_scenario(FLAT "[run]\nsettle = 0s\ntime = 10s\n[group default]\n"
		      "[group 7]\n[trace]\nfile = x\nstart = 9s\n");
	assert_int_equal(trace_parse(&trace, &sc, text, &line, &err), 0);
	assert_int_equal(trace.nr, 3);
	assert_true(trace.ios[1].at_ns == NSEC_PER_SEC);
	run(false);
	/* The last one comes at 11 s. */
	assert_int_equal(row("7")->ios[0], 1);
	assert_int_equal(row("default")->ios[1], 0);
	clean_up(NULL);
	read_scenario(FLAT "[run]\nsettle = 0s\ntime = 10s\n[group default]\n"
		      "[group 7]\n[trace]\nfile = x\nstart = 5s\n");
	assert_int_equal(trace_parse(&trace, &sc, text, &line, &err), 0);
	run(false);
	assert_int_equal(row("7")->ios[0], 2);
	assert_int_equal(row("default")->bytes[1], 8192);
}

static void test_hist(void **state)
{
	struct sim_hist hist = { 0 }, more = { 0 };
	u64 ns;

	assert_int_equal(sim_hist_percentile(&hist, 99), 0);
	for (ns = 1; ns <= 100000; ns++)
		sim_hist_add(ns % 2 ? &hist : &more, ns * 1000);
	sim_hist_merge(&hist, &more);
	assert_int_equal(hist.nr, 100000);
	assert_int_equal(hist.max_ns, 100000000);
	assert_near(sim_hist_percentile(&hist, 50), 50000000, 0.5);
	assert_near(sim_hist_percentile(&hist, 99), 99000000, 0.5);
	assert_near(sim_hist_percentile(&hist, 0.1), 100000, 0.6);
	sim_hist_add(&more, U64_MAX);
	sim_hist_add(&more, 0);
	assert_true(sim_hist_percentile(&more, 100) == U64_MAX);
	sim_hist_free(&hist);
	sim_hist_free(&more);
}

static void test_units(void **state)
{
	u64 ns;

	assert_true(units_parse_ns("30d", &ns) && ns == 2592000 * 1000000000ULL);
	assert_true(units_parse_ns("2.5ms", &ns) && ns == 2500000);
	assert_false(units_parse_ns("0.5ns", &ns));
	assert_false(units_parse_ns("5", &ns) || units_parse_ns("ms", &ns) ||
		     units_parse_ns("99999999999d", &ns));
	assert_true(units_parse_interval("3", &ns) && ns == 333333333);
	assert_true(units_parse_interval("0.5/d", &ns) &&
		    ns == 2 * 86400 * 1000000000ULL);
	assert_false(units_parse_interval("5/", &ns) ||
		     units_parse_interval("0.0/s", &ns) ||
		     units_parse_interval("/s", &ns) ||
		     units_parse_interval("2000000001", &ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_weights),
		TEST(test_alone),
		TEST(test_turnaround),
		TEST(test_think),
		TEST(test_limits),
		TEST(test_minimum),
		TEST(test_quiet_reader),
		TEST(test_latency),
		TEST(test_burst),
		TEST(test_now_and_then),
		TEST(test_alone_again),
		TEST(test_reads_beside_own_writes),
		TEST(test_tree),
		TEST(test_thousand_groups),
		TEST(test_overload),
		TEST(test_random_arrivals),
		TEST(test_steps),
		TEST(test_start_stop),
		TEST(test_time),
		TEST(test_trace),
		TEST(test_hist),
		TEST(test_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
