// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband remove: remove a device made by ioband create.
 */
#include <errno.h>
#include <stdlib.h>

#include "attach.h"
#include "cmd.h"
#include "config/current.h"
#include "config/store.h"
#include "lib/action.h"
#include "lib/blk.h"
#include "lib/lock.h"
#include "lib/util.h"
#include "lib/volume.h"
#include "wbt.h"

/**
 * remove_device - remove the device of a volume made by ioband create
 * @opts: the global options
 * @dev: the device, which may have lost its ioband table
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int remove_device(const struct options *opts,
		  const struct ioband_dm_device *dev)
{
	char devno[DEVNO_LEN];
	unsigned int count;
	int r, status;
	char *user;

	/* Check first: removing a device in use retries for some seconds. */
	r = ioband_dm_open_count(dev->name, &count);
	if (!r && count)
		r = -EBUSY;
	if (!r)
		r = action_remove(opts, dev->name);
	if (!r && !opts->dry_run)
		record_remove(opts, dev->name);
	if (r != -EBUSY || *lock_reason())
		return r ? fail_change(r, "cannot remove '%s'", dev->name) : 0;
	snprintf(devno, sizeof(devno), "%u:%u", dev->major, dev->minor);
	user = blk_user(opts->sysroot, devno);
	status = fail(IOBAND_BUSY,
		      "cannot remove '%s': it is %s; free it and try again",
		      dev->name, user ? user : "in use");
	free(user);
	return status;
}

static int remove_volume(const struct options *opts,
			 const struct volumes *volumes, const char *word)
{
	const struct volume *vol;
	const char *name = word;
	int status = 0;

	/* What is left of one whose table was replaced. */
	if (!volume_is_wiped(volumes, word))
		status = volumes_name(opts, volumes, word, &name);
	vol = status ? NULL : volumes_find(volumes, name);
	if (vol && volume_is_attached(vol))
		status = fail(IOBAND_DEVICE,
			      "cannot remove '%s': ioband is only inside of it; use 'ioband detach %s'",
			      vol->title, vol->title);
	if (!status)
		status = remove_device(opts, volumes_device(volumes, name,
							    NULL));
	if (!status) {
		report(opts, "%s: removed", name);
		wbt_restore(opts, name);
	}
	return status;
}

int cmd_remove(const struct options *opts, int argc, char **argv)
{
	struct volumes volumes = { 0 };
	int status;

	if (!argc)
		return fail(IOBAND_USAGE,
			    "remove: expected the name of a volume; 'ioband list' shows those there are");
	status = volumes_lock(opts, &volumes);
	if (!status)
		status = remove_volume(opts, &volumes, argv[0]);
	volumes_free(&volumes);
	return status;
}
