// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool: all volumes of one share id, and the way of a bio through it.
 *
 * A bio that finds the disk idle enough passes: one atomic increment in map, one
 * decrement in end_io, no lock. So does a bio of the one group that uses the
 * disk, however many it sends. As soon as a second group wants more than fits,
 * the pool is contended: each bio takes the lock and a turn (ioband-core.c), and
 * a completion lets the next one go. When nothing had to be held for a while,
 * the pool goes back to passing.
 */
#include <linux/iocontext.h>
#include <linux/ioprio.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "dm-ioband.h"

#define CREATE_TRACE_POINTS
#include "dm-ioband-trace.h"

enum {
	/*
	 * Depth where nothing is known about the disk. More than the slots of
	 * a slow disk, less than what a busy group has outstanding per share.
	 */
	DEPTH_DEFAULT		= 16,

	/*
	 * I/Os that a submitter may send to a stacked device itself. It must
	 * not be put to sleep down there for want of a tag: where it sleeps
	 * it holds nothing back here, and there is nothing to put in order.
	 * Of the disks in use none takes fewer at once than this.
	 */
	DIRECT_STACKED		= 4,

	/* Held bios of a group at which its submitters begin to wait. */
	HELD_DEFAULT		= 1024,
};

/* How long nothing must have been held for contention to be over. */
#define CALM_NS		((s64)(100 * NSEC_PER_MSEC))

/* Guards which pools, volumes, targets and groups exist, and their settings. */
DEFINE_MUTEX(ioband_mutex);

static LIST_HEAD(pools);	/* guarded by ioband_mutex */

/* What the queue right below takes without putting the submitter to sleep. */
static u32 iot_direct(const struct ioband_target *iot)
{
	struct request_queue *q = bdev_get_queue(iot->dev->bdev);

	return queue_is_mq(q) ? READ_ONCE(q->nr_requests) : DIRECT_STACKED;
}

/* Time outstanding, the way the block layer keeps a disk's io_ticks. */
static void iog_busy(struct ioband_group *group, bool end)
{
	unsigned long now = jiffies;
	unsigned long stamp = READ_ONCE(group->busy_stamp_jiffies);

	if (stamp != now &&
	    cmpxchg(&group->busy_stamp_jiffies, stamp, now) == stamp)
		WRITE_ONCE(group->busy_jiffies,
			   group->busy_jiffies + (end ? now - stamp : 1));
}

static void iob_issue(struct ioband_bio *iob)
{
	struct ioband_group *group = iob->group;

	this_cpu_inc(group->stats->issued_ios[iob->is_write]);
	this_cpu_add(group->stats->issued_sectors[iob->is_write],
		     iob->data_sectors);
	iog_busy(group, false);
}

static int iob_pass(struct ioband_bio *iob)
{
	iob_issue(iob);
	trace_ioband_pass(iob, 0);
	return DM_MAPIO_REMAPPED;
}

/* A worker will send the bio down: let the submitter's priority go with it. */
static void iob_keep_ioprio(struct bio *bio)
{
	struct io_context *ioc = current->io_context;

	if (IOPRIO_PRIO_CLASS(bio->bi_ioprio) != IOPRIO_CLASS_NONE)
		return;
	if (ioc && IOPRIO_PRIO_CLASS(ioc->ioprio) != IOPRIO_CLASS_NONE)
		bio->bi_ioprio = ioc->ioprio;
	else
		bio->bi_ioprio = IOPRIO_PRIO_VALUE(task_nice_ioclass(current),
						   task_nice_ioprio(current));
}

static void iop_release_work(struct work_struct *work)
{
	struct ioband_bio *iob = container_of(work, struct ioband_bio, work);
	struct bio *bio = iob_to_bio(iob), *next;
	struct blk_plug plug;

	blk_start_plug(&plug);
	for (; bio; bio = next) {
		next = bio->bi_next;
		bio->bi_next = NULL;
		/* Copies the original's cgroup, wherever we run. */
		dm_submit_bio_remap(bio, NULL);
	}
	blk_finish_plug(&plug);
}

/*
 * Send a chain of bios down from a worker. The first one's work item does it,
 * so no two releases wait for each other: where one is put to sleep by a full
 * queue below, the workqueue starts another worker for the next.
 */
