// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband top: show what each group is getting right now.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lib/clock.h"
#include "lib/util.h"
#include "screen.h"
#include "top.h"

enum {
	OPT_BATCH = OWN_OPTION,
	OPT_ITERATIONS,
	OPT_DELAY,
	OPT_SORT,
	OPT_ACTIVE,
};

enum {
	DELAY_MIN_MS	= 100,
	DELAY_MAX_S	= 86400,
	/* Rows by which a key scrolls: a part of them is seen again on most screens. */
	PAGE		= 10,
};

static struct top_view view = {
	.sort = TOP_BPS,
	.delay_ns = 1000000000,
};
static bool batch;
static unsigned long iterations;	/* 0: no limit */

static int set_delay(const char *arg)
{
	double seconds;
	char *end;

	errno = 0;
	seconds = strtod(arg, &end);
	if (end == arg || *end || errno ||
	    !(seconds >= DELAY_MIN_MS / 1e3 && seconds <= DELAY_MAX_S))
		return fail(IOBAND_USAGE,
			    "--delay '%s': expected seconds from 0.1 to %d",
			    arg, DELAY_MAX_S);
	view.delay_ns = llround(seconds * 1e9);
	return 0;
}

static int set_iterations(const char *arg)
{
	char *end;

	errno = 0;
	iterations = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || !iterations)
		return fail(IOBAND_USAGE,
			    "--iterations '%s': expected a number from 1 on", arg);
	return 0;
}

static int set_sort(const char *arg)
{
	int column = column_find(top_columns, arg, strlen(arg));

	if (column >= 0) {
		view.sort = column;
		return 0;
	}
	return fail(IOBAND_USAGE,
		    "--sort '%s': expected a column of top as in 'ioband top --help'",
		    arg);
}

static int set_option(int val, const char *arg)
{
	switch (val) {
	case OPT_ITERATIONS:
		return set_iterations(arg);
	case OPT_DELAY:
		return set_delay(arg);
	case OPT_SORT:
		return set_sort(arg);
	case OPT_BATCH:
		batch = true;
		break;
	case OPT_ACTIVE:
		view.active = true;
		break;
	}
	return 0;
}

static const struct option top_long_options[] = {
	{ "batch",	no_argument,		NULL, OPT_BATCH },
	{ "iterations",	required_argument,	NULL, OPT_ITERATIONS },
	{ "delay",	required_argument,	NULL, OPT_DELAY },
	{ "sort",	required_argument,	NULL, OPT_SORT },
	{ "active",	no_argument,		NULL, OPT_ACTIVE },
	{ 0 }
};

const struct own_options top_options = {
	top_long_options, set_option,
	"      --batch          print table after table, also to a file or pipe\n"
	"      --iterations N   end after N tables or screens\n"
	"      --delay SEC      measure for this long each time (1)\n"
	"      --sort COL       sort by this column (BPS)\n"
	"      --active         leave out groups without I/O, as the screen does\n"
};

static void list_number(struct listing *list, enum top_column column,
			const struct top_row *row)
{
	if (row->v[column] >= 0)
		listing_number(list, column, llround(row->v[column]));
}

static void list_bytes(struct listing *list, enum top_column column,
		       const struct top_row *row)
{
	if (row->v[column] >= 0)
		listing_bytes(list, column, llround(row->v[column]));
}

static void list_percent(struct listing *list, enum top_column column,
			 const struct top_row *row)
{
	if (row->v[column] >= 0)
		listing_percent(list, column, row->v[column], 100);
}

