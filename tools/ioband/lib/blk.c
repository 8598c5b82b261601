// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block devices, as sysfs, the mount table and signatures describe them. Which one a word
 * means: blk-word.c.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <blkid.h>

#include "blk.h"
#include "mounts.h"
#include "util.h"

/**
 * blk_is_devno - whether a word is a device number
 * @device: the word
 *
 * Return: whether it is strictly MAJOR:MINOR, so that it cannot lead out of its directory
 * in sysfs.
 */
bool blk_is_devno(const char *device)
{
	const char *p = device;

	while (isdigit((unsigned char)*p))
		p++;
	if (p == device || *p++ != ':' || !*p)
		return 0;
	while (isdigit((unsigned char)*p))
		p++;
	return !*p;
}

/**
 * blk_read_line - read from a file of a block device in sysfs
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR
 * @file: path of the file, from the device's directory
 * @key: what the line begins with
 *
 * Return: the rest of the first such line, to be freed; %NULL if there is none.
 */
char *blk_read_line(const char *sysroot, const char *device,
		    const char *file, const char *key)
{
	char *path = xasprintf("/sys/dev/block/%s/%s", device, file);
	FILE *f = open_below(sysroot, path);
	char line[256], *value = NULL;

	free(path);
	if (!f)
		return NULL;
	while (!value && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)))
			continue;
		line[strcspn(line, "\n")] = '\0';
		value = xstrdup(line + strlen(key));
	}
	fclose(f);
	return value;
}

/**
 * blk_path - find the node of a block device
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR
 *
 * Return: its path, by device-mapper name if it has one, or @device itself if it
 * is unknown; to be freed.
 */
char *blk_path(const char *sysroot, const char *device)
{
	char *name, *path;

	if (!blk_is_devno(device))
		return xstrdup(device);

	name = blk_read_line(sysroot, device, "dm/name", "");
	if (name) {
		path = xasprintf("/dev/mapper/%s", name);
	} else {
		name = blk_read_line(sysroot, device, "uevent", "DEVNAME=");
		path = name ? xasprintf("/dev/%s", name) : xstrdup(device);
	}
	free(name);
	return path;
}

static bool read_number(const char *sysroot, const char *device,
			const char *file, uint64_t *number)
{
	char *text = blk_read_line(sysroot, device, file, "");
	bool ok = text && isdigit((unsigned char)*text);

	if (ok)
		*number = strtoull(text, NULL, 10);
	free(text);
	return ok;
}

/**
 * blk_sectors - get the size of a block device
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR
 * @sectors: set to the size in 512-byte sectors
 *
 * Return: whether it is known.
 */
bool blk_sectors(const char *sysroot, const char *device, uint64_t *sectors)
{
	return read_number(sysroot, device, "size", sectors);
}

/**
 * blk_read_ahead - get the read-ahead of a block device
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR
 *
 * Return: sectors, 0 if it is unknown.
 */
unsigned int blk_read_ahead(const char *sysroot, const char *device)
{
	uint64_t kib = 0;

	/* For a partition it is in the directory of the disk. */
	if (!read_number(sysroot, device, "bdi/read_ahead_kb", &kib))
		read_number(sysroot, device, "../bdi/read_ahead_kb", &kib);
	return kib < UINT32_MAX / 2 ? 2 * kib : 0;
}

/**
 * blk_wbt - get the latency above which the kernel throttles writeback to a disk
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR
 * @usec: set to the latency, 0 if writeback is not throttled
 *
 * Return: whether the device has this at all: one without a request queue, or on which the
 * kernel does not do it, has not.
 */
bool blk_wbt(const char *sysroot, const char *device, uint64_t *usec)
{
	return read_number(sysroot, device, "queue/wbt_lat_usec", usec);
}

/**
 * blk_sequence - tell a disk from others that have had its number
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR
 *
 * Return: a number that no other disk has until the next boot, 0 on kernels before 5.15.
 */
uint64_t blk_sequence(const char *sysroot, const char *device)
{
	uint64_t sequence = 0;

	read_number(sysroot, device, "diskseq", &sequence);
	return sequence;
}

/**
 * blk_is_read_only - whether a block device refuses writes
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR
 */
bool blk_is_read_only(const char *sysroot, const char *device)
{
	uint64_t ro;

	return read_number(sysroot, device, "ro", &ro) && ro;
}

/**
 * blk_has_low_priority - whether links by contents are to lead to another device
 * @sysroot: prefix of /run
 * @device: MAJOR:MINOR
 *
 * As LVM tells udev of a snapshot, which has the contents of its origin.
 */
bool blk_has_low_priority(const char *sysroot, const char *device)
{
	char *path = xasprintf("/run/udev/data/b%s", device);
	FILE *f = open_below(sysroot, path);
	bool found = false;
	char line[256];

	free(path);
	while (f && !found && fgets(line, sizeof(line), f))
		found = !strcmp(line, "E:DM_UDEV_LOW_PRIORITY_FLAG=1\n");
	if (f)
		fclose(f);
	return found;
}

