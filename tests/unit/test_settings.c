// SPDX-License-Identifier: GPL-2.0-only
/*
 * The settings of a group: taken word by word, merged, checked, and printed so
 * that a table line restores them.
 */
#include "unit.h"
#include "dm-ioband/args.h"
#include "prng.h"

#define WORDS_MAX 24

static const struct ioband_policy *policy(const char *name)
{
	const struct ioband_policy *policy = ioband_policy_find(name);

	assert_non_null(policy);
	return policy;
}

/* The words of one "set", into @settings, all or nothing. */
static int change(struct ioband_settings *settings, const char *policy_name,
		  const char *words, struct ioband_error *err)
{
	struct ioband_settings given = { }, merged = *settings;
	struct ioband_settings_parser parser = {
		.settings	= &given,
		.weight_max	= 10000,
		.limit		= -1,
	};
	char *copy = strdup(words), *word, *rest = copy;
	int r = 0;

	while (!r && (word = strsep(&rest, " "))) {
		/* An allocation of its own, so that ASan sees its ends. */
		char *own = strdup(word);

		r = ioband_parse_setting(own, &parser, err);
		free(own);
	}
	free(copy);
	if (r)
		return r;
	ioband_settings_merge(&merged, &given);
	r = ioband_settings_check(&merged, policy(policy_name), err);
	if (r)
		return r;
	merged.parent = given.given & BIT(IOBAND_KEY_PARENT) ? given.parent :
			settings->parent;
	*settings = merged;
	return 0;
}

static void print(const struct ioband_settings *settings,
		  const char *policy_name, char *text, size_t len)
{
	int r = ioband_settings_print(settings, policy(policy_name), text, len);

	assert_int_equal(r, strlen(text));
}

/* One "set" after another; then the line must say @expected. */
static void set(const char *policy_name, const char * const *changes,
		const char *expected)
{
	struct ioband_settings settings;
	struct ioband_error err;
	char text[512];

	ioband_settings_init(&settings);
	for (; *changes; changes++)
		if (change(&settings, policy_name, *changes, &err))
			fail_msg("'%s' refused: %s", *changes, err.text);
	print(&settings, policy_name, text, sizeof(text));
	if (strcmp(text, expected))
		fail_msg("prints '%s', not '%s'", text, expected);
}

#define SET(policy, expected, ...) \
	set(policy, (const char * const []){ __VA_ARGS__, NULL }, expected)

static void test_print(void **state)
{
	/* What a number says is printed as a number, as in 1.14. */
	SET("weight", "100", "weight=100");
	SET("default", "1", "weight=1");
	SET("weight-iosize", "10000", "weight=0x2710");
	SET("weight", "100", "class=be", "min=0", "latency=0", "rbps=max");
	SET("weight", "weight=100,class=rt", "class=rt");
	SET("weight", "weight=7,class=idle", "class=idle weight=7");
	SET("weight", "weight=100,min=5", "min=5");
	SET("weight", "weight=100,miniops=5", "miniops=5");
	SET("weight", "weight=100,latency=60000000", "latency=60000000");
	SET("weight", "weight=100,parent=7", "parent=7");
	SET("weight", "100", "parent=-1");
	SET("weight", "weight=100,parent=18446744073709551615",
	    "parent=18446744073709551615");
	SET("weight", "weight=100,bps=1125899906842624",
	    "bps=1125899906842624");
	SET("weight",
	    "weight=9,class=rt,min=3,latency=4,parent=0,rbps=5,burst=6,peak=7,wbps=8,bps=9,burst=10,riops=11,wiops=12,burst=13,peak=14,iops=15",
	    "iops=15 wiops=12 peak=14 burst=13 riops=11 bps=9 burst=10 wbps=8 rbps=5 peak=7 burst=6 force=1 parent=0 latency=4 min=3 class=rt weight=9");

	SET("range-bw", "0:0", "min=0");
	SET("range-bw", "0:2", "bps=2048");
	SET("range-bw", "1:2", "bps=2048 min=1024");
	SET("range-bw", "min=1024", "min=1024");
	SET("range-bw", "min=1023,bps=2048", "bps=2048 min=1023");
	SET("range-bw", "bps=2047", "bps=2047");
	SET("range-bw", "bps=2048,burst=1", "bps=2048 burst=1");
	SET("range-bw", "miniops=1024,bps=2048", "bps=2048 miniops=1024");
	SET("range-bw", "class=rt,min=1024,bps=2048",
	    "bps=2048 min=1024 class=rt");
	SET("range-bw", "iops=1", "iops=1");
	SET("range-bw", "0:0", "miniops=0");
	SET("range-bw", "0:1", "miniops=5 bps=1024", "miniops=0");

	SET("limit", "0", "bps=max");
	SET("limit", "5", "bps=5");
	SET("limit", "5:6", "bps=5 burst=6");
	SET("limit", "bps=5,burst=6,peak=7", "bps=5 burst=6 peak=7");
	SET("limit", "rbps=5", "rbps=5");
	SET("limit", "bps=5,iops=6", "iops=6 bps=5");
	SET("limit", "parent=7,bps=5", "bps=5 parent=7");
}

