// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband status: show the counters of each group.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "config/current.h"
#include "lib/leaf.h"
#include "lib/cgroup.h"
#include "lib/clock.h"
#include "lib/interval.h"
#include "lib/output.h"
#include "lib/sample.h"
#include "lib/units.h"
#include "lib/util.h"
#include "lib/volume.h"

/* For so long groups with a minimum or a latency target are looked at. */
#define LOOK_NS		1000000000ULL

enum {
	COL_VOLUME,
	COL_GROUP,
	COL_CGROUP,
	COL_WEIGHT,
	COL_RIOS,
	COL_RBYTES,
	COL_WIOS,
	COL_WBYTES,
	COL_HELD,
	COL_IOS_PCT,
	COL_BYTES_PCT,
	COL_FAILING,
	COL_NAME,
	COL_SHARE,
	COL_TYPE,
	COL_POLICY,
	COL_PARAM,
	COL_RMERGES,
	COL_WMERGES,
	COL_RMS,
	COL_WMS,
	COL_BUSYMS,
	COL_QUEUEMS,
};

const struct column status_columns[] = {
	[COL_VOLUME] = { "VOLUME", COLUMN_STRING, true,
		"VG/LV or name of the volume; its device-mapper name with --json and --raw" },
	[COL_GROUP] = { "GROUP", COLUMN_NUMBER, true,
		"id of the group; the default group is -1 with --json and --raw" },
	[COL_CGROUP] = { "CGROUP", COLUMN_STRING, true,
		"path of the cgroup with this id, if the type is cgroup" },
	[COL_WEIGHT] = { "WEIGHT", COLUMN_NUMBER, true,
		"weight of the group" },
	[COL_RIOS] = { "RIOS", COLUMN_NUMBER, true,
		"reads passed on to the device below" },
	[COL_RBYTES] = { "RBYTES", COLUMN_NUMBER, true,
		"bytes read" },
	[COL_WIOS] = { "WIOS", COLUMN_NUMBER, true,
		"writes passed on to the device below" },
	[COL_WBYTES] = { "WBYTES", COLUMN_NUMBER, true,
		"bytes written" },
	[COL_HELD] = { "HELD", COLUMN_NUMBER, true,
		"I/Os that wait just now" },
	[COL_IOS_PCT] = { "IOS%", COLUMN_NUMBER, true,
		"part of the I/Os of all groups of the share until now" },
	[COL_BYTES_PCT] = { "BYTES%", COLUMN_NUMBER, true,
		"part of the bytes of all groups of the share until now" },
	[COL_FAILING] = { "FAILING", COLUMN_STRING, true,
		"starved, minimum, latency or stalled: what keeps the group from what it was promised" },
	[COL_NAME] = { "NAME", COLUMN_STRING, false,
		"path of the cgroup, name of the user and so on with this id" },
	[COL_SHARE] = { "SHARE", COLUMN_STRING, false,
		"id of the share the volume belongs to" },
	[COL_TYPE] = { "TYPE", COLUMN_STRING, false,
		"what sorts I/O into groups" },
	[COL_POLICY] = { "POLICY", COLUMN_STRING, false,
		"what the bandwidth is divided by" },
	[COL_PARAM] = { "PARAM", COLUMN_STRING, false,
		"parameter of the group as in the table" },
	[COL_RMERGES] = { "RMERGES", COLUMN_NUMBER, false,
		"reads merged" },
	[COL_WMERGES] = { "WMERGES", COLUMN_NUMBER, false,
		"writes merged" },
	[COL_RMS] = { "RMS", COLUMN_NUMBER, false,
		"milliseconds taken by reads" },
	[COL_WMS] = { "WMS", COLUMN_NUMBER, false,
		"milliseconds taken by writes" },
	[COL_BUSYMS] = { "BUSYMS", COLUMN_NUMBER, false,
		"milliseconds during which there was any I/O" },
	[COL_QUEUEMS] = { "QUEUEMS", COLUMN_NUMBER, false,
		"milliseconds taken by all I/O, waiting included" },
	{ 0 }
};

/* Sums over all groups of a share; double, as a sum of counters may overflow. */
struct total {
	const char *share;
	double ios;
	double bytes;
};

static double group_ios(const struct status_group *group)
{
	return (double)group->rd_ios + group->wr_ios;
}

static double group_bytes(const struct status_group *group)
{
	return 512 * ((double)group->rd_sectors + group->wr_sectors);
}

