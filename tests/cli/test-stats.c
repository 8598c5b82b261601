// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parsers of answers to "stats" and "show", quantiles and units: with given
 * answers, then with some cut, repeated and corrupted at random, under the sanitizers.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/stats.h"
#include "lib/units.h"

static const char stats_full[] =
	"group=-1 weight=100 rd_ios=1 wait_us=0,5,18446744073709551615 service_us= "
	"future=a,b due_ppm=1000000\n"
	"\n"
	"group=7 parent=-1 weight=10000 because_debt_ns=3\n"
	"group=18446744073709551615 parent=7 "
	"wait_us=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2";
static const char show_full[] =
	"share=disk1 policy=weight type=cgroup depth=16 depth_reason=tags contended=1 "
	"in_flight=4 held=2 held_max=1024\n"
	"token_base=1 carryover=0 note=no_effect_without_epochs\n"
	"group=-1 weight=100 held=7\n";

static void stats_are_read(void **state)
{
	const struct stats_group *group;
	struct parse_error err;
	struct stats stats;

	(void)state;
	assert_int_equal(stats_parse(stats_full, &stats, &err), 0);
	assert_int_equal(stats.nr_groups, 3);

	group = stats_find(&stats, true, 99);
	assert_ptr_equal(group, &stats.groups[0]);
	assert_true(stats_has(group, STATS_WEIGHT));
	assert_true(stats_has(group, STATS_RD_IOS));
	assert_false(stats_has(group, STATS_WR_IOS));
	assert_int_equal(group->v[STATS_DUE_PPM], 1000000);
	assert_true(group->has_wait);
	assert_int_equal(group->wait[1], 5);
	assert_true(group->wait[2] == UINT64_MAX);
	assert_int_equal(group->wait[3], 0);
	assert_true(group->has_service);
	assert_int_equal(group->service[0], 0);
	assert_null(group->parent);

	group = stats_find(&stats, false, 7);
	assert_ptr_equal(group, &stats.groups[1]);
	assert_string_equal(group->parent, "-1");
	assert_false(group->has_wait);
	assert_int_equal(group->v[STATS_BECAUSE_DEBT_NS], 3);
	group = stats_find(&stats, false, UINT64_MAX);
	assert_ptr_equal(group, &stats.groups[2]);
	assert_int_equal(group->wait[31], 2);
	assert_null(stats_find(&stats, false, 8));
	assert_null(stats_find(&stats, false, 0));
	stats_free(&stats);

	assert_int_equal(stats_parse("", &stats, &err), 0);
	assert_int_equal(stats.nr_groups, 0);
	assert_null(stats_find(&stats, true, 0));
	stats_free(&stats);
}

static void bad_stats_are_refused(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "weight=1", "line 1 'weight=1': expected group=ID" },
		{ "group=1\ngroup=x", "line 2, word 1: 'x' is no value of group" },
		{ "group=1 weight", "line 1, word 2 'weight': expected KEY=VALUE" },
		{ "group=1 weight=", "line 1, word 2: '' is no value of weight" },
		{ "group=1 rd_ios=-1", "line 1, word 2: '-1' is no value of rd_ios" },
		{ "group=1 parent=y", "line 1, word 2: 'y' is no value of parent" },
		{ "group=1 wait_us=1,", "line 1, word 2: '1' is no value of wait_us" },
		{ "group=1 wait_us=1,,2", "line 1, word 2: '1' is no value of wait_us" },
		{ "group=1 service_us=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
		  "1,1,1,1,1,1,1,1,1,1", "line 1, word 2: '1' is no value of service_us" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parse_error err = { "" };
		struct stats stats;

		assert_int_equal(stats_parse(cases[i].text, &stats, &err),
				 -EINVAL);
		assert_string_equal(err.text, cases[i].error);
		assert_null(stats.groups);
	}
}

