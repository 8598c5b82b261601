/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sizes, in the format of util-linux, where K is 1024 bytes; numbers and times.
 */
#ifndef IOBAND_UNITS_H
#define IOBAND_UNITS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/* "1023.9K" needs less, but the compiler assumes the longest numbers. */
	UNITS_LEN = 32,
};

uint64_t units_bytes(uint64_t sectors);
const char *units_size(char buf[UNITS_LEN], uint64_t bytes);
const char *units_exact(char buf[UNITS_LEN], uint64_t bytes);
const char *units_exact_time(char buf[UNITS_LEN], uint64_t usec);
bool units_parse_size(const char *word, uint64_t *bytes);
bool units_parse_rate(const char *word, uint64_t *bytes);
bool units_parse_usec(const char *word, uint64_t *usec);
bool units_parse_ns(const char *word, uint64_t *ns);
bool units_parse_interval(const char *word, uint64_t *ns);
const char *units_count(char buf[UNITS_LEN], double number);
const char *units_time(char buf[UNITS_LEN], double us);

#endif /* IOBAND_UNITS_H */
