/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All differences between the supported kernels, handled here and nowhere else.
 * Included in every file by -include; probe.mk defines the HAVE_ macros.
 */
#ifndef _IOBAND_COMPAT_H
#define _IOBAND_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "dm-ioband needs Linux 6.1 or newer"
#endif

/* The arguments of a target's prepare_ioctl method beyond the first two. */
#ifdef HAVE_PREPARE_IOCTL_CMD
#define IOBAND_PREPARE_IOCTL_ARGS	, unsigned int cmd, unsigned long arg, \
					bool *forward
#else
#define IOBAND_PREPARE_IOCTL_ARGS
#endif

/* In a tracepoint: assign a __string() from its declared source. */
#ifdef HAVE_ASSIGN_STR_1
#define ioband_assign_str(dst, src)	__assign_str(dst)
#else
#define ioband_assign_str(dst, src)	__assign_str(dst, src)
#endif

/* Set up an hrtimer and its function, in one call or in two. */
#ifdef HAVE_HRTIMER_SETUP
#define ioband_hrtimer_setup(timer, fn, clock, mode) \
	hrtimer_setup(timer, fn, clock, mode)
#else
#define ioband_hrtimer_setup(timer, fn, clock, mode) do {	\
	hrtimer_init(timer, clock, mode);			\
	(timer)->function = fn;					\
} while (0)
#endif

/*
 * An operation that is no write, and that submit_bio_noacct() refuses in any bio
 * to a device that is not zoned; for bio_adopt().
 */
#ifdef HAVE_BIO_OPS_CHECKED
#define IOBAND_REFUSED_OP	REQ_OP_DRV_IN
#else
#define IOBAND_REFUSED_OP	REQ_OP_ZONE_OPEN
#endif

#endif /* _IOBAND_COMPAT_H */
