// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parsers of table and status lines, and of sizes: with given lines, then with
 * lines cut, repeated and corrupted at random, under the sanitizers.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/klog.h"
#include "lib/table.h"
#include "lib/units.h"

static const char table_full[] =
	"8:16 share1 4 192 cgroup weight-iosize 2048 :100 18446744073709551615:7 "
	"80:weight=200 81:rbps=5,weight=30 options 4 offset 4096 auto 2";
static const char status_full[] =
	"share1 -1 1 2 3 4 5 6 7 8 9 10 11 "
	"18446744073709551615 0 0 0 0 0 0 0 0 0 0 18446744073709551615";

static void table_is_read(void **state)
{
	const struct table_group *group;
	struct parse_error err;
	struct table_line line;

	(void)state;
	assert_int_equal(table_parse(table_full, &line, &err), 0);
	assert_string_equal(line.device, "8:16");
	assert_string_equal(line.share, "share1");
	assert_int_equal(line.io_throttle, 4);
	assert_int_equal(line.io_limit, 192);
	assert_string_equal(line.type, "cgroup");
	assert_string_equal(line.policy, "weight-iosize");
	assert_int_equal(line.token_base, 2048);
	assert_int_equal(line.offset_sectors, 4096);
	assert_int_equal(line.auto_depth, 2);
	assert_int_equal(line.nr_groups, 4);

	group = table_find(&line, true, 12345);
	assert_non_null(group);
	assert_int_equal(group->weight, 100);
	group = table_find(&line, false, UINT64_MAX);
	assert_non_null(group);
	assert_int_equal(group->weight, 7);
	group = table_find(&line, false, 80);
	assert_non_null(group);
	assert_int_equal(group->weight, 200);
	group = table_find(&line, false, 81);
	assert_non_null(group);
	assert_int_equal(group->weight, 30);
	assert_string_equal(group->param, "rbps=5,weight=30");
	assert_null(table_find(&line, false, 82));
	assert_null(table_find(&line, false, 0));
	table_free(&line);
}

static void table_may_end_early(void **state)
{
	static const char * const lines[] = {
		"8:16 s 0 0 none weight",
		"8:16 s 0 0 none weight 0",
		"8:16 s 0 0 none weight 0 :100",
		"8:16 s 0 0 none weight options 0",
		"8:16 s 0 0 none weight 0 :100 options 2 later 1",
		"  8:16  s 0 0 none weight\n",
	};
	struct parse_error err;
	struct table_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(table_parse(lines[i], &line, &err), 0);
		assert_null(table_find(&line, false, 1));
		table_free(&line);
	}
}

/* Not every parameter that is or contains a number is a weight. */
static void params_without_weight(void **state)
{
	static const char * const params[] = {
		"limit 0 :100",
		"range-bw 0 :100:300",
		"weight 0 :weight=",
		"weight 0 :weight=x",
		"weight 0 :weight=99999999999999",
		"weight 0 :xweight=5",
		"weight 0 :weight",
		"weight 0 :4294967296",
		"weight 0 :,,,",
	};
	struct parse_error err;
	struct table_line line;
	char text[80];

	(void)state;
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
		snprintf(text, sizeof(text), "8:16 s 0 0 none %s", params[i]);
		assert_int_equal(table_parse(text, &line, &err), 0);
		assert_int_equal(line.nr_groups, 1);
		assert_int_equal(line.groups[0].weight, 0);
		table_free(&line);
	}
}

