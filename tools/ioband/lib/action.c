// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything that changes the system: carried out, or with --dry-run printed as
 * equivalent commands.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "action.h"
#include "blk.h"
#include "cmd.h"
#include "leaf.h"
#include "lock.h"
#include "settings.h"
#include "table.h"
#include "target.h"

static sigset_t old_signals;
static unsigned int nesting;
static bool done;

/* Takes note of a change that was made. */
static int note(int r)
{
	done |= !r;
	return r;
}

bool action_done(void)
{
	return done;
}

/**
 * action_begin - enter a section in which a device may be suspended
 *
 * The program, the shell or the log may live on that device, so until it is
 * resumed nothing may be read from it and no signal may kill us. Nests; ended by
 * action_end().
 */
void action_begin(void)
{
	sigset_t all;

	if (nesting++)
		return;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old_signals);
	/* Best effort. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return;
}

/**
 * action_end - leave the section: all devices are resumed
 */
void action_end(void)
{
	if (--nesting)
		return;
	munlockall();
	sigprocmask(SIG_SETMASK, &old_signals, NULL);
}

static void print_table(const char *command,
			const struct ioband_dm_targets *targets)
{
	printf("%s <<'END'\n", command);
	for (size_t i = 0; i < targets->nr; i++)
		printf("%" PRIu64 " %" PRIu64 " %s %s\n", targets->v[i].start,
		       targets->v[i].length, targets->v[i].type,
		       targets->v[i].params);
	printf("END\n");
}

int action_create(const struct options *opts, const char *name,
		  const char *uuid, const struct ioband_dm_targets *targets,
		  unsigned int read_ahead, enum ioband_dm_udev udev)
{
	char *command;

	if (!opts->dry_run) {
		int r = lock_device(opts, name);

		if (r)
			return r;
		lock_pause(opts);
		r = ioband_dm_create(name, uuid, targets, read_ahead, udev);
		lock_resume();
		return note(r);
	}
	command = xasprintf("dmsetup create '%s' --uuid '%s'", name, uuid);
	print_table(command, targets);
	free(command);
	return 0;
}

static int load(const struct options *opts, const char *name,
		const struct ioband_dm_targets *targets)
{
	char *command;

	if (!opts->dry_run)
		return ioband_dm_load(name, targets);
	command = xasprintf("dmsetup reload '%s'", ioband_dm_actual(name));
	print_table(command, targets);
	free(command);
	return 0;
}

/*
 * A priority that somebody has given the device's links is to stay, and that LVM hides a
 * part of a volume.
 */
static enum ioband_dm_udev links_of(const struct options *opts,
				    const char *name,
				    const struct ioband_dm_targets *old)
{
	char devno[DEVNO_LEN];

	if (leaf_is_inner(name))
		return IOBAND_DM_HIDDEN;
	snprintf(devno, sizeof(devno), "%u:%u", old->major, old->minor);
	return blk_has_low_priority(opts->sysroot, devno) ?
	       IOBAND_DM_LOW_PRIORITY : IOBAND_DM_LINKED;
}

static int resume(const struct options *opts, const char *name,
		  enum ioband_dm_udev udev)
{
	int r;

	if (opts->dry_run) {
		printf("dmsetup resume '%s'\n", ioband_dm_actual(name));
		return 0;
	}
	/* It waits for all I/O of the device. */
	lock_pause(opts);
	r = ioband_dm_resume(name, udev);
	lock_resume();
	return note(r);
}

int action_remove(const struct options *opts, const char *name)
{
	int r;

	if (opts->dry_run) {
		printf("dmsetup remove '%s'\n", name);
		return 0;
	}
	r = lock_device(opts, name);
	if (r)
		return r;
	lock_pause(opts);
	r = ioband_dm_remove(name);
	lock_resume();
	return note(r);
}

int action_remove_deferred(const struct options *opts, const char *name)
{
	if (!opts->dry_run)
		return note(ioband_dm_remove_deferred(name));
	printf("dmsetup remove --deferred '%s'\n", name);
	return 0;
}

int action_message(const struct options *opts, const char *name,
		   uint64_t sector, const char *text)
{
	char *answer;
	int r;

	if (opts->dry_run) {
		printf("dmsetup message -- '%s' %" PRIu64 " %s\n",
		       ioband_dm_actual(name), sector, text);
		return 0;
	}
	r = lock_device(opts, name);
	if (r)
		return r;
	r = ioband_dm_message(name, sector, text, &answer);
	free(answer);
	return note(r);
}

/**
 * action_write - write to a file of the kernel's about a block device
 * @opts: the global options
 * @path: path of the file, without --sysroot
 * @text: what to write
 *
 * Return: 0 or -errno.
 */
