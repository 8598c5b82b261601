// SPDX-License-Identifier: GPL-2.0-only
/*
 * The screen of ioband top.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "cmd.h"
#include "lib/clock.h"
#include "lib/units.h"
#include "lib/util.h"
#include "screen.h"
#include "top.h"

enum {
	/* Below this width names are of no use. */
	NAME_MIN	= 18,
	/* Names up to this width are worth more than columns of this rank. */
	NAME_WIDE	= 40,
	RANK_RARE	= 4,
};

/*
 * In the order on the screen; the volume has to come first. If the screen is too
 * narrow, columns with the highest rank are dropped first.
 */
static const struct view_column {
	enum top_column column;
	const char *heading;
	unsigned int width;
	unsigned int rank;
} view_columns[] = {
	{ TOP_VOLUME,	 "VOLUME",	11, 0 },
	{ TOP_WEIGHT,	 "WEIGHT",	 6, 0 },
	{ TOP_RBPS,	 "READ/s",	 7, 0 },
	{ TOP_WBPS,	 "WRITE/s",	 7, 0 },
	{ TOP_IOPS,	 "IO/s",	 5, 1 },
	{ TOP_RIOPS,	 "RIO/s",	 5, 8 },
	{ TOP_WIOPS,	 "WIO/s",	 5, 8 },
	{ TOP_DUE,	 "DUE%",	 5, 0 },
	{ TOP_GOT,	 "GOT%",	 5, 0 },
	{ TOP_P50,	 "W-P50",	 6, 3 },
	{ TOP_P99,	 "W-P99",	 6, 0 },
	{ TOP_DISK_P50,	 "D-P50",	 6, 5 },
	{ TOP_DISK_P99,	 "D-P99",	 6, 4 },
	{ TOP_IN_FLIGHT, "DISK",	 5, 7 },
	{ TOP_HELD,	 "HELD",	 5, 1 },
	{ TOP_WHY,	 "WHY",		 7, 0 },
};

enum {
	NR_VIEW_COLUMNS = sizeof(view_columns) / sizeof(view_columns[0]),
	LINE_MAX_BYTES = 4096,
};

static const char * const help_lines[] = {
	"",
	"  left, right or < >   sort by the column to the left or right",
	"  up, down, page up, page down, home, end   other rows, if they do not fit",
	"  r  t                 turn the order round; a tree of cgroups, or sorted",
	"  a  /                 all groups, or those with I/O; those with a name",
	"  space  q             look again now; quit",
	"",
	"  DUE% GOT%     part of the share's service that was due by weights among those",
	"                with I/O, and that was got, from one look to the next; of what",
	"                never waited no more is due than it got",
	"                ! if it waits, not for a limit, and got less than 4 fifths",
	"  W-P50 W-P99   time that 50 and 99 of 100 I/Os waited at most, held by ioband",
	"  D-P50 D-P99   time that they were at the disk at most",
	"  DISK HELD     I/Os at the disk, and held, just now",
	"  WHY           what held them most of the time: the group's weight, a limit,",
	"                the depth of the queue, the grace given to another group, debt",
	"                for I/O of the group that could not wait, or squeeze, a latency",
	"                target of another. Or: starved, it gets nothing, as others go",
	"                before it; unmet, it does not get its minimum; late, it misses",
	"                its latency target",
	"",
	"  Any key goes back.",
};

/* The width on the screen, where an invalid character appears as ?. */
static unsigned int text_width(const char *text)
{
	mbstate_t state = { 0 };
	unsigned int width = 0;
	wchar_t c;

	while (*text) {
		size_t len = mbrtowc(&c, text, strlen(text), &state);
		int w = (ssize_t)len > 0 ? wcwidth(c) : -1;

		width += w < 0 ? 1 : w;
		if ((ssize_t)len <= 0) {
			memset(&state, 0, sizeof(state));
			len = 1;
		}
		text += len;
	}
	return width;
}

