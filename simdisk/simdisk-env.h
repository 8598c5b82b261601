/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that the models need from the kernel, and nothing else. This header is
 * the seam: a user space build supplies its own simdisk-env.h with the same
 * include guard (user/) and compiles the very same model files. So these may
 * not use a request, a lock, a clock, a timer or a kernel log.
 */
#ifndef _SIMDISK_ENV_H
#define _SIMDISK_ENV_H

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>

#endif /* _SIMDISK_ENV_H */
