// SPDX-License-Identifier: GPL-2.0-only
/*
 * What groups got between two samples, and what was due to them.
 *
 * The kernel's own parts are since contention began, which on a busy disk is for ever:
 * they tell nothing of what a change has done just now.
 */
#include <stdlib.h>
#include <string.h>

#include "interval.h"
#include "util.h"
#include "words.h"

enum {
	UNKNOWN = -1,
	/* The I/O of a group that has others below it counts as one more of them. */
	OWN_WEIGHT = 100,
};

/**
 * stats_grown - the increase of a counter, from 0 if it has been reset
 * @was: the earlier sample, or %NULL
 * @now: the later one
 * @key: the counter
 */
uint64_t stats_grown(const struct stats_group *was,
		     const struct stats_group *now, enum stats_key key)
{
	uint64_t before = was ? was->v[key] : 0;

	return now->v[key] < before ? now->v[key] : now->v[key] - before;
}

static double grown2(const struct interval_group *group, enum stats_key read,
		     enum stats_key write)
{
	return (double)stats_grown(group->was, group->now, read) +
	       stats_grown(group->was, group->now, write);
}

/* Time at the disk, of those I/Os that completed. */
static double disk_ns(const struct interval_group *group)
{
	double ns;

	if (stats_has(group->now, STATS_SERVICE_NS))
		return stats_grown(group->was, group->now, STATS_SERVICE_NS);
	/* An older target: too little where I/O that was held goes down meanwhile. */
	ns = grown2(group, STATS_RD_NS, STATS_WR_NS) -
	     stats_grown(group->was, group->now, STATS_HELD_NS);
	return ns > 0 ? ns : 0;
}

static bool is_policy(const struct volume *vol, const char *policy)
{
	return !strcmp(vol->table.policy, policy);
}

/* As the policy counts, up to a constant factor. */
static double work_of(const struct interval_group *group)
{
	if (is_policy(group->vol, "weight-time"))
		return disk_ns(group);
	if (is_policy(group->vol, "weight-iosize") ||
	    is_policy(group->vol, "range-bw"))
		return group->bytes;
	return group->ios;
}

static void take_settings(struct interval_group *group)
{
	const struct volume *vol = group->vol;
	const struct table_group *line;
	char value[SETTING_LEN];
	struct parse_error err;

	line = table_find(&vol->table, group->now->is_default, group->now->id);
	/* What cannot be read is taken for a group without settings. */
	if (line && settings_take_param(&group->set, vol->table.policy,
					line->param, &err))
		memset(&group->set, 0, sizeof(group->set));
	setting_value(value, &group->set, SET_CLASS, true);
	group->is_idle = !strcmp(value, "idle");
	group->is_limited = is_policy(vol, "limit");
	for (int key = SET_RBPS; key <= SET_IOPS; key++)
		group->is_limited |= !setting_is_default(&group->set, key);
}

/* Its own figures; @was may lack it. */
static void take_group(struct interval_group *group, const struct volume *vol,
		       const struct stats_group *was,
		       const struct stats_group *now)
{
	group->vol = vol;
	group->was = was;
	group->now = now;
	group->above = -1;
	group->due = UNKNOWN;
	group->got = UNKNOWN;
	group->unmet_s = UNKNOWN;
	group->late = UNKNOWN;
	take_settings(group);
	group->ios = grown2(group, STATS_RD_IOS, STATS_WR_IOS);
	group->bytes = 512 * grown2(group, STATS_RD_SECTORS, STATS_WR_SECTORS);
	group->own_work = work_of(group);
	group->work = group->own_work;
	group->is_held = was && was->v[STATS_HELD] && now->v[STATS_HELD];
	group->has_waited = (was && was->v[STATS_HELD]) || now->v[STATS_HELD] ||
			    stats_grown(was, now, STATS_HELD_IOS);
	group->is_own_busy = group->ios > 0 || now->v[STATS_HELD] ||
			     now->v[STATS_IN_FLIGHT];
	group->is_busy = group->is_own_busy;
}

static ssize_t find_above(const struct stats *stats, size_t first,
			  const struct stats_group *group)
{
	const struct stats_group *above = NULL;
	uint64_t id;

	if (group->parent && parse_u64(group->parent, UINT64_MAX, &id))
		above = stats_find(stats, false, id);
	return above ? (ssize_t)(first + (above - stats->groups)) : -1;
}

