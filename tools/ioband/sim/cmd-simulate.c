// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband simulate: simulate what groups would get on a disk.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "lib/replace.h"
#include "lib/util.h"
#include "sim-report.h"

enum {
	COL_GROUP,
	COL_GROUPS,
	COL_DUE,
	COL_GOT,
	COL_IOPS,
	COL_BPS,
	COL_P50,
	COL_P99,
	COL_MAX,
	COL_MIN,
	COL_LEAST,
	COL_BEHIND,
	COL_UNMET,
	COL_WEIGHT,
	COL_PARENT,
	COL_RIOS,
	COL_RBYTES,
	COL_WIOS,
	COL_WBYTES,
};

const struct column simulate_columns[] = {
	[COL_GROUP] = { "GROUP", COLUMN_STRING, true,
		"the group, or the section with count= of several" },
	[COL_GROUPS] = { "GROUPS", COLUMN_NUMBER, true,
		"how many groups these are" },
	[COL_DUE] = { "DUE%", COLUMN_NUMBER, true,
		"part of the service that weights give them among those with I/O" },
	[COL_GOT] = { "GOT%", COLUMN_NUMBER, true,
		"part of the service that they got" },
	[COL_IOPS] = { "IOPS", COLUMN_NUMBER, true,
		"I/Os per second" },
	[COL_BPS] = { "BPS", COLUMN_NUMBER, true,
		"bytes per second" },
	[COL_P50] = { "P50", COLUMN_NUMBER, true,
		"half of the I/Os took no longer, from submission to end" },
	[COL_P99] = { "P99", COLUMN_NUMBER, true,
		"99 of 100 I/Os took no longer" },
	[COL_MAX] = { "MAX", COLUMN_NUMBER, true,
		"the longest one" },
	[COL_MIN] = { "MIN", COLUMN_NUMBER, true,
		"minimum of each: bytes, or I/Os, per second" },
	[COL_LEAST] = { "LEAST", COLUMN_NUMBER, true,
		"what the one that got least of it got" },
	[COL_BEHIND] = { "BEHIND", COLUMN_NUMBER, true,
		"how long the one that was worst off was behind its minimum" },
	[COL_UNMET] = { "UNMET", COLUMN_NUMBER, true,
		"how many did not get their minimum" },
	[COL_WEIGHT] = { "WEIGHT", COLUMN_NUMBER, false,
		"weight of each" },
	[COL_PARENT] = { "PARENT", COLUMN_STRING, false,
		"the group above" },
	[COL_RIOS] = { "RIOS", COLUMN_NUMBER, false,
		"reads, while it was counted" },
	[COL_RBYTES] = { "RBYTES", COLUMN_NUMBER, false,
		"bytes read" },
	[COL_WIOS] = { "WIOS", COLUMN_NUMBER, false,
		"writes" },
	[COL_WBYTES] = { "WBYTES", COLUMN_NUMBER, false,
		"bytes written" },
	{ 0 }
};

enum {
	OPT_CHECK = OWN_OPTION,
	OPT_EACH,
	OPT_PLOT,
};

static bool check;
static bool each;
static const char *plot;

static int set_option(int val, const char *arg)
{
	switch (val) {
	case OPT_CHECK:
		check = true;
		break;
	case OPT_EACH:
		each = true;
		break;
	case OPT_PLOT:
		plot = arg;
		break;
	}
	return 0;
}

static const struct option options[] = {
	{ "check",	no_argument,		NULL, OPT_CHECK },
	{ "each",	no_argument,		NULL, OPT_EACH },
	{ "plot",	required_argument,	NULL, OPT_PLOT },
	{ 0 }
};

const struct own_options simulate_options = {
	.options = options,
	.set = set_option,
	.help =	"      --check          end with status 7 if a minimum is not met\n"
		"      --each           print each group of a section with count=\n"
		"      --plot FILE      write what groups get from moment to moment, as CSV\n",
};

