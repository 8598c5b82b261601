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

/**
 * replace_file - write a file atomically
 * @path: path of the file
 * @text: new contents
 * @len: their length
 *
 * A reader of the file gets the old or the new contents, never a part.
 *
 * Return: 0 or -errno.
 */
int replace_file(const char *path, const char *text, size_t len)
{
	char *dir = xstrdup(path), *base = xstrdup(path);
	/* Hidden and with another suffix, so that collectors ignore it. */
	char *temp = xasprintf("%s/.%s.XXXXXX", dirname(dir), basename(base));
	int fd = mkostemp(temp, O_CLOEXEC), r = 0;

	if (fd < 0)
		r = -errno;
	if (!r) {
		r = write_fd(fd, text, len);
		if (!r && fchmod(fd, 0644))
			r = -errno;
		if (close(fd) && !r)
			r = -errno;
		if (!r && rename(temp, path))
			r = -errno;
		if (r)
			unlink(temp);
	}
	free(temp);
	free(base);
	free(dir);
	return r;
}
