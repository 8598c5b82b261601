/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Listings: the same rows as text, raw text or JSON.
 */
#ifndef IOBAND_OUTPUT_H
#define IOBAND_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct listing;
struct options;

enum column_type {
	COLUMN_STRING,
	COLUMN_NUMBER,
	COLUMN_LIST,	/* several strings, one below the other */
	COLUMN_ANY,	/* a number or a string */
};

/**
 * struct column - what a listing can show
 * @name: in the heading and for --output; in lower case the key in JSON
 * @shown: shown by default
 */
struct column {
	const char *name;
	enum column_type type;
	bool shown;
	const char *desc;
};

/* Of what --json prints: docs/ioband-json.schema says what makes it another one. */
#define JSON_SCHEMA 1

int column_find(const struct column *columns, const char *name, size_t len);

int listing_new(struct listing **listing, const struct options *opts,
		const char *title, const struct column *columns);
void listing_row(struct listing *l);

/* Set a cell of the last row; @column is an index into the columns. */
void listing_string(struct listing *l, unsigned int column, const char *value);
void listing_strings(struct listing *l, unsigned int column,
		     char * const *values, size_t nr);
void listing_number(struct listing *l, unsigned int column, uint64_t value);
void listing_word(struct listing *l, unsigned int column, const char *text,
		  int64_t value);
void listing_volume(struct listing *l, unsigned int column, const char *name,
		    const char *title);
void listing_bytes(struct listing *l, unsigned int column, uint64_t bytes);
void listing_time(struct listing *l, unsigned int column, double us);
void listing_percent(struct listing *l, unsigned int column, double part,
		     double whole);
void listing_real(struct listing *l, unsigned int column, double value);

char *output_utf8(const char *value);

bool listing_wants(const struct listing *l, unsigned int column);
void listing_drop(struct listing *l, unsigned int column);
int listing_print(struct listing *l);
void listing_free(struct listing *l);

#endif /* IOBAND_OUTPUT_H */
