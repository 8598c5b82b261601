// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dm-fake-table.h"
#include "lib/util.h"

void table_split(struct table *t, const char *words)
{
	char *save = NULL;

	t->text = xstrdup(words);
	t->nr = 0;
	for (char *word = strtok_r(t->text, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		if (t->nr == MAX_WORDS)
			abort();
		t->word[t->nr++] = xstrdup(word);
	}
}

/* Return the line as it is now, and free @t. */
char *table_join(struct table *t, const char *name)
{
	char *text = xasprintf("table %s", name);

	for (size_t i = 0; i < t->nr; i++) {
		char *more = xasprintf("%s %s", text, t->word[i]);

		free(text);
		free(t->word[i]);
		text = more;
	}
	free(t->text);
	return text;
}

void table_set_word(struct table *t, size_t i, const char *text)
{
	free(t->word[i]);
	t->word[i] = xstrdup(text);
}

/* Index of the word of a group, 0 if there is none. */
static size_t find_group(const struct table *t, const char *ref)
{
	char *begin = xasprintf("%s:", strcmp(ref, "-1") ? ref : "");
	size_t found = 0;

	for (size_t i = WORD_GROUPS; i < t->nr; i++) {
		if (!strcmp(t->word[i], "options"))
			break;
		if (!strncmp(t->word[i], begin, strlen(begin)))
			found = i;
	}
	free(begin);
	return found;
}

/* How the kernel prints a group without settings. */
static const char *no_setting(const char *policy)
{
	return !strcmp(policy, "range-bw") ? "0:0" :
	       !strcmp(policy, "limit") ? "0" : "100";
}

static void add_group(struct table *t, const char *ref)
{
	size_t i = WORD_GROUPS;

	while (i < t->nr && strcmp(t->word[i], "options"))
		i++;
	memmove(&t->word[i + 1], &t->word[i], (t->nr - i) * sizeof(*t->word));
	t->word[i] = xasprintf("%s:%s", ref, no_setting(t->word[WORD_POLICY]));
	t->nr++;
}

static void drop_word(struct table *t, size_t i)
{
	free(t->word[i]);
	t->nr--;
	memmove(&t->word[i], &t->word[i + 1], (t->nr - i) * sizeof(*t->word));
}

/* Replace or add @setting; burst= and peak= belong to the limit before them. */
static void put_setting(struct table *t, size_t i, char *setting)
{
	size_t len = strcspn(setting, "=");
	char *param = strchr(t->word[i], ':') + 1;
	char *rest = xstrdup(""), *save = NULL, *copy, *more;
	bool dropping = false;

	if (!strcmp(param, "0:0") || !strcmp(param, "0"))
		copy = xstrdup("");
	else if (*param >= '0' && *param <= '9')
		copy = xasprintf("weight=%s", param);
	else
		copy = xstrdup(param);
	for (char *s = strtok_r(copy, ",", &save); s;
	     s = strtok_r(NULL, ",", &save)) {
		bool addition = !strncmp(s, "burst=", 6) ||
				!strncmp(s, "peak=", 5);

		if (!addition)
			dropping = !strncmp(s, setting, len + 1) ||
				   (!strncmp(s, "min", 3) &&
				    !strncmp(setting, "min", 3));
		if (dropping)
			continue;
		more = xasprintf("%s%s%s", rest, *rest ? "," : "", s);
		free(rest);
		rest = more;
	}
	if (strcmp(setting + len, "=max") && strcmp(setting + len, "=0") &&
	    strcmp(setting, "parent=-1") && strcmp(setting, "force=1")) {
		more = xasprintf("%s%s%s", rest, *rest ? "," : "", setting);
		free(rest);
		rest = more;
	}
	/* A weight alone is a number. */
	more = xasprintf("%.*s%s", (int)(param - t->word[i]), t->word[i],
			 !strncmp(rest, "weight=", 7) && !strchr(rest, ',') ?
			 rest + 7 : *rest ? rest :
			 no_setting(t->word[WORD_POLICY]));
	table_set_word(t, i, more);
	free(more);
	free(rest);
	free(copy);
}

static bool has_auto(const struct table *t)
{
	for (size_t i = WORD_GROUPS; i < t->nr; i++)
		if (!strcmp(t->word[i], "auto"))
			return true;
	return false;
}

/* -ENXIO: there is no such group. */
int table_change_group(struct table *t, const char *verb, char *args)
{
	char *save = NULL, *ref = strtok_r(args, " ", &save), *setting;
	size_t i = ref ? find_group(t, ref) : 0;
	char last[200] = "";

	if (!strcmp(verb, "attach")) {
		if (i)
			return -EEXIST;
		add_group(t, ref);
		return 0;
	}
	/* With auto the kernel has attached the group by now. */
	if (!i && !strcmp(verb, "set") && has_auto(t)) {
		add_group(t, ref);
		i = find_group(t, ref);
	}
	if (!i)
		return -ENXIO;
	if (!strcmp(verb, "weight")) {
		setting = xasprintf("weight=%s", strtok_r(NULL, " ", &save));
		put_setting(t, i, setting);
		free(setting);
		return 0;
	}
	if (!strcmp(verb, "detach")) {
		drop_word(t, i);
		return 0;
	}
	while ((setting = strtok_r(NULL, " ", &save))) {
		if (!strncmp(setting, "burst=", 6) ||
		    !strncmp(setting, "peak=", 5)) {
			size_t len = strlen(last);

			snprintf(last + len, sizeof(last) - len, ",%s",
				 setting);
			continue;
		}
		if (*last)
			put_setting(t, i, last);
		snprintf(last, sizeof(last), "%s", setting);
	}
	if (*last)
		put_setting(t, i, last);
	return 0;
}

static void add_word(struct table *t, const char *text)
{
	t->word[t->nr++] = xstrdup(text);
}

/* The option is there, or has its default, 0. */
static int set_quantum(struct table *t, const char *value)
{
	size_t options = 0;

	for (size_t i = WORD_GROUPS; i + 1 < t->nr; i++) {
		if (!strcmp(t->word[i], "options"))
			options = i;
		if (strcmp(t->word[i], "quantum"))
			continue;
		table_set_word(t, i + 1, value);
		return 0;
	}
	if (!strcmp(value, "0"))
		return 0;
	if (options) {
		char *nr = xasprintf("%d", atoi(t->word[options + 1]) + 2);

		table_set_word(t, options + 1, nr);
		free(nr);
	} else {
		add_word(t, "options");
		add_word(t, "2");
	}
	add_word(t, "quantum");
	add_word(t, value);
	return 0;
}

/* Another policy resets all settings of groups except their parents. */
static void change_policy(struct table *t, const char *policy)
{
	if (!strcmp(t->word[WORD_POLICY], policy))
		return;
	table_set_word(t, WORD_POLICY, policy);
	set_quantum(t, "0");
	for (size_t i = WORD_GROUPS; i < t->nr; i++) {
		char *colon = strchr(t->word[i], ':'), *parent;

		if (!strcmp(t->word[i], "options"))
			break;
		parent = strstr(colon, "parent=");
		parent = parent ? strndup(parent, strcspn(parent, ",")) : NULL;
		*colon = '\0';
		colon = xasprintf("%s:%s", t->word[i], no_setting(policy));
		table_set_word(t, i, colon);
		if (parent)
			put_setting(t, i, parent);
		free(colon);
		free(parent);
	}
}

int table_change_share(struct table *t, const char *verb, char *args)
{
	if (!strcmp(verb, "io_throttle")) {
		table_set_word(t, WORD_THROTTLE, args);
	} else if (!strcmp(verb, "io_limit")) {
		table_set_word(t, WORD_LIMIT, args);
	} else if (!strcmp(verb, "policy")) {
		change_policy(t, args);
	} else if (!strcmp(verb, "quantum")) {
		return strcmp(t->word[WORD_POLICY], "weight-time") ?
			-EINVAL : set_quantum(t, args);
	} else {
		return -EINVAL;
	}
	return 0;
}
