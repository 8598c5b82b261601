// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband remove: remove a device made by ioband create.
 */
#include <errno.h>
#include <stdlib.h>

#include "action.h"
#include "attach.h"
#include "blk.h"
#include "cmd.h"
#include "current.h"
#include "util.h"
#include "volume.h"

/**
 * remove_volume - remove a volume that is a device of its own
 * @opts: the global options
 * @vol: the volume
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int remove_volume(const struct options *opts, const struct volume *vol)
{
	char devno[DEVNO_LEN];
	unsigned int count;
	int r, status;
	char *user;

	if (volume_is_attached(vol))
		return fail(IOBAND_DEVICE,
			    "cannot remove '%s': ioband is only inside of it; use 'ioband detach %s'",
			    vol->name, vol->name);
	/* Check first: removing a device in use retries for some seconds. */
	r = ioband_dm_open_count(vol->name, &count);
	if (!r && count)
		r = -EBUSY;
	if (!r)
		r = action_remove(opts, vol->name);
	if (r != -EBUSY)
		return r ? fail_change(r, "cannot remove '%s'", vol->name) : 0;
	snprintf(devno, sizeof(devno), "%u:%u", vol->major, vol->minor);
	user = blk_user(opts->sysroot, devno);
	status = fail(IOBAND_BUSY,
		      "cannot remove '%s': it is %s; free it and try again",
		      vol->name, user ? user : "in use");
	free(user);
	return status;
}

int cmd_remove(const struct options *opts, int argc, char **argv)
{
	struct volumes volumes = { 0 };
	const char *name;
	int status;

	if (!argc)
		return fail(IOBAND_USAGE,
			    "remove: expected the name of a volume; 'ioband list' shows those there are");
	status = volumes_lock(opts, &volumes);
	if (!status)
		status = volumes_name(&volumes, argv[0], &name);
	if (!status)
		status = remove_volume(opts, volumes_find(&volumes, name));
	volumes_free(&volumes);
	return status;
}
