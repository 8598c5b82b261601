// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test double of tools/ioband/lib/dm.c that uses a text file instead of the kernel.
 *
 * The file is named by $IOBAND_FAKE_DM and has lines
 *
 *   version MAJOR.MINOR.PATCH	of the target; without it there is none
 *   device NAME MAJOR:MINOR
 *   uuid NAME UUID
 *   suspended NAME
 *   open NAME COUNT		besides the devices on top of it
 *   deferred NAME		to be removed when nothing has it open any more
 *   table NAME START LENGTH TYPE PARAMS
 *   inactive NAME START LENGTH TYPE PARAMS
 *   status NAME START LENGTH TYPE PARAMS
 *   reply NAME WORD TEXT	a line of the answer to the message WORD, show or stats
 *   fail CALL ERRNO		CALL is list, version, or one of table, status,
 *				message, create, load, resume, clear, remove and
 *				open with :NAME behind it; ERRNO a number
 *   failonce CALL ERRNO	the same, the next time only
 *   when CALL COMMAND	what another program does just before, the next time only
 *   refuse ERRNO WORD TEXT	tables and messages with WORD in them, as the
 *				kernel does with TEXT in its log
 *   refuseonce ...		the same, the next time only
 *   error TEXT			what libdevmapper says about failures
 *
 * and is read anew by each call, as the kernel's state may also change. Calls that
 * change something change the file, and are logged in $IOBAND_FAKE_DM.log.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "dm-fake-table.h"
#include "lib/dm.h"
#include "lib/util.h"

static char last_error[200];
static char last_reason[200];
static bool verbose;

/* The file, line by line. */
static char **lines;
static size_t nr_lines;

static char *file_path(void)
{
	char *path = getenv("IOBAND_FAKE_DM");

	if (!path) {
		fprintf(stderr, "fake: $IOBAND_FAKE_DM is not set\n");
		abort();
	}
	return path;
}

/* Takes over @line. */
static void add_line(char *line)
{
	lines = xreallocarray(lines, nr_lines + 1, sizeof(*lines));
	lines[nr_lines++] = line;
}

/* Takes over @line. */
static void replace_line(size_t i, char *line)
{
	free(lines[i]);
	lines[i] = line;
}

static void drop_line(size_t i)
{
	free(lines[i]);
	nr_lines--;
	memmove(&lines[i], &lines[i + 1], (nr_lines - i) * sizeof(*lines));
}

static void forget(void)
{
	while (nr_lines)
		drop_line(nr_lines - 1);
	free(lines);
	lines = NULL;
}

static void read_file(void)
{
	FILE *file = fopen(file_path(), "re");
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		fprintf(stderr, "fake: cannot read $IOBAND_FAKE_DM\n");
		abort();
	}
	while (getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		add_line(xstrdup(line));
	}
	free(line);
	fclose(file);
}

static void write_file(void)
{
	FILE *file = fopen(file_path(), "we");

	if (!file)
		abort();
	for (size_t i = 0; i < nr_lines; i++)
		fprintf(file, "%s\n", lines[i]);
	fclose(file);
}

static __attribute__((format(printf, 1, 2))) void note(const char *fmt, ...)
{
	char *path = xasprintf("%s.log", file_path());
	FILE *file = fopen(path, "ae");
	va_list args;

	free(path);
	if (!file)
		abort();
	va_start(args, fmt);
	vfprintf(file, fmt, args);
	va_end(args);
	fputc('\n', file);
	fclose(file);
}

/* The words after @key and @name if the line begins with these, else NULL. */
static char *match(char *line, const char *key, const char *name)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) || line[len] != ' ')
		return NULL;
	line += len + 1;
	if (!name)
		return line;
	len = strlen(name);
	if (strncmp(line, name, len) || (line[len] && line[len] != ' '))
		return NULL;
	return line + len + !!line[len];
}

