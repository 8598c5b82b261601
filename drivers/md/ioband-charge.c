// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an I/O costs its group and all groups above: how far their tags move on.
 *
 * I/O that goes in its group's turn is charged in full. Some goes without a turn:
 * for a minimum or a latency target, or at a leg that no other group needs. It must
 * count, or weights would mean nothing beside it, but it must not cost the group
 * its turns for hours. So it puts the group ahead of the rest by a few I/Os at most.
 * I/O that cannot wait is a debt, and owed in full.
 */
#include "ioband-tree.h"

/* A busy period ends when virtual time has come this far, well before it wraps. */
#define VTIME_MAX	((u64)1 << 62)

/*
 * How many of its own I/Os a group may be ahead of the rest for what it got without
 * a turn, or behind for what it missed. At one of several legs its lag is measured
 * in I/Os of whichever sibling takes the longest steps there.
 *
 * A leg that is done with all it has at once gets as many turns at once, and between
 * two such times the other legs have theirs. That must count, so it is no less than
 * what all legs have at a time; but no more than a product with a cost can hold.
 */
#define LEAD_IOS	16
#define LEAD_IOS_MAX	256

/* Means and maxima of recent I/Os reach back about this many. */
#define RECENT_IOS	64

/**
 * struct charge - an I/O that is dispatched
 * @io: the I/O
 * @how: why it was dispatched
 * @cost: its cost
 * @lead_cost: without a turn it puts its group ahead by @lead_ios times this at
 *	most: @cost, or if there are several legs the recent mean where that is more
 * @lead_ios: %LEAD_IOS, or if there are several legs what they have at a time
 */
struct charge {
	const struct ioband_io *io;
	enum ioband_how how;
	u64 cost;
	u64 lead_cost;
	u32 lead_ios;
};

static u64 lead_of(const struct charge *charge, u64 cost, u32 weight)
{
	u64 left;

	return div64_u64_rem(cost * charge->lead_ios << IOBAND_VTIME_SHIFT, weight,
			     &left);
}

/* Whether leg @nr is charged in full, or only up to the lead. */
static bool counts_in_full(const struct charge *charge, unsigned int nr, bool by_tag)
{
	return charge->how == IOBAND_AS_DEBT ||
	       (nr == charge->io->leg &&
		(by_tag || charge->how != IOBAND_OUT_OF_TURN));
}

/* Move a tag on, but not past @bound; if it is past it already, it stays there. */
static void step_within(u64 *tag, u64 step, u64 bound)
{
	if (ioband_before(bound, *tag))
		bound = *tag;
	*tag += step;
	if (ioband_before(bound, *tag))
		*tag = bound;
}

/* Charge a node's own I/O as one more child's; true if the busy period must end. */
static bool charge_own(struct ioband_node *node, bool by_tag,
		       const struct charge *charge)
{
	u64 step = ioband_step(&node->own_rest, charge->cost, IOBAND_WEIGHT_DEFAULT);
	u64 lead = lead_of(charge, charge->lead_cost, IOBAND_WEIGHT_DEFAULT);
	struct ioband_leg *leg = &node->leg[charge->io->leg];
	u64 *vtime = &leg->vtime[IOBAND_BE];
	bool is_over;
	u8 nr;

	if (ioband_before(leg->own_start, *vtime))
		leg->own_start = *vtime;
	else if (by_tag)
		*vtime = leg->own_start;
	is_over = leg->own_start >= VTIME_MAX;
	for (nr = 0, leg = node->leg; nr < node->nr_legs; nr++, leg++) {
		if (counts_in_full(charge, nr, by_tag))
			leg->own_start += step;
		else
			step_within(&leg->own_start, step,
				    leg->vtime[IOBAND_BE] + lead);
	}
	return is_over;
}

/* Keep the longest recent step; it decays with each I/O. */
static void note_stride(u64 *stride, u64 step)
{
	*stride = max(step, *stride - *stride / RECENT_IOS);
}