/**
 * blk_each_entry - go through a directory of a block device in sysfs
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR
 * @sub: the directory
 * @take: called for each entry, in the order of their names
 * @data: for @take
 */
void blk_each_entry(const char *sysroot, const char *device, const char *sub,
		    void (*take)(const char *sysroot, const char *name,
				 void *data), void *data)
{
	char *path = xasprintf("%s/sys/dev/block/%s/%s", sysroot, device, sub);
	struct dirent **names;
	int nr = scandir(path, &names, NULL, alphasort);

	free(path);
	if (nr < 0)
		return;
	for (int i = 0; i < nr; i++) {
		if (*names[i]->d_name != '.')
			take(sysroot, names[i]->d_name, data);
		free(names[i]);
	}
	free(names);
}

static void take_first(const char *sysroot, const char *name, void *data)
{
	char **first = data;

	(void)sysroot;
	if (!*first)
		*first = xstrdup(name);
}

/**
 * blk_find_below - find the block device that a volume is to lie on
 * @sysroot: prefix of /sys
 * @arg: as in blk_find()
 * @name: name of the volume, which may exist already
 * @blk: filled in
 *
 * A volume has the same contents as the device below it, so UUID= and udev links
 * derived from contents may resolve to the volume. Unless @arg is the volume's own
 * name, the device below is returned then.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int blk_find_below(const char *sysroot, const char *arg, const char *name,
		   struct blk *blk)
{
	char word[sizeof(blk->dm_name)];
	char *slave = NULL, *file, *devno;
	int status = blk_find(sysroot, arg, blk);

	blk_dm_name(word, sizeof(word), arg);
	if (status || strcmp(blk->dm_name, name) || !strcmp(word, name))
		return status;
	blk_each_entry(sysroot, blk->devno, "slaves", take_first, &slave);
	if (!slave)
		return 0;
	file = xasprintf("slaves/%s/dev", slave);
	devno = blk_read_line(sysroot, blk->devno, file, "");
	status = blk_find(sysroot, devno ? devno : slave, blk);
	free(devno);
	free(file);
	free(slave);
	return status;
}

/**
 * blk_user - find out what is using a device
 * @sysroot: prefix of /proc and /sys
 * @device: MAJOR:MINOR
 *
 * Return: "mounted on /srv" or "below /dev/md0", to be freed; %NULL if unknown.
 */
char *blk_user(const char *sysroot, const char *device)
{
	char *name = NULL, *text = NULL, *devno = NULL;

	name = mounts_of(sysroot, device);
	if (name) {
		text = xasprintf("mounted on %s", name);
		free(name);
		return text;
	}
	blk_each_entry(sysroot, device, "holders", take_first, &name);
	if (name) {
		char *file = xasprintf("holders/%s/dev", name);
		char *path;

		devno = blk_read_line(sysroot, device, file, "");
		path = devno ? blk_path(sysroot, devno) :
			       xasprintf("/dev/%s", name);
		text = xasprintf("below %s", path);
		free(path);
		free(file);
		free(devno);
		free(name);
	}
	return text;
}

struct disks {
	char *text;
	unsigned int nr;
	unsigned int nr_rotating;
	const char *device;
	unsigned int depth;
};

static void add_disks(const char *sysroot, const char *device,
		      struct disks *disks);

static void take_slave(const char *sysroot, const char *name, void *data)
{
	struct disks *disks = data;
	char *file = xasprintf("slaves/%s/dev", name);
	char *devno = blk_read_line(sysroot, disks->device, file, "");
	const char *device = disks->device;

	free(file);
	if (devno && blk_is_devno(devno))
		add_disks(sysroot, devno, disks);
	disks->device = device;
	free(devno);
}

/* The kernel says so of a virtio disk whatever it is, as it does not know. */
static bool is_rotating(const char *sysroot, const char *device,
			const char *name, bool is_partition)
{
	uint64_t rotational = 0;

	return read_number(sysroot, device, is_partition ?
			   "../queue/rotational" : "queue/rotational",
			   &rotational) &&
	       rotational && strncmp(name, "vd", 2);
}

static void add_disk(struct disks *disks, const char *name)
{
	char *more;

	for (const char *p = disks->text; p && *p; p += *p == '+') {
		size_t len = strcspn(p, "+");

		if (len == strlen(name) && !strncmp(p, name, len))
			return;
		p += len;
	}
	more = disks->text ? xasprintf("%s+%s", disks->text, name) :
			     xstrdup(name);
	free(disks->text);
	disks->text = more;
}

static void add_disks(const char *sysroot, const char *device,
		      struct disks *disks)
{
	char *whole, *name, *first = NULL;

