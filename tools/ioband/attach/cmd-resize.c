// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband resize: follow the size of the device below.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd.h"
#include "config/current.h"
#include "lib/action.h"
#include "lib/blk.h"
#include "lib/target.h"
#include "lib/units.h"
#include "lib/util.h"
#include "lib/volume.h"

static int force;

static const struct option resize_long_options[] = {
	{ "force",	no_argument,		&force, true },
	{ 0 }
};

const struct own_options resize_options = {
	resize_long_options, NULL,
	"      --force          shrink it though it is in use: what is cut off is lost\n"
};

/* Load the same line with another length. */
static int set_length(const struct options *opts, const struct volume *vol,
		      uint64_t length)
{
	struct ioband_dm_targets old, new = { 0 };
	int status;

	status = action_table(opts, "resize", vol->name, &old);
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

/*
 * The length that a word asks for: 10G, or a difference, +1G or -1G. 0 after the error has
 * been reported.
 */
static uint64_t parse_length(const struct volume *vol, const char *word)
{
	uint64_t bytes, sectors;
	char sign;

	/* main() puts a blank before a minus. */
	word += *word == ' ';
	sign = *word == '+' || *word == '-' ? *word : '\0';
	if (!units_parse_size(sign ? word + 1 : word, &bytes) || !bytes ||
	    bytes % 512) {
		fail(IOBAND_USAGE,
		     "size '%s': expected such as 10G, +1G or -1G, a multiple of 512 bytes",
		     word);
		return 0;
	}
	sectors = bytes / 512;
	if (sign == '-' && sectors >= vol->length) {
		fail(IOBAND_USAGE,
		     "size '%s': expected less than the %" PRIu64 " bytes that the volume has",
		     word, vol->length * 512);
		return 0;
	}
	return sign == '+' ? vol->length + sectors :
	       sign == '-' ? vol->length - sectors : sectors;
}

/*
 * Refuse to cut off a part of a device in use. @room: what the device below has; what
 * that has lost already is not lost by us.
 */
static int check_shrink(const struct options *opts, const struct volume *vol,
			uint64_t length, uint64_t room)
{
	uint64_t end = room < vol->length ? room : vol->length;
	unsigned int nr_open;
	char *devno, *user;
	int r, status;

	if (force || length >= end)
		return 0;
	r = ioband_dm_open_count(vol->name, &nr_open);
	if (r)
		return fail_errno(r, ioband_dm_error(),
				  "cannot find out whether '%s' is in use",
				  vol->name);
	if (!nr_open)
		return 0;
	devno = xasprintf("%u:%u", vol->major, vol->minor);
	user = blk_user(opts->sysroot, devno);
	status = fail(IOBAND_BUSY,
		      "cannot resize '%s': it is %s, and would lose all from byte %" PRIu64 " to %" PRIu64 "; shrink what is in it first, then use --force",
		      vol->name, user ? user : "in use", length * 512,
		      end * 512);
	free(user);
	free(devno);
	return status;
}

static int resize(const struct options *opts, const struct volume *vol,
		  const char *word)
{
	char was[UNITS_LEN], is[UNITS_LEN];
	uint64_t sectors, length;
	int status;

	if (volume_is_attached(vol))
		return fail(IOBAND_DEVICE,
			    "cannot resize '%s': ioband is only inside of it; resize the logical volume, then 'ioband attach %s' again",
			    vol->title, vol->title);
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
		length = parse_length(vol, word);
		if (!length)
			return IOBAND_USAGE;
	}
	if (length > sectors)
		return fail(IOBAND_USAGE,
			    "size '%s': the device below has %" PRIu64 " bytes only; enlarge it first",
			    word, sectors * 512);
	units_exact(was, vol->length * 512);
	units_exact(is, length * 512);
	if (length == vol->length) {
		report(opts, "%s: %s already", vol->name, is);
		return 0;
	}
	status = check_shrink(opts, vol, length, sectors);
	if (!status)
		status = set_length(opts, vol, length);
	if (!status)
		report(opts, "%s: resized from %s to %s", vol->name, was, is);
	return status;
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
		status = volumes_name(opts, &volumes, argv[0], &name);
	if (!status)
		status = resize(opts, volumes_find(&volumes, name),
				argc > 1 ? argv[1] : NULL);
	volumes_free(&volumes);
	return status;
}
