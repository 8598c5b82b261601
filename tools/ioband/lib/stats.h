/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse the target's answers to the messages "stats" and "show".
 *
 * Keys may come in any order. An older target lacks some of those known here, and a
 * newer one may have others, which are ignored.
 */
#ifndef IOBAND_STATS_H
#define IOBAND_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table.h"

enum {
	/*
	 * Bucket 0 counts I/Os that took less than 1024 ns, about a
	 * microsecond, bucket k those that took less than 2^k times that.
	 * The target's last bucket, whichever it is, counts all longer ones.
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
	/* Milliseconds since what was held last went, or the first that is held came. */
	STATS_WENT_MS,
	/* The device below does not answer, and what is held waits for that. */
	STATS_KEPT_BACK,
	STATS_URGENT_IOS,
	STATS_LATE_IOS,
	STATS_SERVICE_NS,
	/* The time that I/Os were held, by reason. */
	STATS_BECAUSE_WEIGHT_NS,
	STATS_BECAUSE_LIMIT_NS,
	STATS_BECAUSE_DEPTH_NS,
	STATS_BECAUSE_GRACE_NS,
	STATS_BECAUSE_DEBT_NS,
	STATS_BECAUSE_SQUEEZE_NS,
	/* Parts of the service of the share, in millionths. */
	STATS_DUE_PPM,
	STATS_GOT_PPM,
	STATS_UNMET_MIN,
	NR_STATS_KEYS,

	NR_STATS_BECAUSE = STATS_BECAUSE_SQUEEZE_NS - STATS_BECAUSE_WEIGHT_NS + 1,
};

/**
 * struct stats_group - one line of "stats"
 * @parent: id of the group it is nested in, or %NULL
 * @has: bit k is set if @v[k] was present
 * @wait: I/Os by the time they waited, if @has_wait
 * @service: I/Os by the time they were at the disk, if @has_service
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

/* The default group first, then ascending ids, as in the kernel's answer. */
struct stats {
	struct stats_group *groups;
	size_t nr_groups;
	char *text;
};

/* What "show" says of a share; absent strings are %NULL. */
struct show {
	const char *depth;
	const char *depth_reason;
	const char *contended;
	const char *in_flight;
	const char *held;
	const char *attribution;
	const char *note;
	char *text;
};

int stats_parse(const char *answer, struct stats *stats,
		struct parse_error *err);
void stats_free(struct stats *stats);
const struct stats_group *stats_find(const struct stats *stats,
				     bool is_default, uint64_t id);
uint64_t stats_done(const struct stats_group *group);

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
