// SPDX-License-Identifier: GPL-2.0-only
/*
 * The few requests we make to device-mapper, by way of libdevmapper.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <libdevmapper.h>

#include "dm.h"
#include "klog.h"
#include "util.h"

enum {
	/* Masks out the flags above libdevmapper's log level. */
	LOG_LEVEL_MASK	= 7,
	LOG_LEVEL_ERR	= 3,

	UDEV_TRY_MS	= 5,
	UDEV_WAIT_MS	= 30000,
};

static char last_error[200];
static char last_reason[KLOG_REASON_LEN];
static bool verbose;

/* Without a log function libdevmapper would print to stderr. */
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

const char *ioband_dm_reason(void)
{
	return last_reason;
}

void ioband_dm_verbose(void)
{
	verbose = true;
}

/* libdevmapper reports an errno only once it gets as far as the ioctl. */
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

/* libdevmapper first talks to the kernel here, so this is where it may be refused. */
static int new_task(int type, const char *name, struct dm_task **task)
{
	dm_log_with_errno_init(log_line);
	last_error[0] = '\0';
	last_reason[0] = '\0';

	*task = dm_task_create(type);
	if (!*task)
		return control_errno();
	if (name && !dm_task_set_name(*task, name)) {
		dm_task_destroy(*task);
		return -EINVAL;
	}
	return 0;
}

/* Besides the task at hand. Return: the answered task, or %NULL if there is no such device. */
static struct dm_task *ask(const char *name, struct dm_info *info)
{
	struct dm_task *task;

	dm_log_with_errno_init(log_line);
	task = dm_task_create(DM_DEVICE_INFO);
	if (task && (!dm_task_set_name(task, name) ||
		     !dm_task_run(task) || !dm_task_get_info(task, info) ||
		     !info->exists)) {
		dm_task_destroy(task);
		task = NULL;
	}
	return task;
}

/* Whether a device lies on another, by the table that is active. */
static bool lies_on(const char *name, const struct dm_info *below)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_DEPS);
	struct dm_deps *deps = NULL;
	bool found = false;

	if (task && dm_task_set_name(task, name) && dm_task_run(task))
		deps = dm_task_get_deps(task);
	for (uint32_t i = 0; deps && i < deps->count; i++)
		found |= deps->device[i] == makedev(below->major, below->minor);
	if (task)
		dm_task_destroy(task);
	return found;
}

const char *ioband_dm_actual(const char *name)
{
	static char below[256];
	struct dm_task *task;
	struct dm_info info;
	bool is_meant;

	snprintf(below, sizeof(below), "%s-real", name);
	task = ask(below, &info);
	if (!task)
		return name;
	is_meant = uuid_is_real(dm_task_get_uuid(task)) && lies_on(name, &info);
	dm_task_destroy(task);
	return is_meant ? below : name;
}

