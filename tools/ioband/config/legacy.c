// SPDX-License-Identifier: GPL-2.0-only
/*
 * Formats of dm-ioband 1: the lines of its /etc/ioband.conf of 2010,
 *
 *	DEVICE ID THROTTLE LIMIT POLICY WEIGHT TOKEN
 *
 * and its table lines, in the format of dmsetup:
 *
 *	[NAME:] START LENGTH ioband DEVICE ID THROTTLE LIMIT TYPE POLICY
 *		[TOKEN [:PARAM [ID:PARAM ...]]]
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "lib/util.h"
#include "lib/words.h"

/* Convert the delimiters = and , that 1.14 accepted to the present one. */
static char *modern(char *params)
{
	struct words words = { .next = params };
	char *text = xstrdup(""), *word;

	while ((word = next_word(&words))) {
		char *more, *delimiter = strpbrk(word, "=,");

		/* Groups come after the first seven words. */
		if (words.nr > 7 && delimiter && delimiter ==
		    word + strspn(word, "0123456789"))
			*delimiter = ':';
		more = xasprintf("%s%s%s", text, *text ? " " : "", word);
		free(text);
		text = more;
	}
	return text;
}

static int take_table(const char *params, struct config *cfg,
		      struct parse_error *err)
{
	char *copy = xstrdup(params);
	char *text = modern(copy);
	struct table_line line;
	int r;

	r = table_parse(text, &line, err);
	if (r)
		goto out;
	/* Apply the same checks as everywhere else. */
	r = config_take(cfg, "device", line.device, err);
	if (!r && *line.device != '/' && !strchr(line.device, ':'))
		r = refuse(err, "device '%.40s': expected a path or MAJOR:MINOR",
			   line.device);
	if (!r)
		r = config_take(cfg, "share", line.share, err);
	if (!r)
		r = config_take(cfg, "type", line.type, err);
	if (!r)
		r = config_take(cfg, "policy", line.policy, err);
	if (!r && line.io_throttle > 32767)
		r = refuse(err, "io_throttle %u: expected 0 to 32767",
			   line.io_throttle);
	if (!r && line.io_limit > 32767)
		r = refuse(err, "io_limit %u: expected 0 to 32767",
			   line.io_limit);
	if (!r && line.offset_sectors)
		r = refuse(err, "offset: a volume that begins in the middle of its device cannot be imported; use attach");
	if (!r)
		r = config_from_table(cfg, &line, err);
	/* Adjust it as the kernel does. */
	if (!r && cfg->io_limit && cfg->io_limit < cfg->io_throttle)
		cfg->io_limit = cfg->io_throttle;
	table_free(&line);
out:
	free(text);
	free(copy);
	return r;
}

/* DEVICE ID THROTTLE LIMIT POLICY WEIGHT TOKEN, attached to a logical volume. */
static int take_conf_line(char **words, struct config *cfg,
			  struct parse_error *err)
{
	static const char * const keys[] = {
		"device", "share", "io_throttle", "io_limit", "policy",
	};
	struct config_group *group;
	uint64_t token;
	int r;

	r = config_take(cfg, "mode", "attach", err);
	for (int i = 0; !r && i < 5; i++)
		r = config_take(cfg, keys[i], words[i], err);
	if (!r)
		r = config_take(cfg, "type", "none", err);
	if (r)
		return r;
	if (*cfg->device != '/')
		return refuse(err, "device '%.40s': expected a path", words[0]);
	if (!parse_u64(words[6], INT32_MAX, &token))
		return refuse(err, "token '%.40s': expected a number",
			      words[6]);
	if (cfg->io_limit && cfg->io_limit < cfg->io_throttle)
		cfg->io_limit = cfg->io_throttle;
	group = config_group(cfg, "default");
	return settings_take_param(&group->set, cfg->policy, words[5], err);
}

/* Use the last component of the path as the name. */
static void name_from_device(struct config *cfg)
{
	const char *base = strrchr(cfg->device, '/');

	snprintf(cfg->name, sizeof(cfg->name), "%.100s-ioband",
		 base ? base + 1 : cfg->device);
	for (char *p = cfg->name; *p; p++)
		if (*p == ':')
			*p = '-';
}

/**
 * legacy_parse - parse one line of either format
 * @line: the line
 * @cfg: filled in; initialised by config_init() with the name "", which stays if the
 *	name follows from the device, a logical volume
 * @err: says what was wrong on failure
 *
 * Return: 1 on success, 0 if the line is empty or a comment, or -EINVAL.
 */
int legacy_parse(const char *line, struct config *cfg, struct parse_error *err)
{
	const char *rest = line + strspn(line, " \t");
	size_t len = strcspn(rest, " \t\n");
	char *copy, *word[8];
	struct words words;
	int nr = 0, r;

	if (!*rest || *rest == '#' || *rest == '\n')
		return 0;
	if (len > 1 && rest[len - 1] == ':') {
		if (len > sizeof(cfg->name) || memchr(rest, '/', len))
			return refuse(err, "name '%.40s': expected 1 to %zu characters without /",
				      rest, sizeof(cfg->name) - 1);
		memcpy(cfg->name, rest, len - 1);
		cfg->name[len - 1] = '\0';
		rest += len;
	}

	copy = xstrdup(rest);
	words = (struct words){ .next = copy };
	while (nr < 8 && (word[nr] = next_word(&words)))
		nr++;
	if (nr > 3 && !strcmp(word[2], "ioband")) {
		uint64_t start, length;

		/* The parameters are parsed as a whole. */
		size_t at = word[3] - copy;

		if (!parse_u64(word[0], INT64_MAX, &start) || start)
			r = refuse(err, "start '%.40s': expected 0: only volumes of one line can be imported",
				   word[0]);
		else if (!parse_u64(word[1], INT64_MAX, &length) || !length)
			r = refuse(err, "length '%.40s': expected a number of sectors",
				   word[1]);
		else
			r = take_table(rest + at, cfg, err);
		if (!r && !*cfg->name)
			name_from_device(cfg);
	} else if (nr == 7 && !*cfg->name) {
		r = take_conf_line(word, cfg, err);
	} else {
		r = refuse(err, "'%.60s': expected DEVICE ID THROTTLE LIMIT POLICY WEIGHT TOKEN, or a table line [NAME:] START LENGTH ioband ...",
			   line);
	}
	free(copy);
	return r ? r : 1;
}