static void list_row(struct listing *list, const struct top_row *row,
		     const char *date, time_t time)
{
	static const enum top_column numbers[] = {
		TOP_WEIGHT, TOP_IOPS, TOP_RIOPS, TOP_WIOPS, TOP_HELD,
		TOP_IN_FLIGHT, TOP_URGENT,
	};
	static const enum top_column times[] = {
		TOP_P50, TOP_P99, TOP_DISK_P50, TOP_DISK_P99,
	};

	listing_row(list);
	listing_volume(list, TOP_VOLUME, row->volume, row->title);
	if (row->is_default)
		listing_word(list, TOP_GROUP, "default", -1);
	else
		listing_number(list, TOP_GROUP, row->id);
	if (row->name)
		listing_string(list, TOP_NAME, row->name);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		list_number(list, numbers[i], row);
	list_bytes(list, TOP_RBPS, row);
	list_bytes(list, TOP_WBPS, row);
	list_bytes(list, TOP_BPS, row);
	list_percent(list, TOP_DUE, row);
	list_percent(list, TOP_GOT, row);
	/* As printed, a percentage is a number with one decimal. */
	list_percent(list, TOP_UNMET, row);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (row->v[times[i]] >= 0)
			listing_time(list, times[i], row->v[times[i]]);
	if (row->why)
		listing_string(list, TOP_WHY, row->why);
	if (row->parent)
		listing_string(list, TOP_PARENT, row->parent);
	listing_string(list, TOP_SHARE, row->share);
	listing_word(list, TOP_TIME, date, time);
}

static int print_batch(const struct options *opts, const struct top_rows *rows)
{
	time_t now = clock_date();
	struct listing *list;
	char date[16];
	struct tm tm;
	int status;

	strftime(date, sizeof(date), "%T", localtime_r(&now, &tm));
	status = listing_new(&list, opts, "groups", top_columns);
	if (!status) {
		for (size_t i = 0; i < rows->nr; i++)
			list_row(list, &rows->v[i], date, now);
		status = listing_print(list);
	}
	listing_free(list);
	/* The reader of a pipe wants each table right away. */
	if (!status && fflush(stdout))
		status = fail(IOBAND_USAGE,
			      "cannot write the output: %s",
			      strerror(errno));
	return status;
}

/*
 * The next sample of the volumes that were named. While LVM has its own table in one of them,
 * as it has for a moment whenever it changes the volume, that one is left out.
 */
static int read_again(const struct options *opts, struct sample *now, int argc,
		      char **argv, bool shows)
{
	struct volumes volumes;
	char **there = xcalloc(argc + 1, sizeof(*there));
	int nr = 0, status = volumes_read(&volumes);
	char *why;

	fail_keep(&why);
	for (int i = 0; !status && i < argc; i++)
		if (!volumes_choose(opts, &volumes, 1, argv + i))
			there[nr++] = argv[i];
	fail_keep(NULL);
	free(why);
	volumes_free(&volumes);
	memset(now, 0, sizeof(*now));
	now->time_ns = clock_now_ns();
	fail_keep(&why);
	if (!status && (nr || !argc))
		status = sample_read_shares(now, opts, nr, there);
	if (!status && shows)
		status = sample_read_shows(now);
	fail_keep(NULL);
	if (status == IOBAND_DEVICE || status == IOBAND_BUSY) {
		/* It was replaced while it was read. */
		sample_free(now);
		now->time_ns = clock_now_ns();
		status = 0;
	} else if (status && why) {
		fail(status, "%s", why);
	}
	free(why);
	free(there);
	return status;
}

static int run_batch(const struct options *opts, struct sample *was, int argc,
		     char **argv)
{
	struct sample now;
	struct top_rows rows;
	int status = 0;

	for (unsigned long i = 0; !status && (!iterations || i < iterations);
	     i++) {
		clock_wait(view.delay_ns, -1, NULL);
		status = read_again(opts, &now, argc, argv, false);
		if (!status) {
			/* Tables are separated by an empty line. */
			if (i && !opts->json && !opts->raw)
				putchar('\n');
			top_rows_make(&rows, was, &now, opts->sysroot);
			top_rows_arrange(&rows, &view);
			status = print_batch(opts, &rows);
			top_rows_free(&rows);
		}
		sample_free(was);
		*was = now;
	}
	return status;
}

/* What is too far down is mended when it is drawn. */
static void scroll(int step)
{
	if (step < 0 && view.first < (size_t)-step)
		view.first = 0;
	else
		view.first += step;
}

