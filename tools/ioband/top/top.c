// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows of ioband top.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/interval.h"
#include "lib/util.h"
#include "top.h"

const struct column top_columns[] = {
	[TOP_VOLUME] = { "VOLUME", COLUMN_STRING, true,
		"VG/LV or name of the volume; its device-mapper name with --json and --raw" },
	[TOP_GROUP] = { "GROUP", COLUMN_NUMBER, true,
		"id of the group; the default group is -1 with --json and --raw" },
	[TOP_NAME] = { "NAME", COLUMN_STRING, true,
		"path of the cgroup, name of the user and so on with this id" },
	[TOP_WEIGHT] = { "WEIGHT", COLUMN_NUMBER, true,
		"weight of the group" },
	[TOP_RBPS] = { "RBPS", COLUMN_NUMBER, true,
		"bytes read per second" },
	[TOP_WBPS] = { "WBPS", COLUMN_NUMBER, true,
		"bytes written per second" },
	[TOP_IOPS] = { "IOPS", COLUMN_NUMBER, true,
		"I/Os per second" },
	[TOP_DUE] = { "DUE%", COLUMN_NUMBER, true,
		"part of the share's service due to the group, by weights among those that want it" },
	[TOP_GOT] = { "GOT%", COLUMN_NUMBER, true,
		"part of the share's service that it got in this time" },
	[TOP_P50] = { "WAIT-P50", COLUMN_NUMBER, true,
		"time that half of the I/Os waited at most" },
	[TOP_P99] = { "WAIT-P99", COLUMN_NUMBER, true,
		"time that 99 of 100 I/Os waited at most" },
	[TOP_HELD] = { "HELD", COLUMN_NUMBER, true,
		"I/Os that wait just now" },
	[TOP_WHY] = { "WHY", COLUMN_STRING, true,
		"what held them for most of the time; starved, unmet or late if a promise is not kept" },
	[TOP_BPS] = { "BPS", COLUMN_NUMBER, false,
		"bytes read and written per second" },
	[TOP_RIOPS] = { "RIOPS", COLUMN_NUMBER, false,
		"reads per second" },
	[TOP_WIOPS] = { "WIOPS", COLUMN_NUMBER, false,
		"writes per second" },
	[TOP_DISK_P50] = { "DISK-P50", COLUMN_NUMBER, false,
		"time that half of the I/Os were at the disk at most" },
	[TOP_DISK_P99] = { "DISK-P99", COLUMN_NUMBER, false,
		"time that 99 of 100 I/Os were at the disk at most" },
	[TOP_IN_FLIGHT] = { "IN-FLIGHT", COLUMN_NUMBER, false,
		"I/Os at the disk just now" },
	[TOP_URGENT] = { "URGENT", COLUMN_NUMBER, false,
		"I/Os per second that must not wait and were passed on at once" },
	[TOP_UNMET] = { "UNMET", COLUMN_NUMBER, false,
		"seconds of this time by which the group did not get its minimum" },
	[TOP_PARENT] = { "PARENT", COLUMN_STRING, false,
		"id of the group in which it is nested" },
	[TOP_SHARE] = { "SHARE", COLUMN_STRING, false,
		"id of the share the volume belongs to" },
	[TOP_TIME] = { "TIME", COLUMN_NUMBER, false,
		"time of day; seconds since 1970 with --json and --raw" },
	{ 0 }
};

enum {
	UNKNOWN = -1,
};

static double rate(const struct stats_group *was,
		   const struct stats_group *now, enum stats_key key,
		   double seconds)
{
	if (!stats_has(now, key) || seconds <= 0)
		return UNKNOWN;
	return stats_grown(was, now, key) / seconds;
}

static double both(double reads, double writes)
{
	return reads < 0 || writes < 0 ? UNKNOWN : reads + writes;
}

static double value(const struct stats_group *now, enum stats_key key)
{
	return stats_has(now, key) ? (double)now->v[key] : UNKNOWN;
}

