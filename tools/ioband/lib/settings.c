// SPDX-License-Identifier: GPL-2.0-only
/*
 * The settings of a group: weight=, limits and so on.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "settings.h"
#include "units.h"
#include "util.h"
#include "words.h"

enum {
	WEIGHT_DEFAULT = 100,
	CLASS_BE = 1,
	NR_CLASSES = 3,
};

enum kind {
	KIND_WEIGHT,
	KIND_BYTES,
	KIND_IOS,
	KIND_USEC,
	KIND_CLASS,
	KIND_GROUP,
	KIND_FORCE,
};

enum {
	/* No disk is as slow, or limited so: what is below is a forgotten unit. */
	BARE_BYTES_MIN = 4096,
};

static const char * const classes[NR_CLASSES] = { "rt", "be", "idle" };

static const struct {
	const char *name;
	enum kind kind;
	bool is_limit;
	const char *expected;
} keys[NR_SETTINGS] = {
	[SET_WEIGHT]	= { "weight", KIND_WEIGHT, false, NULL },
	[SET_RBPS]	= { "rbps", KIND_BYTES, true,
		"bytes per second such as 10M, or max" },
	[SET_WBPS]	= { "wbps", KIND_BYTES, true,
		"bytes per second such as 10M, or max" },
	[SET_BPS]	= { "bps", KIND_BYTES, true,
		"bytes per second such as 10M, or max" },
	[SET_RIOPS]	= { "riops", KIND_IOS, true,
		"a number of I/Os per second, or max" },
	[SET_WIOPS]	= { "wiops", KIND_IOS, true,
		"a number of I/Os per second, or max" },
	[SET_IOPS]	= { "iops", KIND_IOS, true,
		"a number of I/Os per second, or max" },
	[SET_MIN]	= { "min", KIND_BYTES, false,
		"bytes per second such as 10M, or 0" },
	[SET_MINIOPS]	= { "miniops", KIND_IOS, false,
		"a number of I/Os per second, or 0" },
	[SET_LATENCY]	= { "latency", KIND_USEC, false,
		"a time such as 5ms, or 0" },
	[SET_CLASS]	= { "class", KIND_CLASS, false,
		"rt, be or idle" },
	[SET_PARENT]	= { "parent", KIND_GROUP, false,
		"a group" },
	[SET_FORCE]	= { "force", KIND_FORCE, false,
		"1" },
};

/**
 * setting_name - get the word before the =
 * @key: the setting
 */
const char *setting_name(enum setting_key key)
{
	return keys[key].name;
}

static int find_key(const char *word, size_t len)
{
	for (int i = 0; i < NR_SETTINGS; i++)
		if (strlen(keys[i].name) == len &&
		    !strncmp(word, keys[i].name, len))
			return i;
	return -1;
}

/**
 * setting_known - whether a word is a key=value of a group
 * @word: the word
 */
bool setting_known(const char *word)
{
	size_t len = strcspn(word, "=");

	return find_key(word, len) >= 0 ||
	       (len == 5 && !strncmp(word, "burst", len)) ||
	       (len == 4 && !strncmp(word, "peak", len)) ||
	       (len == 8 && !strncmp(word, "range-bw", len));
}

/* 20 for 20M, 5 for 5ms. What a program has written may be without. */
static int check_unit(const char *word, enum kind kind, uint64_t weight_max,
		      struct parse_error *err)
{
	const char *value = strchr(word, '=') + 1;
	uint64_t number;

	if (weight_max != SETTING_WEIGHT_MAX ||
	    !parse_u64(value, UINT64_MAX, &number) || !number)
		return 0;
	if (kind == KIND_USEC)
		return refuse(err, "'%.60s': expected a time with its unit, such as %.20sms or %.20sus",
			      word, value, value);
	if (kind == KIND_BYTES && number < BARE_BYTES_MIN)
		return refuse(err, "'%.60s': expected bytes with their unit, such as %sM, or %sB if you mean that",
			      word, value, value);
	return 0;
}

static bool parse_value(int key, const char *word, uint64_t weight_max,
			struct settings *set)
{
	struct setting *s = &set->v[key];

