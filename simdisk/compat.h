/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every difference between the kernels that simdisk is built for; Kbuild sets
 * the HAVE_ names from what the headers have.
 */
#ifndef _SIMDISK_COMPAT_H
#define _SIMDISK_COMPAT_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/hrtimer.h>

/* Have the block layer merge I/Os that are neighbours. */
#ifdef HAVE_SHOULD_MERGE
#define SIMDISK_SHOULD_MERGE	BLK_MQ_F_SHOULD_MERGE
#else
#define SIMDISK_SHOULD_MERGE	0
#endif

#ifndef HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* As much as a SCSI disk takes at once. */
#define SIMDISK_MAX_SECTORS	2560U

struct simdisk_limits {
	bool rotational;
	bool write_cache;
	bool discard;
};

#ifdef HAVE_QUEUE_FEATURES
static inline struct gendisk *
simdisk_alloc_disk(struct blk_mq_tag_set *set,
		   const struct simdisk_limits *want, void *queuedata)
{
	struct queue_limits limits = {
		.max_hw_sectors	= SIMDISK_MAX_SECTORS,
	};

	if (want->rotational)
		limits.features |= BLK_FEAT_ROTATIONAL;
	if (want->write_cache)
		limits.features |= BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA;
	if (want->discard) {
		limits.discard_granularity = PAGE_SIZE;
		limits.max_hw_discard_sectors = UINT_MAX >> SECTOR_SHIFT;
		limits.max_write_zeroes_sectors = UINT_MAX >> SECTOR_SHIFT;
	}
	return blk_mq_alloc_disk(set, &limits, queuedata);
}
#else
static inline struct gendisk *
simdisk_alloc_disk(struct blk_mq_tag_set *set,
		   const struct simdisk_limits *want, void *queuedata)
{
	struct gendisk *gendisk = blk_mq_alloc_disk(set, queuedata);
	struct request_queue *q;

	if (IS_ERR(gendisk))
		return gendisk;
	q = gendisk->queue;
	blk_queue_max_hw_sectors(q, SIMDISK_MAX_SECTORS);
	blk_queue_write_cache(q, want->write_cache, want->write_cache);
	if (!want->rotational)
		blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
	if (want->discard) {
		q->limits.discard_granularity = PAGE_SIZE;
		blk_queue_max_discard_sectors(q, UINT_MAX >> SECTOR_SHIFT);
		blk_queue_max_write_zeroes_sectors(q, UINT_MAX >> SECTOR_SHIFT);
	}
	return gendisk;
}
#endif

#endif /* _SIMDISK_COMPAT_H */
