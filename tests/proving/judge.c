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
 * Demand. What a group can take at most is what it gets alone; open loops send that much
 * whatever happens. A closed loop of N I/Os that does R a second alone sends each of them
 * again after N / R, and a disk that serves others does not stop that for it: of J
 * slots that are all taken, the first is free after a J-th of a service time, and a
 * quarter of a service time more goes to those who keep the disk busy by having more
 * there than slots. (If all services take the same time, all slots may come free at
 * once, and that is a whole service time. An SSD's dies are not any slots, each I/O has
 * its own: of M dies N I/Os keep N / (N + M - 1) busy, and wait N / M services. To use
 * nine tenths takes nine for each, so that is how long one may wait there, and how much
 * of it has to be used. Below a cap as many may wait as the number that is not waiting
 * varies by. A drive chooses among its queue, so all of that goes first.) Others who ask for less than their share are
 * served before as well, so all of that is divided by what they leave of the disk. With
 * the time W it is, the group can take N / (N / R + W). But if it has nine tenths of R
 * without control, it can take what it has then: the disk is not full. And a group that
 * was off, but had I/O left, could take what it got.
 *
 * What cannot be ordered. An SSD's buffered writes hold up reads inside it: a reader
 * beside writers of an SSD can take no more than without control. A minimum or a target
 * may slow the writers down, though, so these are judged as if there were none.
 *
 * The corner. Where a share, or a limit, is about what a few outstanding I/Os can do, chance
 * takes from both: at times the group could take more than it is given, at times less. So
 * it is due the p-norm of the two, where p grows with the number of I/Os: of two that are
 * equal, 19 % less for one I/O, 1 % less for 256.
 *
 * Chance. Only what chance cannot explain is wrong. What a closed loop does varies by the
 * deviation of its times (measured, from one I/O to the next), divided by the root of
 * their number; a percentile by the root of the number beyond it; what the disk does by
 * its jitter. Three and a half standard errors are 1 in 4,000. Each time a group begins,
 * three of its I/Os may be on one side of the border or the other. And what it had at
 * the disk when others came, before that, is part of its share.
 */
#include <math.h>

#include "measure.h"
#include "lib/util.h"

const char * const fault_names[FAULT_KINDS] = {
	"share", "minimum", "target", "limit", "waste", "wait",
};

/* What is asked for. */
#define SHARE		0.95
#define MINIMUM		0.99
#define LIMIT		1.01
#define WASTE		0.98
#define WAIT		1.5
/* Of the disk, what may be promised. */
#define PROMISED	0.9
/* Of what a group could take, the share that makes sure that it asks for less. */
#define LESS		1.25
/* Of what a group does alone, what tells that without control nothing hinders it. */
#define FREE		0.9
/* See above; the larger, the sharper. */
#define CORNER		3
/* How long a group keeps a disk that seeks, if time is divided. */
#define TURN_NS		40e6
#define CHANCE		3.5

enum {
	/* Fewer I/Os have no 99th percentile. */
	IOS_MIN	= 500,
	/* I/Os at the border. */
	BORDER	= 3,
};

/**
 * struct trial - a scenario, its runs, and what is due
 * @run: the run to be judged
 * @free: that without control
 * @alone: that of each group alone
 * @demand: what each group can take for sure, in I/Os per second, in the phase at hand
 * @most: what it can take at most
 * @wait_ns: how long it may have to wait for others
 * @due: what each group is due, in units
 * @got: what it got, likewise
 * @asks_less: it asked for less than its share, in all phases
 * @noise: standard error of what it can take
 * @how: bits of enum judge_how
 */
struct trial {
	struct court court;
	struct outcome run;
	struct outcome free;
	struct outcome *alone;
	double *demand;
	double *most;
	double *wait_ns;
	double *due;
	double *got;
	bool *asks_less;
	double *noise;
	struct verdict *verdict;
	int how;
};

static const struct scenario_group *group_of(const struct trial *t, int i)
{
	return &t->court.sc.groups[t->court.who[i].section];
}

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

static double sum(const double *dirs)
{
	return dirs[IOBAND_READ] + dirs[IOBAND_WRITE];
}

/* Units */

static bool is_flat(const struct trial *t)
{
	return t->court.sc.model->bit == SIMDISK_FLAT;
}

/* What all I/O of a group got in a run, over all phases. */
static struct tally total(const struct trial *t, const struct outcome *outcome, int who)
{
	struct tally all = { 0 };

