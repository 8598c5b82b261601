// SPDX-License-Identifier: GPL-2.0-only
/*
 * simdisk: simulated disks as block devices.
 *
 * A model (simdisk-model.h) says when an I/O is done, an hrtimer waits until
 * then. This file is what lies between blk-mq and the model.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "compat.h"
#include "simdisk.h"

/* What a request is to the model, or -1 if it is nothing. */
static int model_op(const struct request *rq)
{
	switch (req_op(rq)) {
	case REQ_OP_READ:
		return SIMDISK_READ;
	case REQ_OP_WRITE:
		return SIMDISK_WRITE;
	case REQ_OP_FLUSH:
		return SIMDISK_FLUSH;
	case REQ_OP_DISCARD:
	case REQ_OP_WRITE_ZEROES:
		return SIMDISK_DISCARD;
	default:
		return -1;
	}
}

/* Have the timer ring for the next event. */
static void arm(struct simdisk_dev *dev)
{
	u64 next = simdisk_next(&dev->disk);

	lockdep_assert_held(&dev->lock);
	if (next >= dev->armed_ns)
		return;
	dev->armed_ns = next;
	hrtimer_start(&dev->timer, ns_to_ktime(next), HRTIMER_MODE_ABS);
}

static enum hrtimer_restart expired(struct hrtimer *timer)
{
	struct simdisk_dev *dev = container_of(timer, struct simdisk_dev, timer);
	struct simdisk_io *io, *next;
	unsigned long flags;
	LIST_HEAD(done);

	spin_lock_irqsave(&dev->lock, flags);
	while ((io = simdisk_done(&dev->disk, ktime_get_ns())))
		list_add_tail(&io->link, &done);
	dev->armed_ns = U64_MAX;
	arm(dev);
	spin_unlock_irqrestore(&dev->lock, flags);

	/* These may bring new requests at once, for which the lock is needed. */
	list_for_each_entry_safe(io, next, &done, link)
		blk_mq_end_request(blk_mq_rq_from_pdu(io), BLK_STS_OK);
	return HRTIMER_NORESTART;
}

static blk_status_t queue_rq(struct blk_mq_hw_ctx *hctx,
			     const struct blk_mq_queue_data *bd)
{
	struct simdisk_dev *dev = hctx->queue->queuedata;
	struct request *rq = bd->rq;
	struct simdisk_io *io = blk_mq_rq_to_pdu(rq);
	unsigned long flags;
	int op = model_op(rq);

	if (op < 0)
		return BLK_STS_NOTSUPP;
	if (dev->params.memory_backed &&
	    simdisk_store_request(&dev->store, rq))
		return BLK_STS_NOSPC;

	io->sector = blk_rq_pos(rq);
	io->sectors = blk_rq_sectors(rq);
	io->op = op;
	io->fua = !!(rq->cmd_flags & REQ_FUA);
	blk_mq_start_request(rq);

	spin_lock_irqsave(&dev->lock, flags);
	simdisk_submit(&dev->disk, io, ktime_get_ns());
	arm(dev);
	spin_unlock_irqrestore(&dev->lock, flags);
	return BLK_STS_OK;
}

/* However long a request takes, it is what the model says. */
static enum blk_eh_timer_return timed_out(struct request *rq)
{
	return BLK_EH_RESET_TIMER;
}

static const struct blk_mq_ops mq_ops = {
	.queue_rq	= queue_rq,
	.timeout	= timed_out,
};

static const struct block_device_operations block_ops = {
	.owner		= THIS_MODULE,
};

/**
 * simdisk_set_live - change a parameter of a running disk
 * @dev: the disk
 * @place: which parameter
 * @value: its new value, checked
 */
void simdisk_set_live(struct simdisk_dev *dev, int place, u64 value)
{
	spin_lock_irq(&dev->lock);
	simdisk_param_set(&dev->disk.params, place, value);
	simdisk_changed(&dev->disk, ktime_get_ns());
	arm(dev);
	spin_unlock_irq(&dev->lock);
}

static int add_gendisk(struct simdisk_dev *dev)
{
	struct simdisk_limits limits = {
		.rotational	= dev->model->rotational,
		.write_cache	= dev->model->write_cache &&
				  dev->model->write_cache(&dev->params),
		.discard	= dev->params.discard,
	};
	struct gendisk *gendisk;
	int err;

	gendisk = simdisk_alloc_disk(&dev->set, &limits, dev);
	if (IS_ERR(gendisk))
		return PTR_ERR(gendisk);
	gendisk->fops = &block_ops;
	gendisk->private_data = dev;
	strscpy(gendisk->disk_name, config_item_name(&dev->item),
		DISK_NAME_LEN);
	set_capacity(gendisk, dev->params.size_mib * SIMDISK_SECTORS_PER_MIB);

	/* Partitions are looked for before this returns. */
	dev->gendisk = gendisk;
	err = add_disk(gendisk);
	if (err) {
		dev->gendisk = NULL;
		put_disk(gendisk);
	}
	return err;
}

/**
 * simdisk_power_on - make the disk appear
 * @dev: a disk that is off
 *
 * Return: 0 or -errno.
 */
int simdisk_power_on(struct simdisk_dev *dev)
{
	const char *wrong = simdisk_check(dev->model, &dev->params);
	int err;

	lockdep_assert_held(&dev->power_lock);
	if (wrong) {
		pr_err("%s: %s\n", config_item_name(&dev->item), wrong);
		return -EINVAL;
	}
	err = simdisk_init(&dev->disk, dev->model, &dev->params);
	if (err)
		return err;
	simdisk_store_init(&dev->store);
	dev->armed_ns = U64_MAX;

	dev->set = (struct blk_mq_tag_set) {
		.ops		= &mq_ops,
		.nr_hw_queues	= 1,
		.queue_depth	= dev->params.queue_depth,
		.numa_node	= NUMA_NO_NODE,
		.cmd_size	= simdisk_io_bytes(dev->model, &dev->params),
		.flags		= SIMDISK_SHOULD_MERGE,
	};
	/* To get memory for the data may take sleep. */
	if (dev->params.memory_backed)
		dev->set.flags |= BLK_MQ_F_BLOCKING;
	err = blk_mq_alloc_tag_set(&dev->set);
	if (err)
		goto exit_model;
	err = add_gendisk(dev);
	if (err)
		goto free_tags;
	return 0;

free_tags:
	blk_mq_free_tag_set(&dev->set);
exit_model:
	simdisk_exit(&dev->disk);
	return err;
}

/**
 * simdisk_power_off - take the disk away, in use or not
 * @dev: a disk that is on
 *
 * What has reached the disk is still served, in the time it takes.
 */
void simdisk_power_off(struct simdisk_dev *dev)
{
	lockdep_assert_held(&dev->power_lock);
	del_gendisk(dev->gendisk);
	put_disk(dev->gendisk);
	dev->gendisk = NULL;
	blk_mq_free_tag_set(&dev->set);
	hrtimer_cancel(&dev->timer);
	simdisk_exit(&dev->disk);
	simdisk_store_free(&dev->store);
}

/**
 * simdisk_timer_init - prepare the timer of a disk not yet on
 * @dev: the disk
 */
void simdisk_timer_init(struct simdisk_dev *dev)
{
	hrtimer_setup(&dev->timer, expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
}

static int __init simdisk_module_init(void)
{
	return simdisk_configfs_init();
}

static void __exit simdisk_module_exit(void)
{
	simdisk_configfs_exit();
}

module_init(simdisk_module_init);
module_exit(simdisk_module_exit);
MODULE_DESCRIPTION("Simulated disks");
MODULE_LICENSE("GPL");
