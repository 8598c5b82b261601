// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulation: what can be calculated has to come out.
 */
#include "unit.h"
#include "sim/sim-report.h"
#include "lib/units.h"

static struct scenario sc;
static struct trace trace;
static struct sim sim;
static struct sim_report report;

static void read_scenario(const char *text)
{
	struct parse_error err;
	unsigned long line;

	if (scenario_parse(&sc, text, &line, &err))
		fail_msg("line %lu: %s", line, err.text);
}

static void run(bool each)
{
	struct parse_error err;

	if (sim_init(&sim, &sc, sc.trace ? &trace : NULL, each, NULL, NULL,
		     &err) || sim_run(&sim, &err))
		fail_msg("%s", err.text);
	sim_report_make(&report, &sim, each);
}

static void simulate(const char *text)
{
	read_scenario(text);
	run(false);
}

static int clean_up(void **state)
{
	sim_report_free(&report);
	sim_free(&sim);
	trace_free(&trace);
	scenario_free(&sc);
	memset(&report, 0, sizeof(report));
	memset(&sim, 0, sizeof(sim));
	memset(&trace, 0, sizeof(trace));
	memset(&sc, 0, sizeof(sc));
	return 0;
}

static const struct sim_row *row(const char *name)
{
	size_t i;

	for (i = 0; i < report.nr; i++)
		if (!strcmp(report.rows[i].name, name))
			return &report.rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

static double iops(const char *name)
{
	return (row(name)->ios[0] + row(name)->ios[1]) / report.seconds;
}

static double p99_ms(const char *name)
{
	return sim_hist_percentile(row(name)->hist, 99) / 1e6;
}

static void assert_near(double is, double should, double percent)
{
	if (is < should * (1 - percent / 100) ||
	    is > should * (1 + percent / 100))
		fail_msg("%g is not within %g %% of %g", is, percent, should);
}

#define FLAT	"[disk]\nmodel = flat\n"

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

#define SSD	"[disk]\nmodel = ssd\n"
#define SHORT	"[run]\nsettle = 4s\ntime = 8s\n" SSD
#define LONG	"[run]\nsettle = 4s\ntime = 20s\n" SSD
#define FLOOD								\
	"[job]\nwrite = 100\ndepth = 32\nsize = 128K\noffset = 8G\nspan = 8G\n"

static double writes(const char *name)
{
	return row(name)->bytes[IOBAND_WRITE] / report.seconds;
}

/* What a reader and a flood of writes get if it has some limit that was set by hand. */
static bool limit_keeps(unsigned int wbps, double *reads, double *written)
{
	char text[500];
	bool keeps;

	snprintf(text, sizeof(text), LONG "[group reader]\n[job]\nspan = 8G\n"
		 "[group flood]\nwbps = %u\n" FLOOD, wbps);
	simulate(text);
	keeps = p99_ms("reader") <= 1;
	*reads = iops("reader");
	*written = writes("flood");
	clean_up(NULL);
	return keeps;
}

/*
 * What a flood of writes leaves in the buffer of a flash disk keeps its chips from reading
 * for 46 ms at a time. With a target of 1 ms, writes are slowed down until it is kept, no
 * further than the best limit that could be set by hand.
 */
static void test_squeeze(void **state)
{
	double reads, written, best_reads = 0, best_written = 0;
	unsigned int wbps;

	for (wbps = 50000000; wbps <= 70000000; wbps += 10000000) {
		if (!limit_keeps(wbps, &reads, &written))
			continue;
		best_reads = reads;
		best_written = written;
	}
	assert_true(best_written > 0);
	simulate(LONG "[group reader]\nlatency = 1ms\n[job]\nspan = 8G\n"
		 "[group flood]\n" FLOOD);
	assert_true(p99_ms("reader") <= 1);
	assert_true(iops("reader") >= best_reads * .9);
	assert_true(writes("flood") >= best_written * .9);
}

/* On other disks, for other readers, with other targets. */
static void test_squeezes(void **state)
{
	static const struct {
		const char *disk;
		const char *terms;
		const char *job;
		double p99_ms;
		double iops;
	} loads[] = {
		{ "", "latency = 5ms", "", 5, 3000 },
		/* The flood is written at once, and nothing waits for room. */
		{ "channels = 16\nbuffer_kib = 65536\n", "latency = 1ms", "", 1, 3000 },
		{ "channels = 1\ndies = 4\n", "latency = 1ms", "", 1, 1000 },
		{ "gc_valid_percent = 1\n", "latency = 1ms", "", 1, 2000 },
		{ "gc_valid_percent = 60\n", "latency = 1ms", "", 1, 1500 },
		{ "buffer_kib = 1024\n", "latency = 1ms", "depth = 4\n", 1, 10000 },
		{ "", "latency = 1ms", "rate = 1000\narrivals = random\n", 1, 990 },
		/* Its own writes do not wait for the squeeze that is for its sake. */
		{ "", "latency = 1ms", "depth = 2\nwrite = 30\nsize = 8K\n", 1, 5000 },
	};
	char text[500];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		snprintf(text, sizeof(text), SHORT "%s[group reader]\n%s\n[job]\nspan = 8G\n%s"
			 "[group flood]\n" FLOOD, loads[i].disk, loads[i].terms,
			 loads[i].job);
		simulate(text);
		if (p99_ms("reader") > loads[i].p99_ms || iops("reader") < loads[i].iops)
			fail_msg("load %zu: p99 %g ms, %g a second", i, p99_ms("reader"),
				 iops("reader"));
		assert_true(writes("flood") > 10e6);
		clean_up(NULL);
	}
}

