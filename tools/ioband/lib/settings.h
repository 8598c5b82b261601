/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The settings of a group: weight=, limits and so on.
 *
 * Messages, table lines, configuration files and the command line use the same words.
 * Nothing here talks to the kernel, or allocates memory without saying so.
 */
#ifndef IOBAND_SETTINGS_H
#define IOBAND_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table.h"

enum setting_key {
	SET_WEIGHT,
	SET_RBPS,
	SET_WBPS,
	SET_BPS,
	SET_RIOPS,
	SET_WIOPS,
	SET_IOPS,
	SET_MIN,
	SET_MINIOPS,
	SET_LATENCY,
	SET_CLASS,
	SET_PARENT,
	SET_FORCE,
	NR_SETTINGS,
};

enum {
	/* The message "set" takes no larger weight; "weight", from 1.14, does. */
	SETTING_WEIGHT_MAX = 10000,
	/* In table lines, and in files that keep what they had. */
	STORED_WEIGHT_MAX = 32767,
	/* A group in a file or on the command line, typically the path of a cgroup. */
	GROUP_NAME_LEN = 512,
	/* The longest value of a setting, burst and peak included. */
	SETTING_LEN = GROUP_NAME_LEN + 16,
};

/**
 * struct setting - one setting
 * @given: the other members are valid
 * @is_max: unlimited
 * @value: bytes/s, I/Os/s, weight, microseconds, or index of a class
 * @burst: bytes or I/Os
 * @peak: bytes/s or I/Os/s
 */
struct setting {
	bool given;
	bool is_max;
	bool has_burst;
	bool has_peak;
	uint64_t value;
	uint64_t burst;
	uint64_t peak;
};

/**
 * struct settings - all settings of a group, given or not
 * @parent: name of the group for SET_PARENT
 * @last: 1 + key of the limit that burst= and peak= would belong to, or 0
 */
struct settings {
	struct setting v[NR_SETTINGS];
	char parent[GROUP_NAME_LEN];
	unsigned int last;
};

const char *setting_name(enum setting_key key);
bool setting_known(const char *word);

int settings_take(struct settings *set, const char *word, uint64_t weight_max,
		  struct parse_error *err);
int settings_check(const struct settings *set, struct parse_error *err);
int settings_take_param(struct settings *set, const char *policy,
			const char *param, struct parse_error *err);
void settings_merge(struct settings *set, const struct settings *more);
void settings_begin_anew(struct settings *set);

bool setting_equal(const struct settings *a, const struct settings *b,
		   enum setting_key key);
bool setting_is_followed(enum setting_key key);
bool setting_acts(enum setting_key key, const char *policy);
bool setting_is_default(const struct settings *set, enum setting_key key);
bool settings_are_default(const struct settings *set);

void setting_value(char buf[SETTING_LEN], const struct settings *set,
		   enum setting_key key, bool exact_units);
char *settings_reason(const char *reason);
int settings_param(char *buf, size_t size, const char *policy,
		   const struct settings *set);

#endif /* IOBAND_SETTINGS_H */
