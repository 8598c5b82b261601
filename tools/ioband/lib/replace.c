// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replace files atomically.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "replace.h"
#include "util.h"

/* A file beside @path, hidden and with another suffix, so that no reader takes it. */
static int open_temp(const char *path, char **temp)
{
	char *dir = xstrdup(path), *base = xstrdup(path);
	int fd;

	*temp = xasprintf("%s/.%s.XXXXXX", dirname(dir), basename(base));
	fd = mkostemp(*temp, O_CLOEXEC);
	free(base);
	free(dir);
	return fd;
}

/**
 * replace_check - refuse a path at which no file can or should be written
 * @option: the option that it was given by
 * @path: the path
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int replace_check(const char *option, const char *path)
{
	struct stat st;
	char *temp;
	int fd, status = 0;

	if (!*path)
		return fail(IOBAND_USAGE, "%s '': expected a file", option);
	/* Anything else, such as /dev/null, would be replaced by the file. */
	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		return fail(IOBAND_USAGE,
			    "%s '%s': expected a regular file, or none yet",
			    option, path);
	fd = open_temp(path, &temp);
	if (fd < 0) {
		status = fail(errno == EACCES ? IOBAND_PERM : IOBAND_USAGE,
			      "cannot write '%s': %s", path, strerror(errno));
	} else {
		unlink(temp);
		close(fd);
	}
	free(temp);
	return status;
}

static int write_fd(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= n;
	}
	return 0;
}

/*
 * Without this, a power failure could undo the rename. Errors are ignored: the file is
 * in place, even on a file system that cannot sync directories.
 */
static void sync_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* Mode and owner are those of the file that is replaced. */
static int take_over(const char *path, int fd)
{
	struct stat st;

	if (lstat(path, &st) || !S_ISREG(st.st_mode))
		return fchmod(fd, 0644) ? -errno : 0;
	if (fchown(fd, st.st_uid, st.st_gid) && geteuid() == 0)
		return -errno;
	return fchmod(fd, st.st_mode & 07777) ? -errno : 0;
}

/**
 * replace_file - write a file atomically
 * @path: path of the file, no link
 * @text: new contents
 * @len: their length
 * @sync: survive a power failure
 *
 * A reader of the file gets the old or the new contents, never a part.
 *
 * Return: 0 or -errno.
 */
int replace_file(const char *path, const char *text, size_t len, bool sync)
{
	char *temp;
	int fd = open_temp(path, &temp), r = 0;

	if (fd < 0)
		r = -errno;
	if (!r) {
		r = write_fd(fd, text, len);
		if (!r)
			r = take_over(path, fd);
		if (!r && sync && fsync(fd))
			r = -errno;
		if (close(fd) && !r)
			r = -errno;
		if (!r && rename(temp, path))
			r = -errno;
		if (r)
			unlink(temp);
		else if (sync)
			sync_dir(dirname(temp));
	}
	free(temp);
	return r;
}
