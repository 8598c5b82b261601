/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bed for tests that simulate: a scenario is run, and asked what its groups got. Each test
 * is cleaned up after; one that runs several cleans up between.
 */
#ifndef _IOBAND_SIMBED_H
#define _IOBAND_SIMBED_H

#include "unit.h"
#include "sim/sim-report.h"

#define FLAT	"[disk]\nmodel = flat\n"
#define SSD	"[disk]\nmodel = ssd\n"

#define TEST(name) cmocka_unit_test_teardown(name, clean_up)

extern struct scenario sc;
extern struct trace trace;
extern struct sim sim;
extern struct sim_report result;

void read_scenario(const char *text);
void run(bool each);
void simulate(const char *text);
int clean_up(void **state);

/* What the last run gave the groups of a section, or "total". */
const struct sim_row *row(const char *name);
double iops(const char *name);
double p99_ms(const char *name);

void assert_near(double is, double should, double percent);

#endif /* _IOBAND_SIMBED_H */
