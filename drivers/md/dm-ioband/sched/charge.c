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
#include "private.h"

/* A busy period ends when virtual time has come this far, well before it wraps. */
#define VTIME_MAX	((u64)1 << 62)

/*
 * How many of its own I/Os a group may be ahead of the rest for what it got without
 * a turn. At one of several legs it may also be behind, for what it missed at others,
 * by as many I/Os of whichever sibling takes the longest steps there.
 *
 * A leg that is done with all it has at once gets as many turns at once, and between
 * two such times the other legs have theirs. That must count, so it is no less than
 * what all legs have at a time; but no more than a product with a cost can hold.
 */
#define LEAD_IOS	16
#define LEAD_IOS_MAX	256

/* Means and maxima of recent I/Os reach back about this many. */
#define RECENT_IOS	64

/* An I/O that is dispatched */
struct charge {
	const struct ioband_io *io;	/* the I/O */
	enum ioband_how how;
	u64 cost;		/* its cost */
	/*
	 * Without a turn it puts its group ahead by @lead_ios times this at most: @cost, or
	 * if there are several legs the recent mean where that is more
	 */
	u64 lead_cost;
	u32 lead_ios;	/* %LEAD_IOS, or if there are several legs what they have at a time */
	bool is_limited;	/* limits above make what goes one way lag, maybe */
};

static u64 lead_of(const struct charge *charge, u32 weight)
{
	u64 left;

	return div64_u64_rem(charge->lead_cost * charge->lead_ios << IOBAND_VTIME_SHIFT,
			     weight, &left);
}

/* Whether leg @nr is charged in full, or only up to the lead. */
static bool counts_in_full(const struct charge *charge, unsigned int nr, bool by_tag)
{
	return charge->how == IOBAND_AS_DEBT ||
	       (nr == charge->io->leg && (by_tag || charge->how != IOBAND_OUT_OF_TURN));
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

static void move_within(struct ioband_tag *tag, const struct ioband_vtime *time, u64 step,
			u64 lead)
{
	enum ioband_dir dir;

	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++)
		step_within(&tag->start[dir], step, time->now[dir] + lead);
}

/* Keep the longest recent step; it decays with each I/O. */
static void note_stride(u64 *stride, u64 step)
{
	*stride = max(step, *stride - *stride / RECENT_IOS);
}

/*
 * Who is charged: a node among its siblings, or its own I/O among its children, as one
 * more child
 */
struct payer {
	struct ioband_node *above;	/* the node whose children these are */
	enum ioband_class class;	/* their class */
	struct ioband_node *node;	/* the node, or %NULL if it is the own I/O of @above */
	u32 weight;		/* its weight */
	u8 nr_legs;		/* at how many legs it has a place */
	bool is_ready;		/* it has a place now, that of the I/O or another */
};

static struct ioband_tag *tag_of(const struct payer *payer, unsigned int leg)
{
	return payer->node ? &payer->node->leg[leg].tag : &payer->above->leg[leg].own;
}

/*
 * Below a limit virtual time has come to @place of what goes @dir. If nobody who lags
 * waits to go the other way, it has passed there, too.
 */
static void time_passes(struct ioband_leg *leg, enum ioband_class class,
			enum ioband_dir dir, u64 place)
{
	struct ioband_vtime *time = &leg->vtime[class];
	enum ioband_dir back = ioband_dir_back(dir);
	u64 now = ioband_place_back(time, dir, place), first;
	struct ioband_node *child;

	time->now[dir] = place;
	if (!ioband_before(time->now[back], now))
		return;
	if (ioband_first_waiting(leg, class, back, &child, &first) &&
	    ioband_before(first, now))
		ioband_lag_cut(time, back, leg->stride);
	else
		time->now[back] = now;
}

/*
 * Bring tag and virtual time to where they are when an I/O goes by tag, or not. Returns
 * whether the busy period must end. Inline, as is move_tags(): each I/O comes here at each
 * level, and mostly for nothing.
 */
static __always_inline bool begin_charge(const struct payer *payer,
					 const struct charge *charge, bool by_tag)
{
	struct ioband_leg *leg = &payer->above->leg[charge->io->leg];
	struct ioband_tag *tag = tag_of(payer, charge->io->leg);
	struct ioband_vtime *time = &leg->vtime[payer->class];
	enum ioband_dir dir = charge->io->dir;

	/* What waited for a worker alone (@backed_up) is not owed what others had meanwhile. */
	if (!payer->is_ready || (by_tag && !charge->is_limited && payer->nr_legs == 1))
		ioband_tag_raise(tag, time, 0);
	if (by_tag && !ioband_is_behind(tag, time, dir)) {
		if (charge->is_limited)
			time_passes(leg, payer->class, dir, tag->start[dir]);
		else
			memcpy(time->now, tag->start, sizeof(time->now));
	}
	return tag->start[dir] >= VTIME_MAX;
}

