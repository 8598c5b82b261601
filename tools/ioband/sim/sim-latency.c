// SPDX-License-Identifier: GPL-2.0-only
/*
 * What I/O with a target takes at the disk: drivers/md/dm-ioband/latency.c, looked at by who
 * pumps instead of by a work item of its own.
 */
#include "sim-pool.h"

/**
 * iob_note_latency - note how long the disk took for an I/O of a group with a target
 * @pool: the pool
 * @iob: the I/O
 * @now_ns: current time
 *
 * Return: whether somebody has to look.
 */
bool iob_note_latency(struct sim_pool *pool, struct sim_io *iob, u64 now_ns)
{
	struct sim_group *group = iob->group;
	const struct ioband_terms *terms = group->node.terms;
	bool is_late = terms && terms->latency_ns &&
		       now_ns - iob->issue_ns > terms->latency_ns;

	if (is_late && list_empty(&group->late))
		list_add_tail(&group->late, &pool->late);
	if (list_empty(&group->late))
		return false;
	group->timed_ios++;
	group->late_ios += is_late;
	return is_late;
}

/**
 * iop_tick_squeeze - slow down writes, or let go, if it is time to look
 * @pool: the pool
 * @now_ns: current time
 *
 * Return: whether all I/O has to take turns.
 */
bool iop_tick_squeeze(struct sim_pool *pool, u64 now_ns)
{
	struct ioband_squeeze *squeeze = &pool->sched.squeeze;
	struct sim_group *group, *next;

	if ((list_empty(&pool->late) && !squeeze->is_on) ||
	    now_ns - squeeze->looked_ns < IOBAND_SQUEEZE_TICK_NS)
		return squeeze->is_on;
	list_for_each_entry_safe(group, next, &pool->late, late) {
		bool rests = !group->timed_ios && !group->held && !group->in_flight;

		if (rests)
			ioband_squeeze_rest(group->node.terms);
		else
			ioband_squeeze_note(&pool->sched, group->node.terms, group->timed_ios,
					    group->late_ios, now_ns);
		group->timed_ios = 0;
		group->late_ios = 0;
		if ((rests || !group->node.terms->late) && !squeeze->is_on)
			list_del_init(&group->late);
	}
	ioband_squeeze_tick(&pool->sched, now_ns);
	iop_update_depth(pool);
	return squeeze->is_on;
}
