// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who gets how much, level by level. An entity is a group among its siblings or
 * what a group sends itself among its children; w its weight, c the cost of its
 * largest I/O, W what was sent for it, p its parent, D the depth and what is spare.
 *
 * pairs	Two siblings of a class that both have I/O that may go:
 *
 *			|Wi/wi - Wj/wj| <= ci/wi + cj/wj
 *
 *		over any interval. Theorem 1 of the paper on SFQ needs no more of
 *		the disk than that it does something, and so it holds at any level,
 *		whatever the levels above do.
 * guarantee	A group's own I/O, as long as there is any. Let X be how far virtual
 *		time moves at a level. By the lemmas behind that theorem
 *		Wi >= wi X - ci and Wj <= wj X + cj for each sibling, busy or not;
 *		with r = wi / (sum of all w) the sum over the siblings gives
 *
 *			Wi >= r Wp - (1 - r) ci - r (sum of the other c)
 *
 *		and this put into itself, level by level up to the root, has the
 *		group get its part of the disk less the sum over the levels of each
 *		one's loss, times the shares below it. In any interval.
 * fluid	Hierarchical generalised processor sharing: at each level all that
 *		have anything left are served at once by weight. Fed with just what
 *		its parent was given, a level is off by one I/O of each sibling,
 *		one of its own and the D in flight (see test_oracle.c); and what
 *		the parent is off reaches a child once at most, for what one child
 *		does not get another does. So a group is off by the sum over levels.
 *
 * Pairs judge all runs without promises and debts. The guarantee and the fluid
 * are for runs without limits and classes as well; the fluid heeds a new weight
 * or place at once and the core from the next I/O on, so it wants these constant.
 */
#include "torture.h"

struct pair {
	bool open;
	long double min, max;
};

static struct pair pairs[ENTITIES][ENTITIES];
static long double sent_in_all;

static bool judges_pairs(void)
{
	return !sim.charges && !sim.minimums && !sim.latencies;
}

static bool judges_guarantee(void)
{
	return judges_pairs() && !sim.limits && !sim.classes && !sim.grants;
}

static bool judges_fluid(void)
{
	return judges_guarantee() && !sim.reweight && !sim.topology &&
	       !sim.restarts && !sim.unholds;
}

/* All windows begin now: weights or places have changed. */
void share_begin(void)
{
	unsigned int e;

	memset(pairs, 0, sizeof(pairs));
	for_each_entity(e)
		sim.entities[e].in_window = false;
	if (!sim.event)
		sent_in_all = 0;
}

/* From the I/O's group's own part up to the top. */
static unsigned int up(unsigned int entity)
{
	return is_own(entity) ? index_of(node_of(entity)) :
				index_of(node_of(entity)->parent);
}

#define for_each_up(e, node) for (e = own_of(node); e; e = up(e))

void share_arrived(const struct sim_io *io)
{
	unsigned int e;

	for_each_up(e, io->node) {
		struct sim_entity *entity = &sim.entities[e];

		entity->cost = fmaxl(entity->cost, cost_of(io));
		entity->left += cost_of(io);
	}
}

/* What has come with @node may be sent for those above it now. */
void share_moved(const struct sim_node *node)
{
	long double cost = sim.entities[index_of(node)].cost;
	unsigned int e;

	for (e = index_of(node); e; e = up(e))
		sim.entities[e].cost = fmaxl(sim.entities[e].cost, cost);
}

void share_sent(const struct sim_io *io)
{
	unsigned int e;

	sent_in_all += cost_of(io);
	for_each_up(e, io->node)
		sim.entities[e].sent += cost_of(io);
}

void share_gone(const struct sim_io *io)
{
	unsigned int e;

	for_each_up(e, io->node)
		sim.entities[e].left -= cost_of(io);
}

static void fluid_serve(struct sim_node *node, long double cost)
{
	while (cost > 1e-9L) {
		long double weights = 0, share = LDBL_MAX;
		unsigned int e;

		for_each_child(e, node) {
			if (sim.entities[e].left <= 1e-9L)
				continue;
			weights += weight_of(e);
			share = fminl(share, sim.entities[e].left / weight_of(e));
		}
		if (!weights)
			return;
		share = fminl(share, cost / weights);
		for_each_child(e, node) {
			struct sim_entity *entity = &sim.entities[e];
			long double got = share * weight_of(e);

			if (entity->left <= 1e-9L)
				continue;
			if (!is_own(e))
				fluid_serve(node_of(e), got);
			entity->left -= got;
			entity->lag += got;
		}
		cost -= share * weights;
	}
}