int action_write(const struct options *opts, const char *path,
		 const char *text)
{
	char *full;
	int fd, r = 0;

	if (opts->dry_run) {
		printf("echo %s >%s\n", text, path);
		return 0;
	}
	full = xasprintf("%s%s", opts->sysroot, path);
	/* The kernel may wait for all I/O of the device. */
	lock_pause(opts);
	fd = open(full, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		r = -errno;
	if (fd >= 0)
		close(fd);
	lock_resume();
	free(full);
	return r;
}

/* Same lower device and offset? Groups may differ: they follow their cgroups. */
static bool same_place(const char *a, const char *b)
{
	struct table_line was = { 0 }, is = { 0 };
	struct parse_error err;
	bool same;

	same = !table_parse(a, &was, &err) && !table_parse(b, &is, &err) &&
	       !strcmp(was.device, is.device) &&
	       was.offset_sectors == is.offset_sectors;
	table_free(&was);
	table_free(&is);
	return same;
}

/* Whether two tables have the same lines, parameters of ioband groups aside. */
static bool same_places(const struct ioband_dm_targets *a,
			const struct ioband_dm_targets *b)
{
	bool same = a->nr == b->nr;

	for (size_t i = 0; same && i < a->nr; i++) {
		const struct ioband_dm_target *was = &a->v[i], *is = &b->v[i];

		same = was->start == is->start && was->length == is->length &&
		       !strcmp(was->type, is->type) &&
		       (strcmp(is->type, TARGET_TYPE) ?
			!strcmp(was->params, is->params) :
			same_place(was->params, is->params));
	}
	return same;
}

/* Whether two tables have the same lines. */
static bool targets_equal(const struct ioband_dm_targets *a,
			  const struct ioband_dm_targets *b)
{
	for (size_t i = 0; i < a->nr && i < b->nr; i++)
		if (strcmp(a->v[i].params, b->v[i].params))
			return false;
	return same_places(a, b);
}

static int refuse_busy(const char *verb, const char *name,
		       const struct ioband_dm_targets *targets)
{
	bool suspended = targets->suspended;

	return fail(IOBAND_BUSY,
		    "cannot %s '%s': %s, so LVM or another program is changing it; try again later, or 'dmsetup %s %s' if nobody is",
		    verb, name, suspended ? "it is suspended" :
		    "another table is loaded for it",
		    suspended ? "resume" : "clear", ioband_dm_actual(name));
}

/**
 * action_table - read the table of a device before replacing it, and lock the device
 * @opts: the global options
 * @verb: the operation, for messages, as in "attach"
 * @name: the device
 * @targets: filled in, to be freed by ioband_dm_targets_free() in any case
 *
 * LVM is kept from its volume group until action_replace() has ended.
 *
 * Fails with %IOBAND_BUSY if another ioband is changing the device, or if it is suspended
 * or has an inactive table: LVM or another program is changing it.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int action_table(const struct options *opts, const char *verb,
		 const char *name, struct ioband_dm_targets *targets)
{
	int r;

	memset(targets, 0, sizeof(*targets));
	if (lock_device(opts, name))
		return fail(IOBAND_BUSY, "cannot %s '%s': %s", verb, name,
			    lock_reason());
	r = ioband_dm_table(name, targets);
	if (!r && !strncmp(targets->uuid, "LVM-", 4)) {
		if (lock_group(opts, name))
			return fail(IOBAND_BUSY, "cannot %s '%s': %s", verb,
				    name, lock_reason());
		/* It may have been waited for. */
		ioband_dm_targets_free(targets);
		r = ioband_dm_table(name, targets);
	}
	if (r)
		return fail_errno(r, ioband_dm_error(),
				  "cannot read the table of '%s'", name);
	if (targets->suspended || targets->has_inactive)
		return refuse_busy(verb, name, targets);
	if (!targets->nr)
		return fail(IOBAND_DEVICE, "cannot %s '%s': it has no table",
			    verb, name);
	return 0;
}

/* Whether the device still has the table that the new one was derived from. */
static int check_same(const char *verb, const char *name,
		      const struct ioband_dm_targets *old, bool is_loaded)
{
	struct ioband_dm_targets now;
	int r, status = 0;

	r = ioband_dm_table(name, &now);
	if (r)
		return fail_errno(r, ioband_dm_error(),
				  "cannot read the table of '%s'", name);
	if (now.suspended || (now.has_inactive && !is_loaded))
		status = refuse_busy(verb, name, &now);
	else if (!same_places(old, &now))
		status = fail(IOBAND_BUSY,
			      "cannot %s '%s': somebody else has given it another table at the same moment; try again",
			      verb, name);
	ioband_dm_targets_free(&now);
	return status;
}