/* What is not named stays. A limit is one thing with its burst and peak. */
static void test_merge(void **state)
{
	SET("weight", "weight=7,class=idle,min=5,latency=6,bps=8",
	    "weight=7", "class=idle", "min=5", "latency=6", "bps=8");
	SET("weight", "weight=8,class=rt,min=5", "weight=7 class=idle min=5",
	    "weight=8", "class=rt");
	SET("weight", "weight=100,miniops=6", "min=5", "miniops=6");
	SET("weight", "100", "min=5", "miniops=0");
	SET("weight", "weight=100,rbps=6", "rbps=5 burst=6 peak=7", "rbps=6");
	SET("weight", "weight=100,rbps=6,burst=8",
	    "rbps=5 burst=6 peak=7", "rbps=6 burst=8");
	SET("weight", "weight=100,rbps=5,burst=6,peak=7,wbps=9",
	    "rbps=5 burst=6 peak=7", "wbps=9");
	SET("weight", "weight=100,wbps=9", "rbps=5 burst=6 wbps=9", "rbps=max");
	SET("weight", "weight=100,parent=7,rbps=5", "parent=7", "rbps=5");
	SET("weight", "100", "parent=7", "parent=-1");
	/* From one pair that makes sense to another, at once. */
	SET("weight", "weight=100,min=50,bps=60", "min=5 bps=6",
	    "min=50 bps=60");
}

static void refuse(const char *policy_name, const char *before,
		   const char *words, const char *word, const char *hint)
{
	struct ioband_settings settings, kept;
	struct ioband_error err;

	memset(&err, 0xa5, sizeof(err));
	ioband_settings_init(&settings);
	if (before && change(&settings, policy_name, before, &err))
		fail_msg("'%s' refused: %s", before, err.text);
	kept = settings;
	if (!change(&settings, policy_name, words, &err))
		fail_msg("'%s' accepted", words);
	assert_memory_equal(&settings, &kept, sizeof(kept));
	assert_string_equal(err.brief, "Invalid policy parameter");
	if (strncmp(err.text, word, strlen(word)) || !strstr(err.text, hint))
		fail_msg("'%s': text is '%s', without '%s' or '%s'", words,
			 err.text, word, hint);
	if (strlen(err.text) >= sizeof(err.text) - 1)
		fail_msg("'%s': text is too long", words);
}

