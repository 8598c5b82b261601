// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grammar of table lines and messages.
 *
 * The first six words of a line and the messages of version 1 are those of
 * dm-ioband 1.14, including numbers in C notation and all three delimiters.
 * Where 1.14 accepted a word that could have no effect, it is refused here.
 */
#include "args.h"

#define DELIMITERS "=:,"

enum {
	/* The bound of cgroup's io.weight, for "set"; tables keep 1.14's. */
	SET_WEIGHT_MAX	= 10000,
};

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
 * Return: the constant word used in tables and messages.
 */
const char *ioband_type_name(enum ioband_type type)
{
	return type_names[type];
}

static int parse_u32(const char *name, const char *word, u32 min, u32 max,
		     u32 *value, const char *brief, struct ioband_error *err)
{
	u64 v;

	if (ioband_parse_number(word, min, max, &v))
		return ioband_refuse(err, brief, "%s '%.40s': expected %u to %u",
				     name, word, min, max);
	*value = v;
	return 0;
}

static int parse_type(const char *word, enum ioband_type *type, struct ioband_error *err)
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
		return ioband_refuse(err, brief,
				     "type '%s': never worked in dm-ioband 1 and is gone; use cgroup",
				     word);
	return ioband_refuse(err, brief,
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
	return ioband_refuse(err, brief,
			     "policy '%.40s': expected default, weight, weight-iosize, weight-time, range-bw or limit",
			     word);
}

static int parse_weight(const char *word, struct ioband_settings *settings,
			struct ioband_error *err)
{
	settings->given |= BIT(IOBAND_KEY_WEIGHT);
	return parse_u32("weight", word, IOBAND_WEIGHT_MIN, IOBAND_WEIGHT_MAX,
			 &settings->weight, "Invalid policy parameter", err);
}

/* A group's parameter in a table line: 1.14's short form or key=value,... */
static int parse_param(char *word, const struct ioband_policy *policy,
		       struct ioband_settings *settings,
		       struct ioband_error *err)
{
	struct ioband_settings_parser parser = {
		.settings	= settings,
		.weight_max	= IOBAND_WEIGHT_MAX,
		.limit		= -1,
	};
	struct ioband_settings all;
	char *setting;
	int r = 0;

	if (*word >= '0' && *word <= '9')
		return policy->is_range ? ioband_parse_range(word, settings, err) :
		       policy->only_limits ? ioband_parse_limit(word, settings, err) :
		       parse_weight(word, settings, err);
	while (!r && (setting = strsep(&word, ",")))
		r = ioband_parse_setting(setting, &parser, err);
	if (r)
		return r;

	ioband_settings_init(&all);
	ioband_settings_merge(&all, settings);
	return ioband_settings_check(&all, policy, err);
}

static bool is_number(const char *word, const char *end)
{
	if (word == end)
		return false;
	while (word < end)
		if (*word < '0' || *word++ > '9')
			return false;
	return true;
}

/*
 * Find the delimiter between id and parameter. A path may itself contain
 * delimiters, so after a path it is the last colon, or the one before that if
 * numbers follow both and the policy takes two.
 */
static char *find_param(char *word, const struct ioband_policy *policy)
{
	char *last, *colon;

	if (*word != '/')
		return strpbrk(word, DELIMITERS);
	last = strrchr(word, ':');
	if (!last || !policy || !(policy->is_range || policy->only_limits))
		return last;
	for (colon = last - 1; colon > word && *colon != ':'; colon--)
		;
	return *colon == ':' && is_number(colon + 1, last) &&
	       is_number(last + 1, last + strlen(last)) ? colon : last;
}

/* Parse the id before a parameter, to which @word is moved; %NULL if there is no delimiter. */
static int parse_id(char **word, const struct ioband_policy *policy, struct ioband_ref *ref,
		    struct ioband_error *err)
{
	char *id = *word, *param = find_param(id, policy);

	*word = param ? param + 1 : NULL;
	if (!param)
		return 0;
	*param = '\0';
	return ioband_parse_ref(id, ref, err);
}

static int parse_group(char *word, const struct ioband_policy *policy,
		       struct ioband_group_args *group,
		       struct ioband_error *err)
{
	char *param = word;
	int r = parse_id(&param, policy, &group->ref, err);

	if (r)
		return r;
	if (!param)
		return ioband_refuse(err, "Cannot create ioband group",
				     "group '%.40s': expected id:parameter", word);
	if (group->ref.is_default)
		return ioband_refuse(err, "Cannot create ioband group",
				     "group '-1': the default group is written :parameter");
	return parse_param(param, policy, &group->settings, err);
}

static int parse_option(const char *name, const char *word, u32 *given,
			struct ioband_table *table, struct ioband_error *err)
{
	static const char brief[] = "Invalid options";
	const struct {
		const char *name;
		u32 *value;
		u32 max;
	} options[] = {
		{ "auto",	&table->auto_depth,		IOBAND_AUTO_DEPTH_MAX },
		{ "carryover",	&table->settings.carryover,	S32_MAX },
		{ "quantum",	&table->settings.quantum_ms,	IOBAND_QUANTUM_MS_MAX },
		{ "as_linear",	&table->as_linear,		1 },
		{ "offset", NULL, 0 },
	};
	unsigned int i = 0;

