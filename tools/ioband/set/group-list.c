// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband group list: what the groups of volumes are set to.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "config/current.h"
#include "config/kept.h"
#include "lib/output.h"
#include "lib/sample.h"
#include "lib/util.h"
#include "lib/words.h"
#include "set.h"

/* A column for each setting but SET_FORCE, in their order; then those of limits. */
enum {
	COL_VOLUME,
	COL_GROUP,
	COL_NAME,
	COL_OWNER,
	COL_SETTINGS,
	COL_BURSTS	= COL_SETTINGS + SET_FORCE,
	COL_PEAKS	= COL_BURSTS + SET_IOPS - SET_RBPS + 1,
};

#define LIMIT(suffix, desc) \
	{ "RBPS" suffix, COLUMN_NUMBER, true, desc "reads, bytes per second" }, \
	{ "WBPS" suffix, COLUMN_NUMBER, true, desc "writes, bytes per second" }, \
	{ "BPS" suffix, COLUMN_NUMBER, true, desc "both, bytes per second" }, \
	{ "RIOPS" suffix, COLUMN_NUMBER, true, desc "reads per second" }, \
	{ "WIOPS" suffix, COLUMN_NUMBER, true, desc "writes per second" }, \
	{ "IOPS" suffix, COLUMN_NUMBER, true, desc "both per second" }

const struct column group_columns[] = {
	{ "VOLUME", COLUMN_STRING, true,
		"VG/LV or name of the volume; its device-mapper name with --json and --raw" },
	{ "GROUP", COLUMN_NUMBER, true,
		"id of the group; the default group is -1 with --json and --raw" },
	{ "NAME", COLUMN_STRING, true,
		"path of the cgroup, name of the user or process and so on" },
	{ "OWNER", COLUMN_STRING, true,
		"follow, if weight and limits for one direction are the cgroup's; auto" },
	{ "WEIGHT", COLUMN_NUMBER, true, "weight" },
	LIMIT("", "limit of "),
	{ "MIN", COLUMN_NUMBER, true, "minimum, bytes per second" },
	{ "MINIOPS", COLUMN_NUMBER, true, "minimum, I/Os per second" },
	{ "LATENCY", COLUMN_NUMBER, true,
		"target for the time of an I/O; microseconds with --json and --raw" },
	{ "CLASS", COLUMN_STRING, true, "rt, be or idle" },
	{ "PARENT", COLUMN_STRING, true, "group out of whose part it comes" },
	LIMIT("-BURST", "burst of that of "),
	LIMIT("-PEAK", "peak of that of "),
	{ 0 }
};

/**
 * struct lister - the state
 * @used: columns in which something is set
 */
struct lister {
	const struct options *opts;
	struct listing *list;
	bool used[sizeof(group_columns) / sizeof(group_columns[0])];
};

/* For people as it would be typed, for programs a number. */
static void set_number(struct lister *l, unsigned int column, uint64_t number,
		       const char *text)
{
	if (l->opts->json || l->opts->raw)
		listing_number(l->list, column, number);
	else
		listing_string(l->list, column, text);
	l->used[column] = true;
}

/* A part of a limit, as a setting of its own. */
static void set_part(struct lister *l, unsigned int column,
		     enum setting_key key, uint64_t value)
{
	struct settings part = { 0 };
	char text[SETTING_LEN];

	part.v[key] = (struct setting){ .given = true, .value = value };
	setting_value(text, &part, key, !l->opts->bytes);
	set_number(l, column, value, text);
}

static void set_setting(struct lister *l, const struct config *cfg,
			const struct config_group *group, enum setting_key key)
{
	const struct setting *s = &group->set.v[key];
	unsigned int column = COL_SETTINGS + key;
	char text[SETTING_LEN];
	uint64_t id;

	if (!setting_acts(key, cfg->policy))
		return;
	setting_value(text, &group->set, key, true);
	if (key == SET_CLASS) {
		listing_string(l->list, column, text);
		l->used[column] |= !setting_is_default(&group->set, key);
	} else if (key == SET_WEIGHT) {
		parse_u64(text, UINT64_MAX, &id);
		set_number(l, column, id, text);
	} else if (setting_is_default(&group->set, key)) {
		return;
	} else if (key == SET_PARENT) {
		const struct config_group *parent = NULL;

		if (parse_u64(group->set.parent, UINT64_MAX, &id))
			parent = config_find(cfg, false, id);
		listing_string(l->list, column, parent ? parent->name : text);
		l->used[column] = true;
	} else {
		set_part(l, column, key, s->value);
		if (s->has_burst)
			set_part(l, COL_BURSTS + key - SET_RBPS, key, s->burst);
		if (s->has_peak)
			set_part(l, COL_PEAKS + key - SET_RBPS, key, s->peak);
	}
}

static void add_group(struct lister *l, const struct volume *vol,
		      const struct config *cfg,
		      const struct config_group *group, bool is_followed)
{
	bool is_cgroup = !strcmp(cfg->type, "cgroup");
	char *name;

	listing_row(l->list);
	listing_volume(l->list, COL_VOLUME, vol->name, vol->title);
	if (group->is_default)
		listing_word(l->list, COL_GROUP, "default", -1);
	else
		listing_number(l->list, COL_GROUP, group->id);
	name = group->is_default ? NULL :
	       !is_cgroup ? owner_name(vol, group->id, l->opts->sysroot) :
	       *group->name == '/' ? xstrdup(group->name) : NULL;
	if (name) {
		listing_string(l->list, COL_NAME, name);
		l->used[COL_NAME] = true;
	}
	if (!group->is_default && is_followed && strcmp(group->name, "/")) {
		listing_string(l->list, COL_OWNER, "follow");
		l->used[COL_OWNER] = true;
	} else if (group->is_auto) {
		listing_string(l->list, COL_OWNER, "auto");
		l->used[COL_OWNER] = true;
	}
	for (int key = 0; key < SET_FORCE; key++)
		set_setting(l, cfg, group, key);
	free(name);
}

static int add_volume(struct lister *l, const struct volume *vol)
{
	bool is_followed = volume_is_followed(l->opts, vol);
	struct config cfg;
	int status = volume_config(l->opts, vol, &cfg);

	for (size_t i = 0; !status && i < cfg.nr_groups; i++)
		add_group(l, vol, &cfg, &cfg.groups[i], is_followed);
	config_free(&cfg);
	return status;
}

/**
 * group_list - show what groups are set to
 * @opts: the global options
 * @argc: number of volumes, 0 for all
 * @argv: the volumes
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int group_list(const struct options *opts, int argc, char **argv)
{
	struct lister l = { .opts = opts };
	struct volumes volumes = { 0 };
	int status;

	status = listing_new(&l.list, opts, "groups", group_columns);
	if (!status)
		status = volumes_read(&volumes);
	if (!status)
		status = volumes_choose(opts, &volumes, argc, argv);
	for (size_t i = 0; !status && i < volumes.nr; i++)
		if (volumes.v[i].chosen)
			status = add_volume(&l, &volumes.v[i]);
	for (unsigned int i = COL_NAME; !status && group_columns[i].name; i++)
		if (!l.used[i])
			listing_drop(l.list, i);
	if (!status)
		status = listing_print(l.list);
	volumes_free(&volumes);
	listing_free(l.list);
	return status;
}
