// SPDX-License-Identifier: GPL-2.0-only
/*
 * Double of tools/ioband/dm.c that asks a text file instead of the kernel.
 *
 * The file is named by $IOBAND_FAKE_DM and has lines
 *
 *   version MAJOR.MINOR.PATCH	of the target; without it there is none
 *   device NAME MAJOR:MINOR
 *   table NAME START LENGTH TYPE PARAMS
 *   status NAME START LENGTH TYPE PARAMS
 *   answer NAME TEXT		to any message
 *   fail CALL ERRNO		CALL is list, version, or one of table, status and
 *				message with :NAME behind it; ERRNO a number
 *   error TEXT			what libdevmapper says about failures
 *
 * and is read anew by each call, as the kernel's state may change as well.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dm.h"
#include "util.h"

static char last_error[200];
static bool verbose;

/* The words behind @key and @name, if the line has them, else NULL. */
static char *match(char *line, const char *key, const char *name)
{
	size_t len = strlen(key);

	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, key, len) || line[len] != ' ')
		return NULL;
	line += len + 1;
	if (!name)
		return line;
	len = strlen(name);
	if (strncmp(line, name, len) || line[len] != ' ')
		return NULL;
	return line + len + 1;
}

/* Call @take for each such line; a failure planned for @call comes first. */
static int each_line(const char *call, const char *key, const char *name,
		     void (*take)(char *words, void *data), void *data)
{
	const char *path = getenv("IOBAND_FAKE_DM");
	char *line = NULL, *words;
	size_t size = 0;
	int r = 0;
	FILE *file;

	if (verbose)
		fprintf(stderr, "fake: %s\n", call);
	file = path ? fopen(path, "re") : NULL;
	if (!file) {
		fprintf(stderr, "fake: cannot read $IOBAND_FAKE_DM\n");
		abort();
	}
	while (!r && getline(&line, &size, file) > 0) {
		words = match(line, "error", NULL);
		if (words)
			snprintf(last_error, sizeof(last_error), "%s", words);
		words = match(line, "fail", call);
		if (words)
			r = -atoi(words);
	}
	rewind(file);
	while (!r && getline(&line, &size, file) > 0) {
		words = match(line, key, name);
		if (words)
			take(words, data);
	}
	free(line);
	fclose(file);
	return r;
}

static int each_line_of(const char *call, const char *key, const char *name,
			void (*take)(char *words, void *data), void *data)
{
	char *full = xasprintf("%s:%s", call, name);
	int r = each_line(full, key, name, take, data);

	free(full);
	return r;
}

static void take_device(char *words, void *data)
{
	struct ioband_dm_devices *devices = data;
	char *numbers = strrchr(words, ' ');
	struct ioband_dm_device *dev;

	devices->v = xreallocarray(devices->v, devices->nr + 1,
				   sizeof(*devices->v));
	dev = &devices->v[devices->nr++];
	if (!numbers || sscanf(numbers, "%u:%u", &dev->major, &dev->minor) != 2)
		abort();
	*numbers = '\0';
	dev->name = xstrdup(words);
}

int ioband_dm_list(struct ioband_dm_devices *devices)
{
	memset(devices, 0, sizeof(*devices));
	return each_line("list", "device", NULL, take_device, devices);
}

void ioband_dm_devices_free(struct ioband_dm_devices *devices)
{
	for (size_t i = 0; i < devices->nr; i++)
		free(devices->v[i].name);
	free(devices->v);
	memset(devices, 0, sizeof(*devices));
}

static void take_target(char *words, void *data)
{
	struct ioband_dm_targets *targets = data;
	struct ioband_dm_target *target;
	char type[32];
	int end = 0;

	targets->v = xreallocarray(targets->v, targets->nr + 1,
				   sizeof(*targets->v));
	target = &targets->v[targets->nr++];
	if (sscanf(words, "%" SCNu64 " %" SCNu64 " %31s%n", &target->start,
		   &target->length, type, &end) != 3)
		abort();
	target->type = xstrdup(type);
	target->params = xstrdup(words[end] ? words + end + 1 : "");
}

/* A device that is listed only has vanished by the time of the next call. */
static void take_nothing(char *words, void *data)
{
	(void)words;
	*(bool *)data = true;
}

static int get_targets(const char *call, const char *name,
		       struct ioband_dm_targets *targets)
{
	bool exists = false;
	int r;

	memset(targets, 0, sizeof(*targets));
	r = each_line_of(call, "device", name, take_nothing, &exists);
	if (r)
		return r;
	if (!exists)
		return -ENXIO;
	return each_line_of(call, call, name, take_target, targets);
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
	memset(targets, 0, sizeof(*targets));
}

static void take_version(char *words, void *data)
{
	struct ioband_dm_version *version = data;

	if (sscanf(words, "%u.%u.%u", &version->major, &version->minor,
		   &version->patch) != 3)
		abort();
}

int ioband_dm_version(const char *type, struct ioband_dm_version *version)
{
	int r;

	(void)type;
	memset(version, 0, sizeof(*version));
	r = each_line("version", "version", NULL, take_version, version);
	return r ? r : version->major ? 0 : -ENOPKG;
}

static void take_answer(char *words, void *data)
{
	char **answer = data;

	free(*answer);
	*answer = xstrdup(words);
}

int ioband_dm_message(const char *name, uint64_t sector, const char *text,
		      char **answer)
{
	*answer = NULL;
	if (verbose)
		fprintf(stderr, "fake: message %s %" PRIu64 " %s\n", name, sector,
			text);
	return each_line_of("message", "answer", name, take_answer, answer);
}

const char *ioband_dm_error(void)
{
	return last_error;
}

void ioband_dm_verbose(void)
{
	verbose = true;
}