/* The contents of a file, to be freed; NULL after the error has been reported. */
static char *read_text(const char *path, int *status)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;
	ssize_t len;

	if (!file) {
		*status = fail(errno == EACCES ? IOBAND_PERM : IOBAND_USAGE,
			       "cannot read '%s': %s", path, strerror(errno));
		return NULL;
	}
	errno = 0;
	len = getdelim(&text, &size, '\0', file);
	if (len < 0 && !errno) {
		free(text);
		text = xstrdup("");
	} else if (len < 0 || ferror(file)) {
		*status = fail(IOBAND_USAGE, "cannot read '%s': %s", path,
			       strerror(errno));
	} else if ((size_t)len != strlen(text)) {
		*status = fail(IOBAND_USAGE, "'%s': has a byte 0, expected text",
			       path);
	}
	fclose(file);
	if (*status) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Relative names are relative to the directory of the scenario. */
static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	if (*name == '/' || !slash)
		return xstrdup(name);
	return xasprintf("%.*s%s", (int)(slash + 1 - path), path, name);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* Before a simulation that may take long, and would be for nothing. */
static int check_plot(const char *path, const struct scenario *sc)
{
	char *trace = sc->trace ? beside(path, sc->trace) : xstrdup(path);
	int status = 0;

	if (is_same_file(plot, path) || is_same_file(plot, trace))
		status = fail(IOBAND_USAGE,
			      "--plot '%s': expected another file than the scenario and its trace",
			      plot);
	else
		status = replace_check("--plot", plot);
	free(trace);
	return status;
}

static int read_trace(const char *path, const struct scenario *sc,
		      struct trace *trace)
{
	char *name = beside(path, sc->trace), *text;
	struct parse_error err;
	unsigned long line;
	int status = 0;

	text = read_text(name, &status);
	if (text && trace_parse(trace, sc, text, &line, &err))
		status = fail(IOBAND_USAGE, "%s:%lu: %s", name, line, err.text);
	free(text);
	free(name);
	return status;
}

/* Quoted as in CSV, with quotes doubled. */
static void print_name(const char *name, FILE *to)
{
	fputc('"', to);
	for (; *name; name++) {
		if (*name == '"')
			fputc('"', to);
		fputc(*name, to);
	}
	fputc('"', to);
}

static void print_point(struct sim *sim, void *data)
{
	double seconds = sim->sc->interval_ns / 1e9;
	double at = (sim->now_ns - SIM_BEGIN_NS) / 1e9;
	FILE *to = data;

	for (size_t i = 0; i < sim->sc->nr_groups; i++) {
		struct sim_series *s = &sim->series[i];

		fprintf(to, "%.3f,", at);
		print_name(sim->sc->groups[i].name, to);
		fprintf(to, ",%.3f,%.0f,%.1f,%u\n", s->ios / seconds,
			s->bytes / seconds,
			s->ios ? s->latency_ns / 1e3 / s->ios : 0,
			sim->pool.sched.depth);
		memset(s, 0, sizeof(*s));
	}
}

static void add_minimum(struct listing *list, const struct sim_row *row)
{
	if (row->min_rate && row->min_is_ios) {
		listing_number(list, COL_MIN, row->min_rate);
		listing_real(list, COL_LEAST, row->least_rate);
	} else if (row->min_rate) {
		listing_bytes(list, COL_MIN, row->min_rate);
		listing_bytes(list, COL_LEAST, row->least_rate);
	}
	if (row->min_rate)
		listing_time(list, COL_BEHIND, row->behind_ns / 1e3);
	if (row->min_rate || !row->groups)
		listing_number(list, COL_UNMET, row->unmet);
}

static void add_row(struct listing *list, const struct sim_row *row,
		    bool has_shares, double seconds)
{
	const struct sim_hist *hist = row->hist;

	listing_row(list);
	listing_string(list, COL_GROUP, row->name);
	if (row->groups) {
		listing_number(list, COL_GROUPS, row->groups);
		listing_number(list, COL_WEIGHT, row->weight);
	}
	if (row->groups && has_shares) {
		listing_real(list, COL_DUE, row->due_ppm / 1e4);
		listing_real(list, COL_GOT, row->got_ppm / 1e4);
	}
	listing_real(list, COL_IOPS, (row->ios[0] + row->ios[1]) / seconds);
	listing_bytes(list, COL_BPS,
		      (row->bytes[0] + row->bytes[1]) / seconds + 0.5);
	if (hist->nr) {
		listing_time(list, COL_P50, sim_hist_percentile(hist, 50) / 1e3);
		listing_time(list, COL_P99, sim_hist_percentile(hist, 99) / 1e3);
		listing_time(list, COL_MAX, hist->max_ns / 1e3);
	}
	add_minimum(list, row);
	if (row->parent)
		listing_string(list, COL_PARENT, row->parent);
	listing_number(list, COL_RIOS, row->ios[IOBAND_READ]);
	listing_bytes(list, COL_RBYTES, row->bytes[IOBAND_READ]);
	listing_number(list, COL_WIOS, row->ios[IOBAND_WRITE]);
	listing_bytes(list, COL_WBYTES, row->bytes[IOBAND_WRITE]);
}

