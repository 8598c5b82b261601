/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ioband may be put into or on top of, and the hidden device below it.
 */
#ifndef IOBAND_ATTACHABLE_H
#define IOBAND_ATTACHABLE_H

#include "blk.h"
#include "volume.h"

struct options;

char *hidden_uuid(const char *name, const char *uuid);
const struct ioband_dm_device *hidden_find(const struct volumes *volumes,
					   const char *name, const char *uuid);
bool targets_fail(const struct ioband_dm_targets *targets);
bool uuid_is_hidden(const char *uuid);
char *attach_obstacle(const struct options *opts, const char *name,
		      const struct ioband_dm_targets *table);
char *attach_why_not(const struct options *opts, const char *name);
int create_check(const struct options *opts, const struct volumes *volumes,
		 const char *name, const struct blk *blk);

#endif /* IOBAND_ATTACHABLE_H */