static void iop_release(struct ioband_pool *pool, struct bio_list *bios)
{
	struct ioband_bio *first;

	if (bio_list_empty(bios))
		return;
	first = iob_from_bio(bios->head);
	INIT_WORK(&first->work, iop_release_work);
	queue_work(pool->wq, &first->work);
}

/*
 * Take the bios whose turn it is. @self, just held by its own submitter, is left
 * out and returned by %true if it may go down right there.
 */
static bool iop_pump(struct ioband_pool *pool, struct ioband_bio *self,
		     u64 now_ns, struct bio_list *bios)
{
	struct ioband_io *io;
	bool direct = false;

	lockdep_assert_held(&pool->lock);

	while ((io = ioband_next(&pool->sched,
				 atomic_read(&pool->in_flight)))) {
		struct ioband_bio *iob = iob_from_io(io);
		struct ioband_group *group = iob->group;
		u32 in_flight = atomic_inc_return(&pool->in_flight);

		iob_issue(iob);
		trace_ioband_dispatch(iob, now_ns - iob->start_ns);
		/* The atomic is the barrier between held and the wait queue. */
		if (waitqueue_active(&group->wait) &&
		    group->queue.held < pool->held_max)
			wake_up_all(&group->wait);
		if (iob == self && in_flight <= iot_direct(iob->target)) {
			direct = true;
			continue;
		}
		if (iob != self) {
			this_cpu_inc(group->stats->held_ios);
			this_cpu_add(group->stats->held_ns,
				     now_ns - iob->start_ns);
		}
		bio_list_add(bios, iob_to_bio(iob));
	}
	return direct;
}

static u64 iog_ios_in_flight(const struct ioband_group *group,
			     const struct ioband_stats *sum)
{
	return sum->issued_ios[READ] + sum->issued_ios[WRITE] -
	       sum->done_ios[READ] - sum->done_ios[WRITE];
}

static void iog_join(struct ioband_pool *pool, struct ioband_group *group)
{
	struct ioband_stats sum;

	if (ioband_queue_joined(&pool->sched, &group->queue))
		return;
	iog_sum(group, &sum);
	ioband_queue_join(&pool->sched, &group->queue,
			  iog_ios_in_flight(group, &sum),
			  sum.issued_sectors[READ] + sum.issued_sectors[WRITE] -
			  sum.done_sectors[READ] - sum.done_sectors[WRITE]);
}

/*
 * Whether @group has the disk to itself: then there is nobody to share with, and
 * it may send down all it has.
 */
static bool iop_own(struct ioband_pool *pool, struct ioband_group *group)
{
	struct ioband_stats sum;

	lockdep_assert_held(&pool->lock);

	if (pool->owner && pool->owner != group) {
		iog_sum(pool->owner, &sum);
		if (iog_ios_in_flight(pool->owner, &sum))
			return false;
	}
	WRITE_ONCE(pool->owner, group);
	return true;
}

static void iop_update_depth(struct ioband_pool *pool)
{
	struct ioband_target *iot;
	u32 tags = 0, depth = DEPTH_DEFAULT;
	bool stacked = false;

	lockdep_assert_held(&pool->lock);

	list_for_each_entry(iot, &pool->targets, list) {
		tags = max(tags, iot_direct(iot));
		if (!queue_is_mq(bdev_get_queue(iot->dev->bdev)))
			stacked = true;
	}
	pool->depth_reason = "default";
	if (!stacked && tags < depth) {
		/* One more waits for a tag, so that none is ever free. */
		depth = tags + 1;
		pool->depth_reason = "tags";
	}
	if (pool->io_throttle) {
		depth = pool->io_throttle;
		pool->depth_reason = "io_throttle";
	}
	if (pool->io_limit && pool->io_limit < depth) {
		depth = pool->io_limit;
		pool->depth_reason = "io_limit";
	}
	pool->sched.depth = depth;
	pool->held_max = pool->io_limit ?: HELD_DEFAULT;
}

static void iop_contend(struct ioband_pool *pool, u64 now_ns)
{
	lockdep_assert_held(&pool->lock);

	/* The lower queue may have been given another scheduler meanwhile. */
	iop_update_depth(pool);
	ioband_sched_restart(&pool->sched);
	pool->last_held_ns = now_ns;
	WRITE_ONCE(pool->contended, true);
	/*
	 * Pairs with the full barrier of atomic_dec_return() in iop_complete():
	 * either that one sees us contended and takes the lock, or we see its
	 * slot free.
	 */
	smp_mb();
}

