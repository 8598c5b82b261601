// SPDX-License-Identifier: GPL-2.0-only
/*
 * The settings of a group: parse key=value words, check, merge and print them.
 *
 * Messages and table lines have the same keys; see docs/interface.rst.
 */
#include "settings.h"

static const char brief[] = "Invalid policy parameter";

static const char * const class_names[IOBAND_CLASSES] = {
	[IOBAND_RT]	= "rt",
	[IOBAND_BE]	= "be",
	[IOBAND_IDLE]	= "idle",
};

enum {
	/* A minute: anything longer is hardly a target. */
	LATENCY_US_MAX	= 60 * 1000 * 1000,
	RANGE_UNIT	= 1024,
};

/**
 * ioband_refuse - fill in why input is refused
 * @err: filled in
 * @brief: a constant sentence
 * @fmt: the text
 *
 * Return: -EINVAL.
 */
int ioband_refuse(struct ioband_error *err, const char *brief, const char *fmt, ...)
{
	va_list args;

	err->brief = brief;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -EINVAL;
}

/**
 * ioband_no_memory - fill in that there is no memory
 * @err: filled in
 * @brief: a constant sentence
 *
 * Return: -ENOMEM.
 */
int ioband_no_memory(struct ioband_error *err, const char *brief)
{
	ioband_refuse(err, brief, "out of memory");
	return -ENOMEM;
}

/**
 * ioband_parse_number - parse a number in C notation, as 1.14 did
 * @word: the number and nothing else, not even the sign or final newline that
 *	kstrtoull() would accept
 * @min: least value
 * @max: largest value
 * @value: filled in
 *
 * Return: 0 or -EINVAL.
 */
int ioband_parse_number(const char *word, u64 min, u64 max, u64 *value)
{
	u64 v;

	if (*word < '0' || *word > '9' || strchr(word, '\n') ||
	    kstrtoull(word, 0, &v) || v < min || v > max)
		return -EINVAL;
	*value = v;
	return 0;
}

/**
 * ioband_parse_ref - parse a word that names a group
 * @word: an id, the path of a cgroup, or -1
 * @ref: filled in; may point into @word
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int ioband_parse_ref(char *word, struct ioband_ref *ref, struct ioband_error *err)
{
	memset(ref, 0, sizeof(*ref));
	if (!strcmp(word, "-1")) {
		ref->is_default = true;
		return 0;
	}
	if (*word == '/') {
		ref->path = word;
		return 0;
	}
	if (ioband_parse_number(word, 0, U64_MAX, &ref->id))
		return ioband_refuse(err, "Invalid group id",
				     "group '%.40s': expected an id, the path of a cgroup, or -1 for the default group",
				     word);
	return 0;
}

/**
 * ioband_settings_init - set all settings to their defaults
 * @settings: filled in
 */
void ioband_settings_init(struct ioband_settings *settings)
{
	memset(settings, 0, sizeof(*settings));
	settings->weight = IOBAND_WEIGHT_DEFAULT;
	settings->class = IOBAND_BE;
	settings->parent.is_default = true;
}

static int parse_units(const char *name, const char *word, u64 min, u64 max,
		       const char *what, u64 *value, struct ioband_error *err)
{
	if (ioband_parse_number(word, min, max, value))
		return ioband_refuse(err, brief,
				     "%s '%.40s': expected %llu to %llu%s",
				     name, word, (unsigned long long)min,
				     (unsigned long long)max, what);
	return 0;
}

static int note_given(struct ioband_settings *settings, unsigned int key, const char *name,
		      struct ioband_error *err)
{
	if (settings->given & BIT(key))
		return ioband_refuse(err, brief, key == IOBAND_KEY_MIN ?
				     "%s: expected one of min and miniops, once" :
				     "%s: given twice", name);
	settings->given |= BIT(key);
	return 0;
}

static int parse_limit(int id, const char *value, struct ioband_settings_parser *parser,
		       struct ioband_error *err)
{
	struct ioband_rate *limit = &parser->settings->limits[id];

	memset(limit, 0, sizeof(*limit));
	parser->limit = id;
	if (!strcmp(value, "max"))
		return 0;
	return parse_units(ioband_limit_names[id], value, 1, IOBAND_RATE_MAX,
			   " a second, or max", &limit->rate, err);
}

/* burst= and peak=, of the limit before them. */
static int parse_of_limit(const char *name, const char *value, bool is_peak,
			  struct ioband_settings_parser *parser,
			  struct ioband_error *err)
{
	struct ioband_rate *limit;

	if (parser->limit < 0)
		return ioband_refuse(err, brief,
				     "%s: expected after the limit it belongs to",
				     name);
	limit = &parser->settings->limits[parser->limit];
	if (is_peak ? limit->peak : limit->burst)
		return ioband_refuse(err, brief, "%s: given twice", name);
	return parse_units(name, value, 1, IOBAND_RATE_MAX, "",
			   is_peak ? &limit->peak : &limit->burst, err);
}

