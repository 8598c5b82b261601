/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few requests we make to device-mapper.
 *
 * Only dm.c knows about libdevmapper; the tests link a double of it instead. All
 * functions return 0 or a negative errno:
 *
 *   -ENXIO	there is no such device (any more)
 *   -EACCES	only root may
 *   -EBUSY	the device is in use
 *   -ENOPKG	the kernel lacks device-mapper, or when asked for a version the target
 *   -ENOMEM	out of memory
 *
 * or any other error from the kernel; -EIO if it gave none.
 */
#ifndef IOBAND_DM_H
#define IOBAND_DM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ioband_dm_device {
	char *name;
	char *uuid;	/* NULL until its table has been read */
	unsigned int major;
	unsigned int minor;
	bool suspended;
	bool has_inactive;
};

struct ioband_dm_devices {
	struct ioband_dm_device *v;
	size_t nr;
};

/* One line of a table or of the status; start and length in sectors. */
struct ioband_dm_target {
	uint64_t start;
	uint64_t length;
	char *type;
	char *params;
};

/* The lines, and what device-mapper says of their device if it was asked. */
struct ioband_dm_targets {
	struct ioband_dm_target *v;
	size_t nr;
	char *uuid;
	unsigned int major;
	unsigned int minor;
	bool suspended;
	bool has_inactive;
	bool read_only;
	bool origin_suspended;	/* they are of the device below a suspended one */
};

struct ioband_dm_version {
	unsigned int major;
	unsigned int minor;
	unsigned int patch;
};

/*
 * While a logical volume has snapshots, or one is merged into it, its table is one of LVM's
 * for that, and what it had itself is that of a device below. That one is meant by the name
 * of the volume here, but where its openers are counted or it is listed.
 *
 * Return: the name of the device that is meant, until the next call.
 */
const char *ioband_dm_actual(const char *name);

/* Whether LVM has given a uuid to a device below; somebody else may call one so. */
static inline bool uuid_is_real(const char *uuid)
{
	const char *suffix = strrchr(uuid, '-');

	return suffix && !strncmp(uuid, "LVM-", 4) && !strcmp(suffix, "-real");
}

/* Results are freed by the function of the same name. */
int ioband_dm_list(struct ioband_dm_devices *devices);
void ioband_dm_devices_free(struct ioband_dm_devices *devices);

int ioband_dm_table(const char *name, struct ioband_dm_targets *targets);
int ioband_dm_status(const char *name, struct ioband_dm_targets *targets);
void ioband_dm_targets_free(struct ioband_dm_targets *targets);

/* Loads the target's module if need be. */
int ioband_dm_version(const char *type, struct ioband_dm_version *version);

/* @answer: to be freed; %NULL if the target gave none. */
int ioband_dm_message(const char *name, uint64_t sector, const char *text,
		      char **answer);

/* What udev is to make of a device that is created or resumed. */
enum ioband_dm_udev {
	/* links such as those in /dev/disk/by-uuid lead to it */
	IOBAND_DM_LINKED,
	/* they lead to another device with the same contents, if there is one */
	IOBAND_DM_LOW_PRIORITY,
	/* it is neither probed nor found by its contents */
	IOBAND_DM_HIDDEN,
};

/*
 * Functions that change something. Read-ahead is in sectors; 0: the kernel's default.
 */
int ioband_dm_create(const char *name, const char *uuid,
		     const struct ioband_dm_targets *targets,
		     unsigned int read_ahead, enum ioband_dm_udev udev);

/* Load into the inactive slot; resuming the device activates the table. */
int ioband_dm_load(const char *name, const struct ioband_dm_targets *targets);
int ioband_dm_clear(const char *name);
/* The device keeps its read-ahead. */
int ioband_dm_resume(const char *name, enum ioband_dm_udev udev);
int ioband_dm_remove(const char *name);

/* The kernel removes it itself as soon as nothing has it open any more. */
int ioband_dm_remove_deferred(const char *name);

/* Number of openers, mounts and other devices included. */
int ioband_dm_open_count(const char *name, unsigned int *count);

/* libdevmapper's message about the last failure, or "". */
const char *ioband_dm_error(void);

/* Reason from the kernel log for the last change that failed, or "". */
const char *ioband_dm_reason(void);

/* Print all messages of libdevmapper to stderr from now on. */
void ioband_dm_verbose(void);

#endif /* IOBAND_DM_H */