/* Whether the submitter shall wait for its group's queue here to get shorter. */
static bool iog_is_full(struct ioband_pool *pool, struct ioband_group *group)
{
	return READ_ONCE(group->queue.held) >= READ_ONCE(pool->held_max);
}

static bool iob_hold(struct ioband_pool *pool, struct ioband_bio *iob,
		     u64 now_ns, struct bio_list *bios)
{
	struct bio *bio = iob_to_bio(iob);

	lockdep_assert_held(&pool->lock);

	iob_keep_ioprio(bio);
	ioband_hold(&pool->sched, &iob->group->queue, &iob->io);
	if (iop_pump(pool, iob, now_ns, bios))
		return false;

	/* The submitter goes on; nobody polls a bio that is not at the disk. */
	bio->bi_opf &= ~REQ_NOWAIT;
	bio_clear_polled(bio);
	pool->last_held_ns = now_ns;
	trace_ioband_hold(iob, 0);
	return true;
}

static noinline int iop_submit_contended(struct ioband_pool *pool,
					 struct ioband_bio *iob, bool urgent)
{
	struct bio_list bios = BIO_EMPTY_LIST;
	struct ioband_group *group = iob->group;
	unsigned long flags;
	int r;

retry:
	spin_lock_irqsave(&pool->lock, flags);
	if (group->detached) {
		/* It went between classification and here. */
		iob_move(iob, group->volume->default_group);
		group = iob->group;
	}
	if (pool->contended && !pool->sched.held &&
	    (s64)(iob->start_ns - pool->last_held_ns) > CALM_NS) {
		WRITE_ONCE(pool->contended, false);
		WRITE_ONCE(pool->owner, NULL);
	}
	if (!pool->contended) {
		if (iop_own(pool, group)) {
			atomic_inc(&pool->in_flight);
			r = iob_pass(iob);
			goto unlock;
		}
		iop_contend(pool, iob->start_ns);
	}

	iog_join(pool, group);
	if (urgent) {
		this_cpu_inc(group->stats->urgent_ios);
		ioband_charge(&pool->sched, &group->queue, &iob->io);
		atomic_inc(&pool->in_flight);
		r = iob_pass(iob);
		goto unlock;
	}
	if (iob->target->push_back) {
		r = DM_MAPIO_REQUEUE;
		goto unlock;
	}
	if (iog_is_full(pool, group) && !(current->flags & PF_KTHREAD)) {
		r = -EAGAIN;
		goto unlock;
	}
	r = iob_hold(pool, iob, iob->start_ns, &bios) ?
	    DM_MAPIO_SUBMITTED : DM_MAPIO_REMAPPED;
unlock:
	spin_unlock_irqrestore(&pool->lock, flags);

	if (r == -EAGAIN && !(iob_to_bio(iob)->bi_opf & REQ_NOWAIT)) {
		/* A task that is killed here is dying: its bios go at once. */
		if (wait_event_killable(group->wait,
					!iog_is_full(pool, group) ||
					READ_ONCE(group->detached) ||
					READ_ONCE(iob->target->push_back)))
			urgent = true;
		goto retry;
	}
	iop_release(pool, &bios);
	return r;
}

/**
 * iop_submit - let a bio pass, or hold it
 * @pool: the pool
 * @iob: the bio, remapped, with a reference on its group
 * @urgent: it must not be held; its group is charged for it
 *
 * Context: a submitter's. May sleep if the group has io_limit bios held, but
 * only a user task that has not set REQ_NOWAIT.
 * Return: a DM_MAPIO_ value, or -EAGAIN where sleeping was called for and not
 * allowed.
 */
int iop_submit(struct ioband_pool *pool, struct ioband_bio *iob, bool urgent)
{
	if (likely(!READ_ONCE(pool->contended))) {
		if (likely(atomic_inc_return(&pool->in_flight) <=
			   iot_direct(iob->target) ||
			   READ_ONCE(pool->owner) == iob->group))
			return iob_pass(iob);
		atomic_dec(&pool->in_flight);
	}
	return iop_submit_contended(pool, iob, urgent);
}

/**
 * iop_complete - account for a bio the disk is done with
 * @pool: the pool
 * @iob: a bio that was issued; its group reference is dropped
 *
 * Context: any, hard interrupts included.
 */
