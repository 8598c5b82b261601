// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ioband may be put into or on top of, and the hidden device below it.
 */
#include <stdlib.h>
#include <string.h>

#include "attachable.h"
#include "cmd.h"
#include "leaf.h"
#include "target.h"
#include "util.h"

#define UUID_LVM "LVM-"

enum {
	LVM_ID_LEN	= 32,
	/* Of a volume group and of a logical volume. */
	VG_UUID_LEN	= sizeof(UUID_LVM) - 1 + LVM_ID_LEN,
	LV_UUID_LEN	= VG_UUID_LEN + LVM_ID_LEN,
};

/*
 * LVM takes a device whose uuid has its prefix and is longer than that of a logical
 * volume for an inner part of one and does not scan it; libblkid does likewise if there
 * is a further hyphen. As no volume group has an id that begins like this, LVM does not
 * take it for a part of its own either, which it would remove as it sees fit.
 */
#define UUID_HIDDEN UUID_LVM "IOBAND-"

/* What it was before, and LVM found the contents of the volume there once more. */
#define UUID_HIDDEN_OLD "IOBAND-LOWER-"

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/**
 * hidden_uuid - the uuid of the hidden device of a volume
 * @name: the volume
 * @uuid: its uuid, or ""
 *
 * Return: the uuid, to be freed.
 */
char *hidden_uuid(const char *name, const char *uuid)
{
	static const char dashes[LV_UUID_LEN + 1] =
		"--------------------------------------------------------------------";
	const char *own = *uuid ? uuid : name;
	int len = strlen(UUID_HIDDEN) + strlen(own);

	/* LVM's own comparison is with one more than the length. */
	return xasprintf(UUID_HIDDEN "%.*s%s",
			 len < LV_UUID_LEN + 2 ? LV_UUID_LEN + 2 - len : 0,
			 dashes, own);
}

/**
 * hidden_find - find the hidden device of a volume
 * @volumes: what volumes_read() found
 * @name: the volume
 * @uuid: its uuid, or ""
 *
 * Return: the device, or %NULL.
 */
const struct ioband_dm_device *hidden_find(const struct volumes *volumes,
					   const char *name, const char *uuid)
{
	char *now = hidden_uuid(name, uuid);
	char *old = xasprintf(UUID_HIDDEN_OLD "%s", *uuid ? uuid : name);
	const struct ioband_dm_device *dev;

	dev = volumes_device(volumes, NULL, now);
	if (!dev)
		dev = volumes_device(volumes, NULL, old);
	free(old);
	free(now);
	return dev;
}

/**
 * targets_fail - whether all I/O to a device fails, as dmsetup remove --force has it
 * @targets: its table
 */
bool targets_fail(const struct ioband_dm_targets *targets)
{
	for (size_t i = 0; i < targets->nr; i++)
		if (strcmp(targets->v[i].type, "error"))
			return false;
	return targets->nr;
}

/**
 * uuid_is_hidden - whether a device is the hidden one of a volume
 * @uuid: its uuid, or %NULL
 */
bool uuid_is_hidden(const char *uuid)
{
	return uuid && (has_prefix(uuid, UUID_HIDDEN) ||
			has_prefix(uuid, UUID_HIDDEN_OLD));
}

/*
 * LVM marks most of its parts by a suffix of the uuid. Legs of a RAID have none, but
 * another device of their volume group lies on them.
 */
static bool is_part(const struct options *opts,
		    const struct ioband_dm_targets *table)
{
	char devno[DEVNO_LEN], group[VG_UUID_LEN + 1];

	if (uuid_is_hidden(table->uuid))
		return true;
	if (!has_prefix(table->uuid, UUID_LVM) ||
	    strlen(table->uuid) < LV_UUID_LEN)
		return false;
	if (table->uuid[LV_UUID_LEN])
		return table->uuid[LV_UUID_LEN] == '-';
	snprintf(group, sizeof(group), "%.*s", VG_UUID_LEN, table->uuid);
	snprintf(devno, sizeof(devno), "%u:%u", table->major, table->minor);
	return leaf_has_group_above(opts->sysroot, devno, group);
}

