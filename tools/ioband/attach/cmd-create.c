// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband create: make a new device on top of another.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "cmd.h"
#include "config/current.h"
#include "config/share.h"
#include "config/store.h"
#include "lib/action.h"
#include "lib/attachable.h"
#include "lib/blk.h"
#include "lib/lock.h"
#include "lib/target.h"
#include "lib/util.h"
#include "wbt.h"

int create_force;

static const struct option create_long_options[] = {
	{ "force",	no_argument,		&create_force, true },
	{ 0 }
};

const struct own_options create_options = {
	create_long_options, NULL,
	"      --force          create on what LVM or RAID would find twice\n"
};

/* Refuse contents that a scan of all disks would find on both devices. */
static int check_contents(const struct options *opts, const struct config *cfg,
			  const char *devno)
{
	static const char * const found[] = {
		"LVM2_member", "linux_raid_member", "zfs_member", "btrfs",
	};
	char *type = blk_signature(opts->sysroot, devno);
	int status = 0;

	for (size_t i = 0; type && i < sizeof(found) / sizeof(found[0]); i++)
		if (!strcmp(type, found[i]) && !create_force)
			status = fail(IOBAND_DEVICE,
				      "cannot create '%s' on '%s': it carries %s, which would be found twice, there and on '%s'; hide the device below first as ioband(8) tells, then use --force",
				      cfg->name, cfg->device, type, cfg->name);
	free(type);
	return status;
}

static int in_use(const struct options *opts, const struct config *cfg,
		  const char *devno, int err)
{
	char *user = blk_user(opts->sysroot, devno);
	int status;

	status = fail(errno_status(err),
		      "cannot create '%s' on '%s': it is %s; free it, or if it is a logical volume put ioband inside with 'ioband attach'",
		      cfg->name, cfg->device, user ? user : "in use");
	free(user);
	return status;
}

/**
 * create_volume - create a volume on top of a device
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @cfg: the configuration, resolved
 * @blk: the device below
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int create_volume(const struct options *opts, const struct volumes *volumes,
		  struct config *cfg, const struct blk *blk)
{
	struct ioband_dm_targets targets = { 0 };
	char *params, *uuid;
	int r, status;

	cfg->is_attached = false;
	status = create_check(opts, volumes, cfg->name, blk);
	if (!status) {
		/* A read may wait for the device below for ever. */
		lock_pause(opts);
		status = check_contents(opts, cfg, blk->devno);
		lock_resume();
	}
	if (!status)
		status = share_default(opts, cfg, blk->devno);
	if (!status)
		share_adopt(opts, volumes, cfg, blk->devno);
	if (!status)
		status = share_check(opts, volumes, cfg, blk->devno);
	if (!status && !blk->sectors)
		status = fail(IOBAND_DEVICE,
			      "cannot create '%s' on '%s': it has no size",
			      cfg->name, cfg->device);
	if (status)
		return status;

	uuid = xasprintf(UUID_PREFIX "%s", cfg->name);
	params = config_params(cfg, blk->devno, 0);
	targets_add(&targets, 0, blk->sectors, TARGET_TYPE, params);
	targets.read_only = blk_is_read_only(opts->sysroot, blk->devno);
	r = action_create(opts, cfg->name, uuid, &targets,
			  blk_read_ahead(opts->sysroot, blk->devno),
			  blk_has_low_priority(opts->sysroot, blk->devno) ?
			  IOBAND_DM_LOW_PRIORITY : IOBAND_DM_LINKED);
	ioband_dm_targets_free(&targets);
	free(params);
	free(uuid);
	if (r == -EBUSY)
		return in_use(opts, cfg, blk->devno, r);
	return r ? fail_change(r, "cannot create '%s' on '%s'", cfg->name,
			       cfg->device) : 0;
}

int cmd_create(const struct options *opts, int argc, char **argv)
{
	struct ioband_dm_version version;
	struct volumes volumes = { 0 };
	struct parse_error err;
	struct config cfg;
	struct blk blk;
	int status;

	if (argc < 2)
		return fail(IOBAND_USAGE,
			    "create: expected a name and a device, as in 'ioband create data /dev/vg/data'");
	if (blk_is_lv(argv[0]))
		return fail(IOBAND_USAGE,
			    "create: '%s': a volume on top of a device has a name without a slash; 'ioband attach %s' puts ioband into a logical volume",
			    argv[0], argv[0]);
	status = check_volume_name(argv[0]);
	if (status)
		return status;
	config_init(&cfg, argv[0]);
	snprintf(cfg.device, sizeof(cfg.device), "%s", argv[1]);
	if (config_take_words(&cfg, argc - 2, argv + 2, &err))
		status = fail(IOBAND_USAGE, "create: %s", err.text);
	else
		status = target_check(&version);
	if (!status)
		status = blk_find(opts->sysroot, argv[1], &blk);
	if (!status)
		status = volumes_lock(opts, &volumes);
	if (!status && volumes_device(&volumes, cfg.name, NULL))
		status = fail(IOBAND_BUSY,
			      "cannot create '%s': there is a device of that name; choose another one, or 'ioband remove %s' first",
			      cfg.name, cfg.name);
	if (!status)
		status = create_volume(opts, &volumes, &cfg, &blk);
	if (!status) {
		report_volume(opts, cfg.name, "created", &cfg,
			      "; lost at a reboot, unless kept with 'ioband enable %s'",
			      cfg.name);
		wbt_off(opts, blk.devno, true);
	}
	volumes_free(&volumes);
	config_free(&cfg);
	return status;
}