/* @width columns wide. A path that is too long loses its beginning. */
static void put_left(FILE *line, const char *text, unsigned int width)
{
	unsigned int have = text_width(text);

	if (have > width) {
		while (*text && have > width - 1) {
			/* Skip all bytes of one character. */
			do {
				text++;
			} while ((*text & 0xc0) == 0x80);
			have = text_width(text);
		}
		fputc('~', line);
		have++;
	}
	fputs(text, line);
	fprintf(line, "%*s", width > have ? width - have : 0, "");
}

static void format(char buf[UNITS_LEN], const struct top_row *row,
		   enum top_column column)
{
	double v = row->v[column];

	if (v < 0) {
		strcpy(buf, "-");
		return;
	}
	switch (column) {
	case TOP_RBPS:
	case TOP_WBPS:
		units_size(buf, v);
		break;
	case TOP_DUE:
	case TOP_GOT:
		snprintf(buf, UNITS_LEN, "%.1f", v);
		break;
	case TOP_P50:
	case TOP_P99:
	case TOP_DISK_P50:
	case TOP_DISK_P99:
		units_time(buf, v);
		break;
	default:
		units_count(buf, v);
	}
}

/*
 * Choose the columns that fit. @wanted: how wide names are. Return: the width left for
 * the name.
 */
static unsigned int choose_columns(bool shown[NR_VIEW_COLUMNS],
				   unsigned int width, unsigned int wanted,
				   bool several_volumes)
{
	unsigned int used = 0, worst;

	for (unsigned int i = 0; i < NR_VIEW_COLUMNS; i++) {
		shown[i] = view_columns[i].column != TOP_VOLUME ||
			   several_volumes;
		if (shown[i])
			used += view_columns[i].width + 1;
	}
	while (used + wanted > width) {
		worst = used + NAME_MIN > width ? 0 : RANK_RARE - 1;
		for (unsigned int i = 0; i < NR_VIEW_COLUMNS; i++)
			if (shown[i] && view_columns[i].rank > worst)
				worst = view_columns[i].rank;
		if (worst < (used + NAME_MIN > width ? 1 : RANK_RARE))
			break;
		for (unsigned int i = 0; i < NR_VIEW_COLUMNS; i++)
			if (shown[i] && view_columns[i].rank == worst) {
				shown[i] = false;
				used -= view_columns[i].width + 1;
			}
	}
	return width > used + NAME_MIN ? width - used : NAME_MIN;
}

static FILE *open_line(char *text)
{
	FILE *line = fmemopen(text, LINE_MAX_BYTES, "w");

	if (!line)
		exit(fail(IOBAND_NOMEM, "out of memory"));
	return line;
}

static void draw_headings(const bool *shown, unsigned int name_width,
			  enum top_column sort)
{
	char text[LINE_MAX_BYTES];
	FILE *line = open_line(text);

	put_left(line, sort == TOP_NAME ? "*GROUP" : "GROUP", name_width);
	for (unsigned int i = 0; i < NR_VIEW_COLUMNS; i++) {
		const struct view_column *c = &view_columns[i];
		bool left = c->column == TOP_VOLUME || c->column == TOP_WHY;
		char heading[16];

		if (!shown[i])
			continue;
		snprintf(heading, sizeof(heading), "%s%s",
			 c->column == sort ? "*" : "", c->heading);
		/* The asterisk replaces the blank before the heading. */
		fprintf(line, "%s%*s", left && c->column != sort ? " " : "",
			left ? -(int)(c->width + (c->column == sort)) :
			       (int)c->width + 1, heading);
	}
	fclose(line);
	screen_line(text, true);
}

/* The nearest group above a row of a tree, or %NULL. */
static const struct top_row *row_above(const struct top_rows *rows, size_t i)
{
	const struct top_row *row = &rows->v[i], *above;

	while (i-- && row->name) {
		size_t len;

		above = &rows->v[i];
		if (!above->name || strcmp(above->volume, row->volume))
			continue;
		len = strlen(above->name);
		if (!strncmp(above->name, row->name, len) &&
		    row->name[len] == '/')
			return above;
	}
	return NULL;
}

