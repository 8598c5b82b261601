/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The settings of a group: parse key=value words, check, merge and print them.
 */
#ifndef _DM_IOBAND_SETTINGS_H
#define _DM_IOBAND_SETTINGS_H

#include "sched/core.h"
#include "sched/env.h"

/* Why input was refused. names the word and what was expected instead */
struct ioband_error {
	const char *brief;	/* a constant sentence, fit for dm_target.error */
	char text[200];
};

__printf(3, 4)
int ioband_refuse(struct ioband_error *err, const char *brief, const char *fmt, ...);

/* Names a group: by cgroup path, by id, or as the default */
struct ioband_ref {
	const char *path;	/* path of a cgroup, or %NULL */
	/*
	 * Id of the group. With @path it is filled in by ioband_cgroup_look_up(), with 0 if
	 * there is no such cgroup.
	 */
	u64 id;
	bool is_default;	/* the default group, written -1 */
};

/* Bit numbers of ioband_settings.given; those of the limits follow. */
enum ioband_key {
	IOBAND_KEY_WEIGHT,
	IOBAND_KEY_CLASS,
	IOBAND_KEY_MIN,
	IOBAND_KEY_LATENCY,
	IOBAND_KEY_PARENT,
	IOBAND_KEY_FORCE,
	IOBAND_KEY_LIMITS,
};

/* Settings of a group, or a change of them */
struct ioband_settings {
	/*
	 * In a change, what it sets: BIT() of enum ioband_key, and of %IOBAND_KEY_LIMITS +
	 * enum ioband_limit_id
	 */
	u32 given;
	u32 weight;		/* share relative to its siblings */
	u8 class;		/* strict priority among its siblings */
	bool min_is_ios;	/* @min_rate counts I/Os, else bytes */
	u32 latency_us;		/* latency target of an I/O; 0: none */
	u64 min_rate;		/* minimum per second; 0: none */
	struct ioband_rate limits[IOBAND_LIMITS];	/* upper limits */
	/*
	 * The group above it, or the default group for none; valid only in a change and for
	 * printing
	 */
	struct ioband_ref parent;
};

/* State between the words of a change: burst= and peak= refer to @limit. */
struct ioband_settings_parser {
	struct ioband_settings *settings;
	u32 weight_max;
	int limit;
};

void ioband_settings_init(struct ioband_settings *settings);
int ioband_no_memory(struct ioband_error *err, const char *brief);
int ioband_parse_number(const char *word, u64 min, u64 max, u64 *value);
int ioband_parse_ref(char *word, struct ioband_ref *ref, struct ioband_error *err);
int ioband_parse_setting(char *word, struct ioband_settings_parser *parser,
			 struct ioband_error *err);
int ioband_parse_range(char *word, struct ioband_settings *settings,
		       struct ioband_error *err);
int ioband_parse_limit(char *word, struct ioband_settings *settings,
		       struct ioband_error *err);
void ioband_settings_merge(struct ioband_settings *settings,
			   const struct ioband_settings *change);
int ioband_settings_check(const struct ioband_settings *settings,
			  const struct ioband_policy *policy,
			  struct ioband_error *err);
bool ioband_settings_equal(const struct ioband_settings *a, const struct ioband_settings *b);
bool ioband_settings_need_terms(const struct ioband_settings *settings);
int ioband_settings_print(const struct ioband_settings *settings,
			  const struct ioband_policy *policy, char *buffer,
			  size_t len);

#endif /* _DM_IOBAND_SETTINGS_H */
