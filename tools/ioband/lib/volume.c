// SPDX-License-Identifier: GPL-2.0-only
/*
 * The existing volumes: device-mapper devices with an ioband target.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attachable.h"
#include "blk.h"
#include "cmd.h"
#include "iofiles.h"
#include "leaf.h"
#include "lock.h"
#include "target.h"
#include "util.h"
#include "volume.h"

static void free_volume(struct volume *vol)
{
	for (size_t i = 0; i < vol->nr_devices; i++)
		free(vol->devices[i]);
	free(vol->devices);
	free(vol->name);
	free(vol->title);
	free(vol->uuid);
	table_free(&vol->table);
	status_free(&vol->status);
}

static void add_device(struct volume *vol, const char *device)
{
	for (size_t i = 0; i < vol->nr_devices; i++)
		if (!strcmp(vol->devices[i], device))
			return;
	vol->devices = xreallocarray(vol->devices, vol->nr_devices + 1,
				     sizeof(*vol->devices));
	vol->devices[vol->nr_devices++] = xstrdup(device);
}

static int bad_line(const char *what, const char *name,
		    const struct parse_error *err)
{
	return fail(IOBAND_MODULE,
		    "cannot read the %s of '%s': %s; the module may be of another version, see 'ioband version'",
		    what, name, err->text);
}

/* @first: index of the first volume in the same device */
static int add_line(struct volumes *volumes, size_t first,
		    const struct ioband_dm_device *dev,
		    const struct ioband_dm_target *target)
{
	struct parse_error err;
	struct table_line line;
	struct volume *vol;
	int r;

	r = table_parse(target->params, &line, &err);
	if (r == -ENOMEM)
		return fail(IOBAND_NOMEM, "out of memory");
	if (r)
		return bad_line("table", dev->name, &err);

	for (size_t i = first; i < volumes->nr; i++) {
		vol = &volumes->v[i];
		if (!strcmp(vol->table.share, line.share)) {
			add_device(vol, line.device);
			vol->nr_lines++;
			table_free(&line);
			return 0;
		}
	}

	volumes->v = xreallocarray(volumes->v, volumes->nr + 1,
				   sizeof(*volumes->v));
	vol = &volumes->v[volumes->nr++];
	*vol = (struct volume){
		.name = xstrdup(dev->name),
		.title = volume_title(dev->name, dev->uuid),
		.uuid = xstrdup(dev->uuid),
		.major = dev->major,
		.minor = dev->minor,
		.suspended = dev->suspended,
		.start = target->start,
		.length = target->length,
		.nr_lines = 1,
		.table = line,
	};
	add_device(vol, line.device);
	return 0;
}

static int read_device(struct volumes *volumes, struct ioband_dm_device *dev)
{
	struct ioband_dm_targets targets;
	struct ioband_dm_version version;
	size_t first = volumes->nr, nr_others = 0;
	int r, status = 0;

	r = ioband_dm_table(dev->name, &targets);
	/* It was removed after the devices were listed. */
	if (r == -ENXIO)
		return 0;
	if (r)
		return fail_errno(r, ioband_dm_error(),
				  "cannot read the table of '%s'", dev->name);

	dev->uuid = xstrdup(targets.uuid);
	dev->suspended = dev->minor == targets.minor ? targets.suspended :
						       targets.origin_suspended;
	dev->has_inactive = targets.has_inactive;
	for (size_t i = 0; !status && i < targets.nr; i++) {
		/* What is meant by the name of an origin is none of its own. */
		if (uuid_is_real(targets.uuid))
			break;
		if (strcmp(targets.v[i].type, TARGET_TYPE)) {
			nr_others++;
			continue;
		}
		/* A device uses the target, so this loads no module. */
		if (!volumes->nr)
			status = target_check(&version);
		if (!status)
			status = add_line(volumes, first, dev, &targets.v[i]);
	}
	for (size_t i = first; i < volumes->nr; i++) {
		volumes->v[i].nr_others = nr_others;
		volumes->v[i].actual_minor = targets.minor;
		volumes->v[i].suspended |= targets.suspended;
	}
	ioband_dm_targets_free(&targets);
	return status;
}

