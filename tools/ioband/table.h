/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Table and status lines of the ioband target as plain text.
 *
 * Nothing here asks the kernel, allocates without telling, or trusts a word: the
 * unit tests and fuzzers run this very code.
 */
#ifndef IOBAND_TABLE_H
#define IOBAND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a line was refused: names the word and what was expected instead. */
struct parse_error {
	char text[160];
};

/**
 * struct table_group - a group in a table line
 * @id: what the line's type compares; 0 for the default group
 * @is_default: the group of all that have no group of their own
 * @weight: 0 if its parameter states none
 * @param: the parameter as it stands
 */
struct table_group {
	uint64_t id;
	bool is_default;
	uint32_t weight;
	const char *param;
};

/**
 * struct table_line - one table line
 * @device: the lower device, MAJOR:MINOR as the kernel writes it
 * @io_throttle: 0 for automatic
 * @io_limit: 0 for automatic
 * @groups: the default group if it is mentioned, then ascending ids
 * @offset_sectors: where on @device the target begins
 * @auto_depth: down to this level each cgroup gets a group; 0 for none
 * @quantum_ms: how long a group keeps the disk; 0 for automatic
 * @text: what all strings point into
 */
struct table_line {
	const char *device;
	const char *share;
	uint32_t io_throttle;
	uint32_t io_limit;
	const char *type;
	const char *policy;
	uint32_t token_base;
	struct table_group *groups;
	size_t nr_groups;
	uint64_t offset_sectors;
	uint32_t auto_depth;
	uint32_t quantum_ms;
	char *text;
};

/**
 * struct status_group - counters of a group since it exists or was reset
 * @held: number of I/Os that wait just now
 * @busy_ms: time during which the group had I/O in flight or waiting
 * @queue_ms: the same, each moment counted once per I/O
 */
struct status_group {
	uint64_t id;
	bool is_default;
	uint64_t rd_ios;
	uint64_t rd_merges;
	uint64_t rd_sectors;
	uint64_t rd_ms;
	uint64_t wr_ios;
	uint64_t wr_merges;
	uint64_t wr_sectors;
	uint64_t wr_ms;
	uint64_t held;
	uint64_t busy_ms;
	uint64_t queue_ms;
};

struct status_line {
	const char *share;
	struct status_group *groups;
	size_t nr_groups;
	char *text;
};

int table_parse(const char *params, struct table_line *line,
		struct parse_error *err);
void table_free(struct table_line *line);
const struct table_group *table_find(const struct table_line *line,
				     bool is_default, uint64_t id);

int status_parse(const char *params, struct status_line *line,
		 struct parse_error *err);
void status_free(struct status_line *line);

#endif /* IOBAND_TABLE_H */
