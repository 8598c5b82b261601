// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listings: the same rows as text, raw text or JSON.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <libsmartcols.h>

#include "cmd.h"
#include "output.h"
#include "units.h"
#include "util.h"

enum {
	MAX_COLUMNS = 32,
};

struct listing {
	const struct options *opts;
	const struct column *columns;
	struct libscols_table *table;
	struct libscols_line *row;
	/* By index into @columns; NULL if the column is not shown. */
	struct libscols_column *shown[MAX_COLUMNS];
};

static void check(int r)
{
	if (r)
		exit(fail(IOBAND_NOMEM, "out of memory"));
}

/* The length of the UTF-8 character at @s, 0 if it is invalid. */
static size_t utf8_len(const unsigned char *s)
{
	uint32_t min, c;
	size_t len;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] < 0xe0) {
		len = 2;
		min = 0x80;
		c = s[0] & 0x1f;
	} else if (s[0] >= 0xe0 && s[0] < 0xf0) {
		len = 3;
		min = 0x800;
		c = s[0] & 0xf;
	} else if (s[0] >= 0xf0 && s[0] < 0xf5) {
		len = 4;
		min = 0x10000;
		c = s[0] & 7;
	} else {
		return 0;
	}
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < min || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return len;
}

/**
 * output_utf8 - turn a string into valid UTF-8
 * @value: any bytes, as in names of shares and cgroups
 *
 * Return: the same with \xHH for invalid and control characters, to be freed.
 */
char *output_utf8(const char *value)
{
	const unsigned char *s = (const unsigned char *)value;
	char *text = xcalloc(4 * strlen(value) + 1, 1);
	char *to = text;

	while (*s) {
		size_t len = utf8_len(s);

		/* Those of C1 as well, which some terminals obey. */
		if (!len || *s < 0x20 || *s == 0x7f ||
		    (*s == 0xc2 && s[1] < 0xa0)) {
			to += sprintf(to, "\\x%02x", *s++);
		} else {
			memcpy(to, s, len);
			to += len;
			s += len;
		}
	}
	return text;
}

/* A string literal of JSON; only these two are left to be escaped. */
static char *json_string(const char *value)
{
	char *text = output_utf8(value);
	char *quoted = xcalloc(2 * strlen(text) + 3, 1), *to = quoted;

	*to++ = '"';
	for (const char *s = text; *s; s++) {
		if (*s == '"' || *s == '\\')
			*to++ = '\\';
		*to++ = *s;
	}
	*to = '"';
	free(text);
	return quoted;
}

/*
 * For --raw libsmartcols does something similar itself. It would for text, too, but not leave
 * a unit that systemd calls machine-qemu\x2d1 as it is to be typed.
 */
static char *clean(const struct listing *l, const char *value)
{
	return l->opts->raw ? xstrdup(value) : output_utf8(value);
}

/* Names of columns are ASCII; in a Turkish locale i is no small I. */
static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool is_name(const char *name, const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (small(name[i]) != small(word[i]))
			return false;
	return !name[len];
}

/**
 * column_find - find a column by its name, in large or small letters
 * @columns: the columns, ended by an entry without a name
 * @name: the name
 * @len: how long it is
 *
 * Return: its number, or -1.
 */
int column_find(const struct column *columns, const char *name, size_t len)
{
	for (int i = 0; columns[i].name; i++)
		if (is_name(columns[i].name, name, len))
			return i;
	return -1;
}

static int unknown_column(const struct column *columns, const char *name,
			  size_t len)
{
	char *all = xstrdup("");
	int status;

	for (int i = 0; columns[i].name; i++) {
		char *more = xasprintf("%s%s%s", all, i ? ", " : "",
				       columns[i].name);

		free(all);
		all = more;
	}
	status = fail(IOBAND_USAGE, "unknown column '%.*s': choose from %s",
		      (int)len, name, all);
	free(all);
	return status;
}

