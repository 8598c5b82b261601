// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recorded I/O: lines of the tracepoints ioband_pass and ioband_dispatch, as printed
 * by tracefs and trace-cmd. Each I/O has one of the two when it goes to the disk, and
 * arrived wait_ns before that.
 *
 *	fio-417 [000] ..... 12.345678: ioband_pass: disk1 254,0 group=5 R 2048 + 8
 *		held=0 in_flight=1 wait_ns=0
 *
 * Other lines are ignored, and so is I/O without data.
 */
#include "lib/units.h"
#include "lib/util.h"
#include "lib/words.h"
#include "sim-trace.h"

struct reader {
	struct trace *trace;
	const struct scenario *sc;
	char share[SHARE_LEN];
	size_t room;
	struct parse_error *err;
};

/* Parse seconds, a point, up to nine decimals, and a colon. */
static bool parse_stamp(char *word, u64 *ns)
{
	u64 seconds, rest, scale = NSEC_PER_SEC;
	char *point = strchr(word, '.');
	size_t len = strlen(word);

	if (!point || !len || word[len - 1] != ':')
		return false;
	word[len - 1] = '\0';
	*point++ = '\0';
	for (const char *p = point; *p; p++)
		scale /= 10;
	if (!scale || !parse_u64(word, 1ULL << 32, &seconds) ||
	    !parse_u64(point, NSEC_PER_SEC, &rest))
		return false;
	*ns = seconds * NSEC_PER_SEC + rest * scale;
	return true;
}

static bool parse_after(const char *word, const char *key, u64 most, u64 *value)
{
	size_t len = strlen(key);

	return !strncmp(word, key, len) && parse_u64(word + len, most, value);
}

static int take_group(struct reader *reader, const char *word,
		      struct trace_io *io)
{
	const char *name = word + 6;

	if (strncmp(word, "group=", 6))
		return refuse(reader->err, "'%.40s': expected group=ID", word);
	if (!strcmp(name, "-1"))
		name = "default";
	io->group = scenario_group(reader->sc, name);
	if (io->group == SCENARIO_NONE ||
	    reader->sc->groups[io->group].is_counted)
		return refuse(reader->err, "'%.40s': expected a section [group %.40s] without count in the scenario",
			      word, name);
	return 0;
}

static int take_share(struct reader *reader, const char *word)
{
	if (!*reader->share)
		snprintf(reader->share, sizeof(reader->share), "%s", word);
	if (strcmp(reader->share, word))
		return refuse(reader->err, "share '%.40s': expected one only, '%s'",
			      word, reader->share);
	return 0;
}

/* Parse what follows the event's name. Return: 0, 1 if it has no data, or -EINVAL. */
static int take_event(struct reader *reader, struct words *words,
		      struct trace_io *io)
{
	static const char * const expected[] = {
		"a share", "MAJOR,MINOR", "group=ID", "R, W or D", "a sector",
		"+", "a number of sectors", "held=N", "in_flight=N",
		"wait_ns=N",
	};
	u64 size = reader->sc->params.size_mib * SIMDISK_SECTORS_PER_MIB;
	char *word[ARRAY_SIZE(expected)];
	u64 sectors, wait_ns;

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		word[i] = next_word(words);
		if (!word[i])
			return refuse(reader->err, "ends where %s was expected",
				      expected[i]);
	}
	if (!strcmp(word[3], "D"))
		return 1;
	if (take_share(reader, word[0]) || take_group(reader, word[2], io))
		return -EINVAL;
	if (strcmp(word[3], "R") && strcmp(word[3], "W"))
		return refuse(reader->err, "'%.40s': expected R, W or D",
			      word[3]);
	io->dir = *word[3] == 'W' ? IOBAND_WRITE : IOBAND_READ;
	if (!parse_u64(word[6], U32_MAX, &sectors) || !sectors ||
	    sectors > size)
		return refuse(reader->err, "'%.40s': expected a number of sectors",
			      word[6]);
	io->sectors = sectors;
	if (!parse_u64(word[4], size - sectors, &io->sector))
		return refuse(reader->err, "sector '%.40s': expected within the disk's %llu MiB",
			      word[4],
			      (unsigned long long)reader->sc->params.size_mib);
	if (!parse_after(word[9], "wait_ns=", U64_MAX, &wait_ns))
		return refuse(reader->err, "'%.40s': expected wait_ns=N",
			      word[9]);
	io->at_ns -= min(wait_ns, io->at_ns);
	return 0;
}

static int read_line(struct reader *reader, char *line)
{
	struct words words = { .next = line };
	char *word, *before = NULL;
	struct trace_io io;
	int r;

	while ((word = next_word(&words))) {
		if (!strcmp(word, "ioband_pass:") ||
		    !strcmp(word, "ioband_dispatch:"))
			break;
		before = word;
	}
	if (!word)
		return 0;
	if (!before || !parse_stamp(before, &io.at_ns))
		return refuse(reader->err, "'%.40s': expected a time such as 12.345678: before it",
			      word);
	r = take_event(reader, &words, &io);
	if (r)
		return r < 0 ? r : 0;
	if (reader->trace->nr == reader->room) {
		reader->room = reader->room * 2 + 64;
		reader->trace->ios = xreallocarray(reader->trace->ios,
						   reader->room, sizeof(io));
	}
	reader->trace->ios[reader->trace->nr++] = io;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct trace_io *x = a, *y = b;

	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	return (x->sector > y->sector) - (x->sector < y->sector);
}

/**
 * trace_parse - parse a recording
 * @trace: filled in; to be freed in any case
 * @sc: a scenario with a section for each group that occurs
 * @text: contents of the file
 * @line: on failure, the number of the line
 * @err: on failure names the word and what was expected
 *
 * Return: 0 or -EINVAL.
 */
int trace_parse(struct trace *trace, const struct scenario *sc,
		const char *text, unsigned long *line, struct parse_error *err)
{
	struct reader reader = { .trace = trace, .sc = sc, .err = err };
	char *copy = xstrdup(text), *at = copy, *next;
	int r = 0;

	memset(trace, 0, sizeof(*trace));
	*line = 0;
	while (!r && at) {
		next = strchr(at, '\n');
		if (next)
			*next++ = '\0';
		++*line;
		r = read_line(&reader, at);
		at = next;
	}
	free(copy);
	if (!r && !trace->nr)
		r = refuse(err, "ends without a line of ioband_pass or ioband_dispatch");
	if (r)
		return r;
	qsort(trace->ios, trace->nr, sizeof(*trace->ios), by_time);
	for (size_t i = trace->nr; i--;)
		trace->ios[i].at_ns -= trace->ios[0].at_ns;
	return 0;
}

/**
 * trace_free - free a recording
 * @trace: a recording filled in by trace_parse()
 */
void trace_free(struct trace *trace)
{
	free(trace->ios);
}