/* Move the tags of @node on at all legs. */
static void charge_node(struct ioband_node *node, bool by_tag,
			const struct charge *charge)
{
	u64 step = ioband_step(&node->rest, charge->cost, node->weight);
	struct ioband_leg *leg = node->leg;
	u64 lead;
	u8 nr;

	node->served += charge->cost;
	if (node->nr_legs == 1 && counts_in_full(charge, 0, by_tag)) {
		leg->start += step;
		return;
	}
	lead = lead_of(charge, charge->lead_cost, node->weight);
	for (nr = 0; nr < node->nr_legs; nr++, leg++) {
		if (counts_in_full(charge, nr, by_tag))
			leg->start += step;
		else
			step_within(&leg->start, step,
				    *ioband_vtime_of(node, nr) + lead);
	}
	if (node->nr_legs > 1)
		note_stride(&node->parent->leg[charge->io->leg].stride, step);
}

/*
 * An I/O of @node has been dispatched. Nodes on its path may be behind because a
 * limit above kept I/O of this direction from its turns. While the limit binds they
 * keep their lag, and with it their order among themselves. Once it no longer binds,
 * service is by weight again and not by what was missed, so the lag is cut to what a
 * policy by time may owe. So it is at one of several legs, for what was missed at
 * another.
 */
static void forgive_lag(struct ioband_sched *sched, struct ioband_node *node,
			const struct charge *charge, u64 now_ns)
{
	const struct ioband_io *io = charge->io;
	bool is_limited;
	u64 open_ns;

	for (; node->parent; node = node->parent) {
		u64 vtime = *ioband_vtime_of(node, io->leg);
		u64 *start = &node->leg[io->leg].start;
		u64 owed = node->nr_legs == 1 ?
			   lead_of(charge, charge->cost, node->weight) :
			   charge->lead_ios * node->parent->leg[io->leg].stride;

		if (owed > vtime || !ioband_before(*start, vtime - owed))
			continue;
		is_limited = ioband_limits_above(node, io->dir, now_ns, &open_ns);
		if (is_limited ? open_ns != now_ns : node->nr_legs == 1)
			continue;
		*start = vtime - owed;
		ioband_node_resort(sched, node, now_ns);
	}
}

/* When the last limit let an I/O go, so that it waited only for turn and room. */
static u64 path_open_ns(const struct ioband_node *node,
			const struct ioband_io *io)
{
	u64 open_ns = io->arrival_ns;

	for (; node->parent; node = node->parent)
		if (node->terms)
			open_ns = ioband_terms_open_ns(node->terms, io->dir,
						       open_ns);
	return open_ns;
}

static u64 cost_of(const struct ioband_sched *sched, const struct ioband_node *node,
		   u64 ios, u64 sectors)
{
	return sched->policy->by_time ? ios * node->cost_ns :
	       sched->policy->cost(ios, sectors);
}

/* Count an I/O in the totals of all groups, and in the mean cost. */
static void note_sent(struct ioband_sched *sched, struct charge *charge)
{
	sched->sent_ios++;
	sched->sent_sectors += charge->io->sectors;
	if (!sched->policy->by_time)
		sched->sent_work += charge->cost;
	sched->root.served += charge->cost;
	if (sched->root.nr_legs == 1)
		return;
	sched->recent_cost += charge->cost - sched->recent_cost / RECENT_IOS;
	charge->lead_cost = max(charge->cost, sched->recent_cost / RECENT_IOS);
	charge->lead_ios = clamp((u64)sched->depth * sched->root.nr_legs,
				 (u64)LEAD_IOS, (u64)LEAD_IOS_MAX);
}

/**
 * ioband_path_charge - charge an I/O to its group and all groups above
 * @sched: the scheduler
 * @node: the I/O's group
 * @io: the I/O, not held any more
 * @top: the node below which it was chosen by tags, so that virtual time moves on
 *	there, too; %NULL if it was not
 * @how: why it was dispatched
 * @now_ns: the time
 *
 * Return: the cost that was charged.
 */