/* Ask the kernel not to count the openers, which only one call needs. */
static int create_task(int type, const char *name, struct dm_task **task)
{
	int r = new_task(type, name ? ioband_dm_actual(name) : NULL, task);

	if (!r && !dm_task_no_open_count(*task)) {
		dm_task_destroy(*task);
		r = -ENOMEM;
	}
	return r;
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
	/* An empty list is one entry without a device number. */
	while (names->dev) {
		struct ioband_dm_device *dev;

		devices->v = xreallocarray(devices->v, devices->nr + 1,
					   sizeof(*devices->v));
		dev = &devices->v[devices->nr++];
		memset(dev, 0, sizeof(*dev));
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
	for (size_t i = 0; i < devices->nr; i++) {
		free(devices->v[i].name);
		free(devices->v[i].uuid);
	}
	free(devices->v);
	memset(devices, 0, sizeof(*devices));
}

static int get_targets(int type, const char *name,
		       struct ioband_dm_targets *targets)
{
	char *target_type, *params;
	uint64_t start, length;
	struct dm_task *task, *origin;
	struct dm_info info;
	void *next = NULL;
	int r;

	memset(targets, 0, sizeof(*targets));
	r = create_task(type, name, &task);
	if (r)
		return r;
	/* Otherwise some targets flush before they report their status. */
	if (!dm_task_no_flush(task)) {
		r = -ENOMEM;
		goto out;
	}
	r = run_task(task);
	if (r)
		goto out;
	/* libdevmapper does not take a missing device for a failure. */
	if (!dm_task_get_info(task, &info) || !info.exists) {
		r = -ENXIO;
		goto out;
	}
	targets->uuid = xstrdup(dm_task_get_uuid(task));
	targets->major = info.major;
	targets->minor = info.minor;
	targets->suspended = info.suspended;
	targets->has_inactive = info.inactive_table;
	targets->read_only = info.read_only;
	if (uuid_is_real(targets->uuid) &&
	    strcmp(dm_task_get_name(task), name)) {
		*strrchr(targets->uuid, '-') = '\0';
		origin = ask(name, &info);
		targets->origin_suspended = origin && info.suspended;
		if (origin)
			dm_task_destroy(origin);
	}
	do {
		struct ioband_dm_target *target;

		next = dm_get_next_target(task, next, &start, &length,
					  &target_type, &params);
		/* A device without a table has one target without a type. */
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

/*
 * A target of ours may show the line of dm-linear that it stands for, so that LVM leaves it
 * alone; but that one has no status.
 */
static const char linear[] = "linear";

static void set_ours(struct ioband_dm_target *target)
{
	free(target->type);
	target->type = xstrdup("ioband");
}

int ioband_dm_status(const char *name, struct ioband_dm_targets *targets)
{
	int r = get_targets(DM_DEVICE_STATUS, name, targets);

	for (size_t i = 0; i < targets->nr; i++)
		if (!strcmp(targets->v[i].type, linear) &&
		    *targets->v[i].params)
			set_ours(&targets->v[i]);
	return r;
}

/* Ask those of ours for the line that is theirs. */
static void find_ours(const char *name, struct ioband_dm_targets *targets)
{
	struct ioband_dm_targets status;

	ioband_dm_status(name, &status);
	for (size_t i = 0; i < targets->nr && i < status.nr; i++) {
		struct ioband_dm_target *target = &targets->v[i];
		char *params;

		if (strcmp(target->type, linear) ||
		    !strcmp(status.v[i].type, linear) ||
		    ioband_dm_message(name, target->start, "table", &params) ||
		    !params)
			continue;
		free(target->params);
		target->params = params;
		set_ours(target);
	}
	ioband_dm_targets_free(&status);
}

int ioband_dm_table(const char *name, struct ioband_dm_targets *targets)
{
	int r = get_targets(DM_DEVICE_TABLE, name, targets);

	for (size_t i = 0; i < targets->nr; i++)
		if (!strcmp(targets->v[i].type, linear)) {
			find_ours(name, targets);
			break;
		}
	return r;
}

void ioband_dm_targets_free(struct ioband_dm_targets *targets)
{
	for (size_t i = 0; i < targets->nr; i++) {
		free(targets->v[i].type);
		free(targets->v[i].params);
	}
	free(targets->v);
	free(targets->uuid);
	memset(targets, 0, sizeof(*targets));
}

int ioband_dm_version(const char *type, struct ioband_dm_version *version)
{
	struct dm_versions *found;
	struct dm_task *task;
	int r;

	r = new_task(DM_DEVICE_GET_TARGET_VERSION, type, &task);
	if (r)
		return r;
	r = run_task(task);
	/* What the kernel returns for a target it neither has nor can load. */
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

/*
 * Run a task that changes something; on failure, look for the reason in the kernel
 * log. The number of a device that does not exist yet is unknown.
 */
static int run_change(struct dm_task *task, const char *name)
{
	char device[32], reason[KLOG_REASON_LEN];
	struct dm_task *query;
	struct dm_info info;
	struct klog log;
	int r;

	klog_begin(&log);
	r = run_task(task);
	if (!r) {
		klog_end(&log, NULL, NULL);
		return 0;
	}
	device[0] = '\0';
	query = ask(ioband_dm_actual(name), &info);
	if (query) {
		snprintf(device, sizeof(device), "%u:%u", info.major,
			 info.minor);
		dm_task_destroy(query);
	}
	klog_end(&log, *device ? device : NULL, reason);
	memcpy(last_reason, reason, sizeof(reason));
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
	r = run_change(task, name);
	if (r)
		goto out;
	response = dm_task_get_message_response(task);
	if (response)
		*answer = xstrdup(response);
out:
	dm_task_destroy(task);
	return r;
}

/*
 * Wait until udev has processed an event, but not for ever: one that is stuck would keep
 * us here, deaf to signals. What it has not done, it does when it goes on.
 */
static void wait_for_udev(uint32_t cookie, const char *name)
{
	const struct timespec pause = { .tv_nsec = UDEV_TRY_MS * 1000000 };
	int ready = 0;

	/* Where no udev runs there is nothing to wait for. */
	if (!cookie || !dm_udev_get_sync_support()) {
		dm_udev_wait(cookie);
		return;
	}
	for (unsigned int ms = 0; ms < UDEV_WAIT_MS; ms += UDEV_TRY_MS) {
		if (!dm_udev_wait_immediate(cookie, &ready) || ready)
			return;
		nanosleep(&pause, NULL);
	}
	warn("'%s': udev has not taken note of the change for %d seconds, and is not waited for any longer; links in /dev may be missing until it goes on: see 'systemctl status systemd-udevd'",
	     name, UDEV_WAIT_MS / 1000);
	dm_udev_complete(cookie);
	dm_udev_wait(cookie);
}

/*
 * Run a task that raises a uevent, and wait until udev has processed it. Where udev
 * runs, libdevmapper need not manage device nodes itself.
 */
static int run_event(struct dm_task *task, const char *name, uint16_t flags)
{
	uint32_t cookie = 0;
	int r;

	if (dm_udev_get_sync_support())
		flags |= DM_UDEV_DISABLE_LIBRARY_FALLBACK;
	if (!dm_task_set_cookie(task, &cookie, flags))
		return -ENOMEM;
	r = run_change(task, name);
	wait_for_udev(cookie, name);
	return r;
}

static int add_targets(struct dm_task *task,
		       const struct ioband_dm_targets *targets)
{
	for (size_t i = 0; i < targets->nr; i++) {
		const struct ioband_dm_target *t = &targets->v[i];

		if (!dm_task_add_target(task, t->start, t->length, t->type,
					t->params))
			return -ENOMEM;
	}
	if (targets->read_only && !dm_task_set_ro(task))
		return -ENOMEM;
	return 0;
}

/* Create the device without a table; it gets no node yet. */
static int create_empty(const char *name, const char *uuid)
{
	struct dm_task *task;
	int r;

	r = create_task(DM_DEVICE_CREATE, name, &task);
	if (r)
		return r;
	r = dm_task_set_uuid(task, uuid) ? run_task(task) : -EINVAL;
	dm_task_destroy(task);
	return r;
}

/*
 * Activate a loaded table. The kernel would freeze the file system first, as for a
 * snapshot of it. We only need what is in flight to be done; and it may be frozen
 * already, or be unable to because of errors. LVM does not freeze it, either.
 */
static int resume(const char *name, uint32_t read_ahead, uint32_t read_ahead_flags,
		  enum ioband_dm_udev udev)
{
	static const uint16_t flags[] = {
		[IOBAND_DM_LINKED] = 0,
		[IOBAND_DM_LOW_PRIORITY] = DM_UDEV_LOW_PRIORITY_FLAG,
		[IOBAND_DM_HIDDEN] = DM_UDEV_DISABLE_SUBSYSTEM_RULES_FLAG |
				     DM_UDEV_DISABLE_DISK_RULES_FLAG |
				     DM_UDEV_DISABLE_OTHER_RULES_FLAG,
	};
	struct dm_task *task;
	int r;

	r = create_task(DM_DEVICE_RESUME, name, &task);
	if (r)
		return r;
	if (!dm_task_skip_lockfs(task))
		r = -EINVAL;
	if (!r && !dm_task_set_read_ahead(task, read_ahead, read_ahead_flags))
		r = -EINVAL;
	if (!r)
		r = run_event(task, name, flags[udev]);
	dm_task_destroy(task);
	return r;
}

/*
 * In steps: libdevmapper could do it in one task, but would not tell what failed.
 */
int ioband_dm_create(const char *name, const char *uuid,
		     const struct ioband_dm_targets *targets,
		     unsigned int read_ahead, enum ioband_dm_udev udev)
{
	char error[sizeof(last_error)], reason[sizeof(last_reason)];
	int r;

	r = create_empty(name, uuid);
	if (r)
		return r;
	r = ioband_dm_load(name, targets);
	if (!r)
		r = resume(name, read_ahead ? read_ahead : DM_READ_AHEAD_AUTO,
			   DM_READ_AHEAD_MINIMUM_FLAG, udev);
	if (r) {
		memcpy(error, last_error, sizeof(error));
		memcpy(reason, last_reason, sizeof(reason));
		ioband_dm_remove(name);
		memcpy(last_error, error, sizeof(error));
		memcpy(last_reason, reason, sizeof(reason));
	}
	return r;
}

int ioband_dm_load(const char *name, const struct ioband_dm_targets *targets)
{
	struct dm_task *task;
	int r;

	r = create_task(DM_DEVICE_RELOAD, name, &task);
	if (r)
		return r;
	r = add_targets(task, targets);
	if (!r)
		r = run_change(task, name);
	dm_task_destroy(task);
	return r;
}

int ioband_dm_clear(const char *name)
{
	struct dm_task *task;
	int r;

	r = create_task(DM_DEVICE_CLEAR, name, &task);
	if (r)
		return r;
	r = run_task(task);
	dm_task_destroy(task);
	return r;
}

/* In sectors. */
static uint32_t get_read_ahead(const char *name)
{
	uint32_t read_ahead = DM_READ_AHEAD_AUTO;
	struct dm_task *task;

	if (create_task(DM_DEVICE_INFO, name, &task))
		return read_ahead;
	if (run_task(task) || !dm_task_get_read_ahead(task, &read_ahead))
		read_ahead = DM_READ_AHEAD_AUTO;
	dm_task_destroy(task);
	return read_ahead;
}

/* With a new table the kernel gives the device its own default for read-ahead. */
int ioband_dm_resume(const char *name, enum ioband_dm_udev udev)
{
	return resume(name, get_read_ahead(name), 0, udev);
}

int ioband_dm_remove(const char *name)
{
	struct dm_task *task;
	int r;

	r = create_task(DM_DEVICE_REMOVE, name, &task);
	if (r)
		return r;
	/* udev may still have it open for a moment. */
	if (!dm_task_retry_remove(task))
		r = -ENOMEM;
	if (!r)
		r = run_event(task, name, 0);
	dm_task_destroy(task);
	return r;
}

int ioband_dm_remove_deferred(const char *name)
{
	struct dm_task *task;
	int r;

	r = create_task(DM_DEVICE_REMOVE, name, &task);
	if (r)
		return r;
	/* While it is open there is no event to wait for. */
	r = dm_task_deferred_remove(task) ? run_change(task, name) : -ENOMEM;
	dm_task_destroy(task);
	return r;
}

int ioband_dm_open_count(const char *name, unsigned int *count)
{
	struct dm_task *task;
	struct dm_info info;
	int r;

	*count = 0;
	r = new_task(DM_DEVICE_INFO, name, &task);
	if (r)
		return r;
	r = run_task(task);
	if (!r && (!dm_task_get_info(task, &info) || !info.exists))
		r = -ENXIO;
	if (!r)
		*count = info.open_count;
	dm_task_destroy(task);
	return r;
}
