// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse status lines of the ioband target.
 */
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "words.h"

/* The words that follow the id of a group, in order. */
static const struct {
	const char *name;
	size_t offset;
} status_fields[] = {
#define FIELD(name) { #name, offsetof(struct status_group, name) }
	FIELD(rd_ios), FIELD(rd_merges), FIELD(rd_sectors), FIELD(rd_ms),
	FIELD(wr_ios), FIELD(wr_merges), FIELD(wr_sectors), FIELD(wr_ms),
	FIELD(held), FIELD(busy_ms), FIELD(queue_ms),
#undef FIELD
};

enum {
	NR_FIELDS = sizeof(status_fields) / sizeof(status_fields[0]),
};

static int parse_status_group(const char *id, struct words *words,
			      struct status_line *line, struct parse_error *err)
{
	struct status_group *group = &line->groups[line->nr_groups];
	int r;

	memset(group, 0, sizeof(*group));
	group->is_default = !strcmp(id, "-1");
	if (!group->is_default && !parse_u64(id, UINT64_MAX, &group->id))
		return refuse(err, "word %lu '%.40s': expected the id of a group",
			      words->nr, id);
	for (unsigned int i = 0; i < NR_FIELDS; i++) {
		char *base = (char *)group;

		r = read_u64(words, status_fields[i].name, UINT64_MAX,
			     (uint64_t *)(base + status_fields[i].offset), err);
		if (r)
			return r;
	}
	line->nr_groups++;
	return 0;
}

/**
 * status_parse - parse a status line
 * @params: what follows the word "ioband"
 * @line: filled in; on success to be freed by status_free()
 * @err: says what was wrong on failure
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int status_parse(const char *params, struct status_line *line,
		 struct parse_error *err)
{
	struct words words = { 0 };
	const char *id;
	int r;

	memset(line, 0, sizeof(*line));
	line->text = strdup(params);
	if (!line->text)
		return no_memory(err);
	words.next = line->text;

	r = read_word(&words, "a share", &line->share, err);
	if (r)
		goto bad;
	line->groups = calloc(count_words(words.next) / (NR_FIELDS + 1) + 1,
			      sizeof(*line->groups));
	if (!line->groups) {
		r = no_memory(err);
		goto bad;
	}
	while ((id = next_word(&words))) {
		r = parse_status_group(id, &words, line, err);
		if (r)
			goto bad;
	}
	return 0;
bad:
	status_free(line);
	return r;
}

/**
 * status_free - free what status_parse() allocated
 * @line: a line, parsed with or without success, or zeroed
 */
void status_free(struct status_line *line)
{
	free(line->groups);
	free(line->text);
	memset(line, 0, sizeof(*line));
}
