// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband resize: follow the size of the device below.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "action.h"
#include "blk.h"
#include "cmd.h"
#include "current.h"
#include "target.h"
#include "units.h"
#include "util.h"
#include "volume.h"

/* Load the same line with another length. */
static int set_length(const struct options *opts, const struct volume *vol,
		      uint64_t length)
{
	struct ioband_dm_targets old, new = { 0 };
	int status;

	status = action_table("resize", vol->name, &old);
	if (!status && old.nr != 1)
		status = fail(IOBAND_DEVICE,
			      "cannot resize '%s': its table has %zu lines, and would have one; see 'dmsetup table %s'",
			      vol->name, old.nr, vol->name);
	if (!status) {
		new.read_only = old.read_only;
		targets_add(&new, 0, length, TARGET_TYPE, old.v[0].params);
		status = action_replace(opts, "resize", vol->name, &old, &new);
	}
	ioband_dm_targets_free(&old);
	ioband_dm_targets_free(&new);
	return status;
}

static int resize(const struct options *opts, const struct volume *vol,
		  const char *word)
{
	uint64_t sectors, bytes, length;

	if (volume_is_attached(vol))
		return fail(IOBAND_DEVICE,
			    "cannot resize '%s': ioband is only inside of it; resize the logical volume, then 'ioband attach %s' again",
			    vol->name, vol->name);
	if (!blk_sectors(opts->sysroot, vol->devices[0], &sectors))
		return fail(IOBAND_DEVICE,
			    "cannot resize '%s': the size of device %s below it is unknown",
			    vol->name, vol->devices[0]);
	if (sectors <= vol->table.offset_sectors)
		return fail(IOBAND_DEVICE,
			    "cannot resize '%s': device %s has %" PRIu64 " sectors, and the volume begins at sector %" PRIu64 " of it",
			    vol->name, vol->devices[0], sectors,
			    vol->table.offset_sectors);
	sectors -= vol->table.offset_sectors;
	length = sectors;
	if (word) {
		if (!units_parse_size(word, &bytes) || !bytes || bytes % 512)
			return fail(IOBAND_USAGE,
				    "size '%s': expected such as 10G, a multiple of 512 bytes",
				    word);
		length = bytes / 512;
	}
	if (length > sectors)
		return fail(IOBAND_USAGE,
			    "size '%s': the device below has %" PRIu64 " bytes only; enlarge it first",
			    word, sectors * 512);
	if (length == vol->length)
		return 0;
	return set_length(opts, vol, length);
}

int cmd_resize(const struct options *opts, int argc, char **argv)
{
	struct volumes volumes = { 0 };
	const char *name;
	int status;

	if (!argc)
		return fail(IOBAND_USAGE,
			    "resize: expected the name of a volume; 'ioband list' shows those there are");
	status = volumes_lock(opts, &volumes);
	if (!status)
		status = volumes_name(&volumes, argv[0], &name);
	if (!status)
		status = resize(opts, volumes_find(&volumes, name),
				argc > 1 ? argv[1] : NULL);
	volumes_free(&volumes);
	return status;
}
