// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mutual exclusion of ioband processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "lock.h"
#include "store.h"
#include "util.h"

/* A hidden file in the directory of the records. */
#define LOCK_FILE STORE_RUN "/.lock"

static int lock_fd = -1;

/* Only root may open it: whoever holds the lock stops all others. */
static int open_lock(const char *dir, const char *path)
{
	if (mkdir(dir, 0755) && errno != EEXIST)
		return -1;
	/* For reading only: a service may find the whole directory read-only. */
	return open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/*
 * Somebody may hold the lock for long. follow has the signals blocked that end it, but
 * nothing is begun yet: here they end it at once.
 */
static int wait_for(int fd)
{
	sigset_t ends, old;
	int r = flock(fd, LOCK_EX | LOCK_NB);

	if (!r || errno != EWOULDBLOCK)
		return r;
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &ends, &old);
	r = flock(fd, LOCK_EX);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return r;
}

/**
 * lock_take - wait for other ioband processes and exclude them from changes
 * @opts: the global options; with --dry-run there is nothing to do
 *
 * The lock is held until lock_drop() or the end of the process. It is fine to hold it
 * already.
 *
 * We may wait for udev while holding it. This cannot deadlock: the rules of udev start
 * ioband only as a service, for which udev does not wait.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int lock_take(const struct options *opts)
{
	char *dir, *path;
	int fd, status = 0;

	if (opts->dry_run || lock_fd >= 0)
		return 0;
	dir = xasprintf("%s" STORE_RUN, opts->sysroot);
	path = xasprintf("%s" LOCK_FILE, opts->sysroot);
	fd = open_lock(dir, path);
	if (fd >= 0 && !wait_for(fd)) {
		lock_fd = fd;
	} else {
		bool forbidden = errno == EACCES || errno == EPERM;

		status = fail(forbidden ? IOBAND_PERM : IOBAND_USAGE,
			      "cannot lock '%s': %s", path, forbidden ?
			      "only root may; use sudo" : strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	free(path);
	free(dir);
	return status;
}

/**
 * lock_drop - release the lock
 */
void lock_drop(void)
{
	if (lock_fd >= 0)
		close(lock_fd);
	lock_fd = -1;
}
