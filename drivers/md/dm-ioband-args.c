// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grammar of table lines and messages.
 *
 * The first six words of a line and the messages of version 1 are those of
 * dm-ioband 1.14, numbers in C notation and all three of its delimiters
 * included. Where 1.14 let a word pass that could not act, we refuse it.
 */
#include "dm-ioband-args.h"

#define DELIMITERS "=:,"

static const char * const type_names[] = {
	[IOBAND_TYPE_NONE]	= "none",
	[IOBAND_TYPE_USER]	= "user",
	[IOBAND_TYPE_UID]	= "uid",
	[IOBAND_TYPE_GID]	= "gid",
	[IOBAND_TYPE_PID]	= "pid",
	[IOBAND_TYPE_PGRP]	= "pgrp",
	[IOBAND_TYPE_CGROUP]	= "cgroup",
	[IOBAND_TYPE_IOPRIO]	= "ioprio",
};

/**
 * ioband_type_name - the word for a group type
 * @type: the type
 *
 * Return: the word that table and message use, a constant.
 */
const char *ioband_type_name(enum ioband_type type)
{
	return type_names[type];
}

static __printf(3, 4) int refuse(struct ioband_error *err, const char *brief,
				 const char *fmt, ...)
{
	va_list args;

	err->brief = brief;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -EINVAL;
}

/*
 * A number as 1.14 took it, in C notation. kstrtoull() also takes a sign and a
 * final newline; a word of a table has neither.
 */
static int parse_number(const char *word, u64 min, u64 max, u64 *value)
{
	u64 v;

	if (*word < '0' || *word > '9' || strchr(word, '\n') ||
	    kstrtoull(word, 0, &v) || v < min || v > max)
		return -EINVAL;
	*value = v;
	return 0;
}

static int parse_u32(const char *name, const char *word, u32 min, u32 max,
		     u32 *value, const char *brief, struct ioband_error *err)
{
	u64 v;

	if (parse_number(word, min, max, &v))
		return refuse(err, brief, "%s '%.40s': expected %u to %u",
			      name, word, min, max);
	*value = v;
	return 0;
}

static int parse_type(const char *word, enum ioband_type *type,
		      struct ioband_error *err)
{
	static const char brief[] = "Cannot set ioband group type";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(type_names); i++) {
		if (!strcmp(word, type_names[i])) {
			*type = i;
			return 0;
		}
	}
	if (!strcmp(word, "node") || !strcmp(word, "cpuset"))
		return refuse(err, brief,
			      "type '%s': never worked in dm-ioband 1 and is gone; use cgroup",
			      word);
	return refuse(err, brief,
		      "type '%.40s': expected none, user, uid, gid, pid, pgrp, cgroup or ioprio",
		      word);
}

static int parse_policy(const char *word, const struct ioband_policy **policy,
			struct ioband_error *err)
{
	static const char brief[] = "Invalid policy parameter";

	*policy = ioband_policy_find(word);
	if (*policy)
		return 0;
	if (!strcmp(word, "range-bw") || !strcmp(word, "weight-time") ||
	    !strcmp(word, "limit"))
		return refuse(err, brief, "policy '%s': not supported yet",
			      word);
	return refuse(err, brief,
		      "policy '%.40s': expected default, weight or weight-iosize",
		      word);
}

static int parse_ref(char *word, struct ioband_ref *ref,
		     struct ioband_error *err)
{
	memset(ref, 0, sizeof(*ref));
	if (!strcmp(word, "-1")) {
		ref->is_default = true;
		return 0;
	}
	if (*word == '/') {
		ref->path = word;
		return 0;
	}
	if (parse_number(word, 0, U64_MAX, &ref->id))
		return refuse(err, "Invalid group id",
			      "group '%.40s': expected an id, the path of a cgroup, or -1 for the default group",
			      word);
	return 0;
}

static int parse_weight(const char *word, u32 max, u32 *weight,
			struct ioband_error *err)
{
	return parse_u32("weight", word, IOBAND_WEIGHT_MIN, max, weight,
			 "Invalid policy parameter", err);
}

