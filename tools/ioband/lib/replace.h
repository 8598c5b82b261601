/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replace files atomically.
 */
#ifndef IOBAND_REPLACE_H
#define IOBAND_REPLACE_H

#include <stdbool.h>
#include <stddef.h>

int replace_check(const char *option, const char *path);
int replace_file(const char *path, const char *text, size_t len, bool sync);

#endif /* IOBAND_REPLACE_H */
