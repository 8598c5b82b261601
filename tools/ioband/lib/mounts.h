/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is mounted where.
 */
#ifndef IOBAND_MOUNTS_H
#define IOBAND_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/**
 * struct mounts - a line of /proc/self/mountinfo
 * @devno: MAJOR:MINOR; MAJOR is 0 for a file system that is not on one block device,
 *	btrfs among them
 * @point: where it is mounted
 * @source: such as the node of a device; "none" and the like for others
 * @options: those of the file system
 * @file: the rest of the lines
 */
struct mounts {
	char devno[24];
	char point[4096];
	char type[32];
	char source[4096];
	char options[512];
	FILE *file;
	char *line;
	size_t size;
};

void mounts_open(struct mounts *mounts, const char *sysroot);
bool mounts_next(struct mounts *mounts);
void mounts_close(struct mounts *mounts);
char *mounts_at(const char *sysroot, const char *point);
char *mounts_of(const char *sysroot, const char *devno);

#endif /* IOBAND_MOUNTS_H */
