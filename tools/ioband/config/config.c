// SPDX-License-Identifier: GPL-2.0-only
/*
 * The configuration of a volume, wanted or actual.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "config.h"
#include "lib/units.h"
#include "lib/util.h"
#include "lib/words.h"

enum {
	DEPTH_MAX = 32767,
	AUTO_MAX = 64,
	QUANTUM_MAX = 10000,
};

static const char * const word_names[NR_CONFIG_WORDS] = {
	[CONFIG_MODE]		= "mode",
	[CONFIG_DEVICE]		= "device",
	[CONFIG_SHARE]		= "share",
	[CONFIG_TYPE]		= "type",
	[CONFIG_POLICY]		= "policy",
	[CONFIG_IO_THROTTLE]	= "io_throttle",
	[CONFIG_IO_LIMIT]	= "io_limit",
	[CONFIG_QUANTUM]	= "quantum",
	[CONFIG_AUTO]		= "auto",
	[CONFIG_UUID]		= "uuid",
	[CONFIG_FOLLOW]		= "follow",
};

/**
 * config_init - initialise a configuration with defaults
 * @cfg: to be freed by config_free()
 * @name: name of the volume
 */
void config_init(struct config *cfg, const char *name)
{
	memset(cfg, 0, sizeof(*cfg));
	snprintf(cfg->name, sizeof(cfg->name), "%s", name);
	strcpy(cfg->type, "cgroup");
	strcpy(cfg->policy, "weight");
	cfg->auto_policy = true;
}

/**
 * config_free - free the groups of a configuration
 * @cfg: a configuration
 */
void config_free(struct config *cfg)
{
	free(cfg->groups);
	cfg->groups = NULL;
	cfg->nr_groups = 0;
}

static bool is_one_of(const char *word, const char *list)
{
	size_t len = strlen(word);

	for (; *list; list += strcspn(list, " "), list += *list == ' ')
		if (strcspn(list, " ") == len && !strncmp(list, word, len))
			return true;
	return false;
}

/* No blanks: device-mapper and udev escape them as \x20. */
static int take_text(char *to, size_t size, const char *key, const char *value,
		     struct parse_error *err)
{
	bool bad = !*value || strlen(value) >= size;

	for (const char *p = value; *p; p++)
		bad |= (unsigned char)*p <= ' ' || *p == 0x7f;
	if (bad)
		return refuse(err, "%s '%.60s': expected 1 to %zu characters without blank",
			      key, value, size - 1);
	strcpy(to, value);
	return 0;
}

/* As one word of a table line: a blank would split it, a backslash would be lost. */
static int take_share(struct config *cfg, const char *value,
		      struct parse_error *err)
{
	if (strchr(value, '\\'))
		return refuse(err, "share '%.60s': expected 1 to %zu characters without blank and backslash",
			      value, sizeof(cfg->share) - 1);
	return take_text(cfg->share, sizeof(cfg->share), "share", value, err);
}

static int take_choice(char *to, const char *key, const char *value,
		       const char *list, struct parse_error *err)
{
	if (!is_one_of(value, list))
		return refuse(err, "%s '%.40s': expected one of %s", key, value,
			      list);
	strcpy(to, value);
	return 0;
}

static int take_number(uint32_t *to, const char *key, const char *value,
		       uint32_t max, struct parse_error *err)
{
	uint64_t v;

	if (!parse_u64(value, max, &v))
		return refuse(err, "%s '%.40s': expected 0 to %u", key, value,
			      max);
	*to = v;
	return 0;
}

/* Milliseconds, with their unit or without. */
static int take_quantum(uint32_t *to, const char *value,
			struct parse_error *err)
{
	uint64_t v;

	if (!parse_u64(value, QUANTUM_MAX, &v)) {
		if (!units_parse_usec(value, &v) || v % 1000 ||
		    v / 1000 > QUANTUM_MAX)
			return refuse(err, "quantum '%.40s': expected whole milliseconds from 0 to %u, such as 40ms",
				      value, QUANTUM_MAX);
		v /= 1000;
	}
	*to = v;
	return 0;
}