static void show_column(struct listing *l, int i)
{
	static const int json_types[] = {
		[COLUMN_STRING]	= SCOLS_JSON_STRING,
		[COLUMN_NUMBER]	= SCOLS_JSON_NUMBER,
		/* As it is: scols has no array without elements. */
		[COLUMN_LIST]	= SCOLS_JSON_NUMBER,
		[COLUMN_ANY]	= SCOLS_JSON_NUMBER,
	};
	const struct column *column = &l->columns[i];
	struct libscols_column *cl;
	int flags = 0;

	/* The column has been named before. */
	if (l->shown[i])
		return;
	if (column->type == COLUMN_NUMBER)
		flags = SCOLS_FL_RIGHT;
	else if (column->type == COLUMN_LIST)
		flags = SCOLS_FL_WRAP;
	cl = scols_table_new_column(l->table, column->name, 0, flags);
	check(!cl || scols_column_set_json_type(cl, json_types[column->type]));
	if (column->type == COLUMN_LIST)
		check(scols_column_set_safechars(cl, "\n") ||
		      scols_column_set_wrapfunc(cl, scols_wrapnl_chunksize,
						scols_wrapnl_nextchunk, NULL));
	l->shown[i] = cl;
}

/* COL[,COL ...], or +COL... to add to the default columns. */
static int choose_columns(struct listing *l)
{
	const char *list = l->opts->columns;

	if (!list || *list == '+')
		for (int i = 0; l->columns[i].name; i++)
			if (l->columns[i].shown)
				show_column(l, i);
	if (!list)
		return 0;
	if (*list == '+')
		list++;
	for (;;) {
		size_t len = strcspn(list, ",");
		int i = column_find(l->columns, list, len);

		if (i < 0)
			return unknown_column(l->columns, list, len);
		show_column(l, i);
		if (!list[len])
			return 0;
		list += len + 1;
	}
}

/**
 * listing_new - begin a listing
 * @listing: set to the new listing, to be freed in any case
 * @opts: the global options: format and columns
 * @title: key of the array of rows in JSON
 * @columns: all possible columns
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int listing_new(struct listing **listing, const struct options *opts,
		const char *title, const struct column *columns)
{
	struct listing *l = xcalloc(1, sizeof(*l));

	l->opts = opts;
	l->columns = columns;
	l->table = scols_new_table();
	*listing = l;
	check(!l->table || scols_table_set_name(l->table, title) ||
	      scols_table_enable_json(l->table, opts->json) ||
	      scols_table_enable_raw(l->table, opts->raw) ||
	      scols_table_enable_noencoding(l->table, !opts->raw) ||
	      scols_table_enable_noheadings(l->table, opts->noheadings));
	return choose_columns(l);
}

void listing_row(struct listing *l)
{
	l->row = scols_table_new_line(l->table, NULL);
	check(!l->row);
	/* In text every cell has a word, for awk as well; JSON has null or an array. */
	for (unsigned int i = 0; l->columns[i].name; i++)
		if (!l->opts->json)
			listing_string(l, i, "-");
		else if (l->columns[i].type == COLUMN_LIST)
			listing_strings(l, i, NULL, 0);
}

static void set_cell(struct listing *l, unsigned int column, char *text)
{
	check(scols_line_refer_column_data(l->row, l->shown[column], text));
}

/* Digits as JSON has them: no 0 before others. */
static bool is_number(const char *value)
{
	size_t digits = strspn(value, "0123456789");

	return digits && !value[digits] && (digits == 1 || *value != '0');
}

void listing_string(struct listing *l, unsigned int column, const char *value)
{
	bool quote = l->opts->json && l->columns[column].type == COLUMN_ANY &&
		     !is_number(value);

	if (l->shown[column])
		set_cell(l, column, quote ? json_string(value) :
			 clean(l, value));
}

