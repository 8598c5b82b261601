/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers of the target to the messages "stats" and "show" as plain text.
 *
 * Keys may come in any order. One that is absent is of a newer target than the
 * one that answers, one that is not known here of a newer command.
 */
#ifndef IOBAND_STATS_H
#define IOBAND_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table.h"

enum {
	/*
	 * Bucket 0 counts what took less than 1024 ns, about a microsecond,
	 * bucket k what took less than 2^k times that. The last one that the
	 * target has, whichever it is, has all that took longer.
	 */
	STATS_BUCKETS	= 32,
};

enum stats_key {
	STATS_WEIGHT,
	STATS_RD_IOS,
	STATS_RD_SECTORS,
	STATS_RD_NS,
	STATS_WR_IOS,
	STATS_WR_SECTORS,
	STATS_WR_NS,
	STATS_IN_FLIGHT,
	STATS_HELD,
	STATS_HELD_IOS,
	STATS_HELD_NS,
	STATS_URGENT_IOS,
	/* Of the time that I/Os were held, what it was that held them. */
	STATS_BECAUSE_WEIGHT_NS,
	STATS_BECAUSE_LIMIT_NS,
	STATS_BECAUSE_DEPTH_NS,
	STATS_BECAUSE_GRACE_NS,
	STATS_BECAUSE_DEBT_NS,
	/* Parts of the service that the share gives, in millionths. */
	STATS_DUE_PPM,
	STATS_GOT_PPM,
	STATS_UNMET_MIN,
	NR_STATS_KEYS,

	NR_STATS_BECAUSE = STATS_BECAUSE_DEBT_NS - STATS_BECAUSE_WEIGHT_NS + 1,
};

/**
 * struct stats_group - what one line of "stats" says
 * @parent: id of the group it is nested in, or %NULL
 * @has: bit k is set if @v[k] was there
 * @wait: counts of I/Os by how long they waited, if @has_wait
 * @service: counts by how long they were at the disk, if @has_service
 */
struct stats_group {
	uint64_t id;
	bool is_default;
	bool has_wait;
	bool has_service;
	const char *parent;
	uint32_t has;
	uint64_t v[NR_STATS_KEYS];
	uint64_t wait[STATS_BUCKETS];
	uint64_t service[STATS_BUCKETS];
};

/* The default group first, the others as the kernel has them: ascending. */
struct stats {
	struct stats_group *groups;
	size_t nr_groups;
	char *text;
};

/* What one line of "show" says of a group; strings are %NULL where it does not. */
struct show_group {
	uint64_t id;
	bool is_default;
	const char *cgroup;
	const char *charged_to;
};

struct show {
	const char *depth;
	const char *depth_reason;
	const char *contended;
	const char *in_flight;
	const char *held;
	const char *note;
	struct show_group *groups;
	size_t nr_groups;
	char *text;
};

int stats_parse(const char *answer, struct stats *stats,
		struct parse_error *err);
void stats_free(struct stats *stats);
const struct stats_group *stats_find(const struct stats *stats,
				     bool is_default, uint64_t id);

static inline bool stats_has(const struct stats_group *group,
			     enum stats_key key)
{
	return group->has & 1u << key;
}

int show_parse(const char *answer, struct show *show, struct parse_error *err);
void show_free(struct show *show);

double stats_quantile_us(double zeros, const uint64_t counts[STATS_BUCKETS],
			 double part);

#endif /* IOBAND_STATS_H */
