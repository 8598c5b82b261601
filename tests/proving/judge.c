// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is right, and what is wrong.
 *
 * share	Each group gets 95 % of what a fluid gives it (fluid.c), of what the disk did
 *		in this run, in the unit that the policy divides.
 * minimum	A group gets 99 % of its minimum, as far as it asks for that much, if what is
 *		promised in all takes no more than nine tenths of the disk.
 * target	99 of 100 I/Os of a task with a latency target meet it, if they do when it is
 *		alone and may have to wait for one I/O of another group.
 * limit	No group gets 1 % more than its limits, the burst, and two I/Os.
 * waste	The disk does 98 % of what it does with limits only.
 * wait		The 99th percentile of a task that reads one block after the other, and asks
 *		for less than its share, is 1.5 times what it is alone and one service time.
 *
 * What is due, and why, is in due.c. A closed loop of a few I/Os cannot take all that a
 * fluid gives it; so if an ideal scheduler is asked, too, which knows the best depth and
 * decides in no time, who gets less of a fluid's share with that is due no more.
 *
 * Chance. Only what chance cannot explain is wrong. What a closed loop does varies by the
 * deviation of its times (measured, from one I/O to the next), divided by the root of
 * their number; a percentile by the root of the number beyond it; what the disk does by
 * its jitter. Three and a half standard errors are 1 in 4,000. Each time a group begins,
 * three of its I/Os may be on one side of the border or the other. And what it had at
 * the disk when others came, before that, is part of its share.
 */
#include <math.h>

#include "lib/util.h"
#include "trial.h"

const char * const fault_names[FAULT_KINDS] = {
	"share", "minimum", "target", "limit", "waste", "wait",
};

/* What is asked for. */
#define SHARE		0.95
#define MINIMUM		0.99
#define LIMIT		1.01
#define WASTE		0.98
#define WAIT		1.5
#define CHANCE		3.5

enum {
	/* Fewer I/Os have no 99th percentile. */
	IOS_MIN	= 500,
	/* I/Os at the border. */
	BORDER	= 3,
};

static void find(struct trial *t, enum fault_kind kind, int who, double got, double due)
{
	struct verdict *verdict = t->verdict;
	struct fault *fault;

	if (verdict->nr == FAULTS_MAX)
		return;
	fault = &verdict->faults[verdict->nr++];
	fault->kind = kind;
	fault->got = got;
	fault->due = due;
	snprintf(fault->who, sizeof(fault->who), "%s",
		 who == NOBODY ? "all" : group_of(t, who)->name);
}

static void explain(const struct trial *t, int who, double units)
{
	double seconds = t->court.sc.time_ns / 1e9;
	struct tally free = total(t, &t->free, who), alone = total(t, &t->alone[who], who);

	printf("%-8s got %.6g, due %.6g a second; ideal %.6g, without control %.6g, alone %.6g; %s\n",
	       group_of(t, who)->name, t->got[who] / units / seconds,
	       t->due[who] / units / seconds, t->could[who] / units / seconds,
	       sum(free.ios) / seconds,
	       sum(alone.ios) / seconds,
	       t->asks_less[who] ? "asks for less than its share" : "takes its share");
}

static void judge_shares(struct trial *t)
{
	for (int i = 0; i < t->court.nr; i++) {
		double units = units_per_io(t, 0, i), slack;

		if (!t->court.who[i].has_job)
			continue;
		if (t->how & JUDGE_EXPLAIN)
			explain(t, i, units);
		slack = BORDER * fmax(t->court.who[i].visits, 1) * units;
		slack += CHANCE * t->noise[i] * t->due[i];
		if (!t->asks_less[i])
			slack += outstanding(&t->court, 0, i) * units;
		if (t->got[i] + slack < SHARE * fmin(t->due[i], t->could[i]))
			find(t, FAULT_SHARE, i, t->got[i] / units / t->court.sc.time_ns * 1e9,
			     t->due[i] / units / t->court.sc.time_ns * 1e9);
	}
}

