// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sections [group NAME] of a scenario: settings with the keys of "ioband set".
 */
#include "lib/words.h"
#include "scenario.h"

enum {
	/* With room for a digit. */
	NAME_LEN = GROUP_NAME_LEN + 1,
};

/**
 * scenario_group - find a section [group NAME]
 * @sc: the scenario
 * @name: its name
 *
 * Return: its index, or %SCENARIO_NONE.
 */
int scenario_group(const struct scenario *sc, const char *name)
{
	for (size_t i = 0; i < sc->nr_groups; i++)
		if (!strcmp(sc->groups[i].name, name))
			return i;
	return SCENARIO_NONE;
}

static int take_parent(const struct scenario *sc, struct scenario_group *group,
		       const char *name, struct parse_error *err)
{
	int parent;

	if (group->is_placed)
		return refuse(err, "parent: given twice");
	group->is_placed = true;
	/* The default group is no parent: this is how to say "none". */
	if (!strcmp(name, "default") || !strcmp(name, "-1"))
		return 0;
	parent = scenario_group(sc, name);
	if (parent == SCENARIO_NONE || &sc->groups[parent] == group)
		return refuse(err, "parent '%.40s': expected the name of a group above in this file",
			      name);
	group->parent = parent;
	group->level = sc->groups[parent].level + 1;
	if (group->level >= SCENARIO_LEVELS_MAX)
		return refuse(err, "parent '%.40s': expected no more than %d levels",
			      name, SCENARIO_LEVELS_MAX);
	return 0;
}

/*
 * Whether the groups of @counted, NAME1 to NAMEcount, include the name of @other, or
 * of its first group if it has a count as well.
 */
static bool is_numbered_as(const struct scenario_group *counted,
			   const struct scenario_group *other,
			   char name[NAME_LEN])
{
	size_t len = strlen(counted->name);
	u64 n;

	if (strncmp(other->name, counted->name, len))
		return false;
	snprintf(name, NAME_LEN, "%s%s", other->name,
		 other->is_counted ? "1" : "");
	return name[len] != '0' && parse_u64(name + len, counted->count, &n);
}

/**
 * scenario_group_check_names - check that group names are unique
 * @sc: the scenario, with all sections
 * @group: a section with a count
 * @at: on failure, the section whose name collides
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int scenario_group_check_names(const struct scenario *sc,
			       const struct scenario_group *group,
			       const struct scenario_group **at,
			       struct parse_error *err)
{
	char name[NAME_LEN];

	for (size_t i = 0; i < sc->nr_groups; i++) {
		*at = &sc->groups[i];
		if (*at != group && is_numbered_as(group, *at, name))
			return refuse(err, "[group %.40s]: expected another name, count of [group %.40s] makes a group '%.40s' too",
				      (*at)->name, group->name, name);
	}
	return 0;
}

/* Pass the settings on to the parser of the kernel, which decides. */
static int take_kernel(struct scenario_group *group, const struct settings *set,
		       struct parse_error *err)
{
	struct ioband_settings_parser parser = {
		.settings = &group->settings,
		.weight_max = SETTING_WEIGHT_MAX,
		.limit = -1,
	};
	char value[SETTING_LEN], word[SETTING_LEN + 16], *part;
	struct ioband_error why;

	for (int key = 0; key < NR_SETTINGS; key++) {
		struct words words = { .next = value };
		bool first = true;

		if (!set->v[key].given)
			continue;
		setting_value(value, set, key, false);
		while ((part = next_word(&words))) {
			snprintf(word, sizeof(word), "%s%s%s",
				 first ? setting_name(key) : "",
				 first ? "=" : "", part);
			first = false;
			if (ioband_parse_setting(word, &parser, &why))
				return refuse(err, "%s", why.text);
		}
	}
	return 0;
}

/**
 * scenario_group_take - parse one key
 * @sc: the scenario, with all sections up to this one
 * @group: the section
 * @key: such as "min"
 * @value: such as "5MB"; modified
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int scenario_group_take(const struct scenario *sc, struct scenario_group *group,
			const char *key, char *value, struct parse_error *err)
{
	struct settings set = { 0 };

	if (!strcmp(group->name, "default") &&
	    (!strcmp(key, "count") || !strcmp(key, "parent")))
		return refuse(err, "%s: expected of other groups, the default group is one and below none",
			      key);
	if (!strcmp(key, "count")) {
		if (group->is_counted)
			return refuse(err, "count: given twice");
		group->is_counted = true;
		if (!parse_u64(value, SCENARIO_GROUPS_MAX, &group->count) ||
		    !group->count)
			return refuse(err, "count '%.40s': expected 1 to %d",
				      value, SCENARIO_GROUPS_MAX);
		return 0;
	}
	if (!strcmp(key, "parent"))
		return take_parent(sc, group, value, err);
	if (!strcmp(key, "force"))
		return refuse(err, "force: has no effect here, whether minimums can be met is what is found out");
	if (conf_take_setting(&set, key, value, SETTING_WEIGHT_MAX, err))
		return -EINVAL;
	return take_kernel(group, &set, err);
}