static int take_word(struct config *cfg, enum config_word word,
		     const char *value, struct parse_error *err)
{
	const char *key = word_names[word];

	switch (word) {
	case CONFIG_MODE:
		if (!is_one_of(value, "create attach"))
			return refuse(err, "mode '%.40s': expected create or attach",
				      value);
		cfg->is_attached = !strcmp(value, "attach");
		return 0;
	case CONFIG_DEVICE:
		return take_text(cfg->device, sizeof(cfg->device), key, value,
				 err);
	case CONFIG_UUID:
		return take_text(cfg->uuid, sizeof(cfg->uuid), key, value, err);
	case CONFIG_SHARE:
		return take_share(cfg, value, err);
	case CONFIG_TYPE:
		return take_choice(cfg->type, key, value,
				   "none user uid gid pid pgrp cgroup ioprio",
				   err);
	case CONFIG_POLICY:
		cfg->auto_policy = !strcmp(value, "auto");
		if (cfg->auto_policy)
			return 0;
		return take_choice(cfg->policy, key, value,
				   "auto weight weight-iosize weight-time range-bw limit default",
				   err);
	case CONFIG_IO_THROTTLE:
		return take_number(&cfg->io_throttle, key, value, DEPTH_MAX,
				   err);
	case CONFIG_IO_LIMIT:
		return take_number(&cfg->io_limit, key, value, DEPTH_MAX, err);
	case CONFIG_QUANTUM:
		return take_quantum(&cfg->quantum_ms, value, err);
	case CONFIG_AUTO:
		return take_number(&cfg->auto_depth, key, value, AUTO_MAX, err);
	case CONFIG_FOLLOW:
		if (!is_one_of(value, "yes no"))
			return refuse(err, "follow '%.40s': expected yes or no",
				      value);
		cfg->follow = !strcmp(value, "yes");
		return 0;
	case NR_CONFIG_WORDS:
		break;
	}
	return -EINVAL;
}

static int find_word(const char *key, size_t len)
{
	for (int i = 0; i < NR_CONFIG_WORDS; i++)
		if (strlen(word_names[i]) == len &&
		    !strncmp(word_names[i], key, len))
			return i;
	return -1;
}

/**
 * config_take - parse one key of the volume itself
 * @cfg: configuration to set it in
 * @key: such as "policy"
 * @value: such as "weight"
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int config_take(struct config *cfg, const char *key, const char *value,
		struct parse_error *err)
{
	int word = find_word(key, strlen(key));
	int r;

	if (word < 0)
		return refuse(err, "key '%.40s': expected mode, device, share, type, policy, io_throttle, io_limit, quantum, auto or follow",
			      key);
	if (cfg->given[word])
		return refuse(err, "%s: given twice", key);
	r = take_word(cfg, word, value, err);
	cfg->given[word] = !r;
	return r;
}

/**
 * config_check - refuse what does not go together
 * @cfg: a configuration
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int config_check(const struct config *cfg, struct parse_error *err)
{
	if (cfg->io_limit && cfg->io_throttle > cfg->io_limit)
		return refuse(err, "io_throttle %u: expected not to exceed io_limit, %u",
			      cfg->io_throttle, cfg->io_limit);
	if (cfg->auto_depth && strcmp(cfg->type, "cgroup"))
		return refuse(err, "auto: needs type cgroup, not %s",
			      cfg->type);
	if (cfg->follow && strcmp(cfg->type, "cgroup"))
		return refuse(err, "follow: needs type cgroup, not %s",
			      cfg->type);
	for (size_t i = 0; i < cfg->nr_groups; i++) {
		const struct config_group *group = &cfg->groups[i];

		if (group->is_default && group->set.v[SET_PARENT].given)
			return refuse(err, "parent: the default group has none");
		if (!group->is_default && !strcmp(cfg->type, "none"))
			return refuse(err, "group '%.60s': a volume of type none has the default group only",
				      group->name);
	}
	return 0;
}

/**
 * config_take_words - parse the key=value words of a command line
 * @cfg: configuration to set them in; keys of a group go to the default group
 * @argc: number of words
 * @argv: the words
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int config_take_words(struct config *cfg, int argc, char **argv,
		      struct parse_error *err)
{
	struct settings set = { 0 };
	bool any = false;
	int r = 0;

	for (int i = 0; !r && i < argc; i++) {
		const char *equals = strchr(argv[i], '=');
		char key[WORD_LEN];

		if (!equals || find_word(argv[i], strcspn(argv[i], "=")) < 0 ||
		    !strncmp(argv[i], "mode=", 5) ||
		    !strncmp(argv[i], "device=", 7) ||
		    !strncmp(argv[i], "uuid=", 5) ||
		    !strncmp(argv[i], "follow=", 7)) {
			if (equals && !setting_known(argv[i]))
				return refuse(err, "key '%.*s': expected share, type, policy, auto, io_throttle, io_limit or quantum, or one of the default group such as weight",
					      equals - argv[i] > 40 ? 40 :
					      (int)(equals - argv[i]), argv[i]);
			r = settings_take(&set, argv[i], SETTING_WEIGHT_MAX,
					  err);
			any = true;
			continue;
		}
		memcpy(key, argv[i], equals - argv[i]);
		key[equals - argv[i]] = '\0';
		r = config_take(cfg, key, equals + 1, err);
	}
	if (r)
		return r;
	if (any)
		settings_merge(&config_group(cfg, "default")->set, &set);
	return config_check(cfg, err);
}

/**
 * config_merge - override a configuration with what another one gives
 * @cfg: the configuration to change
 * @more: what takes precedence
 */
