/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few things we ask device-mapper.
 *
 * dm.c asks the kernel through libdevmapper and is the only file that knows it;
 * the tests link a double instead. All functions return 0 or a negative errno:
 *
 *   -ENXIO	there is no such device (any more)
 *   -EACCES	only root may
 *   -EBUSY	the device is in use
 *   -ENOPKG	the kernel lacks device-mapper, or for a version the target
 *   -ENOMEM	out of memory
 *
 * and others as the kernel gave them; -EIO if it gave none.
 */
#ifndef IOBAND_DM_H
#define IOBAND_DM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ioband_dm_device {
	char *name;
	char *uuid;	/* NULL until somebody has read its table */
	unsigned int major;
	unsigned int minor;
	bool suspended;
	bool has_inactive;
};

struct ioband_dm_devices {
	struct ioband_dm_device *v;
	size_t nr;
};

/* One line of a table, or of the status that goes with it; in sectors. */
struct ioband_dm_target {
	uint64_t start;
	uint64_t length;
	char *type;
	char *params;
};

/* And what device-mapper says of the device they are of, if it was asked. */
struct ioband_dm_targets {
	struct ioband_dm_target *v;
	size_t nr;
	char *uuid;
	unsigned int major;
	unsigned int minor;
	bool suspended;
	bool has_inactive;
	bool read_only;
};

struct ioband_dm_version {
	unsigned int major;
	unsigned int minor;
	unsigned int patch;
};

/* What was filled in is freed by the function of the same name. */
int ioband_dm_list(struct ioband_dm_devices *devices);
void ioband_dm_devices_free(struct ioband_dm_devices *devices);

int ioband_dm_table(const char *name, struct ioband_dm_targets *targets);
int ioband_dm_status(const char *name, struct ioband_dm_targets *targets);
void ioband_dm_targets_free(struct ioband_dm_targets *targets);

/* Loads the module of the target if need be. */
int ioband_dm_version(const char *type, struct ioband_dm_version *version);

/* @answer is to be freed; %NULL if the target gave none. */
int ioband_dm_message(const char *name, uint64_t sector, const char *text,
		      char **answer);

/*
 * The changes. A device that is @hidden is no business of udev's: neither probed
 * nor found by its contents. Read-ahead is in sectors, 0 for the kernel's own.
 */
int ioband_dm_create(const char *name, const char *uuid,
		     const struct ioband_dm_targets *targets,
		     unsigned int read_ahead, bool hidden);

/* Into the place for the next table; resuming puts it in force. */
int ioband_dm_load(const char *name, const struct ioband_dm_targets *targets);
int ioband_dm_clear(const char *name);
int ioband_dm_resume(const char *name);
int ioband_dm_remove(const char *name);

/* How many have the device open, mounts and other devices included. */
int ioband_dm_open_count(const char *name, unsigned int *count);

/* What libdevmapper said about the last failure, or "". */
const char *ioband_dm_error(void);

/* What the kernel log gave as reason for the last failure of a change, or "". */
const char *ioband_dm_reason(void);

/* From now on print all it says to stderr. */
void ioband_dm_verbose(void);

#endif /* IOBAND_DM_H */