/* Promises */

static bool is_below_limit(const struct trial *t, int who)
{
	for (; who != NOBODY; who = t->court.who[who].parent)
		for (int k = 0; k < IOBAND_LIMITS; k++)
			if (group_of(t, who)->settings.limits[k].rate)
				return true;
	return false;
}

/* Of a group's minimum, also of that of a group that has others below it. */
static void judge_minimum(struct trial *t, int who)
{
	double got = 0, due = 0, slack, seconds = 0;

	if (!group_of(t, who)->settings.min_rate || t->court.who[who].is_parent ||
	    is_below_limit(t, who))
		return;
	for (int p = 0; p < t->court.nr_phases; p++) {
		for (int i = 0; i < t->court.nr; i++)
			find_demand(t, p, i, 0);
		if (is_behind_writes(t))
			t->demand[who] = rate_in(t, &t->alone[who], p, who);
		if (!is_on(&t->court, p, who) || promised(t, p) > PROMISED)
			continue;
		got += sum(tally_of(&t->court, &t->run, p, who)->ios);
		due += fmin(promise_of(t, p, who), t->demand[who]) *
		       seconds_of(t, p);
		seconds += seconds_of(t, p);
	}
	slack = BORDER * fmax(t->court.who[who].visits, 1) + CHANCE * t->noise[who] * due;
	if (got + slack < MINIMUM * due)
		find(t, FAULT_MINIMUM, who, got / seconds, due / seconds);
}

static void judge_limit(struct trial *t, int who, int k)
{
	const struct ioband_rate *limit = &group_of(t, who)->settings.limits[k];
	double seconds = t->court.sc.time_ns / 1e9, got = 0, largest = 0, most;

	if (!limit->rate)
		return;
	for (int i = 0; i < t->court.nr; i++) {
		struct tally all = total(t, &t->run, i);
		const double *of = k < IOBAND_RIOPS ? all.bytes : all.ios;
		int above = i, dir = k % 3;

		while (above != NOBODY && above != who)
			above = t->court.who[above].parent;
		if (above == NOBODY)
			continue;
		got += dir == IOBAND_BPS ? sum(of) : of[dir];
		largest = fmax(largest, k < IOBAND_RIOPS ? t->court.who[i].largest : 1);
	}
	most = LIMIT * limit->rate * seconds + limit->burst + 2 * largest;
	if (got > most)
		find(t, FAULT_LIMIT, who, got / seconds, limit->rate);
}

/* Latencies */

static double percentile(const struct sim_hist *hist, int sign)
{
	double off = CHANCE * sqrt(0.99 * 0.01 / hist->nr);

	return sim_hist_percentile(hist, clamp(100 * (0.99 + sign * off), 0, 100));
}

static bool has_percentile(const struct trial *t, int who)
{
	return t->court.who[who].is_reader && t->run.hists[who].nr &&
	       t->alone[who].hists[who].nr >= IOS_MIN &&
	       !t->court.sc.model->rotational;
}

static void judge_wait(struct trial *t, int who)
{
	double others = 0, most;

	if (!has_percentile(t, who) || !t->asks_less[who] || is_below_limit(t, who) ||
	    is_behind_writes(t))
		return;
	for (int p = 0; p < t->court.nr_phases; p++)
		if (is_on(&t->court, p, who))
			others = fmax(others, fmax(others_ns(t, p, who, 0.99) *
						   fmax(services_until_place(t, p), 1),
						   wait_for_place(t, p, who)));
	/* Those that go before as well, see find_demand(). */
	others *= fmax(t->wait_ns[who] / fmax(wait_for_place(t, 0, who), 1), 1);
	most = WAIT * percentile(&t->alone[who].hists[who], 1) + others;
	if (percentile(&t->run.hists[who], -1) > most)
		find(t, FAULT_WAIT, who, percentile(&t->run.hists[who], 0) / 1e3,
		     most / 1e3);
}

