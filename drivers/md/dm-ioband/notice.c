// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who gets less than was promised.
 *
 * A minimum that the disk cannot keep, or one that leaves nothing to the others, is seen
 * by who looks at the right moment. So look every few seconds while I/O is held, tell the
 * kernel's log when it begins, and have "show" say what is so at present.
 */
#include <linux/slab.h>

#include "ioband.h"
#include "stats.h"

enum {
	/* What is told of at once; the next look tells of the rest. */
	NOTICES_MAX	= 8,
	/* A target is missed if one in so many I/Os is late. */
	LATE_PART	= 10,
};

/* For so long it has waited, and nothing went. */
#define STARVED_JIFFIES	(10 * HZ)

/* What begins again sooner is not told of again. */
#define QUIET_JIFFIES	(60 * HZ)

/* A minimum is not kept if so much of the time since the last look was missed. */
#define UNMET_NS	((s64)IOBAND_NOTICE_LOOKS * IOBAND_LOOK_JIFFIES / HZ * NSEC_PER_SEC / 20)

/* What to tell of, with the lock released. */
struct ioband_notice {
	enum ioband_failing what;
	enum ioband_type type;
	bool is_default;
	u64 id;
	char device[16];
};

const char * const ioband_failing_names[IOBAND_FAILINGS] = {
	[IOBAND_STARVED]	= "starved",
	[IOBAND_UNMET]		= "minimum",
	[IOBAND_LATE]		= "latency",
	[IOBAND_STALLED]	= "stalled",
};

/* Its class is to get nothing as long as others have I/O, or that of one above it. */
static bool is_idle(const struct ioband_node *node)
{
	for (; node->parent; node = node->parent)
		if (node->class == IOBAND_IDLE)
			return true;
	return false;
}

static bool is_starved(const struct ioband_group *group)
{
	return iog_held(group) && !group->is_limited && !is_idle(&group->node) &&
	       time_after_eq(jiffies, group->went_jiffies + STARVED_JIFFIES);
}

/* It is kept back, since the device below does not answer. */
static bool is_stalled(const struct ioband_group *group)
{
	const struct ioband_below *below = group->volume->below;

	return (group->held[IOBAND_READ] && below[IOBAND_READ].stalled_ns) ||
	       (group->held[IOBAND_WRITE] && below[IOBAND_WRITE].stalled_ns);
}

static bool is_unmet(struct ioband_group *group)
{
	u64 unmet_ns = group->node.terms->unmet_ns;
	s64 more_ns = unmet_ns - group->seen.unmet_ns;

	group->seen.unmet_ns = unmet_ns;
	return more_ns >= UNMET_NS;
}

static bool is_late(struct ioband_group *group)
{
	struct ioband_sums sums;
	u64 late, done = 0;
	unsigned int i;

	iog_sum(group, &sums);
	for (i = 0; i < IOBAND_BUCKETS; i++)
		done += sums.stats.services[i];
	late = sums.stats.late_ios - group->seen.late_ios;
	group->seen.late_ios = sums.stats.late_ios;
	swap(done, group->seen.done_ios);
	return late * LATE_PART > group->seen.done_ios - done;
}

/* Bits by enum ioband_failing. */
static u8 iog_failings(struct ioband_group *group, bool any_went)
{
	u8 failings = 0;

	if (is_stalled(group))
		failings |= BIT(IOBAND_STALLED);
	/* If nothing goes at all, it is the disk that does not answer. */
	else if (any_went && is_starved(group))
		failings |= BIT(IOBAND_STARVED);
	if (group->node.terms && is_unmet(group))
		failings |= BIT(IOBAND_UNMET);
	if (group->node.terms && group->node.terms->latency_ns && is_late(group))
		failings |= BIT(IOBAND_LATE);
	return failings;
}

