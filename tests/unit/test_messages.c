// SPDX-License-Identifier: GPL-2.0-only
/*
 * The grammar of messages.
 */
#include "grammar.h"

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
	accept_message("table", IOBAND_MSG_TABLE, "");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		leak_test(test_messages),
		leak_test(test_messages_refused),
	};

	return cmocka_run_group_tests_name("messages", tests, NULL, NULL);
}