/* One for each share that has counters, in no particular order. */
static struct total *count_totals(const struct volumes *volumes)
{
	struct total *totals = xcalloc(volumes->nr, sizeof(*totals));

	for (size_t i = 0; i < volumes->nr; i++) {
		const struct status_line *line = &volumes->v[i].status;
		struct total *total = totals;

		if (!line->share)
			continue;
		while (total->share && strcmp(total->share, line->share))
			total++;
		total->share = line->share;
		for (size_t j = 0; j < line->nr_groups; j++) {
			total->ios += group_ios(&line->groups[j]);
			total->bytes += group_bytes(&line->groups[j]);
		}
	}
	return totals;
}

static bool has_cgroups(const struct volume *vol)
{
	return !strcmp(vol->table.type, "cgroup");
}

/* As in group list and top, for volumes of any type. */
static void add_name(struct listing *list, const struct options *opts,
		     const struct volume *vol, const struct status_group *group,
		     const char *path)
{
	char *name = path ? xstrdup(path) :
		     group->is_default || has_cgroups(vol) ||
		     !listing_wants(list, COL_NAME) ? NULL :
		     owner_name(vol, group->id, opts->sysroot);

	if (name)
		listing_string(list, COL_NAME, name);
	free(name);
}

static void add_group(struct listing *list, const struct options *opts,
		      const struct volume *vol,
		      const struct status_group *group,
		      const struct total *total,
		      const struct cgroup_paths *cgroups, const char *failing)
{
	const struct table_group *config;
	const char *path = NULL;

	config = table_find(&vol->table, group->is_default, group->id);
	if (has_cgroups(vol) && !group->is_default)
		path = cgroup_paths_find(cgroups, group->id);

	listing_row(list);
	listing_volume(list, COL_VOLUME, vol->name, vol->title);
	if (group->is_default)
		listing_word(list, COL_GROUP, "default", -1);
	else
		listing_number(list, COL_GROUP, group->id);
	if (path)
		listing_string(list, COL_CGROUP, path);
	add_name(list, opts, vol, group, path);
	if (config && config->weight)
		listing_number(list, COL_WEIGHT, config->weight);
	listing_number(list, COL_RIOS, group->rd_ios);
	listing_bytes(list, COL_RBYTES, units_bytes(group->rd_sectors));
	listing_number(list, COL_WIOS, group->wr_ios);
	listing_bytes(list, COL_WBYTES, units_bytes(group->wr_sectors));
	listing_number(list, COL_HELD, group->held);
	listing_percent(list, COL_IOS_PCT, group_ios(group), total->ios);
	listing_percent(list, COL_BYTES_PCT, group_bytes(group), total->bytes);
	if (failing)
		listing_string(list, COL_FAILING, failing);
	listing_string(list, COL_SHARE, vol->table.share);
	listing_string(list, COL_TYPE, vol->table.type);
	listing_string(list, COL_POLICY, vol->table.policy);
	if (config)
		listing_string(list, COL_PARAM, config->param);
	listing_number(list, COL_RMERGES, group->rd_merges);
	listing_number(list, COL_WMERGES, group->wr_merges);
	listing_number(list, COL_RMS, group->rd_ms);
	listing_number(list, COL_WMS, group->wr_ms);
	listing_number(list, COL_BUSYMS, group->busy_ms);
	listing_number(list, COL_QUEUEMS, group->queue_ms);
}

static void find_cgroups(struct cgroup_paths *cgroups,
			 const struct volumes *volumes,
			 const struct options *opts)
{
	for (size_t i = 0; i < volumes->nr; i++) {
		const struct volume *vol = &volumes->v[i];

		if (!vol->chosen || !has_cgroups(vol))
			continue;
		for (size_t j = 0; j < vol->status.nr_groups; j++)
			if (!vol->status.groups[j].is_default)
				cgroup_paths_add(cgroups,
						 vol->status.groups[j].id);
	}
	cgroup_paths_resolve(cgroups, opts->sysroot);
}

/* What groups get, to tell what fails; the samples are what @interval points into. */
struct look {
	struct sample was;
	struct sample now;
	struct interval interval;
};

/* Whether it takes a second look to tell if a promise is kept. */
static bool is_promised(const struct interval *interval)
{
	for (size_t i = 0; i < interval->nr; i++) {
		const struct interval_group *group = &interval->v[i];
		bool has_min = !setting_is_default(&group->set, SET_MIN) ||
			       !setting_is_default(&group->set, SET_MINIOPS);

		if (group->vol->chosen &&
		    ((has_min && group->now->v[STATS_HELD]) ||
		     !setting_is_default(&group->set, SET_LATENCY)))
			return true;
	}
	return false;
}