static char *find(const char *key, const char *name)
{
	char *words = NULL;

	for (size_t i = 0; !words && i < nr_lines; i++)
		words = match(lines[i], key, name);
	return words;
}

static void drop_all(const char *key, const char *name)
{
	size_t i = 0;

	while (i < nr_lines)
		if (match(lines[i], key, name))
			drop_line(i);
		else
			i++;
}

/* Run the shell command planned for just before this call. */
static void let_others(const char *call)
{
	char *words = find("when", call), *command;

	if (!words)
		return;
	command = xstrdup(words);
	drop_all("when", call);
	write_file();
	forget();
	if (system(command))
		abort();
	free(command);
	read_file();
}

/* The name of the device that is meant; the lines have been read. */
static const char *actual(const char *name)
{
	static char real[128];
	const char *uuid, *table = find("table", name);

	snprintf(real, sizeof(real), "%s-real", name);
	uuid = find("uuid", real);
	return uuid && uuid_is_real(uuid) && table &&
	       strstr(table, find("device", real)) ? real : name;
}

const char *ioband_dm_actual(const char *name)
{
	read_file();
	name = actual(name);
	forget();
	return name;
}

/* Begin a call: read the file. Return: the failure planned for it. */
static int begin(const char *call, const char *name)
{
	char *full = name ? xasprintf("%s:%s", call, name) : xstrdup(call);
	int r = 0;

	if (verbose)
		fprintf(stderr, "fake: %s\n", full);
	last_reason[0] = '\0';
	read_file();
	let_others(full);
	for (size_t i = 0; i < nr_lines; i++) {
		char *words = match(lines[i], "error", NULL);

		if (words)
			snprintf(last_error, sizeof(last_error), "%s", words);
	}
	if (find("fail", full)) {
		r = -atoi(find("fail", full));
	} else if (find("failonce", full)) {
		r = -atoi(find("failonce", full));
		drop_all("failonce", full);
		write_file();
	}
	free(full);
	return r;
}

static int end(int r)
{
	forget();
	return r;
}

/* Whether the text has a word that this kernel refuses. */
static int refused(const char *text)
{
	char word[64];
	int err, n;

	for (size_t i = 0; i < nr_lines; i++) {
		char *once = match(lines[i], "refuseonce", NULL);
		char *words = once ? once : match(lines[i], "refuse", NULL);

		if (!words || sscanf(words, "%d %63s %n", &err, word, &n) < 2 ||
		    !strstr(text, word))
			continue;
		snprintf(last_reason, sizeof(last_reason), "%s", words + n);
		if (once) {
			drop_line(i);
			write_file();
		}
		return -err;
	}
	return 0;
}

int ioband_dm_list(struct ioband_dm_devices *devices)
{
	int r = begin("list", NULL);

	memset(devices, 0, sizeof(*devices));
	for (size_t i = 0; !r && i < nr_lines; i++) {
		char *words = match(lines[i], "device", NULL);
		struct ioband_dm_device *dev;
		char *numbers;

		if (!words)
			continue;
		devices->v = xreallocarray(devices->v, devices->nr + 1,
					   sizeof(*devices->v));
		dev = &devices->v[devices->nr++];
		memset(dev, 0, sizeof(*dev));
		numbers = strrchr(words, ' ');
		if (!numbers || sscanf(numbers, "%u:%u", &dev->major,
				       &dev->minor) != 2)
			abort();
		dev->name = strndup(words, numbers - words);
	}
	return end(r);
}

void ioband_dm_devices_free(struct ioband_dm_devices *devices)
{
	for (size_t i = 0; i < devices->nr; i++) {
		free(devices->v[i].name);
		free(devices->v[i].uuid);
	}
	free(devices->v);
	memset(devices, 0, sizeof(*devices));
}

