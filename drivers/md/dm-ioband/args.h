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

/**
 * struct ioband_share_settings - settings of a share
 * @io_throttle: pins the depth; 0: automatic
 * @io_limit: bounds depth and held I/O; 0: automatic
 * @token_base: from 1.14; kept and printed back, but there are no epochs to size
 * @carryover: likewise
 * @quantum_ms: how long a group may keep a disk that seeks; 0: the default
 */
struct ioband_share_settings {
	u32 io_throttle;
	u32 io_limit;
	u32 token_base;
	u32 carryover;
	u32 quantum_ms;
};

/**
 * struct ioband_table - one table line
 * @device: the device below, a path or MAJOR:MINOR
 * @share: id of the pool
 * @settings: of the share
 * @type: how bios are sorted into groups
 * @policy: what an I/O costs
 * @offset_sectors: where on @device the target begins
 * @auto_depth: each cgroup down to this level gets a group; 0: none does
 * @nr_groups: length of @groups
 * @groups: the default group, then those to attach; freed by
 *	ioband_table_free()
 *
 * Strings point into the parsed words.
 */
struct ioband_table {
	const char *device;
	const char *share;
	struct ioband_share_settings settings;
	enum ioband_type type;
	const struct ioband_policy *policy;
	u64 offset_sectors;
	u32 auto_depth;
	unsigned int nr_groups;
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
};

/**
 * struct ioband_message - one message
 * @verb: what to do
 * @ref: the group to do it to
 * @type: for %IOBAND_MSG_TYPE
 * @policy: for %IOBAND_MSG_POLICY
 * @value: for messages that take a single number
 * @settings: for %IOBAND_MSG_SET, %IOBAND_MSG_WEIGHT and %IOBAND_MSG_RANGE_BW
 */
struct ioband_message {
	enum ioband_verb verb;
	struct ioband_ref ref;
	enum ioband_type type;
	const struct ioband_policy *policy;
	u32 value;
	struct ioband_settings settings;
};

const char *ioband_type_name(enum ioband_type type);

int ioband_parse_table(unsigned int argc, char **argv,
		       struct ioband_table *table, struct ioband_error *err);
void ioband_table_free(struct ioband_table *table);
int ioband_parse_message(unsigned int argc, char **argv,
			 struct ioband_message *msg, struct ioband_error *err);

#endif /* _DM_IOBAND_ARGS_H */