/* To be freed. @say_volume: tell default groups apart by their volumes. */
static char *group_name(const struct top_row *row, bool say_volume)
{
	char buf[24];

	return row->is_default && say_volume ?
	       xasprintf("default %s", row->title) :
	       xstrdup(top_row_name(row, buf));
}

/* To be freed: what is not in the name of the group above, below it. */
static char *tree_name(const struct top_rows *rows, size_t i, bool say_volume)
{
	const struct top_row *row = &rows->v[i], *above = row_above(rows, i);
	unsigned int depth = 0;
	char *name;

	if (!above)
		return group_name(row, say_volume);
	name = row->name + strlen(above->name) + 1;
	for (; above; above = row_above(rows, above - rows->v))
		depth++;
	return xasprintf("%*s%s", 2 * (int)depth, "", name);
}

/* It waits, and gets far less than what is due, which no limit of its own explains. */
static bool is_short(const struct top_row *row)
{
	return row->v[TOP_HELD] > 0 && row->v[TOP_GOT] >= 0 &&
	       !(row->why && !strcmp(row->why, "limit")) &&
	       row->v[TOP_GOT] < 0.8 * row->v[TOP_DUE];
}

/* How wide the names are, up to what is worth to lose columns for. */
static unsigned int names_width(const struct top_rows *rows)
{
	unsigned int most = NAME_MIN;

	for (size_t i = 0; i < rows->nr; i++) {
		char *name = group_name(&rows->v[i], false);
		unsigned int width = text_width(name);

		if (width > most)
			most = width;
		free(name);
	}
	return most < NAME_WIDE ? most : NAME_WIDE;
}

static void draw_row(const struct top_rows *rows, size_t nr,
		     const struct top_view *view, const bool *shown,
		     unsigned int name_width, bool say_volume)
{
	const struct top_row *row = &rows->v[nr];
	char *name = view->tree ? tree_name(rows, nr, say_volume && !shown[0]) :
				  group_name(row, say_volume && !shown[0]);
	char text[LINE_MAX_BYTES], buf[UNITS_LEN];
	FILE *line = open_line(text);

	put_left(line, name, name_width);
	free(name);
	for (unsigned int i = 0; i < NR_VIEW_COLUMNS; i++) {
		const struct view_column *c = &view_columns[i];

		if (!shown[i])
			continue;
		fputc(c->column == TOP_GOT && is_short(row) ? '!' : ' ', line);
		if (c->column == TOP_VOLUME) {
			put_left(line, row->title, c->width);
		} else if (c->column == TOP_WHY) {
			put_left(line, row->why ? row->why : "-", c->width);
		} else {
			format(buf, row, c->column);
			fprintf(line, "%*s", (int)c->width, buf);
		}
	}
	fclose(line);
	screen_line(text, false);
}

/* Sum of the known values. */
static double sum(const struct top_rows *rows, enum top_column column)
{
	double all = 0;

	for (size_t i = 0; i < rows->nr; i++)
		if (rows->v[i].v[column] > 0)
			all += rows->v[i].v[column];
	return all;
}

static void draw_summary(const struct top_rows *rows,
			 const struct top_view *view)
{
	char rbps[UNITS_LEN], wbps[UNITS_LEN], iops[UNITS_LEN], date[16];
	time_t now = clock_date();
	struct tm tm;
	char *text;

	strftime(date, sizeof(date), "%T", localtime_r(&now, &tm));
	text = xasprintf("ioband top  %s  every %g s, %s%s  read %s/s  write %s/s  %s IO/s",
			 date, view->delay_ns / 1e9, view->tree ? "a tree" : "by ",
			 view->tree ? "" : top_columns[view->sort].name,
			 units_size(rbps, sum(rows, TOP_RBPS)),
			 units_size(wbps, sum(rows, TOP_WBPS)),
			 units_count(iops, sum(rows, TOP_IOPS)));
	screen_line(text, false);
	free(text);
}

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

