// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse table lines of the ioband target.
 */
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "words.h"

/*
 * The weight in a parameter: a plain number, unless the policy takes that as a rate,
 * or the value of weight=. 0 if there is none.
 */
static uint32_t param_weight(const char *policy, const char *param)
{
	static const char key[] = "weight=";
	char digits[11];
	uint64_t weight;
	size_t len;

	if (parse_u64(param, UINT32_MAX, &weight))
		return strcmp(policy, "limit") ? weight : 0;

	while (strncmp(param, key, sizeof(key) - 1)) {
		param = strchr(param, ',');
		if (!param)
			return 0;
		param++;
	}
	param += sizeof(key) - 1;
	len = strcspn(param, ",");
	if (len >= sizeof(digits))
		return 0;
	memcpy(digits, param, len);
	digits[len] = '\0';
	return parse_u64(digits, UINT32_MAX, &weight) ? weight : 0;
}

static int compare_groups(const void *pa, const void *pb)
{
	const struct table_group *a = pa, *b = pb;

	if (a->is_default != b->is_default)
		return a->is_default ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* :PARAM for the default group, ID:PARAM for the others. */
static int parse_group(char *word, struct table_line *line, unsigned long nr,
		       struct parse_error *err)
{
	struct table_group *group = &line->groups[line->nr_groups];
	char *param = strchr(word, ':');

	if (!param || !param[1])
		return refuse(err, "word %lu '%.40s': expected ID:PARAMETER", nr,
			      word);
	*param++ = '\0';
	memset(group, 0, sizeof(*group));
	group->is_default = !*word;
	if (!group->is_default && !parse_u64(word, UINT64_MAX, &group->id))
		return refuse(err, "word %lu '%.40s': expected the id of a group",
			      nr, word);
	group->param = param;
	group->weight = param_weight(line->policy, param);
	line->nr_groups++;
	return 0;
}

/* Options that are unknown here belong to a newer version: ignore them. */
static int parse_options(struct words *words, struct table_line *line,
			 struct parse_error *err)
{
	const char *key, *value;
	uint64_t nr, left, number;
	int r;

	r = read_u64(words, "the number of option words", UINT64_MAX, &nr, err);
	if (r)
		return r;
	left = count_words(words->next);
	if (nr != left)
		return refuse(err, "word %lu: %llu option words announced, %llu there",
			      words->nr, (unsigned long long)nr,
			      (unsigned long long)left);

	while ((key = next_word(words))) {
		r = read_word(words, "the value of an option", &value, err);
		if (r)
			return r;
		if (!strcmp(key, "offset")) {
			if (!parse_u64(value, INT64_MAX >> 9,
				       &line->offset_sectors))
				goto bad;
		} else if (!strcmp(key, "auto")) {
			if (!parse_u64(value, UINT32_MAX, &number))
				goto bad;
			line->auto_depth = number;
		} else if (!strcmp(key, "quantum")) {
			if (!parse_u64(value, UINT32_MAX, &number))
				goto bad;
			line->quantum_ms = number;
		} else if (!strcmp(key, "as_linear")) {
			if (!parse_u64(value, 1, &number))
				goto bad;
			line->as_linear = number;
		}
	}
	return 0;
bad:
	return refuse(err, "word %lu '%.40s': expected a number for option %s",
		      words->nr, value, key);
}

static int parse_table_words(struct words *words, struct table_line *line,
			     struct parse_error *err)
{
	char *word;
	int r;

	r = read_word(words, "a device", &line->device, err);
	if (!r)
		r = read_word(words, "a share", &line->share, err);
	if (!r)
		r = read_u32(words, "io_throttle", &line->io_throttle, err);
	if (!r)
		r = read_u32(words, "io_limit", &line->io_limit, err);
	if (!r)
		r = read_word(words, "a type", &line->type, err);
	if (!r)
		r = read_word(words, "a policy", &line->policy, err);
	if (r)
		return r;

	line->groups = calloc(count_words(words->next) + 1,
			      sizeof(*line->groups));
	if (!line->groups)
		return no_memory(err);

	for (bool first = true; (word = next_word(words)); first = false) {
		uint64_t token_base;

		if (!strcmp(word, "options")) {
			r = parse_options(words, line, err);
		} else if (!first) {
			r = parse_group(word, line, words->nr, err);
		} else if (parse_u64(word, UINT32_MAX, &token_base)) {
			line->token_base = token_base;
		} else {
			r = refuse(err, "word %lu '%.40s': expected token_base, a number",
				   words->nr, word);
		}
		if (r)
			return r;
	}
	qsort(line->groups, line->nr_groups, sizeof(*line->groups),
	      compare_groups);
	return 0;
}

/**
 * table_parse - parse the parameters of a table line
 * @params: what follows the word "ioband"
 * @line: filled in; on success to be freed by table_free()
 * @err: says what was wrong on failure
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int table_parse(const char *params, struct table_line *line,
		struct parse_error *err)
{
	struct words words = { 0 };
	int r;

	memset(line, 0, sizeof(*line));
	line->text = strdup(params);
	if (!line->text)
		return no_memory(err);
	words.next = line->text;
	r = parse_table_words(&words, line, err);
	if (r)
		table_free(line);
	return r;
}

/**
 * table_free - free what table_parse() allocated
 * @line: a line, parsed with or without success, or zeroed
 */
void table_free(struct table_line *line)
{
	free(line->groups);
	free(line->text);
	memset(line, 0, sizeof(*line));
}

/**
 * table_find - look up a group
 * @line: a parsed line
 * @is_default: look for the default group
 * @id: otherwise the id to look for
 *
 * Return: the group, or %NULL.
 */
const struct table_group *table_find(const struct table_line *line,
				     bool is_default, uint64_t id)
{
	struct table_group key = {
		.is_default = is_default,
		.id = is_default ? 0 : id,
	};

	if (!line->nr_groups)
		return NULL;
	return bsearch(&key, line->groups, line->nr_groups, sizeof(key),
		       compare_groups);
}