/* One key=value, the same in "set" and in a table line. */
static int parse_setting(char *word, struct ioband_settings *settings,
			 struct ioband_error *err)
{
	static const char * const later[] = {
		"rbps", "wbps", "bps", "riops", "wiops", "iops", "burst",
		"peak", "min", "miniops", "latency", "class", "parent",
	};
	static const char brief[] = "Invalid policy parameter";
	char *value = strchr(word, '=');
	unsigned int i;

	if (!value || value == word || !value[1])
		return refuse(err, brief, "'%.40s': expected key=value", word);
	*value++ = '\0';

	if (!strcmp(word, "weight")) {
		if (settings->weight)
			return refuse(err, brief, "weight: given twice");
		return parse_weight(value, 10000, &settings->weight, err);
	}

	for (i = 0; i < ARRAY_SIZE(later); i++)
		if (!strcmp(word, later[i]))
			return refuse(err, brief, "key '%s': not supported yet",
				      word);
	return refuse(err, brief, "key '%.40s': expected weight", word);
}

/* The parameter of a group in a table line: a number, or key=value,... */
static int parse_param(char *word, struct ioband_settings *settings,
		       struct ioband_error *err)
{
	char *setting;
	int r;

	if (*word >= '0' && *word <= '9')
		return parse_weight(word, IOBAND_WEIGHT_MAX, &settings->weight,
				    err);

	while ((setting = strsep(&word, ","))) {
		r = parse_setting(setting, settings, err);
		if (r)
			return r;
	}
	return 0;
}

/*
 * The delimiter between id and parameter. A path may well contain a delimiter,
 * so there it is the last colon: no parameter has one.
 */
static char *find_param(char *word)
{
	return *word == '/' ? strrchr(word, ':') : strpbrk(word, DELIMITERS);
}

static int parse_group(char *word, struct ioband_group_args *group,
		       struct ioband_error *err)
{
	char *param = find_param(word);
	int r;

	if (!param)
		return refuse(err, "Cannot create ioband group",
			      "group '%.40s': expected id:parameter", word);
	*param++ = '\0';
	r = parse_ref(word, &group->ref, err);
	if (r)
		return r;
	if (group->ref.is_default)
		return refuse(err, "Cannot create ioband group",
			      "group '-1': the default group is written :parameter");
	return parse_param(param, &group->settings, err);
}

static int parse_options(unsigned int argc, char **argv,
			 struct ioband_table *table, struct ioband_error *err)
{
	static const char brief[] = "Invalid options";
	bool has_offset = false;
	u32 nr;
	int r;

	if (!argc)
		return refuse(err, brief,
			      "options: expected the number of words that follow");
	r = parse_u32("options", argv[0], 0, argc - 1, &nr, brief, err);
	if (r)
		return r;
	if (nr != argc - 1)
		return refuse(err, brief, "options %u: %u words follow", nr,
			      argc - 1);

	for (argv++; nr >= 2; argv += 2, nr -= 2) {
		if (!strcmp(argv[0], "offset")) {
			if (has_offset)
				return refuse(err, brief, "offset: given twice");
			has_offset = true;
			if (parse_number(argv[1], 0, S64_MAX >> 9,
					 &table->offset_sectors))
				return refuse(err, brief,
					      "offset '%.40s': expected a number of sectors",
					      argv[1]);
		} else if (!strcmp(argv[0], "auto")) {
			if (table->auto_depth)
				return refuse(err, brief, "auto: given twice");
			r = parse_u32("auto", argv[1], 1, IOBAND_AUTO_DEPTH_MAX,
				      &table->auto_depth, brief, err);
			if (r)
				return r;
		} else if (!strcmp(argv[0], "carryover")) {
			if (table->carryover)
				return refuse(err, brief,
					      "carryover: given twice");
			r = parse_u32("carryover", argv[1], 1, S32_MAX,
				      &table->carryover, brief, err);
			if (r)
				return r;
		} else {
			return refuse(err, brief,
				      "option '%.40s': expected offset, auto or carryover",
				      argv[0]);
		}
	}
	if (nr)
		return refuse(err, brief, "option '%.40s': has no value",
			      argv[0]);
	if (table->auto_depth && table->type != IOBAND_TYPE_CGROUP)
		return refuse(err, brief, "option auto: needs type cgroup, not %s",
			      ioband_type_name(table->type));
	return 0;
}

