// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduling core of dm-ioband: start-time fair queuing over a short queue.
 *
 * 1. The problem
 *
 * Several groups want more of a disk than it has, and each is to get its part.
 * Nobody knows how much the disk has: it depends on what is read and written,
 * on where, on who else uses it, and it changes while we look. Controllers that
 * hand out I/Os per second must be told the disk's speed. Told too little, they
 * waste it; told too much, every I/O passes unhindered, the disk's own queue
 * fills up, and the disk decides who is served. So this one does not pace. It
 * decides two things only: how many I/Os may be at the disk at once (the depth),
 * and whose turn it is when one of them comes back. Its clock is the disk's own
 * completions. Half the speed is half the completions, and the same shares.
 *
 * 2. Order: start tags
 *
 * SFQ(D): P. Goyal, H. Vin, H. Cheng, "Start-time Fair Queuing", SIGCOMM 1996;
 * W. Jin, J. Chase, J. Kaur, "Interposed Proportional Sharing for a Storage
 * Service Utility", SIGMETRICS 2004.
 *
 * Each group has a virtual time at which its next I/O is due, the start tag. To
 * dispatch an I/O moves its group's tag on by cost / weight: a group of twice
 * the weight gets along its line half as fast, and so twice as often is the one
 * that is furthest behind. The smallest tag goes next. The tag dispatched last is
 * the virtual time of the whole, and a group that comes back from idleness is
 * given at least that, so that nobody saves up while he is away:
 *
 *	tag = max(tag, vtime)		when a queue becomes backlogged
 *	vtime = tag, tag += cost/weight	when its first I/O is dispatched
 *
 * Example, weights A = 2, B = 1, each I/O costs 1, both always have more to do:
 *
 *	tag of A   0   .5   .5   1    1    1.5  2
 *	tag of B   0   0    1    1    2    2    2
 *	goes       A   B    A    B    A    A    B ...	(of equal tags, any)
 *
 * After each 1 of virtual time A has had two I/Os and B one. Let A stop at 2 and
 * return when B has come to 9: A's tag becomes 9, not 2. It gets two of three
 * from there on, and nothing for the time it was gone.
 *
 * Of two groups that both have more to do, neither is ever ahead of the other by
 * more than (depth + 1) times the largest cost per weight of the two together:
 *
 *	|served A / weight A - served B / weight B|
 *		<= (depth + 1) * (cost A / weight A + cost B / weight B)
 *
 * One I/O each may be the wrong side of the virtual time, and as many as the
 * depth may have been sent down since. The tests hold the core to this, and
 * compare it with a slow fluid reference.
 *
 * 3. Depth
 *
 * What has been sent down can no longer be put in order, so as little as keeps
 * the disk busy is sent down. With a depth below the number of I/Os the disk
 * serves at once it idles; with a depth above what a group ever has outstanding
 * divided by its share, that group finds its queue here empty when its turn
 * comes, and its share leaks to the others. Between the two lies a wide range, an
 * order of magnitude on most disks, in which nothing depends on the choice.
 *
 * 4. Busy periods
 *
 * While the disk takes all that comes, there is nothing to decide and the caller
 * does not call. It calls ioband_sched_restart() when contention begins, and tags
 * start afresh. What a group has in flight at that moment is all of its past that
 * still matters (who shall wait for it?), and that is charged when it joins.
 *
 * 5. What may not wait
 *
 * Swap, metadata and journal writes must not wait behind a group's turn, or the
 * whole machine waits with them. The caller sends them at once and tells us by
 * ioband_charge(): the group's tag moves on as if they had been dispatched. It
 * has borrowed, and its other I/O waits until the rest have caught up.
 *
 * 6. Arithmetic
 *
 * One unit of cost at weight 1 is 2^16 of virtual time. A division's remainder
 * is kept for the next, so there is no drift however small the quotient is. The
 * u64 wraps after 150 days in which a disk gives 5 GB/s to a lone group of
 * weight 1, never pausing; tags are compared modulo 2^64.
 */
#include "ioband-core.h"

