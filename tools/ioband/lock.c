// SPDX-License-Identifier: GPL-2.0-only
/*
 * One at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "lock.h"
#include "store.h"
#include "util.h"

/* Hidden, beside the records. */
#define LOCK_FILE STORE_RUN "/.lock"

static int lock_fd = -1;

/* Only root may open it: who can lock it can stop all others. */
static int open_lock(const char *dir, const char *path)
{
	if (mkdir(dir, 0755) && errno != EEXIST)
		return -1;
	/* To read, for a service may find it there and all around read-only. */
	return open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/**
 * lock_take - wait until no other ioband changes anything, and keep it so
 * @opts: the global options; with --dry-run there is nothing to do
 *
 * Until lock_drop() or the end of the process. It may be held already.
 *
 * We may wait for udev while we hold it. What the rules of udev start is a service,
 * for which udev does not wait, so that may wait for us.
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
	if (fd >= 0 && !flock(fd, LOCK_EX)) {
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
 * lock_drop - let others change something
 */
void lock_drop(void)
{
	if (lock_fd >= 0)
		close(lock_fd);
	lock_fd = -1;
}
