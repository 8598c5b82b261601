// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the target reports: status, table, IMA, stats and show.
 *
 * None of this takes a lock that is held across I/O, so it answers even when a
 * disk does not. Groups are found under RCU.
 */
#include <linux/jiffies.h>
#include <linux/math64.h>

#include "ioband.h"

static u64 ns_to_ms(u64 ns)
{
	return div_u64(ns, NSEC_PER_MSEC);
}

/* "-1", or the id printed to the caller's buffer. */
static const char *iog_name(const struct ioband_group *group, char *name, size_t len)
{
	if (group->is_default)
		return "-1";
	snprintf(name, len, "%llu", group->id);
	return name;
}

/* Have @emit print something of each group of a volume. */
static unsigned int emit_groups(struct ioband_volume *volume,
				unsigned int (*emit)(struct ioband_group *group, char *result,
						     unsigned int sz, unsigned int maxlen),
				char *result, unsigned int sz, unsigned int maxlen)
{
	struct ioband_group *group = NULL;
	unsigned long id;

	rcu_read_lock();
	while (sz + 1 < maxlen && (group = iov_next(volume, group, &id)))
		sz = emit(group, result, sz, maxlen);
	rcu_read_unlock();
	return sz;
}

static unsigned int emit_counters(struct ioband_group *group, char *result,
				  unsigned int sz, unsigned int maxlen)
{
	struct ioband_sums sums;
	char name[24];

	iog_counted(group, &sums);
	/* No merges: bios are not merged before they get here. */
	DMEMIT(" %s %llu 0 %llu %llu %llu 0 %llu %llu %u %u %llu",
	       iog_name(group, name, sizeof(name)),
	       sums.stats.issued_ios[READ], sums.stats.issued_sectors[READ],
	       ns_to_ms(sums.stats.done_ns[READ]),
	       sums.stats.issued_ios[WRITE], sums.stats.issued_sectors[WRITE],
	       ns_to_ms(sums.stats.done_ns[WRITE]),
	       iog_held(group), jiffies_to_msecs(READ_ONCE(group->busy_jiffies)),
	       ns_to_ms(sums.stats.done_ns[READ] + sums.stats.done_ns[WRITE]));
	return sz;
}

/* Print a group and a snapshot of its settings, as a table line has them. */
static unsigned int emit_settings(struct ioband_group *group, char *result,
				  unsigned int sz, unsigned int maxlen)
{
	struct ioband_pool *pool = group->volume->pool;
	const struct ioband_policy *policy;
	struct ioband_settings settings;
	struct ioband_group *parent;
	unsigned int len;

	spin_lock(&pool->lock);
	settings = group->settings;
	policy = pool->sched.policy;
	parent = group->detached ? NULL : iog_parent(group);
	if (parent && READ_ONCE(group->volume->type) != IOBAND_TYPE_CGROUP) {
		settings.parent.is_default = false;
		settings.parent.id = parent->id;
	}
	spin_unlock(&pool->lock);

	DMEMIT(" ");
	if (!group->is_default)
		DMEMIT("%llu", group->id);
	DMEMIT(":");
	len = ioband_settings_print(&settings, policy, result + sz, maxlen - sz);
	return sz + min(len, maxlen - sz - 1);
}

/**
 * iot_table - print the line that recreates the present state
 * @iot: the target
 * @result: buffer for the text
 * @maxlen: its size
 *
 * What is automatic stays so: io_throttle and io_limit are printed as 0, where 1.14 printed
 * what it had chosen.
 */
void iot_table(const struct ioband_target *iot, char *result, unsigned int maxlen)
{
	struct ioband_volume *volume = iot->volume;
	const struct ioband_pool *pool = volume->pool;
	const struct {
		const char *name;
		u64 value;
	} options[] = {
		{ "offset",	iot->offset_sectors },
		{ "auto",	volume->auto_depth },
		{ "carryover",	READ_ONCE(pool->settings.carryover) },
		{ "quantum",	READ_ONCE(pool->settings.quantum_ms) },
		{ "as_linear",	iot->as_linear },
	};
	unsigned int words = 0, sz = 0, i;

	DMEMIT("%s %s %u %u %s %s %u", iot->dev->name, pool->name,
	       READ_ONCE(pool->settings.io_throttle), READ_ONCE(pool->settings.io_limit),
	       ioband_type_name(READ_ONCE(volume->type)),
	       READ_ONCE(pool->sched.policy)->name,
	       READ_ONCE(pool->settings.token_base));

	sz = emit_groups(volume, emit_settings, result, sz, maxlen);

	for (i = 0; i < ARRAY_SIZE(options); i++)
		words += options[i].value ? 2 : 0;
	if (words)
		DMEMIT(" options %u", words);
	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].value)
			DMEMIT(" %s %llu", options[i].name, options[i].value);
}