	switch (keys[key].kind) {
	case KIND_WEIGHT:
		return parse_u64(word, weight_max, &s->value) && s->value;
	case KIND_BYTES:
	case KIND_IOS:
		if (keys[key].is_limit && !strcmp(word, "max")) {
			s->is_max = true;
			return true;
		}
		if (keys[key].kind == KIND_IOS)
			return parse_u64(word, UINT64_MAX, &s->value);
		return units_parse_rate(word, &s->value);
	case KIND_USEC:
		return units_parse_usec(word, &s->value);
	case KIND_CLASS:
		for (s->value = 0; s->value < NR_CLASSES; s->value++)
			if (!strcmp(word, classes[s->value]))
				return true;
		return false;
	case KIND_GROUP:
		if (strlen(word) >= sizeof(set->parent))
			return false;
		strcpy(set->parent, word);
		return true;
	case KIND_FORCE:
		return parse_u64(word, 1, &s->value) && s->value;
	}
	return false;
}

/* burst= and peak= belong to the last limit before them. */
static int take_addition(struct settings *set, const char *word, size_t len,
			 uint64_t weight_max, struct parse_error *err)
{
	const char *value = word + len + 1;
	bool is_peak = *word == 'p';
	struct setting *s;
	enum kind kind;
	uint64_t v;

	if (!set->last)
		return refuse(err, "'%.60s': expected behind the limit it belongs to, as in rbps=10M %.*s=1M",
			      word, (int)len, word);
	s = &set->v[set->last - 1];
	kind = keys[set->last - 1].kind;
	if (is_peak ? s->has_peak : s->has_burst)
		return refuse(err, "'%.60s': %s has a %.*s already", word,
			      keys[set->last - 1].name, (int)len, word);
	if (s->is_max)
		return refuse(err, "'%.60s': %s=max has none", word,
			      keys[set->last - 1].name);
	if (kind == KIND_IOS ? !parse_u64(value, UINT64_MAX, &v) :
	    is_peak ? !units_parse_rate(value, &v) :
	    !units_parse_size(value, &v))
		return refuse(err, "'%.60s': expected %s", word,
			      kind == KIND_IOS ? "a number of I/Os" :
			      is_peak ? "bytes per second such as 10M" :
			      "bytes such as 1M");
	if (check_unit(word, kind, weight_max, err))
		return -EINVAL;
	if (is_peak) {
		s->has_peak = true;
		s->peak = v;
	} else {
		s->has_burst = true;
		s->burst = v;
	}
	return 0;
}

/* MIN:MAX in KiB/s, in the format of dm-ioband 1; 0 for none. */
static int take_range(struct settings *set, const char *word,
		      struct parse_error *err)
{
	struct setting *min = &set->v[SET_MIN], *max = &set->v[SET_BPS];
	const char *colon = strchr(word, ':');
	uint64_t least, most;
	char text[24];

	if (!colon || (size_t)(colon - word) >= sizeof(text))
		goto bad;
	memcpy(text, word, colon - word);
	text[colon - word] = '\0';
	if (!parse_u64(text, UINT64_MAX >> 10, &least) ||
	    !parse_u64(colon + 1, UINT64_MAX >> 10, &most) || least > most)
		goto bad;
	if (min->given || max->given || set->v[SET_MINIOPS].given)
		return refuse(err, "range-bw: expected neither min, miniops nor bps with it");
	*min = (struct setting){ .given = true, .value = least << 10 };
	*max = (struct setting){ .given = true, .value = most << 10,
				 .is_max = !most };
	set->last = 0;
	return 0;
bad:
	return refuse(err, "range-bw '%.60s': expected MIN:MAX in KiB per second, MIN not above MAX",
		      word);
}

