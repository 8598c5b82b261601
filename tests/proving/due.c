// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is due to each group.
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
 * varies by. A drive chooses among its queue, so all of that goes first.) Others who ask
 * for less than their share are served before as well, so all of that is divided by what
 * they leave of the disk. With the time W it is, the group can take N / (N / R + W). But
 * if it has nine tenths of R without control, it can take what it has then: the disk is
 * not full. And a group that was off, but had I/O left, could take what it got.
 *
 * What cannot be ordered. An SSD's buffered writes hold up reads inside it: a reader
 * beside writers of an SSD can take no more than without control. A minimum or a target
 * may slow the writers down, though, so these are judged as if there were none.
 *
 * The corner. Where a share, or a limit, is about what a few outstanding I/Os can do, chance
 * takes from both: at times the group could take more than it is given, at times less. So
 * it is due the p-norm of the two, where p grows with the number of I/Os: of two that are
 * equal, 19 % less for one I/O, 1 % less for 256.
 */
#include <math.h>

#include "trial.h"

/* Of what a group could take, the share that makes sure that it asks for less. */
#define LESS		1.25
/* Of what a group does alone, what tells that without control nothing hinders it. */
#define FREE		0.9
/* See above; the larger, the sharper. */
#define CORNER		3
/* How long a group keeps a disk that seeks, if time is divided. */
#define TURN_NS		40e6

/* Units */

bool is_flat(const struct trial *t)
{
	return t->court.sc.model->bit == SIMDISK_FLAT;
}

/* What all I/O of a group got in a run, over all phases. */
struct tally total(const struct trial *t, const struct outcome *outcome, int who)
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
bool knows_time(const struct trial *t)
{
	return is_flat(t) || t->court.is_alike;
}

bool can_judge_shares(const struct trial *t)
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
	return policy->cost(sum(tally->ios), sum(tally->bytes) / SIMDISK_SECTOR_BYTES);
}

double units_per_io(const struct trial *t, int phase, int who)
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

double seconds_of(const struct trial *t, int phase)
{
	return t->court.phases[phase].seconds;
}

double rate_in(const struct trial *t, const struct outcome *outcome, int phase,
		      int who)
{
	return sum(tally_of(&t->court, outcome, phase, who)->ios) /
	       seconds_of(t, phase);
}

/* Demand */

/* A reader of an SSD, and what others write there. */
bool is_behind_writes(const struct trial *t)
{
	return t->court.sc.model->bit == SIMDISK_SSD && t->court.has_writes;
}

/* The longest service time of those that it may have to wait for. */
double others_ns(const struct trial *t, int phase, int who, double part)
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
double services_until_place(const struct trial *t, int phase)
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

double wait_for_place(const struct trial *t, int phase, int who)
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
void find_demand(struct trial *t, int phase, int who, double busy)
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
double promise_of(const struct trial *t, int phase, int who)
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
double promised(const struct trial *t, int phase)
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

void find_due(struct trial *t, struct fluid_node *nodes, int phase)
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
		t->could[i] += t->how & JUDGE_IDEAL ?
			       units_of(t, phase, i, tally_of(&t->court, &t->ideal, phase, i)) :
			       INFINITY;
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
double noise_of(const struct trial *t, int who)
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