/**
 * iot_status - the status hook of the target
 * @ti: the target
 * @type: which of the three
 * @status_flags: ignored; there is nothing to flush
 * @result: buffer for the text
 * @maxlen: its size
 *
 * Context: process; takes pool->lock briefly for the table, never ioband_mutex.
 */
void iot_status(struct dm_target *ti, status_type_t type,
		unsigned int status_flags, char *result, unsigned int maxlen)
{
	const struct ioband_target *iot = ti->private;
	struct ioband_volume *volume = iot->volume;
	const struct ioband_pool *pool = volume->pool;
	const unsigned int *version = ti->type->version;
	unsigned int sz = 0;

	switch (type) {
	case STATUSTYPE_INFO:
		DMEMIT("%s", pool->name);
		emit_groups(volume, emit_counters, result, sz, maxlen);
		break;
	case STATUSTYPE_TABLE:
		if (iot->as_linear)
			DMEMIT("%s %llu", iot->dev->name, (u64)iot->offset_sectors);
		else
			iot_table(iot, result, maxlen);
		break;
	case STATUSTYPE_IMA:
		/* Its name is the true one, whatever others are shown. */
		DMEMIT("target_name=ioband,target_version=%u.%u.%u", version[0], version[1],
		       version[2]);
		DMEMIT(",device_name=%s,start=%llu,share=%s,type=%s,policy=%s;",
		       iot->dev->name, (u64)iot->offset_sectors, pool->name,
		       ioband_type_name(READ_ONCE(volume->type)),
		       READ_ONCE(pool->sched.policy)->name);
		break;
	}
}

/* Print counts by bucket, without trailing zeros but at least the first. */
static unsigned int emit_buckets(const char *name, const u64 *buckets,
				 char *result, unsigned int sz,
				 unsigned int maxlen)
{
	unsigned int nr = IOBAND_BUCKETS, i;

	while (nr > 1 && !buckets[nr - 1])
		nr--;
	DMEMIT(" %s=%llu", name, buckets[0]);
	for (i = 1; i < nr; i++)
		DMEMIT(",%llu", buckets[i]);
	return sz;
}

