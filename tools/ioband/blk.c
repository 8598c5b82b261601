// SPDX-License-Identifier: GPL-2.0-only
/*
 * What sysfs knows about block devices.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "blk.h"
#include "util.h"

/* MAJOR:MINOR and nothing that could lead out of its directory. */
static int is_devno(const char *device)
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

/* The first line of a file of the device that begins with @key, without it. */
static char *read_line(const char *sysroot, const char *device,
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
 * blk_path - the node of a block device
 * @sysroot: prefix of /sys
 * @device: MAJOR:MINOR
 *
 * Return: its path, by its device-mapper name if it has one; @device itself if
 * it is unknown. To be freed.
 */
char *blk_path(const char *sysroot, const char *device)
{
	char *name, *path;

	if (!is_devno(device))
		return xstrdup(device);

	name = read_line(sysroot, device, "dm/name", "");
	if (name) {
		path = xasprintf("/dev/mapper/%s", name);
	} else {
		name = read_line(sysroot, device, "uevent", "DEVNAME=");
		path = name ? xasprintf("/dev/%s", name) : xstrdup(device);
	}
	free(name);
	return path;
}
