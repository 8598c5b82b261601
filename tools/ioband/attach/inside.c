// SPDX-License-Identifier: GPL-2.0-only
/*
 * Put ioband into a device that is in use, and take it out again.
 *
 * The device keeps its name, number and users, and gets a new table. There are two
 * ways to do so:
 *
 * flat: each line "linear DEVICE OFFSET" becomes "ioband DEVICE ... offset OFFSET".
 * No other device is involved, so nothing is left over when LVM replaces the table.
 *
 * layered: the old table moves to a hidden device of its own, and a single ioband
 * line lies on top of that. For a moment the old table is active twice, so this is
 * only for targets without state: two mirrors of the same disks would each write
 * their own. The kernel removes the hidden device when it is not in use any more.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "config/current.h"
#include "config/share.h"
#include "inside.h"
#include "lib/action.h"
#include "lib/attachable.h"
#include "lib/blk.h"
#include "lib/target.h"
#include "lib/words.h"

struct inside {
	const struct options *opts;
	const struct volumes *volumes;
	const char *name;
	struct ioband_dm_targets old;
	struct ioband_dm_targets new;
};

/* Parse DEVICE OFFSET. */
static bool parse_linear(const char *params, char *device, uint64_t *offset)
{
	char number[24];
	int end = 0;

	return sscanf(params, "%23s %23s%n", device, number, &end) == 2 &&
	       !params[end] && parse_u64(number, INT64_MAX >> 9, offset);
}

static int make_flat(struct inside *in, const struct config *cfg)
{
	for (size_t i = 0; i < in->old.nr; i++) {
		const struct ioband_dm_target *t = &in->old.v[i];
		struct parse_error err;
		struct table_line line = { 0 };
		char device[24];
		uint64_t offset;
		char *params;

		if (!strcmp(t->type, TARGET_TYPE)) {
			if (table_parse(t->params, &line, &err))
				return fail(IOBAND_MODULE,
					    "cannot read the table of '%s': %s",
					    in->name, err.text);
			params = config_params(cfg, line.device,
					       line.offset_sectors);
			table_free(&line);
		} else if (parse_linear(t->params, device, &offset)) {
			params = config_params(cfg, device, offset);
		} else {
			return fail(IOBAND_DEVICE,
				    "cannot attach '%s': its line '%s %s' is not understood",
				    in->name, t->type, t->params);
		}
		targets_add(&in->new, t->start, t->length, TARGET_TYPE, params);
		free(params);
	}
	return 0;
}

static uint64_t table_length(const struct ioband_dm_targets *targets)
{
	const struct ioband_dm_target *last = &targets->v[targets->nr - 1];

	return last->start + last->length;
}

/* The number is known only once the device exists, so not with --dry-run. */
static int lower_device(const struct inside *in, const char *name,
			char device[DEVNO_LEN])
{
	struct ioband_dm_targets targets;
	int r;

	if (in->opts->dry_run) {
		snprintf(device, DEVNO_LEN, "MAJOR:MINOR");
		return 0;
	}
	r = ioband_dm_table(name, &targets);
	if (r)
		return r;
	snprintf(device, DEVNO_LEN, "%u:%u", targets.major, targets.minor);
	ioband_dm_targets_free(&targets);
	return 0;
}

static int make_layered(struct inside *in, const struct config *cfg,
			const char *lower, unsigned int read_ahead)
{
	char *uuid = hidden_uuid(in->name, in->old.uuid);
	char device[DEVNO_LEN];
	const struct ioband_dm_device *dev;
	char *params;
	int r, status = 0;

	if (strlen(lower) >= VOLUME_LEN || strlen(uuid) >= UUID_LEN - 1) {
		status = fail(IOBAND_USAGE,
			      "cannot attach '%s': its name or uuid is too long for that of the hidden device",
			      in->name);
		goto out;
	}
	/* A leftover of this volume has the same uuid, and has been removed. */
	dev = volumes_device(in->volumes, lower, NULL);
	if (dev && dev->uuid && strcmp(dev->uuid, uuid)) {
		status = fail(IOBAND_BUSY,
			      "cannot attach '%s': a device '%s' of another volume is in the way; rename or remove it",
			      in->name, lower);
		goto out;
	}
	r = action_create(in->opts, lower, uuid, &in->old, read_ahead,
			  IOBAND_DM_HIDDEN);
	if (r) {
		status = fail_change(r, "cannot attach '%s': cannot create '%s'",
				     in->name, lower);
		goto out;
	}
	r = lower_device(in, lower, device);
	if (r) {
		status = fail_change(r, "cannot attach '%s': cannot read '%s'",
				     in->name, lower);
		action_remove(in->opts, lower);
		goto out;
	}
	params = config_params(cfg, device, 0);
	targets_add(&in->new, 0, table_length(&in->old), TARGET_TYPE, params);
	free(params);
out:
	free(uuid);
	return status;
}

