// SPDX-License-Identifier: GPL-2.0-only
/*
 * What I/O with a target takes at the disk: drivers/md/dm-ioband/squeeze.c, looked at by who
 * pumps instead of by a work item of its own.
 */
#include "sim-pool.h"

/**
 * iob_note_late - note how long the disk took for an I/O of a group with a target
 * @pool: the pool
 * @iob: the I/O
 * @now_ns: current time
 *
 * Return: whether somebody has to look.
 */
bool iob_note_late(struct sim_pool *pool, struct sim_io *iob, u64 now_ns)
{
	struct sim_group *group = iob->group;

	if (!group->node.terms || !group->node.terms->latency_ns)
		return false;
	group->done_ios++;
	if (now_ns - iob->issue_ns <= group->node.terms->latency_ns)
		return false;
	group->late_ios++;
	if (list_empty(&group->late))
		list_add_tail(&group->late, &pool->late);
	return true;
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

	if ((list_empty(&pool->late) && !squeeze->state) ||
	    now_ns - squeeze->looked_ns < IOBAND_SQUEEZE_LOOK_NS)
		return squeeze->state;
	list_for_each_entry_safe(group, next, &pool->late, late) {
		ioband_squeeze_note(&pool->sched, group->node.terms,
				    group->done_ios - group->seen_ios,
				    group->late_ios, now_ns);
		group->seen_ios = group->done_ios;
		group->late_ios = 0;
		if (!group->node.terms->late && !squeeze->state)
			list_del_init(&group->late);
	}
	return ioband_squeeze_tick(&pool->sched, now_ns);
}
