// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools: all volumes of one share id. Creation, destruction and settings.
 */
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "ioband.h"

static LIST_HEAD(pools);	/* guarded by ioband_mutex */

static u64 quantum_ns(u32 quantum_ms)
{
	return quantum_ms ? (u64)quantum_ms * NSEC_PER_MSEC : IOBAND_QUANTUM_NS;
}

static struct ioband_pool *iop_create(const struct ioband_table *table,
				      unsigned int nr_legs)
{
	struct ioband_pool *pool;

	pool = kzalloc(struct_size(pool, legs, iop_more_legs(nr_legs)),
		       GFP_KERNEL);
	if (!pool)
		return NULL;
	pool->wq = alloc_workqueue("ioband-%s",
				   WQ_MEM_RECLAIM | WQ_HIGHPRI | IOBAND_WQ_PERCPU,
				   0, table->share);
	if (!pool->wq)
		goto free_pool;

	spin_lock_init(&pool->lock);
	ioband_hrtimer_setup(&pool->timer, iop_timer, CLOCK_MONOTONIC,
			     HRTIMER_MODE_ABS);
	INIT_WORK(&pool->look_work, iop_look_work);
	INIT_DELAYED_WORK(&pool->stall_work, iop_stall_work);
	INIT_DELAYED_WORK(&pool->latency_work, iop_latency_work);
	spin_lock_init(&pool->clock_lock);
	INIT_LIST_HEAD(&pool->news);
	init_llist_head(&pool->late);
	INIT_LIST_HEAD(&pool->idle_streams);
	hash_init(pool->stream_hash);
	hash_init(pool->cgroups);
	INIT_LIST_HEAD(&pool->targets);
	INIT_LIST_HEAD(&pool->volumes);
	strscpy(pool->name, table->share, sizeof(pool->name));
	pool->settings = table->settings;
	ioband_sched_init(&pool->sched, table->policy, 1);
	pool->sched.turn.quantum_ns = quantum_ns(table->settings.quantum_ms);
	pool->nr_legs = nr_legs;
	pool->slow_jiffies = jiffies - SLOW_JIFFIES;
	pool->shared_jiffies = jiffies - SHARED_JIFFIES;
	pool->refill = U32_MAX;
	if (nr_legs > 1)
		ioband_node_set_legs(&pool->sched.root, pool->legs, nr_legs);
	ioband_depth_init(&pool->depth, nr_legs);
	spin_lock(&pool->lock);
	iop_begin_depth(pool, ktime_get_ns());
	spin_unlock(&pool->lock);
	return pool;

free_pool:
	kfree(pool);
	return NULL;
}

static void iop_destroy(struct ioband_pool *pool)
{
	/* Without a target nobody starts it. */
	hrtimer_cancel(&pool->timer);
	cancel_delayed_work_sync(&pool->stall_work);
	cancel_delayed_work_sync(&pool->latency_work);
	destroy_workqueue(pool->wq);
	kvfree(pool->streams);
	kfree(pool);
}

/* Get the pool of a share id; if there is none, add @new, unless that is %NULL. */
static struct ioband_pool *iop_use(const char *share, struct ioband_pool *new)
{
	struct ioband_pool *pool;

	mutex_lock(&ioband_mutex);
	list_for_each_entry(pool, &pools, list)
		if (!strcmp(pool->name, share))
			goto found;
	pool = new;
	if (!pool)
		goto unlock;
	list_add(&pool->list, &pools);
found:
	pool->nr_users++;
unlock:
	mutex_unlock(&ioband_mutex);
	return pool;
}

/**
 * iop_get - find or create the pool of a share id
 * @table: the line that names it, and has the settings for a new one
 * @nr_legs: number of legs of a new one
 *
 * Context: process, ioband_mutex not held: waits for memory, and for kthreadd.
 * Return: the pool, to be released by iop_put(), or %NULL if out of memory.
 */
struct ioband_pool *iop_get(const struct ioband_table *table,
			    unsigned int nr_legs)
{
	struct ioband_pool *pool = iop_use(table->share, NULL), *new;

	if (pool)
		return pool;
	new = iop_create(table, nr_legs);
	if (!new)
		return NULL;
	pool = iop_use(table->share, new);
	if (pool != new)
		iop_destroy(new);
	return pool;
}

/**
 * iop_put - release a pool
 * @pool: the pool; its last user destroys it
 *
 * Context: process, ioband_mutex not held: destroying a workqueue takes a lock that
 * others hold while they wait for memory.
 */
void iop_put(struct ioband_pool *pool)
{
	bool is_last;

	mutex_lock(&ioband_mutex);
	is_last = !--pool->nr_users;
	if (is_last)
		list_del(&pool->list);
	mutex_unlock(&ioband_mutex);
	if (is_last)
		iop_destroy(pool);
}

/**
 * iop_set - put settings of the share into effect
 * @pool: the pool
 * @settings: all of them
 *
 * Context: process, ioband_mutex held.
 */
void iop_set(struct ioband_pool *pool, const struct ioband_share_settings *settings)
{
	struct ioband_share_settings *own = &pool->settings;
	struct ioband_volume *volume;
	struct ioband_group *group = NULL;
	unsigned long id;

	lockdep_assert_held(&ioband_mutex);

	spin_lock(&pool->lock);
	WRITE_ONCE(own->io_throttle, settings->io_throttle);
	WRITE_ONCE(own->io_limit, settings->io_limit);
	WRITE_ONCE(own->token_base, settings->token_base);
	WRITE_ONCE(own->carryover, settings->carryover);
	WRITE_ONCE(own->quantum_ms, settings->quantum_ms);
	pool->sched.turn.quantum_ns = quantum_ns(settings->quantum_ms);
	iop_update_depth(pool);
	spin_unlock(&pool->lock);
	iop_changed(pool);
	/* There may be room now for submitters that wait. */
	list_for_each_entry(volume, &pool->volumes, list)
		while ((group = iov_next(volume, group, &id)))
			iog_wake_all(group);
}

static void iov_reset_settings(struct ioband_volume *volume)
{
	struct ioband_settings settings;
	struct ioband_group *group = NULL;
	unsigned long id;

	/* Defaults need no memory, so iog_set() cannot fail. */
	ioband_settings_init(&settings);
	while ((group = iov_next(volume, group, &id)))
		iog_set(group, &settings);
}

/**
 * iop_set_policy - change what an I/O costs
 * @pool: the pool
 * @policy: the new policy; unless it is the same, the settings of groups are reset
 *
 * Held bios are charged by the new policy when they are dispatched. The groups of a
 * table that has not been resumed yet keep their settings: those are for the policy
 * that the table names, which takes effect when it is resumed.
 *
 * Context: process, ioband_mutex held.
 */
void iop_set_policy(struct ioband_pool *pool,
		    const struct ioband_policy *policy)
{
	struct ioband_share_settings settings = pool->settings;
	struct ioband_volume *volume;

	lockdep_assert_held(&ioband_mutex);

	if (pool->sched.policy == policy)
		return;
	spin_lock(&pool->lock);
	ioband_sched_set_policy(&pool->sched, policy);
	spin_unlock(&pool->lock);
	settings.token_base = 0;
	if (policy->by_time)
		iop_alloc_streams(pool);
	else
		settings.quantum_ms = 0;

	list_for_each_entry(volume, &pool->volumes, list)
		if (volume->resumed)
			iov_reset_settings(volume);
	iop_set(pool, &settings);
}