void config_merge(struct config *cfg, const struct config *more)
{
	const bool *given = more->given;

	if (given[CONFIG_MODE])
		cfg->is_attached = more->is_attached;
	if (given[CONFIG_DEVICE])
		strcpy(cfg->device, more->device);
	if (given[CONFIG_UUID])
		strcpy(cfg->uuid, more->uuid);
	if (given[CONFIG_SHARE])
		strcpy(cfg->share, more->share);
	if (given[CONFIG_TYPE])
		strcpy(cfg->type, more->type);
	if (given[CONFIG_POLICY]) {
		strcpy(cfg->policy, more->policy);
		cfg->auto_policy = more->auto_policy;
		cfg->policy_why = more->policy_why;
	}
	if (given[CONFIG_IO_THROTTLE])
		cfg->io_throttle = more->io_throttle;
	if (given[CONFIG_IO_LIMIT])
		cfg->io_limit = more->io_limit;
	if (given[CONFIG_QUANTUM])
		cfg->quantum_ms = more->quantum_ms;
	if (given[CONFIG_AUTO])
		cfg->auto_depth = more->auto_depth;
	if (given[CONFIG_FOLLOW])
		cfg->follow = more->follow;
	for (int i = 0; i < NR_CONFIG_WORDS; i++)
		cfg->given[i] |= given[i];
	for (size_t i = 0; i < more->nr_groups; i++)
		settings_merge(&config_group(cfg, more->groups[i].name)->set,
			       &more->groups[i].set);
}

/**
 * config_from_table - convert a table line to a configuration
 * @cfg: filled in; initialised by config_init()
 * @line: a parsed line
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int config_from_table(struct config *cfg, const struct table_line *line,
		      struct parse_error *err)
{
	int r;

	snprintf(cfg->share, sizeof(cfg->share), "%s", line->share);
	snprintf(cfg->type, sizeof(cfg->type), "%s", line->type);
	snprintf(cfg->policy, sizeof(cfg->policy), "%s", line->policy);
	cfg->auto_policy = false;
	cfg->io_throttle = line->io_throttle;
	cfg->io_limit = line->io_limit;
	cfg->quantum_ms = line->quantum_ms;
	cfg->auto_depth = line->auto_depth;
	cfg->is_attached = line->as_linear;
	for (int i = CONFIG_SHARE; i <= CONFIG_AUTO; i++)
		cfg->given[i] = true;

	for (size_t i = 0; i < line->nr_groups; i++) {
		const struct table_group *from = &line->groups[i];
		struct config_group *to;
		char name[24] = "default";

		if (!from->is_default)
			snprintf(name, sizeof(name), "%" PRIu64, from->id);
		to = config_group(cfg, name);
		to->has_id = !from->is_default;
		to->id = from->id;
		r = settings_take_param(&to->set, line->policy, from->param,
					err);
		if (r)
			return r;
	}
	return 0;
}

/**
 * config_group - find a group by name, adding it if need be
 * @cfg: a configuration
 * @name: name of the group; "-1" is the default group, too
 *
 * Return: the group, valid until the next one is added.
 */