/* The counters are right without it: if it fails there is nothing in @look. */
static void look_at(struct look *look, const struct options *opts, int argc, char **argv)
{
	const struct sample none = { 0 };
	char *why = NULL;

	memset(look, 0, sizeof(*look));
	fail_keep(&why);
	if (!sample_read_shares(&look->was, opts, argc, argv)) {
		interval_make(&look->interval, &none, &look->was);
		if (is_promised(&look->interval)) {
			interval_free(&look->interval);
			clock_wait(LOOK_NS, -1, NULL);
			if (!sample_read_shares(&look->now, opts, argc, argv))
				interval_make(&look->interval, &look->was, &look->now);
		}
	}
	fail_keep(NULL);
	free(why);
}

static void look_free(struct look *look)
{
	interval_free(&look->interval);
	sample_free(&look->was);
	sample_free(&look->now);
}

/* What fails of a group, to be freed; %NULL if nothing does. */
static char *find_failing(const struct look *look, const struct volume *vol,
			  const struct status_group *group)
{
	for (size_t i = 0; i < look->interval.nr; i++) {
		const struct interval_group *own = &look->interval.v[i];

		if (!strcmp(own->vol->name, vol->name) &&
		    own->now->is_default == group->is_default &&
		    (group->is_default || own->now->id == group->id))
			return interval_failing(&look->interval, own);
	}
	return NULL;
}

static void add_volumes(struct listing *list, const struct volumes *volumes,
			const struct options *opts, const struct look *look)
{
	struct total *totals = count_totals(volumes);
	bool any_cgroups = false, any_failing = false;
	struct cgroup_paths cgroups = { 0 };

	if (listing_wants(list, COL_CGROUP) || listing_wants(list, COL_NAME))
		find_cgroups(&cgroups, volumes, opts);

	for (size_t i = 0; i < volumes->nr; i++) {
		const struct volume *vol = &volumes->v[i];
		const struct total *total = totals;

		if (!vol->chosen)
			continue;
		while (strcmp(total->share, vol->status.share))
			total++;
		any_cgroups |= has_cgroups(vol);
		for (size_t j = 0; j < vol->status.nr_groups; j++) {
			const struct status_group *group = &vol->status.groups[j];
			char *failing = find_failing(look, vol, group);

			add_group(list, opts, vol, group, total, &cgroups, failing);
			any_failing |= !!failing;
			free(failing);
		}
	}
	if (!any_cgroups)
		listing_drop(list, COL_CGROUP);
	if (!any_failing)
		listing_drop(list, COL_FAILING);
	cgroup_paths_free(&cgroups);
	free(totals);
}

/* Report volumes that LVM has undone, lest they be taken for active ones. */
static int check_ghosts(const struct options *opts,
			const struct volumes *volumes, int argc, char **argv)
{
	struct ghosts ghosts;
	int status = ghosts_read(opts, volumes, &ghosts);

	for (size_t i = 0; !status && i < ghosts.nr; i++) {
		const char *name = ghosts.v[i].name;
		char *sentence = ghost_sentence(opts, &ghosts.v[i]);
		bool named = false;

		for (int j = 0; j < argc; j++)
			named |= leaf_is_meant(opts->sysroot, argv[j], name);
		if (named)
			status = fail(IOBAND_DEVICE, "%s", sentence);
		else if (!argc)
			warn("%s", sentence);
		free(sentence);
	}
	ghosts_free(&ghosts);
	return status;
}

int cmd_status(const struct options *opts, int argc, char **argv)
{
	struct volumes volumes = { 0 };
	struct listing *list;
	struct look look = { 0 };
	int status;

	status = listing_new(&list, opts, "groups", status_columns);
	if (!status)
		status = volumes_read(&volumes);
	if (!status)
		status = check_ghosts(opts, &volumes, argc, argv);
	if (!status)
		status = volumes_choose(opts, &volumes, argc, argv);
	if (!status && listing_wants(list, COL_FAILING))
		look_at(&look, opts, argc, argv);
	if (!status)
		status = volumes_read_status(&volumes);
	/* Fail if a named volume has vanished meanwhile. */
	if (!status)
		status = volumes_choose(opts, &volumes, argc, argv);
	if (!status) {
		add_volumes(list, &volumes, opts, &look);
		status = listing_print(list);
	}
	look_free(&look);
	volumes_free(&volumes);
	listing_free(list);
	return status;
}
