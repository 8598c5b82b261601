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
 * @is_limited: there are limits on its path; only then anything lags
 */
struct charge {
	const struct ioband_io *io;
	enum ioband_how how;
	u64 cost;
	u64 lead_cost;
	u32 lead_ios;
	bool is_limited;
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

/* Keep the longest recent step; it decays with each I/O. */
static void note_stride(u64 *stride, u64 step)
{
	*stride = max(step, *stride - *stride / RECENT_IOS);
}

/**
 * struct payer - who is charged: a node among its siblings, or its own I/O among its
 *	children, as one more child
 * @above: the node whose children these are
 * @class: their class
 * @node: the node, or %NULL if it is the own I/O of @above
 * @weight: its weight
 * @nr_legs: at how many legs it has a place
 * @is_ready: it has a place now, that of the I/O or another
 */
struct payer {
	struct ioband_node *above;
	enum ioband_class class;
	struct ioband_node *node;
	u32 weight;
	u8 nr_legs;
	bool is_ready;
};

static struct payer payer_of(struct ioband_node *node)
{
	return (struct payer) {
		.above = node->parent, .class = node->class, .node = node,
		.weight = node->weight, .nr_legs = node->nr_legs,
		.is_ready = node->ready,
	};
}

static struct payer own_payer_of(struct ioband_node *node, enum ioband_how how)
{
	return (struct payer) {
		.above = node, .class = IOBAND_BE, .weight = IOBAND_WEIGHT_DEFAULT,
		.nr_legs = node->nr_legs,
		.is_ready = node->held || how != IOBAND_AS_DEBT,
	};
}

static struct ioband_tag *tag_of(const struct payer *payer, unsigned int leg)
{
	return payer->node ? &payer->node->leg[leg].tag : &payer->above->leg[leg].own;
}

/*
 * Bring tag and virtual time to where they are when an I/O goes by tag, or not. Sets
 * @was_kept if what goes this way was behind. Returns whether the busy period must end.
 * Inline, as is move_tags(): each I/O comes here at each level, and mostly for nothing.
 */
static __always_inline bool begin_charge(const struct payer *payer,
					 const struct charge *charge, bool by_tag,
					 bool *was_kept)
{
	u64 *vtime = &payer->above->leg[charge->io->leg].vtime[payer->class];
	struct ioband_tag *tag = tag_of(payer, charge->io->leg);
	u64 key = ioband_tag_key(tag, ioband_way(charge->io));

	if (payer->is_ready && ioband_before(key, *vtime)) {
		*was_kept = true;
		return false;
	}
	if (!payer->is_ready)
		ioband_tag_raise(tag, *vtime);
	tag->behind[charge->io->dir] = 0;
	if (by_tag)
		*vtime = tag->start;
	return tag->start >= VTIME_MAX;
}

/*
 * Move the place on by @step of what goes @dir and lags behind the tag, but the tag itself
 * not past @bound: it must not run away while virtual time stands still.
 */
static void move_lagging(struct ioband_tag *tag, enum ioband_dir dir, u64 step, u64 bound)
{
	u64 key = tag->start - tag->behind[dir] + step;

	step_within(&tag->start, step, bound);
	if (ioband_before(tag->start, key))
		tag->start = key;
	tag->behind[dir] = tag->start - key;
}

/*
 * Move the tag of @payer at leg @nr on by @step, or not as far as that. Where a limit makes
 * all lag that goes the other way, what goes this way leaves the place there alone: the
 * limit is shared by weight among those that want to go that way, whatever else they do.
 * A debt is owed in full also if what goes its way lags.
 */
static noinline void move_tag(const struct payer *payer, const struct charge *charge,
			      unsigned int nr, bool in_full, u64 step)
{
	u64 lead = lead_of(charge, charge->lead_cost, payer->weight), least;
	u64 vtime = payer->above->leg[nr].vtime[payer->class];
	struct ioband_tag *tag = tag_of(payer, nr);
	enum ioband_dir dir = charge->io->dir;
	u64 from = tag->start;

	if (!in_full)
		step_within(&tag->start, step, vtime + lead);
	else if (tag->behind[dir] && charge->how != IOBAND_AS_DEBT)
		move_lagging(tag, dir, step, vtime + lead);
	else
		tag->start += step;
	if (ioband_way_lags(payer->above, payer->class, nr * IOBAND_DIRS + !dir,
			    &least) && ioband_before(least + lead, vtime))
		tag->behind[!dir] += tag->start - from;
}

/* Move the tags of @payer on at all legs by @step; mostly this is one addition. */
static __always_inline void move_tags(const struct payer *payer,
				      const struct charge *charge, bool by_tag,
				      u64 step)
{
	struct ioband_node *above = payer->above;
	enum ioband_dir dir = charge->io->dir;
	struct ioband_tag *tag;
	bool in_full, lags;
	u64 least;
	u8 nr;

	for (nr = 0; nr < payer->nr_legs; nr++) {
		tag = tag_of(payer, nr);
		in_full = counts_in_full(charge, nr, by_tag);
		lags = charge->is_limited &&
		       ioband_way_lags(above, payer->class, nr * IOBAND_DIRS + !dir, &least);
		if (in_full && !tag->behind[dir] && !lags)
			tag->start += step;
		else
			move_tag(payer, charge, nr, in_full, step);
	}
	if (payer->nr_legs > 1)
		note_stride(&above->leg[charge->io->leg].stride, step);
}

/* Whether limits of @node or above hold back the next I/O, be it a read or a write. */
static bool limits_bind(const struct ioband_node *node, u64 now_ns)
{
	enum ioband_dir dir;

	for (; node->parent; node = node->parent)
		for (dir = IOBAND_READ; node->terms && dir < IOBAND_DIRS; dir++)
			if (ioband_terms_open_ns(node->terms, dir, now_ns) != now_ns)
				return true;
	return false;
}

/*
 * An I/O of @payer has been dispatched, and it may be behind because a limit above kept
 * I/O of this direction from its turns. While the limit binds it keeps its lag, and with
 * it its order among others. Once it no longer binds, service is by weight again and not
 * by what was missed, so the lag is cut to what a policy by time may owe. So it is at one
 * of several legs, for what was missed at another. Returns whether it was cut.
 */
static bool forgive_lag(const struct payer *payer, const struct charge *charge,
			u64 now_ns)
{
	const struct ioband_io *io = charge->io;
	const struct ioband_leg *leg = &payer->above->leg[io->leg];
	struct ioband_tag *tag = tag_of(payer, io->leg);
	u64 vtime = leg->vtime[payer->class];
	u64 owed = payer->nr_legs == 1 ?
		   lead_of(charge, charge->cost, payer->weight) :
		   charge->lead_ios * leg->stride;

	if (owed > vtime || !ioband_before(ioband_tag_key(tag, ioband_way(io)), vtime - owed))
		return false;
	if (ioband_limits_from(payer->above) ? limits_bind(payer->above, now_ns) :
					       payer->nr_legs == 1)
		return false;
	ioband_tag_raise(tag, vtime - owed);
	tag->behind[io->dir] = tag->start - (vtime - owed);
	return true;
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
		.lead_ios = LEAD_IOS, .is_limited = ioband_limits_from(node),
	};
	u64 since_ns = how == IOBAND_AS_DEBT ? now_ns : io->arrival_ns;
	bool by_tag = top, is_over = false, was_kept = false, own_kept = false;
	struct ioband_node *whose = node;
	struct payer payer;