/**
 * volumes_read - find all volumes
 * @volumes: filled in, in the kernel's order; to be freed in any case
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int volumes_read(struct volumes *volumes)
{
	int r, status = 0;

	memset(volumes, 0, sizeof(*volumes));
	r = ioband_dm_list(&volumes->devices);
	if (r)
		return fail_errno(r, ioband_dm_error(),
				  "cannot list device-mapper devices");
	for (size_t i = 0; !status && i < volumes->devices.nr; i++)
		status = read_device(volumes, &volumes->devices.v[i]);
	return status;
}

/**
 * volumes_lock - take the lock and find all volumes
 * @opts: the global options
 * @volumes: as for volumes_read(); no other ioband changes them until we exit
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int volumes_lock(const struct options *opts, struct volumes *volumes)
{
	int status = lock_take(opts);

	memset(volumes, 0, sizeof(*volumes));
	return status ? status : volumes_read(volumes);
}

static int read_status(struct volume *vol, bool *gone)
{
	struct ioband_dm_targets targets;
	struct parse_error err = { "" };
	int r;

	*gone = false;
	r = ioband_dm_status(vol->name, &targets);
	if (r == -ENXIO) {
		*gone = true;
		return 0;
	}
	if (r)
		return fail_errno(r, ioband_dm_error(),
				  "cannot read the status of '%s'", vol->name);
	r = -ESRCH;
	for (size_t i = 0; i < targets.nr; i++) {
		if (targets.v[i].start == vol->start &&
		    !strcmp(targets.v[i].type, TARGET_TYPE)) {
			r = status_parse(targets.v[i].params, &vol->status,
					 &err);
			break;
		}
	}
	ioband_dm_targets_free(&targets);

	if (!r && strcmp(vol->status.share, vol->table.share))
		r = -ESRCH;
	switch (r) {
	case 0:
		return 0;
	case -ENOMEM:
		return fail(IOBAND_NOMEM, "out of memory");
	case -ESRCH:
		return fail(IOBAND_BUSY,
			    "the table of '%s' was replaced while it was read: try again",
			    vol->name);
	default:
		return bad_line("status", vol->name, &err);
	}
}

/* Whether a chosen volume belongs to the same share. */
static bool shares_with_chosen(const struct volumes *volumes,
			       const struct volume *vol)
{
	for (size_t i = 0; i < volumes->nr; i++)
		if (volumes->v[i].chosen &&
		    !strcmp(volumes->v[i].table.share, vol->table.share))
			return true;
	return false;
}

/**
 * volumes_read_status - read the counters of the chosen volumes
 * @volumes: what volumes_read() found; volumes that are gone by now are removed
 *
 * Other volumes in the shares of the chosen ones are read as well.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int volumes_read_status(struct volumes *volumes)
{
	size_t i = 0;

	while (i < volumes->nr) {
		struct volume *vol = &volumes->v[i];
		bool gone = false;

		if (shares_with_chosen(volumes, vol)) {
			int status = read_status(vol, &gone);

			if (status)
				return status;
		}
		if (gone) {
			free_volume(vol);
			volumes->nr--;
			memmove(vol, vol + 1, (volumes->nr - i) * sizeof(*vol));
		} else {
			i++;
		}
	}
	return 0;
}

/**
 * volumes_leaf - go from a device to the one that ioband is put into for it
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @dev: the device
 *
 * Return: its leaf, as leaf_find() finds it, or itself, if it is a volume above all.
 */
const struct ioband_dm_device *
volumes_leaf(const struct options *opts, const struct volumes *volumes,
	     const struct ioband_dm_device *dev)
{
	const struct ioband_dm_device *leaf;
	struct blk blk = { 0 };

	if (volumes_find(volumes, dev->name))
		return dev;
	snprintf(blk.devno, sizeof(blk.devno), "%u:%u", dev->major, dev->minor);
	leaf_find(opts->sysroot, &blk);
	leaf = *blk.dm_name ? volumes_device(volumes, blk.dm_name, NULL) : NULL;
	return leaf ? leaf : dev;
}