static void test_words_refused(void **state)
{
	static const char * const limits[] = {
		"rbps", "wbps", "bps", "riops", "wiops", "iops",
	};
	static const char * const wrong[] = {
		"0", "-1", "+1", "1k", "1M", "1.5", "0x", "08", "Max", "maxx",
		"1125899906842625", "18446744073709551615",
		"18446744073709551616", "18446744073709551617", "1,2", "\t1",
		"1\n", "none",
	};
	char words[64], word[64];
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		for (j = 0; j < ARRAY_SIZE(wrong); j++) {
			sprintf(words, "%s=%s", limits[i], wrong[j]);
			sprintf(word, "%s '%s'", limits[i], wrong[j]);
			refuse("weight", NULL, words, word,
			       "expected 1 to 1125899906842624 a second, or max");
			sprintf(words, "%s=5 burst=%s", limits[i], wrong[j]);
			sprintf(word, "burst '%s'", wrong[j]);
			refuse("weight", NULL, words, word,
			       "expected 1 to 1125899906842624");
			sprintf(words, "%s=5 peak=%s", limits[i], wrong[j]);
			sprintf(word, "peak '%s'", wrong[j]);
			refuse("weight", NULL, words, word,
			       "expected 1 to 1125899906842624");
		}
		sprintf(words, "%s=5 class=rt %s=6", limits[i], limits[i]);
		refuse("weight", NULL, words, limits[i], "given twice");
		sprintf(words, "%s=5 %s=max", limits[i], limits[i]);
		refuse("weight", NULL, words, limits[i], "given twice");
		sprintf(words, "%s=5 burst=max", limits[i]);
		refuse("weight", NULL, words, "burst 'max'", "expected 1 to");
	}

	refuse("weight", NULL, "weight", "'weight'", "expected key=value");
	refuse("weight", NULL, "weight=", "'weight='", "expected key=value");
	refuse("weight", NULL, "=5", "'=5'", "expected key=value");
	refuse("weight", NULL, "", "''", "expected key=value");
	refuse("weight", NULL, "=", "'='", "expected key=value");
	refuse("weight", NULL, "weight==5", "weight '=5'", "expected 1 to");
	refuse("weight", NULL, "Weight=5", "key 'Weight'", "expected weight");
	refuse("weight", NULL, "weights=5", "key 'weights'", "expected weight");
	refuse("weight", NULL, "bp=5", "key 'bp'", "expected weight");

	refuse("weight", NULL, "weight=0", "weight '0'", "expected 1 to 10000");
	refuse("weight", NULL, "weight=10001", "weight '10001'",
	       "expected 1 to 10000");
	refuse("weight", NULL, "weight=max", "weight 'max'", "expected 1 to");
	refuse("weight", NULL, "weight=4294967396", "weight '4294967396'",
	       "expected 1 to");
	refuse("weight", NULL, "class=", "'class='", "expected key=value");
	refuse("weight", NULL, "class=best", "class 'best'",
	       "expected rt, be or idle");
	refuse("weight", NULL, "class=1", "class '1'", "expected rt, be or idle");
	refuse("weight", NULL, "min=max", "min 'max'",
	       "expected 0 to 1125899906842624 a second, 0 for none");
	refuse("weight", NULL, "miniops=1125899906842625",
	       "miniops '1125899906842625'", "expected 0 to");
	refuse("weight", NULL, "latency=60000001", "latency '60000001'",
	       "expected 0 to 60000000 microseconds");
	refuse("weight", NULL, "latency=1ms", "latency '1ms'", "microseconds");
	refuse("weight", NULL, "force=0", "force '0'", "expected 1 to 1");
	refuse("weight", NULL, "force=yes", "force 'yes'", "expected 1 to 1");

	refuse("weight", NULL, "weight=5 weight=5", "weight", "given twice");
	refuse("weight", NULL, "class=rt class=be", "class", "given twice");
	refuse("weight", NULL, "latency=5 latency=5", "latency", "given twice");
	refuse("weight", NULL, "parent=5 parent=5", "parent", "given twice");
	refuse("weight", NULL, "force=1 force=1", "force", "given twice");
	refuse("weight", NULL, "min=5 min=5", "min", "once");
	refuse("weight", NULL, "min=5 miniops=5", "miniops", "once");
	refuse("weight", NULL, "miniops=0 min=0", "min", "once");
	refuse("weight", NULL, "bps=5 burst=6 burst=6", "burst", "given twice");
	refuse("weight", NULL, "bps=5 peak=6 burst=6 peak=6", "peak",
	       "given twice");

	/* They belong to the limit just before. */
	refuse("weight", NULL, "burst=5", "burst", "after the limit");
	refuse("weight", NULL, "peak=5 bps=4", "peak", "after the limit");
	refuse("weight", NULL, "bps=5 weight=6 burst=7", "burst",
	       "after the limit");
	refuse("weight", NULL, "min=5 burst=7", "burst", "after the limit");
	refuse("weight", "bps=5", "burst=7", "burst", "after the limit");
}

