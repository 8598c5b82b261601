// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where in a logical volume ioband is.
 *
 * Whatever LVM makes of them, at the bottom are linear or striped devices: the leaves of
 * a volume. To LVM each is a device like any other, whose table it writes, and below which
 * it looks for nothing; so ioband can be in a leaf as in a linear volume, which is a leaf
 * itself. Leaves with metadata are left alone.
 *
 * That a device is a leaf of another volume shows in its name: LVM lets nobody else use
 * such names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dm.h"
#include "leaf.h"
#include "util.h"

/*
 * Leaves that are parts of a volume, in the order in which they are tried.
 * @suffix: what LVM appends to the name of the volume
 * @serves: whose I/O goes through such a leaf
 */
static const struct {
	const char *suffix;
	const char *serves;
} kinds[] = {
	{ "_tdata", "every volume of the pool" },
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

enum {
	/* "LVM-" and the id of a volume group. */
	GROUP_LEN	= 36,
	/* No working stack is that deep, but the sysfs of --sysroot may be made up. */
	DEPTH_MAX	= 32,
};

/* The kind that a name is of, or %NR_KINDS. */
static size_t kind_of(const char *name)
{
	size_t len = strlen(name), i;

	for (i = 0; i < NR_KINDS; i++) {
		size_t n = strlen(kinds[i].suffix);

		if (len > n && !strcmp(name + len - n, kinds[i].suffix))
			break;
	}
	return i;
}

/**
 * leaf_is - whether a device is a part of a volume that ioband may be in
 * @name: its device-mapper name
 */
bool leaf_is(const char *name)
{
	return kind_of(name) < NR_KINDS;
}

/**
 * leaf_is_inner - whether ioband is in a part of a volume that LVM hides
 * @name: the name by which the volume goes: of such a part, or of one that has snapshots, which
 *	keeps its own as they come and go
 */
bool leaf_is_inner(const char *name)
{
	return leaf_is(name) || strcmp(ioband_dm_actual(name), name);
}

/**
 * leaf_serves - say whose I/O goes through a part of a volume
 * @name: its device-mapper name
 *
 * Return: such as "every volume of the pool", or %NULL if it is no such part.
 */
const char *leaf_serves(const char *name)
{
	size_t kind = kind_of(name);

	return kind < NR_KINDS ? kinds[kind].serves : NULL;
}

/**
 * leaf_name - the name that the leaf of a volume would have
 * @name: buffer for the name
 * @size: size of the buffer
 * @whole: device-mapper name of the volume, or the name of the buffer
 *
 * Return: whether it fits; otherwise @name is as before.
 */
bool leaf_name(char *name, size_t size, const char *whole)
{
	if (strlen(whole) + strlen(kinds[0].suffix) >= size)
		return false;
	memmove(name, whole, strlen(whole) + 1);
	strcat(name, kinds[0].suffix);
	return true;
}

/**
 * leaf_is_of - whether a device is the leaf of a volume, by their names alone
 * @name: device-mapper name of the device
 * @whole: device-mapper name of the volume
 */
bool leaf_is_of(const char *name, const char *whole)
{
	size_t len = strlen(whole);

	return leaf_is(name) && !strncmp(name, whole, len) &&
	       !strcmp(name + len, kinds[kind_of(name)].suffix);
}

/* Metadata; and what pvmove puts below a leaf for as long as it moves it. */
static bool is_left_alone(const char *name)
{
	static const char * const words[] = {
		"_tmeta", "_cmeta", "_rmeta_", "_imeta", "-pvmove",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

/**
 * struct descent - the search for the leaves of a volume
 * @group: "LVM-" and the id of its volume group
 * @device: where it is, MAJOR:MINOR
 * @depth: how far below the volume that is
 * @is_inner: whether there is something of the same group below
 * @nr_leaves: how many have been found
 * @leaf: the last one
 */
struct descent {
	const char *device;
	char group[GROUP_LEN + 1];
	unsigned int depth;
	bool is_inner;
	unsigned int nr_leaves;
	char leaf[DEVNO_LEN];
};

static void descend(const char *sysroot, const char *device,
		    struct descent *descent);

static void look_below(const char *sysroot, const char *name, void *data)
{
	struct descent *descent = data;
	char *file = xasprintf("slaves/%s/dev", name);
	char *devno = blk_read_line(sysroot, descent->device, file, "");
	char *uuid = NULL, *dm_name = NULL;

	free(file);
	if (devno && strlen(devno) < DEVNO_LEN) {
		uuid = blk_read_line(sysroot, devno, "dm/uuid", descent->group);
		dm_name = blk_read_line(sysroot, devno, "dm/name", "");
	}
	if (uuid && dm_name && !is_left_alone(dm_name)) {
		descent->is_inner = true;
		descend(sysroot, devno, descent);
	}
	free(dm_name);
	free(uuid);
	free(devno);
}

static void descend(const char *sysroot, const char *device,
		    struct descent *descent)
{
	const char *above = descent->device;
	bool was_inner = descent->is_inner;

	if (descent->depth >= DEPTH_MAX)
		return;
	descent->depth++;
	descent->device = device;
	descent->is_inner = false;
	blk_each_entry(sysroot, device, "slaves", look_below, descent);
	if (!descent->is_inner && strcmp(descent->leaf, device)) {
		descent->nr_leaves++;
		snprintf(descent->leaf, sizeof(descent->leaf), "%s", device);
	}
	descent->is_inner = was_inner;
	descent->device = above;
	descent->depth--;
}

/**
 * leaf_find - go from a logical volume to the part of it that ioband is put into
 * @sysroot: prefix of /sys
 * @blk: the volume; becomes its leaf if it has one alone, which is not itself
 *
 * A thin volume so becomes the data of its pool.
 */
void leaf_find(const char *sysroot, struct blk *blk)
{
	struct descent descent = { 0 };
	char *uuid = blk_read_line(sysroot, blk->devno, "dm/uuid", "");
	char *name;

	if (uuid && !strncmp(uuid, "LVM-", 4) && strlen(uuid) > GROUP_LEN) {
		memcpy(descent.group, uuid, GROUP_LEN);
		descend(sysroot, blk->devno, &descent);
	}
	free(uuid);
	name = descent.nr_leaves == 1 ?
	       blk_read_line(sysroot, descent.leaf, "dm/name", "") : NULL;
	if (name && leaf_is(name) &&
	    blk_sectors(sysroot, descent.leaf, &blk->sectors)) {
		strcpy(blk->devno, descent.leaf);
		snprintf(blk->dm_name, sizeof(blk->dm_name), "%s", name);
	}
	free(name);
}

/**
 * leaf_is_below - whether a device is the leaf of another, or that one itself
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR of the upper one
 * @leaf: MAJOR:MINOR
 */
bool leaf_is_below(const char *sysroot, const char *device, const char *leaf)
{
	struct blk blk = { 0 };

	snprintf(blk.devno, sizeof(blk.devno), "%s", device);
	if (strcmp(device, leaf))
		leaf_find(sysroot, &blk);
	return !strcmp(blk.devno, leaf);
}

/**
 * leaf_is_meant - whether a word means a device, which may be gone
 * @sysroot: as in blk_look_up()
 * @arg: as in blk_look_up(); the device's own, or that of a volume whose leaf it is
 * @name: device-mapper name of the device
 */
bool leaf_is_meant(const char *sysroot, const char *arg, const char *name)
{
	char by_form[sizeof(((struct blk *)NULL)->dm_name)], *why;
	struct blk blk;

	if (blk_dm_name(by_form, sizeof(by_form), arg) &&
	    (!strcmp(by_form, name) || leaf_is_of(name, by_form)))
		return true;
	if (!strpbrk(arg, "/:"))
		return false;
	why = blk_look_up(sysroot, arg, &blk);
	if (!why && strcmp(blk.dm_name, name))
		leaf_find(sysroot, &blk);
	free(why);
	return !why && !strcmp(blk.dm_name, name);
}

struct above {
	const char *device;
	const char *group;
	bool found;
};

static void look_above(const char *sysroot, const char *name, void *data)
{
	struct above *above = data;
	char *file = xasprintf("holders/%s/dm/uuid", name);
	char *uuid = blk_read_line(sysroot, above->device, file, above->group);

	above->found |= uuid != NULL;
	free(uuid);
	free(file);
}

/**
 * leaf_has_group_above - whether a device of a volume group lies on a device
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR
 * @group: what the uuids of the group's devices begin with
 */
bool leaf_has_group_above(const char *sysroot, const char *device,
			  const char *group)
{
	struct above above = { .device = device, .group = group };

	blk_each_entry(sysroot, device, "holders", look_above, &above);
	return above.found;
}