enum {
	VTIME_SHIFT	= 16,
};

static u64 cost_weight(u64 ios, u64 sectors)
{
	return ios;
}

static u64 cost_weight_iosize(u64 ios, u64 sectors)
{
	return sectors;
}

/* "default" stays a name of its own: 1.14 prints back the word it was given. */
const struct ioband_policy ioband_policies[] = {
	{ "default",		cost_weight },
	{ "weight",		cost_weight },
	{ "weight-iosize",	cost_weight_iosize },
	{ },
};

/**
 * ioband_policy_find - look up a policy
 * @name: word of a table line or message
 *
 * Return: the policy, or %NULL if there is none of that name.
 */
const struct ioband_policy *ioband_policy_find(const char *name)
{
	const struct ioband_policy *policy;

	for (policy = ioband_policies; policy->name; policy++)
		if (!strcmp(policy->name, name))
			return policy;
	return NULL;
}

static struct ioband_queue *first_queue(struct ioband_sched *sched)
{
	struct ioband_heap_node *node = ioband_heap_first(&sched->backlogged);

	return node ? container_of(node, struct ioband_queue, node) : NULL;
}

static void advance(struct ioband_queue *queue, u64 cost)
{
	u64 rest;

	queue->node.key += div64_u64_rem((cost << VTIME_SHIFT) + queue->rest,
					 queue->weight, &rest);
	queue->rest = rest;
}

/**
 * ioband_sched_init - prepare a scheduler
 * @sched: uninitialised memory
 * @policy: what an I/O costs
 * @depth: I/Os that may be in flight, at least 1
 */
void ioband_sched_init(struct ioband_sched *sched,
		       const struct ioband_policy *policy, u32 depth)
{
	memset(sched, 0, sizeof(*sched));
	sched->policy = policy;
	sched->depth = depth;
	sched->period = 1;
}

/**
 * ioband_sched_restart - begin a new busy period
 * @sched: a scheduler that holds nothing
 */
void ioband_sched_restart(struct ioband_sched *sched)
{
	sched->vtime = 0;
	sched->period++;
}

/**
 * ioband_sched_set_policy - change what an I/O costs
 * @sched: the scheduler, holding I/O or not
 * @policy: the new policy
 *
 * Tags made of I/Os and tags made of sectors cannot be compared, so all begin
 * again at the virtual time.
 */
void ioband_sched_set_policy(struct ioband_sched *sched,
			     const struct ioband_policy *policy)
{
	struct ioband_heap backlogged = { };
	struct ioband_queue *queue;

	sched->policy = policy;
	sched->period++;
	while ((queue = first_queue(sched))) {
		ioband_heap_erase(&sched->backlogged, &queue->node);
		queue->node.key = sched->vtime;
		queue->rest = 0;
		queue->period = sched->period;
		ioband_heap_insert(&backlogged, &queue->node);
	}
	sched->backlogged = backlogged;
}

/**
 * ioband_queue_init - prepare the queue of a group
 * @queue: uninitialised memory
 * @weight: %IOBAND_WEIGHT_MIN to %IOBAND_WEIGHT_MAX
 */
void ioband_queue_init(struct ioband_queue *queue, u32 weight)
{
	memset(queue, 0, sizeof(*queue));
	INIT_LIST_HEAD(&queue->fifo);
	queue->weight = weight;
}

/**
 * ioband_queue_set_weight - change the weight of a queue
 * @sched: the scheduler
 * @queue: the queue, backlogged or not
 * @weight: %IOBAND_WEIGHT_MIN to %IOBAND_WEIGHT_MAX
 *
 * What the queue is ahead of the virtual time was made at the old weight. It is
 * worth the same I/O at the new one, or a group that is raised from 1 to 10000
 * would still wait out its last I/O's step of ten thousand.
 */
void ioband_queue_set_weight(struct ioband_sched *sched,
			     struct ioband_queue *queue, u32 weight)
{
	u64 ahead = queue->node.key - sched->vtime;
	u64 rest = 0;