	/* No working stack is that deep, but the sysfs of --sysroot may be made up. */
	if (disks->depth > 32)
		goto out;
	blk_each_entry(sysroot, device, "slaves", take_first, &first);
	if (first) {
		disks->depth++;
		disks->device = device;
		blk_each_entry(sysroot, device, "slaves", take_slave, disks);
		disks->depth--;
		goto out;
	}
	/* A partition's directory is inside the directory of its disk. */
	whole = blk_read_line(sysroot, device, "partition", "");
	name = blk_read_line(sysroot, device,
			 whole ? "../uevent" : "uevent", "DEVNAME=");
	if (name) {
		add_disk(disks, name);
		disks->nr++;
		disks->nr_rotating += is_rotating(sysroot, device, name, whole);
	}
	free(whole);
	free(name);
out:
	free(first);
}

/**
 * blk_disks - find the disks that a device lies on
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR
 *
 * Return: names such as "sda+sdb", to be freed; %NULL if unknown.
 */
char *blk_disks(const char *sysroot, const char *device)
{
	struct disks disks = { 0 };

	add_disks(sysroot, device, &disks);
	return disks.text;
}

/**
 * blk_is_rotating - whether a device lies on hard disks and nothing else
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR
 */
bool blk_is_rotating(const char *sysroot, const char *device)
{
	struct disks disks = { 0 };

	add_disks(sysroot, device, &disks);
	free(disks.text);
	return disks.nr && disks.nr_rotating == disks.nr;
}

struct relation {
	const char *direction;
	const char *device;
	const char *other;
	unsigned int depth;
	bool found;
};

static void look_at_relative(const char *sysroot, const char *name, void *data)
{
	struct relation *r = data;
	char *file = xasprintf("%s/%s/dev", r->direction, name);
	char *devno = blk_read_line(sysroot, r->device, file, "");
	const char *device = r->device;

	free(file);
	if (devno && blk_is_devno(devno) && r->depth < 32) {
		r->found |= !strcmp(devno, r->other);
		r->device = devno;
		r->depth++;
		blk_each_entry(sysroot, devno, r->direction, look_at_relative, r);
		r->depth--;
		r->device = device;
	}
	free(devno);
}

/**
 * blk_is_related - whether I/O to one of two devices passes through the other
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR
 * @other: MAJOR:MINOR
 *
 * Return: whether they are the same, or one is stacked on the other at any depth.
 */
bool blk_is_related(const char *sysroot, const char *device, const char *other)
{
	struct relation r = { .other = other, .device = device };

	if (!strcmp(device, other))
		return true;
	r.direction = "slaves";
	blk_each_entry(sysroot, device, r.direction, look_at_relative, &r);
	r.direction = "holders";
	blk_each_entry(sysroot, device, r.direction, look_at_relative, &r);
	return r.found;
}

/**
 * blk_stable_path - find a path that survives a reboot
 * @sysroot: prefix of /sys and /dev
 * @device: MAJOR:MINOR
 *
 * Return: the path by device-mapper name, a link in /dev/disk/by-id, or else what
 * blk_path() returns; to be freed.
 */
char *blk_stable_path(const char *sysroot, const char *device)
{
	char *path = blk_path(sysroot, device);
	char *dir = xasprintf("%s/dev/disk/by-id", sysroot);
	const char *base = strrchr(path, '/');
	struct dirent **names;
	int nr;

	if (!base || !strncmp(path, "/dev/mapper/", 12))
		nr = -1;
	else
		nr = scandir(dir, &names, NULL, alphasort);
	for (int i = 0; i < nr; i++) {
		char link[256], *full;
		ssize_t len;

		full = xasprintf("%s/%s", dir, names[i]->d_name);
		len = readlink(full, link, sizeof(link) - 1);
		free(full);
		link[len < 0 ? 0 : len] = '\0';
		/* LVM's lvm-pv-uuid-* links follow the contents, not the device. */
		if (len > 0 && strrchr(link, '/') &&
		    !strcmp(strrchr(link, '/'), base) &&
		    strncmp(names[i]->d_name, "lvm-", 4)) {
			free(path);
			path = xasprintf("/dev/disk/by-id/%s",
					 names[i]->d_name);
			base = "";
		}
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
	free(dir);
	return path;
}

/**
 * blk_signature - identify the contents of a device
 * @sysroot: unless "", no device is read
 * @device: MAJOR:MINOR
 *
 * Return: blkid's name for the type, such as "LVM2_member", to be freed; %NULL if
 * there is no signature or the device cannot be read.
 */
char *blk_signature(const char *sysroot, const char *device)
{
	char *path, *type = NULL;
	blkid_probe probe;
	const char *value;

	if (*sysroot)
		return blk_read_line(sysroot, device, "signature", "");
	path = blk_path(sysroot, device);
	probe = blkid_new_probe_from_filename(path);
	free(path);
	if (!probe)
		return NULL;
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE);
	if (!blkid_do_safeprobe(probe) &&
	    !blkid_probe_lookup_value(probe, "TYPE", &value, NULL))
		type = xstrdup(value);
	blkid_free_probe(probe);
	return type;
}
