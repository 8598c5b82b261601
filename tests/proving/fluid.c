// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nothing here is shared with the scheduler: it knows no time, no tags and no I/Os, only
 * rates, and finds them from the bottom up (what can each take?) and from the top down
 * (who gets it?).
 *
 * At one level, of the children of one class, each gets weight times the same level of
 * water, but no less than its floor and no more than it can take. Floors of all classes
 * come first. A limit counts I/Os or bytes, of one direction or both, and what is divided
 * may be something else; so what a group with a limit and others below it can take is the
 * most that, divided among these, keeps the limit. It is found by halving an interval.
 */
#include <math.h>
#include <stdbool.h>

#include "fluid.h"

enum {
	HALVINGS = 60,
};

#define for_each_child(c, nodes, nr, above) \
	for ((c) = (above) + 1; (c) < (nr); (c)++) \
		if ((nodes)[c].parent == (above))

static bool is_leaf(const struct fluid_node *nodes, int nr, int at)
{
	int c;

	for_each_child(c, nodes, nr, at)
		return false;
	return true;
}

static double clamped(const struct fluid_node *node, double level)
{
	return fmin(fmax(level * node->weight, node->least), node->most);
}

/* Divide @units among the children of one class. */
static void pour(struct fluid_node *nodes, int nr, int above, int class,
		 double units)
{
	double low = 0, high = 0, floors = 0, level, sum;
	int c;

	for_each_child(c, nodes, nr, above) {
		if (nodes[c].class != class)
			continue;
		high = fmax(high, nodes[c].most / nodes[c].weight);
		floors += nodes[c].least;
	}
	if (floors > units) {
		for_each_child(c, nodes, nr, above)
			if (nodes[c].class == class)
				nodes[c].rate = nodes[c].least * units / floors;
		return;
	}
	for (int i = 0; i < HALVINGS; i++) {
		level = (low + high) / 2;
		sum = 0;
		for_each_child(c, nodes, nr, above)
			if (nodes[c].class == class)
				sum += clamped(&nodes[c], level);
		if (sum > units)
			high = level;
		else
			low = level;
	}
	for_each_child(c, nodes, nr, above)
		if (nodes[c].class == class)
			nodes[c].rate = clamped(&nodes[c], high);
}

/* Divide @units among all that is below @above. */
static void divide(struct fluid_node *nodes, int nr, int above, double units)
{
	double least[FLUID_CLASSES] = { 0 }, most[FLUID_CLASSES] = { 0 };
	double floors = 0, left = units;
	int c, class;

	for_each_child(c, nodes, nr, above) {
		least[nodes[c].class] += nodes[c].least;
		most[nodes[c].class] += nodes[c].most;
		floors += nodes[c].least;
	}
	for (class = 0; class < FLUID_CLASSES; class++) {
		double get;

		floors -= least[class];
		get = fmin(most[class], fmax(left - floors, least[class]));
		get = fmin(get, fmax(left, 0));
		pour(nodes, nr, above, class, get);
		left -= get;
	}
	for_each_child(c, nodes, nr, above)
		divide(nodes, nr, c, nodes[c].rate);
}

/* How much of what limit @k counts everything below @at would have. */
static double counted(const struct fluid_node *nodes, int nr, int at, int k)
{
	double sum = 0;
	int c;

	if (is_leaf(nodes, nr, at))
		return nodes[at].rate * nodes[at].per_unit[k];
	for_each_child(c, nodes, nr, at)
		sum += counted(nodes, nr, c, k);
	return sum;
}

static bool keeps_limits(struct fluid_node *nodes, int nr, int at, double units)
{
	nodes[at].rate = units;
	divide(nodes, nr, at, units);
	for (int k = 0; k < FLUID_LIMITS; k++)
		if (counted(nodes, nr, at, k) > nodes[at].limit[k])
			return false;
	return true;
}

/* What @at can take, and what of it is promised; those below it come first. */
static void measure(struct fluid_node *nodes, int nr, int at)
{
	struct fluid_node *node = &nodes[at];
	double low = 0, least = 0;
	int c;

	node->most = 0;
	for_each_child(c, nodes, nr, at) {
		node->most += nodes[c].most;
		least += nodes[c].least;
	}
	if (is_leaf(nodes, nr, at))
		node->most = node->demand;
	if (!keeps_limits(nodes, nr, at, node->most)) {
		for (int i = 0; i < HALVINGS; i++) {
			double units = (low + node->most) / 2;

			if (keeps_limits(nodes, nr, at, units))
				low = units;
			else
				node->most = units;
		}
	}
	node->least = fmin(fmax(node->floor, least), node->most);
}

/**
 * fluid_divide - divide a disk
 * @nodes: the groups, those above before those below
 * @nr: their number
 * @capacity: what there is to divide per second
 *
 * If there is less than all floors together, classes get theirs in order, and within one
 * each gets the same part of its floor. A limit comes before the floors below it.
 */
void fluid_divide(struct fluid_node *nodes, int nr, double capacity)
{
	for (int i = nr; i--;)
		measure(nodes, nr, i);
	divide(nodes, nr, FLUID_NONE, capacity);
}
