/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors and memory.
 */
#ifndef IOBAND_UTIL_H
#define IOBAND_UTIL_H

#include <stddef.h>
#include <stdio.h>

#define __printf(a, b) __attribute__((format(printf, a, b)))

struct options;

int fail(int status, const char *fmt, ...) __printf(2, 3);
void warn(const char *fmt, ...) __printf(1, 2);
void report(const struct options *opts, const char *fmt, ...) __printf(2, 3);
void fail_keep(char **text);
int errno_status(int err);
int fail_errno(int err, const char *detail, const char *fmt, ...) __printf(3, 4);

/* These exit with IOBAND_NOMEM rather than return NULL. */
void *xcalloc(size_t nr, size_t size);
void *xreallocarray(void *old, size_t nr, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __printf(1, 2);
FILE *xmemstream(char **text, size_t *size);
void xmemclose(FILE *stream);

char *shell_word(const char *fmt, ...) __printf(1, 2);
char *shell_words(int argc, char **argv);
FILE *open_below(const char *root, const char *path);

#endif /* IOBAND_UTIL_H */
