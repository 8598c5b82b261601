// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors and memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
 * Messages contain words of the user and of the kernel, whose control characters must
 * not reach the terminal.
 */
static void say(const char *text)
{
	/* It may be about what has been said there, and both may go to one file. */
	fflush(stdout);
	fputs("ioband: ", stderr);
	for (; *text; text++) {
		unsigned char c = *text;

		putc(c < 0x20 || c == 0x7f ? '?' : c, stderr);
	}
	putc('\n', stderr);
}

/* Where the first error is kept, or %NULL. */
static char **kept;

/**
 * fail_keep - store the first of the following errors instead of printing it
 * @text: where to store it, to be freed; %NULL to have errors printed again
 */
void fail_keep(char **text)
{
	kept = text;
	if (kept)
		*kept = NULL;
}

/**
 * fail - report an error
 * @status: exit code for this error
 * @fmt: one sentence that names the word, the reason and the remedy
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
	if (kept && !*kept && text) {
		*kept = text;
		return status;
	}
	if (!kept)
		say(text ? text : "out of memory");
	free(text);
	return status;
}

/**
 * warn - print a warning
 * @fmt: one sentence
 */
void warn(const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	say(text);
	free(text);
}

/**
 * report - say what has been done, unless that is not wanted
 * @opts: the global options; with --dry-run nothing has been done
 * @fmt: a line without its end, which begins with what it is about and a colon
 */
void report(const struct options *opts, const char *fmt, ...)
{
	va_list args;

	if (opts->quiet || opts->dry_run)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

/**
 * errno_status - map an errno to an exit code
 * @err: a negative errno from dm.h
 */
int errno_status(int err)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return IOBAND_PERM;
	case ENOMEM:
		return IOBAND_NOMEM;
	case ENXIO:
	case ENODEV:
	case ENOENT:
	case ENOTBLK:
		return IOBAND_DEVICE;
	case EBUSY:
	case EEXIST:
		return IOBAND_BUSY;
	case ENOPKG:
		return IOBAND_MODULE;
	default:
		return IOBAND_USAGE;
	}
}

/**
 * fail_errno - report an error with its errno
 * @err: a negative errno from dm.h
 * @detail: more about the reason, or ""
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

	status = errno_status(err);
	switch (status) {
	case IOBAND_PERM:
		fail(status, "%s: only root may; use sudo", what);
		break;
	case IOBAND_NOMEM:
		fail(status, "%s: out of memory", what);
		break;
	case IOBAND_DEVICE:
		fail(status,
		     "%s: there is no such device; 'ioband list' shows those there are",
		     what);
		break;
	case IOBAND_BUSY:
		fail(status, "%s: %s; try again when it is not in use", what,
		     strerror(-err));
		break;
	case IOBAND_MODULE:
		fail(status,
		     "%s: this kernel has no device-mapper; try 'modprobe dm_mod'",
		     what);
		break;
	default:
		fail(status, "%s: %s%s%s; 'dmesg' may say more", what,
		     strerror(-err), *detail ? ": " : "", detail);
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

/* After xmemclose(), @text has what was written to the stream; to be freed. */
FILE *xmemstream(char **text, size_t *size)
{
	FILE *stream = open_memstream(text, size);

	if (!stream)
		exit(fail(IOBAND_NOMEM, "out of memory"));
	return stream;
}

void xmemclose(FILE *stream)
{
	if (fclose(stream))
		exit(fail(IOBAND_NOMEM, "out of memory"));
}

/**
 * shell_word - quote a word of a command that is offered to the user
 * @fmt: the word
 *
 * Return: the word, in quotes if it needs any; to be freed.
 */
char *shell_word(const char *fmt, ...)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_+-.,:=@/";
	char *word, *quoted, *to;
	va_list args;

	va_start(args, fmt);
	word = xvasprintf(fmt, args);
	va_end(args);
	if (*word && !word[strspn(word, plain)])
		return word;

	quoted = xcalloc(strlen(word) + 1, 4);
	to = stpcpy(quoted, "'");
	for (const char *from = word; *from; from++) {
		if (*from == '\'')
			to = stpcpy(to, "'\\'");
		*to++ = *from;
	}
	*to = '\'';
	free(word);
	return quoted;
}

/**
 * shell_words - quote words of a command, as shell_word() does
 * @argc: number of words
 * @argv: the words
 *
 * Return: the words with a blank before each; to be freed.
 */
char *shell_words(int argc, char **argv)
{
	char *words = xstrdup("");

	for (int i = 0; i < argc; i++) {
		char *word = shell_word("%s", argv[i]);
		char *more = xasprintf("%s %s", words, word);

		free(words);
		free(word);
		words = more;
	}
	return words;
}

/**
 * open_below - open a file below another root directory for reading
 * @root: the directory, "" for the real one
 * @path: absolute path within it
 *
 * Return: the file, or %NULL with errno set.
 */
FILE *open_below(const char *root, const char *path)
{
	char *name = xasprintf("%s%s", root, path);
	/* Without O_NONBLOCK, a pipe would be waited for. */
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (!file && fd >= 0)
		close(fd);
	free(name);
	return file;
}
