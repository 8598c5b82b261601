// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which block device a word means: a path, a number, a tag, a name of device-mapper's or LVM's.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <blkid.h>

#include "blk.h"
#include "cmd.h"
#include "leaf.h"
#include "mounts.h"
#include "util.h"
#include "volume.h"

/**
 * blk_dm_name - derive a device-mapper name from the form of a word alone
 * @name: buffer for the name
 * @size: size of the buffer
 * @arg: /dev/mapper/NAME, /dev/VG/LV, VG/LV, or the name itself
 *
 * Return: whether it fits; otherwise @name is "", which names nothing.
 */
bool blk_dm_name(char *name, size_t size, const char *arg)
{
	bool is_lv;
	size_t n = 0;

	if (!strncmp(arg, "/dev/", 5))
		arg += 5;
	is_lv = strncmp(arg, "mapper/", 7);
	if (!is_lv)
		arg += 7;
	is_lv = is_lv && strchr(arg, '/');
	for (; *arg && n + 1 < size; arg++) {
		name[n++] = is_lv && *arg == '/' ? '-' : *arg;
		if (is_lv && *arg == '-' && n < size)
			name[n++] = '-';
	}
	if (*arg || n == size)
		n = 0;
	name[n] = '\0';
	return n;
}

/**
 * blk_is_lv - whether a word has the form VG/LV and is not the path of a file
 * @arg: the word
 */
bool blk_is_lv(const char *arg)
{
	struct stat st;

	return strchr(arg, '/') && *arg != '/' && *arg != '.' && stat(arg, &st);
}

/*
 * Go through all block devices until @is_it is true of one, whose number goes to @devno. That
 * may add to @what.
 */
