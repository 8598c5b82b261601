/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where in a logical volume ioband is.
 */
#ifndef IOBAND_LEAF_H
#define IOBAND_LEAF_H

#include <stdbool.h>
#include <stddef.h>

#include "blk.h"

bool leaf_is(const char *name);
bool leaf_is_inner(const char *name);
const char *leaf_serves(const char *name);
bool leaf_name(char *name, size_t size, const char *whole);
bool leaf_is_of(const char *name, const char *whole);
void leaf_find(const char *sysroot, struct blk *blk);
bool leaf_is_meant(const char *sysroot, const char *arg, const char *name);
bool leaf_is_below(const char *sysroot, const char *device, const char *leaf);
bool leaf_has_group_above(const char *sysroot, const char *device,
			  const char *group);

#endif /* IOBAND_LEAF_H */
