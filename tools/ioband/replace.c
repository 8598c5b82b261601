// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replace files atomically.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replace.h"
#include "util.h"

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

/**
 * replace_file - write a file atomically
 * @path: path of the file
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
	char *dir_copy = xstrdup(path), *base_copy = xstrdup(path);
	const char *dir = dirname(dir_copy);
	/* Hidden and with another suffix, so that no reader takes it. */
	char *temp = xasprintf("%s/.%s.XXXXXX", dir, basename(base_copy));
	int fd = mkostemp(temp, O_CLOEXEC), r = 0;

	if (fd < 0)
		r = -errno;
	if (!r) {
		r = write_fd(fd, text, len);
		if (!r && fchmod(fd, 0644))
			r = -errno;
		if (!r && sync && fsync(fd))
			r = -errno;
		if (close(fd) && !r)
			r = -errno;
		if (!r && rename(temp, path))
			r = -errno;
		if (r)
			unlink(temp);
		else if (sync)
			sync_dir(dir);
	}
	free(temp);
	free(base_copy);
	free(dir_copy);
	return r;
}