static void judge_target(struct trial *t, int who)
{
	double target = group_of(t, who)->settings.latency_us * 1e3, others = 0, alone;

	if (!target || !has_percentile(t, who) || is_below_limit(t, who))
		return;
	for (int p = 0; p < t->court.nr_phases; p++)
		if (is_on(&t->court, p, who))
			others = fmax(others, others_ns(t, p, who, 0.99));
	alone = percentile(&t->alone[who].hists[who], 1);
	if (is_behind_writes(t))
		others = 4 * alone;
	if (target < alone + others)
		return;
	if (percentile(&t->run.hists[who], -1) > target)
		find(t, FAULT_TARGET, who, percentile(&t->run.hists[who], 0) / 1e3,
		     target / 1e3);
}

/* Waste */

/* How much more or less a disk may do by chance, in parts. */
static double disk_noise(const struct trial *t, double ios)
{
	const struct simdisk_params *params = &t->court.sc.params;
	double part = params->jitter_percent / 100.0, tail, collect_ns;

	if (is_flat(t) && params->tail_ppm) {
		tail = 1.0 * params->tail_ns / params->service_ns;
		part = sqrt(part * part + 2 * params->tail_ppm / 1e6 * tail * tail);
	}
	part *= sqrt(2 / fmax(ios, 1));
	if (is_behind_writes(t)) {
		/* Of each die the last collection may be counted or not. */
		collect_ns = params->block_pages * params->gc_valid_percent / 100.0 *
			     (params->read_ns + params->program_ns) + params->erase_ns;
		part += collect_ns / t->court.sc.time_ns;
	}
	return part;
}

static bool has_limits(const struct trial *t)
{
	for (int i = 0; i < t->court.nr; i++)
		if (is_below_limit(t, i))
			return true;
	return false;
}

/*
 * The disk's time is what counts, by formula; but where a cap or a limit counts I/Os or
 * bytes, who gets them decides how long they take.
 */
static void judge_waste(struct trial *t)
{
	const struct simdisk_params *params = &t->court.sc.params;
	double had[3] = { 0 }, did[3] = { 0 }, best = 0, ios = 0;

	for (int p = 0; p < t->court.nr_phases; p++) {
		for (int i = 0; i < t->court.nr; i++) {
			const struct tally *a = tally_of(&t->court, &t->free, p, i);
			const struct tally *b = tally_of(&t->court, &t->run, p, i);

			had[0] += is_flat(t) ? work_in(&t->court, p, a) : sum(a->ios);
			did[0] += is_flat(t) ? work_in(&t->court, p, b) : sum(b->ios);
			had[1] += sum(a->ios);
			did[1] += sum(b->ios);
			had[2] += sum(a->bytes);
			did[2] += sum(b->bytes);
		}
	}
	ios = did[1];
	if (knows_time(t)) {
		best = had[0] ? did[0] / had[0] : 1;
		if ((params->cap_ios_per_s || has_limits(t)) && had[1])
			best = fmax(best, did[1] / had[1]);
		if ((params->cap_bytes_per_s || has_limits(t)) && had[2])
			best = fmax(best, did[2] / had[2]);
	}
	/* If somebody gains, it cannot be told. */
	for (int i = 0; !knows_time(t) && i < t->court.nr; i++) {
		struct tally a = total(t, &t->free, i), b = total(t, &t->run, i);

		if (sum(a.ios))
			best = fmax(best, sum(b.ios) / sum(a.ios));
	}
	/* Where it seeks, order is what costs time, and saves it. */
	if (t->court.sc.model->rotational)
		return;
	if (best + CHANCE * disk_noise(t, ios) + BORDER / fmax(ios, 1) <
	    (t->court.sc.model->bit == SIMDISK_SSD ? BUSY : WASTE))
		find(t, FAULT_WASTE, NOBODY, best * had[0], had[0]);
}