/*
 * The device-mapper device that ioband is in, or would be put into, for a word; %NULL with
 * a reason to be freed.
 */
static const struct ioband_dm_device *
find_device(const struct options *opts, const struct volumes *volumes,
	    const char *arg, char **why)
{
	const struct ioband_dm_device *dev;
	char lv[128], devno[DEVNO_LEN];
	bool is_lv = blk_is_lv(arg) && blk_dm_name(lv, sizeof(lv), arg);
	struct blk blk;

	*why = NULL;
	dev = volumes_device(volumes, is_lv ? lv : arg, NULL);
	/* A pool need not be active itself for its volumes to be. */
	if (!dev && is_lv && leaf_name(lv, sizeof(lv), lv))
		dev = volumes_device(volumes, lv, NULL);
	if (dev || is_lv || !strpbrk(arg, "/:"))
		return dev ? volumes_leaf(opts, volumes, dev) : NULL;
	*why = blk_look_up(opts->sysroot, arg, &blk);
	for (size_t i = 0; !*why && i < volumes->devices.nr; i++) {
		dev = &volumes->devices.v[i];
		snprintf(devno, sizeof(devno), "%u:%u", dev->major, dev->minor);
		if (!strcmp(devno, blk.devno))
			return volumes_leaf(opts, volumes, dev);
	}
	return NULL;
}

/**
 * volumes_name - find the volume that a word names
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @arg: a name, VG/LV, or what else blk_find() takes, but no UUID= and the like
 * @name: set to its name, which is owned by @volumes
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int volumes_name(const struct options *opts, const struct volumes *volumes,
		 const char *arg, const char **name)
{
	const struct ioband_dm_device *dev;
	const struct volume *vol;
	char *why, *meant = NULL, *obstacle = NULL;

	dev = find_device(opts, volumes, arg, &why);
	vol = dev ? volumes_find(volumes, dev->name) : NULL;
	if (vol)
		*name = vol->name;
	else if (dev && dev->uuid &&
		 !strncmp(dev->uuid, UUID_PREFIX, strlen(UUID_PREFIX)))
		fail(IOBAND_DEVICE,
		     "cannot use '%s': its table was replaced; 'ioband doctor %s' says what to do",
		     arg, arg);
	else if (dev && (obstacle = attach_why_not(opts, dev->name)))
		fail(IOBAND_DEVICE, "cannot use '%s': it has no ioband target: %s",
		     arg, obstacle);
	else if (dev)
		fail(IOBAND_DEVICE,
		     "cannot use '%s': it has no ioband target; 'ioband attach %s' gives it one, and 'ioband list' shows the volumes that have",
		     arg, arg);
	else if ((meant = blk_lv_called(opts->sysroot, arg)))
		fail(IOBAND_DEVICE,
		     "cannot use '%s': device-mapper has no such device; do you mean the logical volume '%s'?",
		     arg, meant);
	else
		fail(IOBAND_DEVICE,
		     "cannot use '%s': %s; 'ioband list' shows the volumes there are",
		     arg, why ? why : blk_is_lv(arg) ?
		     "there is no such logical volume, or it is not active" :
		     "device-mapper has no such device");
	free(obstacle);
	free(meant);
	free(why);
	return vol ? 0 : IOBAND_DEVICE;
}

/**
 * volume_title - what people call a volume
 * @name: its device-mapper name
 * @uuid: its uuid, or ""
 *
 * Return: VG/LV if it is the device that LVM made for all of a logical volume, or the part
 * that ioband is in for all of it, such as a pool; else its name; to be freed.
 */