static int print_report(struct listing *list, const struct sim_report *report,
			const struct scenario *sc)
{
	bool counted = false, minimums = false;

	for (size_t i = 0; i < report->nr; i++) {
		add_row(list, &report->rows[i], !sc->policy->only_limits,
			report->seconds);
		counted |= report->rows[i].groups > 1;
		minimums |= report->rows[i].min_rate;
	}
	if (!counted)
		listing_drop(list, COL_GROUPS);
	if (!minimums) {
		listing_drop(list, COL_MIN);
		listing_drop(list, COL_LEAST);
		listing_drop(list, COL_BEHIND);
		listing_drop(list, COL_UNMET);
	}
	return listing_print(list);
}

static int check_minimums(const struct sim_report *report)
{
	int status = 0;

	for (size_t i = 0; i + 1 < report->nr; i++) {
		const struct sim_row *row = &report->rows[i];

		if (row->unmet)
			status = fail(IOBAND_DIFFERS,
				      "group '%s': %llu of %llu do not always get their minimum, %llu %s a second; '%s' gets %.0f in the mean",
				      row->name, (unsigned long long)row->unmet,
				      (unsigned long long)row->groups,
				      (unsigned long long)row->min_rate,
				      row->min_is_ios ? "I/Os" : "bytes",
				      row->least_name, row->least_rate);
	}
	return status;
}

static int simulate(const struct scenario *sc, const struct trace *trace,
		    const char *path, struct listing *list)
{
	struct sim_report report = { 0 };
	struct parse_error err;
	char *text = NULL;
	size_t size = 0;
	FILE *points = NULL;
	struct sim sim;
	int status = 0;

	if (plot) {
		points = xmemstream(&text, &size);
		fputs("seconds,group,iops,bytes_per_second,mean_latency_us,depth\n",
		      points);
	}
	if (sim_init(&sim, sc, trace, each, plot ? print_point : NULL, points,
		     &err) || sim_run(&sim, &err))
		status = fail(IOBAND_USAGE, "%s: %s", path, err.text);
	if (points)
		xmemclose(points);
	if (!status) {
		sim_report_make(&report, &sim, each);
		status = print_report(list, &report, sc);
	}
	if (!status && plot) {
		int r = replace_file(plot, text, size, false);

		if (r)
			status = fail(r == -EACCES ? IOBAND_PERM : IOBAND_USAGE,
				      "cannot write '%s': %s", plot,
				      strerror(-r));
	}
	if (!status && check)
		status = check_minimums(&report);
	sim_report_free(&report);
	sim_free(&sim);
	free(text);
	return status;
}

int cmd_simulate(const struct options *opts, int argc, char **argv)
{
	struct trace trace = { 0 };
	struct listing *list = NULL;
	struct parse_error err;
	unsigned long line;
	struct scenario sc;
	int status = 0;
	char *text;

	if (!argc)
		return fail(IOBAND_USAGE, "no scenario given: 'ioband simulate FILE' expects one");
	text = read_text(argv[0], &status);
	if (!text)
		return status;
	if (scenario_parse(&sc, text, &line, &err))
		status = fail(IOBAND_USAGE, "%s:%lu: %s", argv[0], line,
			      err.text);
	free(text);
	if (!status && plot)
		status = check_plot(argv[0], &sc);
	if (!status)
		status = listing_new(&list, opts, "groups", simulate_columns);
	if (!status && sc.trace)
		status = read_trace(argv[0], &sc, &trace);
	if (!status)
		status = simulate(&sc, sc.trace ? &trace : NULL, argv[0], list);
	listing_free(list);
	trace_free(&trace);
	scenario_free(&sc);
	return status;
}
