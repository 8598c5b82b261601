// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input: "scenario" or "trace" and a newline, then the text of a scenario, or of
 * recorded I/O. What is understood, and small, is run for a moment.
 */
#include "fuzz.h"
#include "sim/sim-report.h"

enum {
	GROUPS_MOST	= 64,
	IOS_MOST	= 1000,
	SECTORS_MOST	= 1 << 20,
};

#define RUN_NS		((u64)10 * NSEC_PER_MSEC)
/* No disk is so fast, and no job so busy, that it takes for ever. */
#define PAUSE_NS	((u64)20 * NSEC_PER_USEC)

static const char replayed[] =
	"[disk]\nmodel = ssd\n[group default]\n[group 5]\nmin = 1M\n[trace]\nfile = x\n";

static void check_error(const struct parse_error *err, const char *text,
			unsigned long line)
{
	unsigned long lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	must(line >= 1 && line <= lines);
	must(memchr(err->text, '\0', sizeof(err->text)));
	must(strchr(err->text, ' '));
}

static bool is_small(struct scenario *sc)
{
	u64 groups = 0, ios = 0;
	size_t i;

	for (i = 0; i < sc->nr_groups; i++)
		groups += sc->groups[i].count;
	for (i = 0; i < sc->nr_jobs; i++) {
		struct scenario_job *job = &sc->jobs[i];

		ios += job->depth * job->streams * sc->groups[job->group].count;
		if (job->interval_ns)
			job->interval_ns = max(job->interval_ns, PAUSE_NS);
		else
			job->think_ns = max(job->think_ns, PAUSE_NS);
	}
	return groups <= GROUPS_MOST && ios <= IOS_MOST;
}

static void no_point(struct sim *sim, void *data)
{
	must(sim->now_ns <= sim->end_ns);
}

static void check_rows(const struct sim_report *report, const struct sim *sim)
{
	const struct sim_row *total = &report->rows[report->nr - 1];
	u64 ios = total->ios[0] + total->ios[1];
	size_t i;

	must(ios <= sim->ios);
	must(total->hist->nr == ios);
	for (i = 0; i + 1 < report->nr; i++) {
		const struct sim_row *row = &report->rows[i];

		must(row->ios[0] + row->ios[1] <= ios);
		must(row->due_ppm <= 1e6 + 1 && row->got_ppm <= 1e6 + 1);
		must(row->unmet <= row->groups);
	}
}

static void run(struct scenario *sc, const struct trace *trace)
{
	struct sim_report report;
	struct parse_error err;
	struct sim sim;
	bool each = sc->seed & 1;

	sc->settle_ns = min(sc->settle_ns, RUN_NS / 2);
	sc->time_ns = min(sc->time_ns, RUN_NS);
	sc->interval_ns = max(sc->interval_ns, RUN_NS / 100);
	must(!sim_init(&sim, sc, trace, each, each ? no_point : NULL, NULL,
		       &err));
	must(!sim_run(&sim, &err));
	must(sim.pool.in_flight >= sim.tags_used);
	sim_report_make(&report, &sim, each);
	check_rows(&report, &sim);
	sim_report_free(&report);
	sim_free(&sim);
}

static void fuzz_scenario(const char *text)
{
	struct parse_error err;
	unsigned long line;
	struct scenario sc;

	if (scenario_parse(&sc, text, &line, &err))
		check_error(&err, text, line);
	else if (is_small(&sc))
		run(&sc, NULL);
	scenario_free(&sc);
}

static void fuzz_trace(const char *text)
{
	struct parse_error err;
	unsigned long line;
	struct trace trace;
	struct scenario sc;
	size_t i;
	u64 sectors = 0;

	must(!scenario_parse(&sc, replayed, &line, &err));
	if (trace_parse(&trace, &sc, text, &line, &err)) {
		check_error(&err, text, line);
	} else {
		for (i = 0; i < trace.nr; i++) {
			must(!i || trace.ios[i].at_ns >= trace.ios[i - 1].at_ns);
			must(trace.ios[i].sectors);
			sectors += trace.ios[i].sectors;
		}
		must(!trace.ios[0].at_ns);
		if (sectors < SECTORS_MOST)
			run(&sc, &trace);
	}
	trace_free(&trace);
	scenario_free(&sc);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	/* An allocation of its own, so that ASan sees its end. */
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	if (!strncmp(text, "scenario\n", 9))
		fuzz_scenario(text + 9);
	else if (!strncmp(text, "trace\n", 6))
		fuzz_trace(text + 6);
	free(text);
	return 0;
}