/* Check that no other program has loaded its table in the meantime. */
static int verify(struct inside *in, const char *verb)
{
	struct ioband_dm_targets now;
	bool same = true;
	int r;

	if (in->opts->dry_run)
		return 0;
	r = ioband_dm_table(in->name, &now);
	if (r)
		return fail_errno(r, ioband_dm_error(),
				  "cannot read the table of '%s'", in->name);
	same = now.nr == in->new.nr;
	for (size_t i = 0; same && i < now.nr; i++)
		same = now.v[i].start == in->new.v[i].start &&
		       now.v[i].length == in->new.v[i].length &&
		       !strcmp(now.v[i].type, in->new.v[i].type);
	ioband_dm_targets_free(&now);
	if (same)
		return 0;
	return fail(IOBAND_BUSY,
		    "cannot %s '%s': somebody else loaded another table at the same moment; try again",
		    verb, in->name);
}

/* Activate the new table. */
static int replace(struct inside *in, const char *verb)
{
	int status;

	in->new.read_only = in->old.read_only;
	status = action_replace(in->opts, verb, in->name, &in->old, &in->new);
	return status ? status : verify(in, verb);
}

/**
 * inside_clean - remove the hidden device of a volume, if it is not in use
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @name: the volume
 * @uuid: its uuid, or ""
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int inside_clean(const struct options *opts, const struct volumes *volumes,
		 const char *name, const char *uuid)
{
	const struct ioband_dm_device *dev = hidden_find(volumes, name, uuid);
	unsigned int count = 0;
	int r = 0;

	if (!dev)
		return 0;
	r = ioband_dm_open_count(dev->name, &count);
	if (r == -ENXIO)
		return 0;
	if (!r && count)
		r = -EBUSY;
	if (!r)
		r = action_remove(opts, dev->name);
	return r && r != -ENXIO ? fail_change(r, "cannot remove '%s', which is left over from an earlier attach",
			       dev->name) : 0;
}

static bool all_flat(const struct inside *in)
{
	for (size_t i = 0; i < in->old.nr; i++)
		if (strcmp(in->old.v[i].type, "linear") &&
		    strcmp(in->old.v[i].type, TARGET_TYPE))
			return false;
	return true;
}

static int check_obstacle(const struct inside *in)
{
	char *why = attach_obstacle(in->opts, in->name, &in->old);
	char *title = volume_title(in->name, in->old.uuid);
	int status = why ? fail(IOBAND_DEVICE, "cannot attach '%s': %s", title,
				why) : 0;

	free(title);
	free(why);
	return status;
}

/**
 * inside_put - put ioband into a device, or change its settings there
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @cfg: resolved configuration; its name is the name of the device
 *
 * On any failure the device keeps its old table and is resumed.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int inside_put(const struct options *opts, const struct volumes *volumes,
	       const struct config *cfg)
{
	struct inside in = {
		.opts = opts,
		.volumes = volumes,
		.name = cfg->name,
	};
	char *lower = NULL, devno[DEVNO_LEN];
	int status;

	/* No signal may end us while a hidden device exists that is not in use yet. */
	action_begin();
	status = action_table(opts, "attach", in.name, &in.old);
	if (!status)
		status = check_obstacle(&in);
	snprintf(devno, sizeof(devno), "%u:%u", in.old.major, in.old.minor);
	if (!status)
		status = share_check(opts, volumes, cfg, devno);
	if (status)
		goto out;
	if (all_flat(&in)) {
		status = make_flat(&in, cfg);
	} else {
		status = inside_clean(opts, volumes, in.name, in.old.uuid);
		if (status)
			goto out;
		lower = xasprintf("%s-ioband", in.name);
		status = make_layered(&in, cfg, lower,
				      blk_read_ahead(opts->sysroot, devno));
		if (status)
			goto out;
	}
	if (!status)
		status = replace(&in, "attach");
	if (status && lower && action_remove(opts, lower))
		warn("'%s' is left over; 'dmsetup remove %s' takes it away",
		     lower, lower);
	/* When LVM loads a table of its own, nothing of ours is to keep the disks. */
	if (!status && lower && action_remove_deferred(opts, lower))
		warn("'%s' will be left over when LVM changes '%s'", lower,
		     in.name);
	/* Remove what an earlier, layered attach may have left. */
	if (!status && !lower && !volumes_find(volumes, in.name))
		status = inside_clean(opts, volumes, in.name, in.old.uuid);