static int parse_class(const char *value, u8 *class, struct ioband_error *err)
{
	for (*class = 0; *class < IOBAND_CLASSES; ++*class)
		if (!strcmp(value, class_names[*class]))
			return 0;
	return ioband_refuse(err, brief, "class '%.40s': expected rt, be or idle", value);
}

static int parse_value(const char *name, char *value, struct ioband_settings_parser *parser,
		       struct ioband_error *err)
{
	const struct {
		const char *name;
		enum ioband_key key;
		u64 min, max;
		const char *what;
	} keys[] = {
		{ "weight", IOBAND_KEY_WEIGHT, IOBAND_WEIGHT_MIN, parser->weight_max, "" },
		{ .name = "class", .key = IOBAND_KEY_CLASS },
		{ "min", IOBAND_KEY_MIN, 0, IOBAND_RATE_MAX, " a second, 0 for none" },
		{ "miniops", IOBAND_KEY_MIN, 0, IOBAND_RATE_MAX, " a second, 0 for none" },
		{ "latency", IOBAND_KEY_LATENCY, 0, LATENCY_US_MAX, " microseconds, 0 for none" },
		{ .name = "parent", .key = IOBAND_KEY_PARENT },
		{ "force", IOBAND_KEY_FORCE, 1, 1, "" },
	};
	struct ioband_settings *settings = parser->settings;
	unsigned int i = 0;
	u64 number = 0;

	while (i < ARRAY_SIZE(keys) && strcmp(name, keys[i].name))
		i++;
	if (i == ARRAY_SIZE(keys))
		return ioband_refuse(err, brief,
				     "key '%.40s': expected weight, class, min, miniops, latency, parent, force, rbps, wbps, bps, riops, wiops, iops, burst or peak",
				     name);
	if (note_given(settings, keys[i].key, name, err) ||
	    (keys[i].what && parse_units(name, value, keys[i].min, keys[i].max, keys[i].what,
					 &number, err)))
		return -EINVAL;
	switch (keys[i].key) {
	case IOBAND_KEY_WEIGHT:
		settings->weight = number;
		break;
	case IOBAND_KEY_CLASS:
		return parse_class(value, &settings->class, err);
	case IOBAND_KEY_MIN:
		settings->min_rate = number;
		/* 0 is no minimum in either unit. */
		settings->min_is_ios = number && !strcmp(name, "miniops");
		break;
	case IOBAND_KEY_LATENCY:
		settings->latency_us = number;
		break;
	case IOBAND_KEY_PARENT:
		return ioband_parse_ref(value, &settings->parent, err);
	default:
		break;
	}
	return 0;
}

/**
 * ioband_parse_setting - parse one key=value
 * @word: the word; modified
 * @parser: the same for all words of a change; its settings are filled in
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int ioband_parse_setting(char *word, struct ioband_settings_parser *parser,
			 struct ioband_error *err)
{
	char *value = strchr(word, '=');
	int id;

	if (!value || value == word || !value[1])
		return ioband_refuse(err, brief, "'%.40s': expected key=value", word);
	*value++ = '\0';

	if (!strcmp(word, "burst"))
		return parse_of_limit(word, value, false, parser, err);
	if (!strcmp(word, "peak"))
		return parse_of_limit(word, value, true, parser, err);
	for (id = 0; id < IOBAND_LIMITS; id++)
		if (!strcmp(word, ioband_limit_names[id]))
			return note_given(parser->settings, IOBAND_KEY_LIMITS + id, word, err) ?:
			       parse_limit(id, value, parser, err);
	parser->limit = -1;
	return parse_value(word, value, parser, err);
}

/**
 * ioband_parse_range - parse the parameter of range-bw, MIN:MAX in KiB/s
 * @word: the word; modified
 * @settings: minimum and bps limit are filled in; 0 removes them
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int ioband_parse_range(char *word, struct ioband_settings *settings, struct ioband_error *err)
{
	u64 bound = IOBAND_RATE_MAX / RANGE_UNIT, min_kib, max_kib;
	char *second = strpbrk(word, "=:,");

	if (!second)
		return ioband_refuse(err, brief, "range '%.40s': expected MIN:MAX", word);
	*second++ = '\0';
	if (parse_units("minimum", word, 0, bound, " KiB/s", &min_kib, err) ||
	    parse_units("maximum", second, 0, bound, " KiB/s", &max_kib, err))
		return -EINVAL;
	if (max_kib < min_kib)
		return ioband_refuse(err, brief,
				     "range '%.40s:%.40s': expected a minimum not above the maximum",
				     word, second);
	settings->given |= BIT(IOBAND_KEY_MIN) |
			   BIT(IOBAND_KEY_LIMITS + IOBAND_BPS);
	settings->min_is_ios = false;
	settings->min_rate = min_kib * RANGE_UNIT;
	settings->limits[IOBAND_BPS] = (struct ioband_rate) {
		.rate = max_kib * RANGE_UNIT,
	};
	return 0;
}

/**
 * ioband_parse_limit - parse the parameter of limit, bytes as RATE or RATE:BURST
 * @word: the word; modified
 * @settings: the bps limit is filled in; a rate of 0 is no limit
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int ioband_parse_limit(char *word, struct ioband_settings *settings, struct ioband_error *err)
{
	struct ioband_rate *limit = &settings->limits[IOBAND_BPS];
	char *second = strpbrk(word, "=:,");

	settings->given |= BIT(IOBAND_KEY_LIMITS + IOBAND_BPS);
	memset(limit, 0, sizeof(*limit));
	if (second)
		*second++ = '\0';
	if (parse_units("rate", word, 0, IOBAND_RATE_MAX, " bytes a second",
			&limit->rate, err))
		return -EINVAL;
	if (second && !limit->rate)
		return ioband_refuse(err, brief,
				     "rate 0: is no limit, expected no burst after it");
	if (second)
		return parse_units("burst", second, 0, IOBAND_RATE_MAX,
				   " bytes", &limit->burst, err);
	return 0;
}

/**
 * ioband_settings_merge - apply a change to settings
 * @settings: the settings; what is not given in @change stays
 * @change: the change; its parent is not merged
 */
