// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an I/O costs its group, and all above it: how far their tags move on.
 *
 * Whoever goes in his turn pays in full. Some go without: for a minimum or a latency
 * target, or at a leg that others have no use for. That must count, or a weight would
 * mean nothing beside it; and it must not cost a group its turns for hours. So it puts
 * a group ahead of the rest by no more than a few I/Os. What goes as a debt, for it may
 * not wait, is owed in full.
 */
#include "ioband-tree.h"

/* A busy period in which virtual time has come this far has lasted long enough. */
#define VTIME_MAX	((u64)1 << 62)

/*
 * How many of its own I/Os a group may be ahead of the rest, or behind them, for what
 * it did not get in its turn. At a leg it may be behind by as many of the rest.
 */
#define LEAD_IOS	16

/* What I/Os cost in the mean is told by about so many. */
#define RECENT_IOS	64

/**
 * struct charge - an I/O that goes
 * @io: the I/O
 * @how: how it came to go
 * @cost: its cost
 * @lead_cost: 16 times this is how far it may put its group ahead without a turn: its
 *	own cost, or that of I/Os in the mean if it is one of several legs that it goes
 *	to, and that is more
 */
struct charge {
	const struct ioband_io *io;
	enum ioband_how how;
	u64 cost;
	u64 lead_cost;
};

static u64 lead_of(u64 cost, u32 weight)
{
	u64 left;

	return div64_u64_rem(cost * LEAD_IOS << IOBAND_VTIME_SHIFT, weight, &left);
}

/* Whether all of it counts at leg @nr. */
static bool counts_in_full(const struct charge *charge, unsigned int nr, bool by_tag)
{
	return charge->how == IOBAND_AS_DEBT ||
	       (nr == charge->io->leg &&
		(by_tag || charge->how != IOBAND_OUT_OF_TURN));
}

/* A tag moves on as far as @bound; what has put it beyond is not forgiven. */
static void step_within(u64 *tag, u64 step, u64 bound)
{
	if (ioband_before(bound, *tag))
		bound = *tag;
	*tag += step;
	if (ioband_before(bound, *tag))
		*tag = bound;
}

/* What goes is no child's: all of these have one sibling more. */
static bool charge_own(struct ioband_node *node, bool by_tag,
		       const struct charge *charge)
{
	u64 step = ioband_step(&node->own_rest, charge->cost, IOBAND_WEIGHT_DEFAULT);
	u64 lead = lead_of(charge->lead_cost, IOBAND_WEIGHT_DEFAULT);
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

/* The longest step of late: it is forgotten as others go. */
static void note_stride(u64 *stride, u64 step)
{
	*stride = max(step, *stride - *stride / RECENT_IOS);
}

/* The tags of @node move on at all legs. */
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
	lead = lead_of(charge->lead_cost, node->weight);
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
 * An I/O of @node has gone. Who is behind, for a limit above kept his direction from
 * its turns, keeps his place among those like him as long as the limit does. Once it
 * stops nobody, it is by their weights again that they go, and not by what they missed,
 * but for as much as a policy of time may owe them. So it is with who comes from another
 * leg, where he got too little.
 */
static void forgive_lag(struct ioband_node *node, const struct charge *charge,
			u64 now_ns)
{
	const struct ioband_io *io = charge->io;
	bool is_limited;
	u64 open_ns;

	for (; node->parent; node = node->parent) {
		u64 vtime = *ioband_vtime_of(node, io->leg);
		u64 *start = &node->leg[io->leg].start;
		u64 owed = node->nr_legs == 1 ? lead_of(charge->cost, node->weight) :
			   LEAD_IOS * node->parent->leg[io->leg].stride;

		if (owed > vtime || !ioband_before(*start, vtime - owed))
			continue;
		is_limited = ioband_limits_above(node, io->dir, now_ns, &open_ns);
		if (is_limited ? open_ns != now_ns : node->nr_legs == 1)
			continue;
		*start = vtime - owed;
		ioband_node_rekey(node);
	}
}

/* Since when an I/O could have gone, had the disk had room and others no turn. */
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

/* An I/O goes: what all groups together have sent, and what I/Os cost. */
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
}

/**
 * ioband_path_charge - account for an I/O that goes, from its group up
 * @sched: the scheduler
 * @node: the I/O's group
 * @io: the I/O, not held any more
 * @top: where it was chosen by tags, from here down, virtual time moves on, too;
 *	%NULL if nowhere
 * @how: how it came to go
 * @now_ns: the time
 *
 * Return: what it was charged.
 */
u64 ioband_path_charge(struct ioband_sched *sched, struct ioband_node *node,
		       const struct ioband_io *io, const struct ioband_node *top,
		       enum ioband_how how, u64 now_ns)
{
	u32 ios = 1 + io->merged;
	u64 cost = cost_of(sched, node, ios, io->sectors);
	struct charge charge = {
		.io = io, .how = how, .cost = cost, .lead_cost = cost,
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
		/* When its turn comes, the rest have caught up. */
		if (by_tag || how == IOBAND_AS_DEBT)
			node->is_debtor = how == IOBAND_AS_DEBT;
		charge_node(node, by_tag, &charge);
		if (node->terms)
			ioband_terms_charge(node->terms, io->dir, ios,
					    io->sectors, open_ns, now_ns);
		ioband_node_place(sched, node, now_ns);
	}
	if (was_kept)
		forgive_lag(whose, &charge, now_ns);
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
 * What is in flight counts as dispatched in this period: a group that has filled
 * the disk's queue before the others came lets them go first for as much.
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
 * ioband_charge_limits - account for an I/O that found the disk to itself
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
 * ioband_charge - account for an I/O that did not wait for its turn
 * @sched: the scheduler
 * @node: the I/O's group, joined
 * @io: the I/O; stays the caller's
 * @now_ns: the time
 *
 * The group, and those above it, are in debt: their other I/O waits until the
 * rest have caught up, and until their limits would have let it go.
 */
void ioband_charge(struct ioband_sched *sched, struct ioband_node *node,
		   const struct ioband_io *io, u64 now_ns)
{
	ioband_path_charge(sched, node, io, NULL, IOBAND_AS_DEBT, now_ns);
}