void share_done(const struct sim_io *io)
{
	unsigned int e;

	if (!judges_fluid())
		return;
	for_each_up(e, io->node)
		sim.entities[e].lag -= cost_of(io);
	fluid_serve(&sim.nodes[0], cost_of(io));
}

static long double costs_beside(unsigned int entity, long double *largest)
{
	long double sum = 0;
	unsigned int e;

	for_each_child(e, parent_of(entity)) {
		sum += sim.entities[e].cost;
		*largest = fmaxl(*largest, sim.entities[e].cost);
	}
	return sum;
}

static void judge_fluid(unsigned int entity)
{
	long double bound = 0, largest;
	unsigned int e;

	for (e = entity; e; e = up(e)) {
		largest = 0;
		bound += costs_beside(e, &largest) + sim.entities[e].cost;
		bound += (sim.sched.depth + sim.sched.spare) * largest;
	}
	must(fabsl(sim.entities[entity].lag) <= bound + 1e-3L,
	     "%u is off by %Lf from the fluid, bound %Lf", entity,
	     sim.entities[entity].lag, bound);
}

static void judge_guarantee(struct sim_node *node)
{
	struct sim_entity *own = &sim.entities[own_of(node)];
	long double share = 1, loss = 0, behind, largest = 0;
	unsigned int e, f;

	for_each_up(e, node) {
		long double others = costs_beside(e, &largest) -
				     sim.entities[e].cost;
		long double weights = 0, r;

		for_each_child(f, parent_of(e))
			weights += weight_of(f);
		r = weight_of(e) / weights;
		loss += share * ((1 - r) * sim.entities[e].cost + r * others);
		share *= r;
	}
	behind = share * sent_in_all - own->sent;
	if (!held_of(own_of(node))) {
		own->in_window = false;
		return;
	}
	if (!own->in_window || behind < own->least)
		own->least = behind;
	own->in_window = true;
	must(behind - own->least <= loss + 1e-3L,
	     "%u is %Lf behind its guaranteed part, at most %Lf", index_of(node),
	     behind - own->least, loss);
}

static bool limited_above(const struct sim_node *node)
{
	for (; node; node = node->parent)
		if (node->has_limits)
			return true;
	return false;
}

static bool may_go(unsigned int entity)
{
	return is_own(entity) ? held_of(entity) : node_of(entity)->may_go;
}

/*
 * How many I/Os more than one an entity may be ahead by: each group below it has sent one
 * grant that is not charged yet, and goes on until it is ahead by four that were, and one.
 */
static u32 granted(unsigned int entity)
{
	u32 most = clamp(sim.sched.grant, 4U, 64U), groups = 0;
	unsigned int e, f;

	if (!sim.grants)
		return 0;
	for_each_entity(e) {
		if (!exists(e) || is_own(e))
			continue;
		for_each_up(f, node_of(e))
			groups += f == entity;
	}
	return 6 * most * groups;
}

static void judge_pair(unsigned int i, unsigned int j)
{
	const struct sim_entity *a = &sim.entities[i], *b = &sim.entities[j];
	long double wa = weight_of(i), wb = weight_of(j);
	long double apart = a->sent / wa - b->sent / wb, most;
	struct pair *pair = &pairs[i][j];

	if (!pair->open) {
		pair->min = apart;
		pair->max = apart;
	}
	pair->min = fminl(pair->min, apart);
	pair->max = fmaxl(pair->max, apart);
	most = (1 + granted(i)) * a->cost / wa + (1 + granted(j)) * b->cost / wb;
	/* A unit of virtual time for each clamp is lost in this window. */
	must(pair->max - pair->min <= most + 1e-4L,
	     "%u and %u are %Lf apart, at most %Lf", i, j, pair->max - pair->min, most);
	pair->open = may_go(i) && may_go(j);
}

void share_judge(void)
{
	unsigned int e, f;

	if (!judges_pairs())
		return;
	for_each_entity(e) {
		if (!exists(e))
			continue;
		if (judges_guarantee() && is_own(e))
			judge_guarantee(node_of(e));
		if (judges_fluid())
			judge_fluid(e);
		if (limited_above(parent_of(e)))
			continue;
		for (f = 0; f < e; f++)
			if (is_child_of(f, parent_of(e)) &&
			    class_of(e) == class_of(f))
				judge_pair(e, f);
	}
}