void ioband_settings_merge(struct ioband_settings *settings,
			   const struct ioband_settings *change)
{
	unsigned int id;

	if (change->given & BIT(IOBAND_KEY_WEIGHT))
		settings->weight = change->weight;
	if (change->given & BIT(IOBAND_KEY_CLASS))
		settings->class = change->class;
	if (change->given & BIT(IOBAND_KEY_MIN)) {
		settings->min_rate = change->min_rate;
		settings->min_is_ios = change->min_is_ios;
	}
	if (change->given & BIT(IOBAND_KEY_LATENCY))
		settings->latency_us = change->latency_us;
	for (id = 0; id < IOBAND_LIMITS; id++)
		if (change->given & BIT(IOBAND_KEY_LIMITS + id))
			settings->limits[id] = change->limits[id];
}

static int check_limit(const struct ioband_settings *settings, unsigned int id,
		       struct ioband_error *err)
{
	const struct ioband_rate *limit = &settings->limits[id];
	const char *name = ioband_limit_names[id];

	if (!limit->rate && (limit->burst || limit->peak))
		return ioband_refuse(err, brief,
				     "%s: is no limit, expected neither burst nor peak with it",
				     name);
	if (limit->peak && limit->peak <= limit->rate)
		return ioband_refuse(err, brief,
				     "peak %llu: expected more than %s %llu",
				     (unsigned long long)limit->peak, name,
				     (unsigned long long)limit->rate);
	if (limit->peak && !limit->burst)
		return ioband_refuse(err, brief,
				     "peak %llu: has no effect without a burst",
				     (unsigned long long)limit->peak);
	return 0;
}

/* The rate that the limits allow in total, or 0 if they do not bound it. */
static u64 allowed(const struct ioband_settings *settings,
		   enum ioband_limit_id total, enum ioband_limit_id read,
		   enum ioband_limit_id write)
{
	u64 both = settings->limits[total].rate;
	u64 r = settings->limits[read].rate, w = settings->limits[write].rate;

	if (r && w && (!both || r + w < both))
		return r + w;
	return both;
}

/**
 * ioband_settings_check - refuse settings that contradict each other
 * @settings: all settings of a group
 * @policy: of its share; what has no effect under it is refused, too
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int ioband_settings_check(const struct ioband_settings *settings,
			  const struct ioband_policy *policy,
			  struct ioband_error *err)
{
	const char *min = settings->min_is_ios ? "miniops" : "min", *useless = NULL;
	unsigned int id;
	u64 max;

	for (id = 0; id < IOBAND_LIMITS; id++)
		if (check_limit(settings, id, err))
			return -EINVAL;
	max = settings->min_is_ios ?
	      allowed(settings, IOBAND_IOPS, IOBAND_RIOPS, IOBAND_WIOPS) :
	      allowed(settings, IOBAND_BPS, IOBAND_RBPS, IOBAND_WBPS);
	if (max && settings->min_rate > max)
		return ioband_refuse(err, brief,
				     "%s %llu: expected no more than the limit, %llu",
				     min, (unsigned long long)settings->min_rate,
				     (unsigned long long)max);

	if (!policy->has_weights && settings->weight != IOBAND_WEIGHT_DEFAULT)
		useless = "weight";
	else if (policy->only_limits)
		useless = settings->class != IOBAND_BE ? "class" :
			  settings->min_rate ? min :
			  settings->latency_us ? "latency" : NULL;
	return !useless ? 0 : ioband_refuse(err, brief, "%s: has no effect under policy %s",
					    useless, policy->name);
}

/**
 * ioband_settings_equal - compare settings, except for the parent
 * @a: one
 * @b: the other
 *
 * Return: whether they are equal.
 */
