/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In what a volume differs from its configuration, and the messages that change it.
 */
#ifndef IOBAND_PLAN_H
#define IOBAND_PLAN_H

#include "config/config.h"
#include "lib/volume.h"

struct options;

/**
 * struct difference - one value that is not as configured
 * @group: the group, or %NULL if it is the volume's own
 * @is: the actual value, or %NULL
 * @should: the configured value, or %NULL
 */
struct difference {
	char *group;
	char *key;
	char *is;
	char *should;
};

/**
 * struct plan - how to make a volume match its configuration
 * @v: the differences
 * @is_missing: the volume does not exist
 * @has_policy: the first message changes the policy of the share, resetting all groups
 * @reload: a new table is needed
 * @device: device of that table, MAJOR:MINOR, if it lies on a single one
 * @length: length of that table, in sectors
 * @messages: otherwise the messages to send, in this order
 */
struct plan {
	struct difference *v;
	size_t nr;
	bool is_missing;
	bool has_policy;
	bool reload;
	char device[24];
	uint64_t length;
	char **messages;
	size_t nr_messages;
};

void messages_add_settings(struct plan *plan, const char *ref,
			   const struct settings *now,
			   const struct settings *want);
int plan_make(const struct options *opts, const struct volumes *volumes,
	      struct config *cfg, struct plan *plan);
void plan_free(struct plan *plan);

#endif /* IOBAND_PLAN_H */
