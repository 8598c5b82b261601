// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tasks have left behind that were killed.
 *
 * A task that waits for I/O does not die before it has come, and keeps all it has until
 * then: locks, memory, a mount. At a limit that may be hours. Nobody is told of its death,
 * so look once a second at what is held at limits, and send what is of the dead.
 */
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include "ioband.h"
#include "stats.h"

enum {
	/* So much of a group's dying tasks does not wait for turns or limits. */
	DYING_PER_SECOND	= 64,
	/* Looks at a time, and in a second. */
	BATCH_BIOS	= 64,
	ROUND_BIOS	= 4096,
};

/**
 * iog_may_die - whether an I/O of a dying task may go at once
 * @group: the group of the I/O, which then is counted
 *
 * Some may, to get it over with; but one can die in the middle of a request for
 * gigabytes, and many can.
 *
 * Context: any but interrupts, the pool's lock held.
 */
bool iog_may_die(struct ioband_group *group)
{
	unsigned long now = jiffies;

	if (time_after_eq(now, group->dying_jiffies + HZ)) {
		group->dying_jiffies = now;
		group->nr_dying = 0;
	}
	return group->nr_dying++ < DYING_PER_SECOND;
}

/* Whether a task is dying or gone. If another has its number by now, that is no harm. */
static bool is_dying(pid_t pid)
{
	struct task_struct *task;
	bool dying;

	rcu_read_lock();
	task = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	dying = !task || READ_ONCE(task->flags) & PF_EXITING || fatal_signal_pending(task);
	rcu_read_unlock();
	return dying;
}

static void iob_look(struct ioband_pool *pool, struct ioband_bio *iob, u64 now_ns)
{
	struct ioband_group *group = iob->group;
	wait_queue_head_t *wait = &group->wait[iob->io.dir];

	lockdep_assert_held(&pool->lock);

	/* Then it is the others' turn, however many there are. */
	list_move_tail(&iob->watched, &pool->watched);
	if (!is_dying(iob->pid) || !iog_may_die(group))
		return;
	waits_add(&group->waits.urgent_ios, 1);
	iob_let_go(pool, iob, now_ns);
	wake_up(wait);
}

/* Look at the next few of @left bios; return how many are left then. */
static unsigned int iop_look(struct ioband_pool *pool, unsigned int left)
{
	unsigned int batch;
	u64 now_ns;

	spin_lock(&pool->lock);
	now_ns = ktime_get_ns();
	left = min(left, pool->nr_watched);
	batch = min_t(unsigned int, left, BATCH_BIOS);
	left -= batch;
	while (batch--)
		iob_look(pool, list_first_entry(&pool->watched, struct ioband_bio, watched),
			 now_ns);
	spin_unlock(&pool->lock);
	return left;
}

/**
 * iop_watch_work - look for tasks that are dying
 * @work: the pool's watch_work
 *
 * Context: process.
 */
void iop_watch_work(struct work_struct *work)
{
	struct ioband_pool *pool = container_of(to_delayed_work(work),
						struct ioband_pool, watch_work);
	unsigned int left = ROUND_BIOS;

	while ((left = iop_look(pool, left)))
		cond_resched();
	spin_lock(&pool->lock);
	if (pool->nr_watched)
		queue_delayed_work(pool->wq, &pool->watch_work, HZ);
	spin_unlock(&pool->lock);
}