static void test_check(void **state)
{
	/* A limit, its burst and its peak. */
	refuse("weight", NULL, "iops=max burst=5", "iops", "neither burst nor peak");
	refuse("weight", NULL, "wbps=max peak=5", "wbps", "neither burst nor peak");
	refuse("weight", NULL, "bps=5 burst=1 peak=5", "peak 5",
	       "expected more than bps 5");
	refuse("weight", NULL, "bps=5 burst=1 peak=4", "peak 4",
	       "expected more than bps 5");
	refuse("weight", NULL, "riops=5 peak=6", "peak 6", "without a burst");
	SET("weight", "weight=100,riops=5,burst=1,peak=6",
	    "riops=5 burst=1 peak=6");

	/* A minimum and what the limits leave. */
	refuse("weight", NULL, "min=6 bps=5", "min 6", "the limit, 5");
	refuse("weight", "bps=5", "min=6", "min 6", "the limit, 5");
	refuse("weight", "min=6", "bps=5", "min 6", "the limit, 5");
	refuse("weight", "min=9", "rbps=5 wbps=3", "min 9", "the limit, 8");
	refuse("weight", "min=9", "bps=10 rbps=5 wbps=3", "min 9", "the limit, 8");
	refuse("weight", "min=9", "bps=8 rbps=5 wbps=5", "min 9", "the limit, 8");
	refuse("weight", NULL, "miniops=6 iops=5", "miniops 6", "the limit, 5");
	refuse("weight", NULL, "miniops=6 riops=1 wiops=4", "miniops 6",
	       "the limit, 5");
	SET("weight", "weight=100,min=5,bps=5", "min=5 bps=5");
	SET("weight", "weight=100,min=9,rbps=5,wbps=4", "rbps=5 wbps=4 min=9");
	/* One direction alone does not bound both; nor do I/Os bound bytes. */
	SET("weight", "weight=100,min=9,rbps=5", "rbps=5 min=9");
	SET("weight", "weight=100,min=9,iops=5", "iops=5 min=9");
	SET("weight", "weight=100,miniops=9,bps=5", "bps=5 miniops=9");
	SET("weight",
	    "weight=100,min=1125899906842624,rbps=1125899906842624,wbps=1125899906842624",
	    "min=1125899906842624 rbps=1125899906842624 wbps=1125899906842624");

	/* What has no effect. */
	refuse("range-bw", NULL, "weight=5", "weight", "under policy range-bw");
	refuse("limit", NULL, "weight=101", "weight", "under policy limit");
	refuse("limit", NULL, "class=idle", "class", "under policy limit");
	refuse("limit", NULL, "min=1", "min", "under policy limit");
	refuse("limit", NULL, "miniops=1", "miniops", "under policy limit");
	refuse("limit", NULL, "latency=1", "latency", "under policy limit");
	SET("range-bw", "class=rt,latency=5", "class=rt latency=5");
}

static void test_equal(void **state)
{
	static const char * const changes[] = {
		"weight=99", "class=rt", "min=5", "miniops=5", "latency=5",
		"rbps=5", "bps=5 burst=5", "bps=5 burst=5 peak=6", "iops=5",
		"iops=6", "iops=6 burst=1",
	};
	struct ioband_settings a, b;
	struct ioband_error err;
	unsigned int i, j;

	ioband_settings_init(&a);
	ioband_settings_init(&b);
	assert_true(ioband_settings_equal(&a, &b));
	/* However it came to be. */
	assert_false(change(&b, "weight", "miniops=5 iops=9 burst=1", &err));
	assert_false(change(&b, "weight", "miniops=0 iops=max", &err));
	assert_true(ioband_settings_equal(&a, &b));

	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		for (j = 0; j < ARRAY_SIZE(changes); j++) {
			ioband_settings_init(&a);
			ioband_settings_init(&b);
			assert_false(change(&a, "weight", changes[i], &err));
			assert_false(change(&b, "weight", changes[j], &err));
			assert_int_equal(ioband_settings_equal(&a, &b), i == j);
		}
	}
}

static void test_need_terms(void **state)
{
	static const struct {
		const char *words;
		bool need;
	} rows[] = {
		{ "weight=5", false }, { "class=rt", false },
		{ "parent=7", false }, { "min=0", false },
		{ "latency=0", false }, { "iops=max", false },
		{ "min=1", true }, { "miniops=1", true }, { "latency=1", true },
		{ "rbps=1", true }, { "iops=1", true },
	};
	struct ioband_settings settings;
	struct ioband_error err;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ioband_settings_init(&settings);
		assert_false(change(&settings, "weight", rows[i].words, &err));
		assert_int_equal(ioband_settings_need_terms(&settings),
				 rows[i].need);
	}
}

static u64 random_number(struct prng *prng, u64 max)
{
	u64 n = (prng_next(prng) | (u64)prng_next(prng) << 32) >>
		prng_below(prng, 64);

	return n > max ? max : n;
}

static u64 random_rate(struct prng *prng)
{
	u64 rate = random_number(prng, IOBAND_RATE_MAX);

	/* range-bw prints whole KiB in another way. */
	return prng_below(prng, 2) ? rate : rate & ~(u64)1023;
}

/* Any settings at all, sensible ones and others. */
static void random_settings(struct prng *prng, const struct ioband_policy *p,
			    struct ioband_settings *settings)
{
	unsigned int id;

	ioband_settings_init(settings);
	if (p->has_weights)
		settings->weight = 1 + random_number(prng, IOBAND_WEIGHT_MAX - 1);
	if (!p->only_limits) {
		settings->class = prng_below(prng, IOBAND_CLASSES);
		if (!prng_below(prng, 2))
			settings->min_rate = random_rate(prng);
		settings->min_is_ios = settings->min_rate &&
				       prng_below(prng, 2);
		if (!prng_below(prng, 3))
			settings->latency_us = random_number(prng, 60000000);
	}
	if (!prng_below(prng, 3)) {
		settings->parent.is_default = false;
		settings->parent.id = random_number(prng, U64_MAX);
	}
	for (id = 0; id < IOBAND_LIMITS; id++) {
		if (prng_below(prng, 2))
			continue;
		settings->limits[id].rate = random_rate(prng);
		if (prng_below(prng, 2))
			settings->limits[id].burst = random_rate(prng);
		if (prng_below(prng, 2))
			settings->limits[id].peak = random_rate(prng);
	}
}

