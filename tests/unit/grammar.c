// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is accepted is printed back in one canonical form and compared as text; what
 * is refused must say why.
 */
#include "grammar.h"

/* Each word has an allocation of its own, so that ASan sees its ends. */
struct words {
	unsigned int argc;
	char *argv[WORDS_MAX];
};

/* Two spaces in a row make an empty word, and so does a quoted nothing. */
static void split(struct words *words, const char *line)
{
	words->argc = 0;
	while (*line) {
		size_t len = strcspn(line, " ");

		assert_true(words->argc < WORDS_MAX);
		words->argv[words->argc++] =
			strncmp(line, "''", len) || len != 2 ?
			strndup(line, len) : strdup("");
		line += len + (line[len] == ' ');
	}
}

static void free_words(struct words *words)
{
	while (words->argc)
		free(words->argv[--words->argc]);
}

static char *show_ref(char *at, const struct ioband_ref *ref)
{
	/* Only one way of naming a group at a time. */
	assert_true(!ref->path + !ref->id + !ref->is_default >= 2);
	if (ref->is_default)
		return at + sprintf(at, "-1");
	if (ref->path)
		return at + sprintf(at, "%s", ref->path);
	return at + sprintf(at, "%llu", (unsigned long long)ref->id);
}

/* The weight, 0 if it was not given, and what else was. */
static char *show_settings(char *at, const struct ioband_settings *settings)
{
	static const char * const classes[] = { "rt", "be", "idle" };
	unsigned int id;

	assert_int_equal(!!settings->weight,
			 !!(settings->given & BIT(IOBAND_KEY_WEIGHT)));
	at += sprintf(at, "%u", settings->weight);
	if (settings->given & BIT(IOBAND_KEY_CLASS))
		at += sprintf(at, ",class=%s", classes[settings->class]);
	if (settings->given & BIT(IOBAND_KEY_MIN))
		at += sprintf(at, ",%s=%llu",
			      settings->min_is_ios ? "miniops" : "min",
			      (unsigned long long)settings->min_rate);
	if (settings->given & BIT(IOBAND_KEY_LATENCY))
		at += sprintf(at, ",latency=%u", settings->latency_us);
	if (settings->given & BIT(IOBAND_KEY_PARENT)) {
		at += sprintf(at, ",parent=");
		at = show_ref(at, &settings->parent);
	}
	if (settings->given & BIT(IOBAND_KEY_FORCE))
		at += sprintf(at, ",force");
	for (id = 0; id < IOBAND_LIMITS; id++) {
		const struct ioband_rate *limit = &settings->limits[id];

		if (!(settings->given & BIT(IOBAND_KEY_LIMITS + id))) {
			assert_false(limit->rate || limit->burst || limit->peak);
			continue;
		}
		at += sprintf(at, ",%s=%llu+%llu/%llu", ioband_limit_names[id],
			      (unsigned long long)limit->rate,
			      (unsigned long long)limit->burst,
			      (unsigned long long)limit->peak);
	}
	return at;
}

static char *show_table(char *at, const struct ioband_table *table)
{
	unsigned int i;

	at += sprintf(at, "%s %s %u %u %s %s %u +%llu auto%u", table->device,
		      table->share, table->settings.io_throttle, table->settings.io_limit,
		      ioband_type_name(table->type), table->policy->name,
		      table->settings.token_base,
		      (unsigned long long)table->offset_sectors,
		      table->auto_depth);
	if (table->settings.quantum_ms)
		at += sprintf(at, " quantum%u", table->settings.quantum_ms);
	if (table->as_linear)
		at += sprintf(at, " as_linear");
	for (i = 0; i < table->nr_groups; i++) {
		*at++ = ' ';
		at = show_ref(at, &table->groups[i].ref);
		*at++ = ':';
		at = show_settings(at, &table->groups[i].settings);
	}
	return at;
}

static char *show_message(char *at, const struct ioband_message *msg)
{
	at += sprintf(at, "%d", msg->verb);
	if (msg->ref.is_default || msg->ref.path || msg->ref.id ||
	    msg->verb == IOBAND_MSG_ATTACH) {
		at += sprintf(at, " group=");
		at = show_ref(at, &msg->ref);
	}
	if (msg->type)
		at += sprintf(at, " type=%s", ioband_type_name(msg->type));
	if (msg->policy)
		at += sprintf(at, " policy=%s", msg->policy->name);
	if (msg->value)
		at += sprintf(at, " value=%u", msg->value);
	if (msg->settings.given) {
		at += sprintf(at, " weight=");
		at = show_settings(at, &msg->settings);
	}
	return at;
}

int parse(bool is_table, const char *line, char *printed,
	  struct ioband_error *err)
{
	struct ioband_message msg;
	struct ioband_table table;
	struct words words;
	int r;

	/* Neither result nor error may depend on what was there before. */
	memset(&table, 0xa5, sizeof(table));
	memset(&msg, 0xa5, sizeof(msg));
	memset(err, 0xa5, sizeof(*err));
	*printed = '\0';

	split(&words, line);
	if (is_table) {
		r = ioband_parse_table(words.argc, words.argv, &table, err);
		if (!r)
			show_table(printed, &table);
		else
			assert_null(table.groups);
		ioband_table_free(&table);
		ioband_table_free(&table);
	} else {
		r = ioband_parse_message(words.argc, words.argv, &msg, err);
		if (!r)
			show_message(printed, &msg);
	}
	free_words(&words);
	return r;
}

void accept(bool is_table, const char *line, const char *expected)
{
	struct ioband_error err;
	char printed[8192];

	if (parse(is_table, line, printed, &err))
		fail_msg("'%s' refused: %s: %s", line, err.brief, err.text);
	if (strcmp(printed, expected))
		fail_msg("'%s' gives '%s', not '%s'", line, printed, expected);
}

/* @word is what is wrong, @hint what the text says should be there. */
void refuse(bool is_table, const char *line, const char *brief,
	    const char *word, const char *hint)
{
	struct ioband_error err;
	char printed[8192];
	int r = parse(is_table, line, printed, &err);

	if (!r)
		fail_msg("'%s' accepted: %s", line, printed);
	assert_int_equal(r, -EINVAL);
	assert_non_null(memchr(err.text, '\0', sizeof(err.text)));
	if (strcmp(err.brief, brief))
		fail_msg("'%s': brief is '%s'", line, err.brief);
	if (!strstr(err.text, word) || !strstr(err.text, hint))
		fail_msg("'%s': text is '%s', without '%s' or '%s'", line,
			 err.text, word, hint);
	/* A text that was cut is a text that does not say it. */
	if (strlen(err.text) >= sizeof(err.text) - 1)
		fail_msg("'%s': text is too long: '%s'", line, err.text);
}

void accept_all(bool is_table, const struct accepted *rows,
		unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		accept(is_table, rows[i].line, rows[i].expected);
}

void refuse_all(bool is_table, const struct refused *rows,
		unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		refuse(is_table, rows[i].line, rows[i].brief, rows[i].word,
		       rows[i].hint);
}

void accept_message(const char *line, enum ioband_verb verb,
		    const char *rest)
{
	char expected[4200];

	snprintf(expected, sizeof(expected), "%d%s", verb, rest);
	accept(false, line, expected);
}