static bool find_device(const char *sysroot, char *devno,
			bool (*is_it)(const char *sysroot, const char *devno, void *what),
			void *what)
{
	char *dir_name = xasprintf("%s/sys/dev/block", sysroot);
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	dir = opendir(dir_name);
	free(dir_name);
	while (dir && !found && (entry = readdir(dir))) {
		if (!blk_is_devno(entry->d_name) ||
		    strlen(entry->d_name) >= DEVNO_LEN)
			continue;
		found = is_it(sysroot, entry->d_name, what);
		if (found)
			strcpy(devno, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

struct names_of {
	const char *dm, *node;
};

static bool has_name(const char *sysroot, const char *devno, void *what)
{
	const struct names_of *names = what;
	char *dm = blk_read_line(sysroot, devno, "dm/name", "");
	char *node = blk_read_line(sysroot, devno, "uevent", "DEVNAME=");
	bool found = (dm && !strcmp(dm, names->dm)) ||
		     (node && !strcmp(node, names->node));

	free(dm);
	free(node);
	return found;
}

/* There are no device nodes below --sysroot: look the name up in sysfs. */
static bool find_by_name(const char *sysroot, const char *path, char *devno)
{
	char dm[128];
	struct names_of names = {
		.dm = dm, .node = strncmp(path, "/dev/", 5) ? path : path + 5,
	};

	blk_dm_name(dm, sizeof(dm), path);
	return find_device(sysroot, devno, has_name, &names);
}

struct lv_called {
	const char *word;
	char *title;
};

static bool is_lv_called(const char *sysroot, const char *devno, void *what)
{
	struct lv_called *lv = what;
	char *name = blk_read_line(sysroot, devno, "dm/name", "");
	char *uuid = blk_read_line(sysroot, devno, "dm/uuid", "");
	char *title = name && uuid ? volume_title(name, uuid) : NULL;
	const char *slash = title ? strchr(title, '/') : NULL;
	bool found = slash && !strcmp(slash + 1, lv->word);

	free(uuid);
	free(name);
	if (found)
		lv->title = title;
	else
		free(title);
	return found;
}

/**
 * blk_lv_called - find a logical volume by its name alone, for a hint
 * @sysroot: prefix of /sys
 * @word: its name without that of the volume group
 *
 * Return: VG/LV of one, to be freed; %NULL if none is called so.
 */
char *blk_lv_called(const char *sysroot, const char *word)
{
	struct lv_called lv = { .word = word };
	char devno[DEVNO_LEN];

	find_device(sysroot, devno, is_lv_called, &lv);
	return lv.title;
}

/**
 * blk_parse_tag - split UUID=, LABEL= and the like
 * @arg: the word; in the value, \x20 stands for a blank, as in names made by udev
 * @tag: set to the part before the =, to be freed
 * @value: set to the part behind it, to be freed
 *
 * Return: whether it is one.
 */
bool blk_parse_tag(const char *arg, char **tag, char **value)
{
	unsigned int c;
	char *to;

	if (*arg == '/' || blkid_parse_tag_string(arg, tag, value))
		return false;
	to = *value;
	for (const char *from = to; *from; from++) {
		if (!strncmp(from, "\\x", 2) &&
		    isxdigit((unsigned char)from[2]) &&
		    isxdigit((unsigned char)from[3]) &&
		    sscanf(from + 2, "%2x", &c) == 1 && c) {
			*to++ = c;
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return true;
}

/* Resolve UUID=, LABEL= and the like to a path. */
static char *resolve_tag(const char *arg)
{
	char *tag, *value, *path;

	if (!blk_parse_tag(arg, &tag, &value))
		return xstrdup(arg);
	path = blkid_evaluate_tag(tag, value, NULL);
	free(tag);
	free(value);
	return path ? path : xstrdup(arg);
}

/* Return: %NULL, or why there is none, to be freed. */
static char *find_by_node(const char *arg, char *devno)
{
	bool is_tag = *arg != '/' && strchr(arg, '=');
	char *path = resolve_tag(arg);
	struct stat st;
	int r = 0;

	if (stat(path, &st)) {
		/* VG/LV and plain device-mapper names. */
		char name[128], *mapper;

		r = errno;
		if (*arg != '/') {
			mapper = blk_dm_name(name, sizeof(name), arg) ?
				 xasprintf("/dev/mapper/%s", name) :
				 xstrdup(arg);
			r = stat(mapper, &st) ? errno : 0;
			free(mapper);
		}
	}
	free(path);
	if (r)
		return xstrdup(is_tag ? "no device has that" : strerror(r));
	if (!S_ISBLK(st.st_mode))
		return xstrdup("it is neither a block device nor where one is mounted");
	snprintf(devno, DEVNO_LEN, "%u:%u", major(st.st_rdev),
		 minor(st.st_rdev));
	return NULL;
}

static char *find_devno(const char *sysroot, const char *arg, char *devno)
{
	if (blk_is_devno(arg) && strlen(arg) < DEVNO_LEN) {
		strcpy(devno, arg);
		return NULL;
	}
	if (!*sysroot)
		return find_by_node(arg, devno);
	return find_by_name(sysroot, arg, devno) ? NULL :
						   xstrdup(strerror(ENOENT));
}

/* By device-mapper name. */
static bool find_mapper(const char *sysroot, const char *name, char *devno)
{
	char *node = xasprintf("/dev/mapper/%s", name);
	char *why = find_devno(sysroot, node, devno);
	bool found = !why;

	free(why);
	free(node);
	return found;
}

/**
 * blk_look_up - find the block device that a word names, if there is one
 * @sysroot: prefix of /proc and /sys; unless "", node names are looked up in its sysfs
 * @arg: path of a node, VG/LV, device-mapper name, UUID= and the like, MAJOR:MINOR, or
 *	a mount point
 * @blk: filled in
 *
 * A thin pool need not be active itself for its volumes to be, and LVM makes no /dev/VG/LV
 * of it: then it is its leaf.
 *
 * Return: %NULL, or why there is none, to be freed.
 */
char *blk_look_up(const char *sysroot, const char *arg, struct blk *blk)
{
	char *mounted = NULL, *name, *why, part[sizeof(blk->dm_name)];

	memset(blk, 0, sizeof(*blk));
	if (*arg == '/' && strncmp(arg, "/dev/", 5))
		mounted = mounts_at(sysroot, arg);
	why = find_devno(sysroot, mounted ? mounted : arg, blk->devno);
	free(mounted);
	if (why && blk_dm_name(part, sizeof(part), arg) &&
	    leaf_name(part, sizeof(part), part) &&
	    find_mapper(sysroot, part, blk->devno)) {
		free(why);
		why = NULL;
	}
	if (why)
		return why;
	if (!blk_sectors(sysroot, blk->devno, &blk->sectors))
		return xasprintf("/sys knows no block device %s", blk->devno);
	name = blk_read_line(sysroot, blk->devno, "dm/name", "");
	if (name)
		snprintf(blk->dm_name, sizeof(blk->dm_name), "%s", name);
	free(name);
	return NULL;
}

/**
 * blk_find - find the block device that a word names
 * @sysroot: as in blk_look_up()
 * @arg: as in blk_look_up()
 * @blk: filled in
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int blk_find(const char *sysroot, const char *arg, struct blk *blk)
{
	char *why = blk_look_up(sysroot, arg, blk);
	char *meant = why ? blk_lv_called(sysroot, arg) : NULL;
	int status = 0;

	if (meant)
		status = fail(IOBAND_DEVICE,
			      "cannot use '%s': %s; do you mean the logical volume '%s'?",
			      arg, why, meant);
	else if (why && blk_is_lv(arg))
		status = fail(IOBAND_DEVICE,
			      "cannot use '%s': there is no such logical volume, or it is not active: 'lvs' shows them, and 'lvchange -ay %s' activates it",
			      arg, arg);
	else if (why)
		status = fail(IOBAND_DEVICE,
			      "cannot use '%s': %s; 'lsblk -p' shows the block devices there are",
			      arg, why);
	free(meant);
	free(why);
	return status;
}