/* Return: whether the device has its old table again and is resumed. */
static bool undo(const char *name, const struct ioband_dm_targets *old,
		 enum ioband_dm_udev udev)
{
	struct ioband_dm_targets now;
	bool ok;

	ioband_dm_clear(name);
	if (ioband_dm_table(name, &now))
		return false;
	if (now.suspended) {
		ioband_dm_targets_free(&now);
		if (ioband_dm_resume(name, udev) ||
		    ioband_dm_table(name, &now))
			return false;
	}
	ok = !now.suspended && !now.has_inactive && targets_equal(old, &now);
	ioband_dm_targets_free(&now);
	return ok;
}

/**
 * action_replace - activate a new table, or leave the device as it was
 * @opts: the global options
 * @verb: the operation, for messages, as in "attach"
 * @name: the device, which is in use
 * @old: its table as read by action_table(), from which @new was derived
 * @new: the new table
 *
 * The kernel validates the new table while the old one is active, then suspends,
 * swaps and resumes in one step: I/O never depends on us to continue, unless that
 * step fails. Whatever somebody else who honours no lock has changed meanwhile is left
 * alone, an inactive table included.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int action_replace(const struct options *opts, const char *verb,
		   const char *name, const struct ioband_dm_targets *old,
		   const struct ioband_dm_targets *new)
{
	enum ioband_dm_udev udev = links_of(opts, name, old);
	struct failure why = { 0 };
	bool ok = true;
	int r, status;

	action_begin();
	status = check_same(verb, name, old, false);
	if (status)
		goto out;
	r = load(opts, name, new);
	if (r) {
		failure_note(&why, r);
	} else {
		status = check_same(verb, name, old, true);
		if (!status)
			r = resume(opts, name, udev);
		else if (!opts->dry_run)
			ioband_dm_clear(name);
		if (r) {
			failure_note(&why, r);
			ok = undo(name, old, udev);
		}
	}
out:
	lock_drop_group();
	action_end();
	if (why.err)
		status = fail_action(&why, "cannot %s '%s'", verb, name);
	if (!ok)
		status = fail(IOBAND_BUSY,
			      "cannot put back the table of '%s': see 'dmsetup info' and 'dmsetup table' of it; 'dmsetup resume' lets its I/O go on",
			      ioband_dm_actual(name));
	return status;
}

/**
 * failure_note - record the details of a failure
 * @why: filled in
 * @err: negative errno of a call in dm.h that has just failed
 */
void failure_note(struct failure *why, int err)
{
	why->err = err;
	snprintf(why->reason, sizeof(why->reason), "%s", *lock_reason() ?
		 lock_reason() : ioband_dm_reason());
	snprintf(why->detail, sizeof(why->detail), "%s", ioband_dm_error());
}

static int fail_with(const struct failure *why, const char *what)
{
	if (*why->reason) {
		char *reason = settings_reason(why->reason);
		int status = fail(errno_status(why->err), "%s: %s", what,
				  reason);

		free(reason);
		return status;
	}
	return fail_errno(why->err, why->detail, "%s", what);
}

/**
 * fail_action - report a recorded failure of a change
 * @why: what failure_note() recorded
 * @fmt: what cannot be done
 *
 * Return: the exit code.
 */
int fail_action(const struct failure *why, const char *fmt, ...)
{
	va_list args;
	char *what;
	int status;

	va_start(args, fmt);
	if (vasprintf(&what, fmt, args) < 0)
		return fail(IOBAND_NOMEM, "out of memory");
	va_end(args);
	status = fail_with(why, what);
	free(what);
	return status;
}

/**
 * fail_change - report the failure of the last call in dm.h
 * @err: what it returned
 * @fmt: what cannot be done
 *
 * Return: the exit code.
 */
int fail_change(int err, const char *fmt, ...)
{
	struct failure why;
	va_list args;
	char *what;
	int status;

	failure_note(&why, err);
	va_start(args, fmt);
	if (vasprintf(&what, fmt, args) < 0)
		return fail(IOBAND_NOMEM, "out of memory");
	va_end(args);
	status = fail_with(&why, what);
	free(what);
	return status;
}

/**
 * targets_add - add a line to a table
 * @targets: the table, to be freed by ioband_dm_targets_free()
 */
void targets_add(struct ioband_dm_targets *targets, uint64_t start,
		 uint64_t length, const char *type, const char *params)
{
	targets->v = xreallocarray(targets->v, targets->nr + 1,
				   sizeof(*targets->v));
	targets->v[targets->nr++] = (struct ioband_dm_target){
		.start = start,
		.length = length,
		.type = xstrdup(type),
		.params = xstrdup(params),
	};
}