/* Moved to another device, it would be active twice for a moment. */
static bool may_be_moved(const char *type)
{
	return !strcmp(type, "linear") || !strcmp(type, "striped") ||
	       !strcmp(type, TARGET_TYPE);
}

/**
 * attach_obstacle - tell why ioband cannot be put into a device
 * @opts: the global options
 * @name: its device-mapper name
 * @table: the table of the device
 *
 * To a thin snapshot LVM has to suspend the thin volume and its pool. It does not look
 * for them below ioband, and the transaction that it has written to its own metadata
 * never reaches the pool: from then on it refuses to touch that pool.
 *
 * Into a part of a volume ioband goes only if LVM is shown its own table there. When it
 * removes a thin volume LVM loads the table for the pool's data that it does not find, and
 * leaves it inactive; to extend the pool it then takes that for the longer one that it
 * would have loaded itself, and the pool stays suspended.
 *
 * Return: the reason, to be freed; %NULL if there is none.
 */
char *attach_obstacle(const struct options *opts, const char *name,
		      const struct ioband_dm_targets *table)
{
	bool is_inner = leaf_is_inner(name);

	if (!is_inner && is_part(opts, table))
		return xstrdup("it is an inner part of a logical volume, such as a leg of a RAID is, or a thin pool whose data are on one; put a volume on top of the one that is used, with 'ioband enable NAME DEVICE'");
	for (size_t i = 0; i < table->nr; i++) {
		const char *type = table->v[i].type;

		if (!strcmp(type, "thin"))
			return xstrdup("it is thin, and LVM could not take snapshots of it any more; name its pool, or put a volume on top of it with 'ioband enable NAME DEVICE'");
		if (is_inner && !strcmp(type, "striped"))
			return xstrdup("its data are striped, and LVM would not find its own table there; put a volume on top of the one that is used, with 'ioband enable NAME DEVICE'");
		if (!may_be_moved(type))
			return xasprintf("its table has a line of target '%s', and only linear and striped can be moved; put a volume on top of it with 'ioband enable NAME DEVICE'",
					 type);
	}
	return NULL;
}

/**
 * attach_why_not - tell why ioband cannot be put into a device, by its name
 * @opts: the global options
 * @name: device-mapper name
 *
 * Return: the reason, to be freed; %NULL if there is none, or no such device.
 */
char *attach_why_not(const struct options *opts, const char *name)
{
	struct ioband_dm_targets table;
	char *why = NULL;

	if (!ioband_dm_table(name, &table))
		why = attach_obstacle(opts, name, &table);
	ioband_dm_targets_free(&table);
	return why;
}

/* The table of a volume with snapshots is that of a part; the volume itself is none. */
static bool is_part_by_name(const struct options *opts, const char *name)
{
	struct ioband_dm_targets table;
	bool is = !ioband_dm_table(name, &table) &&
		  !strcmp(ioband_dm_actual(name), name) &&
		  is_part(opts, &table);

	ioband_dm_targets_free(&table);
	return is;
}

/**
 * create_check - refuse to create a volume on what is LVM's own, or does not answer
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @name: the new volume
 * @blk: the device below
 *
 * A look at its contents would wait until somebody resumes it, and all other commands
 * would wait for us. And on a part of a logical volume nobody but LVM may write.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int create_check(const struct options *opts, const struct volumes *volumes,
		 const char *name, const struct blk *blk)
{
	for (size_t i = 0; i < volumes->devices.nr; i++) {
		const struct ioband_dm_device *dev = &volumes->devices.v[i];
		char devno[DEVNO_LEN];

		snprintf(devno, sizeof(devno), "%u:%u", dev->major, dev->minor);
		if (dev->suspended &&
		    blk_is_related(opts->sysroot, blk->devno, devno))
			return fail(IOBAND_BUSY,
				    "cannot create '%s': '%s' is suspended, so LVM or another program is changing it; try again later, or 'dmsetup resume %s' if nobody is",
				    name, dev->name, dev->name);
		if (!strcmp(devno, blk->devno) && is_part_by_name(opts, dev->name))
			return fail(IOBAND_USAGE,
				    "cannot create '%s': '%s' is an inner part of a logical volume, or a thin pool; name a volume that lies on it",
				    name, dev->name);
	}
	return 0;
}
