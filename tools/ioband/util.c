// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors and memory.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "util.h"

static __printf(1, 0) char *xvasprintf(const char *fmt, va_list args)
{
	char *text;

	if (vasprintf(&text, fmt, args) < 0)
		exit(fail(IOBAND_NOMEM, "out of memory"));
	return text;
}

/*
 * Words of the user and of the kernel are part of the sentence, and neither may
 * steer the terminal.
 */
static void say(const char *text)
{
	fputs("ioband: ", stderr);
	for (; *text; text++) {
		unsigned char c = *text;

		putc(c < 0x20 || c == 0x7f ? '?' : c, stderr);
	}
	putc('\n', stderr);
}

/**
 * fail - report an error
 * @status: exit code that goes with it
 * @fmt: one sentence that names the word, the reason and the way out
 *
 * Return: @status.
 */
int fail(int status, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	say(text ? text : "out of memory");
	free(text);
	return status;
}

/**
 * fail_errno - report that something cannot be done
 * @err: why, a negative errno from dm.h
 * @detail: what else is known, or ""
 * @fmt: what cannot be done, as in "cannot read the table of 'x'"
 *
 * Return: the exit code for @err.
 */
int fail_errno(int err, const char *detail, const char *fmt, ...)
{
	va_list args;
	int status;
	char *what;

	va_start(args, fmt);
	what = xvasprintf(fmt, args);
	va_end(args);

	switch (-err) {
	case EACCES:
	case EPERM:
		status = fail(IOBAND_PERM, "%s: only root may; use sudo", what);
		break;
	case ENOMEM:
		status = fail(IOBAND_NOMEM, "%s: out of memory", what);
		break;
	case ENXIO:
	case ENODEV:
	case ENOENT:
	case ENOTBLK:
		status = fail(IOBAND_DEVICE,
			      "%s: there is no such device; 'ioband list' shows those there are",
			      what);
		break;
	case EBUSY:
	case EEXIST:
		status = fail(IOBAND_BUSY, "%s: %s; try again when it is not in use",
			      what, strerror(-err));
		break;
	case ENOPKG:
		status = fail(IOBAND_MODULE,
			      "%s: this kernel has no device-mapper; try 'modprobe dm_mod'",
			      what);
		break;
	default:
		status = fail(IOBAND_USAGE, "%s: %s%s%s; 'dmesg' may say more",
			      what, strerror(-err), *detail ? ": " : "", detail);
	}
	free(what);
	return status;
}

void *xcalloc(size_t nr, size_t size)
{
	void *p = calloc(nr ? nr : 1, size);

	if (!p)
		exit(fail(IOBAND_NOMEM, "out of memory"));
	return p;
}

void *xreallocarray(void *old, size_t nr, size_t size)
{
	void *p = reallocarray(old, nr ? nr : 1, size);

	if (!p)
		exit(fail(IOBAND_NOMEM, "out of memory"));
	return p;
}

char *xstrdup(const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		exit(fail(IOBAND_NOMEM, "out of memory"));
	return copy;
}

char *xasprintf(const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	return text;
}

/**
 * open_below - open a file of another root directory for reading
 * @root: the directory, "" for the real one
 * @path: absolute path below it
 *
 * Return: the file, or %NULL with errno set.
 */
FILE *open_below(const char *root, const char *path)
{
	char *name = xasprintf("%s%s", root, path);
	FILE *file = fopen(name, "re");

	free(name);
	return file;
}
