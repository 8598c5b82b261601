// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mutual exclusion of ioband processes.
 *
 * One lock stops all others. What may wait for long, for a device or for udev, is done
 * with that lock paused and one of the device alone. Others wait for it, but only for a
 * time: then they go on with other devices, and refuse this one.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "cmd.h"
#include "config/store.h"
#include "lock.h"
#include "util.h"

/* Hidden files in the directory of the records. */
#define LOCK_FILE STORE_RUN "/.lock"

/* Shared by all that have paused the lock. */
#define PAUSED_FILE LOCK_FILE "-paused"

/* Behind it, the name of the device. */
#define DEVICE_FILE LOCK_FILE "-device-"

/* LVM's own, unless lvm.conf says otherwise; behind it, the volume group. */
#define LVM_DIR "/run/lock/lvm"
#define GROUP_FILE LVM_DIR "/V_"

#define NS_PER_SEC 1000000000ULL

#define TRY_NS		(NS_PER_SEC / 20)
/* The lock itself is held for moments, unless something is wrong. */
#define TAKE_NS		(60 * NS_PER_SEC)
/* A command of LVM's may ask its user something meanwhile. */
#define GROUP_NS	(10 * NS_PER_SEC)
/* How long to wait for those that have paused it. */
#define PAUSED_NS	(10 * NS_PER_SEC)

static int lock_fd = -1;
static int paused_fd = -1;
static int group_fd = -1;
static char reason[300];

/* The devices whose locks are held. */
static struct {
	char *name;
	int fd;
} *devices;
static size_t nr_devices;

/* Only root may open it: whoever holds the lock stops all others. */
static int open_lock(const char *dir, const char *path)
{
	if (mkdir(dir, 0755) && errno != EEXIST)
		return -1;
	/* For reading only: a service may find the whole directory read-only. */
	return open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static int open_file(const struct options *opts, const char *file,
		     const char *name)
{
	char *dir = xasprintf("%s" STORE_RUN, opts->sysroot);
	char *path = xasprintf("%s%s%s", opts->sysroot, file, name);
	int fd = open_lock(dir, path);

	free(path);
	free(dir);
	return fd;
}

/* What a process was started as, its words joined by blanks. */
static void read_command(const struct options *opts, unsigned long pid,
			 char *text, size_t size)
{
	char *path = xasprintf("/proc/%lu/cmdline", pid);
	FILE *file = open_below(opts->sysroot, path);
	size_t len = file ? fread(text, 1, size - 1, file) : 0;

	free(path);
	if (file)
		fclose(file);
	while (len && !text[len - 1])
		len--;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20)
			text[i] = ' ';
	text[len] = '\0';
}

/* Who holds a lock: "process 12, 'ioband attach vg/st',". */
static const char *who_holds(const struct options *opts, int fd)
{
	static char who[200] = "";
	FILE *file = open_below(opts->sysroot, "/proc/locks");
	char line[256], command[120];
	unsigned long pid = 0;
	struct stat st;

	while (file && !pid && !fstat(fd, &st) &&
	       fgets(line, sizeof(line), file)) {
		uint64_t inode;

		if (sscanf(line, "%*s FLOCK %*s %*s %lu %*x:%*x:%" SCNu64,
			   &pid, &inode) != 2 ||
		    inode != st.st_ino || pid == (unsigned long)getpid())
			pid = 0;
	}
	if (file)
		fclose(file);
	if (!pid)
		return "another process";
	read_command(opts, pid, command, sizeof(command));
	snprintf(who, sizeof(who), *command ? "process %lu, '%s'," :
		 "process %lu", pid, command);
	return who;
}

static bool try(int fd)
{
	return !flock(fd, LOCK_EX | LOCK_NB);
}

/*
 * follow has the signals blocked that end it, but nothing is begun yet: while it waits
 * they end it at once.
 */
