// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is mounted where. libmount knows far more; for six fields of a line it would be one
 * more library that the command needs wherever it is installed.
 */
#include <stdlib.h>
#include <string.h>

#include "mounts.h"
#include "util.h"
#include "words.h"

/**
 * mounts_open - begin to read the mounts of this process
 * @mounts: has none yet; to be closed
 * @sysroot: prefix of /proc
 */
void mounts_open(struct mounts *mounts, const char *sysroot)
{
	memset(mounts, 0, sizeof(*mounts));
	mounts->file = open_below(sysroot, "/proc/self/mountinfo");
}

/**
 * mounts_next - read the next mount
 * @mounts: filled in
 *
 * Return: whether there is one. A later one hides those before it at the same point.
 */
bool mounts_next(struct mounts *mounts)
{
	while (mounts->file &&
	       getline(&mounts->line, &mounts->size, mounts->file) > 0) {
		const char *rest = strstr(mounts->line, " - ");

		if (!rest ||
		    sscanf(mounts->line, "%*s %*s %23s %*s %4095s",
			   mounts->devno, mounts->point) != 2 ||
		    sscanf(rest, " - %31s %4095s %511s", mounts->type,
			   mounts->source, mounts->options) != 3)
			continue;
		unescape(mounts->point);
		unescape(mounts->source);
		return true;
	}
	return false;
}

void mounts_close(struct mounts *mounts)
{
	free(mounts->line);
	if (mounts->file)
		fclose(mounts->file);
}

/**
 * mounts_at - find out what block device is mounted at a mount point
 * @sysroot: prefix of /proc
 * @point: its path
 *
 * Return: MAJOR:MINOR, or the node of a file system that is not on one device alone;
 * to be freed. %NULL if there is none.
 */
char *mounts_at(const char *sysroot, const char *point)
{
	size_t len = strlen(point);
	struct mounts mounts;
	char *found = NULL;

	while (len > 1 && point[len - 1] == '/')
		len--;
	mounts_open(&mounts, sysroot);
	while (mounts_next(&mounts)) {
		if (strlen(mounts.point) != len ||
		    strncmp(mounts.point, point, len))
			continue;
		free(found);
		found = NULL;
		if (strncmp(mounts.devno, "0:", 2))
			found = xstrdup(mounts.devno);
		else if (*mounts.source == '/')
			found = xstrdup(mounts.source);
	}
	mounts_close(&mounts);
	return found;
}

/**
 * mounts_of - find out where a block device is mounted
 * @sysroot: prefix of /proc
 * @devno: MAJOR:MINOR
 *
 * Return: the mount point, to be freed, or %NULL.
 */
char *mounts_of(const char *sysroot, const char *devno)
{
	struct mounts mounts;
	char *found = NULL;

	mounts_open(&mounts, sysroot);
	while (!found && mounts_next(&mounts))
		if (!strcmp(mounts.devno, devno))
			found = xstrdup(mounts.point);
	mounts_close(&mounts);
	return found;
}