/* @ios: number of I/Os, including those in no bucket; 0 if all are in one */
static void set_quantiles(struct top_row *row, enum top_column p50, double ios,
			  const uint64_t *was, const uint64_t *now)
{
	uint64_t counts[STATS_BUCKETS];

	for (unsigned int i = 0; i < STATS_BUCKETS; i++) {
		counts[i] = !was || now[i] < was[i] ? now[i] : now[i] - was[i];
		ios -= counts[i];
	}
	if (ios < 0)
		ios = 0;
	row->v[p50] = stats_quantile_us(ios, counts, 0.50);
	row->v[p50 + 1] = stats_quantile_us(ios, counts, 0.99);
}

static const char *find_why(const struct stats_group *was,
			    const struct stats_group *now)
{
	static const char * const reasons[NR_STATS_BECAUSE] = {
		"weight", "limit", "depth", "grace", "debt", "squeeze",
	};
	const char *why = NULL;
	uint64_t most = 0;

	for (unsigned int i = 0; i < NR_STATS_BECAUSE; i++) {
		uint64_t ns = stats_grown(was, now, STATS_BECAUSE_WEIGHT_NS + i);

		if (ns > most) {
			most = ns;
			why = reasons[i];
		}
	}
	return why;
}

/* Reasons are counted when an I/O goes. While none does, look for it. */
static const char *why_held(const struct interval_group *group)
{
	const char *why = find_why(group->was, group->now);

	if (group->starves)
		return "starved";
	if (group->unmet_s > 0)
		return "unmet";
	if (group->late > MISSED_PART)
		return "late";
	if (why || !group->is_held)
		return why;
	return group->is_limited ? "limit" : "weight";
}

/* @seconds: 0 if unknown. */
static void fill(struct top_row *row, const struct interval_group *group,
		 double seconds)
{
	const struct stats_group *was = group->was, *now = group->now;
	double *v = row->v;

	for (unsigned int i = 0; i < NR_TOP_COLUMNS; i++)
		v[i] = UNKNOWN;
	v[TOP_WEIGHT] = value(now, STATS_WEIGHT);
	v[TOP_HELD] = value(now, STATS_HELD);
	v[TOP_IN_FLIGHT] = value(now, STATS_IN_FLIGHT);
	v[TOP_DUE] = group->due;
	v[TOP_GOT] = group->got;
	if (seconds <= 0)
		return;

	v[TOP_RIOPS] = rate(was, now, STATS_RD_IOS, seconds);
	v[TOP_WIOPS] = rate(was, now, STATS_WR_IOS, seconds);
	v[TOP_IOPS] = both(v[TOP_RIOPS], v[TOP_WIOPS]);
	v[TOP_RBPS] = rate(was, now, STATS_RD_SECTORS, seconds / 512);
	v[TOP_WBPS] = rate(was, now, STATS_WR_SECTORS, seconds / 512);
	v[TOP_BPS] = both(v[TOP_RBPS], v[TOP_WBPS]);
	v[TOP_URGENT] = rate(was, now, STATS_URGENT_IOS, seconds);
	v[TOP_UNMET] = group->unmet_s;
	/* I/Os that were not held count as well, with a wait of 0. */
	if (now->has_wait)
		set_quantiles(row, TOP_P50,
			      (double)stats_grown(was, now, STATS_RD_IOS) +
			      stats_grown(was, now, STATS_WR_IOS),
			      was ? was->wait : NULL, now->wait);
	if (now->has_service)
		set_quantiles(row, TOP_DISK_P50, 0, was ? was->service : NULL,
			      now->service);
	row->why = why_held(group);
}

/**
 * top_rows_make - compute what happened between two samples
 * @rows: filled in, to be freed
 * @was: the earlier sample, empty if there is none
 * @now: the later sample
 * @sysroot: prefix of /proc
 */
void top_rows_make(struct top_rows *rows, const struct sample *was,
		   const struct sample *now, const char *sysroot)
{
	struct interval interval;

	interval_make(&interval, was, now);
	rows->v = xcalloc(interval.nr, sizeof(*rows->v));
	rows->nr = 0;
	for (size_t i = 0; i < interval.nr; i++) {
		const struct interval_group *group = &interval.v[i];
		const struct volume *vol = group->vol;
		struct top_row *row = &rows->v[rows->nr];

		if (!vol->chosen)
			continue;
		rows->nr++;
		row->volume = xstrdup(vol->name);
		row->title = xstrdup(vol->title);
		row->share = xstrdup(vol->table.share);
		row->id = group->now->id;
		row->is_default = group->now->is_default;
		row->name = sample_name(now, vol, group->now, sysroot);
		row->parent = group->now->parent ?
			      xstrdup(group->now->parent) : NULL;
		fill(row, group, interval.seconds);
	}
	interval_free(&interval);
}

