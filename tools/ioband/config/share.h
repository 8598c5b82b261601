/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The share of a new volume: its name, its policy, and whether the volume fits into it.
 */
#ifndef IOBAND_SHARE_H
#define IOBAND_SHARE_H

#include "config.h"
#include "lib/volume.h"

struct options;

int share_default(const struct options *opts, struct config *cfg,
		  const char *devno);
void policy_by_disks(const struct options *opts, struct config *cfg,
		     const char *devno);
void share_adopt(const struct options *opts, const struct volumes *volumes,
		 struct config *cfg, const char *devno);
const struct volume *share_in_way(const struct options *opts,
				  const struct volumes *volumes,
				  const char *share, const char *name,
				  const char *devno);
int share_check(const struct options *opts, const struct volumes *volumes,
		const struct config *cfg, const char *devno);

#endif /* IOBAND_SHARE_H */
