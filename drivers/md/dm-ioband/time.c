// SPDX-License-Identifier: GPL-2.0-only
/*
 * The time a disk is at work, and for whom; and the streams of a disk that seeks.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "ioband.h"

/**
 * iob_start_clock - a bio goes to the disk
 * @pool: the pool, timed
 * @iob: the bio
 * @now_ns: the time
 *
 * Context: process.
 */
void iob_start_clock(struct ioband_pool *pool, struct ioband_bio *iob, u64 now_ns)
{
	unsigned long flags;

	spin_lock_irqsave(&pool->clock_lock, flags);
	iob->clock_ns = ioband_clock_start(&pool->clock, now_ns);
	iob->is_timed = true;
	spin_unlock_irqrestore(&pool->clock_lock, flags);
}

/**
 * iob_stop_clock - the disk is done with a bio
 * @pool: the pool
 * @iob: the bio, timed
 * @now_ns: the time
 *
 * Context: any.
 */
void iob_stop_clock(struct ioband_pool *pool, struct ioband_bio *iob, u64 now_ns)
{
	struct ioband_account *account = iob->account ?: &iob->group->account;
	unsigned long flags;
	u64 used_ns;

	spin_lock_irqsave(&pool->clock_lock, flags);
	used_ns = ioband_clock_stop(&pool->clock, iob->clock_ns, now_ns);
	/* The disk was not at work for it, or who knows for how long. */
	if (iob_is_given_up(iob))
		used_ns = iob->io.cost;
	account->used_ns += used_ns;
	account->charged_ns += iob->io.cost;
	account->done_ns = now_ns;
	account->nr_done += 1 + iob->io.merged;
	account->dirs |= BIT(iob->io.dir);
	account->is_sync = !iob_is_writeback(iob);
	if (list_empty(&account->news)) {
		account->group = iob->group;
		percpu_ref_get(&iob->group->ref);
		list_add_tail(&account->news, &pool->news);
	}
	spin_unlock_irqrestore(&pool->clock_lock, flags);
}

static struct ioband_account *pop_news(struct ioband_pool *pool, struct ioband_account *copy)
{
	struct ioband_account *account;
	unsigned long flags;

	spin_lock_irqsave(&pool->clock_lock, flags);
	account = list_first_entry_or_null(&pool->news, struct ioband_account, news);
	if (account) {
		list_del_init(&account->news);
		*copy = *account;
		account->used_ns = 0;
		account->charged_ns = 0;
		account->nr_done = 0;
		account->dirs = 0;
	}
	spin_unlock_irqrestore(&pool->clock_lock, flags);
	return account;
}

static void stream_release(struct ioband_pool *pool, struct ioband_stream *stream, u32 nr)
{
	stream->busy -= nr;
	if (!stream->busy)
		list_add_tail(&stream->idle, &pool->idle_streams);
}

/**
 * iop_settle - tell the scheduler what the disk has done
 * @pool: the pool
 *
 * Context: process, pool->lock held.
 */
void iop_settle(struct ioband_pool *pool)
{
	struct ioband_account news, *account;
	struct ioband_stream *stream;
	struct ioband_node *node;

	lockdep_assert_held(&pool->lock);

	while ((account = pop_news(pool, &news))) {
		stream = account == &news.group->account ?
			 NULL : container_of(account, struct ioband_stream, account);
		node = stream ? &stream->node : &news.group->node;
		if (node->parent)
			ioband_done(&pool->sched, node, news.nr_done, news.dirs,
				    news.used_ns, news.charged_ns, news.is_sync,
				    news.done_ns);
		if (stream)
			stream_release(pool, stream, news.nr_done);
		percpu_ref_put(&news.group->ref);
	}
}

/**
 * iop_alloc_streams - prepare for a disk on which seeks count
 * @pool: the pool
 *
 * Without memory there are none, and groups have turns as a whole.
 *
 * Context: process, ioband_mutex held.
 */
