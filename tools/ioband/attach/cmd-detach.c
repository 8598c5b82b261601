// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband detach: take ioband out of a device in use.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "cmd.h"
#include "config/current.h"
#include "config/store.h"
#include "inside.h"
#include "lib/util.h"
#include "wbt.h"

/* LVM has removed ioband, or the whole device: clean up what is left of ours. */
static int forget(const struct options *opts, const struct volumes *volumes,
		  const char *name, const char *uuid)
{
	struct config cfg;
	char *title;
	bool found;
	int status;

	found = record_find(opts, name, uuid, &cfg);
	/* A new device may have the name now: look for a record by name alone. */
	if (!found && *uuid) {
		config_free(&cfg);
		found = record_find(opts, name, "", &cfg);
	}
	if (found) {
		if (!opts->dry_run)
			record_remove(opts, cfg.name);
		status = inside_clean(opts, volumes, cfg.name, cfg.uuid);
	} else {
		title = volumes_title(volumes, name);
		warn("'%s' is not attached: nothing to do", title);
		free(title);
		status = inside_clean(opts, volumes, name, uuid);
	}
	config_free(&cfg);
	return status;
}

/**
 * detach_volume - take ioband out of a device, or forget that it was in
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @name: the device
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int detach_volume(const struct options *opts, const struct volumes *volumes,
		  const char *name)
{
	const struct ioband_dm_device *dev;
	const struct volume *vol;
	struct config cfg;
	int status;

	dev = volumes_device(volumes, name, NULL);
	vol = volumes_find(volumes, name);
	if (!vol)
		return forget(opts, volumes, name,
			      dev && dev->uuid ? dev->uuid : "");
	if (!strncmp(vol->uuid, UUID_PREFIX, strlen(UUID_PREFIX)))
		return fail(IOBAND_DEVICE,
			    "cannot detach '%s': it is a device of its own; use 'ioband remove %s'",
			    name, name);
	status = inside_take_out(opts, volumes, name);
	if (!status && !opts->dry_run) {
		if (record_find(opts, name, vol->uuid, &cfg))
			record_remove(opts, cfg.name);
		config_free(&cfg);
	}
	return status;
}

static int detach(const struct options *opts, const struct volumes *volumes,
		  const char *name)
{
	const struct volume *vol = volumes_find(volumes, name);
	int status = detach_volume(opts, volumes, name);

	if (!status && vol && store_has_file(opts, name))
		report(opts, "%s: ioband taken out; it comes back as " STORE_ETC "/%s.conf says, until 'ioband disable %s'",
		       vol->title, name, vol->title);
	else if (!status && vol)
		report(opts, "%s: ioband taken out", vol->title);
	if (!status)
		wbt_restore(opts, name);
	return status;
}

int cmd_detach(const struct options *opts, int argc, char **argv)
{
	struct volumes volumes = { 0 };
	char name[VOLUME_LEN];
	int status;

	if (!argc)
		return fail(IOBAND_USAGE,
			    "detach: expected a logical volume, as in 'ioband detach /dev/vg/data'");
	status = volumes_lock(opts, &volumes);
	if (!status)
		status = volume_meant(opts, &volumes, "detach", argv[0], name);
	if (!status)
		status = detach(opts, &volumes, name);
	volumes_free(&volumes);
	return status;
}