/* All of it */

static void judge(struct trial *t)
{
	struct fluid_node *nodes = xcalloc(2 * t->court.nr + 1, sizeof(*nodes));

	for (int i = 0; i < t->court.nr; i++)
		t->asks_less[i] = true;
	for (int p = 0; p < t->court.nr_phases; p++)
		find_due(t, nodes, p);
	for (int i = 0; i < t->court.nr; i++)
		t->noise[i] = noise_of(t, i);
	if (t->how & JUDGE_EXPLAIN)
		printf("depth %u%s in the end, %u would do\n", t->run.depth,
		       t->run.contended ? "" : " and not in charge",
		       best_depth(&t->court));
	if (can_judge_shares(t))
		judge_shares(t);
	for (int i = 0; i < t->court.nr; i++) {
		for (int k = 0; k < IOBAND_LIMITS; k++)
			judge_limit(t, i, k);
		if (!t->court.who[i].has_job)
			continue;
		judge_minimum(t, i);
		judge_wait(t, i);
		judge_target(t, i);
	}
	judge_waste(t);
	free(nodes);
}

static int run_all(struct trial *t, struct parse_error *err)
{
	enum control control = t->how & JUDGE_UNCONTROLLED ? UNCONTROLLED :
			       t->how & JUDGE_BEST_DEPTH ? BEST_DEPTH : CONTROLLED;

	if (court_run(&t->court, control, NOBODY, &t->run, err) ||
	    court_run(&t->court, UNCONTROLLED, NOBODY, &t->free, err) ||
	    (t->how & JUDGE_IDEAL && court_run(&t->court, IDEAL, NOBODY, &t->ideal, err)))
		return -EINVAL;
	for (int i = 0; i < t->court.nr; i++)
		if (court_run(&t->court, ALONE, i, &t->alone[i], err))
			return -EINVAL;
	return 0;
}

/**
 * judge_text - judge a scenario
 * @text: the scenario
 * @how: bits of enum judge_how
 * @verdict: filled in
 * @why: on failure, what was wrong with the text
 * @size: room there
 *
 * Return: 0 or -EINVAL.
 */
int judge_text(const char *text, int how, struct verdict *verdict, char *why,
	       size_t size)
{
	struct trial t = { .verdict = verdict, .how = how };
	struct parse_error err;
	int r, nr;

	verdict->nr = 0;
	r = court_open(&t.court, text, &err);
	nr = t.court.nr;
	t.alone = xcalloc(nr + 1, sizeof(*t.alone));
	t.demand = xcalloc(nr + 1, sizeof(*t.demand));
	t.most = xcalloc(nr + 1, sizeof(*t.most));
	t.wait_ns = xcalloc(nr + 1, sizeof(*t.wait_ns));
	t.due = xcalloc(nr + 1, sizeof(*t.due));
	t.got = xcalloc(nr + 1, sizeof(*t.got));
	t.could = xcalloc(nr + 1, sizeof(*t.could));
	t.noise = xcalloc(nr + 1, sizeof(*t.noise));
	t.asks_less = xcalloc(nr + 1, sizeof(*t.asks_less));
	if (!r)
		r = run_all(&t, &err);
	if (!r)
		judge(&t);
	else
		snprintf(why, size, "%s", err.text);
	for (int i = 0; i < nr; i++)
		outcome_free(&t.court, &t.alone[i]);
	outcome_free(&t.court, &t.run);
	outcome_free(&t.court, &t.free);
	outcome_free(&t.court, &t.ideal);
	free(t.alone);
	free(t.demand);
	free(t.most);
	free(t.wait_ns);
	free(t.due);
	free(t.got);
	free(t.could);
	free(t.noise);
	free(t.asks_less);
	court_close(&t.court);
	return r;
}
