// SPDX-License-Identifier: GPL-2.0-only
#include "simbed.h"

struct scenario sc;
struct trace trace;
struct sim sim;
struct sim_report result;

void read_scenario(const char *text)
{
	struct parse_error err;
	unsigned long line;

	if (scenario_parse(&sc, text, &line, &err))
		fail_msg("line %lu: %s", line, err.text);
}

void run(bool each)
{
	struct parse_error err;

	if (sim_init(&sim, &sc, sc.trace ? &trace : NULL, each, NULL, NULL,
		     &err) || sim_run(&sim, &err))
		fail_msg("%s", err.text);
	sim_report_make(&result, &sim, each);
}

void simulate(const char *text)
{
	read_scenario(text);
	run(false);
}

int clean_up(void **state)
{
	sim_report_free(&result);
	sim_free(&sim);
	trace_free(&trace);
	scenario_free(&sc);
	memset(&result, 0, sizeof(result));
	memset(&sim, 0, sizeof(sim));
	memset(&trace, 0, sizeof(trace));
	memset(&sc, 0, sizeof(sc));
	return 0;
}

const struct sim_row *row(const char *name)
{
	size_t i;

	for (i = 0; i < result.nr; i++)
		if (!strcmp(result.rows[i].name, name))
			return &result.rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

double iops(const char *name)
{
	return (row(name)->ios[0] + row(name)->ios[1]) / result.seconds;
}

double p99_ms(const char *name)
{
	return sim_hist_percentile(row(name)->hist, 99) / 1e6;
}

void assert_near(double is, double should, double percent)
{
	if (is < should * (1 - percent / 100) ||
	    is > should * (1 + percent / 100))
		fail_msg("%g is not within %g %% of %g", is, percent, should);
}
