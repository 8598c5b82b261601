// SPDX-License-Identifier: GPL-2.0-only
/*
 * What held I/O waits for. Limits and grace begin and end while it does, so how long they
 * lasted is measured. All else that it waits for goes by one reason, noted as it comes: its
 * group's turn, room, a debt or the squeeze.
 */
#include "private.h"

/* For how long limits of @node and of groups above have held I/O that goes @way. */
static u64 path_parked_ns(const struct ioband_sched *sched, const struct ioband_node *node,
			  unsigned int way, u64 now_ns)
{
	u64 parked_ns = 0;

	for (; sched->has_parked && node->parent; node = node->parent) {
		const struct ioband_facet *facet = ioband_facet(node, way);

		parked_ns += facet->parked_ns;
		if (facet->state == IOBAND_FACET_PARKED)
			parked_ns += now_ns;
	}
	return parked_ns;
}

/*
 * How much a count of time grew while an I/O waited, at most the time it waited: two
 * levels may have been parked at once. If the group has moved it counts another path,
 * and may even be less than before.
 */
static u64 since_arrival_ns(const struct ioband_io *io, u64 count_ns, u64 then_ns, u64 now_ns)
{
	if (ioband_before(count_ns, then_ns))
		return 0;
	return min(count_ns - then_ns, now_ns - io->arrival_ns);
}

/**
 * ioband_waits_end - an I/O is no longer held: turn what was noted into times it waited
 * @sched: the scheduler
 * @node: its group
 * @io: the I/O; its limited_ns and graced_ns are filled in
 * @now_ns: the time
 */
void ioband_waits_end(const struct ioband_sched *sched, const struct ioband_node *node,
		      struct ioband_io *io, u64 now_ns)
{
	io->limited_ns = since_arrival_ns(io, path_parked_ns(sched, node, ioband_way(io), now_ns),
					  io->limited_ns, now_ns);
	io->graced_ns = sched->graced_ns - io->graced_ns;
}

static enum ioband_because why_held(const struct ioband_node *node,
				    const struct ioband_io *io)
{
	for (; node->parent; node = node->parent) {
		if (!ioband_is_ahead(&node->leg[io->leg].tag,
				     ioband_vtime_of(node, io->leg), io->dir))
			continue;
		return node->is_debtor ? IOBAND_BECAUSE_DEBT :
					 IOBAND_BECAUSE_WEIGHT;
	}
	return IOBAND_BECAUSE_DEPTH;
}

/**
 * ioband_waits_begin - an I/O is held from now on: note what for
 * @sched: the scheduler
 * @node: its group
 * @io: the I/O; its because, limited_ns and graced_ns are filled in
 * @is_first: the group held none before
 * @now_ns: the time
 */
void ioband_waits_begin(const struct ioband_sched *sched, const struct ioband_node *node,
			struct ioband_io *io, bool is_first, u64 now_ns)
{
	io->because = sched->root.terms && io->dir == IOBAND_WRITE ?
		      IOBAND_BECAUSE_SQUEEZE :
		      is_first ? why_held(node, io) :
		      node->is_debtor ? IOBAND_BECAUSE_DEBT :
		      IOBAND_BECAUSE_WEIGHT;
	io->limited_ns = path_parked_ns(sched, node, ioband_way(io), now_ns);
	io->graced_ns = sched->graced_ns;
}