u64 ioband_path_charge(struct ioband_sched *sched, struct ioband_node *node,
		       const struct ioband_io *io, const struct ioband_node *top,
		       enum ioband_how how, u64 now_ns)
{
	u32 ios = 1 + io->merged;
	u64 cost = cost_of(sched, node, ios, io->sectors);
	struct charge charge = {
		.io = io, .how = how, .cost = cost, .lead_cost = cost,
		.lead_ios = LEAD_IOS,
	};
	u64 open_ns = how == IOBAND_AS_DEBT ? now_ns : path_open_ns(node, io);
	bool by_tag = top, is_over = false, was_kept = false;
	struct ioband_node *whose = node;

	note_sent(sched, &charge);
	if (!list_empty(&node->children))
		is_over = charge_own(node, by_tag, &charge);

	for (; node->parent; node = node->parent) {
		u64 *start = &node->leg[io->leg].start;
		u64 *vtime = ioband_vtime_of(node, io->leg);

		if (node == top)
			by_tag = false;
		if (!ioband_before(*start, *vtime)) {
			if (by_tag)
				*vtime = *start;
			is_over |= *start >= VTIME_MAX;
		} else if (node->ready) {
			was_kept = true;
		} else {
			*start = *vtime;
		}
		/* If it is its turn by tags, the rest have caught up. */
		if (by_tag || how == IOBAND_AS_DEBT)
			node->is_debtor = how == IOBAND_AS_DEBT;
		charge_node(node, by_tag, &charge);
		if (node->terms)
			ioband_terms_charge(node->terms, io->dir, ios,
					    io->sectors, open_ns, now_ns);
		ioband_node_place(sched, node, now_ns);
	}
	if (was_kept)
		forgive_lag(sched, whose, &charge, now_ns);
	if (is_over)
		ioband_sched_restart(sched);
	return cost;
}

/**
 * ioband_node_join - bring a group into the current busy period
 * @sched: the scheduler
 * @node: a group that holds nothing
 * @ios_in_flight: I/Os of the group that the disk has not completed yet
 * @sectors_in_flight: their size
 *
 * What is in flight counts as dispatched in this period: a group that filled the
 * disk's queue before the others came lets them go first for as much.
 */
void ioband_node_join(struct ioband_sched *sched, struct ioband_node *node,
		      u64 ios_in_flight, u64 sectors_in_flight)
{
	u64 cost = cost_of(sched, node, ios_in_flight, sectors_in_flight);
	unsigned int leg;
	u64 step;

	ioband_path_join(sched, node);
	for (; node->parent; node = node->parent) {
		step = ioband_step(&node->rest, cost, node->weight);
		for (leg = 0; leg < node->nr_legs; leg++)
			node->leg[leg].start += step;
		ioband_node_rekey(node);
	}
}

/**
 * ioband_charge_limits - charge an uncontended I/O to limits and minimums only
 * @sched: the scheduler
 * @node: the I/O's group
 * @io: the I/O; stays the caller's
 * @now_ns: the time
 */
void ioband_charge_limits(struct ioband_sched *sched, struct ioband_node *node,
			  const struct ioband_io *io, u64 now_ns)
{
	for (; node->parent; node = node->parent) {
		if (!node->terms)
			continue;
		ioband_terms_charge(node->terms, io->dir, 1, io->sectors,
				    now_ns, now_ns);
		ioband_node_update(sched, node, now_ns);
	}
}

/**
 * ioband_charge - charge an I/O that did not wait for its turn
 * @sched: the scheduler
 * @node: the I/O's group, joined
 * @io: the I/O; stays the caller's
 * @now_ns: the time
 *
 * The group and those above go into debt: their other I/O waits until the rest
 * have caught up, and until their limits have absorbed this one.
 */
void ioband_charge(struct ioband_sched *sched, struct ioband_node *node,
		   const struct ioband_io *io, u64 now_ns)
{
	ioband_path_charge(sched, node, io, NULL, IOBAND_AS_DEBT, now_ns);
}