/* Whether the group has had I/O, or has any outstanding, as far as has been measured. */
static bool is_active(const struct top_row *row)
{
	return row->v[TOP_IOPS] > 0 || row->v[TOP_IOPS] < 0 || row->v[TOP_HELD] > 0 ||
	       row->v[TOP_IN_FLIGHT] > 0;
}

static int compare_strings(const char *a, const char *b)
{
	/* Absent ones come last. */
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

static int compare_ids(const struct top_row *a, const struct top_row *b)
{
	if (a->is_default != b->is_default)
		return a->is_default ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static int compare_by(const struct top_row *a, const struct top_row *b,
		      enum top_column column)
{
	switch (column) {
	case TOP_VOLUME:
		return strcmp(a->volume, b->volume);
	case TOP_GROUP:
		return compare_ids(a, b);
	case TOP_NAME:
		return compare_strings(a->name, b->name);
	case TOP_WHY:
		return compare_strings(a->why, b->why);
	case TOP_PARENT:
		return compare_strings(a->parent, b->parent);
	case TOP_SHARE:
		return strcmp(a->share, b->share);
	default:
		return (a->v[column] < b->v[column]) -
		       (a->v[column] > b->v[column]);
	}
}

/* A path comes right before those below it: there is nothing before a slash. */
static int compare_paths(const char *a, const char *b)
{
	if (!a || !b)
		return compare_strings(a, b);
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (*a == '/' ? 1 : (unsigned char)*a) -
	       (*b == '/' ? 1 : (unsigned char)*b);
}

/* The default group is above all others. */
static int compare_in_tree(const struct top_row *a, const struct top_row *b)
{
	int order = strcmp(a->volume, b->volume);

	if (!order)
		order = strcmp(a->share, b->share);
	if (!order)
		order = b->is_default - a->is_default;
	return order ? order : compare_paths(a->name, b->name);
}

static int compare_rows(const void *pa, const void *pb, void *data)
{
	const struct top_row *a = pa, *b = pb;
	const struct top_view *view = data;
	int order = view->tree ? compare_in_tree(a, b) :
				 compare_by(a, b, view->sort);

	if (view->reverse && !view->tree)
		order = -order;
	/* Break ties, to keep the order stable. */
	if (!order)
		order = strcmp(a->volume, b->volume);
	if (!order)
		order = strcmp(a->share, b->share);
	return order ? order : compare_ids(a, b);
}

static void free_row(struct top_row *row)
{
	free(row->volume);
	free(row->title);
	free(row->share);
	free(row->name);
	free(row->parent);
}

/**
 * top_row_name - what a group is called on the screen
 * @row: the group
 * @buf: buffer for its number
 *
 * Return: its name, or @buf.
 */
const char *top_row_name(const struct top_row *row, char buf[24])
{
	if (row->name && !row->is_default)
		return row->name;
	snprintf(buf, 24, "%" PRIu64, row->id);
	return row->is_default ? "default" : buf;
}

static bool is_wanted(const struct top_row *row, const struct top_view *view)
{
	char buf[24];

	if (view->active && !is_active(row))
		return false;
	return strcasestr(top_row_name(row, buf), view->search) ||
	       strcasestr(row->title, view->search);
}

/**
 * top_rows_arrange - filter and sort the rows
 * @rows: the rows; unwanted ones are removed
 * @view: filter and sort order
 *
 * Numbers are sorted in descending order, words in ascending order.
 */
void top_rows_arrange(struct top_rows *rows, const struct top_view *view)
{
	size_t nr = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		if (is_wanted(&rows->v[i], view))
			rows->v[nr++] = rows->v[i];
		else
			free_row(&rows->v[i]);
	}
	rows->nr = nr;
	qsort_r(rows->v, nr, sizeof(*rows->v), compare_rows, (void *)view);
}

void top_rows_free(struct top_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++)
		free_row(&rows->v[i]);
	free(rows->v);
	memset(rows, 0, sizeof(*rows));
}
