/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that the scheduling core and the grammar need from the kernel, and
 * nothing else. This header is the seam: a user space build supplies its own
 * ioband-env.h with the same include guard (tools/shim/) and compiles the very
 * same .c files, which therefore must not use a bio, a lock, a clock or the
 * kernel log.
 */
#ifndef _IOBAND_ENV_H
#define _IOBAND_ENV_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/types.h>

#endif /* _IOBAND_ENV_H */