/**
 * settings_take - parse one key=value
 * @set: settings that it is added to; on failure only this key may have changed
 * @word: the word
 * @weight_max: %SETTING_WEIGHT_MAX for what somebody types, which has to have units;
 *	%STORED_WEIGHT_MAX for what was stored
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int settings_take(struct settings *set, const char *word, uint64_t weight_max,
		  struct parse_error *err)
{
	size_t len = strcspn(word, "=");
	int key;

	if (!word[len] || !len || !word[len + 1])
		return refuse(err, "'%.60s': expected key=value", word);
	if ((len == 5 && !strncmp(word, "burst", len)) ||
	    (len == 4 && !strncmp(word, "peak", len)))
		return take_addition(set, word, len, weight_max, err);
	if (len == 8 && !strncmp(word, "range-bw", len))
		return take_range(set, word + len + 1, err);
	key = find_key(word, len);
	if (key < 0)
		return refuse(err, "key '%.*s': expected weight, rbps, wbps, bps, riops, wiops, iops, burst, peak, min, miniops, latency, class, parent, range-bw or force",
			      len > 40 ? 40 : (int)len, word);
	if (set->v[key].given)
		return refuse(err, "%s: given twice", keys[key].name);
	if ((key == SET_MIN && set->v[SET_MINIOPS].given) ||
	    (key == SET_MINIOPS && set->v[SET_MIN].given))
		return refuse(err, "%s: expected one of min and miniops, as a group has one minimum; 0 for either clears it",
			      keys[key].name);
	memset(&set->v[key], 0, sizeof(set->v[key]));
	if (!parse_value(key, word + len + 1, weight_max, set)) {
		if (key == SET_WEIGHT)
			return refuse(err, "'%.60s': expected 1 to %" PRIu64,
				      word, weight_max);
		return refuse(err, "'%.60s': expected %s", word,
			      keys[key].expected);
	}
	if (check_unit(word, keys[key].kind, weight_max, err))
		return -EINVAL;
	set->v[key].given = true;
	set->last = keys[key].is_limit ? key + 1 : 0;
	return 0;
}

/**
 * settings_check - refuse settings that change nothing
 * @set: settings for a group that exists
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int settings_check(const struct settings *set, struct parse_error *err)
{
	bool alone = set->v[SET_FORCE].given;

	for (int i = 0; i < NR_SETTINGS; i++)
		alone = alone && (i == SET_FORCE || !set->v[i].given);
	return alone ? refuse(err, "force: expected what is to be forced with it, such as min=50M") : 0;
}

/* In a policy without weights: a plain number is a rate, a second one its burst. */
static int take_rate(struct settings *set, const char *param,
		     struct parse_error *err)
{
	struct setting *s = &set->v[SET_BPS];
	size_t len = strcspn(param, ":");
	char rate[24];

	if (len >= sizeof(rate))
		goto bad;
	memcpy(rate, param, len);
	rate[len] = '\0';
	if (!parse_u64(rate, UINT64_MAX, &s->value))
		goto bad;
	if (param[len] && !parse_u64(param + len + 1, UINT64_MAX, &s->burst))
		goto bad;
	s->has_burst = s->burst;
	s->given = true;
	s->is_max = !s->value;
	if (s->is_max && s->has_burst)
		goto bad;
	return 0;
bad:
	return refuse(err, "'%.60s': expected RATE or RATE:BURST", param);
}

/**
 * settings_take_param - parse the parameter of a group in a table line
 * @set: settings that it is added to
 * @policy: policy of the line, which decides what a plain number means
 * @param: the parameter: a number, MIN:MAX, or key=value[,key=value...]
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int settings_take_param(struct settings *set, const char *policy,
			const char *param, struct parse_error *err)
{
	char word[SETTING_LEN];

	if (*param >= '0' && *param <= '9') {
		if (!strcmp(policy, "limit"))
			return take_rate(set, param, err);
		if (!strcmp(policy, "range-bw"))
			return take_range(set, param, err);
		snprintf(word, sizeof(word), "weight=%.100s", param);
		return settings_take(set, word, STORED_WEIGHT_MAX, err);
	}
	for (;;) {
		size_t len = strcspn(param, ",");
		int r;

		if (len >= sizeof(word))
			return refuse(err, "'%.60s': expected a shorter word",
				      param);
		memcpy(word, param, len);
		word[len] = '\0';
		r = settings_take(set, word, STORED_WEIGHT_MAX, err);
		if (r || !param[len])
			return r;
		param += len + 1;
	}
}

/* Set a setting to its default. */
static void take_default(struct settings *set, enum setting_key key)
{
	struct setting *s = &set->v[key];

	memset(s, 0, sizeof(*s));
	s->given = true;
	s->is_max = keys[key].is_limit;
	if (key == SET_WEIGHT)
		s->value = WEIGHT_DEFAULT;
	else if (key == SET_CLASS)
		s->value = CLASS_BE;
	else if (key == SET_PARENT)
		strcpy(set->parent, "-1");
}