char *volume_title(const char *name, const char *uuid)
{
	static const char prefix[] = "LVM-";
	/* Of the group and of the volume, 32 characters each; parts have a suffix. */
	const size_t len = strlen(prefix) + 64;
	char *title = xstrdup(name), *to = title;
	unsigned int nr_slashes = 0;

	if (strncmp(uuid, prefix, strlen(prefix)) ||
	    (strlen(uuid) > len && !leaf_is(name)))
		return title;
	for (const char *from = name; *from; from++) {
		bool is_slash = *from == '-' && from[1] != '-';

		nr_slashes += is_slash;
		*to++ = is_slash ? '/' : *from;
		/* A hyphen in either name is written twice. */
		from += *from == '-' && !is_slash;
	}
	*to = '\0';
	if (nr_slashes != 1)
		strcpy(title, name);
	else if (leaf_is(title))
		*strrchr(title, '_') = '\0';
	return title;
}

/**
 * volumes_find - find the volume of a device
 * @volumes: what volumes_read() found
 * @name: device-mapper name
 *
 * Return: the volume, the first one if the device has several shares, or %NULL.
 */
struct volume *volumes_find(const struct volumes *volumes, const char *name)
{
	for (size_t i = 0; i < volumes->nr; i++)
		if (!strcmp(volumes->v[i].name, name))
			return &volumes->v[i];
	return NULL;
}

/**
 * volumes_use - whether a volume lies on a device
 * @volumes: what volumes_read() found
 * @sysroot: prefix of /sys
 * @devno: MAJOR:MINOR of the device
 * @except: name of a volume that does not count, or %NULL
 */
bool volumes_use(const struct volumes *volumes, const char *sysroot,
		 const char *devno, const char *except)
{
	bool found = false;

	for (size_t i = 0; !found && i < volumes->nr; i++) {
		const struct volume *vol = &volumes->v[i];

		for (size_t j = 0; !found && j < vol->nr_devices; j++)
			found = (!except || strcmp(vol->name, except)) &&
				io_devices_have(sysroot, vol->devices[j],
						devno);
	}
	return found;
}

/**
 * volumes_device - find a device-mapper device, volume or not
 * @volumes: what volumes_read() found
 * @name: its name, or %NULL for any
 * @uuid: its uuid, or %NULL for any
 *
 * Return: the device, or %NULL.
 */
const struct ioband_dm_device *
volumes_device(const struct volumes *volumes, const char *name,
	       const char *uuid)
{
	for (size_t i = 0; i < volumes->devices.nr; i++) {
		const struct ioband_dm_device *dev = &volumes->devices.v[i];

		if ((!name || !strcmp(dev->name, name)) &&
		    (!uuid || (dev->uuid && !strcmp(dev->uuid, uuid))))
			return dev;
	}
	return NULL;
}

/**
 * volumes_title - what people call a device
 * @volumes: what volumes_read() found
 * @name: its device-mapper name; it need not exist
 *
 * Return: as volume_title(), to be freed.
 */
char *volumes_title(const struct volumes *volumes, const char *name)
{
	const struct ioband_dm_device *dev = volumes_device(volumes, name, NULL);

	return volume_title(name, dev && dev->uuid ? dev->uuid : "");
}

/**
 * volumes_choose - choose the volumes that words name
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @argc: number of words; 0 for all volumes
 * @argv: the words
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int volumes_choose(const struct options *opts, struct volumes *volumes,
		   int argc, char **argv)
{
	for (size_t i = 0; i < volumes->nr; i++)
		volumes->v[i].chosen = !argc;
	for (int i = 0; i < argc; i++) {
		const char *name;
		int status = volumes_name(opts, volumes, argv[i], &name);

		if (status)
			return status;
		for (size_t j = 0; j < volumes->nr; j++)
			volumes->v[j].chosen |=
				!strcmp(volumes->v[j].name, name);
	}
	return 0;
}

void volumes_free(struct volumes *volumes)
{
	for (size_t i = 0; i < volumes->nr; i++)
		free_volume(&volumes->v[i]);
	free(volumes->v);
	ioband_dm_devices_free(&volumes->devices);
	memset(volumes, 0, sizeof(*volumes));
}
