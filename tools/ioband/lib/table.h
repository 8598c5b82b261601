/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse table and status lines of the ioband target.
 *
 * Nothing here talks to the kernel, allocates memory without saying so, or trusts its
 * input: the unit tests and fuzzers run this very code.
 */
#ifndef IOBAND_TABLE_H
#define IOBAND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a line was refused: the word, and what was expected instead. */
struct parse_error {
	char text[160];
};

/**
 * struct table_group - a group in a table line
 * @id: id of the kind given by the line's type; 0 for the default group
 * @is_default: the group for all I/O that belongs to no other group
 * @weight: 0 if the parameter has none
 * @param: the parameter as written
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
 * @groups: the default group if present, then ascending ids
 * @offset_sectors: start of the target on @device
 * @auto_depth: level down to which each cgroup gets a group; 0 for none
 * @quantum_ms: how long a group keeps the disk; 0 for automatic
 * @as_linear: shown as the line of linear that it stands for: inside a volume
 * @text: the memory that all strings point into
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
	bool as_linear;
	char *text;
};

/**
 * struct status_group - counters of a group since it was made or reset
 * @held: number of I/Os waiting at present
 * @busy_ms: time during which the group had I/O in flight or waiting
 * @queue_ms: the same, weighted by the number of these I/Os
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
