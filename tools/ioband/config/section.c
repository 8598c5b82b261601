// SPDX-License-Identifier: GPL-2.0-only
/*
 * Configuration files as somebody has written them: sections, and comments.
 */
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "lib/util.h"
#include "store.h"

/**
 * struct line - a line of a file
 * @next: the one behind it
 * @len: with its newline, if there is one
 * @blank: blanks that it begins with
 */
struct line {
	const char *text;
	const char *next;
	size_t len;
	size_t blank;
};

/* Return: whether there is one. */
static bool get_line(struct line *line, const char *text)
{
	line->text = text;
	line->len = strcspn(text, "\n");
	line->len += text[line->len] == '\n';
	line->next = text + line->len;
	line->blank = strspn(text, " \t\r");
	return *text;
}

static bool is_comment(const struct line *line)
{
	return line->text[line->blank] == '#' || line->text[line->blank] == ';';
}

static bool is_head(const struct line *line)
{
	return line->text[line->blank] == '[';
}

/* The group whose section a line begins, "" of [volume]; to be freed. */
static char *section_of(const struct line *line)
{
	char *text = xasprintf("%.*s", (int)line->len, line->text), *name;
	struct parse_error err;
	struct config cfg;

	text[strcspn(text, "\n")] = '\0';
	config_init(&cfg, "");
	name = xstrdup(!conf_parse(&cfg, text, &err) && cfg.nr_groups ?
		       cfg.groups[0].name : "");
	config_free(&cfg);
	free(text);
	return name;
}

/**
 * conf_drop_section - take the section of a group out of a file
 * @text: contents of the file, which conf_parse() accepts
 * @group: the name in the head of the section
 *
 * All else stays as it is written. Comments right above the head of a section belong to
 * it.
 *
 * Return: the other contents, to be freed.
 */
char *conf_drop_section(const char *text, const char *group)
{
	char *kept = xcalloc(strlen(text) + 1, 1), *to = kept;
	const char *above = NULL;
	bool drop = false;
	struct line line;

	for (; get_line(&line, text); text = line.next) {
		const char *begin = text;

		if (is_comment(&line)) {
			above = above ? above : text;
			continue;
		}
		if (is_head(&line)) {
			char *name = section_of(&line);

			drop = !strcmp(name, group);
			free(name);
		}
		if (above && (is_head(&line) || !drop))
			begin = above;
		above = NULL;
		if (!drop)
			to = mempcpy(to, begin, line.next - begin);
	}
	if (above && !drop)
		to = mempcpy(to, above, text - above);
	while (to > kept + 1 && to[-1] == '\n' && to[-2] == '\n')
		to--;
	*to = '\0';
	return kept;
}

/* The comments right above and in the sections of a group, but our own; to be freed. */
static char *comments_of(const char *text, const char *group)
{
	char *found = xcalloc(strlen(text) + 2, 1), *to = found;
	char *section = xstrdup("");
	const char *above = NULL;
	struct line line;

	for (;; text = line.next) {
		bool is_line = get_line(&line, text);

		if (is_line && !strncmp(text, STORE_HEAD, strlen(STORE_HEAD)))
			continue;
		if (is_line && is_comment(&line)) {
			above = above ? above : text;
			continue;
		}
		if (is_line && is_head(&line)) {
			free(section);
			section = section_of(&line);
		}
		if (above && !strcmp(section, group)) {
			to = mempcpy(to, above, text - above);
			if (to[-1] != '\n')
				*to++ = '\n';
		}
		above = NULL;
		if (!is_line)
			break;
	}
	free(section);
	return found;
}

/**
 * conf_keep_comments - add the comments of a file to what is to replace it
 * @old: contents of the file
 * @text: what conf_print() would make of it
 *
 * Those of a section come to stand above its head; those of groups that are not in @text
 * go with them.
 *
 * Return: the contents, to be freed.
 */
char *conf_keep_comments(const char *old, const char *text)
{
	char *all = NULL;
	struct line line;
	size_t size;
	FILE *to = xmemstream(&all, &size);

	for (; get_line(&line, text); text = line.next) {
		if (is_head(&line)) {
			char *section = section_of(&line);
			char *comments = comments_of(old, section);

			fputs(comments, to);
			free(comments);
			free(section);
		}
		fwrite(line.text, 1, line.len, to);
	}
	xmemclose(to);
	return all;
}