static void wait_a_moment(void)
{
	sigset_t ends, old;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &ends, &old);
	clock_wait(TRY_NS, -1, NULL);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/* Return: whether it was got in time, or -1 with errno set. */
static int try_for(int fd, uint64_t ns)
{
	for (uint64_t waited = 0; !try(fd); waited += TRY_NS) {
		if (errno != EWOULDBLOCK)
			return -1;
		if (waited >= ns)
			return false;
		wait_a_moment();
	}
	return true;
}

/*
 * Wait until nobody has paused the lock. Who waits for a device for longer waits for that
 * device alone, so it is told once, and left to itself.
 *
 * Return: whether the lock is held, or -1 with errno set.
 */
static int wait_for_paused(const struct options *opts, int fd)
{
	static bool is_told;
	int paused = open_file(opts, PAUSED_FILE, "");
	uint64_t waited = 0;
	int r = true;

	if (paused < 0)
		return r;
	while (r > 0 && !try(paused)) {
		if (is_told)
			goto out;
		if (waited >= PAUSED_NS) {
			warn("%s waits for a device, or for udev, for more than %u seconds; going on without it",
			     who_holds(opts, paused),
			     (unsigned int)(PAUSED_NS / NS_PER_SEC));
			is_told = true;
			goto out;
		}
		flock(fd, LOCK_UN);
		wait_a_moment();
		waited += TRY_NS;
		/* Who has it now may be waiting for us to end. */
		r = try_for(fd, TAKE_NS);
	}
	is_told = false;
out:
	close(paused);
	return r;
}

static int wait_for(const struct options *opts, int fd)
{
	int r = try_for(fd, TAKE_NS);

	return r > 0 ? wait_for_paused(opts, fd) : r;
}

/**
 * lock_take - wait for other ioband processes and exclude them from changes
 * @opts: the global options; with --dry-run there is nothing to do
 *
 * The lock is held until lock_drop() or the end of the process. It is fine to hold it
 * already.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int lock_take(const struct options *opts)
{
	int fd, r, status = 0;

	if (opts->dry_run || lock_fd >= 0)
		return 0;
	fd = open_file(opts, LOCK_FILE, "");
	r = fd >= 0 ? wait_for(opts, fd) : -1;
	if (r > 0) {
		lock_fd = fd;
		return 0;
	}
	if (!r) {
		status = fail(IOBAND_BUSY,
			      "%s has held the lock of all changes for more than %u seconds; see what it waits for, or end it",
			      who_holds(opts, fd),
			      (unsigned int)(TAKE_NS / NS_PER_SEC));
	} else {
		bool forbidden = errno == EACCES || errno == EPERM;

		status = fail(forbidden ? IOBAND_PERM : IOBAND_USAGE,
			      "cannot lock '%s" LOCK_FILE "': %s",
			      opts->sysroot, forbidden ?
			      "only root may; use sudo" : strerror(errno));
	}
	if (fd >= 0)
		close(fd);
	return status;
}

/**
 * lock_drop - release the lock, and those of devices and of a group
 */
void lock_drop(void)
{
	lock_drop_group();
	if (lock_fd >= 0)
		close(lock_fd);
	lock_fd = -1;
	while (nr_devices) {
		nr_devices--;
		close(devices[nr_devices].fd);
		free(devices[nr_devices].name);
	}
	free(devices);
	devices = NULL;
}

/**
 * lock_device - exclude others from changes of one device
 * @opts: the global options
 * @name: its name
 *
 * Without the lock of all there is nothing to do.
 *
 * Return: 0; -EBUSY if somebody else is changing it, and lock_reason() says who.
 */
