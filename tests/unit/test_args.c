// SPDX-License-Identifier: GPL-2.0-only
/*
 * The grammar of table and message. What is accepted is printed back in one
 * canonical form and compared as text; what is refused must say why.
 */
#include "unit.h"
#include <sanitizer/lsan_interface.h>
#include "dm-ioband-args.h"

#define WORDS_MAX 32

/* Each word has an allocation of its own, so that ASan sees its ends. */
struct words {
	unsigned int argc;
	char *argv[WORDS_MAX];
};

static char long_word[4096];

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
		at += sprintf(at, ",latency=%llu",
			      (unsigned long long)settings->latency_us);
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
		      table->share, table->io_throttle, table->io_limit,
		      ioband_type_name(table->type), table->policy->name,
		      table->token_base,
		      (unsigned long long)table->offset_sectors,
		      table->auto_depth);
	if (table->quantum_ms)
		at += sprintf(at, " quantum%u", table->quantum_ms);
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

static int parse(bool is_table, const char *line, char *printed,
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

static void accept(bool is_table, const char *line, const char *expected)
{
	struct ioband_error err;
	char printed[8192];

	if (parse(is_table, line, printed, &err))
		fail_msg("'%s' refused: %s: %s", line, err.brief, err.text);
	if (strcmp(printed, expected))
		fail_msg("'%s' gives '%s', not '%s'", line, printed, expected);
}

/* @word is what is wrong, @hint what the text says should be there. */
static void refuse(bool is_table, const char *line, const char *brief,
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

struct accepted {
	const char *line;
	const char *expected;
};

struct refused {
	const char *line;
	const char *brief;
	const char *word;
	const char *hint;
};

static void accept_all(bool is_table, const struct accepted *rows,
		       unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		accept(is_table, rows[i].line, rows[i].expected);
}

static void refuse_all(bool is_table, const struct refused *rows,
		       unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		refuse(is_table, rows[i].line, rows[i].brief, rows[i].word,
		       rows[i].hint);
}

#define ACCEPT_ALL(is_table, rows) accept_all(is_table, rows, ARRAY_SIZE(rows))
#define REFUSE_ALL(is_table, rows) refuse_all(is_table, rows, ARRAY_SIZE(rows))

/* Lines that dm-ioband 1.14's own manual and mails have. */
static void test_table_of_version_1(void **state)
{
	static const struct accepted rows[] = {
		{ "/dev/sda1 1 0 0 none weight 0 :40",
		  "/dev/sda1 1 0 0 none weight 0 +0 auto0 -1:40" },
		{ "/dev/sda1 share1 10 400 user weight 2048 :100 1000:80 2000:20",
		  "/dev/sda1 share1 10 400 user weight 2048 +0 auto0 -1:100 1000:80 2000:20" },
		{ "254:0 /dev/VolGroup00 0 0 none weight 0 :1",
		  "254:0 /dev/VolGroup00 0 0 none weight 0 +0 auto0 -1:1" },
		{ "8:18 1 4 128 cgroup weight-iosize 16384 :0x10 2:32767",
		  "8:18 1 4 128 cgroup weight-iosize 16384 +0 auto0 -1:16 2:32767" },
		/* Policy parameters may all be left out. */
		{ "/dev/sda1 1 0 0 none weight",
		  "/dev/sda1 1 0 0 none weight 0 +0 auto0 -1:0" },
		{ "/dev/sda1 1 0 0 gid default 7",
		  "/dev/sda1 1 0 0 gid default 7 +0 auto0 -1:0" },
	};

	ACCEPT_ALL(true, rows);
}

static void test_table_words(void **state)
{
	static const struct accepted rows[] = {
		/* Numbers in C notation. */
		{ "d s 0x10 020 none weight 0x7fffffff :0144",
		  "d s 16 16 none weight 2147483647 +0 auto0 -1:100" },
		{ "d s 32767 32767 none weight 0 :32767",
		  "d s 32767 32767 none weight 0 +0 auto0 -1:32767" },
		/* io_limit is raised to io_throttle, unless it is automatic. */
		{ "d s 10 4 none weight", "d s 10 10 none weight 0 +0 auto0 -1:0" },
		{ "d s 10 10 none weight", "d s 10 10 none weight 0 +0 auto0 -1:0" },
		{ "d s 10 0 none weight", "d s 10 0 none weight 0 +0 auto0 -1:0" },
		{ "d s 0 4 none weight", "d s 0 4 none weight 0 +0 auto0 -1:0" },
		/* The longest share id. */
		{ "d 1234567890123456789012345678901 0 0 none weight",
		  "d 1234567890123456789012345678901 0 0 none weight 0 +0 auto0 -1:0" },
		/* Types and policies print back as they were given. */
		{ "d s 0 0 user weight", "d s 0 0 user weight 0 +0 auto0 -1:0" },
		{ "d s 0 0 uid weight", "d s 0 0 uid weight 0 +0 auto0 -1:0" },
		{ "d s 0 0 gid weight", "d s 0 0 gid weight 0 +0 auto0 -1:0" },
		{ "d s 0 0 pid weight", "d s 0 0 pid weight 0 +0 auto0 -1:0" },
		{ "d s 0 0 pgrp weight", "d s 0 0 pgrp weight 0 +0 auto0 -1:0" },
		{ "d s 0 0 cgroup weight", "d s 0 0 cgroup weight 0 +0 auto0 -1:0" },
		{ "d s 0 0 ioprio weight", "d s 0 0 ioprio weight 0 +0 auto0 -1:0" },
		{ "d s 0 0 none default", "d s 0 0 none default 0 +0 auto0 -1:0" },
		{ "d s 0 0 none weight-iosize",
		  "d s 0 0 none weight-iosize 0 +0 auto0 -1:0" },
		/* The three delimiters. */
		{ "d s 0 0 uid weight 0 =5 1:10 2=20 3,30",
		  "d s 0 0 uid weight 0 +0 auto0 -1:5 1:10 2:20 3:30" },
		{ "d s 0 0 uid weight 0 ,5 0:10",
		  "d s 0 0 uid weight 0 +0 auto0 -1:5 0:10" },
		{ "d s 0 0 uid weight 0 :5 0x3e8:10 18446744073709551615:1",
		  "d s 0 0 uid weight 0 +0 auto0 -1:5 1000:10 18446744073709551615:1" },
		/* key=value after each of them. */
		{ "d s 0 0 uid weight 0 :weight=5 1:weight=1 2=weight=32767 3,weight=30",
		  "d s 0 0 uid weight 0 +0 auto0 -1:5 1:1 2:32767 3:30" },
		/* Several of them. */
		{ "d s 0 0 uid weight 0 :100 1:weight=32767,class=rt,miniops=0x10,latency=20000,parent=7,force=1",
		  "d s 0 0 uid weight 0 +0 auto0 -1:100 1:32767,class=rt,miniops=16,latency=20000,parent=7,force" },
		{ "d s 0 0 uid weight-iosize 0 :min=5,bps=10,burst=20,peak=30 7=class=idle,parent=-1",
		  "d s 0 0 uid weight-iosize 0 +0 auto0 -1:0,min=5,bps=10+20/30 7:0,class=idle,parent=-1" },
		{ "d s 0 0 uid default 0 :rbps=1,wbps=2,burst=3,bps=4,burst=5,peak=6,riops=7,peak=9,burst=8,wiops=max,iops=9",
		  "d s 0 0 uid default 0 +0 auto0 -1:0,rbps=1+0/0,wbps=2+3/0,bps=4+5/6,riops=7+8/9,wiops=0+0/0,iops=9+0/0" },
	};

	ACCEPT_ALL(true, rows);
}

/* Policies whose number is not a weight. */
static void test_table_policies(void **state)
{
	static const struct accepted rows[] = {
		/* 1.14's range-bw: KiB/s. */
		{ "d s 0 0 uid range-bw", "d s 0 0 uid range-bw 0 +0 auto0 -1:0" },
		{ "d s 0 0 uid range-bw 0 :0:0 1000:5:6 2000:10:10",
		  "d s 0 0 uid range-bw 0 +0 auto0 -1:0,min=0,bps=0+0/0 1000:0,min=5120,bps=6144+0/0 2000:0,min=10240,bps=10240+0/0" },
		{ "d s 0 0 uid range-bw 0 =0:0x10 1,020=16 2:3,4 3:1099511627776:1099511627776",
		  "d s 0 0 uid range-bw 0 +0 auto0 -1:0,min=0,bps=16384+0/0 1:0,min=16384,bps=16384+0/0 2:0,min=3072,bps=4096+0/0 3:0,min=1125899906842624,bps=1125899906842624+0/0" },
		{ "d s 0 0 uid range-bw 0 :class=rt 1:min=5,iops=6,burst=7",
		  "d s 0 0 uid range-bw 0 +0 auto0 -1:0,class=rt 1:0,min=5,iops=6+7/0" },
		/* Bytes a second. */
		{ "d s 0 0 uid limit", "d s 0 0 uid limit 0 +0 auto0 -1:0" },
		{ "d s 0 0 uid limit 0 :0 1:5 2:5:6 3:0x10=0 4,1125899906842624,1125899906842624",
		  "d s 0 0 uid limit 0 +0 auto0 -1:0,bps=0+0/0 1:0,bps=5+0/0 2:0,bps=5+6/0 3:0,bps=16+0/0 4:0,bps=1125899906842624+1125899906842624/0" },
		{ "d s 0 0 uid limit 0 :iops=5,rbps=6,burst=7,peak=8",
		  "d s 0 0 uid limit 0 +0 auto0 -1:0,rbps=6+7/8,iops=5+0/0" },
	};

	ACCEPT_ALL(true, rows);
}

/* A path is cut at its last colon, as a path may have all the delimiters. */
static void test_table_paths(void **state)
{
	static const struct accepted rows[] = {
		{ "d s 0 0 cgroup weight 0 :5 /a/b:10 /:20",
		  "d s 0 0 cgroup weight 0 +0 auto0 -1:5 /a/b:10 /:20" },
		{ "d s 0 0 cgroup weight 0 :5 /a=b,c:d:weight=10",
		  "d s 0 0 cgroup weight 0 +0 auto0 -1:5 /a=b,c:d:10" },
		{ "d s 0 0 cgroup weight 0 :5 /user.slice/user-1000.slice/user@1000.service:10",
		  "d s 0 0 cgroup weight 0 +0 auto0 -1:5 /user.slice/user-1000.slice/user@1000.service:10" },
		{ "d s 0 0 cgroup weight 0 :5 /:::10",
		  "d s 0 0 cgroup weight 0 +0 auto0 -1:5 /:::10" },
		{ "d s 0 0 cgroup weight 0 :5 /a:7:rbps=5,burst=6",
		  "d s 0 0 cgroup weight 0 +0 auto0 -1:5 /a:7:0,rbps=5+6/0" },
		/* Or the last but one, if two numbers are what follows. */
		{ "d s 0 0 cgroup range-bw 0 :0:0 /a:1:2",
		  "d s 0 0 cgroup range-bw 0 +0 auto0 -1:0,min=0,bps=0+0/0 /a:0,min=1024,bps=2048+0/0" },
		{ "d s 0 0 cgroup range-bw 0 :0:0 /a=b,c:d:1:2 /:3:4",
		  "d s 0 0 cgroup range-bw 0 +0 auto0 -1:0,min=0,bps=0+0/0 /a=b,c:d:0,min=1024,bps=2048+0/0 /:0,min=3072,bps=4096+0/0" },
		{ "d s 0 0 cgroup range-bw 0 :0:0 /a:7:1:2 /b:min=7",
		  "d s 0 0 cgroup range-bw 0 +0 auto0 -1:0,min=0,bps=0+0/0 /a:7:0,min=1024,bps=2048+0/0 /b:0,min=7" },
		{ "d s 0 0 cgroup limit 0 :0 /a:5 /a:5:6 /b:c:5 /b:c:5:6 /d:bps=5",
		  "d s 0 0 cgroup limit 0 +0 auto0 -1:0,bps=0+0/0 /a:0,bps=5+0/0 /a:0,bps=5+6/0 /b:c:0,bps=5+0/0 /b:c:0,bps=5+6/0 /d:0,bps=5+0/0" },
		{ "d s 0 0 cgroup limit 0 :0 /7:iops=5 /a:7:iops=5",
		  "d s 0 0 cgroup limit 0 +0 auto0 -1:0,bps=0+0/0 /7:0,iops=5+0/0 /a:7:0,iops=5+0/0" },
	};

	ACCEPT_ALL(true, rows);
}

static void test_table_options(void **state)
{
	static const struct accepted rows[] = {
		{ "d s 0 0 none weight options 0",
		  "d s 0 0 none weight 0 +0 auto0 -1:0" },
		{ "d s 0 0 none weight options 2 offset 2048",
		  "d s 0 0 none weight 0 +2048 auto0 -1:0" },
		{ "d s 0 0 none weight 0 :9 options 2 offset 0x10",
		  "d s 0 0 none weight 0 +16 auto0 -1:9" },
		{ "d s 0 0 none weight 0 options 2 offset 18014398509481983",
		  "d s 0 0 none weight 0 +18014398509481983 auto0 -1:0" },
		{ "d s 0 0 cgroup weight 0 :9 /a:1 options 4 auto 64 offset 0",
		  "d s 0 0 cgroup weight 0 +0 auto64 -1:9 /a:1" },
		{ "d s 0 0 none weight-time options 2 quantum 10000",
		  "d s 0 0 none weight-time 0 +0 auto0 quantum10000 -1:0" },
		{ "d s 0 0 none weight-time 0 :9 options 6 quantum 1 offset 8 carryover 2",
		  "d s 0 0 none weight-time 0 +8 auto0 quantum1 -1:9" },
		{ "d s 0 0 cgroup weight options 2 auto 1",
		  "d s 0 0 cgroup weight 0 +0 auto1 -1:0" },
	};

	ACCEPT_ALL(true, rows);
}

static void test_table_refused(void **state)
{
	static const char few[] = "Requires 6 or more arguments";
	static const char throttle[] = "Invalid io_throttle";
	static const char limit[] = "Invalid io_limit";
	static const char type[] = "Cannot set ioband group type";
	static const char policy[] = "Invalid policy parameter";
	static const char group[] = "Cannot create ioband group";
	static const char share[] = "Ioband device name is too long";
	static const struct refused rows[] = {
		{ "", few, "0 words", "expected at least device" },
		{ "d s 0 0 none", few, "5 words", "expected at least device" },
		{ "d 12345678901234567890123456789012 0 0 none weight", share,
		  "12345678901234567890123456789012", "expected 1 to 31" },
		{ "d '' 0 0 none weight", share, "''", "expected 1 to 31" },

		{ "d s 32768 0 none weight", throttle, "32768", "expected 0 to 32767" },
		{ "d s -1 0 none weight", throttle, "'-1'", "expected 0 to 32767" },
		{ "d s +1 0 none weight", throttle, "'+1'", "expected" },
		{ "d s 1x 0 none weight", throttle, "'1x'", "expected" },
		{ "d s 0x 0 none weight", throttle, "'0x'", "expected" },
		{ "d s 08 0 none weight", throttle, "'08'", "expected" },
		{ "d s '' 0 none weight", throttle, "''", "expected" },
		{ "d s \t1 0 none weight", throttle, "'\t1'", "expected" },
		{ "d s 1\n 0 none weight", throttle, "'1\n'", "expected" },
		{ "d s 18446744073709551616 0 none weight", throttle,
		  "18446744073709551616", "expected" },
		{ "d s 4294967297 0 none weight", throttle, "4294967297", "expected" },
		{ "d s 0 32768 none weight", limit, "32768", "expected 0 to 32767" },
		{ "d s 0 -1 none weight", limit, "'-1'", "expected 0 to 32767" },
		{ "d s 0 many none weight", limit, "'many'", "expected 0 to 32767" },

		{ "d s 0 0 blue weight", type, "'blue'", "expected none, user" },
		{ "d s 0 0 '' weight", type, "''", "expected none, user" },
		{ "d s 0 0 None weight", type, "'None'", "expected none, user" },
		{ "d s 0 0 node weight", type, "'node'", "use cgroup" },
		{ "d s 0 0 cpuset weight", type, "'cpuset'", "use cgroup" },

		{ "d s 0 0 none fair", policy, "'fair'", "expected default" },
		{ "d s 0 0 none ''", policy, "''", "expected default" },
		{ "d s 0 0 none limits", policy, "'limits'", "range-bw or limit" },
		{ "d s 0 0 none range", policy, "'range'", "range-bw or limit" },

		{ "d s 0 0 none weight :40", policy, "':40'", "expected 0 to 2147483647" },
		{ "d s 0 0 none weight -1", policy, "'-1'", "expected 0 to" },
		{ "d s 0 0 none weight 2147483648", policy, "2147483648", "expected 0 to" },
		{ "d s 0 0 none weight 0 40", policy, "'40'", "expected :parameter" },
		{ "d s 0 0 uid weight 0 1000:40", policy, "'1000:40'", "expected :parameter" },
		{ "d s 0 0 none weight 0 ''", policy, "''", "expected :parameter" },

		{ "d s 0 0 none weight 0 :0", policy, "'0'", "expected 1 to 32767" },
		{ "d s 0 0 none weight 0 :32768", policy, "32768", "expected 1 to 32767" },
		{ "d s 0 0 none weight 0 :-1", policy, "'-1'", "expected key=value" },
		{ "d s 0 0 none weight 0 :", policy, "''", "expected key=value" },
		{ "d s 0 0 none weight 0 ::5", policy, "':5'", "expected key=value" },
		{ "d s 0 0 none weight 0 :5,6", policy, "'5,6'", "expected 1 to" },
		{ "d s 0 0 none weight 0 :5,weight=6", policy, "'5,weight=6'", "expected 1 to" },
		{ "d s 0 0 none weight 0 :weight=", policy, "'weight='", "expected key=value" },
		{ "d s 0 0 none weight 0 :=5", policy, "'=5'", "expected key=value" },
		{ "d s 0 0 none weight 0 :weight", policy, "'weight'", "expected key=value" },
		{ "d s 0 0 none weight 0 :weight=5,", policy, "''", "expected key=value" },
		{ "d s 0 0 none weight 0 :weight=0", policy, "'0'", "expected 1 to 32767" },
		{ "d s 0 0 none weight 0 :weight=32768", policy, "32768", "expected 1 to 32767" },
		{ "d s 0 0 none weight 0 :weight=5,weight=6", policy, "weight", "given twice" },
		{ "d s 0 0 none weight 0 :weight=5,,class=rt", policy, "''", "expected key=value" },
		{ "d s 0 0 none weight 0 :rbps=5:6", policy, "rbps '5:6'", "or max" },
		{ "d s 0 0 none weight 0 :colour=5", policy, "'colour'", "expected weight, class" },
		/* Checked as a whole, what is not said having its default. */
		{ "d s 0 0 none weight 0 :min=5,rbps=2,wbps=2", policy, "min 5", "no more than the limit, 4" },
		{ "d s 0 0 none weight 0 :rbps=5,peak=6", policy, "peak 6", "without a burst" },
		{ "d s 0 0 uid weight 0 :1 7:iops=max,burst=5", policy, "iops", "neither burst nor peak" },
		{ "d s 0 0 none range-bw 0 :weight=5", policy, "weight", "under policy range-bw" },
		{ "d s 0 0 none limit 0 :class=rt", policy, "class", "under policy limit" },
		{ "d s 0 0 none limit 0 :min=5", policy, "min", "under policy limit" },
		{ "d s 0 0 none limit 0 :latency=5", policy, "latency", "under policy limit" },

		{ "d s 0 0 none range-bw 0 :5", policy, "'5'", "expected MIN:MAX" },
		{ "d s 0 0 none range-bw 0 :6:5", policy, "'6:5'", "not above the maximum" },
		{ "d s 0 0 none range-bw 0 :6:0", policy, "'6:0'", "not above the maximum" },
		{ "d s 0 0 none range-bw 0 :5:", policy, "maximum ''", "expected 0 to 1099511627776" },
		{ "d s 0 0 none range-bw 0 :5:6:7", policy, "maximum '6:7'", "expected 0 to" },
		{ "d s 0 0 none range-bw 0 :5x:6", policy, "minimum '5x'", "expected 0 to" },
		{ "d s 0 0 none range-bw 0 :0:1099511627777", policy, "1099511627777", "expected 0 to" },
		{ "d s 0 0 uid range-bw 0 :0:0 7:5", policy, "'5'", "expected MIN:MAX" },
		{ "d s 0 0 uid range-bw 0 :0:0 -1:5:6", group, "'-1'", "written :parameter" },
		{ "d s 0 0 cgroup range-bw 0 :0:0 /a:5", policy, "'5'", "expected MIN:MAX" },
		{ "d s 0 0 cgroup range-bw 0 :0:0 /5", group, "'/5'", "expected id:parameter" },

		{ "d s 0 0 none limit 0 :x", policy, "'x'", "expected key=value" },
		{ "d s 0 0 none limit 0 :5x", policy, "rate '5x'", "expected 0 to 1125899906842624 bytes a second" },
		{ "d s 0 0 none limit 0 :1125899906842625", policy, "1125899906842625", "expected 0 to" },
		{ "d s 0 0 none limit 0 :5:", policy, "burst ''", "expected 0 to 1125899906842624 bytes" },
		{ "d s 0 0 none limit 0 :5:6:7", policy, "burst '6:7'", "expected 0 to" },
		{ "d s 0 0 none limit 0 :5:1125899906842625", policy, "1125899906842625", "expected 0 to" },
		{ "d s 0 0 none limit 0 :0:5", policy, "rate 0", "no burst" },
		{ "d s 0 0 none limit 0 :18446744073709551617", policy, "18446744073709551617", "expected 0 to" },

		{ "d s 0 0 none weight 0 :5 1000:40", group, "'1000:40'", "default group only" },
		{ "d s 0 0 uid weight 0 :5 1000", group, "'1000'", "expected id:parameter" },
		{ "d s 0 0 uid weight 0 :5 ''", group, "''", "expected id:parameter" },
		{ "d s 0 0 uid weight 0 :5 -1:40", group, "'-1'", "written :parameter" },
		{ "d s 0 0 uid weight 0 :5 :40", "Invalid group id", "''", "expected an id" },
		{ "d s 0 0 uid weight 0 :5 -2:40", "Invalid group id", "'-2'", "expected an id" },
		{ "d s 0 0 uid weight 0 :5 root:40", "Invalid group id", "'root'", "expected an id" },
		{ "d s 0 0 uid weight 0 :5 18446744073709551616:40", "Invalid group id",
		  "18446744073709551616", "expected an id" },
		{ "d s 0 0 uid weight 0 :5 1000:0", policy, "'0'", "expected 1 to 32767" },
		{ "d s 0 0 uid weight 0 :5 1000:", policy, "''", "expected key=value" },
		{ "d s 0 0 cgroup weight 0 :5 /a", group, "'/a'", "expected id:parameter" },
		{ "d s 0 0 cgroup weight 0 :5 /a=5", group, "'/a=5'", "expected id:parameter" },
		{ "d s 0 0 cgroup weight 0 :5 /a:b", policy, "'b'", "expected key=value" },
	};

	REFUSE_ALL(true, rows);
}

static void test_options_refused(void **state)
{
	static const char options[] = "Invalid options";
	static const struct refused rows[] = {
		{ "d s 0 0 none weight options", options, "options", "expected the number" },
		{ "d s 0 0 none weight options two offset 5", options, "'two'", "expected 0 to 2" },
		{ "d s 0 0 none weight options 3 offset 5", options, "'3'", "expected 0 to 2" },
		{ "d s 0 0 none weight options 1 offset 5", options, "options 1", "2 words follow" },
		{ "d s 0 0 none weight options 0 offset 5", options, "options 0", "2 words follow" },
		{ "d s 0 0 none weight options 1 offset", options, "'offset'", "has no value" },
		{ "d s 0 0 none weight options 3 offset 5 x", options, "'x'", "has no value" },
		{ "d s 0 0 none weight options 2 colour 5", options, "'colour'", "expected offset, auto, carryover or quantum" },
		{ "d s 0 0 none weight options 2 offset -1", options, "'-1'", "expected a number" },
		{ "d s 0 0 none weight options 2 offset 18014398509481984", options,
		  "18014398509481984", "expected a number" },
		{ "d s 0 0 none weight options 4 offset 0 offset 0", options, "offset", "given twice" },
		{ "d s 0 0 cgroup weight options 4 auto 1 auto 1", options, "auto", "given twice" },
		{ "d s 0 0 cgroup weight options 2 auto 0", options, "'0'", "expected 1 to 64" },
		{ "d s 0 0 cgroup weight options 2 auto 65", options, "'65'", "expected 1 to 64" },
		{ "d s 0 0 uid weight options 2 auto 1", options, "uid", "needs type cgroup" },
		{ "d s 0 0 none weight options 2 quantum 5", options, "quantum", "under policy weight" },
		{ "d s 0 0 none weight-time options 2 quantum 0", options, "'0'", "expected 1 to 10000" },
		{ "d s 0 0 none weight-time options 2 quantum 10001", options, "10001", "expected 1 to 10000" },
		{ "d s 0 0 none weight-time options 4 quantum 1 quantum 1", options, "quantum", "given twice" },
		{ "d s 0 0 none weight options 2 options 2", options, "'options'", "expected offset" },
	};

	REFUSE_ALL(true, rows);
}

static void accept_message(const char *line, enum ioband_verb verb,
			   const char *rest)
{
	char expected[4200];

	snprintf(expected, sizeof(expected), "%d%s", verb, rest);
	accept(false, line, expected);
}

static void test_messages(void **state)
{
	accept_message("type none", IOBAND_MSG_TYPE, "");
	accept_message("type user", IOBAND_MSG_TYPE, " type=user");
	accept_message("type cgroup", IOBAND_MSG_TYPE, " type=cgroup");
	accept_message("attach 1000", IOBAND_MSG_ATTACH, " group=1000");
	accept_message("attach 0", IOBAND_MSG_ATTACH, " group=0");
	accept_message("attach 0x10", IOBAND_MSG_ATTACH, " group=16");
	accept_message("attach /a:b=c,d", IOBAND_MSG_ATTACH, " group=/a:b=c,d");
	accept_message("detach 2000", IOBAND_MSG_DETACH, " group=2000");
	accept_message("detach /", IOBAND_MSG_DETACH, " group=/");
	accept_message("policy default", IOBAND_MSG_POLICY, " policy=default");
	accept_message("policy weight", IOBAND_MSG_POLICY, " policy=weight");
	accept_message("policy weight-iosize", IOBAND_MSG_POLICY,
		       " policy=weight-iosize");
	accept_message("policy range-bw", IOBAND_MSG_POLICY,
		       " policy=range-bw");
	accept_message("policy limit", IOBAND_MSG_POLICY, " policy=limit");
	accept_message("policy weight-time", IOBAND_MSG_POLICY,
		       " policy=weight-time");
	accept_message("quantum 0", IOBAND_MSG_QUANTUM, "");
	accept_message("quantum 10000", IOBAND_MSG_QUANTUM, " value=10000");
	accept_message("weight 40", IOBAND_MSG_WEIGHT, " group=-1 weight=40");
	accept_message("weight 32767", IOBAND_MSG_WEIGHT,
		       " group=-1 weight=32767");
	accept_message("weight 1000:30", IOBAND_MSG_WEIGHT,
		       " group=1000 weight=30");
	accept_message("weight 1000=0x1e", IOBAND_MSG_WEIGHT,
		       " group=1000 weight=30");
	accept_message("weight 1000,30", IOBAND_MSG_WEIGHT,
		       " group=1000 weight=30");
	accept_message("weight -1:30", IOBAND_MSG_WEIGHT,
		       " group=-1 weight=30");
	accept_message("weight /a:b:30", IOBAND_MSG_WEIGHT,
		       " group=/a:b weight=30");
	accept_message("token 0", IOBAND_MSG_TOKEN, "");
	accept_message("token 256", IOBAND_MSG_TOKEN, " value=256");
	accept_message("token 2147483647", IOBAND_MSG_TOKEN,
		       " value=2147483647");
	accept_message("carryover 2", IOBAND_MSG_CARRYOVER, " value=2");
	accept_message("io_throttle 16", IOBAND_MSG_IO_THROTTLE, " value=16");
	accept_message("io_throttle 32767", IOBAND_MSG_IO_THROTTLE,
		       " value=32767");
	accept_message("io_limit 0x80", IOBAND_MSG_IO_LIMIT, " value=128");
	accept_message("reset", IOBAND_MSG_RESET, "");
	accept_message("set -1 weight=100", IOBAND_MSG_SET,
		       " group=-1 weight=100");
	accept_message("set 1000 weight=10000", IOBAND_MSG_SET,
		       " group=1000 weight=10000");
	accept_message("set /a:b=c,d weight=1", IOBAND_MSG_SET,
		       " group=/a:b=c,d weight=1");
	accept_message("set 7 class=idle latency=0 min=0 parent=8 force=1",
		       IOBAND_MSG_SET,
		       " group=7 weight=0,class=idle,min=0,latency=0,parent=8,force");
	accept_message("set 7 rbps=5 burst=6 peak=7 wiops=max iops=0x10 weight=1 parent=-1",
		       IOBAND_MSG_SET,
		       " group=7 weight=1,parent=-1,rbps=5+6/7,wiops=0+0/0,iops=16+0/0");
	/* Whether a change makes sense depends on what there is already. */
	accept_message("set 7 min=6 bps=5 peak=4", IOBAND_MSG_SET,
		       " group=7 weight=0,min=6,bps=5+0/4");
	accept_message("range-bw 1000:5:6", IOBAND_MSG_RANGE_BW,
		       " group=1000 weight=0,min=5120,bps=6144+0/0");
	accept_message("range-bw -1:0:0", IOBAND_MSG_RANGE_BW,
		       " group=-1 weight=0,min=0,bps=0+0/0");
	accept_message("range-bw 7=5,6", IOBAND_MSG_RANGE_BW,
		       " group=7 weight=0,min=5120,bps=6144+0/0");
	accept_message("range-bw /a:b:5:6", IOBAND_MSG_RANGE_BW,
		       " group=/a:b weight=0,min=5120,bps=6144+0/0");
	accept_message("stats", IOBAND_MSG_STATS, "");
	accept_message("show", IOBAND_MSG_SHOW, "");
}

static void test_messages_refused(void **state)
{
	static const char message[] = "Unrecognised band message received.";
	static const char type[] = "Cannot set ioband group type";
	static const char policy[] = "Invalid policy parameter";
	static const char group[] = "Invalid group id";
	static const struct refused rows[] = {
		{ "", message, "empty", "message" },
		{ "''", message, "''", "expected type, attach" },
		{ "dance", message, "'dance'", "expected type, attach" },
		{ "Reset", message, "'Reset'", "expected type, attach" },
		{ "debug 1", message, "'debug'", "expected type, attach" },

		{ "type", message, "'type'", "expected one word" },
		{ "type user user", message, "'type'", "not 2 words" },
		{ "attach", message, "'attach'", "expected one word" },
		{ "attach 1000 40", message, "'attach'", "expected one word" },
		{ "weight 1000 40", message, "'weight'", "expected one word" },
		{ "reset now", message, "'reset'", "expected nothing" },
		{ "stats all", message, "'stats'", "expected nothing" },
		{ "show all", message, "'show'", "expected nothing" },
		{ "set", message, "'set'", "expected a group and key=value" },
		{ "set 1000", message, "'set'", "expected a group and key=value" },

		{ "type blue", type, "'blue'", "expected none, user" },
		{ "type node", type, "'node'", "use cgroup" },
		{ "policy fair", policy, "'fair'", "expected default" },
		{ "policy Limit", policy, "'Limit'", "expected default" },

		{ "range-bw", message, "'range-bw'", "expected one word" },
		{ "range-bw 1000 1:2", message, "'range-bw'", "not 2 words" },
		{ "range-bw 5", policy, "'5'", "expected id:MIN:MAX" },
		{ "range-bw ''", policy, "''", "expected id:MIN:MAX" },
		{ "range-bw 1000:5", policy, "'5'", "expected MIN:MAX" },
		{ "range-bw :5:6", group, "''", "expected an id" },
		{ "range-bw root:5:6", group, "'root'", "expected an id" },
		{ "range-bw 1000:6:5", policy, "'6:5'", "not above the maximum" },
		{ "range-bw 1000:-1:5", policy, "minimum '-1'", "expected 0 to" },
		{ "range-bw 1000:1:1099511627777", policy, "1099511627777", "expected 0 to" },
		{ "range-bw 1000:min=5", policy, "minimum 'min'", "expected 0 to" },
		{ "range-bw /a:5", policy, "'5'", "expected MIN:MAX" },

		{ "attach -1", group, "'-1'", "default group" },
		{ "detach -1", group, "'-1'", "default group" },
		{ "attach -2", group, "'-2'", "expected an id" },
		{ "attach root", group, "'root'", "expected an id" },
		{ "attach 1000:40", group, "'1000:40'", "expected an id" },
		{ "detach ''", group, "''", "expected an id" },

		{ "weight 0", policy, "'0'", "expected 1 to 32767" },
		{ "weight 32768", policy, "32768", "expected 1 to 32767" },
		{ "weight -5", policy, "'-5'", "expected 1 to 32767" },
		{ "weight ''", policy, "''", "expected 1 to 32767" },
		{ "weight :40", group, "''", "expected an id" },
		{ "weight 1000:", policy, "''", "expected 1 to 32767" },
		{ "weight 1000:0", policy, "'0'", "expected 1 to 32767" },
		{ "weight 1000:weight=40", policy, "'weight=40'", "expected 1 to" },
		{ "weight root:40", group, "'root'", "expected an id" },
		{ "weight /a", policy, "'/a'", "expected 1 to 32767" },

		{ "token -1", message, "'-1'", "expected 0 to 2147483647" },
		{ "token 2147483648", message, "2147483648", "expected 0 to" },
		{ "quantum 10001", message, "10001", "expected 0 to 10000" },
		{ "quantum 5ms", message, "'5ms'", "expected 0 to 10000" },
		{ "carryover x", message, "'x'", "expected 0 to 2147483647" },
		{ "io_throttle 32768", message, "32768", "expected 0 to 32767" },
		{ "io_limit -1", message, "'-1'", "expected 0 to 32767" },

		{ "set 1000 40", policy, "'40'", "expected key=value" },
		{ "set 1000 weight=0", policy, "'0'", "expected 1 to 10000" },
		{ "set 1000 weight=10001", policy, "10001", "expected 1 to 10000" },
		{ "set 1000 weight=5 weight=6", policy, "weight", "given twice" },
		{ "set 1000 weight=5,weight=6", policy, "'5,weight=6'", "expected 1 to" },
		{ "set 1000 rbps=5,burst=6", policy, "rbps '5,burst=6'", "or max" },
		{ "set 1000 burst=6", policy, "burst", "after the limit" },
		{ "set 1000 5:6", policy, "'5:6'", "expected key=value" },
		{ "set 1000 parent=root", group, "'root'", "expected an id" },
		{ "set 1000 colour=5", policy, "'colour'", "expected weight, class" },
		{ "set root weight=5", group, "'root'", "expected an id" },
	};

	REFUSE_ALL(false, rows);
}

/* 1.14's sentences go to dm_target.error: constants, fit to outlive the call. */
static void test_long_words(void **state)
{
	static const char * const tables[] = {
		"d %s 0 0 none weight", "d s %s 0 none weight",
		"d s 0 %s none weight", "d s 0 0 %s weight",
		"d s 0 0 none %s", "d s 0 0 none weight %s",
		"d s 0 0 none weight 0 %s", "d s 0 0 none weight 0 :%s",
		"d s 0 0 none weight 0 :%s=1", "d s 0 0 none weight 0 :weight=%s",
		"d s 0 0 none weight 0 :1 %s", "d s 0 0 uid weight 0 :1 %s",
		"d s 0 0 uid weight 0 :1 %s:1", "d s 0 0 uid weight 0 :1 1:%s",
		"d s 0 0 none weight options %s", "d s 0 0 none weight options 1 %s",
		"d s 0 0 none weight options 2 %s 1",
		"d s 0 0 none weight options 2 offset %s",
		"d s 0 0 cgroup weight options 2 auto %s",
		"d s 0 0 none weight 0 :class=%s", "d s 0 0 none weight 0 :rbps=%s",
		"d s 0 0 none weight 0 :rbps=1,burst=%s",
		"d s 0 0 none range-bw 0 :0%s", "d s 0 0 none range-bw 0 :0%s:1",
		"d s 0 0 none range-bw 0 :1:%s", "d s 0 0 none limit 0 :0%s",
		"d s 0 0 none limit 0 :1:%s",
	};
	static const char * const messages[] = {
		"%s", "type %s", "policy %s", "attach %s", "weight %s",
		"weight %s:1", "weight 1:%s", "token %s", "io_limit %s",
		"set %s weight=1", "set 1 %s", "set 1 %s=1", "set 1 weight=%s",
		"set 1 min=%s", "set 1 latency=%s", "set 1 parent=%s",
		"set 1 force=%s", "set 1 iops=%s", "set 1 iops=1 peak=%s",
		"range-bw %s", "range-bw %s:1:2", "range-bw 1:%s",
		"range-bw 1:%s:1", "range-bw 1:1:%s",
	};
	char line[sizeof(long_word) + 100], printed[8192];
	struct ioband_error err;
	unsigned int i;

	memset(long_word, 'x', sizeof(long_word) - 1);
	for (i = 0; i < ARRAY_SIZE(tables) + ARRAY_SIZE(messages); i++) {
		bool is_table = i < ARRAY_SIZE(tables);
		const char *format = is_table ? tables[i] :
				     messages[i - ARRAY_SIZE(tables)];

		sprintf(line, format, long_word);
		if (parse(is_table, line, printed, &err) != -EINVAL)
			fail_msg("a long word is accepted in '%s'", format);
		assert_non_null(strstr(err.text, "xxxxxxxxxx"));
		if (strlen(err.text) >= sizeof(err.text) - 1)
			fail_msg("'%s': text is too long: '%s'", format,
				 err.text);
	}

	/* What is not looked at may have any length. */
	sprintf(line, "%s s 0 0 none weight", long_word);
	sprintf(printed, "%s s 0 0 none weight 0 +0 auto0 -1:0", long_word);
	accept(true, line, printed);
	sprintf(line, "attach /%s", long_word);
	sprintf(printed, " group=/%s", long_word);
	accept_message(line, IOBAND_MSG_ATTACH, printed);
}

static void test_many_groups(void **state)
{
	char line[8192] = "d s 0 0 uid weight 0 :1";
	char expected[8192] = "d s 0 0 uid weight 0 +0 auto0 -1:1";
	unsigned int i;

	for (i = 8; i < WORDS_MAX; i++) {
		sprintf(line + strlen(line), " %u:%u", i, 100 + i);
		sprintf(expected + strlen(expected), " %u:%u", i, 100 + i);
	}
	accept(true, line, expected);
}

static void test_type_names(void **state)
{
	static const char * const names[] = {
		"none", "user", "uid", "gid", "pid", "pgrp", "cgroup", "ioprio",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(ioband_type_name(i), names[i]);
}

static void test_out_of_memory(void **state)
{
	struct ioband_error err;
	char printed[100];
	int r;

	ioband_shim_out_of_memory = true;
	r = parse(true, "d s 0 0 uid weight 0 :1 1000:2", printed, &err);
	/* A line that is wrong anyway says so without any memory. */
	refuse(true, "d s 0 0 blue weight", "Cannot set ioband group type",
	       "'blue'", "expected");
	/* And messages need none. */
	accept_message("set 1000 weight=1", IOBAND_MSG_SET,
		       " group=1000 weight=1");
	ioband_shim_out_of_memory = false;

	assert_int_equal(r, -ENOMEM);
	assert_string_equal(err.brief, "Cannot allocate groups");
	assert_string_equal(err.text, "out of memory");
}

static int no_leak(void **state)
{
	return __lsan_do_recoverable_leak_check();
}

#define leak_test(f) cmocka_unit_test_teardown(f, no_leak)

int main(void)
{
	const struct CMUnitTest tests[] = {
		leak_test(test_table_of_version_1),
		leak_test(test_table_words),
		leak_test(test_table_policies),
		leak_test(test_table_paths),
		leak_test(test_table_options),
		leak_test(test_table_refused),
		leak_test(test_options_refused),
		leak_test(test_messages),
		leak_test(test_messages_refused),
		leak_test(test_long_words),
		leak_test(test_many_groups),
		leak_test(test_type_names),
		leak_test(test_out_of_memory),
	};

	return cmocka_run_group_tests_name("args", tests, NULL, NULL);
}