	for (int p = 0; p < t->court.nr_phases; p++) {
		const struct tally *part = tally_of(&t->court, outcome, p, who);

		for (int dir = 0; dir < IOBAND_DIRS; dir++) {
			all.ios[dir] += part->ios[dir];
			all.bytes[dir] += part->bytes[dir];
		}
	}
	return all;
}

/* The disk's time can be told from I/Os and bytes, or they are all alike. */
static bool knows_time(const struct trial *t)
{
	return is_flat(t) || t->court.is_alike;
}

static bool can_judge_shares(const struct trial *t)
{
	if (!t->court.sc.policy->by_time || knows_time(t))
		return true;
	for (int i = 0; i < t->court.nr; i++)
		if (t->court.who[i].has_job && !t->court.who[i].is_deep)
			return false;
	return true;
}

/* In the unit that the policy divides. */
static double units_of(const struct trial *t, int phase, int who,
		       const struct tally *tally)
{
	const struct ioband_policy *policy = t->court.sc.policy;

	if (policy->by_time && is_flat(t))
		return work_in(&t->court, phase, tally);
	if (policy->by_time && !knows_time(t)) {
		struct tally all = total(t, &t->alone[who], who);

		return sum(all.ios) ? 1e9 * sum(tally->ios) / sum(all.ios) : 0;
	}
	return policy->cost(1, 0) ? sum(tally->ios) :
				    sum(tally->bytes) / SIMDISK_SECTOR_BYTES;
}

static double units_per_io(const struct trial *t, int phase, int who)
{
	const struct tally *tally = tally_of(&t->court, &t->run, phase, who);
	struct tally all;

	if (!sum(tally->ios))
		tally = tally_of(&t->court, &t->alone[who], phase, who);
	if (!sum(tally->ios)) {
		all = total(t, &t->alone[who], who);
		tally = &all;
	}
	return sum(tally->ios) ? units_of(t, phase, who, tally) / sum(tally->ios) : 1;
}

static double seconds_of(const struct trial *t, int phase)
{
	return t->court.phases[phase].seconds;
}

static double rate_in(const struct trial *t, const struct outcome *outcome, int phase,
		      int who)
{
	return sum(tally_of(&t->court, outcome, phase, who)->ios) /
	       seconds_of(t, phase);
}

/* Demand */

/* A reader of an SSD, and what others write there. */
static bool is_behind_writes(const struct trial *t)
{
	return t->court.sc.model->bit == SIMDISK_SSD && t->court.has_writes;
}

/* The longest service time of those that it may have to wait for. */
static double others_ns(const struct trial *t, int phase, int who, double part)
{
	double most = 0;

	for (int i = 0; i < t->court.nr; i++) {
		if (i == who || !is_on(&t->court, phase, i))
			continue;
		most = fmax(most, part ? service_percentile(&t->court, phase, i, part) :
					 service_of(&t->court, phase, i));
	}
	return most;
}

/* In service times, how long until the disk has a place while others keep it busy. */
static double services_until_place(const struct trial *t, int phase)
{
	const struct simdisk_params *params = &t->court.phases[phase].params;
	double slots = slots_of(&t->court, phase);

	switch (t->court.sc.model->bit) {
	case SIMDISK_FLAT:
		return params->jitter_percent ? fmin(1 / slots + 0.25, 1) : 1;
	case SIMDISK_SSD:
		return 1 + (slots - 1) / slots / (1 - BUSY);
	case SIMDISK_SERIAL:
		return 1;
	default:
		return params->ncq_depth;
	}
}

/* Where there are turns, order costs one group what it gives another. */
static bool has_turns(const struct trial *t)
{
	return t->court.sc.model->rotational && t->court.sc.policy->by_time;
}

static double wait_for_place(const struct trial *t, int phase, int who)
{
	const struct simdisk_params *params = &t->court.phases[phase].params;
	double cap = cap_ns(params, t->court.who[who].largest), ns;

	if (has_turns(t))
		return TURN_NS;
	ns = others_ns(t, phase, who, 0) * services_until_place(t, phase);
	return ns ? fmax(ns, cap * 2 * sqrt(taken_at_once(&t->court, phase))) : 0;
}

/*
 * I/Os per second that a group can take: at @least, with @busy the part of the disk that
 * goes before, and at most.
 */