/* Both directions have one place: the later. */
static void tag_join(struct ioband_tag *tag, const struct ioband_vtime *time)
{
	u64 write = ioband_place_back(time, IOBAND_READ, tag->start[IOBAND_READ]);

	if (ioband_before(tag->start[IOBAND_WRITE], write))
		tag->start[IOBAND_WRITE] = write;
	tag->start[IOBAND_READ] = ioband_place_back(time, IOBAND_WRITE,
						    tag->start[IOBAND_WRITE]);
}

/*
 * Move the tag of @payer at leg @nr on by @step below a limit. As long as nothing lags it
 * is one place. Where a limit makes all lag that goes the other way, what goes this way
 * leaves the place there alone: the limit is shared by weight among those that want to go
 * that way, whatever else they do. What lags itself moves the other place, but that must
 * not run away while time stands still. A debt is owed in full.
 */
static noinline void move_limited(const struct payer *payer, const struct charge *charge,
				  unsigned int nr, bool in_full, u64 step)
{
	u64 lead = lead_of(charge, payer->weight);
	const struct ioband_vtime *time = &payer->above->leg[nr].vtime[payer->class];
	enum ioband_dir dir = charge->io->dir, back = ioband_dir_back(dir);
	struct ioband_tag *tag = tag_of(payer, nr);
	s64 lag = ioband_lag(time, back);

	if (!lag && in_full && charge->how != IOBAND_AS_DEBT)
		tag_join(tag, time);
	if (in_full)
		tag->start[dir] += step;
	else
		step_within(&tag->start[dir], step, time->now[dir] + lead);
	if (lag > 0)
		return;
	if (charge->how == IOBAND_AS_DEBT)
		tag->start[back] += step;
	else
		step_within(&tag->start[back], step, time->now[back] + lead);
}

/*
 * Move the tags of @payer on at all legs by @step; mostly this is two additions. What it
 * missed at other legs, it is behind for at this one, but not for more than the lead.
 */
static __always_inline void move_tags(const struct payer *payer,
				      const struct charge *charge, bool by_tag,
				      u64 step)
{
	struct ioband_leg *above = payer->above->leg, *leg = &above[charge->io->leg];
	struct ioband_tag *tag;
	bool in_full;
	u8 nr;

	for (nr = 0; nr < payer->nr_legs; nr++) {
		tag = tag_of(payer, nr);
		in_full = counts_in_full(charge, nr, by_tag);
		if (charge->is_limited)
			move_limited(payer, charge, nr, in_full, step);
		else if (in_full)
			ioband_tag_move(tag, step);
		else
			move_within(tag, &above[nr].vtime[payer->class], step,
				    lead_of(charge, payer->weight));
	}
	note_stride(&leg->stride, step);
	if (payer->nr_legs > 1)
		ioband_tag_raise(tag_of(payer, charge->io->leg), &leg->vtime[payer->class],
				 charge->lead_ios * leg->stride);
}

static u64 cost_of(const struct ioband_sched *sched, const struct ioband_node *node,
		   u64 ios, u64 sectors)
{
	return sched->policy->by_time ? ios * node->cost_ns :
	       sched->policy->cost(ios, sectors);
}

/**
 * ioband_count - count an I/O that goes in the totals of all groups
 * @sched: the scheduler
 * @node: its group
 * @io: the I/O
 *
 * Return: what it costs.
 */
u64 ioband_count(struct ioband_sched *sched, const struct ioband_node *node,
		 const struct ioband_io *io)
{
	u64 cost = cost_of(sched, node, 1 + io->merged, io->sectors);

	sched->sent_ios++;
	sched->sent_sectors += io->sectors;
	return cost;
}

/* How far a group may be ahead at several legs, by what all legs have and recent costs. */
static void find_lead(struct ioband_sched *sched, struct charge *charge)
{
	if (sched->root.nr_legs == 1)
		return;
	sched->recent_cost += charge->cost - sched->recent_cost / RECENT_IOS;
	charge->lead_cost = max(charge->cost, sched->recent_cost / RECENT_IOS);
	charge->lead_ios = clamp((u64)sched->depth * sched->root.nr_legs,
				 (u64)LEAD_IOS, (u64)LEAD_IOS_MAX);
}

/* Since when I/O of a node with limits waits, here or below; now if none does. */
static u64 waits_since_ns(const struct ioband_node *node, u64 now_ns)
{
	u64 since_ns = now_ns;
	unsigned int way;

	for (way = 0; way < ioband_nr_ways(node); way++) {
		u64 waits_ns = node->terms->waits_ns[ioband_way_dir(way)];

		if (ioband_facet(node, way)->state != IOBAND_FACET_EMPTY &&
		    ioband_before(waits_ns, since_ns))
			since_ns = waits_ns;
	}
	return since_ns;
}

static void node_owe(const struct ioband_node *node, const struct ioband_io *io, u64 now_ns)
{
	ioband_terms_owe(node->terms, io->dir, 1 + io->merged, io->sectors,
			 waits_since_ns(node, now_ns), now_ns);
}