bool ioband_settings_equal(const struct ioband_settings *a, const struct ioband_settings *b)
{
	return a->weight == b->weight && a->class == b->class &&
	       a->min_rate == b->min_rate &&
	       a->min_is_ios == b->min_is_ios &&
	       a->latency_us == b->latency_us &&
	       !memcmp(a->limits, b->limits, sizeof(a->limits));
}

static bool has_limits(const struct ioband_settings *settings, u32 except)
{
	unsigned int id;

	for (id = 0; id < IOBAND_LIMITS; id++)
		if (!(except & BIT(id)) && settings->limits[id].rate)
			return true;
	return false;
}

/**
 * ioband_settings_need_terms - look for more than weight and class
 * @settings: the settings
 *
 * Return: whether there is a minimum, a latency target or a limit.
 */
bool ioband_settings_need_terms(const struct ioband_settings *settings)
{
	return settings->min_rate || settings->latency_us ||
	       has_limits(settings, 0);
}

/* Whether the short form, one number or two, cannot express the settings. */
static bool needs_keys(const struct ioband_settings *settings,
		       const struct ioband_policy *policy)
{
	const struct ioband_rate *bps = &settings->limits[IOBAND_BPS];

	if (settings->class != IOBAND_BE || settings->latency_us ||
	    !settings->parent.is_default)
		return true;
	if (policy->is_range)
		return has_limits(settings, BIT(IOBAND_BPS)) || bps->burst ||
		       settings->min_is_ios ||
		       settings->min_rate % RANGE_UNIT ||
		       bps->rate % RANGE_UNIT ||
		       (settings->min_rate && !bps->rate);
	if (policy->only_limits)
		return has_limits(settings, BIT(IOBAND_BPS)) || bps->peak;
	return settings->min_rate || has_limits(settings, 0);
}

static int print_keys(const struct ioband_settings *settings,
		      const struct ioband_policy *policy, char *buffer,
		      size_t len)
{
	size_t at = 0;
	unsigned int id;

#define PRINT(format, ...)						\
	(at += snprintf(buffer + min(at, len), len - min(at, len),	\
			"%s" format, at ? "," : "", __VA_ARGS__))

	if (policy->has_weights)
		PRINT("weight=%u", settings->weight);
	if (settings->class != IOBAND_BE)
		PRINT("class=%s", class_names[settings->class]);
	if (settings->min_rate)
		PRINT("%s=%llu", settings->min_is_ios ? "miniops" : "min",
		      (unsigned long long)settings->min_rate);
	if (settings->latency_us)
		PRINT("latency=%u", settings->latency_us);
	if (!settings->parent.is_default)
		PRINT("parent=%llu", (unsigned long long)settings->parent.id);
	for (id = 0; id < IOBAND_LIMITS; id++) {
		const struct ioband_rate *limit = &settings->limits[id];

		if (!limit->rate)
			continue;
		PRINT("%s=%llu", ioband_limit_names[id], (unsigned long long)limit->rate);
		if (limit->burst)
			PRINT("burst=%llu", (unsigned long long)limit->burst);
		if (limit->peak)
			PRINT("peak=%llu", (unsigned long long)limit->peak);
	}
#undef PRINT
	return at;
}

/**
 * ioband_settings_print - print settings as the parameter of a table line
 * @settings: the settings
 * @policy: of the share
 * @buffer: filled in
 * @len: its size
 *
 * Return: what snprintf() returns.
 */
int ioband_settings_print(const struct ioband_settings *settings,
			  const struct ioband_policy *policy, char *buffer,
			  size_t len)
{
	const struct ioband_rate *bps = &settings->limits[IOBAND_BPS];

	if (needs_keys(settings, policy))
		return print_keys(settings, policy, buffer, len);
	if (policy->is_range)
		return snprintf(buffer, len, "%llu:%llu",
				(unsigned long long)settings->min_rate /
				RANGE_UNIT,
				(unsigned long long)bps->rate / RANGE_UNIT);
	if (policy->only_limits && bps->burst)
		return snprintf(buffer, len, "%llu:%llu",
				(unsigned long long)bps->rate,
				(unsigned long long)bps->burst);
	if (policy->only_limits)
		return snprintf(buffer, len, "%llu", (unsigned long long)bps->rate);
	return snprintf(buffer, len, "%u", settings->weight);
}
