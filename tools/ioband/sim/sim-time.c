// SPDX-License-Identifier: GPL-2.0-only
/*
 * Disk time and the groups it is spent on, and the streams of a rotational disk:
 * drivers/md/dm-ioband/time.c without locks.
 */
#include "lib/util.h"
#include "sim-pool.h"

/**
 * iob_start_clock - start timing an I/O that is issued
 * @pool: the pool, in timed mode
 * @iob: the I/O
 * @now_ns: current time
 */
void iob_start_clock(struct sim_pool *pool, struct sim_io *iob, u64 now_ns)
{
	iob->clock_ns = ioband_clock_start(&pool->clock, now_ns);
	iob->is_timed = true;
}

/**
 * iob_stop_clock - stop timing an I/O that has completed
 * @pool: the pool
 * @iob: the I/O, which was being timed
 * @now_ns: current time
 */
void iob_stop_clock(struct sim_pool *pool, struct sim_io *iob, u64 now_ns)
{
	struct sim_account *account = iob->account ?: &iob->group->account;

	account->used_ns += ioband_clock_stop(&pool->clock, iob->clock_ns, now_ns);
	account->charged_ns += iob->io.cost;
	account->done_ns = now_ns;
	account->nr_done++;
	account->dirs |= BIT(iob->io.dir);
	account->is_sync = !iob->is_writeback;
	if (list_empty(&account->news))
		list_add_tail(&account->news, &pool->news);
}

static void stream_release(struct sim_pool *pool, struct sim_stream *stream,
			   u32 nr)
{
	stream->busy -= nr;
	if (!stream->busy)
		list_add_tail(&stream->idle, &pool->idle_streams);
}

/**
 * iop_settle - report completed work to the scheduler
 * @pool: the pool
 */
void iop_settle(struct sim_pool *pool)
{
	while (!list_empty(&pool->news)) {
		struct sim_account *account =
			list_first_entry(&pool->news, struct sim_account, news);
		u64 used_ns = account->used_ns;
		u64 charged_ns = account->charged_ns;
		u32 nr_done = account->nr_done;
		u32 dirs = account->dirs;
		struct ioband_node *node = account->node;

		list_del_init(&account->news);
		account->used_ns = 0;
		account->charged_ns = 0;
		account->nr_done = 0;
		account->dirs = 0;
		if (node->parent)
			ioband_done(&pool->sched, node, nr_done, dirs, used_ns,
				    charged_ns, account->is_sync,
				    account->done_ns);
		if (node->is_stream)
			stream_release(pool, container_of(node,
							  struct sim_stream,
							  node), nr_done);
	}
}

/**
 * iop_alloc_streams - allocate streams, for a rotational disk
 * @pool: the pool
 */
void iop_alloc_streams(struct sim_pool *pool)
{
	pool->streams = xcalloc(SIM_STREAMS, sizeof(*pool->streams));
	for (u32 i = 0; i < SIM_STREAMS; i++) {
		struct sim_stream *stream = &pool->streams[i];

		ioband_node_init(&stream->node, IOBAND_WEIGHT_DEFAULT);
		stream->node.is_stream = true;
		stream->account.node = &stream->node;
		INIT_LIST_HEAD(&stream->account.news);
		INIT_LIST_HEAD(&stream->hash);
		list_add_tail(&stream->idle, &pool->idle_streams);
	}
}

static struct list_head *stream_bucket(struct sim_pool *pool,
				       const struct sim_job *job)
{
	u64 hash = (u64)(uintptr_t)job * 0x9e3779b97f4a7c15ULL;

	return &pool->stream_hash[hash >> (64 - SIM_STREAM_BITS)];
}

static struct sim_stream *stream_take(struct sim_pool *pool,
				      const struct sim_io *iob, u64 now_ns)
{
	struct sim_stream *stream;

	stream = list_first_entry_or_null(&pool->idle_streams,
					  struct sim_stream, idle);
	if (!stream)
		return NULL;
	if (stream->group) {
		ioband_node_del(&pool->sched, &stream->node, now_ns);
		list_del_init(&stream->hash);
	}
	ioband_node_init(&stream->node, IOBAND_WEIGHT_DEFAULT);
	stream->node.is_stream = true;
	ioband_node_add(&iob->group->node, &stream->node);
	stream->group = iob->group;
	stream->job = iob->job;
	list_add_tail(&stream->hash, stream_bucket(pool, iob->job));
	return stream;
}

/**
 * iop_stream - find the stream that an I/O belongs to
 * @pool: the pool
 * @iob: the I/O
 * @now_ns: current time
 *
 * Looked up by job: a job is one task and belongs to one group.
 *
 * Return: the stream's account, or %NULL if it has none.
 */
struct sim_account *iop_stream(struct sim_pool *pool, const struct sim_io *iob,
			       u64 now_ns)
{
	struct sim_stream *stream;

	if (!pool->streams || !pool->is_rotational || iob->is_writeback ||
	    !pool->sched.policy->by_time)
		return NULL;
	list_for_each_entry(stream, stream_bucket(pool, iob->job), hash)
		if (stream->job == iob->job)
			goto found;
	stream = stream_take(pool, iob, now_ns);
	if (!stream)
		return NULL;
found:
	if (!stream->busy++)
		list_del_init(&stream->idle);
	if (!ioband_node_joined(&pool->sched, &stream->node))
		ioband_node_join(&pool->sched, &stream->node, 0, 0);
	return &stream->account;
}

/**
 * iop_unstream - detach an I/O from its stream
 * @pool: the pool
 * @iob: an I/O that is no longer held and will not be timed
 */
void iop_unstream(struct sim_pool *pool, struct sim_io *iob)
{
	if (iob->account)
		stream_release(pool, container_of(iob->account,
						  struct sim_stream, account),
			       1);
	iob->account = NULL;
}