void listing_strings(struct listing *l, unsigned int column,
		     char * const *values, size_t nr)
{
	bool json = l->opts->json;
	const char *separator = json ? ", " : l->opts->raw ? "," : "\n";
	char *all = xstrdup(""), *more;

	for (size_t i = 0; i < nr; i++) {
		char *value = json ? json_string(values[i]) :
				     clean(l, values[i]);

		more = xasprintf("%s%s%s", all, i ? separator : "", value);
		free(value);
		free(all);
		all = more;
	}
	if (json) {
		more = xasprintf("[%s]", all);
		free(all);
		all = more;
	}
	if (l->shown[column])
		set_cell(l, column, all);
	else
		free(all);
}

void listing_number(struct listing *l, unsigned int column, uint64_t value)
{
	if (l->shown[column])
		set_cell(l, column, xasprintf("%" PRIu64, value));
}

/* A word in text, a number in JSON and raw output. */
void listing_word(struct listing *l, unsigned int column, const char *text,
		  int64_t value)
{
	if (!l->shown[column])
		return;
	if (l->opts->json || l->opts->raw)
		set_cell(l, column, xasprintf("%" PRId64, value));
	else
		set_cell(l, column, xstrdup(text));
}

/* A volume: what people call it, or for programs the name that the kernel has. */
void listing_volume(struct listing *l, unsigned int column, const char *name,
		    const char *title)
{
	bool for_programs = l->opts->json || l->opts->raw;

	listing_string(l, column, for_programs ? name : title);
}

void listing_bytes(struct listing *l, unsigned int column, uint64_t bytes)
{
	char buf[UNITS_LEN];

	if (!l->shown[column])
		return;
	if (l->opts->bytes || l->opts->json || l->opts->raw)
		listing_number(l, column, bytes);
	else
		set_cell(l, column, xstrdup(units_size(buf, bytes)));
}

/* JSON and raw output are in microseconds. */
void listing_time(struct listing *l, unsigned int column, double us)
{
	char buf[UNITS_LEN];

	if (!l->shown[column])
		return;
	if (l->opts->json || l->opts->raw)
		set_cell(l, column, xasprintf("%.1f", us));
	else
		set_cell(l, column, xstrdup(units_time(buf, us)));
}

void listing_percent(struct listing *l, unsigned int column, double part,
		     double whole)
{
	if (l->shown[column] && whole > 0)
		set_cell(l, column, xasprintf("%.1f", 100 * part / whole));
}

/* Three significant digits in text. */
void listing_real(struct listing *l, unsigned int column, double value)
{
	int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	if (!l->shown[column])
		return;
	if (l->opts->json || l->opts->raw)
		digits = 3;
	set_cell(l, column, xasprintf("%.*f", digits, value));
}

/* Whether the column is shown, so that its value is worth finding out. */
bool listing_wants(const struct listing *l, unsigned int column)
{
	return l->shown[column];
}

/*
 * Hide a column that has turned out to be empty, unless columns were asked for or
 * the output is for programs, which rely on a fixed set.
 */
void listing_drop(struct listing *l, unsigned int column)
{
	if (l->shown[column] && !l->opts->columns && !l->opts->json &&
	    !l->opts->raw) {
		struct libscols_column *cl = l->shown[column];

		check(scols_column_set_flags(cl, scols_column_get_flags(cl) |
					     SCOLS_FL_HIDDEN));
	}
}

/**
 * listing_print - print a listing to stdout
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int listing_print(struct listing *l)
{
	static const char head[] = "{\n";
	char *text = NULL;
	int r;

	r = l->opts->json ? scols_print_table_to_string(l->table, &text) :
	    scols_print_table(l->table);
	if (r)
		return fail(IOBAND_NOMEM, "out of memory");
	/* libsmartcols puts nothing beside the table. */
	if (text && !strncmp(text, head, strlen(head)))
		printf("%s   \"schema\": %d,\n%s", head, JSON_SCHEMA,
		       text + strlen(head));
	free(text);
	return IOBAND_OK;
}

void listing_free(struct listing *l)
{
	if (!l)
		return;
	scols_unref_table(l->table);
	free(l);
}