static void take_target(char *words, struct ioband_dm_targets *targets)
{
	struct ioband_dm_target *target;
	char type[32];
	int n = 0;

	targets->v = xreallocarray(targets->v, targets->nr + 1,
				   sizeof(*targets->v));
	target = &targets->v[targets->nr++];
	if (sscanf(words, "%" SCNu64 " %" SCNu64 " %31s%n", &target->start,
		   &target->length, type, &n) != 3)
		abort();
	target->type = xstrdup(type);
	target->params = xstrdup(words[n] ? words + n + 1 : "");
}

static int get_targets(const char *call, const char *name,
		       struct ioband_dm_targets *targets)
{
	int r = begin(call, name);
	const char *meant = name;
	char *numbers;

	name = actual(name);
	memset(targets, 0, sizeof(*targets));
	if (r)
		return end(r);
	/* A device that was listed may have vanished by the time of this call. */
	numbers = find("device", name);
	if (!numbers)
		return end(-ENXIO);
	if (sscanf(numbers, "%u:%u", &targets->major, &targets->minor) != 2)
		abort();
	targets->uuid = xstrdup(find("uuid", name) ? find("uuid", name) : "");
	if (name != meant) {
		*strrchr(targets->uuid, '-') = '\0';
		targets->origin_suspended = find("suspended", meant);
	}
	targets->suspended = find("suspended", name);
	targets->has_inactive = find("inactive", name);
	for (size_t i = 0; i < nr_lines; i++) {
		char *words = match(lines[i], call, name);

		if (words)
			take_target(words, targets);
	}
	return end(0);
}

int ioband_dm_table(const char *name, struct ioband_dm_targets *targets)
{
	return get_targets("table", name, targets);
}

int ioband_dm_status(const char *name, struct ioband_dm_targets *targets)
{
	return get_targets("status", name, targets);
}

void ioband_dm_targets_free(struct ioband_dm_targets *targets)
{
	for (size_t i = 0; i < targets->nr; i++) {
		free(targets->v[i].type);
		free(targets->v[i].params);
	}
	free(targets->v);
	free(targets->uuid);
	memset(targets, 0, sizeof(*targets));
}

int ioband_dm_version(const char *type, struct ioband_dm_version *version)
{
	int r = begin("version", NULL);
	char *words = find("version", NULL);

	(void)type;
	memset(version, 0, sizeof(*version));
	if (!r && words && sscanf(words, "%u.%u.%u", &version->major,
				  &version->minor, &version->patch) != 3)
		abort();
	return end(r ? r : version->major ? 0 : -ENOPKG);
}

/* Add the lines of a table; the kernel knows only groups that a table names. */
static int add_table(const char *key, const char *name,
		     const struct ioband_dm_targets *targets)
{
	for (size_t i = 0; i < targets->nr; i++) {
		const struct ioband_dm_target *t = &targets->v[i];
		int r = refused(t->params);

		if (r)
			return r;
		add_line(xasprintf("%s %s %" PRIu64 " %" PRIu64 " %s %s", key,
				   name, t->start, t->length, t->type,
				   t->params));
	}
	return 0;
}

/* Find the depth of a share that has devices other than @name. */
static bool find_depth(const char *name, const char *share, char throttle[16],
		       char limit[16])
{
	for (size_t i = 0; i < nr_lines; i++) {
		char *words = match(lines[i], "table", NULL);
		char of[64];

		if (words && !match(lines[i], "table", name) &&
		    sscanf(words, "%*s %*s %*s ioband %*s %63s %15s %15s", of,
			   throttle, limit) == 3 && !strcmp(of, share))
			return true;
	}
	return false;
}

/* A share that exists keeps its depth, whatever the new table says. */
static void join_share(const char *name)
{
	for (size_t i = 0; i < nr_lines; i++) {
		char *words = match(lines[i], "table", name);
		char throttle[16], limit[16];
		struct table t;

		if (!words)
			continue;
		table_split(&t, words);
		if (t.nr > WORD_POLICY && !strcmp(t.word[2], "ioband") &&
		    find_depth(name, t.word[WORD_SHARE], throttle, limit)) {
			table_set_word(&t, WORD_THROTTLE, throttle);
			table_set_word(&t, WORD_LIMIT, limit);
		}
		replace_line(i, table_join(&t, name));
	}
}