/* Two with targets, both kept; and who is slowed down shares what is left by weight. */
static void test_squeeze_shares(void **state)
{
	simulate(SHORT "[group one]\nlatency = 1ms\n[job]\nspan = 8G\n"
		 "[group two]\nlatency = 2ms\n[job]\nspan = 8G\nthink = 1ms\n"
		 "[group light]\nweight = 100\n" FLOOD "[group heavy]\nweight = 300\n" FLOOD);
	assert_true(p99_ms("one") <= 1 && p99_ms("two") <= 2);
	assert_near(writes("heavy") / writes("light"), 3, 3);
}

/* A flood that comes and goes is slowed down while it is there, and let go in the end. */
static void test_squeeze_ends(void **state)
{
	simulate("[run]\nsettle = 20s\ntime = 10s\n[disk]\nmodel = ssd\n"
		 "[group reader]\nlatency = 1ms\n[job]\nspan = 8G\nstop = 18s\n"
		 "[group flood]\n" FLOOD);
	assert_true(writes("flood") > 450e6);
	assert_false(sim.pool.sched.squeeze.is_on);
	clean_up(NULL);
	simulate("[run]\nsettle = 2s\ntime = 28s\n[disk]\nmodel = ssd\n"
		 "[group reader]\nlatency = 1ms\n[job]\nspan = 8G\n"
		 "[group flood]\n" FLOOD "stop = 8s\n");
	assert_false(sim.pool.sched.squeeze.is_on);
	assert_int_equal(sim.pool.contended, false);
}

