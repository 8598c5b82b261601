/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who is due how much, if a disk could be divided like a fluid: hierarchical weighted
 * max-min with classes, floors and caps.
 */
#ifndef PROVING_FLUID_H
#define PROVING_FLUID_H

enum {
	FLUID_NONE	= -1,
	FLUID_CLASSES	= 3,
	FLUID_LIMITS	= 6,
};

/**
 * struct fluid_node - a group, or the I/O of its own of one that has others below it
 * @parent: index of the group above, smaller than its own; %FLUID_NONE for none
 * @weight: share relative to its siblings
 * @class: strict priority among them, 0 first
 * @demand: what it can take, if it has nothing below it
 * @floor: what it gets before all others, whatever the weights
 * @limit: limits in other units than what is divided, INFINITY for none
 * @per_unit: how much of these a unit is, if it has nothing below it
 * @rate: what is due to it, filled in
 * @most: what it can take, filled in
 * @least: what is promised to it and those below it, filled in
 */
struct fluid_node {
	int parent;
	double weight;
	int class;
	double demand;
	double floor;
	double limit[FLUID_LIMITS];
	double per_unit[FLUID_LIMITS];
	double rate;
	double most;
	double least;
};

void fluid_divide(struct fluid_node *nodes, int nr, double capacity);

#endif /* PROVING_FLUID_H */