/* What follows the policy: [token_base [:default [id:param ...]]] */
static int parse_groups(unsigned int argc, char **argv,
			struct ioband_table *table, struct ioband_error *err)
{
	static const char brief[] = "Invalid policy parameter";
	unsigned int i;
	int r;

	table->groups = kcalloc(max(argc, 1U), sizeof(*table->groups),
				GFP_KERNEL);
	if (!table->groups) {
		refuse(err, "Cannot allocate groups", "out of memory");
		return -ENOMEM;
	}
	table->nr_groups = 1;
	table->groups[0].ref.is_default = true;

	if (argc) {
		r = parse_u32("token_base", argv[0], 0, S32_MAX,
			      &table->token_base, brief, err);
		if (r)
			return r;
	}
	if (argc > 1) {
		if (!*argv[1] || !strchr(DELIMITERS, *argv[1]))
			return refuse(err, brief,
				      "'%.40s': expected :parameter of the default group first",
				      argv[1]);
		r = parse_param(argv[1] + 1, &table->groups[0].settings, err);
		if (r)
			return r;
	}
	for (i = 2; i < argc; i++) {
		if (table->type == IOBAND_TYPE_NONE)
			return refuse(err, "Cannot create ioband group",
				      "group '%.40s': type none has the default group only",
				      argv[i]);
		r = parse_group(argv[i], &table->groups[table->nr_groups++],
				err);
		if (r)
			return r;
	}
	return 0;
}

/**
 * ioband_parse_table - take a table line apart
 * @argc: number of words after "ioband"
 * @argv: the words; they are cut up, and must outlive @table
 * @table: filled in; on success to be freed by ioband_table_free()
 * @err: says what was wrong on failure
 *
 * Context: may sleep.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int ioband_parse_table(unsigned int argc, char **argv,
		       struct ioband_table *table, struct ioband_error *err)
{
	unsigned int nr_policy = 0;
	int r;

	memset(table, 0, sizeof(*table));
	if (argc < 6)
		return refuse(err, "Requires 6 or more arguments",
			      "%u words: expected at least device, share id, io_throttle, io_limit, type and policy",
			      argc);

	table->device = argv[0];
	table->share = argv[1];
	if (!*argv[1] || strlen(argv[1]) > IOBAND_SHARE_LEN)
		return refuse(err, "Ioband device name is too long",
			      "share id '%.40s': expected 1 to %d characters",
			      argv[1], IOBAND_SHARE_LEN);

	r = parse_u32("io_throttle", argv[2], 0, IOBAND_DEPTH_MAX,
		      &table->io_throttle, "Invalid io_throttle", err);
	if (r)
		return r;
	r = parse_u32("io_limit", argv[3], 0, IOBAND_DEPTH_MAX,
		      &table->io_limit, "Invalid io_limit", err);
	if (r)
		return r;
	if (table->io_limit && table->io_limit < table->io_throttle)
		table->io_limit = table->io_throttle;

	r = parse_type(argv[4], &table->type, err);
	if (r)
		return r;
	r = parse_policy(argv[5], &table->policy, err);
	if (r)
		return r;

	argc -= 6;
	argv += 6;
	while (nr_policy < argc && strcmp(argv[nr_policy], "options"))
		nr_policy++;
	r = parse_groups(nr_policy, argv, table, err);
	if (!r && nr_policy < argc)
		r = parse_options(argc - nr_policy - 1, argv + nr_policy + 1,
				  table, err);
	if (r)
		ioband_table_free(table);
	return r;
}

/**
 * ioband_table_free - release what ioband_parse_table() allocated
 * @table: a table, parsed or failed to
 */
void ioband_table_free(struct ioband_table *table)
{
	kfree(table->groups);
	table->groups = NULL;
}

/* VAL or ID:VAL; without an id the default group is meant. */
static int parse_weight_message(char *word, struct ioband_message *msg,
				struct ioband_error *err)
{
	char *value = find_param(word);
	int r;

	if (!value) {
		msg->ref.is_default = true;
		value = word;
	} else {
		*value++ = '\0';
		r = parse_ref(word, &msg->ref, err);
		if (r)
			return r;
	}
	return parse_weight(value, IOBAND_WEIGHT_MAX, &msg->settings.weight,
			    err);
}

static int parse_set_message(unsigned int argc, char **argv,
			     struct ioband_message *msg,
			     struct ioband_error *err)
{
	unsigned int i;
	int r;