enum {
	SEEDS	= 3,
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Nothing has to be remembered for a reader that comes for a second of four. Of its 2,500
 * reads 25 are the slowest hundredth, five a burst, which is about how many are slow: so
 * it is the median of several runs.
 */
static void test_squeeze_bursts(void **state)
{
	double p99[SEEDS];
	char text[600];
	int i;

	for (i = 0; i < SEEDS; i++) {
		snprintf(text, sizeof(text),
			 "[run]\nsettle = 3s\ntime = 20s\nseed = %d\n" SSD
			 "[group reader]\nlatency = 1ms\n"
			 "[job]\nspan = 8G\nstart = 4s\nstop = 5s\n"
			 "[job]\nspan = 8G\nstart = 8s\nstop = 9s\n"
			 "[job]\nspan = 8G\nstart = 12s\nstop = 13s\n"
			 "[job]\nspan = 8G\nstart = 16s\nstop = 17s\n"
			 "[job]\nspan = 8G\nstart = 20s\nstop = 21s\n"
			 "[group flood]\n" FLOOD, i);
		simulate(text);
		p99[i] = p99_ms("reader");
		assert_true(writes("flood") >= 300e6);
		clean_up(NULL);
	}
	qsort(p99, SEEDS, sizeof(*p99), compare);
	assert_true(p99[SEEDS / 2] <= 10);
}

/* Where it is in vain it is tried less and less: after 8 s, 16 and 32 within 100 s. */
static void test_squeeze_stays_away(void **state)
{
	simulate("[run]\nsettle = 0s\ntime = 100s\n" FLAT "slots = 4\nservice_ns = 1000000\n"
		 "[group a]\nlatency = 500us\n[job]\nrate = 30\n"
		 "[group w]\n[job]\nwrite = 100\ndepth = 16\n");
	assert_int_equal(sim.pool.sched.squeeze.away_ns, 64 * NSEC_PER_SEC);
	assert_true(writes("w") >= 3900 * 4096);
}

/*
 * Where it cannot help nobody loses anything: a target below what the disk takes, a group
 * that waits for its own queue, or for its own limit, or behind reads.
 */
static void test_squeeze_in_vain(void **state)
{
	static const char * const loads[] = {
		"[disk]\nmodel = ssd\n[group a]\nlatency = 50us\n[job]\nspan = 8G\n"
		"[group w]\n" FLOOD,
		FLAT "slots = 4\nservice_ns = 1000000\n[group a]\nlatency = 500us\n[job]\n"
		"[group w]\n[job]\nwrite = 100\ndepth = 16\n",
		FLAT "slots = 4\nservice_ns = 1000000\nqueue_depth = 64\n"
		"[group a]\nlatency = 2ms\n[job]\ndepth = 32\n"
		"[group w]\n[job]\nwrite = 100\nrate = 500\n",
		FLAT "slots = 64\nservice_ns = 80000\nqueue_depth = 256\n"
		"[group a]\nlatency = 1ms\nriops = 500\n[job]\ndepth = 8\n"
		"[group w]\n[job]\nwrite = 100\ndepth = 64\n",
		"[disk]\nmodel = hdd\n[group a]\nlatency = 10ms\n[job]\nspan = 8G\n"
		"[group w]\n[job]\nwrite = 100\ndepth = 16\noffset = 8G\nspan = 8G\n",
	};
	double with, without;
	char text[800];
	size_t i;
	int seed;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		with = 0;
		without = 0;
		/* Of the first it depends on what the flood's buffer holds at the time. */
		for (seed = 0; seed < (i ? 1 : SEEDS); seed++) {
			char *target;

			snprintf(text, sizeof(text),
				 "[run]\nsettle = 2s\ntime = 20s\nseed = %d\n%s", seed, loads[i]);
			simulate(text);
			with += writes("w");
			clean_up(NULL);
			/* The same without a target. */
			target = strstr(text, "latency");
			memset(target, ' ', strcspn(target, "\n"));
			simulate(text);
			without += writes("w");
			clean_up(NULL);
		}
		if (with < without * .97)
			fail_msg("load %zu: %g of %g B/s", i, with / seed, without / seed);
	}
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
			assert_true(row("backup")->bytes[0] / report.seconds > .7 * 2663e6);
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

/*
 * One group: who reads a little does not wait behind 256 writes, only behind those
 * that keep the disk busy.
 */
static void test_reads_beside_own_writes(void **state)
{
	simulate(FLAT "slots = 4\nservice_ns = 1000000\nqueue_depth = 64\n"
		 "[group one]\n[job]\nsize = 16K\n"
		 "[job]\nstreams = 4\ndepth = 64\nsize = 64K\nwrite = 100\n");
	assert_true(row("one")->ios[IOBAND_READ] / report.seconds >= 400);
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
	sim_report_free(&report);
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
	for (i = 0; i < report.nr; i++) {
		const struct sim_row *leaf = &report.rows[i];
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

#define TEST(name) cmocka_unit_test_teardown(name, clean_up)

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
		TEST(test_squeeze),
		TEST(test_squeezes),
		TEST(test_squeeze_shares),
		TEST(test_squeeze_ends),
		TEST(test_squeeze_bursts),
		TEST(test_squeeze_stays_away),
		TEST(test_squeeze_in_vain),
		TEST(test_latency),
		TEST(test_burst),
		TEST(test_now_and_then),
		TEST(test_alone_again),
		TEST(test_alone_with_limit),
		TEST(test_in_step),
		TEST(test_fits_into_trial),
		TEST(test_takes_all_there_is),
		TEST(test_few_outstanding),
		TEST(test_small_beside_large),
		TEST(test_size_does_not_matter),
		TEST(test_drive_sorts),
		TEST(test_slow_depth),
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