	while (i < ARRAY_SIZE(options) && strcmp(name, options[i].name))
		i++;
	if (i == ARRAY_SIZE(options))
		return ioband_refuse(err, brief,
				     "option '%.40s': expected offset, auto, carryover, quantum or as_linear",
				     name);
	if (*given & BIT(i))
		return ioband_refuse(err, brief, "%s: given twice", name);
	*given |= BIT(i);
	if (options[i].value)
		return parse_u32(name, word, 1, options[i].max, options[i].value, brief, err);
	if (ioband_parse_number(word, 0, S64_MAX >> 9, &table->offset_sectors))
		return ioband_refuse(err, brief,
				     "offset '%.40s': expected a number of sectors", word);
	return 0;
}

static int parse_options(unsigned int argc, char **argv,
			 struct ioband_table *table, struct ioband_error *err)
{
	static const char brief[] = "Invalid options";
	u32 nr, given = 0;
	int r;

	if (!argc)
		return ioband_refuse(err, brief,
				     "options: expected the number of words that follow");
	r = parse_u32("options", argv[0], 0, argc - 1, &nr, brief, err);
	if (r)
		return r;
	if (nr != argc - 1)
		return ioband_refuse(err, brief, "options %u: %u words follow", nr, argc - 1);

	for (argv++; nr >= 2; argv += 2, nr -= 2) {
		r = parse_option(argv[0], argv[1], &given, table, err);
		if (r)
			return r;
	}
	if (nr)
		return ioband_refuse(err, brief, "option '%.40s': has no value", argv[0]);
	if (table->auto_depth && table->type != IOBAND_TYPE_CGROUP)
		return ioband_refuse(err, brief, "option auto: needs type cgroup, not %s",
				     ioband_type_name(table->type));
	if (table->settings.quantum_ms && !table->policy->by_time)
		return ioband_refuse(err, brief,
				     "option quantum: has no effect under policy %s",
				     table->policy->name);
	return 0;
}

/* What follows the policy: [token_base [:default [id:param ...]]] */
static int parse_groups(unsigned int argc, char **argv,
			struct ioband_table *table, struct ioband_error *err)
{
	static const char brief[] = "Invalid policy parameter";
	unsigned int i;
	int r;

	table->groups = kvcalloc(max(argc, 1U), sizeof(*table->groups), GFP_KERNEL);
	if (!table->groups)
		return ioband_no_memory(err, "Cannot allocate groups");
	table->nr_groups = 1;
	table->groups[0].ref.is_default = true;

	if (argc) {
		r = parse_u32("token_base", argv[0], 0, S32_MAX,
			      &table->settings.token_base, brief, err);
		if (r)
			return r;
	}
	if (argc > 1) {
		if (!*argv[1] || !strchr(DELIMITERS, *argv[1]))
			return ioband_refuse(err, brief,
					     "'%.40s': expected :parameter of the default group first",
					     argv[1]);
		r = parse_param(argv[1] + 1, table->policy, &table->groups[0].settings, err);
		if (r)
			return r;
	}
	for (i = 2; i < argc; i++) {
		if (table->type == IOBAND_TYPE_NONE)
			return ioband_refuse(err, "Cannot create ioband group",
					     "group '%.40s': type none has the default group only",
					     argv[i]);
		r = parse_group(argv[i], table->policy,
				&table->groups[table->nr_groups++], err);
		if (r)
			return r;
	}
	return 0;
}

/**
 * ioband_parse_table - parse a table line
 * @argc: number of words after "ioband"
 * @argv: the words; modified, and must outlive @table
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
		return ioband_refuse(err, "Requires 6 or more arguments",
				     "%u words: expected at least device, share id, io_throttle, io_limit, type and policy",
				     argc);

	table->device = argv[0];
	table->share = argv[1];
	if (!*argv[1] || strlen(argv[1]) > IOBAND_SHARE_LEN)
		return ioband_refuse(err, "Ioband device name is too long",
				     "share id '%.40s': expected 1 to %d characters",
				     argv[1], IOBAND_SHARE_LEN);

	r = parse_u32("io_throttle", argv[2], 0, IOBAND_DEPTH_MAX,
		      &table->settings.io_throttle, "Invalid io_throttle", err);
	if (r)
		return r;
	r = parse_u32("io_limit", argv[3], 0, IOBAND_DEPTH_MAX,
		      &table->settings.io_limit, "Invalid io_limit", err);
	if (r)
		return r;
	if (table->settings.io_limit)
		table->settings.io_limit = max(table->settings.io_limit,
					       table->settings.io_throttle);

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
		r = parse_options(argc - nr_policy - 1, argv + nr_policy + 1, table, err);
	if (r)
		ioband_table_free(table);
	return r;
}

/**
 * ioband_table_free - release what ioband_parse_table() allocated
 * @table: a table, whether parsing it succeeded or failed
 */
