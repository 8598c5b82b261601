// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may go next: hierarchical SFQ as its paper has it, level by level. Of those
 * with I/O the best class, of that the smallest tag; tags move on by cost / weight
 * and begin no earlier than virtual time. Each event may change just these tags,
 * and by just that much; from then on the core's own count, so that one unit is
 * all that rounding may do. Does not judge runs with limits, promises or grants.
 */
#include "torture.h"

/* Of virtual time, at most: a division's remainder. */
#define ONE	1.0L

static u64 tag_of(unsigned int entity)
{
	const struct ioband_node *node = &node_of(entity)->node;

	return is_own(entity) ? node->plain.own.start[IOBAND_READ] :
				node->plain.tag.start[IOBAND_READ];
}

static bool judges(void)
{
	return !sim.limits && !sim.minimums && !sim.latencies && !sim.grants;
}

void order_snapshot(void)
{
	unsigned int e;

	for_each_entity(e) {
		struct sim_node *node = node_of(e);

		if (!node->in_tree)
			continue;
		sim.entities[e].start = tag_of(e);
		memcpy(sim.vtimes[index_of(node)], core_of(node)->plain.vtime,
		       sizeof(sim.vtimes[0]));
	}
}

static u64 vtime_before(unsigned int entity)
{
	return sim.vtimes[index_of(parent_of(entity))][class_of(entity)].now[IOBAND_READ];
}

static bool has_children(const struct sim_node *node)
{
	return !list_empty(&node->node.children);
}

/* Whether an entity is on the way from @node to the root, both included. */
static bool on_path(unsigned int entity, const struct sim_node *node)
{
	if (is_own(entity))
		return node_of(entity) == node;
	for (; node; node = node->parent)
		if (node == node_of(entity))
			return true;
	return false;
}

static void must_be(unsigned int entity, long double expected)
{
	must(fabsl((long double)tag_of(entity) - expected) <= ONE,
	     "tag of %u is %llu, not %Lf", entity,
	     (unsigned long long)tag_of(entity), expected);
}

static long double not_before_vtime(unsigned int entity)
{
	return fmaxl(sim.entities[entity].start, vtime_before(entity));
}

static void vtimes_must_stay(const struct sim_node *but)
{
	unsigned int n;

	for (n = 0; n < NODES; n++)
		must(!sim.nodes[n].in_tree ||
		     (but && on_path(n, but)) ||
		     !memcmp(sim.vtimes[n], core_of(&sim.nodes[n])->plain.vtime,
			     sizeof(sim.vtimes[n])),
		     "virtual time of %u has moved", n);
}

/* Whoever had nothing begins at virtual time, nobody else notices. */
void order_held(struct sim_node *node, u32 held_before)
{
	unsigned int e;

	if (!judges())
		return;
	vtimes_must_stay(NULL);
	for_each_entity(e) {
		bool came;

		if (!exists(e))
			continue;
		came = on_path(e, node) &&
		       (is_own(e) ? !held_before : held_of(e) == 1);
		must_be(e, came ? not_before_vtime(e) : sim.entities[e].start);
	}
}

static long double step(unsigned int entity, const struct sim_io *io)
{
	return cost_of(io) * 65536 / weight_of(entity);
}

/* An I/O has been sent: at each level it was the turn of who is on its way. */
void order_sent(const struct sim_io *io)
{
	unsigned int e, f;

	if (!judges())
		return;
	for_each_entity(e) {
		u64 tag = sim.entities[e].start;

		if (!exists(e))
			continue;
		if (!on_path(e, io->node)) {
			must_be(e, tag);
			continue;
		}
		/* Without children a node has nobody to share with. */
		if (is_own(e) && !has_children(io->node))
			continue;
		for_each_child(f, parent_of(e)) {
			if (f == e || !held_of(f))
				continue;
			must(class_of(e) <= class_of(f),
			     "%u goes before %u of a better class", e, f);
			must(class_of(e) < class_of(f) ||
			     tag <= sim.entities[f].start,
			     "%u goes with tag %llu, %u has %llu", e,
			     (unsigned long long)tag, f,
			     (unsigned long long)sim.entities[f].start);
		}
		must_be(e, not_before_vtime(e) + step(e, io));
		must(core_of(parent_of(e))->plain.vtime[class_of(e)].now[IOBAND_READ] ==
		     not_before_vtime(e), "virtual time is not the last tag");
	}
	vtimes_must_stay(io->node);
}

void order_charged(const struct sim_io *io)
{
	unsigned int e;

	if (!judges())
		return;
	vtimes_must_stay(NULL);
	for_each_entity(e) {
		if (!exists(e) || (is_own(e) && !has_children(node_of(e))))
			continue;
		must_be(e, on_path(e, io->node) ?
			   not_before_vtime(e) + step(e, io) :
			   sim.entities[e].start);
	}
}

/* What it is ahead of the others is the same I/O at another weight. */
void order_weighed(struct sim_node *node, u32 old_weight)
{
	long double vtime = vtime_before(index_of(node));
	long double ahead = sim.entities[index_of(node)].start - vtime;
	unsigned int e;

	if (!judges() || !ioband_node_joined(&sim.sched, &node->node))
		return;
	vtimes_must_stay(NULL);
	for_each_entity(e) {
		long double tag = sim.entities[e].start;

		if (!exists(e))
			continue;
		/* One unit at the old weight is more than one at a lower. */
		if (e == index_of(node) && ahead >= 0)
			must(fabsl(tag_of(e) - vtime -
				   ahead * old_weight / node->weight) <=
			     ONE + (long double)old_weight / node->weight,
			     "%u: not what it was ahead at the old weight", e);
		else
			must_be(e, tag);
	}
}