/* A name to look for: letters, until it is done or given up. */
static void type(int key)
{
	size_t len = strlen(view.search);

	switch (key) {
	case '\r':
	case '\n':
		view.typing = false;
		break;
	case SCREEN_ESCAPE:
		view.typing = false;
		*view.search = '\0';
		break;
	case '\b':
	case 0x7f:
		/* All bytes of one character. */
		while (len && (view.search[--len] & 0xc0) == 0x80)
			;
		view.search[len] = '\0';
		break;
	default:
		if (key >= ' ' && key < 0x100 && len + 1 < sizeof(view.search)) {
			view.search[len] = key;
			view.search[len + 1] = '\0';
		}
	}
}

/* Handle a key. Return: whether to keep showing this sample. */
static bool press(int key, bool *help, bool *quit)
{
	if (key == SCREEN_QUIT) {
		*quit = true;
		return false;
	}
	if (*help) {
		*help = key == SCREEN_RESIZED || key == SCREEN_NONE;
		return true;
	}
	if (view.typing) {
		type(key);
		return true;
	}
	switch (key) {
	case 'q':
	case 'Q':
		*quit = true;
		return false;
	case ' ':
		return false;
	case '<':
	case SCREEN_LEFT:
		view.sort = top_next_sort(view.sort, -1);
		view.tree = false;
		break;
	case '>':
	case SCREEN_RIGHT:
		view.sort = top_next_sort(view.sort, 1);
		view.tree = false;
		break;
	case SCREEN_UP:
	case SCREEN_PAGE_UP:
		scroll(-(key == SCREEN_UP ? 1 : PAGE));
		break;
	case SCREEN_DOWN:
	case SCREEN_PAGE_DOWN:
		scroll(key == SCREEN_DOWN ? 1 : PAGE);
		break;
	case SCREEN_HOME:
		view.first = 0;
		break;
	case SCREEN_END:
		view.first = SIZE_MAX;
		break;
	case 'r':
		view.reverse = !view.reverse;
		break;
	case 't':
		view.tree = !view.tree;
		break;
	case '/':
		view.typing = true;
		*view.search = '\0';
		break;
	case SCREEN_ESCAPE:
		*view.search = '\0';
		break;
	case 'a':
		view.active = !view.active;
		break;
	case 'h':
	case '?':
		*help = true;
		break;
	}
	return true;
}

static void draw(const struct options *opts, const struct sample *was,
		 const struct sample *now, bool help)
{
	struct top_rows rows;
	size_t last;

	top_rows_make(&rows, was, now, opts->sysroot);
	top_rows_arrange(&rows, &view);
	last = top_draw(&rows, now, &view, help);
	if (view.first > last)
		view.first = last;
	top_rows_free(&rows);
}

/* Show a sample until the next one is due. */
static void show_sample(const struct options *opts, const struct sample *was,
			const struct sample *now, bool *help, bool *quit)
{
	uint64_t end = clock_now_ns() + view.delay_ns, time;
	bool go_on = true;

	while (go_on) {
		draw(opts, was, now, *help);
		time = clock_now_ns();
		if (time >= end)
			return;
		go_on = press(screen_key(end - time), help, quit);
	}
}

static int run_screen(const struct options *opts, struct sample *was, int argc,
		      char **argv)
{
	struct sample none = { 0 }, now;
	bool help = false, quit = false;
	int status;

	/* A machine with systemd has dozens of groups, and a screen no room for them. */
	view.active = true;
	status = sample_read_shows(was);
	if (!status)
		status = screen_enter();
	if (status)
		return status;
	/* Nothing has been measured yet, but the groups can be listed. */
	show_sample(opts, &none, was, &help, &quit);
	for (unsigned long i = 0; !quit && !status && (!iterations || i < iterations);
	     i++) {
		status = read_again(opts, &now, argc, argv, true);
		if (!status)
			show_sample(opts, was, &now, &help, &quit);
		sample_free(was);
		*was = now;
	}
	screen_leave();
	return status;
}

int cmd_top(const struct options *opts, int argc, char **argv)
{
	struct sample sample;
	int status;

	status = sample_read_shares(&sample, opts, argc, argv);
	if (!status) {
		if (batch || opts->json || opts->raw || opts->columns ||
		    !screen_possible())
			status = run_batch(opts, &sample, argc, argv);
		else
			status = run_screen(opts, &sample, argc, argv);
	}
	sample_free(&sample);
	return status;
}