static void find_demand(struct trial *t, int phase, int who, double busy)
{
	double ios = rate_in(t, &t->alone[who], phase, who);
	double open = fmin(arriving(&t->court, phase, who), ios);
	double nr = outstanding(&t->court, phase, who), closed = ios - open;
	double wait_ns = wait_for_place(t, phase, who) / fmax(1 - busy, 0.1);
	double without = fmin(rate_in(t, &t->free, phase, who), ios);
	double got = rate_in(t, &t->run, phase, who);

	t->wait_ns[who] = wait_ns;
	if (!is_on(&t->court, phase, who)) {
		t->demand[who] = got;
		t->most[who] = got;
		return;
	}
	if (nr && closed)
		closed = nr / (nr / closed + wait_ns / 1e9);
	t->demand[who] = is_behind_writes(t) ? without :
			 without < FREE * ios || has_turns(t) ? open + closed :
			 fmax(open + closed, without);
	t->most[who] = fmax(ios, got);
}

/* The fluid */

/* Below a group that has others below it, its own I/O is one more. */
static int leaf_of(const struct trial *t, int who)
{
	return t->court.who[who].is_parent ? t->court.nr + who : who;
}

static void make_leaf(const struct trial *t, struct fluid_node *node, int phase, int who,
		      double ios)
{
	const struct tally *tally = tally_of(&t->court, &t->run, phase, who);
	double units = units_per_io(t, phase, who);

	if (!sum(tally->ios))
		tally = tally_of(&t->court, &t->alone[who], phase, who);
	node->demand = ios * units;
	for (int k = 0; k < FLUID_LIMITS && sum(tally->ios); k++) {
		const double *of = k < IOBAND_RIOPS ? tally->bytes : tally->ios;
		int dir = k % 3;

		node->per_unit[k] = (dir == IOBAND_BPS ? sum(of) : of[dir]) /
				    sum(tally->ios) / units;
	}
}

/* In I/Os per second; no more than the group can take. */
static double promise_of(const struct trial *t, int phase, int who)
{
	const struct ioband_settings *set = &group_of(t, who)->settings;
	const struct tally *tally = tally_of(&t->court, &t->run, phase, who);
	double rate = set->min_rate;

	if (set->min_rate && !set->min_is_ios) {
		if (!sum(tally->ios))
			tally = tally_of(&t->court, &t->alone[who], phase, who);
		rate = sum(tally->ios) ? rate * sum(tally->ios) / sum(tally->bytes) : 0;
	}
	return fmin(rate, t->most[who]);
}

/*
 * To find what is due to @who: it takes what it can for sure, and the others what they can
 * at most; and what another one with a target took early counts as promised to it.
 */
static void make_nodes(const struct trial *t, struct fluid_node *nodes, int phase,
		       int who)
{
	memset(nodes, 0, 2 * t->court.nr * sizeof(*nodes));
	for (int i = 0; i < 2 * t->court.nr; i++) {
		nodes[i].parent = FLUID_NONE;
		nodes[i].weight = 100;
		nodes[i].class = IOBAND_BE;
		for (int k = 0; k < FLUID_LIMITS; k++)
			nodes[i].limit[k] = INFINITY;
	}
	for (int i = 0; i < t->court.nr; i++) {
		const struct ioband_settings *set = &group_of(t, i)->settings;
		struct fluid_node *leaf = &nodes[leaf_of(t, i)];
		double units = units_per_io(t, phase, i);

		nodes[i].parent = t->court.who[i].parent;
		if (leaf_of(t, i) != i)
			leaf->parent = i;
		nodes[i].weight = set->weight;
		nodes[i].class = set->class;
		nodes[i].floor = promise_of(t, phase, i) * units;
		for (int k = 0; k < FLUID_LIMITS; k++)
			if (set->limits[k].rate)
				nodes[i].limit[k] = set->limits[k].rate;
		make_leaf(t, leaf, phase, i, i == who ? t->demand[i] : t->most[i]);
		if (set->latency_us && i != who)
			nodes[i].floor = fmax(nodes[i].floor,
					      rate_in(t, &t->run, phase, i) * units);
	}
}

static double capacity(const struct trial *t, int phase)
{
	double units = 0;

	for (int i = 0; i < t->court.nr; i++)
		units += units_of(t, phase, i, tally_of(&t->court, &t->run, phase, i));
	return units / seconds_of(t, phase);
}

/* How much of the disk goes to those that ask for less than their share, or to floors. */
static double busy_with(const struct trial *t, const struct fluid_node *nodes, int phase,
			int except)
{
	double busy = 0;

	for (int i = 0; i < t->court.nr; i++) {
		const struct fluid_node *leaf = &nodes[leaf_of(t, i)];
		double ios = leaf->rate >= 0.98 * leaf->demand ? t->most[i] :
			     promise_of(t, phase, i);

		if (i != except)
			busy += ios * service_of(&t->court, phase, i) / 1e9 /
				slots_of(&t->court, phase);
	}
	return fmin(busy, 1);
}

