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
#include <linux/log2.h>
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
	 * What a stacked device is taken to accept at once before we have seen
	 * it put somebody to sleep. Of the disks in use none takes fewer.
	 */
	TAGS_STACKED_MIN	= 4,

	/* Legs of a stripe that do not wait for each other. */
	LANES_MAX		= 16,

	/* Held bios of a group at which its submitters begin to wait. */
	HELD_DEFAULT		= 1024,
};

/*
 * When one more tag is tried on a stacked device: soon, as long as no worker was
 * put to sleep, and now and then after that.
 */
#define TAGS_GROW_NS	((s64)(5 * NSEC_PER_MSEC))
#define TAGS_TRIAL_NS	((s64)NSEC_PER_SEC)

/* How long nothing must have been held for contention to be over. */
#define CALM_NS		((s64)(100 * NSEC_PER_MSEC))

/* Guards which pools, volumes, targets and groups exist, and their settings. */
DEFINE_MUTEX(ioband_mutex);

static LIST_HEAD(pools);	/* guarded by ioband_mutex */

/*
 * What a submitter may send itself. It must not be put to sleep down there for
 * want of a tag: while it sleeps it sends us nothing, and where all submitters
 * sleep nothing is held that could be put in order.
 */
static u32 iot_direct(const struct ioband_target *iot)
{
	struct request_queue *q = bdev_get_queue(iot->dev->bdev);

	return queue_is_mq(q) ? READ_ONCE(q->nr_requests) : TAGS_STACKED_MIN;
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

static enum ioband_verdict iob_pass(struct ioband_bio *iob)
{
	iob_issue(iob);
	trace_ioband_pass(iob, 0);
	return IOBAND_PASS;
}

static void iop_update_depth(struct ioband_pool *pool)
{
	u32 depth = DEPTH_DEFAULT;

	lockdep_assert_held(&pool->lock);

	pool->depth_reason = "default";
	if (pool->tags < depth) {
		depth = pool->tags;
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

/*
 * What the devices take at once. A request queue says so; of several the one that
 * takes most counts, for a worker that has to wait for another keeps nobody from
 * this one. A stacked device does not, so we begin with little and try more until
 * a worker is put to sleep. To begin with little has another use: submitters may
 * sleep down there since before there was contention, and must get their tags
 * before we send more after them.
 */
static void iop_begin_tags(struct ioband_pool *pool, u64 now_ns)
{
	struct ioband_target *iot;

	lockdep_assert_held(&pool->lock);

	pool->tags = 1;
	pool->tags_grow = false;
	pool->tags_slept = false;
	pool->tags_ns = now_ns;
	list_for_each_entry(iot, &pool->targets, list) {
		pool->tags = max(pool->tags, iot_direct(iot));
		if (!queue_is_mq(bdev_get_queue(iot->dev->bdev)))
			pool->tags_grow = true;
	}
	iop_update_depth(pool);
}

static void iop_grow_tags(struct ioband_pool *pool, u64 now_ns)
{
	s64 wait_ns = pool->tags_slept ? TAGS_TRIAL_NS : TAGS_GROW_NS;

	lockdep_assert_held(&pool->lock);

	if (!pool->tags_grow || pool->tags >= DEPTH_DEFAULT ||
	    (s64)(now_ns - pool->tags_ns) <= wait_ns)
		return;
	pool->tags++;
	pool->tags_ns = now_ns;
	iop_update_depth(pool);
}

/*
 * A worker was put to sleep when @below bios were at a stacked device that does
 * not spread its bios over several: that is what it takes.
 */
static void iop_learn_tags(struct ioband_pool *pool, u32 below)
{
	spin_lock(&pool->lock);
	if (below < pool->tags) {
		pool->tags = max_t(u32, below, TAGS_STACKED_MIN);
		pool->tags_slept = true;
		pool->tags_ns = ktime_get_ns();
		iop_update_depth(pool);
	}
	spin_unlock(&pool->lock);
}

/* A bio goes where its leg goes; legs do not wait for each other. */
static struct ioband_lane *iob_lane(struct ioband_bio *iob)
{
	struct ioband_target *iot = iob->target;
	u64 chunk;

	if (iot->nr_lanes == 1)
		return &iot->lanes[0];
	chunk = iob_to_bio(iob)->bi_iter.bi_sector >> iot->chunk_shift;
	return &iot->lanes[do_div(chunk, iot->nr_lanes)];
}

/* Have a worker send a bio down, unless the worker of @here is about to look. */
static void iob_send(struct ioband_pool *pool, struct ioband_bio *iob,
		     const struct ioband_lane *here)
{
	struct ioband_lane *lane = iob_lane(iob);

	lockdep_assert_held(&pool->lock);

	bio_list_add(&lane->bios, iob_to_bio(iob));
	/* While it has some, its work is pending or has not looked yet. */
	if (!lane->nr_bios++ && lane != here)
		queue_work(pool->wq, &lane->work);
}

/*
 * Send down the bios whose turn it is. @self, just held by its own submitter, is
 * left to it if it may go down right there: then this returns %true. @here is the
 * lane that asks, if one does.
 */
static bool iop_pump(struct ioband_pool *pool, struct ioband_bio *self,
		     const struct ioband_lane *here, u64 now_ns)
{
	struct ioband_io *io;
	bool direct = false;

	lockdep_assert_held(&pool->lock);

	iop_grow_tags(pool, now_ns);
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
		if (iob == self) {
			direct = in_flight <= iot_direct(iob->target);
			if (direct)
				continue;
		} else {
			this_cpu_inc(group->stats->held_ios);
			this_cpu_add(group->stats->held_ns,
				     now_ns - iob->start_ns);
		}
		iob_send(pool, iob, here);
	}
	return direct;
}

/*
 * A worker of a lane: choose whose turn it is as long as there is room, and send
 * down what goes this way.
 */
static void iop_lane_work(struct work_struct *work)
{
	struct ioband_lane *lane = container_of(work, struct ioband_lane, work);
	struct ioband_target *iot = lane->target;
	struct ioband_pool *pool = iot->volume->pool;
	unsigned long sleeps;
	struct blk_plug plug;
	struct bio *bio;
	u32 below;

	blk_start_plug(&plug);
	for (;;) {
		spin_lock(&pool->lock);
		iop_pump(pool, NULL, lane, ktime_get_ns());
		bio = bio_list_pop(&lane->bios);
		if (bio)
			lane->nr_bios--;
		below = atomic_read(&pool->in_flight) - lane->nr_bios - 1;
		spin_unlock(&pool->lock);
		if (!bio)
			break;
		sleeps = current->nvcsw;
		submit_bio_noacct(bio);
		if (iot->learns && current->nvcsw != sleeps)
			iop_learn_tags(pool, below);
	}
	blk_finish_plug(&plug);
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

static void iop_contend(struct ioband_pool *pool, u64 now_ns)
{
	lockdep_assert_held(&pool->lock);

	iop_begin_tags(pool, now_ns);
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
		     u64 now_ns)
{
	struct bio *bio = iob_to_bio(iob);

	lockdep_assert_held(&pool->lock);

	/* A worker will send the bio: let the submitter's priority go with it. */
	bio->bi_ioprio = bio_ioprio(bio);
	/* The submitter goes on; nobody polls a bio that is not at the disk. */
	bio->bi_opf &= ~REQ_NOWAIT;
	bio_clear_polled(bio);
	ioband_hold(&pool->sched, &iob->group->queue, &iob->io);
	if (iop_pump(pool, iob, NULL, now_ns))
		return false;

	pool->last_held_ns = now_ns;
	trace_ioband_hold(iob, 0);
	return true;
}

static noinline enum ioband_verdict
iop_submit_contended(struct ioband_pool *pool, struct ioband_bio *iob,
		     bool urgent)
{
	struct ioband_group *group = iob->group;
	enum ioband_verdict verdict;

retry:
	spin_lock(&pool->lock);
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
			verdict = iob_pass(iob);
			goto unlock;
		}
		iop_contend(pool, iob->start_ns);
	}

	iog_join(pool, group);
	if (urgent) {
		this_cpu_inc(group->stats->urgent_ios);
		ioband_charge(&pool->sched, &group->queue, &iob->io);
		atomic_inc(&pool->in_flight);
		verdict = iob_pass(iob);
		goto unlock;
	}
	if (iob->target->push_back) {
		verdict = IOBAND_REQUEUE;
		goto unlock;
	}
	if (iog_is_full(pool, group) && !(current->flags & PF_KTHREAD)) {
		verdict = IOBAND_WAIT;
		goto unlock;
	}
	verdict = iob_hold(pool, iob, iob->start_ns) ?
		  IOBAND_HELD : IOBAND_PASS;
unlock:
	/* While this bio was trying to pass it may have taken another's room. */
	if (verdict == IOBAND_WAIT || verdict == IOBAND_REQUEUE)
		iop_pump(pool, NULL, NULL, iob->start_ns);
	spin_unlock(&pool->lock);

	if (verdict == IOBAND_WAIT &&
	    !(iob_to_bio(iob)->bi_opf & REQ_NOWAIT)) {
		/* A task that is killed here is dying: its bios go at once. */
		if (wait_event_killable(group->wait,
					!iog_is_full(pool, group) ||
					READ_ONCE(group->detached) ||
					READ_ONCE(iob->target->push_back)))
			urgent = true;
		goto retry;
	}
	return verdict;
}

/**
 * iop_submit - let a bio pass, or hold it
 * @pool: the pool
 * @iob: the bio, remapped, with a reference on its group
 * @urgent: it must not be held; its group is charged for it
 *
 * Context: a submitter's. May sleep if the group has io_limit bios held, but
 * only a user task that has not set REQ_NOWAIT.
 * Return: what to do with the bio; %IOBAND_WAIT only with REQ_NOWAIT.
 */
enum ioband_verdict iop_submit(struct ioband_pool *pool, struct ioband_bio *iob,
			       bool urgent)
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
	struct ioband_group *group = iob->group;
	u64 now_ns = ktime_get_ns();

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
	/*
	 * There is room for one more. Which one is left to the worker that will
	 * send it: bios cannot be submitted here, and disks complete several at
	 * a time, all of which would wait for as many decisions.
	 */
	queue_work(pool->wq, &iob_lane(iob)->work);
}