void ioband_table_free(struct ioband_table *table)
{
	kvfree(table->groups);
	table->groups = NULL;
}

/* VAL or ID:VAL; without an id, VAL is for the default group. */
static int parse_weight_message(char *word, struct ioband_message *msg,
				struct ioband_error *err)
{
	char *value = word;
	int r = parse_id(&value, NULL, &msg->ref, err);

	if (r)
		return r;
	msg->ref.is_default |= !value;
	return parse_weight(value ?: word, &msg->settings, err);
}

/* ID:MIN:MAX, the default group written -1. */
static int parse_range_message(char *word, struct ioband_message *msg,
			       struct ioband_error *err)
{
	char *value = word;
	int r = parse_id(&value, ioband_policy_find("range-bw"), &msg->ref, err);

	if (r)
		return r;
	if (!value)
		return ioband_refuse(err, "Invalid policy parameter",
				     "range '%.40s': expected id:MIN:MAX", word);
	return ioband_parse_range(value, &msg->settings, err);
}

static int parse_set_message(unsigned int argc, char **argv,
			     struct ioband_message *msg,
			     struct ioband_error *err)
{
	struct ioband_settings_parser parser = {
		.settings	= &msg->settings,
		.weight_max	= SET_WEIGHT_MAX,
		.limit		= -1,
	};
	unsigned int i;
	int r;

	r = ioband_parse_ref(argv[0], &msg->ref, err);
	for (i = 1; !r && i < argc; i++)
		r = ioband_parse_setting(argv[i], &parser, err);
	return r;
}

/**
 * ioband_parse_message - parse a message
 * @argc: number of words
 * @argv: the words; modified, and must outlive @msg
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
		u32 max_value;
	} verbs[] = {
		{ "type",	 IOBAND_MSG_TYPE,	 1, 1, 0 },
		{ "attach",	 IOBAND_MSG_ATTACH,	 1, 1, 0 },
		{ "detach",	 IOBAND_MSG_DETACH,	 1, 1, 0 },
		{ "policy",	 IOBAND_MSG_POLICY,	 1, 1, 0 },
		{ "weight",	 IOBAND_MSG_WEIGHT,	 1, 1, 0 },
		{ "token",	 IOBAND_MSG_TOKEN,	 1, 1, S32_MAX },
		{ "carryover",	 IOBAND_MSG_CARRYOVER,	 1, 1, S32_MAX },
		{ "quantum",	 IOBAND_MSG_QUANTUM,	 1, 1, IOBAND_QUANTUM_MS_MAX },
		{ "io_throttle", IOBAND_MSG_IO_THROTTLE, 1, 1, IOBAND_DEPTH_MAX },
		{ "io_limit",	 IOBAND_MSG_IO_LIMIT,	 1, 1, IOBAND_DEPTH_MAX },
		{ "range-bw",	 IOBAND_MSG_RANGE_BW,	 1, 1, 0 },
		{ "reset",	 IOBAND_MSG_RESET,	 0, 0, 0 },
		{ "set",	 IOBAND_MSG_SET,	 2, UINT_MAX, 0 },
		{ "stats",	 IOBAND_MSG_STATS,	 0, 0, 0 },
		{ "show",	 IOBAND_MSG_SHOW,	 0, 0, 0 },
		{ "table",	 IOBAND_MSG_TABLE,	 0, 0, 0 },
	};
	static const char brief[] = "Unrecognised band message received.";
	unsigned int i;
	int r;

	memset(msg, 0, sizeof(*msg));
	if (!argc)
		return ioband_refuse(err, brief, "empty message");
	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(argv[0], verbs[i].name))
			break;
	if (i == ARRAY_SIZE(verbs))
		return ioband_refuse(err, brief,
				     "message '%.40s': expected type, attach, detach, policy, weight, token, carryover, quantum, io_throttle, io_limit, range-bw, reset, set, stats, show or table",
				     argv[0]);
	argc--;
	argv++;
	if (argc < verbs[i].min_args || argc > verbs[i].max_args)
		return ioband_refuse(err, brief, "message '%s': expected %s, not %u words",
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
		r = ioband_parse_ref(argv[0], &msg->ref, err);
		if (!r && msg->ref.is_default)
			r = ioband_refuse(err, "Invalid group id",
					  "group '-1': the default group is always there");
		return r;
	case IOBAND_MSG_WEIGHT:
		return parse_weight_message(argv[0], msg, err);
	case IOBAND_MSG_RANGE_BW:
		return parse_range_message(argv[0], msg, err);
	case IOBAND_MSG_SET:
		return parse_set_message(argc, argv, msg, err);
	default:
		return !verbs[i].max_value ? 0 :
		       parse_u32(verbs[i].name, argv[0], 0, verbs[i].max_value, &msg->value,
				 brief, err);
	}
}