static unsigned int emit_stats(struct ioband_group *group, char *result,
			       unsigned int sz, unsigned int maxlen)
{
	static const char * const because[IOBAND_BECAUSES] = {
		[IOBAND_BECAUSE_WEIGHT]	= "weight",
		[IOBAND_BECAUSE_DEPTH]	= "depth",
		[IOBAND_BECAUSE_LIMIT]	= "limit",
		[IOBAND_BECAUSE_DEBT]	= "debt",
		[IOBAND_BECAUSE_GRACE]	= "grace",
		[IOBAND_BECAUSE_SQUEEZE] = "squeeze",
	};
	struct ioband_pool *pool = group->volume->pool;
	struct ioband_node *node = &group->node;
	struct ioband_group *parent = NULL, *above = NULL;
	u64 in_flight, sectors[IOBAND_DIRS], due_ppm = 0, got_ppm = 0;
	u64 held_ios = 0, held_ns = 0;
	struct ioband_sums sums;
	bool is_kept_back;
	unsigned int i;
	char name[24];

	in_flight = iog_in_flight(group, sectors);
	iog_counted(group, &sums);
	for (i = 0; i < IOBAND_BUCKETS; i++)
		held_ios += sums.waits.buckets[i];
	for (i = 0; i < IOBAND_BECAUSES; i++)
		held_ns += sums.waits.because_ns[i];
	DMEMIT("group=%s", iog_name(group, name, sizeof(name)));
	/* A consistent snapshot of what the scheduler knows of it. */
	spin_lock(&pool->lock);
	if (!group->detached) {
		parent = iog_parent(group);
		above = iog_above(group);
		due_ppm = ioband_due_ppm(&pool->sched, node);
		got_ppm = ioband_got_ppm(&pool->sched, node);
	}
	is_kept_back = (group->held[READ] && node->kept_back_ns[READ]) ||
		       (group->held[WRITE] && node->kept_back_ns[WRITE]);
	if (parent)
		DMEMIT(" parent=%llu", parent->id);
	DMEMIT(" weight=%u", group->settings.weight);
	if (above && iog_is_member(group, above))
		DMEMIT(" tree_weight=%u", above->node.weight);
	DMEMIT(" rd_ios=%llu rd_sectors=%llu rd_ns=%llu",
	       sums.stats.issued_ios[READ], sums.stats.issued_sectors[READ],
	       sums.stats.done_ns[READ]);
	DMEMIT(" wr_ios=%llu wr_sectors=%llu wr_ns=%llu",
	       sums.stats.issued_ios[WRITE], sums.stats.issued_sectors[WRITE],
	       sums.stats.done_ns[WRITE]);
	DMEMIT(" in_flight=%llu held=%u held_ios=%llu held_ns=%llu", in_flight,
	       iog_held(group), held_ios, held_ns);
	DMEMIT(" went_ms=%u kept_back=%d", jiffies_to_msecs(jiffies - group->went_jiffies),
	       is_kept_back);
	DMEMIT(" urgent_ios=%llu late_ios=%llu", sums.waits.urgent_ios, sums.stats.late_ios);
	for (i = 0; i < IOBAND_BECAUSES; i++)
		DMEMIT(" because_%s_ns=%llu", because[i], sums.waits.because_ns[i]);
	DMEMIT(" due_ppm=%llu got_ppm=%llu unmet_min=%llu", due_ppm, got_ppm,
	       node->terms ? div_u64(node->terms->unmet_ns, NSEC_PER_SEC) : 0);
	spin_unlock(&pool->lock);
	DMEMIT(" service_ns=%llu", sums.stats.service_ns);
	sz = emit_buckets("wait_us", sums.waits.buckets, result, sz, maxlen);
	sz = emit_buckets("service_us", sums.stats.services, result, sz, maxlen);
	DMEMIT("\n");
	return sz;
}

/**
 * iot_stats - answer the message "stats"
 * @iot: the target
 * @result: buffer for the answer, a line for each group
 * @maxlen: its size
 *
 * Context: process; takes pool->lock briefly for each group.
 */
void iot_stats(struct ioband_target *iot, char *result, unsigned int maxlen)
{
	emit_groups(iot->volume, emit_stats, result, 0, maxlen);
}

/**
 * iot_show - answer the message "show", of the share
 * @iot: the target
 * @result: buffer for the answer
 * @maxlen: its size
 *
 * Context: process; takes pool->lock briefly.
 */
void iot_show(struct ioband_target *iot, char *result, unsigned int maxlen)
{
	struct ioband_volume *volume = iot->volume;
	struct ioband_pool *pool = volume->pool;
	u32 token_base = READ_ONCE(pool->settings.token_base);
	u32 carryover = READ_ONCE(pool->settings.carryover);
	unsigned int sz = 0;
	u32 squeeze;

	spin_lock(&pool->lock);
	DMEMIT("share=%s policy=%s type=%s depth=%u depth_reason=%s", pool->name,
	       pool->sched.policy->name, ioband_type_name(READ_ONCE(volume->type)),
	       pool->sched.depth, ioband_depth_reasons[pool->depth_reason]);
	if (pool->nr_legs > 1)
		DMEMIT(" legs=%u", pool->nr_legs);
	DMEMIT(" contended=%d in_flight=%u held=%u held_max=%u", pool->contended,
	       iop_in_flight(pool), pool->sched.held, pool->held_max);
	squeeze = ioband_squeeze_percent(&pool->sched);
	spin_unlock(&pool->lock);
	if (squeeze < 100)
		DMEMIT(" squeeze=%u", squeeze);
	if (READ_ONCE(volume->type) == IOBAND_TYPE_CGROUP)
		DMEMIT(" attribution=%s", ioband_attribution());
	DMEMIT("\n");
	if (token_base || carryover)
		DMEMIT("token_base=%u carryover=%u note=no_effect_without_epochs\n",
		       token_base, carryover);
}