int lock_device(const struct options *opts, const char *name)
{
	int fd;

	*reason = '\0';
	if (lock_fd < 0)
		return 0;
	for (size_t i = 0; i < nr_devices; i++)
		if (!strcmp(devices[i].name, name))
			return 0;
	fd = open_file(opts, DEVICE_FILE, name);
	/* Where none can be made nobody else has one, or will pause. */
	if (fd < 0)
		return 0;
	if (!try(fd)) {
		snprintf(reason, sizeof(reason),
			 "%s is changing '%.60s' and waits for it, or for udev; see 'dmsetup info %.60s' and 'dmsetup udevcookies'",
			 who_holds(opts, fd), name, name);
		close(fd);
		return -EBUSY;
	}
	devices = xreallocarray(devices, nr_devices + 1, sizeof(*devices));
	devices[nr_devices].name = xstrdup(name);
	devices[nr_devices++].fd = fd;
	return 0;
}

/* The group of a volume by its device-mapper name, where a hyphen is written twice. */
static char *group_of(const char *name)
{
	char *group = xstrdup(name), *to = group;

	while (*name && (*name != '-' || name[1] == '-')) {
		name += *name == '-';
		*to++ = *name++;
	}
	*to = '\0';
	return group;
}

/* LVM removes the file when it has done: then what was locked is none any more. */
static bool is_at(int fd, const char *path)
{
	struct stat here, there;

	return !fstat(fd, &here) && !stat(path, &there) &&
	       here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

/**
 * lock_group - wait until LVM does nothing with a volume group, and keep it from it
 * @opts: the global options
 * @name: device-mapper name of a logical volume of the group
 *
 * LVM loads tables one after another, and what is derived from a table that it is about
 * to replace would take the place of its own. Until lock_drop_group(), or another group
 * is locked. Without the lock of all there is nothing to do.
 *
 * Return: 0; -EBUSY if LVM does not end, and lock_reason() says who.
 */
int lock_group(const struct options *opts, const char *name)
{
	char *group, *path;
	int r = true;

	*reason = '\0';
	lock_drop_group();
	if (lock_fd < 0)
		return 0;
	group = group_of(name);
	path = xasprintf("%s" GROUP_FILE "%s", opts->sysroot, group);
	lock_pause(opts);
	do {
		lock_drop_group();
		group_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
				0600);
		/* Where LVM has no locks it has done nothing yet. */
		if (group_fd >= 0)
			r = try_for(group_fd, GROUP_NS);
	} while (group_fd >= 0 && r > 0 && !is_at(group_fd, path));
	if (!r) {
		snprintf(reason, sizeof(reason),
			 "%s has held LVM's lock of group '%.60s' for more than %u seconds; end it, or try again when it has ended",
			 who_holds(opts, group_fd), group,
			 (unsigned int)(GROUP_NS / NS_PER_SEC));
		lock_drop_group();
	}
	lock_resume();
	free(path);
	free(group);
	return r ? 0 : -EBUSY;
}

/**
 * lock_drop_group - let LVM go on
 */
void lock_drop_group(void)
{
	if (group_fd >= 0)
		close(group_fd);
	group_fd = -1;
}

/**
 * lock_reason - why lock_device() or lock_group() failed the last time, or ""
 */
const char *lock_reason(void)
{
	return reason;
}

/**
 * lock_pause - let others change other devices, while this process waits for one
 * @opts: the global options
 *
 * Its lock_device() is held. Ended by lock_resume(). Both keep errno.
 */
void lock_pause(const struct options *opts)
{
	int err = errno;

	if (lock_fd >= 0 && paused_fd < 0)
		paused_fd = open_file(opts, PAUSED_FILE, "");
	if (paused_fd >= 0) {
		/* Only who holds the lock looks, so this is free to share. */
		flock(paused_fd, LOCK_SH);
		flock(lock_fd, LOCK_UN);
	}
	errno = err;
}

/**
 * lock_resume - take the lock again
 */
void lock_resume(void)
{
	int err = errno;

	if (paused_fd >= 0) {
		/* Others hold it for moments only. */
		while (flock(lock_fd, LOCK_EX) && errno == EINTR)
			;
		close(paused_fd);
	}
	paused_fd = -1;
	errno = err;
}
