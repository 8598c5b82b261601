/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scenario in court: what the judge knows of it, and what is due in it.
 */
#ifndef PROVING_TRIAL_H
#define PROVING_TRIAL_H

#include "measure.h"

/* Of the disk, what may be promised. */
#define PROMISED	0.9

/**
 * struct trial - a scenario, its runs, and what is due
 * @run: the run to be judged
 * @free: that without control
 * @ideal: that of an ideal scheduler, if that judges, too
 * @alone: that of each group alone
 * @demand: what each group can take for sure, in I/Os per second, in the phase at hand
 * @most: what it can take at most
 * @wait_ns: how long it may have to wait for others
 * @due: what each group is due, in units
 * @got: what it got, likewise
 * @could: what an ideal scheduler gives it, likewise; INFINITY if none judges
 * @asks_less: it asked for less than its share, in all phases
 * @noise: standard error of what it can take
 * @how: bits of enum judge_how
 */
struct trial {
	struct court court;
	struct outcome run;
	struct outcome free;
	struct outcome ideal;
	struct outcome *alone;
	double *demand;
	double *most;
	double *wait_ns;
	double *due;
	double *got;
	double *could;
	bool *asks_less;
	double *noise;
	struct verdict *verdict;
	int how;
};

static inline const struct scenario_group *group_of(const struct trial *t, int i)
{
	return &t->court.sc.groups[t->court.who[i].section];
}

static inline double sum(const double *dirs)
{
	return dirs[IOBAND_READ] + dirs[IOBAND_WRITE];
}

/* due.c */
bool is_flat(const struct trial *t);
struct tally total(const struct trial *t, const struct outcome *outcome, int who);
bool knows_time(const struct trial *t);
bool can_judge_shares(const struct trial *t);
double units_per_io(const struct trial *t, int phase, int who);
double seconds_of(const struct trial *t, int phase);
double rate_in(const struct trial *t, const struct outcome *outcome, int phase, int who);
bool is_behind_writes(const struct trial *t);
double others_ns(const struct trial *t, int phase, int who, double part);
double services_until_place(const struct trial *t, int phase);
double wait_for_place(const struct trial *t, int phase, int who);
double promise_of(const struct trial *t, int phase, int who);
void find_due(struct trial *t, struct fluid_node *nodes, int phase);
double noise_of(const struct trial *t, int who);
void find_demand(struct trial *t, int phase, int who, double busy);
double promised(const struct trial *t, int phase);

#endif /* PROVING_TRIAL_H */
