// SPDX-License-Identifier: GPL-2.0-only
/*
 * Configuration files: see ioband.conf(5).
 *
 *	[volume]
 *	device = /dev/vg/data
 *
 *	[group /db.slice]
 *	weight = 300
 *	rbps = 10M burst=1M
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "lib/util.h"
#include "lib/words.h"

/**
 * struct reader - state of the parser
 * @nr: current line number
 * @in_volume: inside section [volume]
 * @group: name of the group whose section we are in, or ""
 */
struct reader {
	struct config *cfg;
	unsigned long nr;
	bool in_volume;
	char group[GROUP_NAME_LEN];
	struct parse_error *err;
};

/**
 * conf_trim - strip leading and trailing blanks
 * @s: a line without its newline; modified
 *
 * Return: the first character that is left.
 */
char *conf_trim(char *s)
{
	char *end;

	s += strspn(s, " \t\r");
	end = s + strlen(s);
	while (end > s && strchr(" \t\r", end[-1]))
		*--end = '\0';
	return s;
}

/**
 * conf_split - take a line of a file apart
 * @line: the line, without its newline; modified
 * @key: set to the part before the =, or to the whole of the head of a section, or to
 *	%NULL if the line is empty or a comment
 * @value: set to the part behind the =; %NULL if there is none
 * @err: on failure says what was wrong
 *
 * Return: 0 or -EINVAL.
 */
int conf_split(char *line, char **key, char **value, struct parse_error *err)
{
	char *equals;

	*key = NULL;
	*value = NULL;
	line = conf_trim(line);
	if (!*line || *line == '#' || *line == ';')
		return 0;
	*key = line;
	if (*line == '[')
		return 0;
	equals = strchr(line, '=');
	if (!equals || equals == line)
		return refuse(err, "'%.40s': expected key = value, or a section in [ ]",
			      line);
	*equals = '\0';
	*key = conf_trim(line);
	*value = conf_trim(equals + 1);
	return 0;
}

/**
 * conf_has_name - whether a file can hold this name of a group
 * @name: the name
 *
 * Trailing blanks would be lost, and the owner of a cgroup may create such names.
 */
bool conf_has_name(const char *name)
{
	size_t len = strlen(name);

	return len && len < GROUP_NAME_LEN && !strchr(" \t\r", name[len - 1]);
}

/* Prefix the error with the line number. */
static int at_line(struct reader *reader, int r)
{
	struct parse_error why;

	if (!r)
		return 0;
	why = *reader->err;
	refuse(reader->err, "line %lu: %s", reader->nr, why.text);
	return r;
}

static int read_section(struct reader *reader, char *line)
{
	char *name = line + 1;
	char *end = strrchr(name, ']');

	reader->in_volume = false;
	reader->group[0] = '\0';
	if (!end || end[1])
		return refuse(reader->err, "'%.40s': expected ] at the end",
			      line);
	*end = '\0';
	name = conf_trim(name);
	if (!strcmp(name, "volume")) {
		reader->in_volume = true;
		return 0;
	}
	if (strncmp(name, "group", 5) || !strchr(" \t", name[5]) || !name[5])
		return refuse(reader->err, "section '[%.40s]': expected [volume] or [group NAME]",
			      name);
	name = conf_trim(name + 5);
	if (!*name || strlen(name) >= sizeof(reader->group))
		return refuse(reader->err, "[group %.40s]: expected a name of 1 to %zu characters",
			      name, sizeof(reader->group) - 1);
	strcpy(reader->group, name);
	config_group(reader->cfg, name);
	return 0;
}

/**
 * conf_take_setting - parse a line of a group, key = value [burst=N] [peak=N]
 * @set: settings that it is added to
 * @key: the part before the =
 * @value: the part after it; modified
 * @weight_max: as for settings_take()
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int conf_take_setting(struct settings *set, const char *key, char *value,
		      uint64_t weight_max, struct parse_error *err)
{
	struct words words = { .next = value };
	char text[SETTING_LEN];
	bool first = true;
	char *word;
	int r;

	while ((word = next_word(&words))) {
		if (first && (size_t)snprintf(text, sizeof(text), "%s=%s", key,
					      word) >= sizeof(text))
			return refuse(err, "key '%.40s': value too long", key);
		if (!first && strncmp(word, "burst=", 6) &&
		    strncmp(word, "peak=", 5))
			return refuse(err, "'%.40s': expected burst= or peak= or nothing behind the value",
				      word);
		r = settings_take(set, first ? text : word, weight_max, err);
		if (r)
			return r;
		first = false;
	}
	return first ? refuse(err, "key '%.40s': expected a value", key)
		     : 0;
}

static int read_line(struct reader *reader, char *line)
{
	char *key, *value;

	if (conf_split(line, &key, &value, reader->err))
		return -EINVAL;
	if (!key)
		return 0;
	if (!value)
		return read_section(reader, key);
	if (reader->in_volume)
		return config_take(reader->cfg, key, value, reader->err);
	if (*reader->group)
		return conf_take_setting(&config_group(reader->cfg,
						       reader->group)->set,
					 key, value, STORED_WEIGHT_MAX,
					 reader->err);
	return refuse(reader->err, "key '%.40s': expected a section such as [volume] before it",
		      key);
}

/**
 * conf_parse - parse a configuration file
 * @cfg: filled in; initialised by config_init()
 * @text: contents of the file
 * @err: on failure names line, word and what was expected
 *
 * Return: 0 or -EINVAL.
 */
int conf_parse(struct config *cfg, const char *text, struct parse_error *err)
{
	struct reader reader = { .cfg = cfg, .err = err };
	char *copy = xstrdup(text);
	char *line = copy, *next;
	int r = 0;

	while (!r && line) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		reader.nr++;
		r = at_line(&reader, read_line(&reader, line));
		line = next;
	}
	free(copy);
	return r;
}

/**
 * conf_print - print a configuration so that conf_parse() reads back the same
 * @cfg: the configuration
 * @to: output stream
 */
void conf_print(const struct config *cfg, FILE *to)
{
	fprintf(to, "[volume]\nmode = %s\n",
		cfg->is_attached ? "attach" : "create");
	if (*cfg->device)
		fprintf(to, "device = %s\n", cfg->device);
	if (*cfg->uuid)
		fprintf(to, "uuid = %s\n", cfg->uuid);
	if (*cfg->share)
		fprintf(to, "share = %s\n", cfg->share);
	fprintf(to, "type = %s\npolicy = %s\n", cfg->type,
		cfg->auto_policy ? "auto" : cfg->policy);
	if (cfg->io_throttle)
		fprintf(to, "io_throttle = %u\n", cfg->io_throttle);
	if (cfg->io_limit)
		fprintf(to, "io_limit = %u\n", cfg->io_limit);
	if (cfg->quantum_ms)
		fprintf(to, "quantum = %ums\n", cfg->quantum_ms);
	if (cfg->auto_depth)
		fprintf(to, "auto = %u\n", cfg->auto_depth);
	if (cfg->follow)
		fprintf(to, "follow = yes\n");

	for (size_t i = 0; i < cfg->nr_groups; i++) {
		const struct config_group *group = &cfg->groups[i];

		fprintf(to, "\n[group %s]\n", group->name);
		for (int key = 0; key < NR_SETTINGS; key++) {
			char value[SETTING_LEN];

			if (!group->set.v[key].given)
				continue;
			setting_value(value, &group->set, key, true);
			fprintf(to, "%s = %s\n", setting_name(key), value);
		}
	}
}
