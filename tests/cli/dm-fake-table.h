/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The effect of messages on the target's table line.
 */
#ifndef DM_FAKE_TABLE_H
#define DM_FAKE_TABLE_H

#include <stddef.h>

/* The words of a table line: START LENGTH ioband DEVICE SHARE ... */
enum {
	WORD_SHARE = 4,
	WORD_THROTTLE,
	WORD_LIMIT,
	WORD_POLICY = 8,
	WORD_GROUPS = 10,
	MAX_WORDS = 64,
};

struct table {
	char *text;
	char *word[MAX_WORDS];
	size_t nr;
};

void table_split(struct table *t, const char *words);
char *table_join(struct table *t, const char *name);
void table_set_word(struct table *t, size_t i, const char *text);
int table_change_group(struct table *t, const char *verb, char *args);
int table_change_share(struct table *t, const char *verb, char *args);

#endif
