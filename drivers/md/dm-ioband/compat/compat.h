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
#if !defined(CONFIG_64BIT) || !defined(CONFIG_BLK_CGROUP)
#error "dm-ioband needs a 64-bit kernel with CONFIG_BLK_CGROUP"
#endif

/* A variable that the compiler need not clear: headers have it since an update, or never. */
#ifndef __uninitialized
#if __has_attribute(__uninitialized__)
#define __uninitialized		__attribute__((__uninitialized__))
#else
#define __uninitialized
#endif
#endif

/* The arguments of a target's prepare_ioctl method beyond the first two. */
#ifdef HAVE_PREPARE_IOCTL_CMD
#define IOBAND_PREPARE_IOCTL_ARGS	, unsigned int cmd, unsigned long arg, \
					bool *forward
#else
#define IOBAND_PREPARE_IOCTL_ARGS
#endif

/* Writes that a disk does as a whole or not at all, and the flag of targets for them. */
#ifdef HAVE_ATOMIC_WRITES
#define IOBAND_ATOMIC_WRITES	DM_TARGET_ATOMIC_WRITES
#define IOBAND_REQ_ATOMIC	REQ_ATOMIC
#else
#define IOBAND_ATOMIC_WRITES	0
#define IOBAND_REQ_ATOMIC	0
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
 * The flag of a workqueue whose workers run on the processor that queued the work,
 * and the one of that kind that everybody shares.
 */
#ifdef HAVE_WQ_PERCPU
#define IOBAND_WQ_PERCPU	WQ_PERCPU
#define ioband_system_wq	system_percpu_wq
#else
#define IOBAND_WQ_PERCPU	0
#define ioband_system_wq	system_wq
#endif

/* Whether a disk has to seek. */
#ifdef HAVE_BDEV_ROT
#define ioband_bdev_rot(bdev)	bdev_rot(bdev)
#else
#define ioband_bdev_rot(bdev)	(!bdev_nonrot(bdev))
#endif

/* The memory cgroup that a folio is charged to, or NULL; under RCU. */
#ifndef CONFIG_MEMCG
#define ioband_folio_memcg_css(folio)	((void)(folio), (struct cgroup_subsys_state *)NULL)
#else
#ifdef HAVE_FOLIO_MEMCG_CHECK
#define ioband_folio_memcg(folio)	folio_memcg_check(folio)
#else
#define ioband_folio_memcg(folio)	page_memcg_check(&(folio)->page)
#endif
#define ioband_folio_memcg_css(folio) ({				\
	struct mem_cgroup *__memcg = ioband_folio_memcg(folio);		\
									\
	__memcg ? &__memcg->css : NULL;					\
})
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
