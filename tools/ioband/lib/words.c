// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse lines from the kernel word by word.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "words.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

char *next_word(struct words *words)
{
	char *word = words->next;
	char *end;

	while (is_blank(*word))
		word++;
	if (!*word)
		return NULL;
	for (end = word; *end && !is_blank(*end); end++)
		;
	words->next = *end ? end + 1 : end;
	*end = '\0';
	words->nr++;
	return word;
}

/**
 * unescape - undo the kernel's escapes in a path, such as \040 for a blank
 * @s: the path, changed in place
 */
void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' &&
		    s[2] >= '0' && s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*to++ = (s[1] - '0') << 6 | (s[2] - '0') << 3 |
				(s[3] - '0');
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

unsigned long count_words(const char *text)
{
	unsigned long nr = 0;
	bool inside = false;

	for (; *text; text++) {
		if (!inside && !is_blank(*text))
			nr++;
		inside = !is_blank(*text);
	}
	return nr;
}

int refuse(struct parse_error *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -EINVAL;
}

int no_memory(struct parse_error *err)
{
	refuse(err, "out of memory");
	return -ENOMEM;
}

/* Only decimal digits: the kernel writes neither sign nor base. */
bool parse_u64(const char *word, uint64_t max, uint64_t *value)
{
	uint64_t v = 0;

	if (!*word)
		return false;
	for (; *word; word++) {
		unsigned int digit = *word - '0';

		if (*word < '0' || *word > '9')
			return false;
		if (v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	if (v > max)
		return false;
	*value = v;
	return true;
}

int read_word(struct words *words, const char *name, const char **value,
	      struct parse_error *err)
{
	*value = next_word(words);
	if (!*value)
		return refuse(err, "ends after word %lu: expected %s", words->nr,
			      name);
	return 0;
}

int read_u64(struct words *words, const char *name, uint64_t max,
	     uint64_t *value, struct parse_error *err)
{
	const char *word;
	int r = read_word(words, name, &word, err);

	if (r)
		return r;
	if (!parse_u64(word, max, value))
		return refuse(err, "word %lu '%.40s': expected %s, a number",
			      words->nr, word, name);
	return 0;
}

int read_u32(struct words *words, const char *name, uint32_t *value,
	     struct parse_error *err)
{
	uint64_t v = 0;
	int r = read_u64(words, name, UINT32_MAX, &v, err);

	*value = v;
	return r;
}