static void table_is_refused(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} lines[] = {
		{ "", "ends after word 0: expected a device" },
		{ "   ", "ends after word 0: expected a device" },
		{ "8:16 s", "ends after word 2: expected io_throttle" },
		{ "8:16 s x 0 none weight",
		  "word 3 'x': expected io_throttle, a number" },
		{ "8:16 s -1 0 none weight",
		  "word 3 '-1': expected io_throttle, a number" },
		{ "8:16 s 0 4294967296 none weight",
		  "word 4 '4294967296': expected io_limit, a number" },
		{ "8:16 s 0 0 none", "ends after word 5: expected a policy" },
		{ "8:16 s 0 0 none weight :100",
		  "word 7 ':100': expected token_base, a number" },
		{ "8:16 s 0 0 none weight 0 100",
		  "word 8 '100': expected ID:PARAMETER" },
		{ "8:16 s 0 0 none weight 0 :",
		  "word 8 ':': expected ID:PARAMETER" },
		{ "8:16 s 0 0 none weight 0 :1 0x5:1",
		  "word 9 '0x5': expected the id of a group" },
		{ "8:16 s 0 0 none weight 0 :1 18446744073709551616:1",
		  "word 9 '18446744073709551616': expected the id of a group" },
		{ "8:16 s 0 0 none weight options",
		  "ends after word 7: expected the number of option words" },
		{ "8:16 s 0 0 none weight options 1",
		  "word 8: 1 option words announced, 0 there" },
		{ "8:16 s 0 0 none weight options 2 offset 5 auto",
		  "word 8: 2 option words announced, 3 there" },
		{ "8:16 s 0 0 none weight options 1 offset",
		  "ends after word 9: expected the value of an option" },
		{ "8:16 s 0 0 none weight options 2 offset 5s",
		  "word 10 '5s': expected a number for option offset" },
	};
	struct parse_error err;
	struct table_line line;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(table_parse(lines[i].text, &line, &err),
				 -EINVAL);
		assert_string_equal(err.text, lines[i].why);
		assert_null(line.groups);
		assert_null(line.text);
	}
}

static void status_is_read(void **state)
{
	struct status_line line;
	struct parse_error err;

	(void)state;
	assert_int_equal(status_parse(status_full, &line, &err), 0);
	assert_string_equal(line.share, "share1");
	assert_int_equal(line.nr_groups, 2);
	assert_true(line.groups[0].is_default);
	assert_int_equal(line.groups[0].rd_ios, 1);
	assert_int_equal(line.groups[0].rd_merges, 2);
	assert_int_equal(line.groups[0].rd_sectors, 3);
	assert_int_equal(line.groups[0].rd_ms, 4);
	assert_int_equal(line.groups[0].wr_ios, 5);
	assert_int_equal(line.groups[0].wr_merges, 6);
	assert_int_equal(line.groups[0].wr_sectors, 7);
	assert_int_equal(line.groups[0].wr_ms, 8);
	assert_int_equal(line.groups[0].held, 9);
	assert_int_equal(line.groups[0].busy_ms, 10);
	assert_int_equal(line.groups[0].queue_ms, 11);
	assert_false(line.groups[1].is_default);
	assert_true(line.groups[1].id == UINT64_MAX);
	assert_true(line.groups[1].queue_ms == UINT64_MAX);
	status_free(&line);

	assert_int_equal(status_parse("s", &line, &err), 0);
	assert_int_equal(line.nr_groups, 0);
	status_free(&line);
}

static void status_is_refused(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} lines[] = {
		{ "", "ends after word 0: expected a share" },
		{ "s x", "word 2 'x': expected the id of a group" },
		{ "s -2 1 2 3 4 5 6 7 8 9 10 11",
		  "word 2 '-2': expected the id of a group" },
		{ "s -1 1 2 3", "ends after word 5: expected rd_ms" },
		/* The form of 1.12 with two groups: seven words each. */
		{ "s -1 1 2 3 4 5 6 9 1 2 3 4 5 6",
		  "ends after word 15: expected rd_merges" },
		{ "s -1 1 2 3 4 5 6 7 8 9 10 18446744073709551616",
		  "word 13 '18446744073709551616': expected queue_ms, a number" },
	};
	struct status_line line;
	struct parse_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(status_parse(lines[i].text, &line, &err),
				 -EINVAL);
		assert_string_equal(err.text, lines[i].why);
		assert_null(line.groups);
		assert_null(line.text);
	}
}

/* A word of any length is truncated to fit the message. */
static void huge_words(void **state)
{
	enum { LEN = 1 << 20 };
	struct status_line status;
	struct table_line line;
	struct parse_error err;
	char *text = malloc(LEN + 1);

	(void)state;
	assert_non_null(text);
	memset(text, '9', LEN);
	text[LEN] = '\0';
	memcpy(text, "8:16 s ", 7);
	assert_int_equal(table_parse(text, &line, &err), -EINVAL);
	assert_int_equal(status_parse(text, &status, &err), -EINVAL);

	/* As many words as there can be. */
	for (size_t i = 0; i < LEN; i++)
		text[i] = i % 2 ? ' ' : '1';
	assert_int_equal(table_parse(text, &line, &err), -EINVAL);
	text[LEN - 1] = '\0';
	if (!status_parse(text, &status, &err))
		status_free(&status);
	free(text);
}