/* What is printed, as the parameter of a table line, is the same again. */
static void round_trip(const struct ioband_settings *settings,
		       const struct ioband_policy *p)
{
	char text[512], line[1024], *argv[10], *rest = line;
	struct ioband_settings again;
	struct ioband_table table;
	struct ioband_error err;
	unsigned int argc = 0;

	print(settings, p->name, text, sizeof(text));
	sprintf(line, "d s 0 0 uid %s 0 :%s 7:%s", p->name,
		p->is_range ? "0:0" : p->only_limits ? "0" : "100", text);
	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	if (ioband_parse_table(argc, argv, &table, &err))
		fail_msg("%s: '%s' refused: %s", p->name, text, err.text);
	ioband_settings_init(&again);
	ioband_settings_merge(&again, &table.groups[1].settings);
	if (table.groups[1].settings.given & BIT(IOBAND_KEY_PARENT))
		again.parent = table.groups[1].settings.parent;
	if (!ioband_settings_equal(settings, &again) ||
	    settings->parent.id != again.parent.id ||
	    settings->parent.is_default != again.parent.is_default)
		fail_msg("%s: '%s' is something else", p->name, text);
	ioband_table_free(&table);
}

static void test_round_trip(void **state)
{
	const struct ioband_policy *p;
	unsigned int i, sensible;

	for (p = ioband_policies; p->name; p++) {
		struct prng prng;

		prng_seed(&prng, 1);
		sensible = 0;
		for (i = 0; i < 20000; i++) {
			struct ioband_settings settings;
			struct ioband_error err;

			random_settings(&prng, p, &settings);
			if (ioband_settings_check(&settings, p, &err))
				continue;
			sensible++;
			round_trip(&settings, p);
		}
		/* Or this shows little. */
		assert_true(sensible > 1000);
	}
}

/* Whatever room there is: as snprintf(), and nothing written beyond. */
static void test_print_short(void **state)
{
	static const struct {
		const char *policy;
		const char *words;
	} rows[] = {
		{ "weight", "weight=10000" },
		{ "range-bw", "min=1024 bps=2048" },
		{ "limit", "bps=5 burst=6" },
		{ "weight", "weight=9 class=idle miniops=5 latency=6 parent=7 rbps=8 burst=9 peak=10" },
	};
	char full[512], *text;
	struct ioband_settings settings;
	struct ioband_error err;
	unsigned int i, len;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ioband_settings_init(&settings);
		assert_false(change(&settings, rows[i].policy, rows[i].words,
				    &err));
		print(&settings, rows[i].policy, full, sizeof(full));
		for (len = 1; len < strlen(full) + 5; len++) {
			text = malloc(len);
			memset(text, 'x', len);
			assert_int_equal(ioband_settings_print(&settings,
							       policy(rows[i].policy),
							       text, len),
					 strlen(full));
			assert_non_null(memchr(text, '\0', len));
			/* Full, if it did not fit: then it is asked for again. */
			assert_int_equal(strlen(text),
					 min(len - 1, strlen(full)));
			if (len > strlen(full))
				assert_string_equal(text, full);
			free(text);
		}
	}
}

/* A group with everything on it still fits into what callers have. */
static void test_print_longest(void **state)
{
	struct ioband_settings settings;
	unsigned int id;
	char text[1024];

	ioband_settings_init(&settings);
	settings.weight = IOBAND_WEIGHT_MAX;
	settings.class = IOBAND_IDLE;
	settings.min_is_ios = true;
	settings.min_rate = IOBAND_RATE_MAX - 3;
	settings.latency_us = 60000000;
	settings.parent.is_default = false;
	settings.parent.id = U64_MAX;
	for (id = 0; id < IOBAND_LIMITS; id++)
		settings.limits[id] = (struct ioband_rate) {
			.rate = IOBAND_RATE_MAX - 2,
			.burst = IOBAND_RATE_MAX - 1,
			.peak = IOBAND_RATE_MAX,
		};
	print(&settings, "weight", text, sizeof(text));
	round_trip(&settings, policy("weight"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_words_refused),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_need_terms),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_print_short),
		cmocka_unit_test(test_print_longest),
	};

	return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
