// SPDX-License-Identifier: GPL-2.0-only
/*
 * The smallest scenario that is wrong in the same way.
 *
 * A scenario is lines, and lines make sections. Whatever can be left out is: groups with
 * their jobs, jobs, changes of the disk, single keys; what remains is made shorter and
 * rounder. Each step is kept if the judge still finds a fault of the same kind, and all
 * of it is repeated until nothing more can go.
 */
#include <ctype.h>

#include "proving.h"
#include "lib/util.h"

enum {
	LINES_MAX = 2000,
};

/**
 * struct draft - a scenario as lines
 * @lines: the lines, each to be freed; %NULL for one left out
 * @nr: number of lines
 */
struct draft {
	char *lines[LINES_MAX];
	int nr;
	int how;
	enum fault_kind kind;
};

static char *text_of(const struct draft *draft)
{
	char *text;
	size_t size;
	FILE *out = xmemstream(&text, &size);

	for (int i = 0; i < draft->nr; i++)
		if (draft->lines[i])
			fprintf(out, "%s\n", draft->lines[i]);
	xmemclose(out);
	return text;
}

static bool is_wrong(const struct draft *draft)
{
	char *text = text_of(draft), why[400];
	struct verdict verdict;
	bool found = false;

	if (!judge_text(text, draft->how, &verdict, why, sizeof(why)))
		for (int i = 0; i < verdict.nr; i++)
			found |= verdict.faults[i].kind == draft->kind;
	free(text);
	return found;
}

static bool is_key(const char *line, const char *key)
{
	return !strncmp(line, key, strlen(key));
}

static bool is_section(const char *line)
{
	return line && *line == '[';
}

static bool is_job(const char *line)
{
	return line && !strcmp(line, "[job]");
}

/* Where the section at @at ends; a group's jobs belong to it. */
static int end_of(const struct draft *draft, int at)
{
	bool is_group = !strncmp(draft->lines[at], "[group ", 7);
	int i = at + 1;

	while (i < draft->nr && (!is_section(draft->lines[i]) ||
				 (is_group && is_job(draft->lines[i]))))
		i++;
	return i;
}

/* Leave out lines, if it is still wrong without them. */
static bool try_without(struct draft *draft, int from, int to)
{
	char *had[LINES_MAX];
	bool any = false;

	memcpy(had, draft->lines, sizeof(had));
	for (int i = from; i < to; i++) {
		any |= draft->lines[i] != NULL;
		draft->lines[i] = NULL;
	}
	if (any && is_wrong(draft)) {
		for (int i = from; i < to; i++)
			free(had[i]);
		return true;
	}
	memcpy(draft->lines, had, sizeof(had));
	return false;
}

/* Put another number into a line, if it is still wrong with it. */
static bool try_number(struct draft *draft, int at, unsigned long long value)
{
	char *had = draft->lines[at], *digits = strchr(had, '=') + 2;
	char *unit = digits + strspn(digits, "0123456789");

	draft->lines[at] = xasprintf("%.*s%llu%s", (int)(digits - had), had, value, unit);
	if (strcmp(draft->lines[at], had) && is_wrong(draft)) {
		free(had);
		return true;
	}
	free(draft->lines[at]);
	draft->lines[at] = had;
	return false;
}

/*
 * One significant digit, halves, a tenth, powers of ten. But a disk must not get faster
 * without bound, that would take ever longer to simulate.
 */
static bool simplify(struct draft *draft, int at)
{
	char *equals = strchr(draft->lines[at], '=');
	unsigned long long value, ten = 1;
	bool better = false;

	if (!equals || !isdigit(equals[2]))
		return false;
	value = strtoull(equals + 2, NULL, 10);
	while (ten <= value / 10)
		ten *= 10;
	if (is_key(draft->lines[at], "service_ns"))
		return value % ten && try_number(draft, at, (value / ten + 1) * ten);
	if (is_key(draft->lines[at], "cap_"))
		return value % ten && try_number(draft, at, value / ten * ten);
	if (value != ten && try_number(draft, at, ten))
		return true;
	if (value % ten && try_number(draft, at, value / ten * ten))
		better = true;
	if (ten > 1 && try_number(draft, at, ten / 10))
		return true;
	if (!better && value > 1 && value != ten && try_number(draft, at, value / 2))
		better = true;
	return better;
}

/*
 * What is counted, not what comes before: with less time to learn the disk it might be
 * wrong for another reason.
 */
static bool shorten(struct draft *draft)
{
	bool better = false;

	for (int i = 0; i < draft->nr; i++) {
		unsigned long long ms;

		while (draft->lines[i] &&
		       sscanf(draft->lines[i], "time = %llums", &ms) == 1 &&
		       ms > 500 && try_number(draft, i, ms / 2))
			better = true;
	}
	return better;
}

/* Children of a group left out are those of nobody. */
static bool drop_sections(struct draft *draft)
{
	bool better = false;

	for (int i = 0; i < draft->nr; i++) {
		if (!is_section(draft->lines[i]))
			continue;
		if (try_without(draft, i, end_of(draft, i)))
			better = true;
	}
	return better;
}

static bool drop_keys(struct draft *draft)
{
	bool better = false;

	for (int i = 0; i < draft->nr; i++)
		if (draft->lines[i] && !is_section(draft->lines[i]) &&
		    !is_key(draft->lines[i], "settle") &&
		    !is_key(draft->lines[i], "time") &&
		    try_without(draft, i, i + 1))
			better = true;
	return better;
}

static bool round_numbers(struct draft *draft)
{
	bool better = false;

	for (int i = 0; i < draft->nr; i++)
		while (draft->lines[i] && !is_key(draft->lines[i], "settle") &&
		       !is_key(draft->lines[i], "time") && simplify(draft, i))
			better = true;
	return better;
}

/**
 * shrink - find a smaller scenario that is wrong in the same way
 * @text: one that is
 * @how: as it was judged
 * @kind: in which way
 *
 * Return: its text, to be freed.
 */
char *shrink(const char *text, int how, enum fault_kind kind)
{
	struct draft draft = { .how = how, .kind = kind };
	char *copy = xstrdup(text), *line, *rest = copy;
	bool better = true;

	while ((line = strsep(&rest, "\n")) && draft.nr < LINES_MAX)
		if (*line && *line != '#')
			draft.lines[draft.nr++] = xstrdup(line);
	free(copy);
	while (better) {
		better = shorten(&draft);
		better |= drop_sections(&draft);
		better |= drop_keys(&draft);
		better |= round_numbers(&draft);
	}
	copy = text_of(&draft);
	for (int i = 0; i < draft.nr; i++)
		free(draft.lines[i]);
	return copy;
}
