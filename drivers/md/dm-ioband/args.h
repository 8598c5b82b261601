/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The grammar of table lines and messages: words in, plain data out.
 *
 * It knows nothing of devices, groups or cgroups, so unit tests and fuzzer run
 * the same code in user space. docs/interface.rst has the grammar in full.
 */
#ifndef _DM_IOBAND_ARGS_H
#define _DM_IOBAND_ARGS_H

#include "settings.h"
#include "sched/core.h"
#include "sched/env.h"

enum {
	IOBAND_SHARE_LEN	= 31,
	/* Upper bound of io_throttle and io_limit. */
	IOBAND_DEPTH_MAX	= 32767,
	IOBAND_AUTO_DEPTH_MAX	= 64,
	IOBAND_QUANTUM_MS_MAX	= 10000,
};

/* What a bio's group id is derived from. */
enum ioband_type {
	IOBAND_TYPE_NONE,
	IOBAND_TYPE_USER,
	IOBAND_TYPE_UID,
	IOBAND_TYPE_GID,
	IOBAND_TYPE_PID,
	IOBAND_TYPE_PGRP,
	IOBAND_TYPE_CGROUP,
	IOBAND_TYPE_IOPRIO,
};

struct ioband_group_args {
	struct ioband_ref ref;
	struct ioband_settings settings;
};

/* Settings of a share */
struct ioband_share_settings {
	u32 io_throttle;	/* pins the depth; 0: automatic */
	u32 io_limit;		/* bounds depth and held I/O; 0: automatic */
	u32 token_base;	/* from 1.14; kept and printed back, but there are no epochs to size */
	u32 carryover;		/* likewise */
	u32 quantum_ms;		/* how long a group may keep a disk that seeks; 0: the default */
};

/* One table line. Strings point into the parsed words. */
struct ioband_table {
	const char *device;	/* the device below, a path or MAJOR:MINOR */
	const char *share;	/* id of the pool */
	struct ioband_share_settings settings;	/* of the share */
	enum ioband_type type;	/* how bios are sorted into groups */
	const struct ioband_policy *policy;	/* what an I/O costs */
	u64 offset_sectors;	/* where on @device the target begins */
	u32 as_linear;		/* others are shown the line of dm-linear that it stands for */
	u32 auto_depth;		/* each cgroup down to this level gets a group; 0: none does */
	unsigned int nr_groups;	/* length of @groups */
	/* The default group, then those to attach; freed by ioband_table_free() */
	struct ioband_group_args *groups;
};

enum ioband_verb {
	IOBAND_MSG_TYPE,
	IOBAND_MSG_ATTACH,
	IOBAND_MSG_DETACH,
	IOBAND_MSG_POLICY,
	IOBAND_MSG_WEIGHT,
	IOBAND_MSG_TOKEN,
	IOBAND_MSG_CARRYOVER,
	IOBAND_MSG_QUANTUM,
	IOBAND_MSG_IO_THROTTLE,
	IOBAND_MSG_IO_LIMIT,
	IOBAND_MSG_RANGE_BW,
	IOBAND_MSG_RESET,
	IOBAND_MSG_SET,
	IOBAND_MSG_STATS,
	IOBAND_MSG_SHOW,
	IOBAND_MSG_TABLE,
};

/* One message */
struct ioband_message {
	enum ioband_verb verb;	/* what to do */
	struct ioband_ref ref;	/* the group to do it to */
	enum ioband_type type;	/* for %IOBAND_MSG_TYPE */
	const struct ioband_policy *policy;	/* for %IOBAND_MSG_POLICY */
	u32 value;		/* for messages that take a single number */
	/* For %IOBAND_MSG_SET, %IOBAND_MSG_WEIGHT and %IOBAND_MSG_RANGE_BW */
	struct ioband_settings settings;
};

const char *ioband_type_name(enum ioband_type type);

int ioband_parse_table(unsigned int argc, char **argv,
		       struct ioband_table *table, struct ioband_error *err);
void ioband_table_free(struct ioband_table *table);
int ioband_parse_message(unsigned int argc, char **argv,
			 struct ioband_message *msg, struct ioband_error *err);

#endif /* _DM_IOBAND_ARGS_H */
