/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the commands that make volumes have in common.
 */
#ifndef IOBAND_ATTACH_H
#define IOBAND_ATTACH_H

#include "config/config.h"
#include "lib/blk.h"
#include "lib/util.h"
#include "lib/volume.h"

struct options;

int attach_config(const struct options *opts, const struct volumes *volumes,
		  const char *name, const char *uuid, const char *devno,
		  const struct config *words, struct config *cfg);
void report_volume(const struct options *opts, const char *title,
		   const char *done, const struct config *cfg,
		   const char *fmt, ...) __printf(5, 6);
int attach_find(const struct options *opts, struct config *cfg,
		struct blk *blk);
int detach_volume(const struct options *opts, const struct volumes *volumes,
		  const char *name);
int remove_device(const struct options *opts,
		  const struct ioband_dm_device *dev);
int attach_volume(const struct options *opts, const struct volumes *volumes,
		  struct config *cfg, const char *devno);
int create_volume(const struct options *opts, const struct volumes *volumes,
		  struct config *cfg, const struct blk *blk);

/* Whether create takes what LVM or RAID would find twice. */
extern int create_force;

#endif /* IOBAND_ATTACH_H */