/* xorshift, so that the lines are the same everywhere. */
static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static void parse_both(const char *text)
{
	struct status_line status;
	struct table_line table;
	struct parse_error err;
	uint64_t sum = 0;

	memset(&err, 'x', sizeof(err));
	if (!table_parse(text, &table, &err)) {
		for (size_t i = 0; i < table.nr_groups; i++) {
			const struct table_group *g = &table.groups[i];

			sum += strlen(g->param) + g->weight;
			assert_non_null(table_find(&table, g->is_default,
						   g->id));
		}
		sum += strlen(table.device) + strlen(table.policy);
		table_free(&table);
	} else {
		assert_non_null(memchr(err.text, '\0', sizeof(err.text)));
	}
	if (!status_parse(text, &status, &err)) {
		for (size_t i = 0; i < status.nr_groups; i++)
			sum += status.groups[i].held;
		sum += strlen(status.share);
		status_free(&status);
	} else {
		assert_non_null(memchr(err.text, '\0', sizeof(err.text)));
	}
	(void)sum;
}

static void spoilt_lines(void **state)
{
	static const char spices[] = " :,=-0199\n\t\x01\x80\xff/options weight=";
	static const char * const lines[] = { table_full, status_full };
	uint32_t seed = 2463534242U;

	(void)state;
	for (unsigned int round = 0; round < 100000; round++) {
		const char *from = lines[next_random(&seed) % 2];
		size_t len = strlen(from);
		/* Exactly sized, so that accesses beyond it are caught. */
		char *text = malloc(2 * len + 1);

		assert_non_null(text);
		memcpy(text, from, len + 1);
		for (unsigned int n = next_random(&seed) % 6; n && len; n--) {
			size_t at = next_random(&seed) % len;
			size_t size = next_random(&seed) % (len - at) + 1;

			switch (next_random(&seed) % 4) {
			case 0:
				len = at;
				break;
			case 1:
				memmove(text + at, text + at + size,
					len - at - size);
				len -= size;
				break;
			case 2:
				if (len + size > 2 * strlen(from))
					break;
				memmove(text + at + size, text + at, len - at);
				len += size;
				break;
			default:
				text[at] = spices[next_random(&seed) %
						  (sizeof(spices) - 1)];
			}
		}
		text = realloc(text, len + 1);
		assert_non_null(text);
		text[len] = '\0';
		parse_both(text);
		free(text);
	}
}

/* Every beginning of a valid line is parsed or refused, never misread. */
static void cut_lines(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(table_full); len++) {
		char *text = strndup(table_full, len);

		assert_non_null(text);
		parse_both(text);
		free(text);
	}
}

static void sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0B" }, { 1, "1B" }, { 1023, "1023B" }, { 1024, "1K" },
		{ 1536, "1.5K" }, { 4096, "4K" }, { 1024 * 1024 - 1, "1M" },
		{ 10239, "10K" }, { 1126, "1.1K" }, { 1ULL << 30, "1G" },
		{ 3ULL << 29, "1.5G" }, { 1ULL << 60, "1E" },
		{ 3ULL << 59, "1.5E" }, { UINT64_MAX, "16E" },
	};
	char buf[UNITS_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(units_size(buf, cases[i].bytes),
				    cases[i].text);
	assert_true(units_bytes(8) == 4096);
	assert_true(units_bytes(UINT64_MAX / 512) == UINT64_MAX - 511);
	assert_true(units_bytes(UINT64_MAX / 512 + 1) == UINT64_MAX);
}

static void sizes_are_read(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{ "0", 0 }, { "1", 1 }, { "512B", 512 }, { "4K", 4096 },
		{ "4k", 4096 }, { "4KiB", 4096 }, { "4KB", 4000 },
		{ "10M", 10485760 }, { "1.5M", 1572864 }, { "1.5MB", 1500000 },
		{ "0.001K", 1 }, { "2.500G", 2684354560 },
		{ "15E", 15ULL << 60 }, { "18446744073709551615", UINT64_MAX },
		{ "1.001EB", 1001000000000000000 },
	};
	static const char * const bad[] = {
		"", "K", "-1", "+1", " 1", "1 ", "1.5", "1.", ".5", "1.5B",
		"1.0001K", "10X", "10Mi", "10Mb", "10KK", "10M/h", "10M/s", "16E",
		"18446744073709551616", "20EB", "0x10", "1e3",
	};
	uint64_t bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(units_parse_size(good[i].text, &bytes));
		assert_true(bytes == good[i].bytes);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(units_parse_size(bad[i], &bytes));
	assert_true(units_parse_rate("10M/s", &bytes) && bytes == 10485760);
	assert_true(units_parse_rate("10MB", &bytes) && bytes == 10000000);
	assert_false(units_parse_rate("10M/h", &bytes));
	assert_true(units_parse_usec("7", &bytes) && bytes == 7);
	assert_true(units_parse_usec("2.5ms", &bytes) && bytes == 2500);
	assert_true(units_parse_usec("1.000001s", &bytes) == false);
	assert_true(units_parse_usec("3s", &bytes) && bytes == 3000000);
	assert_false(units_parse_usec("5m", &bytes));
	assert_false(units_parse_usec("0.5us", &bytes));
}