/* Add what has begun to @notices; return how many there are then. */
static unsigned int iog_note(struct ioband_group *group, u8 failings,
			     struct ioband_notice *notices, unsigned int nr)
{
	const struct ioband_volume *volume = group->volume;
	unsigned int what;

	WRITE_ONCE(group->failings, failings);
	for (what = 0; what < IOBAND_FAILINGS; what++) {
		struct ioband_notice *notice = &notices[nr];
		unsigned long *last = &group->seen.jiffies[what];
		bool is_new = !*last || time_after(jiffies, *last + QUIET_JIFFIES);

		if (!(failings & BIT(what)) || (is_new && nr == NOTICES_MAX))
			continue;
		*last = jiffies ?: 1;
		if (!is_new)
			continue;
		notice->what = what;
		notice->type = READ_ONCE(volume->type);
		notice->is_default = group->is_default;
		notice->id = group->id;
		strscpy(notice->device, dm_table_device_name(volume->table),
			sizeof(notice->device));
		nr++;
	}
	return nr;
}

/* Return: the number of notices. */
static unsigned int iop_look(struct ioband_pool *pool, struct ioband_notice *notices)
{
	bool any_went = time_before(jiffies, pool->went_jiffies + STARVED_JIFFIES / 2);
	struct ioband_node *root = &pool->sched.root, *node;
	unsigned int nr = 0;

	lockdep_assert_held(&pool->lock);

	pool->is_noticing = pool->nr_holding || any_went || pool->has_stalled;
	for (node = root; node; node = ioband_node_after(node, root)) {
		struct ioband_group *group = iog_from_node(node);

		if (node->parent && !node->is_stream && group->volume)
			nr = iog_note(group, pool->is_noticing ?
				      iog_failings(group, any_went) : 0, notices, nr);
	}
	return nr;
}

static void tell(const struct ioband_pool *pool, const struct ioband_notice *notice,
		 char *path)
{
	static const char * const texts[IOBAND_FAILINGS] = {
		[IOBAND_STARVED]	= "has I/O waiting and gets nothing: others go before it",
		[IOBAND_UNMET]		= "does not get its minimum",
		[IOBAND_LATE]		= "misses its latency target",
		[IOBAND_STALLED]	= "waits for the device below, which does not answer",
	};
	bool found = false;

	if (notice->is_default) {
		DMWARN_LIMIT("share %s: default group of %s %s", pool->name,
			     notice->device, texts[notice->what]);
		return;
	}
	if (path && notice->type == IOBAND_TYPE_CGROUP)
		ioband_cgroup_where(notice->id, path, PATH_MAX, &found);
	DMWARN_LIMIT("share %s: group %llu%s%s%s of %s %s", pool->name, notice->id,
		     found ? " (" : "", found ? path : "", found ? ")" : "",
		     notice->device, texts[notice->what]);
}

/**
 * iop_notice_work - look at what groups get, and tell the kernel's log
 * @work: the pool's notice_work
 *
 * Context: process.
 */
void iop_notice_work(struct work_struct *work)
{
	struct ioband_pool *pool = container_of(to_delayed_work(work),
						struct ioband_pool, notice_work);
	struct ioband_notice notices[NOTICES_MAX];
	unsigned int nr = 0, i;
	char *path;
	u64 now_ns;

	spin_lock(&pool->lock);
	now_ns = ktime_get_ns();
	if (iop_look_for_stalls(pool, now_ns))
		iop_pump(pool, NULL, NULL, now_ns);
	if (++pool->nr_looks % IOBAND_NOTICE_LOOKS == 0)
		nr = iop_look(pool, notices);
	if (pool->is_noticing)
		queue_delayed_work(pool->wq, &pool->notice_work, IOBAND_LOOK_JIFFIES);
	spin_unlock(&pool->lock);
	if (!nr)
		return;

	path = kmalloc(PATH_MAX, GFP_NOIO);
	for (i = 0; i < nr; i++)
		tell(pool, &notices[i], path);
	kfree(path);
}
