/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's own side of a disk: what surrounds the model.
 */
#ifndef _SIMDISK_H
#define _SIMDISK_H

#include <linux/blk-mq.h>
#include <linux/configfs.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "simdisk-model.h"

/**
 * struct simdisk_store - the data of a memory-backed disk
 * @pages: by their place on the disk; what has none reads as zeroes
 * @lock: a page may go while another is read
 */
struct simdisk_store {
	struct xarray pages;
	struct mutex lock;	/* see above */
};

/**
 * struct simdisk_dev - one disk
 * @item: its directory in configfs
 * @power_lock: held while the disk comes and goes, and while it is configured
 * @model: what kind of disk it is or will be
 * @params: what it is or will be set to
 * @gendisk: the disk, or %NULL while it is off
 * @set: its tags
 * @store: its data
 * @lock: protects all that follows
 * @disk: the model at work
 * @timer: rings at the disk's next event
 * @armed_ns: when that is
 */
struct simdisk_dev {
	struct config_item item;
	struct mutex power_lock;	/* see above */
	const struct simdisk_model *model;
	struct simdisk_params params;
	struct gendisk *gendisk;
	struct blk_mq_tag_set set;
	struct simdisk_store store;
	spinlock_t lock;	/* see above */
	struct simdisk disk;
	struct hrtimer timer;
	u64 armed_ns;
};

void simdisk_timer_init(struct simdisk_dev *dev);
int simdisk_power_on(struct simdisk_dev *dev);
void simdisk_power_off(struct simdisk_dev *dev);
void simdisk_set_live(struct simdisk_dev *dev, int place, u64 value);

void simdisk_store_init(struct simdisk_store *store);
void simdisk_store_free(struct simdisk_store *store);
int simdisk_store_request(struct simdisk_store *store, struct request *rq);

int simdisk_configfs_init(void);
void simdisk_configfs_exit(void);

#endif /* _SIMDISK_H */