/* A size that is printed exactly parses to the same value. */
static void exact_sizes(void **state)
{
	static const uint64_t sizes[] = {
		0, 1, 1023, 1024, 1025, 1536, 10485760, 20000000,
		3ULL << 60, UINT64_MAX,
	};
	char buf[UNITS_LEN];
	uint64_t bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_true(units_parse_size(units_exact(buf, sizes[i]),
					     &bytes));
		assert_true(bytes == sizes[i]);
	}
	assert_string_equal(units_exact(buf, 10485760), "10M");
	assert_string_equal(units_exact(buf, 1536), "1536B");
	assert_string_equal(units_exact(buf, 20000000), "20MB");
	assert_string_equal(units_exact(buf, 1024000), "1000K");
	assert_string_equal(units_exact(buf, 1536000), "1500K");
	assert_string_equal(units_exact_time(buf, 5000), "5ms");
	assert_string_equal(units_exact_time(buf, 2000000), "2s");
	assert_string_equal(units_exact_time(buf, 1500), "1.5ms");
	assert_string_equal(units_exact_time(buf, 1050030), "1050.03ms");
	assert_string_equal(units_exact_time(buf, 0), "0");
	assert_string_equal(units_exact_time(buf, 999), "999us");
}

static void kernel_log(void **state)
{
	static const struct {
		const char *record;
		const char *device;
		int rank;
		const char *reason;
	} cases[] = {
		{ "3,12,34,-;device-mapper: ioband: 253:0: weight '0': expected 1 to 10000\n SUBSYSTEM=x\n",
		  "253:0", 3, "weight '0': expected 1 to 10000" },
		{ "3,12,34,-;device-mapper: ioband: 253:0: a\n", NULL, 3, "a" },
		{ "3,12,34,-;device-mapper: ioband: 253:0: a\n", "253:1", 0,
		  NULL },
		{ "3,12,34,-;device-mapper: ioband: 253:0: a\n", "253:00", 0,
		  NULL },
		{ "3,12,34,-;device-mapper: table: 253:0: device 8:16 too small for target: start=0\n",
		  "253:0", 2, "device 8:16 too small for target: start=0" },
		{ "3,12,34,-;device-mapper: table: 253:0: ioband: Invalid options (-EINVAL)\n",
		  "253:0", 1, "ioband: Invalid options (-EINVAL)" },
		{ "3,12,34,-;device-mapper: ioband: register failed -1\n", NULL,
		  0, NULL },
		{ "6,12,34,-;EXT4-fs: hello\n", NULL, 0, NULL },
		{ "3,12,34,-;device-mapper: ioband: 253:0: \n", NULL, 0, NULL },
		{ "", NULL, 0, NULL },
		{ "3,12;device-mapper: ", NULL, 0, NULL },
	};
	char reason[KLOG_REASON_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(klog_match(cases[i].record, cases[i].device,
					    reason), cases[i].rank);
		if (cases[i].rank)
			assert_string_equal(reason, cases[i].reason);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_read),
		cmocka_unit_test(table_may_end_early),
		cmocka_unit_test(params_without_weight),
		cmocka_unit_test(table_is_refused),
		cmocka_unit_test(status_is_read),
		cmocka_unit_test(status_is_refused),
		cmocka_unit_test(huge_words),
		cmocka_unit_test(cut_lines),
		cmocka_unit_test(spoilt_lines),
		cmocka_unit_test(sizes),
		cmocka_unit_test(sizes_are_read),
		cmocka_unit_test(exact_sizes),
		cmocka_unit_test(kernel_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