	r = parse_ref(argv[0], &msg->ref, err);
	for (i = 1; !r && i < argc; i++)
		r = parse_setting(argv[i], &msg->settings, err);
	return r;
}

/**
 * ioband_parse_message - take a message apart
 * @argc: number of words
 * @argv: the words; they are cut up, and must outlive @msg
 * @msg: filled in
 * @err: says what was wrong on failure
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int ioband_parse_message(unsigned int argc, char **argv,
			 struct ioband_message *msg, struct ioband_error *err)
{
	static const struct {
		const char *name;
		enum ioband_verb verb;
		unsigned int min_args;
		unsigned int max_args;
	} verbs[] = {
		{ "type",	 IOBAND_MSG_TYPE,	 1, 1 },
		{ "attach",	 IOBAND_MSG_ATTACH,	 1, 1 },
		{ "detach",	 IOBAND_MSG_DETACH,	 1, 1 },
		{ "policy",	 IOBAND_MSG_POLICY,	 1, 1 },
		{ "weight",	 IOBAND_MSG_WEIGHT,	 1, 1 },
		{ "token",	 IOBAND_MSG_TOKEN,	 1, 1 },
		{ "carryover",	 IOBAND_MSG_CARRYOVER,	 1, 1 },
		{ "io_throttle", IOBAND_MSG_IO_THROTTLE, 1, 1 },
		{ "io_limit",	 IOBAND_MSG_IO_LIMIT,	 1, 1 },
		{ "range-bw",	 IOBAND_MSG_RANGE_BW,	 1, 1 },
		{ "reset",	 IOBAND_MSG_RESET,	 0, 0 },
		{ "set",	 IOBAND_MSG_SET,	 2, UINT_MAX },
		{ "stats",	 IOBAND_MSG_STATS,	 0, 0 },
		{ "show",	 IOBAND_MSG_SHOW,	 0, 0 },
	};
	static const char brief[] = "Unrecognised band message received.";
	unsigned int i;
	int r;

	memset(msg, 0, sizeof(*msg));
	if (!argc)
		return refuse(err, brief, "empty message");
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(argv[0], verbs[i].name))
			break;
	if (i == ARRAY_SIZE(verbs))
		return refuse(err, brief,
			      "message '%.40s': expected type, attach, detach, policy, weight, token, carryover, io_throttle, io_limit, reset, set, stats or show",
			      argv[0]);
	argc--;
	argv++;
	if (argc < verbs[i].min_args || argc > verbs[i].max_args)
		return refuse(err, brief, "message '%s': expected %s, not %u words",
			      verbs[i].name,
			      !verbs[i].max_args ? "nothing after it" :
			      verbs[i].max_args == 1 ? "one word after it" :
			      "a group and key=value ...", argc);

	msg->verb = verbs[i].verb;
	switch (msg->verb) {
	case IOBAND_MSG_TYPE:
		return parse_type(argv[0], &msg->type, err);
	case IOBAND_MSG_POLICY:
		return parse_policy(argv[0], &msg->policy, err);
	case IOBAND_MSG_ATTACH:
	case IOBAND_MSG_DETACH:
		r = parse_ref(argv[0], &msg->ref, err);
		if (!r && msg->ref.is_default)
			r = refuse(err, "Invalid group id",
				   "group '-1': the default group is always there");
		return r;
	case IOBAND_MSG_WEIGHT:
		return parse_weight_message(argv[0], msg, err);
	case IOBAND_MSG_TOKEN:
	case IOBAND_MSG_CARRYOVER:
		return parse_u32(verbs[i].name, argv[0], 0, S32_MAX,
				 &msg->value, brief, err);
	case IOBAND_MSG_IO_THROTTLE:
	case IOBAND_MSG_IO_LIMIT:
		return parse_u32(verbs[i].name, argv[0], 0, IOBAND_DEPTH_MAX,
				 &msg->value, brief, err);
	case IOBAND_MSG_RANGE_BW:
		return refuse(err, brief,
			      "message 'range-bw': not supported yet");
	case IOBAND_MSG_SET:
		return parse_set_message(argc, argv, msg, err);
	case IOBAND_MSG_RESET:
	case IOBAND_MSG_STATS:
	case IOBAND_MSG_SHOW:
		break;
	}
	return 0;
}
