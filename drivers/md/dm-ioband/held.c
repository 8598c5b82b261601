// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is held, counted by group; and how much of it tasks may have at limits.
 *
 * A task that waits for I/O does not die before it has come, and keeps all it has until
 * then: locks, memory, a mount. At a limit that may be hours, and who is killed must not
 * take hours to die, nor may its death be a way past the limit. So a group holds only what
 * its limits let go within a second, each direction by itself. Who has more waits in map,
 * where a signal reaches it. Kernel threads do not wait there, nor does a task in the middle
 * of a transaction of its file system: others wait for those. They are not counted either,
 * or all that is written back would keep the group's tasks out.
 */
#include "ioband.h"

/* How long what is held may take at limits, but for the last of it. */
#define HELD_NS		((u64)NSEC_PER_SEC)

/* Work without bound drops the lock after so many. */
#define LOCKED_BIOS	256

/**
 * iob_has_room - whether a bio may be held, or its submitter shall wait
 * @pool: the pool
 * @iob: the bio, of a task that may wait; its group takes part in this busy period
 * @now_ns: the time
 *
 * Context: any but interrupts, pool->lock held.
 */
bool iob_has_room(struct ioband_pool *pool, const struct ioband_bio *iob, u64 now_ns)
{
	const struct ioband_bound *bound = &iob->group->bound[iob->io.dir];
	u64 due_ns;

	lockdep_assert_held(&pool->lock);

	if (bound->ios >= pool->held_max)
		return false;
	if (!iob->group->is_limited)
		return true;
	due_ns = ioband_due_ns(&pool->sched, &iob->group->node, iob->io.dir, bound->ios,
			       bound->sectors, now_ns);
	return due_ns - now_ns <= HELD_NS;
}

/**
 * iop_let_others - have others get the lock, and the processor, amid work without bound
 * @pool: the pool
 * @nr: how many bios were dealt with under the lock; 0 to begin with
 * @io: one more, or the run of them, that has just been
 *
 * What kernel threads hold may be a million bios, half a microsecond each.
 *
 * Context: process, pool->lock held; dropped and taken again now and then.
 */
void iop_let_others(struct ioband_pool *pool, unsigned int *nr, const struct ioband_io *io)
{
	*nr += 1 + io->merged;
	if (*nr < LOCKED_BIOS)
		return;
	*nr = 0;
	spin_unlock(&pool->lock);
	cond_resched();
	spin_lock(&pool->lock);
}

/**
 * iob_add_held - count a run as held by its group
 * @iob: the first of the run; others may join from now on
 *
 * Context: any but interrupts, pool->lock held.
 */
void iob_add_held(struct ioband_bio *iob)
{
	struct ioband_pool *pool = iob->target->volume->pool;
	struct ioband_group *group = iob->group;

	if (!iog_held(group)) {
		pool->nr_holding++;
		group->went_jiffies = jiffies;
		/* As long as any group holds I/O it has itself queued again. */
		if (!delayed_work_pending(&pool->stall_work))
			queue_delayed_work(pool->wq, &pool->stall_work, IOBAND_LOOK_JIFFIES);
	}
	iob_count_held(iob, 1 + iob->io.merged, iob->io.sectors);
	pool->held_writes += iob->io.dir == IOBAND_WRITE;
	if (iob_may_run(iob))
		group->open = iob;
}

/**
 * iob_drop_held - count a run as no longer held by its group
 * @iob: the first of the run; no more may join
 *
 * Context: any but interrupts, pool->lock held.
 */
void iob_drop_held(struct ioband_bio *iob)
{
	struct ioband_pool *pool = iob->target->volume->pool;
	struct ioband_group *group = iob->group;

	iob_count_held(iob, -(1 + iob->io.merged), -(s64)iob->io.sectors);
	pool->held_writes -= iob->io.dir == IOBAND_WRITE;
	group->went_jiffies = jiffies;
	if (!iog_held(group))
		pool->nr_holding--;
	if (group->open == iob)
		group->open = NULL;
}
