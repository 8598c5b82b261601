/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The volumes there are: device-mapper devices with an ioband target.
 */
#ifndef IOBAND_VOLUME_H
#define IOBAND_VOLUME_H

#include "dm.h"
#include "table.h"

struct options;

/**
 * struct volume - what one share controls of one device
 * @uuid: of the device
 * @suspended: its I/O waits until it is resumed
 * @table: the first line; the others differ in device and offset only
 * @length: sectors of that line
 * @nr_lines: how many lines
 * @nr_others: how many lines of the device's table are of other targets
 * @devices: the lower devices of all lines, each once
 * @chosen: set by who wants to show it; makes volumes_read_status() read it
 * @status: counters, once volumes_read_status() was called
 *
 * Several lines of a table with the same share have their groups in common.
 */
struct volume {
	char *name;
	char *uuid;
	unsigned int major;
	unsigned int minor;
	bool suspended;
	uint64_t start;
	uint64_t length;
	size_t nr_lines;
	size_t nr_others;
	struct table_line table;
	char **devices;
	size_t nr_devices;
	bool chosen;
	struct status_line status;
};

/**
 * struct volumes - all volumes
 * @v: in the order of the kernel
 * @devices: all device-mapper devices, ours or not
 */
struct volumes {
	struct volume *v;
	size_t nr;
	struct ioband_dm_devices devices;
};

int volumes_read(struct volumes *volumes);
int volumes_lock(const struct options *opts, struct volumes *volumes);
int volumes_read_status(struct volumes *volumes);
int volumes_name(const struct volumes *volumes, const char *arg,
		 const char **name);
struct volume *volumes_find(const struct volumes *volumes, const char *name);
const struct ioband_dm_device *
volumes_device(const struct volumes *volumes, const char *name,
	       const char *uuid);
int volumes_choose(struct volumes *volumes, int argc, char **argv);
void volumes_free(struct volumes *volumes);

#endif /* IOBAND_VOLUME_H */
