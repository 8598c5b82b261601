/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The configuration of a volume, wanted or actual: from a configuration file, the
 * command line, a table, or files of dm-ioband 1.
 */
#ifndef IOBAND_CONFIG_H
#define IOBAND_CONFIG_H

#include <stdio.h>

#include "lib/settings.h"

enum {
	SHARE_LEN = 32,
	WORD_LEN = 16,
	DEVICE_LEN = 256,
	VOLUME_LEN = 128,
	UUID_LEN = 130,
};

/**
 * struct config_group - a group of a volume
 * @name: as given; "default" for the default group
 * @has_id: @id is valid: the id by which the kernel knows the group
 * @is_auto: option auto would add it by itself
 * @lacks_io: its I/O is charged to a cgroup above it
 * @is_dormant: of a cgroup that is not there now, such as that of a stopped service, or
 *	with @has_id a number that is the id of none
 */
struct config_group {
	char name[GROUP_NAME_LEN];
	bool is_default;
	bool has_id;
	bool is_auto;
	bool lacks_io;
	bool is_dormant;
	uint64_t id;
	struct settings set;
};

/* Index into config.given. */
enum config_word {
	CONFIG_MODE,
	CONFIG_DEVICE,
	CONFIG_SHARE,
	CONFIG_TYPE,
	CONFIG_POLICY,
	CONFIG_IO_THROTTLE,
	CONFIG_IO_LIMIT,
	CONFIG_QUANTUM,
	CONFIG_AUTO,
	CONFIG_UUID,
	CONFIG_FOLLOW,
	NR_CONFIG_WORDS,
};

/**
 * struct config - a volume
 * @name: device-mapper name
 * @given: which keys were given, by enum config_word
 * @is_attached: attached to the device, not a device of its own on top of it
 * @device: path of the device below, or of the one it is attached to
 * @uuid: uuid of the device it is attached to, to find that after a rename
 * @auto_policy: @policy is what policy_by_disks() finds fit, not given as such
 * @policy_why: why that one, if @auto_policy; %NULL while it is not resolved
 * @only_missing: add what is missing, and leave what is there as it is
 * @follow: leave groups, weights and some limits to 'ioband follow'
 * @groups: the default group first, if present
 */
struct config {
	char name[VOLUME_LEN];
	bool given[NR_CONFIG_WORDS];
	bool is_attached;
	char device[DEVICE_LEN];
	char uuid[UUID_LEN];
	char share[SHARE_LEN];
	char type[WORD_LEN];
	char policy[WORD_LEN];
	bool auto_policy;
	const char *policy_why;
	uint32_t io_throttle;
	uint32_t io_limit;
	uint32_t quantum_ms;
	uint32_t auto_depth;
	bool only_missing;
	bool follow;
	struct config_group *groups;
	size_t nr_groups;
};

void config_init(struct config *cfg, const char *name);
void config_free(struct config *cfg);

int config_take(struct config *cfg, const char *key, const char *value,
		struct parse_error *err);
int config_take_words(struct config *cfg, int argc, char **argv,
		      struct parse_error *err);
int config_check(const struct config *cfg, struct parse_error *err);
void config_merge(struct config *cfg, const struct config *more);
int config_from_table(struct config *cfg, const struct table_line *line,
		      struct parse_error *err);

struct config_group *config_group(struct config *cfg, const char *name);
struct config_group *config_find(const struct config *cfg, bool is_default,
				 uint64_t id);
void config_drop_group(struct config *cfg, struct config_group *group);

char *config_params(const struct config *cfg, const char *device,
		    uint64_t offset_sectors);

/* conf.c: configuration files. */
char *conf_trim(char *s);
int conf_split(char *line, char **key, char **value, struct parse_error *err);
bool conf_has_name(const char *name);
int conf_take_setting(struct settings *set, const char *key, char *value,
		      uint64_t weight_max, struct parse_error *err);
int conf_parse(struct config *cfg, const char *text, struct parse_error *err);
void conf_print(const struct config *cfg, FILE *to);

/* section.c: what somebody has written into configuration files beside that. */
char *conf_drop_section(const char *text, const char *group);
char *conf_keep_comments(const char *old, const char *text);

/* legacy.c: files and tables of dm-ioband 1. */
int legacy_parse(const char *line, struct config *cfg, struct parse_error *err);

#endif /* IOBAND_CONFIG_H */