out:
	action_end();
	free(lower);
	ioband_dm_targets_free(&in.old);
	ioband_dm_targets_free(&in.new);
	return status;
}

/* The hidden device that an ioband line lies on, or NULL. */
static const struct ioband_dm_device *find_lower(const struct inside *in,
						 const char *device)
{
	for (size_t i = 0; i < in->volumes->devices.nr; i++) {
		const struct ioband_dm_device *dev =
			&in->volumes->devices.v[i];
		char *devno = xasprintf("%u:%u", dev->major, dev->minor);
		bool found = !strcmp(devno, device) &&
			     uuid_is_hidden(dev->uuid);

		free(devno);
		if (found)
			return dev;
	}
	return NULL;
}

static int plain_line(struct inside *in, const struct ioband_dm_target *t,
		      const struct ioband_dm_device **lower)
{
	struct ioband_dm_targets below;
	struct table_line line;
	struct parse_error err;
	char *params;
	int r;

	if (strcmp(t->type, TARGET_TYPE)) {
		targets_add(&in->new, t->start, t->length, t->type, t->params);
		return 0;
	}
	if (table_parse(t->params, &line, &err))
		return fail(IOBAND_MODULE,
			    "cannot read the table of '%s': %s; the module may be of another version, see 'ioband version'",
			    in->name, err.text);
	*lower = in->old.nr == 1 ? find_lower(in, line.device) : NULL;
	if (!*lower) {
		params = xasprintf("%s %" PRIu64, line.device,
				   line.offset_sectors);
		targets_add(&in->new, t->start, t->length, "linear", params);
		free(params);
		table_free(&line);
		return 0;
	}
	table_free(&line);
	r = ioband_dm_table((*lower)->name, &below);
	if (r)
		return fail_errno(r, ioband_dm_error(),
				  "cannot read the table of '%s'",
				  (*lower)->name);
	/* There is nothing to go back to. */
	if (targets_fail(&below)) {
		ioband_dm_targets_free(&below);
		return fail(IOBAND_DEVICE,
			    "cannot detach '%s': the table of '%s' below it was replaced by target error, so its own has to be loaded, for a logical volume with 'lvchange --refresh'",
			    in->name, (*lower)->name);
	}
	for (size_t i = 0; i < below.nr; i++)
		targets_add(&in->new, below.v[i].start, below.v[i].length,
			    below.v[i].type, below.v[i].params);
	ioband_dm_targets_free(&below);
	return 0;
}

/**
 * inside_take_out - restore the table that a device would have without ioband
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @name: the device, which is a volume
 *
 * On any failure the device keeps its old table and is resumed.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int inside_take_out(const struct options *opts, const struct volumes *volumes,
		    const char *name)
{
	const struct ioband_dm_device *lower = NULL;
	struct inside in = {
		.opts = opts,
		.volumes = volumes,
		.name = name,
	};
	int r, status;

	action_begin();
	status = action_table(opts, "detach", name, &in.old);
	for (size_t i = 0; !status && i < in.old.nr; i++)
		status = plain_line(&in, &in.old.v[i], &lower);
	if (!status)
		status = replace(&in, "detach");
	if (!status && lower) {
		/* As a rule that has been asked for, and been done by now. */
		r = action_remove_deferred(opts, lower->name);
		if (r && r != -ENXIO)
			status = fail_change(r, "'%s' is detached, but its hidden device '%s' cannot be removed",
					     name, lower->name);
	}
	action_end();
	ioband_dm_targets_free(&in.old);
	ioband_dm_targets_free(&in.new);
	return status;
}