int ioband_dm_create(const char *name, const char *uuid,
		     const struct ioband_dm_targets *targets,
		     unsigned int read_ahead, enum ioband_dm_udev udev)
{
	static const char * const links[] = { "", " low-priority", " hidden" };
	unsigned int minor, highest = 99;
	int r = begin("create", name);

	note("create %s %s read_ahead=%u%s%s: %d", name, uuid, read_ahead,
	     links[udev], targets->read_only ? " read-only" : "", r);
	if (r)
		return end(r);
	if (find("device", name))
		return end(-EBUSY);
	for (size_t i = 0; i < nr_lines; i++) {
		char *words = match(lines[i], "device", NULL);

		if (words && sscanf(strrchr(words, ':') + 1, "%u",
				    &minor) == 1 && minor > highest)
			highest = minor;
	}
	add_line(xasprintf("device %s 254:%u", name, highest + 1));
	if (*uuid)
		add_line(xasprintf("uuid %s %s", name, uuid));
	r = add_table("table", name, targets);
	if (!r) {
		join_share(name);
		write_file();
	}
	return end(r);
}

int ioband_dm_load(const char *name, const struct ioband_dm_targets *targets)
{
	int r = begin("load", name);

	name = actual(name);
	if (!r) {
		drop_all("inactive", name);
		r = add_table("inactive", name, targets);
	}
	if (!r)
		write_file();
	note("load %s: %d", name, r);
	return end(r);
}

int ioband_dm_clear(const char *name)
{
	int r = begin("clear", name);

	name = actual(name);
	note("clear %s: %d", name, r);
	if (!r) {
		drop_all("inactive", name);
		write_file();
	}
	return end(r);
}

/* Devices on top of it have it open. */
static unsigned int count_open(const char *name)
{
	char *numbers = find("device", name);
	char *given = find("open", name);
	unsigned int count = given ? atoi(given) : 0;

	for (size_t i = 0; numbers && i < nr_lines; i++) {
		char *params = match(lines[i], "table", NULL);
		char *number = params ? strstr(params, numbers) : NULL;

		count += number && number[-1] == ' ' &&
			 number[strlen(numbers)] == ' ';
	}
	return count;
}