/* Add what each group got to all groups above it. */
static void add_up(struct interval *interval)
{
	for (size_t i = 0; i < interval->nr; i++) {
		const struct interval_group own = interval->v[i];
		ssize_t above = own.above;

		/* A kernel that answers in a circle must not keep us here. */
		for (size_t n = 0; above >= 0 && n < interval->nr; n++) {
			struct interval_group *group = &interval->v[above];

			interval->v[i].is_limited |= group->is_limited;
			interval->v[i].is_idle |= group->is_idle;
			group->is_busy |= own.is_own_busy;
			group->is_held |= own.is_held;
			group->has_waited |= own.has_waited;
			above = group->above;
		}
	}
	for (size_t i = 0; i < interval->nr; i++) {
		const struct interval_group *own = &interval->v[i];
		double ios = grown2(own, STATS_RD_IOS, STATS_WR_IOS);
		double bytes = 512 * grown2(own, STATS_RD_SECTORS,
					    STATS_WR_SECTORS);
		ssize_t above = own->above;

		for (size_t n = 0; above >= 0 && n < interval->nr; n++) {
			struct interval_group *group = &interval->v[above];

			group->ios += ios;
			group->bytes += bytes;
			group->work += own->own_work;
			above = group->above;
		}
	}
}

static double weight_of(const struct interval_group *group)
{
	if (!stats_has(group->now, STATS_WEIGHT))
		return OWN_WEIGHT;
	return group->now->v[STATS_WEIGHT];
}

/* What is divided at the top of a share; as in struct interval_group. */
struct top_sum {
	const char *share;
	double weights;
	double work;
	double taken;
};

static struct top_sum *find_sum(struct top_sum *sums, const char *share)
{
	while (sums->share && strcmp(sums->share, share))
		sums++;
	sums->share = share;
	return sums;
}

static struct top_sum *make_sums(struct interval *interval)
{
	struct top_sum *sums = xcalloc(interval->nr + 1, sizeof(*sums));

	for (size_t i = 0; i < interval->nr; i++) {
		struct interval_group *group = &interval->v[i];
		struct top_sum *sum = find_sum(sums, group->vol->table.share);

		sum->work += group->own_work;
		if (!group->is_busy)
			continue;
		if (group->above < 0)
			sum->weights += weight_of(group);
		else
			interval->v[group->above].weights += weight_of(group);
	}
	for (size_t i = 0; i < interval->nr; i++)
		if (interval->v[i].weights > 0 && interval->v[i].is_own_busy)
			interval->v[i].weights += OWN_WEIGHT;
	return sums;
}

/* The part that is due to a group of what it and those beside it got; 0 to 1. */
static double part_of(const struct interval *interval,
		      const struct interval_group *group, struct top_sum *sums)
{
	const struct interval_group *above = group->above < 0 ? NULL :
					     &interval->v[group->above];
	const struct top_sum *sum = find_sum(sums, group->vol->table.share);
	double weights = above ? above->weights : sum->weights;
	double work = above ? above->work : sum->work;
	double taken = above ? above->taken : sum->taken;
	double rest = work > 0 && taken < work ? 1 - taken / work : work <= 0;

	if (group->is_content)
		return work > 0 ? group->work / work : 0;
	return weights > 0 ? rest * weight_of(group) / weights : 0;
}

/* What is due to those that ask for no more than they got goes to those beside them. */
static void find_content(struct interval *interval, struct top_sum *sums)
{
	bool any = true;

	while (any) {
		any = false;
		for (size_t i = 0; i < interval->nr; i++) {
			struct interval_group *group = &interval->v[i];
			struct top_sum *sum = find_sum(sums,
						       group->vol->table.share);
			struct interval_group *above = group->above < 0 ? NULL :
						       &interval->v[group->above];
			double work = above ? above->work : sum->work;

			if (!group->is_busy || group->has_waited ||
			    group->is_content || group->work >=
			    work * part_of(interval, group, sums))
				continue;
			group->is_content = any = true;
			*(above ? &above->weights : &sum->weights) -=
				weight_of(group);
			*(above ? &above->taken : &sum->taken) += group->work;
		}
	}
}

/* By weights among those that have I/O, level by level. */
static double due_of(const struct interval *interval,
		     const struct interval_group *group,
		     struct top_sum *sums)
{
	double due = 100;

	for (size_t n = 0; n <= interval->nr; n++) {
		due *= part_of(interval, group, sums);
		if (group->above < 0)
			break;
		group = &interval->v[group->above];
	}
	return due;
}

/*
 * By how much it missed its minimum although it had I/O waiting all the time. One I/O
 * may just not have gone yet.
 */