/**
 * settings_merge - override settings with later ones
 * @set: the settings to change
 * @more: what takes precedence; a limit includes its burst and peak
 */
void settings_merge(struct settings *set, const struct settings *more)
{
	/* There is only one minimum, in either unit. */
	if (more->v[SET_MIN].given || more->v[SET_MINIOPS].given) {
		set->v[SET_MIN].given = false;
		set->v[SET_MINIOPS].given = false;
	}
	for (int i = 0; i < NR_SETTINGS; i++)
		if (more->v[i].given)
			set->v[i] = more->v[i];
	if (more->v[SET_PARENT].given)
		strcpy(set->parent, more->parent);
}

/**
 * settings_begin_anew - reset the settings of a group as a new policy does
 * @set: the settings, of which only the parent is kept
 */
void settings_begin_anew(struct settings *set)
{
	struct settings kept = { 0 };

	kept.v[SET_PARENT] = set->v[SET_PARENT];
	strcpy(kept.parent, set->parent);
	*set = kept;
}

/* The value in force: the default if none is given. */
static struct setting effective(const struct settings *set,
				enum setting_key key)
{
	struct settings plain;

	if (set->v[key].given)
		return set->v[key];
	take_default(&plain, key);
	return plain.v[key];
}

/**
 * setting_equal - whether a setting is the same in both, defaults applied
 */
bool setting_equal(const struct settings *a, const struct settings *b,
		   enum setting_key key)
{
	struct setting x = effective(a, key), y = effective(b, key);

	/* It only says how to apply others. */
	if (key == SET_FORCE)
		return true;
	if (key == SET_PARENT)
		return !strcmp(a->v[key].given ? a->parent : "-1",
			       b->v[key].given ? b->parent : "-1");
	return x.is_max == y.is_max && x.value == y.value &&
	       x.has_burst == y.has_burst && x.burst == y.burst &&
	       x.has_peak == y.has_peak && x.peak == y.peak;
}

/**
 * setting_is_followed - whether 'ioband follow' sets it from a cgroup's files
 * @key: the setting
 */
bool setting_is_followed(enum setting_key key)
{
	return key == SET_WEIGHT || key == SET_RBPS || key == SET_WBPS ||
	       key == SET_RIOPS || key == SET_WIOPS;
}

/**
 * setting_acts - whether a setting has an effect under a policy
 * @key: the setting
 * @policy: the policy
 */
bool setting_acts(enum setting_key key, const char *policy)
{
	bool only_limits = !strcmp(policy, "limit");

	switch (key) {
	case SET_WEIGHT:
		return !only_limits && strcmp(policy, "range-bw");
	case SET_CLASS:
	case SET_MIN:
	case SET_MINIOPS:
	case SET_LATENCY:
		return !only_limits;
	default:
		return true;
	}
}

/**
 * setting_is_default - whether a setting has its default value
 */
bool setting_is_default(const struct settings *set, enum setting_key key)
{
	static const struct settings none;

	return setting_equal(set, &none, key);
}

/**
 * settings_are_default - whether all settings have their defaults
 */
bool settings_are_default(const struct settings *set)
{
	for (int i = 0; i < NR_SETTINGS; i++)
		if (!setting_is_default(set, i))
			return false;
	return true;
}

static void print_number(char buf[UNITS_LEN], enum kind kind, uint64_t value,
			 bool exact_units)
{
	if (kind == KIND_BYTES && exact_units)
		units_exact(buf, value);
	else if (kind == KIND_USEC && exact_units)
		units_exact_time(buf, value);
	else
		snprintf(buf, UNITS_LEN, "%" PRIu64, value);
}

/**
 * setting_value - write the part after the =
 * @buf: output buffer
 * @set: the settings
 * @key: which of them; it need not be given
 * @exact_units: 10M and 5ms for people instead of 10485760 and 5000 for the kernel
 *
 * burst= and peak= follow after a blank each.
 */
void setting_value(char buf[SETTING_LEN], const struct settings *set,
		   enum setting_key key, bool exact_units)
{
	struct setting s = effective(set, key);
	enum kind kind = keys[key].kind;
	char number[UNITS_LEN];
	int n;

