/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioband target in the kernel.
 */
#ifndef IOBAND_TARGET_H
#define IOBAND_TARGET_H

#include "dm.h"

#define TARGET_TYPE "ioband"

enum {
	/* 1.x has other formats of tables and status. */
	TARGET_MAJOR_MIN = 2,
};

int target_check(struct ioband_dm_version *version);

#endif /* IOBAND_TARGET_H */