static double unmet_of(const struct interval_group *group, double seconds)
{
	bool in_ios = !setting_is_default(&group->set, SET_MINIOPS);
	const struct setting *min = &group->set.v[in_ios ? SET_MINIOPS : SET_MIN];
	double got = in_ios ? group->ios : group->bytes, missed, one = 1;

	if (setting_is_default(&group->set, in_ios ? SET_MINIOPS : SET_MIN))
		return UNKNOWN;
	/* What got nothing at all may wait for a limit, which takes precedence. */
	if (!group->is_held || !min->value || (group->is_limited && !group->ios))
		return 0;
	if (!in_ios)
		one = group->ios > 0 ? group->bytes / group->ios : 0;
	missed = min->value * seconds - got - one;
	return missed > 0 ? missed / min->value : 0;
}

/* The part of its I/Os that missed its latency target. */
static double late_of(const struct interval_group *group)
{
	uint64_t now = stats_done(group->now);
	uint64_t was = group->was ? stats_done(group->was) : 0;
	double done = now < was ? now : now - was;

	if (setting_is_default(&group->set, SET_LATENCY) || done <= 0 ||
	    !stats_has(group->now, STATS_LATE_IOS))
		return UNKNOWN;
	return stats_grown(group->was, group->now, STATS_LATE_IOS) / done;
}

/**
 * interval_make - compute what happened between two samples
 * @interval: filled in, to be freed by interval_free(); points into both samples
 * @was: the earlier sample, empty if there is none
 * @now: the later sample, with all volumes of the shares
 */
void interval_make(struct interval *interval, const struct sample *was,
		   const struct sample *now)
{
	double seconds = was->time_ns ? (now->time_ns - was->time_ns) / 1e9 : 0;
	struct top_sum *sums;
	size_t nr = 0;

	memset(interval, 0, sizeof(*interval));
	interval->seconds = seconds > 0 ? seconds : 0;
	for (size_t i = 0; i < now->volumes.nr; i++)
		interval->nr += now->stats[i].nr_groups;
	interval->v = xcalloc(interval->nr, sizeof(*interval->v));

	for (size_t i = 0; i < now->volumes.nr; i++) {
		const struct volume *vol = &now->volumes.v[i];
		const struct stats *stats = &now->stats[i];
		size_t first = nr;

		for (size_t j = 0; j < stats->nr_groups; j++, nr++) {
			const struct stats_group *group = &stats->groups[j];

			take_group(&interval->v[nr], vol,
				   sample_find(was, vol, group), group);
			interval->v[nr].above = find_above(stats, first, group);
		}
	}
	add_up(interval);
	for (size_t i = 0; i < interval->nr; i++) {
		struct interval_group *group = &interval->v[i];

		group->starves = group->now->v[STATS_HELD] && !group->is_limited &&
				 group->now->v[STATS_WENT_MS] >= STARVED_MS;
	}
	if (!interval->seconds)
		return;

	sums = make_sums(interval);
	find_content(interval, sums);
	for (size_t i = 0; i < interval->nr; i++) {
		struct interval_group *group = &interval->v[i];
		const char *share = group->vol->table.share;
		double work = find_sum(sums, share)->work;

		if (group->is_busy)
			group->due = due_of(interval, group, sums);
		if (work > 0)
			group->got = 100 * group->work / work;
		group->unmet_s = unmet_of(group, interval->seconds);
		group->late = late_of(group);
	}
	free(sums);
}

/* Whether something that was held has gone lately: if not, the disk does not answer. */
static bool any_went(const struct interval *interval, const char *share)
{
	for (size_t i = 0; i < interval->nr; i++)
		if (!strcmp(interval->v[i].vol->table.share, share) &&
		    interval->v[i].now->v[STATS_WENT_MS] < STARVED_MS / 2)
			return true;
	return false;
}

/**
 * interval_failing - tell what keeps a group from what it was promised
 * @interval: of all volumes of its share; without an earlier sample it tells nothing of a
 *	minimum or a latency target
 * @group: the group
 *
 * Return: words with commas between, to be freed; %NULL if there is nothing.
 */
char *interval_failing(const struct interval *interval,
		       const struct interval_group *group)
{
	const struct {
		const char *word;
		bool is_so;
	} failings[] = {
		{ "starved", group->starves && !group->is_idle &&
			     any_went(interval, group->vol->table.share) },
		{ "minimum", group->unmet_s > interval->seconds * UNMET_PART },
		{ "latency", group->late > MISSED_PART },
	};
	char *text = NULL, *longer;

	/* That is reason enough. */
	if (group->now->v[STATS_KEPT_BACK])
		return xstrdup("stalled");
	for (size_t i = 0; i < sizeof(failings) / sizeof(failings[0]); i++) {
		if (!failings[i].is_so)
			continue;
		longer = xasprintf("%s%s%s", text ? text : "", text ? "," : "",
				   failings[i].word);
		free(text);
		text = longer;
	}
	return text;
}

void interval_free(struct interval *interval)
{
	free(interval->v);
	memset(interval, 0, sizeof(*interval));
}