/* What is promised passes the squeeze. What cannot wait passes, and others wait for it. */
static void charge_squeeze(struct ioband_sched *sched, const struct ioband_io *io,
			   enum ioband_how how, u64 now_ns)
{
	struct ioband_terms *terms = sched->root.terms;

	sched->squeeze.sent_sectors += io->sectors;
	if (!terms)
		return;
	if (how == IOBAND_AS_DEBT)
		ioband_terms_owe(terms, io->dir, 1 + io->merged, io->sectors,
				 terms->waits_ns[io->dir], now_ns);
	else
		ioband_terms_charge(terms, io->dir, 1 + io->merged, io->sectors,
				    io->arrival_ns, now_ns);
}

/**
 * ioband_sched_restart - begin a new busy period
 * @sched: a scheduler, holding I/O or not
 *
 * Tags start afresh; limits and minimums are not affected.
 */
void ioband_sched_restart(struct ioband_sched *sched)
{
	ioband_turn_begin(sched);
	ioband_tags_restart(sched);
}

/**
 * ioband_path_charge - charge an I/O to its group and all groups above
 * @sched: the scheduler
 * @node: the I/O's group
 * @io: the I/O, counted, not held any more
 * @cost: what it costs; what the group has not paid yet (grant.c) comes on top
 * @top: the node below which it was chosen by tags, so that virtual time moves on
 *	there, too; %NULL if it was not
 * @how: why it was dispatched
 * @now_ns: the time
 */
void ioband_path_charge(struct ioband_sched *sched, struct ioband_node *node,
			const struct ioband_io *io, u64 cost, const struct ioband_node *top,
			enum ioband_how how, u64 now_ns)
{
	const struct ioband_node *limited = ioband_last_limited(node);
	u32 ios = 1 + io->merged;
	struct charge charge = {
		.io = io, .how = how, .lead_ios = LEAD_IOS, .is_limited = limited,
	};
	bool by_tag = top, is_over = false;
	struct payer payer;

	cost += node->unpaid;
	node->unpaid = 0;
	charge.cost = cost;
	charge.lead_cost = cost;
	find_lead(sched, &charge);
	sched->root.served += cost;
	if (!list_empty(&node->children)) {
		payer = (struct payer) {
			.above = node, .class = IOBAND_BE, .weight = IOBAND_WEIGHT_DEFAULT,
			.nr_legs = node->nr_legs, .is_ready = node->held || how != IOBAND_AS_DEBT,
		};
		is_over = begin_charge(&payer, &charge, by_tag);
		move_tags(&payer, &charge, by_tag,
			  ioband_step(&node->own_rest, cost, IOBAND_WEIGHT_DEFAULT));
	}

	for (; node->parent; node = node->parent) {
		if (node == top)
			by_tag = false;
		if (node == limited)
			charge.is_limited = false;
		payer = (struct payer) {
			.above = node->parent, .class = node->class, .node = node,
			.weight = node->weight, .nr_legs = node->nr_legs, .is_ready = node->ready,
		};
		is_over |= begin_charge(&payer, &charge, by_tag);
		/* If it is its turn by tags, the rest have caught up. */
		if (by_tag || how == IOBAND_AS_DEBT)
			node->is_debtor = how == IOBAND_AS_DEBT;
		node->served += cost;
		move_tags(&payer, &charge, by_tag,
			  ioband_step(&node->rest, cost, node->weight));
		if (node->terms && how == IOBAND_AS_DEBT)
			node_owe(node, io, now_ns);
		else if (node->terms)
			ioband_terms_charge(node->terms, io->dir, ios, io->sectors,
					    io->arrival_ns, now_ns);
		ioband_node_place(sched, node, now_ns);
	}
	if (io->dir == IOBAND_WRITE && how != IOBAND_OUT_OF_TURN)
		charge_squeeze(sched, io, how, now_ns);
	if (is_over)
		ioband_sched_restart(sched);
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
			ioband_tag_move(&node->leg[leg].tag, step);
		ioband_node_rekey(node);
	}
}

/**
 * ioband_charge_limits - charge an uncontended I/O to limits and minimums only
 * @sched: the scheduler
 * @node: the I/O's group
 * @io: the I/O; stays the caller's
 * @is_debt: it goes whether limits let it or not
 * @now_ns: the time
 */
void ioband_charge_limits(struct ioband_sched *sched, struct ioband_node *node,
			  const struct ioband_io *io, bool is_debt, u64 now_ns)
{
	for (; node->parent; node = node->parent) {
		if (!node->terms)
			continue;
		if (is_debt)
			node_owe(node, io, now_ns);
		else
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
 * have caught up, and until their limits have absorbed this one, or for as long as a
 * debt is remembered (terms.c).
 */
void ioband_charge(struct ioband_sched *sched, struct ioband_node *node,
		   const struct ioband_io *io, u64 now_ns)
{
	ioband_path_charge(sched, node, io, ioband_count(sched, node, io), NULL,
			   IOBAND_AS_DEBT, now_ns);
}