static void show_is_read(void **state)
{
	struct parse_error err;
	struct show show;

	(void)state;
	assert_int_equal(show_parse(show_full, &show, &err), 0);
	assert_string_equal(show.depth, "16");
	assert_string_equal(show.depth_reason, "tags");
	assert_string_equal(show.contended, "1");
	assert_string_equal(show.in_flight, "4");
	assert_string_equal(show.held, "2");
	assert_string_equal(show.note, "no_effect_without_epochs");
	show_free(&show);

	assert_int_equal(show_parse("", &show, &err), 0);
	assert_null(show.depth);
	show_free(&show);
}

static void quantiles_lie_in_their_bucket(void **state)
{
	uint64_t counts[STATS_BUCKETS] = { 0 };

	(void)state;
	assert_true(stats_quantile_us(0, counts, 0.5) < 0);
	counts[0] = 10;
	assert_true(stats_quantile_us(0, counts, 0.5) == 0.5);
	counts[0] = 0;
	counts[4] = 100;
	assert_true(stats_quantile_us(0, counts, 0.5) == 12);
	assert_true(stats_quantile_us(0, counts, 1) == 16);
	counts[10] = 1;
	assert_true(stats_quantile_us(0, counts, 0.99) > 15.9);
	assert_true(stats_quantile_us(0, counts, 0.99) <= 16);
	assert_true(stats_quantile_us(0, counts, 1) == 1024);
	/* One of ten was held, for 8 to 16 us. */
	counts[10] = 0;
	assert_true(stats_quantile_us(900, counts, 0.5) == 0);
	assert_true(stats_quantile_us(900, counts, 0.9) == 0);
	assert_true(stats_quantile_us(900, counts, 0.95) == 12);
	assert_true(stats_quantile_us(900, counts, 1) == 16);
	for (unsigned int i = 0; i < STATS_BUCKETS; i++)
		counts[i] = UINT64_MAX;
	assert_true(stats_quantile_us(0, counts, 1) <= 2147483648.0);
	assert_true(stats_quantile_us(0, counts, 0.99) > 1073741824.0);
}

static void units_are_short(void **state)
{
	static const struct {
		double us;
		const char *text;
	} times[] = {
		{ 0, "0us" }, { 0.4, "0us" }, { 999.4, "999us" }, { 999.5, "1.0ms" },
		{ 9949, "9.9ms" }, { 9951, "10ms" }, { 999499, "999ms" },
		{ 999500, "1.0s" }, { 9.96e6, "10s" }, { 86400e6, "86400s" },
	};
	static const struct {
		double number;
		const char *text;
	} counts[] = {
		{ 0, "0" }, { 99999.4, "99999" }, { 99999.5, "100k" },
		{ 9999499, "9999k" }, { 9999501, "10M" }, { 1.9e19, "19E" },
	};
	char buf[UNITS_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		assert_string_equal(units_time(buf, times[i].us), times[i].text);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		assert_string_equal(units_count(buf, counts[i].number),
				    counts[i].text);
}

static void use(const char *text)
{
	struct parse_error err = { "" };
	struct stats stats;
	struct show show;
	int r;

	r = stats_parse(text, &stats, &err);
	assert_true(!r || (r == -EINVAL && *err.text));
	for (size_t i = 0; !r && i < stats.nr_groups; i++)
		stats_find(&stats, false, stats.groups[i].id);
	stats_free(&stats);
	r = show_parse(text, &show, &err);
	assert_true(!r || (r == -EINVAL && *err.text));
	show_free(&show);
}

static void spoilt_answers_do_no_harm(void **state)
{
	static const char * const texts[] = { stats_full, show_full };
	static const char bytes[] = "=, \n-0123456789gx";
	char text[1024];

	(void)state;
	srandom(1);
	for (unsigned int round = 0; round < 20000; round++) {
		size_t len;

		strcpy(text, texts[round % 2]);
		len = strlen(text);
		for (long n = random() % 5; n >= 0; n--)
			text[random() % len] =
				bytes[random() % (sizeof(bytes) - 1)];
		if (random() % 2)
			text[random() % len] = '\0';
		use(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stats_are_read),
		cmocka_unit_test(bad_stats_are_refused),
		cmocka_unit_test(show_is_read),
		cmocka_unit_test(quantiles_lie_in_their_bucket),
		cmocka_unit_test(units_are_short),
		cmocka_unit_test(spoilt_answers_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