	if (queue->held)
		ioband_heap_erase(&sched->backlogged, &queue->node);
	/* Times the old weight, this is cost: it cannot overflow. */
	if (ioband_queue_joined(sched, queue) && (s64)ahead >= 0)
		queue->node.key = sched->vtime +
			div64_u64_rem(ahead * queue->weight + queue->rest,
				      weight, &rest);
	queue->weight = weight;
	queue->rest = rest;
	if (queue->held)
		ioband_heap_insert(&sched->backlogged, &queue->node);
}

/**
 * ioband_queue_join - bring a queue into the current busy period
 * @sched: the scheduler
 * @queue: a queue that holds nothing
 * @ios_in_flight: I/Os of the group that the disk has not completed yet
 * @sectors_in_flight: their size
 *
 * What is in flight counts as dispatched in this period: a group that has filled
 * the disk's queue before the others came lets them go first for as much.
 */
void ioband_queue_join(struct ioband_sched *sched, struct ioband_queue *queue,
		       u64 ios_in_flight, u64 sectors_in_flight)
{
	queue->period = sched->period;
	queue->node.key = sched->vtime;
	queue->rest = 0;
	advance(queue, sched->policy->cost(ios_in_flight, sectors_in_flight));
}

/**
 * ioband_hold - queue an I/O until its turn comes
 * @sched: the scheduler
 * @queue: queue of the I/O's group, joined
 * @io: the I/O; it belongs to the core until ioband_next() or ioband_unhold()
 *	gives it back
 */
void ioband_hold(struct ioband_sched *sched, struct ioband_queue *queue,
		 struct ioband_io *io)
{
	list_add_tail(&io->link, &queue->fifo);
	sched->held++;
	if (queue->held++)
		return;

	if (ioband_before(queue->node.key, sched->vtime))
		queue->node.key = sched->vtime;
	ioband_heap_insert(&sched->backlogged, &queue->node);
}

/**
 * ioband_charge - account for an I/O that did not wait for its turn
 * @sched: the scheduler
 * @queue: queue of the I/O's group, joined
 * @io: the I/O; stays the caller's
 */
void ioband_charge(struct ioband_sched *sched, struct ioband_queue *queue,
		   const struct ioband_io *io)
{
	if (queue->held)
		ioband_heap_erase(&sched->backlogged, &queue->node);
	else if (ioband_before(queue->node.key, sched->vtime))
		queue->node.key = sched->vtime;

	advance(queue, sched->policy->cost(1, io->sectors));

	if (queue->held)
		ioband_heap_insert(&sched->backlogged, &queue->node);
}

/**
 * ioband_next - take out the I/O whose turn it is
 * @sched: the scheduler
 * @in_flight: I/Os at the disk now
 *
 * To be called whenever something is held and something completes, until it
 * returns %NULL.
 *
 * Return: an I/O to send down now, or %NULL if nothing is held or the depth is
 * reached.
 */
struct ioband_io *ioband_next(struct ioband_sched *sched, u32 in_flight)
{
	struct ioband_queue *queue = first_queue(sched);
	struct ioband_io *io;

	if (!queue || in_flight >= sched->depth)
		return NULL;

	io = list_first_entry(&queue->fifo, struct ioband_io, link);
	list_del_init(&io->link);
	queue->held--;
	sched->held--;

	ioband_heap_erase(&sched->backlogged, &queue->node);
	sched->vtime = queue->node.key;
	advance(queue, sched->policy->cost(1, io->sectors));
	if (queue->held)
		ioband_heap_insert(&sched->backlogged, &queue->node);
	return io;
}

/**
 * ioband_unhold - take a held I/O back, uncharged
 * @sched: the scheduler
 * @queue: the queue that holds it
 * @io: the I/O
 */
void ioband_unhold(struct ioband_sched *sched, struct ioband_queue *queue,
		   struct ioband_io *io)
{
	list_del_init(&io->link);
	sched->held--;
	if (!--queue->held)
		ioband_heap_erase(&sched->backlogged, &queue->node);
}
