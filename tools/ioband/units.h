/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sizes, written as util-linux does: K is 1024 bytes.
 */
#ifndef IOBAND_UNITS_H
#define IOBAND_UNITS_H

#include <stdint.h>

enum {
	/* "1023.9K"; the compiler counts the longest numbers. */
	UNITS_LEN = 32,
};

uint64_t units_bytes(uint64_t sectors);
const char *units_size(char buf[UNITS_LEN], uint64_t bytes);

#endif /* IOBAND_UNITS_H */
