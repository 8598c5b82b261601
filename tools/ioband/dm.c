// SPDX-License-Identifier: GPL-2.0-only
/*
 * The few things we ask device-mapper, asked through libdevmapper.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <libdevmapper.h>

#include "dm.h"
#include "util.h"

enum {
	/* libdevmapper's level, without the flags above it. */
	LOG_LEVEL_MASK	= 7,
	LOG_LEVEL_ERR	= 3,
};

static char last_error[200];
static bool verbose;

/* libdevmapper prints to stderr of its own accord unless this is there. */
__attribute__((format(printf, 5, 6)))
static void log_line(int level, const char *file, int line,
		     int errno_or_class, const char *fmt, ...)
{
	char text[sizeof(last_error)];
	va_list args;

	(void)file;
	(void)line;
	(void)errno_or_class;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);

	if ((level & LOG_LEVEL_MASK) <= LOG_LEVEL_ERR)
		memcpy(last_error, text, sizeof(last_error));
	if (verbose)
		fprintf(stderr, "libdevmapper: %s\n", text);
}

const char *ioband_dm_error(void)
{
	return last_error;
}

void ioband_dm_verbose(void)
{
	verbose = true;
}

/* libdevmapper tells an errno only once it got as far as the ioctl. */
static int control_errno(void)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/control", dm_dir());
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return -EIO;
	}
	return errno == EACCES || errno == EPERM ? -EACCES : -ENOPKG;
}

/* This is where libdevmapper first meets the kernel, so all can go wrong here. */
static int create_task(int type, const char *name, struct dm_task **task)
{
	dm_log_with_errno_init(log_line);
	last_error[0] = '\0';

	*task = dm_task_create(type);
	if (!*task)
		return control_errno();
	if ((name && !dm_task_set_name(*task, name)) ||
	    !dm_task_no_open_count(*task)) {
		dm_task_destroy(*task);
		return -EINVAL;
	}
	return 0;
}

static int run_task(struct dm_task *task)
{
	int err;

	if (dm_task_run(task))
		return 0;
	err = dm_task_get_errno(task);
	return err ? -err : control_errno();
}

int ioband_dm_list(struct ioband_dm_devices *devices)
{
	struct dm_task *task;
	struct dm_names *names;
	int r;

	memset(devices, 0, sizeof(*devices));
	r = create_task(DM_DEVICE_LIST, NULL, &task);
	if (r)
		return r;
	r = run_task(task);
	if (r)
		goto out;
	names = dm_task_get_names(task);
	if (!names) {
		r = -ENOMEM;
		goto out;
	}
	/* An empty list is one entry without device. */
	while (names->dev) {
		struct ioband_dm_device *dev;

		devices->v = xreallocarray(devices->v, devices->nr + 1,
					   sizeof(*devices->v));
		dev = &devices->v[devices->nr++];
		dev->name = xstrdup(names->name);
		dev->major = major(names->dev);
		dev->minor = minor(names->dev);
		if (!names->next)
			break;
		names = (struct dm_names *)((char *)names + names->next);
	}
out:
	dm_task_destroy(task);
	return r;
}

void ioband_dm_devices_free(struct ioband_dm_devices *devices)
{
	for (size_t i = 0; i < devices->nr; i++)
		free(devices->v[i].name);
	free(devices->v);
	memset(devices, 0, sizeof(*devices));
}

static int get_targets(int type, const char *name,
		       struct ioband_dm_targets *targets)
{
	char *target_type, *params;
	uint64_t start, length;
	struct dm_task *task;
	struct dm_info info;
	void *next = NULL;
	int r;

	memset(targets, 0, sizeof(*targets));
	r = create_task(type, name, &task);
	if (r)
		return r;
	/* Some targets write back what they hold before they tell their status. */
	if (!dm_task_no_flush(task)) {
		r = -ENOMEM;
		goto out;
	}
	r = run_task(task);
	if (r)
		goto out;
	/* To libdevmapper a missing device is no failure. */
	if (!dm_task_get_info(task, &info) || !info.exists) {
		r = -ENXIO;
		goto out;
	}
	do {
		struct ioband_dm_target *target;

		next = dm_get_next_target(task, next, &start, &length,
					  &target_type, &params);
		/* A device without a table has one target without type. */
		if (!target_type)
			break;
		targets->v = xreallocarray(targets->v, targets->nr + 1,
					   sizeof(*targets->v));
		target = &targets->v[targets->nr++];
		target->start = start;
		target->length = length;
		target->type = xstrdup(target_type);
		target->params = xstrdup(params);
	} while (next);
out:
	dm_task_destroy(task);
	return r;
}

int ioband_dm_table(const char *name, struct ioband_dm_targets *targets)
{
	return get_targets(DM_DEVICE_TABLE, name, targets);
}

int ioband_dm_status(const char *name, struct ioband_dm_targets *targets)
{
	return get_targets(DM_DEVICE_STATUS, name, targets);
}

void ioband_dm_targets_free(struct ioband_dm_targets *targets)
{
	for (size_t i = 0; i < targets->nr; i++) {
		free(targets->v[i].type);
		free(targets->v[i].params);
	}
	free(targets->v);
	memset(targets, 0, sizeof(*targets));
}

int ioband_dm_version(const char *type, struct ioband_dm_version *version)
{
	struct dm_versions *found;
	struct dm_task *task;
	int r;

	r = create_task(DM_DEVICE_GET_TARGET_VERSION, type, &task);
	if (r)
		return r;
	r = run_task(task);
	/* The kernel's word for a target it neither has nor can load. */
	if (r == -EINVAL)
		r = -ENOPKG;
	if (!r) {
		found = dm_task_get_versions(task);
		if (found) {
			version->major = found->version[0];
			version->minor = found->version[1];
			version->patch = found->version[2];
		} else {
			r = -ENOMEM;
		}
	}
	dm_task_destroy(task);
	return r;
}

int ioband_dm_message(const char *name, uint64_t sector, const char *text,
		      char **answer)
{
	const char *response;
	struct dm_task *task;
	int r;

	*answer = NULL;
	r = create_task(DM_DEVICE_TARGET_MSG, name, &task);
	if (r)
		return r;
	if (!dm_task_set_sector(task, sector) ||
	    !dm_task_set_message(task, text)) {
		r = -ENOMEM;
		goto out;
	}
	r = run_task(task);
	if (r)
		goto out;
	response = dm_task_get_message_response(task);
	if (response)
		*answer = xstrdup(response);
out:
	dm_task_destroy(task);
	return r;
}
