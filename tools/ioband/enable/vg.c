// SPDX-License-Identifier: GPL-2.0-only
/*
 * The volumes of a volume group that is enabled or disabled as a whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "config/current.h"
#include "config/store.h"
#include "enable/vg.h"
#include "lib/blk.h"
#include "lib/leaf.h"
#include "lib/util.h"

/* Whether a device-mapper name is one of a volume group. */
static bool is_in_group(const char *name, const char *group)
{
	char prefix[VOLUME_LEN], *word = xasprintf("%s/", group);
	size_t len;

	blk_dm_name(prefix, sizeof(prefix), word);
	len = strlen(prefix);
	free(word);
	/* A hyphen in the name of the group is written twice. */
	return len && !strncmp(name, prefix, len) && name[len] != '-';
}

/* Whether it is a volume or a pool, not a part of one. */
static bool is_whole(const struct options *opts,
		     const struct ioband_dm_device *dev)
{
	/* "LVM-" and the ids of the group and of the volume. */
	const size_t group_len = 4 + 32, len = group_len + 32;
	char devno[DEVNO_LEN], group[40];

	if (!dev->uuid || strncmp(dev->uuid, "LVM-", 4) ||
	    strlen(dev->uuid) < len)
		return false;
	if (dev->uuid[len])
		return !strcmp(dev->uuid + len, "-pool");
	snprintf(devno, sizeof(devno), "%u:%u", dev->major, dev->minor);
	snprintf(group, sizeof(group), "%.*s", (int)group_len, dev->uuid);
	return !leaf_has_group_above(opts->sysroot, devno, group);
}

static void add_name(struct names *names, const char *name)
{
	for (size_t i = 0; i < names->nr; i++)
		if (!strcmp(names->v[i], name))
			return;
	names->v = xreallocarray(names->v, names->nr + 1, sizeof(*names->v));
	names->v[names->nr++] = xstrdup(name);
}

/* A word without a slash may be a volume group, unless something else is called so. */
static bool may_be_group(const struct options *opts,
			 const struct volumes *volumes, const char *word)
{
	char name[VOLUME_LEN], *why;
	struct blk blk;

	if (strpbrk(word, "/:=") || volume_known(opts, volumes, word, name))
		return false;
	why = blk_look_up(opts->sysroot, word, &blk);
	free(why);
	return why;
}

/**
 * vg_find - find what of a volume group can be enabled
 * @opts: options
 * @word: what was typed
 * @names: set to the devices that ioband is put into; none if it is no volume group
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int vg_find(const struct options *opts, const char *word, struct names *names)
{
	struct volumes volumes;
	int status = volumes_read(&volumes);

	memset(names, 0, sizeof(*names));
	for (size_t i = 0; !status && i < volumes.devices.nr &&
	     may_be_group(opts, &volumes, word); i++) {
		const struct ioband_dm_device *dev = &volumes.devices.v[i];

		if (is_in_group(dev->name, word) && is_whole(opts, dev))
			add_name(names, volumes_leaf(opts, &volumes, dev)->name);
	}
	volumes_free(&volumes);
	return status;
}

/**
 * vg_find_known - find what of a volume group is enabled or has ioband
 * @opts: options
 * @word: what was typed
 * @names: set to that; none if it is no volume group
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int vg_find_known(const struct options *opts, const char *word,
		  struct names *names)
{
	struct volumes volumes;
	struct names files = { 0 };
	int status = volumes_read(&volumes);

	memset(names, 0, sizeof(*names));
	if (!status && may_be_group(opts, &volumes, word)) {
		status = store_names(opts, STORE_ETC, &files);
		for (size_t i = 0; i < files.nr; i++)
			if (is_in_group(files.v[i], word))
				add_name(names, files.v[i]);
		for (size_t i = 0; i < volumes.nr; i++)
			if (is_in_group(volumes.v[i].name, word))
				add_name(names, volumes.v[i].name);
	}
	names_free(&files);
	volumes_free(&volumes);
	return status;
}

/**
 * vg_each - do something with each volume
 * @opts: options
 * @names: the volumes
 * @act: what to do
 * @words: for @act
 *
 * One that cannot be leaves the others as they are: each is done or not.
 *
 * Return: 0, the first exit code, or %IOBAND_PARTLY if others are done.
 */
int vg_each(const struct options *opts, const struct names *names,
	    int (*act)(const struct options *opts, const char *word,
		       const struct config *words),
	    const struct config *words)
{
	int status = 0, r;
	size_t nr_done = 0;

	for (size_t i = 0; i < names->nr; i++) {
		r = act(opts, names->v[i], words);
		nr_done += !r || r == IOBAND_PARTLY;
		status = status ? status : r;
	}
	return status && nr_done ? IOBAND_PARTLY : status;
}