void iop_complete(struct ioband_pool *pool, struct ioband_bio *iob)
{
	struct bio_list bios = BIO_EMPTY_LIST;
	struct ioband_group *group = iob->group;
	u64 now_ns = ktime_get_ns();
	unsigned long flags;

	this_cpu_inc(group->stats->done_ios[iob->is_write]);
	this_cpu_add(group->stats->done_sectors[iob->is_write],
		     iob->data_sectors);
	this_cpu_add(group->stats->done_ns[iob->is_write],
		     now_ns - iob->start_ns);
	iog_busy(group, true);
	percpu_ref_put(&group->ref);

	/* A full barrier: pairs with iop_contend(). */
	atomic_dec_return(&pool->in_flight);
	if (likely(!READ_ONCE(pool->contended)))
		return;

	spin_lock_irqsave(&pool->lock, flags);
	iop_pump(pool, NULL, now_ns, &bios);
	spin_unlock_irqrestore(&pool->lock, flags);
	iop_release(pool, &bios);
}

static void iog_push_back(struct ioband_pool *pool, struct ioband_group *group,
			  struct ioband_target *iot, struct bio_list *bios)
{
	struct ioband_io *io, *next;

	spin_lock_irq(&pool->lock);
	list_for_each_entry_safe(io, next, &group->queue.fifo, link) {
		struct ioband_bio *iob = iob_from_io(io);

		if (iob->target != iot)
			continue;
		ioband_unhold(&pool->sched, &group->queue, io);
		iob->group = NULL;
		percpu_ref_put(&group->ref);
		bio_list_add(bios, iob_to_bio(iob));
	}
	spin_unlock_irq(&pool->lock);
	wake_up_all(&group->wait);
}

/**
 * iop_push_back - hand the held bios of a target back to dm, to be requeued
 * @pool: the pool
 * @iot: the target; from now on it holds no bio until its push_back is cleared
 *
 * Context: process; dm is in a noflush suspend of the target.
 */
void iop_push_back(struct ioband_pool *pool, struct ioband_target *iot)
{
	struct ioband_volume *volume = iot->volume;
	struct bio_list bios = BIO_EMPTY_LIST;
	struct ioband_group *group;
	struct bio *bio;
	unsigned long id;

	spin_lock_irq(&pool->lock);
	iot->push_back = true;
	spin_unlock_irq(&pool->lock);

	mutex_lock(&ioband_mutex);
	iog_push_back(pool, volume->default_group, iot, &bios);
	xa_for_each(&volume->groups, id, group)
		iog_push_back(pool, group, iot, &bios);
	mutex_unlock(&ioband_mutex);

	while ((bio = bio_list_pop(&bios))) {
		bio->bi_status = BLK_STS_DM_REQUEUE;
		bio_endio(bio);
	}
}

/**
 * iog_rehome - move what a group holds to another
 * @pool: the pool of both
 * @from: a group that is being detached
 * @to: a group of the same volume
 *
 * Context: process.
 */
void iog_rehome(struct ioband_pool *pool, struct ioband_group *from,
		struct ioband_group *to)
{
	struct ioband_io *io, *next;

	spin_lock_irq(&pool->lock);
	from->detached = true;
	if (pool->owner == from)
		WRITE_ONCE(pool->owner, NULL);
	if (from->queue.held)
		iog_join(pool, to);
	list_for_each_entry_safe(io, next, &from->queue.fifo, link) {
		ioband_unhold(&pool->sched, &from->queue, io);
		iob_move(iob_from_io(io), to);
		ioband_hold(&pool->sched, &to->queue, io);
	}
	spin_unlock_irq(&pool->lock);
	wake_up_all(&from->wait);
}

/* Work out the depth anew, after a change to targets or settings. */
static void iop_set_depth(struct ioband_pool *pool)
{
	struct bio_list bios = BIO_EMPTY_LIST;

	lockdep_assert_held(&ioband_mutex);

	spin_lock_irq(&pool->lock);
	iop_update_depth(pool);
	iop_pump(pool, NULL, ktime_get_ns(), &bios);
	spin_unlock_irq(&pool->lock);
	iop_release(pool, &bios);
}

/**
 * iop_set_limits - set what bounds the depth
 * @pool: the pool
 * @io_throttle: pins the depth; 0: automatic
 * @io_limit: bounds depth and held I/O; 0: automatic
 *
 * Context: process, ioband_mutex held.
 */
