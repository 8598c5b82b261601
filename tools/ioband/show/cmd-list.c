// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband list: list the volumes.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "config/current.h"
#include "lib/leaf.h"
#include "lib/output.h"
#include "lib/util.h"
#include "lib/volume.h"

enum {
	COL_NAME,
	COL_SHARE,
	COL_DEVICE,
	COL_TYPE,
	COL_POLICY,
	COL_GROUPS,
	COL_STATE,
	COL_MAJMIN,
	COL_IO_THROTTLE,
	COL_IO_LIMIT,
	COL_LV,
};

const struct column list_columns[] = {
	[COL_NAME] = { "NAME", COLUMN_STRING, true,
		"VG/LV or name of the volume; its device-mapper name with --json and --raw" },
	[COL_SHARE] = { "SHARE", COLUMN_STRING, true,
		"id of the share: volumes with the same id divide one bandwidth" },
	[COL_DEVICE] = { "DEVICE", COLUMN_LIST, true,
		"device or devices below the volume" },
	[COL_TYPE] = { "TYPE", COLUMN_STRING, true,
		"what sorts I/O into groups" },
	[COL_POLICY] = { "POLICY", COLUMN_STRING, true,
		"what the bandwidth is divided by" },
	[COL_GROUPS] = { "GROUPS", COLUMN_NUMBER, true,
		"number of groups, the default group included" },
	[COL_STATE] = { "STATE", COLUMN_STRING, true,
		"active, or what is wrong with it" },
	[COL_MAJMIN] = { "MAJ:MIN", COLUMN_STRING, false,
		"device number of the volume" },
	[COL_IO_THROTTLE] = { "IO-THROTTLE", COLUMN_NUMBER, false,
		"I/Os that the device below is given at once; if automatic, 0 with --json and --raw" },
	[COL_IO_LIMIT] = { "IO-LIMIT", COLUMN_NUMBER, false,
		"upper bound of that and of the I/Os that wait; likewise" },
	[COL_LV] = { "LV", COLUMN_STRING, false,
		"VG/LV, if the volume is a logical volume with ioband inside" },
	{ 0 }
};

static void add_devices(struct listing *list, const struct options *opts,
			const struct volume *vol)
{
	char **paths;

	if (!listing_wants(list, COL_DEVICE))
		return;
	paths = xcalloc(vol->nr_devices, sizeof(*paths));
	for (size_t i = 0; i < vol->nr_devices; i++)
		paths[i] = blk_path(opts->sysroot, vol->devices[i]);
	listing_strings(list, COL_DEVICE, paths, vol->nr_devices);
	for (size_t i = 0; i < vol->nr_devices; i++)
		free(paths[i]);
	free(paths);
}

static void add_depth(struct listing *list, unsigned int column,
		      uint32_t depth)
{
	if (depth)
		listing_number(list, column, depth);
	else
		listing_word(list, column, "auto", 0);
}

static void add_name(struct listing *list, const char *name, const char *title)
{
	listing_volume(list, COL_NAME, name, title);
	if (strcmp(name, title))
		listing_string(list, COL_LV, title);
}

static void add_volume(struct listing *list, const struct options *opts,
		       const struct volume *vol)
{
	char *majmin = xasprintf("%u:%u", vol->major, vol->minor);

	listing_row(list);
	add_name(list, vol->name, vol->title);
	listing_string(list, COL_SHARE, vol->table.share);
	add_devices(list, opts, vol);
	listing_string(list, COL_TYPE, vol->table.type);
	listing_string(list, COL_POLICY, vol->table.policy);
	listing_number(list, COL_GROUPS, vol->table.nr_groups);
	listing_string(list, COL_STATE, volume_state(opts, vol));
	listing_string(list, COL_MAJMIN, majmin);
	add_depth(list, COL_IO_THROTTLE, vol->table.io_throttle);
	add_depth(list, COL_IO_LIMIT, vol->table.io_limit);
	free(majmin);
}

/* A row for what is left of an attached volume. */
static void add_ghost(struct listing *list, const struct ghost *ghost)
{
	char *title = volume_title(ghost->name, ghost->cfg.uuid);

	listing_row(list);
	add_name(list, ghost->name, title);
	free(title);
	listing_string(list, COL_STATE, ghost->state);
	if (!*ghost->cfg.share)
		return;
	listing_string(list, COL_SHARE, ghost->cfg.share);
	listing_string(list, COL_TYPE, ghost->cfg.type);
	listing_string(list, COL_POLICY, ghost->cfg.auto_policy ? "auto" :
		       ghost->cfg.policy);
}

/* Whether a word names what is left of a volume: then it is no volume. */
static bool choose_ghost(const struct options *opts, struct ghosts *ghosts,
			 const char *word)
{
	bool found = false;

	for (size_t i = 0; i < ghosts->nr; i++) {
		bool meant = leaf_is_meant(opts->sysroot, word,
					  ghosts->v[i].name);

		ghosts->v[i].chosen |= meant;
		found |= meant;
	}
	return found;
}

static int choose(const struct options *opts, struct volumes *volumes,
		  struct ghosts *ghosts, int argc, char **argv)
{
	for (size_t i = 0; i < volumes->nr; i++)
		volumes->v[i].chosen = !argc;
	for (size_t i = 0; i < ghosts->nr; i++)
		ghosts->v[i].chosen = !argc;
	for (int i = 0; i < argc; i++) {
		const char *name;
		int status;

		if (choose_ghost(opts, ghosts, argv[i]))
			continue;
		status = volumes_name(opts, volumes, argv[i], &name);
		if (status)
			return status;
		for (size_t j = 0; j < volumes->nr; j++)
			volumes->v[j].chosen |= !strcmp(volumes->v[j].name, name);
	}
	return 0;
}

int cmd_list(const struct options *opts, int argc, char **argv)
{
	struct volumes volumes = { 0 };
	struct ghosts ghosts = { 0 };
	struct listing *list;
	int status;

	status = listing_new(&list, opts, "volumes", list_columns);
	if (!status)
		status = volumes_read(&volumes);
	if (!status)
		status = ghosts_read(opts, &volumes, &ghosts);
	if (!status)
		status = choose(opts, &volumes, &ghosts, argc, argv);
	if (!status) {
		for (size_t i = 0; i < volumes.nr; i++)
			if (volumes.v[i].chosen)
				add_volume(list, opts, &volumes.v[i]);
		for (size_t i = 0; i < ghosts.nr; i++)
			if (ghosts.v[i].chosen)
				add_ghost(list, &ghosts.v[i]);
		status = listing_print(list);
	}
	ghosts_free(&ghosts);
	volumes_free(&volumes);
	listing_free(list);
	return status;
}