	switch (kind) {
	case KIND_CLASS:
		snprintf(buf, SETTING_LEN, "%s", classes[s.value]);
		return;
	case KIND_GROUP:
		snprintf(buf, SETTING_LEN, "%s",
			 set->v[key].given ? set->parent : "-1");
		return;
	default:
		break;
	}
	if (s.is_max) {
		strcpy(buf, "max");
		return;
	}
	print_number(number, kind, s.value, exact_units);
	n = snprintf(buf, SETTING_LEN, "%s", number);
	if (s.has_burst) {
		print_number(number, kind, s.burst, exact_units);
		n += snprintf(buf + n, SETTING_LEN - n, " burst=%s", number);
	}
	if (s.has_peak) {
		print_number(number, kind, s.peak, exact_units);
		snprintf(buf + n, SETTING_LEN - n, " peak=%s", number);
	}
}

/* A number of the kernel's, in what comes behind it; return: what is left of that. */
static const char *say_number(FILE *to, enum kind kind, const char *from)
{
	size_t len = strspn(from, "0123456789");
	char number[24], buf[UNITS_LEN];
	const char *rest = from + len;
	uint64_t value;

	snprintf(number, sizeof(number), "%.*s", len < 21 ? (int)len : 21, from);
	if (!strncmp(rest, " %", 2) || !parse_u64(number, UINT64_MAX, &value)) {
		fprintf(to, "%.*s", (int)len, from);
	} else if (kind == KIND_USEC) {
		fputs(units_exact_time(buf, value), to);
		rest += strncmp(rest, " us", 3) ? 0 : 3;
	} else {
		if (strlen(units_exact(buf, value)) > strlen("1234MB"))
			units_size(buf, value);
		fputs(buf, to);
	}
	return rest;
}

/* The setting that a reason begins with. A peak is one of the limit that it names. */
static int reason_key(const char *reason)
{
	const char *limit = strstr(reason, " than ");

	if (!strncmp(reason, "peak ", 5) && limit)
		reason = limit + strlen(" than ");
	return find_key(reason, strcspn(reason, " "));
}

/**
 * settings_reason - say why the kernel has refused a setting, with units
 * @reason: what the kernel says, which knows bytes and microseconds only
 *
 * Return: the same for people, to be freed.
 */
char *settings_reason(const char *reason)
{
	int key = reason_key(reason);
	char before = ' ', *text = NULL;
	size_t size;
	FILE *to;

	if (key < 0 || (keys[key].kind != KIND_BYTES &&
			keys[key].kind != KIND_USEC))
		return xstrdup(reason);
	to = xmemstream(&text, &size);
	while (*reason) {
		if (before == ' ' && *reason >= '0' && *reason <= '9') {
			reason = say_number(to, keys[key].kind, reason);
			before = '0';
		} else {
			before = *reason++;
			putc(before, to);
		}
	}
	xmemclose(to);
	return text;
}

/**
 * settings_param - write the parameter of a group in a table line
 * @buf: output buffer
 * @size: its size
 * @policy: policy of the line
 * @set: the settings
 *
 * Return: length, or -EINVAL if it does not fit.
 */
int settings_param(char *buf, size_t size, const char *policy,
		   const struct settings *set)
{
	bool only_weight = true;
	char text[SETTING_LEN];
	size_t n = 0;

	for (int i = 0; i < NR_SETTINGS; i++)
		if (i != SET_WEIGHT && !setting_is_default(set, i))
			only_weight = false;

	if (!strcmp(policy, "range-bw") || !strcmp(policy, "limit"))
		only_weight = false;
	if (only_weight) {
		setting_value(text, set, SET_WEIGHT, false);
		n = snprintf(buf, size, "%s", text);
		return n < size ? (int)n : -EINVAL;
	}
	for (int i = 0; i < NR_SETTINGS; i++) {
		/* Defaults need not be written. */
		if (setting_is_default(set, i))
			continue;
		setting_value(text, set, i, false);
		for (char *p = text; i != SET_PARENT && *p; p++)
			if (*p == ' ')
				*p = ',';
		n += snprintf(buf + n, size - n, "%s%s=%s", n ? "," : "",
			      keys[i].name, text);
		if (n >= size)
			return -EINVAL;
	}
	/* All defaults, in a policy that does not take a number as a weight. */
	if (!n)
		n = snprintf(buf, size, "%s",
			     !strcmp(policy, "limit") ? "0" : "0:0");
	return n < size ? (int)n : -EINVAL;
}