void iop_alloc_streams(struct ioband_pool *pool)
{
	struct ioband_stream *streams, *stream;

	lockdep_assert_held(&ioband_mutex);

	if (pool->streams)
		return;
	streams = kvcalloc(IOBAND_STREAMS, sizeof(*streams), GFP_NOIO);
	if (!streams)
		return;
	spin_lock(&pool->lock);
	for (stream = streams; stream < streams + IOBAND_STREAMS; stream++) {
		INIT_LIST_HEAD(&stream->account.news);
		list_add_tail(&stream->idle, &pool->idle_streams);
	}
	pool->streams = streams;
	spin_unlock(&pool->lock);
}

static u32 stream_key(const struct ioband_group *group, pid_t pid)
{
	return hash_long((unsigned long)group ^ pid, IOBAND_STREAM_BITS);
}

static void stream_free(struct ioband_pool *pool, struct ioband_stream *stream)
{
	ioband_node_del(&pool->sched, &stream->node, ktime_get_ns());
	hlist_del(&stream->hash);
	stream->group = NULL;
}

static struct ioband_stream *stream_take(struct ioband_pool *pool,
					 struct ioband_group *group, pid_t pid)
{
	struct ioband_stream *stream;

	stream = list_first_entry_or_null(&pool->idle_streams, struct ioband_stream, idle);
	if (!stream)
		return NULL;
	if (stream->group)
		stream_free(pool, stream);
	ioband_node_init(&stream->node, IOBAND_WEIGHT_DEFAULT);
	stream->node.is_stream = true;
	ioband_node_add(&group->node, &stream->node);
	stream->group = group;
	stream->pid = pid;
	hlist_add_head(&stream->hash, &pool->stream_hash[stream_key(group, pid)]);
	return stream;
}

/**
 * iop_stream - the stream that a bio belongs to
 * @pool: the pool, which has streams
 * @iob: a bio that current submits
 *
 * Context: the submitter's, pool->lock held.
 * Return: the stream's account, or %NULL if it has none.
 */
struct ioband_account *iop_stream(struct ioband_pool *pool, struct ioband_bio *iob)
{
	struct ioband_group *group = iob->group;
	pid_t pid = task_pid_nr(current);
	struct ioband_stream *stream;

	lockdep_assert_held(&pool->lock);

	if (!pool->is_rotational || iob_is_writeback(iob) ||
	    !pool->sched.policy->by_time)
		return NULL;
	hlist_for_each_entry(stream, &pool->stream_hash[stream_key(group, pid)], hash)
		if (stream->group == group && stream->pid == pid)
			goto found;
	stream = stream_take(pool, group, pid);
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
 * iop_unstream - a bio is no longer its stream's
 * @pool: the pool
 * @iob: a bio that is not held any more and was not issued
 *
 * Context: process, pool->lock held.
 */
void iop_unstream(struct ioband_pool *pool, struct ioband_bio *iob)
{
	lockdep_assert_held(&pool->lock);

	if (iob->account)
		stream_release(pool, iob_stream(iob), 1);
	iob->account = NULL;
}

/**
 * iop_drop_streams - a group that holds nothing leaves its streams behind
 * @pool: the pool
 * @group: the group
 *
 * Context: process, pool->lock held.
 */
void iop_drop_streams(struct ioband_pool *pool, struct ioband_group *group)
{
	struct ioband_node *node, *next;

	lockdep_assert_held(&pool->lock);

	list_for_each_entry_safe(node, next, &group->node.children, sibling)
		if (node->is_stream)
			stream_free(pool, container_of(node, struct ioband_stream, node));
}

/**
 * iog_first_held - any bio that a group holds, its streams included
 * @group: the group
 *
 * Context: process, pool->lock held.
 * Return: the bio's I/O, or %NULL.
 */
struct ioband_io *iog_first_held(const struct ioband_group *group)
{
	struct ioband_io *io = ioband_first_held(&group->node);
	const struct ioband_node *node;

	if (io || !iog_held(group))
		return io;
	list_for_each_entry(node, &group->node.children, sibling) {
		io = node->is_stream ? ioband_first_held(node) : NULL;
		if (io)
			break;
	}
	return io;
}
