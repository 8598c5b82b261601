/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The existing volumes: device-mapper devices with an ioband target.
 */
#ifndef IOBAND_VOLUME_H
#define IOBAND_VOLUME_H

#include "dm.h"
#include "table.h"

/* Of the uuid of a volume that create has made. */
#define UUID_PREFIX "IOBAND-"

struct options;

/**
 * struct volume - the lines of one device that belong to one share
 * @title: what people call it: VG/LV, or its name
 * @uuid: uuid of the device
 * @actual_minor: of the device that is meant, see ioband_dm_actual()
 * @suspended: the device is suspended, or that one
 * @table: the first line; the others differ only in device and offset
 * @length: length of that line in sectors
 * @nr_lines: number of lines
 * @nr_others: number of lines in the device's table that are of other targets
 * @devices: the lower devices of all lines, without duplicates
 * @chosen: to be shown; makes volumes_read_status() read it
 * @status: counters, once volumes_read_status() was called
 *
 * Lines of a table that have the same share also have their groups in common.
 */
struct volume {
	char *name;
	char *title;
	char *uuid;
	unsigned int major;
	unsigned int minor;
	unsigned int actual_minor;
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
 * @v: the volumes, in the kernel's order
 * @devices: all device-mapper devices, volumes or not
 */
struct volumes {
	struct volume *v;
	size_t nr;
	struct ioband_dm_devices devices;
};

int volumes_read(struct volumes *volumes);
int volumes_lock(const struct options *opts, struct volumes *volumes);
int volumes_read_status(struct volumes *volumes);
int volumes_name(const struct options *opts, const struct volumes *volumes,
		 const char *arg, const char **name);
char *volumes_title(const struct volumes *volumes, const char *name);
char *volume_title(const char *name, const char *uuid);
struct volume *volumes_find(const struct volumes *volumes, const char *name);
const struct ioband_dm_device *
volumes_leaf(const struct options *opts, const struct volumes *volumes,
	     const struct ioband_dm_device *dev);
const struct ioband_dm_device *
volumes_device(const struct volumes *volumes, const char *name,
	       const char *uuid);
bool volumes_use(const struct volumes *volumes, const char *sysroot,
		 const char *devno, const char *except);
int volumes_choose(const struct options *opts, struct volumes *volumes,
		   int argc, char **argv);
void volumes_free(struct volumes *volumes);

#endif /* IOBAND_VOLUME_H */