/* How much of the disk all minimums take. */
static double promised(const struct trial *t, int phase)
{
	const struct simdisk_params *params = &t->court.phases[phase].params;
	double part = 0, all = 0, lost;

	for (int i = 0; i < t->court.nr; i++)
		all += rate_in(t, &t->free, phase, i);
	for (int i = 0; i < t->court.nr; i++) {
		double alone = rate_in(t, &t->alone[i], phase, i);
		double ios = promise_of(t, phase, i);

		if (!group_of(t, i)->settings.min_rate)
			continue;
		if (is_flat(t))
			part += ios * service_of(&t->court, phase, i) / 1e9 /
				slots_of(&t->court, phase);
		else if (alone)
			part += ios / (t->court.who[i].is_deep ? alone : fmax(all, alone));
	}
	lost = params->drift_percent / 100.0;
	if (params->stall_ns)
		lost += 1.0 * params->stall_ns / params->stall_every_ns;
	return part / fmax(1 - lost, 0.01);
}

/*
 * In units per second. @share: set to what it would be due if it could take that.
 */
static double due_in(const struct trial *t, struct fluid_node *nodes, int phase, int who,
		     double *share)
{
	struct fluid_node *leaf = &nodes[leaf_of(t, who)];
	double demand, power, due;

	make_nodes(t, nodes, phase, who);
	demand = leaf->demand;
	leaf->demand = 10 * capacity(t, phase);
	fluid_divide(nodes, 2 * t->court.nr, capacity(t, phase));
	*share = leaf->rate;
	leaf->demand = demand;
	fluid_divide(nodes, 2 * t->court.nr, capacity(t, phase));
	due = leaf->rate;
	if (!due || !*share || !outstanding(&t->court, phase, who))
		return due;
	power = CORNER + outstanding(&t->court, phase, who) / 4;
	return due / pow(1 + pow(fmin(*share, demand) / fmax(*share, demand), power),
			 1 / power);
}

static void judge_phase(struct trial *t, struct fluid_node *nodes, int phase)
{
	int nr = t->court.nr;

	for (int i = 0; i < nr; i++)
		find_demand(t, phase, i, 0);
	for (int i = 0; i < nr; i++) {
		const struct tally *tally = tally_of(&t->court, &t->run, phase, i);
		const struct fluid_node *leaf = &nodes[leaf_of(t, i)];
		double rate, share;

		if (!t->court.who[i].has_job)
			continue;
		t->got[i] += units_of(t, phase, i, tally);
		if (!is_on(&t->court, phase, i))
			continue;
		/* Whoever has been promised too much goes first, and the others wait. */
		if (promised(t, phase) > PROMISED) {
			t->asks_less[i] = false;
			continue;
		}
		due_in(t, nodes, phase, i, &share);
		find_demand(t, phase, i, busy_with(t, nodes, phase, i));
		rate = due_in(t, nodes, phase, i, &share);
		t->due[i] += rate * seconds_of(t, phase);
		t->asks_less[i] &= share >= LESS * leaf->demand;
	}
}

/* How much more or less a closed loop may do by chance, in parts. */
static double noise_of(const struct trial *t, int who)
{
	const struct who *w = &t->court.who[who];
	struct tally alone = total(t, &t->alone[who], who);
	double nr = 0, units = 0, part, ios;

	for (int p = 0; p < t->court.nr_phases; p++) {
		nr = fmax(nr, outstanding(&t->court, p, who));
		units = fmax(units, units_per_io(t, p, who));
	}
	ios = units ? t->due[who] / units : 0;
	if (!nr || !sum(alone.ios) || ios < 1)
		return 0;
	part = deviation(&t->alone[who].hists[who], w->think_ns);
	return part * sqrt(nr * (1 / sum(alone.ios) + 1 / ios));
}

static void explain(const struct trial *t, int who, double units)
{
	double seconds = t->court.sc.time_ns / 1e9;
	struct tally free = total(t, &t->free, who), alone = total(t, &t->alone[who], who);

	printf("%-8s got %.6g, due %.6g a second; without control %.6g, alone %.6g; %s\n",
	       group_of(t, who)->name, t->got[who] / units / seconds,
	       t->due[who] / units / seconds, sum(free.ios) / seconds,
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
		if (t->got[i] + slack < SHARE * t->due[i])
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
		judge_phase(t, nodes, p);
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
	    court_run(&t->court, UNCONTROLLED, NOBODY, &t->free, err))
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
	free(t.alone);
	free(t.demand);
	free(t.most);
	free(t.wait_ns);
	free(t.due);
	free(t.got);
	free(t.noise);
	free(t.asks_less);
	court_close(&t.court);
	return r;
}
