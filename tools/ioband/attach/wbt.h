/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own throttling of writeback, which is off below volumes.
 */
#ifndef IOBAND_WBT_H
#define IOBAND_WBT_H

#include <stdbool.h>

struct options;

void wbt_off(const struct options *opts, const char *devno, bool again);
void wbt_restore(const struct options *opts, const char *except);

#endif /* IOBAND_WBT_H */