void iop_set_limits(struct ioband_pool *pool, u32 io_throttle, u32 io_limit)
{
	spin_lock_irq(&pool->lock);
	pool->io_throttle = io_throttle;
	pool->io_limit = io_limit;
	spin_unlock_irq(&pool->lock);
	iop_set_depth(pool);
}

/**
 * iop_set_policy - change what an I/O costs
 * @pool: the pool
 * @policy: the new policy; if it is another one, all weights are reset
 * @except: but those of this volume, whose line names the policy; may be %NULL
 *
 * Held bios are charged by the new policy when they go.
 *
 * Context: process, ioband_mutex held.
 */
void iop_set_policy(struct ioband_pool *pool,
		    const struct ioband_policy *policy,
		    const struct ioband_volume *except)
{
	struct ioband_settings settings = { .weight = IOBAND_WEIGHT_DEFAULT };
	struct ioband_volume *volume;
	struct ioband_group *group;
	unsigned long id;

	lockdep_assert_held(&ioband_mutex);

	if (pool->sched.policy == policy)
		return;
	spin_lock_irq(&pool->lock);
	pool->sched.policy = policy;
	spin_unlock_irq(&pool->lock);
	pool->token_base = 0;

	list_for_each_entry(volume, &pool->volumes, list) {
		if (volume == except)
			continue;
		iog_set(volume->default_group, &settings);
		xa_for_each(&volume->groups, id, group)
			iog_set(group, &settings);
	}
}

static struct ioband_pool *iop_create(const struct ioband_table *table)
{
	struct ioband_pool *pool;

	pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	if (!pool)
		return NULL;
	pool->wq = alloc_workqueue("ioband-%s", WQ_MEM_RECLAIM | WQ_HIGHPRI, 0,
				   table->share);
	if (!pool->wq)
		goto free_pool;

	spin_lock_init(&pool->lock);
	INIT_LIST_HEAD(&pool->targets);
	INIT_LIST_HEAD(&pool->volumes);
	strscpy(pool->name, table->share, sizeof(pool->name));
	pool->io_throttle = table->io_throttle;
	pool->io_limit = table->io_limit;
	pool->token_base = table->token_base;
	ioband_sched_init(&pool->sched, table->policy, DEPTH_DEFAULT);
	list_add(&pool->list, &pools);
	return pool;

free_pool:
	kfree(pool);
	return NULL;
}

/**
 * iop_get - find or create the pool of a share id
 * @table: the line that names it; its settings are those of a new pool
 *
 * Context: process, ioband_mutex held.
 * Return: the pool, to be given back by iop_put(), or %NULL without memory.
 */
struct ioband_pool *iop_get(const struct ioband_table *table)
{
	struct ioband_pool *pool;

	lockdep_assert_held(&ioband_mutex);

	list_for_each_entry(pool, &pools, list)
		if (!strcmp(pool->name, table->share))
			goto found;
	pool = iop_create(table);
	if (!pool)
		return NULL;
found:
	pool->nr_users++;
	return pool;
}

/**
 * iop_put - give a pool back
 * @pool: the pool; it goes with its last user
 *
 * Context: process, ioband_mutex held.
 */
void iop_put(struct ioband_pool *pool)
{
	lockdep_assert_held(&ioband_mutex);

	if (--pool->nr_users)
		return;
	list_del(&pool->list);
	destroy_workqueue(pool->wq);
	kfree(pool);
}

/**
 * iop_add_target - let a target take part
 * @pool: the pool
 * @iot: the target, its device open
 *
 * Context: process, ioband_mutex held.
 */
void iop_add_target(struct ioband_pool *pool, struct ioband_target *iot)
{
	spin_lock_irq(&pool->lock);
	list_add_tail(&iot->list, &pool->targets);
	spin_unlock_irq(&pool->lock);
	iop_set_depth(pool);
}

/**
 * iop_del_target - undo iop_add_target()
 * @pool: the pool
 * @iot: the target, with no bio left
 *
 * Context: process, ioband_mutex held.
 */
void iop_del_target(struct ioband_pool *pool, struct ioband_target *iot)
{
	spin_lock_irq(&pool->lock);
	list_del(&iot->list);
	spin_unlock_irq(&pool->lock);
	iop_set_depth(pool);
}