static void drop_device(const char *name)
{
	static const char * const keys[] = {
		"device", "uuid", "suspended", "table", "inactive", "status",
		"deferred",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		drop_all(keys[i], name);
}

static void remove_deferred(void)
{
	size_t i = 0;

	while (i < nr_lines) {
		char *name = match(lines[i++], "deferred", NULL);

		if (!name || count_open(name))
			continue;
		name = xstrdup(name);
		drop_device(name);
		free(name);
		i = 0;
	}
}

/* A resume that fails half way leaves the device suspended and drops the table. */
int ioband_dm_resume(const char *name, enum ioband_dm_udev udev)
{
	int r = begin("resume", name);
	bool has_inactive;

	name = actual(name);
	has_inactive = find("inactive", name);
	note("resume %s%s: %d", name,
	     udev == IOBAND_DM_LOW_PRIORITY ? " low-priority" :
	     udev == IOBAND_DM_HIDDEN ? " hidden" : "", r);
	if (r && has_inactive) {
		drop_all("inactive", name);
		add_line(xasprintf("suspended %s", name));
		write_file();
	}
	if (r)
		return end(r);
	drop_all("suspended", name);
	if (has_inactive)
		drop_all("table", name);
	for (size_t i = 0; i < nr_lines; i++) {
		char *words = match(lines[i], "inactive", name);

		if (!words)
			continue;
		replace_line(i, xasprintf("table %s %s", name, words));
	}
	join_share(name);
	remove_deferred();
	write_file();
	return end(0);
}

int ioband_dm_remove(const char *name)
{
	int r = begin("remove", name);

	if (!r && !find("device", name))
		r = -ENXIO;
	if (!r && count_open(name))
		r = -EBUSY;
	note("remove %s: %d", name, r);
	if (!r) {
		drop_device(name);
		write_file();
	}
	return end(r);
}

int ioband_dm_remove_deferred(const char *name)
{
	int r = begin("remove_deferred", name);

	if (!r && !find("device", name))
		r = -ENXIO;
	note("remove %s when it is closed: %d", name, r);
	if (!r) {
		add_line(xasprintf("deferred %s", name));
		remove_deferred();
		write_file();
	}
	return end(r);
}

int ioband_dm_open_count(const char *name, unsigned int *count)
{
	int r = begin("open", name);

	*count = 0;
	if (!r && !find("device", name))
		r = -ENXIO;
	if (!r)
		*count = count_open(name);
	return end(r);
}

/* Apply a message to the table lines of the volume, or of its share. */
static int change(const char *name, const char *text)
{
	char *copy = xstrdup(text), *args = strchr(copy, ' ');
	const char *table = find("table", name);
	char share[64] = "";
	bool is_group;
	int r = 0;

	if (args)
		*args++ = '\0';
	is_group = !strcmp(copy, "attach") || !strcmp(copy, "detach") ||
		   !strcmp(copy, "set") || !strcmp(copy, "weight");
	/* REF:WEIGHT is one word. */
	if (!strcmp(copy, "weight") && args && strchr(args, ':'))
		*strchr(args, ':') = ' ';
	if (table)
		sscanf(table, "%*s %*s %*s %*s %63s", share);
	for (size_t i = 0; !r && args && i < nr_lines; i++) {
		char *words = match(lines[i], "table", is_group ? name : NULL);
		char *of, *again;
		struct table t;

		/* Names with a blank are not used in these tests. */
		if (!words)
			continue;
		of = is_group ? xstrdup(name) :
				strndup(words, strcspn(words, " "));
		words = match(lines[i], "table", of);
		table_split(&t, words);
		again = xstrdup(args);
		if (t.nr > WORD_POLICY && !strcmp(t.word[2], "ioband") &&
		    !strcmp(t.word[WORD_SHARE], share))
			r = is_group ? table_change_group(&t, copy, again) :
				       table_change_share(&t, copy, again);
		if (r == -ENXIO) {
			snprintf(last_reason, sizeof(last_reason),
				 "group '%s': is not attached",
				 strtok(again, " "));
			r = -EINVAL;
		}
		replace_line(i, table_join(&t, of));
		free(again);
		free(of);
	}
	free(copy);
	return r;
}

int ioband_dm_message(const char *name, uint64_t sector, const char *text,
		      char **answer)
{
	bool is_question = !strcmp(text, "show") || !strcmp(text, "stats");
	int r = begin("message", name);

	name = actual(name);
	*answer = NULL;
	if (verbose)
		fprintf(stderr, "fake: message %s %" PRIu64 " %s\n", name,
			sector, text);
	if (!r && !find("device", name))
		r = -ENXIO;
	if (!r)
		r = refused(text);
	if (!r && !is_question)
		r = change(name, text);
	if (!is_question)
		note("message %s %" PRIu64 " %s: %d", name, sector, text, r);
	for (size_t i = 0; !r && is_question && i < nr_lines; i++) {
		char *words = match(lines[i], "reply", name), *more;

		words = words ? match(words, text, NULL) : NULL;
		if (!words)
			continue;
		more = xasprintf("%s%s\n", *answer ? *answer : "", words);
		free(*answer);
		*answer = more;
	}
	if (!r && !is_question)
		write_file();
	return end(r);
}

const char *ioband_dm_error(void)
{
	return last_error;
}

const char *ioband_dm_reason(void)
{
	return last_reason;
}

void ioband_dm_verbose(void)
{
	verbose = true;
}