/* Return: the number of lines drawn. */
static unsigned int draw_shares(const struct sample *sample, unsigned int room)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < sample->volumes.nr && nr < room; i++) {
		const struct show *show = &sample->shows[i];
		char *text;

		if (!show->text)
			continue;
		text = xasprintf("share %s: depth %s (%s), at the disk %s, held %s%s",
				 sample->volumes.v[i].table.share,
				 or_dash(show->depth),
				 or_dash(show->depth_reason),
				 or_dash(show->in_flight), or_dash(show->held),
				 show->contended && !strcmp(show->contended, "1") ?
				 ", contended" : "");
		screen_line(text, false);
		free(text);
		nr++;
	}
	return nr;
}

static bool several_volumes(const struct top_rows *rows)
{
	for (size_t i = 1; i < rows->nr; i++)
		if (strcmp(rows->v[i].volume, rows->v[0].volume))
			return true;
	return false;
}

static void draw_keys(const struct top_rows *rows, const struct top_view *view,
		      size_t first, size_t room)
{
	const char *search = view->search;
	char *more = rows->nr <= room ? xstrdup("") :
		     xasprintf("  groups %zu to %zu of %zu", first + 1,
			       first + room, rows->nr);
	char *text = view->typing ?
		     xasprintf("/%s_  enter done  esc all groups%s", search, more) :
		     xasprintf("q quit  < > sort  t tree  / find  a %s  h help%s%s%s",
			       view->active ? "all groups" : "active only",
			       *search ? "  /" : "", search, more);

	screen_line(text, true);
	free(text);
	free(more);
}

/**
 * top_draw - draw the screen
 * @rows: the groups, from top_rows_arrange()
 * @sample: the sample they are from, the state of shares included
 * @view: what they were arranged by
 * @help: show what the keys do instead of groups
 *
 * Return: the last row that may be the first one on the screen.
 */
size_t top_draw(const struct top_rows *rows, const struct sample *sample,
		const struct top_view *view, bool help)
{
	unsigned int width, height, name_width, room;
	size_t first, last;
	bool shown[NR_VIEW_COLUMNS], several;

	screen_begin(&width, &height);
	draw_summary(rows, view);
	/* Leave at least half of the screen to the groups. */
	room = height > 4 ? height / 2 - 1 : 0;
	room = height - draw_shares(sample, room);
	if (help) {
		for (size_t i = 0; i < sizeof(help_lines) / sizeof(char *); i++)
			screen_line(help_lines[i], false);
		screen_end();
		return view->first;
	}
	several = several_volumes(rows);
	name_width = choose_columns(shown, width, names_width(rows), several);
	draw_headings(shown, name_width,
		      view->tree ? NR_TOP_COLUMNS : view->sort);
	room = room > 3 ? room - 3 : 0;
	last = rows->nr > room ? rows->nr - room : 0;
	first = view->first < last ? view->first : last;
	for (size_t i = first; i < rows->nr && i < first + room; i++)
		draw_row(rows, i, view, shown, name_width, several);
	if (!rows->nr)
		screen_line(*view->search ? "no group has such a name" :
			    view->active ? "no group has I/O: a shows all" :
			    "no volumes",
			    false);
	for (size_t i = rows->nr ? rows->nr : 1; i < room; i++)
		screen_line("", false);
	draw_keys(rows, view, first, room);
	screen_end();
	return last;
}

/**
 * top_next_sort - find the column next to another one
 * @sort: the column that rows are sorted by
 * @step: 1 for the next one to the right, -1 to the left
 *
 * The name is the leftmost column.
 */
enum top_column top_next_sort(enum top_column sort, int step)
{
	int i = 0;

	while (i < NR_VIEW_COLUMNS && view_columns[i].column != sort)
		i++;
	/* A column that is never on the screen: enter from the side. */
	if (i == NR_VIEW_COLUMNS && sort != TOP_NAME)
		return step > 0 ? TOP_NAME : TOP_WHY;
	if (sort == TOP_NAME)
		i = -1;
	i += step;
	if (i < -1)
		i = NR_VIEW_COLUMNS - 1;
	if (i == -1 || i == NR_VIEW_COLUMNS)
		return TOP_NAME;
	return view_columns[i].column;
}