	note_sent(sched, &charge);
	if (!list_empty(&node->children)) {
		payer = own_payer_of(node, how);
		is_over = begin_charge(&payer, &charge, by_tag, &own_kept);
		move_tags(&payer, &charge, by_tag,
			  ioband_step(&node->own_rest, cost, IOBAND_WEIGHT_DEFAULT));
	}

	for (; node->parent; node = node->parent) {
		if (node == top)
			by_tag = false;
		payer = payer_of(node);
		is_over |= begin_charge(&payer, &charge, by_tag, &was_kept);
		/* If it is its turn by tags, the rest have caught up. */
		if (by_tag || how == IOBAND_AS_DEBT)
			node->is_debtor = how == IOBAND_AS_DEBT;
		node->served += cost;
		move_tags(&payer, &charge, by_tag,
			  ioband_step(&node->rest, cost, node->weight));
		if (node->terms)
			ioband_terms_charge(node->terms, io->dir, ios,
					    io->sectors, since_ns, now_ns);
		ioband_node_place(sched, node, now_ns);
	}
	/* Only now limits tell whether they bind. */
	if (own_kept) {
		payer = own_payer_of(whose, how);
		forgive_lag(&payer, &charge, now_ns);
	}
	for (node = whose; was_kept && node->parent; node = node->parent) {
		payer = payer_of(node);
		if (forgive_lag(&payer, &charge, now_ns))
			ioband_node_resort(sched, node, now_ns);
	}
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
			node->leg[leg].tag.start += step;
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