struct config_group *config_group(struct config *cfg, const char *name)
{
	struct config_group *group;

	if (!strcmp(name, "-1"))
		name = "default";
	for (size_t i = 0; i < cfg->nr_groups; i++)
		if (!strcmp(cfg->groups[i].name, name))
			return &cfg->groups[i];
	cfg->groups = xreallocarray(cfg->groups, cfg->nr_groups + 1,
				    sizeof(*cfg->groups));
	group = &cfg->groups[cfg->nr_groups++];
	memset(group, 0, sizeof(*group));
	snprintf(group->name, sizeof(group->name), "%s", name);
	group->is_default = !strcmp(name, "default");
	return group;
}

/**
 * config_find - find a group by id
 * @cfg: a configuration whose groups are resolved
 * @is_default: look for the default group
 * @id: otherwise the id to look for
 *
 * Return: the group, or %NULL.
 */
struct config_group *config_find(const struct config *cfg, bool is_default,
				 uint64_t id)
{
	for (size_t i = 0; i < cfg->nr_groups; i++) {
		struct config_group *group = &cfg->groups[i];

		if (is_default ? group->is_default :
		    group->has_id && group->id == id)
			return group;
	}
	return NULL;
}

/**
 * config_drop_group - remove a group from a configuration
 * @cfg: a configuration
 * @group: one of its groups
 */
void config_drop_group(struct config *cfg, struct config_group *group)
{
	size_t i = group - cfg->groups;

	memmove(group, group + 1, (cfg->nr_groups - i - 1) * sizeof(*group));
	cfg->nr_groups--;
}

static void print_group(const struct config *cfg,
			const struct config_group *group, FILE *to)
{
	char param[4096];

	if (settings_param(param, sizeof(param), cfg->policy, &group->set) < 0)
		exit(fail(IOBAND_USAGE, "group '%s' has more settings than a table holds: remove some",
			  group->name));
	if (group->is_default)
		fprintf(to, " :%s", param);
	else
		fprintf(to, " %" PRIu64 ":%s", group->id, param);
}

/**
 * config_params - compose the parameters of a table line
 * @cfg: the configuration; groups without an id are left out
 * @device: the device below, MAJOR:MINOR
 * @offset_sectors: start of the target on @device
 *
 * Return: the text, to be freed.
 */
char *config_params(const struct config *cfg, const char *device,
		    uint64_t offset_sectors)
{
	static const struct config_group plain = { .is_default = true };
	const struct config_group *group;
	unsigned int words = 0;
	char *text = NULL;
	size_t size;
	FILE *to;

	to = xmemstream(&text, &size);
	fprintf(to, "%s %s %u %u %s %s 0", device, cfg->share,
		cfg->io_throttle, cfg->io_limit, cfg->type, cfg->policy);

	group = config_find(cfg, true, 0);
	print_group(cfg, group ? group : &plain, to);
	for (size_t i = 0; i < cfg->nr_groups; i++)
		if (cfg->groups[i].has_id)
			print_group(cfg, &cfg->groups[i], to);

	words += offset_sectors ? 2 : 0;
	words += cfg->auto_depth ? 2 : 0;
	words += cfg->quantum_ms ? 2 : 0;
	/* So LVM finds what it has loaded, or what is like that. */
	words += cfg->is_attached ? 2 : 0;
	if (words)
		fprintf(to, " options %u", words);
	if (offset_sectors)
		fprintf(to, " offset %" PRIu64, offset_sectors);
	if (cfg->auto_depth)
		fprintf(to, " auto %u", cfg->auto_depth);
	if (cfg->quantum_ms)
		fprintf(to, " quantum %u", cfg->quantum_ms);
	if (cfg->is_attached)
		fprintf(to, " as_linear 1");
	xmemclose(to);
	return text;
}