static void iog_push_back(struct ioband_pool *pool, struct ioband_group *group,
			  struct ioband_target *iot, struct bio_list *bios)
{
	struct ioband_io *io, *next;

	spin_lock(&pool->lock);
	list_for_each_entry_safe(io, next, &group->queue.fifo, link) {
		struct ioband_bio *iob = iob_from_io(io);

		if (iob->target != iot)
			continue;
		ioband_unhold(&pool->sched, &group->queue, io);
		iob->group = NULL;
		percpu_ref_put(&group->ref);
		bio_list_add(bios, iob_to_bio(iob));
	}
	spin_unlock(&pool->lock);
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

	spin_lock(&pool->lock);
	iot->push_back = true;
	spin_unlock(&pool->lock);

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

	spin_lock(&pool->lock);
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
	spin_unlock(&pool->lock);
	wake_up_all(&from->wait);
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
	lockdep_assert_held(&ioband_mutex);

	spin_lock(&pool->lock);
	pool->io_throttle = io_throttle;
	pool->io_limit = io_limit;
	iop_update_depth(pool);
	iop_pump(pool, NULL, NULL, ktime_get_ns());
	spin_unlock(&pool->lock);
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
	spin_lock(&pool->lock);
	ioband_sched_set_policy(&pool->sched, policy);
	spin_unlock(&pool->lock);
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
	pool->carryover = table->carryover;
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

/*
 * The legs of a stripe, by what its topology says of itself: io_min is the chunk,
 * io_opt the full stripe. dm-stripe and md say so. What says nothing has one.
 */
static int iot_init_lanes(struct ioband_target *iot)
{
	struct request_queue *q = bdev_get_queue(iot->dev->bdev);
	unsigned int chunk = queue_io_min(q), width = queue_io_opt(q), i;

	iot->nr_lanes = 1;
	iot->learns = !queue_is_mq(q);
	if (!queue_is_mq(q) && is_power_of_2(chunk) && chunk >= PAGE_SIZE &&
	    width > chunk && !(width % chunk)) {
		iot->nr_lanes = min_t(unsigned int, width / chunk, LANES_MAX);
		iot->chunk_shift = ilog2(chunk) - SECTOR_SHIFT;
		iot->learns = false;
	}

	iot->lanes = kcalloc(iot->nr_lanes, sizeof(*iot->lanes), GFP_KERNEL);
	if (!iot->lanes)
		return -ENOMEM;
	for (i = 0; i < iot->nr_lanes; i++) {
		iot->lanes[i].target = iot;
		bio_list_init(&iot->lanes[i].bios);
		INIT_WORK(&iot->lanes[i].work, iop_lane_work);
	}
	return 0;
}

/**
 * iop_add_target - let a target take part
 * @pool: the pool
 * @iot: the target, its device open
 *
 * Context: process, ioband_mutex held.
 * Return: 0 or -ENOMEM.
 */
int iop_add_target(struct ioband_pool *pool, struct ioband_target *iot)
{
	int r = iot_init_lanes(iot);

	if (r)
		return r;
	spin_lock(&pool->lock);
	list_add_tail(&iot->list, &pool->targets);
	iop_begin_tags(pool, ktime_get_ns());
	spin_unlock(&pool->lock);
	return 0;
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
	unsigned int i;

	/* The bios are done, but maybe not the functions that sent them. */
	for (i = 0; i < iot->nr_lanes; i++)
		flush_work(&iot->lanes[i].work);

	spin_lock(&pool->lock);
	list_del(&iot->list);
	iop_begin_tags(pool, ktime_get_ns());
	spin_unlock(&pool->lock);
	kfree(iot->lanes);
}
