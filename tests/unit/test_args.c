// SPDX-License-Identifier: GPL-2.0-only
/*
 * The grammar of tables, and what tables and messages have in common.
 */
#include "grammar.h"

static char long_word[4096];

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
		{ "d s 0 0 cgroup weight options 4 as_linear 1 offset 8",
		  "d s 0 0 cgroup weight 0 +8 auto0 as_linear -1:0" },
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
		{ "d s 0 0 none weight options 2 colour 5", options, "'colour'", "expected offset, auto, carryover, quantum or as_linear" },
		{ "d s 0 0 none weight options 2 as_linear 0", options, "'0'", "expected 1 to 1" },
		{ "d s 0 0 none weight options 2 as_linear 2", options, "'2'", "expected 1 to 1" },
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
		leak_test(test_long_words),
		leak_test(test_many_groups),
		leak_test(test_type_names),
		leak_test(test_out_of_memory),
	};

	return cmocka_run_group_tests_name("args", tests, NULL, NULL);
}
