/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse lines from the kernel word by word.
 */
#ifndef IOBAND_WORDS_H
#define IOBAND_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "table.h"

/* A line being split up: the rest of it, and the number of words taken so far. */
struct words {
	char *next;
	unsigned long nr;
};

char *next_word(struct words *words);
void unescape(char *s);
unsigned long count_words(const char *text);
bool parse_u64(const char *word, uint64_t max, uint64_t *value);

/* On failure these fill in @err and return a negative errno; otherwise 0. */
int refuse(struct parse_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int no_memory(struct parse_error *err);
int read_word(struct words *words, const char *name, const char **value,
	      struct parse_error *err);
int read_u64(struct words *words, const char *name, uint64_t max,
	     uint64_t *value, struct parse_error *err);
int read_u32(struct words *words, const char *name, uint32_t *value,
	     struct parse_error *err);

#endif /* IOBAND_WORDS_H */
