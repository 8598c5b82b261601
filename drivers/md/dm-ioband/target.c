// SPDX-License-Identifier: GPL-2.0-only
/*
 * The target's methods, in the order in which dm calls them in a device's life.
 */
#include <linux/blk-integrity.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "ioband.h"

enum {
	/* Size of a discard, whatever its range, and of a flush: that of a small write. */
	NO_DATA_SECTORS		= 8,
	/*
	 * A huge page or a large folio makes a bio of megabytes. Limits let one I/O
	 * pass at once whatever its size, so it must not be a large one.
	 */
	BIO_BYTES_MAX		= SZ_1M,
};

/*
 * One bio should become one request, as it is requests that take the disk's tags. So
 * bios are split before the block layer has to do it, and if possible not within a
 * physical block of the disk or a unit of encryption, which is a page at most.
 */
static u32 iot_bio_bytes(struct ioband_target *iot)
{
	struct block_device *bdev = iot->dev->bdev;
	u32 bytes = min_t(u64, BIO_BYTES_MAX,
			  (u64)queue_max_sectors(bdev_get_queue(bdev)) << SECTOR_SHIFT);
	u32 unit = max_t(u32, bdev_physical_block_size(bdev), PAGE_SIZE);

	if (bytes < unit)
		unit = bdev_logical_block_size(bdev);
	/* A drive's physical block size need not be a power of two. */
	return rounddown(bytes, unit);
}

/*
 * How many disks the device spreads its bios over goes by the topology, as dm-stripe and md
 * report it: io_min is the chunk, io_opt the full stripe. A device that does not report
 * them has one leg. A linear volume passes on what a drive prefers for writes: a chunk no
 * larger than a physical block, or more than IOBAND_LEGS_MAX chunks, is taken for that.
 */
static void iot_find_legs(struct ioband_target *iot)
{
	struct request_queue *q = bdev_get_queue(iot->dev->bdev);
	unsigned int chunk = queue_io_min(q), width = queue_io_opt(q);

	iot->nr_legs = 1;
	if (queue_is_mq(q) || !is_power_of_2(chunk) || chunk < PAGE_SIZE ||
	    chunk <= queue_physical_block_size(q) || width <= chunk ||
	    width % chunk || width / chunk > IOBAND_LEGS_MAX)
		return;
	iot->nr_legs = width / chunk;
	iot->chunk_shift = ilog2(chunk) - SECTOR_SHIFT;
}

static int iot_open(struct ioband_target *iot, const struct ioband_table *table,
		    struct ioband_error *err)
{
	struct dm_target *ti = iot->ti;
	sector_t size;
	int r;

	r = dm_get_device(ti, table->device, dm_table_get_mode(ti->table), &iot->dev);
	if (r) {
		ioband_refuse(err, "Device lookup failed",
			      "device '%.100s': cannot be opened (%d)",
			      table->device, r);
		return r;
	}

	if (bdev_is_zoned(iot->dev->bdev)) {
		r = ioband_refuse(err, "Zoned devices are not supported",
				  "device '%.100s': is zoned; held writes could change their order in a zone",
				  table->device);
		goto put_device;
	}

	size = bdev_nr_sectors(iot->dev->bdev);
	if (size && (table->offset_sectors > size ||
		     ti->len > size - table->offset_sectors)) {
		r = ioband_refuse(err, "Device is too small",
				  "device '%.100s': has %llu sectors, expected at least %llu",
				  table->device, size, table->offset_sectors + ti->len);
		goto put_device;
	}
	iot->offset_sectors = table->offset_sectors;
	iot->as_linear = table->as_linear;
	iot->bio_bytes = iot_bio_bytes(iot);
	iot_find_legs(iot);
	return 0;

put_device:
	dm_put_device(ti, iot->dev);
	return r;
}

/*
 * A bio that passes through one pool twice would wait for room that it occupies
 * itself. Only the devices right above and below are checked; with others in
 * between, it is up to the administrator.
 */
static bool iot_meets_itself(const struct ioband_target *iot, const struct ioband_pool *pool)
{
	const struct gendisk *own = dm_disk(dm_table_get_md(iot->ti->table));
	const struct gendisk *below = iot->dev->bdev->bd_disk;
	const struct ioband_volume *volume;
	const struct ioband_target *other;

	lockdep_assert_held(&ioband_mutex);

	if (below == own)
		return true;
	list_for_each_entry(volume, &pool->volumes, list)
		if (dm_disk(dm_table_get_md(volume->table)) == below)
			return true;
	list_for_each_entry(other, &pool->targets, list)
		if (other->dev->bdev->bd_disk == own)
			return true;
	return false;
}

static int iot_init_lanes(struct ioband_target *iot)
{
	unsigned int nr = 2 * iot->volume->pool->nr_legs, i;

	iot->lanes = kcalloc(nr, sizeof(*iot->lanes), GFP_NOIO);
	if (!iot->lanes)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		iot->lanes[i].target = iot;
		iot->lanes[i].is_throttled = i % 2;
		iot->lanes[i].leg = i / 2;
		bio_list_init(&iot->lanes[i].bios);
		INIT_WORK(&iot->lanes[i].work, iop_lane_work);
	}
	return 0;
}

/*
 * Note which way a bio goes: once, for whoever splits a bio below moves its start along. A
 * pool has the legs of its first target. Others may have fewer, or more.
 */
static void iob_find_leg(struct ioband_bio *iob)
{
	struct ioband_target *iot = iob->target;
	u64 chunk = iob->bio->bi_iter.bi_sector >> iot->chunk_shift;

	iob->io.leg = do_div(chunk, iot->nr_legs) % iot->volume->pool->nr_legs;
}

/* Add a target, which counts once its volume is resumed. */
static int iot_add(struct ioband_target *iot, struct ioband_pool *pool,
		   const struct ioband_table *table, struct ioband_spare *spare,
		   struct ioband_error *err)
{
	int r;

	lockdep_assert_held(&ioband_mutex);

	if (iot_meets_itself(iot, pool))
		return ioband_refuse(err, "Cannot put a share on itself",
				     "device '%.100s': expected one that is not of share '%s' already",
				     table->device, table->share);
	r = iov_get(pool, iot, table, spare, err);
	if (r)
		return r;
	if (iot_init_lanes(iot)) {
		iov_put(iot);
		return ioband_no_memory(err, "Cannot allocate ioband target");
	}
	if (pool->sched.policy->by_time)
		iop_alloc_streams(pool);
	spin_lock(&pool->lock);
	list_add_tail(&iot->list, &pool->targets);
	spin_unlock(&pool->lock);
	return 0;
}

static int iot_join(struct ioband_target *iot, const struct ioband_table *table,
		    struct ioband_error *err)
{
	struct ioband_pool *pool = iop_get(table, iot->nr_legs);
	struct ioband_spare spare;
	unsigned int i;
	int r = ioband_no_memory(err, "Cannot allocate ioband device");

	if (!pool)
		return r;
	for (i = 0; i < table->nr_groups; i++)
		ioband_cgroup_look_up(&table->groups[i].ref);
	r = iov_alloc(pool, table->nr_groups, &spare);
	mutex_lock(&ioband_mutex);
	if (!r)
		r = iot_add(iot, pool, table, &spare, err);
	mutex_unlock(&ioband_mutex);
	iov_free(&spare);
	if (r)
		iop_put(pool);
	return r;
}

/* The same by another name. */
static struct target_type ioband_as_linear;

static int ioband_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct ioband_error err = { "Cannot allocate ioband target", "" };
	struct ioband_table table;
	struct ioband_target *iot;
	int r;

	iot = kzalloc(sizeof(*iot), GFP_KERNEL);
	if (!iot) {
		ti->error = (char *)err.brief;
		return -ENOMEM;
	}
	iot->ti = ti;

	r = ioband_parse_table(argc, argv, &table, &err);
	if (r)
		goto free_target;
	iot->settings = table.settings;

	r = iot_open(iot, &table, &err);
	if (r)
		goto free_table;

	r = iot_join(iot, &table, &err);
	if (r)
		goto put_device;
	ioband_table_free(&table);

	ti->num_flush_bios = 1;
	ti->num_discard_bios = 1;
	ti->num_secure_erase_bios = 1;
	ti->num_write_zeroes_bios = 1;
	ti->per_io_data_size = sizeof(struct ioband_bio);
	/* bio_adopt() has dm start its accounting of each bio. */
	ti->accounts_remapped_io = true;
	ti->private = iot;
	/*
	 * LVM compares what is active with the table that it would load, and if they are
	 * the same leaves it alone, and ioband with it.
	 */
	if (iot->as_linear)
		ti->type = &ioband_as_linear;
	return 0;

put_device:
	dm_put_device(ti, iot->dev);
free_table:
	ioband_table_free(&table);
free_target:
	DMERR("%s: %s", dm_table_device_name(ti->table), err.text);
	ti->error = (char *)err.brief;
	kfree(iot);
	return r;
}

static void ioband_dtr(struct dm_target *ti)
{
	struct ioband_target *iot = ti->private;
	struct ioband_pool *pool = iot->volume->pool;
	unsigned int i;

	/*
	 * No bio is left, but workers that have sent some may still run, or not have begun
	 * yet: that may take until one of another lane has been given a tag by its disk.
	 */
	for (i = 0; i < 2 * pool->nr_legs; i++)
		flush_work(&iot->lanes[i].work);
	mutex_lock(&ioband_mutex);
	spin_lock(&pool->lock);
	list_del(&iot->list);
	if (iot->volume->resumed)
		iop_begin_depth(pool, ktime_get_ns());
	spin_unlock(&pool->lock);
	iov_put(iot);
	mutex_unlock(&ioband_mutex);
	iop_put(pool);

	dm_put_device(ti, iot->dev);
	kfree(iot->lanes);
	kfree(iot);
}

/*
 * Whether a bio counts by its size. Zeroes that the disk writes by itself may take it as
 * long as others; what is discarded is mostly only noted.
 */
static inline bool bio_has_size(const struct bio *bio)
{
	return bio_op(bio) != REQ_OP_DISCARD && bio_op(bio) != REQ_OP_SECURE_ERASE;
}

/* The disk takes an atomic write whole, whatever else it takes at once. */
static inline bool bio_may_be_split(const struct bio *bio)
{
	return bio_has_size(bio) && !(bio->bi_opf & IOBAND_REQ_ATOMIC);
}

static __always_inline void iob_init(struct ioband_bio *iob, struct bio *bio,
				     struct ioband_target *iot, enum ioband_dir dir)
{
	iob->bio = bio;
	iob->target = iot;
	iob->account = NULL;
	iob->takes = IOBAND_TAKES_PLACE;
	iob->is_timed = false;
	iob->io.merged = 0;
	iob->io.leg = 0;
	iob->is_throttled = false;
	iob->io.arrival_ns = ktime_get_ns();
	iob->io.dir = dir;
}

/* An empty flush: others wait for it, so it passes; but its group has to pay. */
static noinline int iot_map_flush(struct ioband_target *iot, struct bio *bio)
{
	struct ioband_bio *iob = iob_from_bio(bio);

	bio_adopt(bio, iot->dev->bdev);
	iob_init(iob, bio, iot, IOBAND_WRITE);
	iob->data_sectors = 0;
	iob->io.sectors = NO_DATA_SECTORS;
	iob_classify(iob, bio);
	iop_flush(iot->volume->pool, iob);
	submit_bio_noacct(bio);
	return DM_MAPIO_SUBMITTED;
}

static int ioband_map(struct dm_target *ti, struct bio *bio)
{
	struct ioband_target *iot = ti->private;
	struct ioband_bio *iob = iob_from_bio(bio);
	enum ioband_verdict verdict;

	bio->bi_iter.bi_sector = iot->offset_sectors +
		dm_target_offset(ti, bio->bi_iter.bi_sector);
	if (unlikely(!bio_sectors(bio)))
		return iot_map_flush(iot, bio);
	iob->group = NULL;
	if (unlikely(READ_ONCE(iot->push_back)) && dm_noflush_suspending(ti))
		return DM_MAPIO_REQUEUE;

	/* dm submits the rest as another bio. */
	if (unlikely(bio->bi_iter.bi_size > iot->bio_bytes) && bio_may_be_split(bio)) {
		dm_accept_partial_bio(bio, iot->bio_bytes >> SECTOR_SHIFT);
		/* dm does not trim the checksums to the sectors that remain. */
		if (bio_integrity(bio))
			bio_integrity_trim(bio);
	}
	/*
	 * Others may wait for its slot: its completion must not depend on a poller. Nor
	 * may it be refused: to a poller dm says nothing of that, and submits it again
	 * as a worker of the root's.
	 */
	if (unlikely(bio->bi_opf & REQ_POLLED))
		bio->bi_opf &= ~(REQ_POLLED | REQ_NOWAIT);
	bio_adopt(bio, iot->dev->bdev);
	iob_init(iob, bio, iot, op_is_write(bio_op(bio)) ? IOBAND_WRITE : IOBAND_READ);
	if (unlikely(iot->nr_legs > 1))
		iob_find_leg(iob);
	iob->data_sectors = bio_has_size(bio) ? bio_sectors(bio) : 0;
	iob->io.sectors = iob->data_sectors ?: NO_DATA_SECTORS;
	iob_classify(iob, bio);

	verdict = iop_submit(iot->volume->pool, iob);
	if (likely(verdict == IOBAND_PASS)) {
		submit_bio_noacct(bio);
		return DM_MAPIO_SUBMITTED;
	}
	if (verdict == IOBAND_HELD)
		return DM_MAPIO_SUBMITTED;

	percpu_ref_put(&iob->group->ref);
	iob->group = NULL;
	if (verdict == IOBAND_REQUEUE)
		return DM_MAPIO_REQUEUE;
	bio_wouldblock_error(bio);
	return DM_MAPIO_SUBMITTED;
}

static int ioband_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *error)
{
	struct ioband_target *iot = ti->private;
	struct ioband_bio *iob = iob_from_bio(bio);

	if (likely(iob->group))
		iop_complete(iot->volume->pool, iob);
	/* This is how iov_suspend() ends bios that are to be requeued. */
	if (unlikely(*error == BLK_STS_DM_REQUEUE))
		return DM_ENDIO_REQUEUE;
	return DM_ENDIO_DONE;
}

/*
 * Suspend. A flushing suspend waits for all bios, held ones included: they are sent
 * down at once, and need not wait until a limit of one I/O per second has let a thousand
 * pass. A noflush suspend may be because the disk is gone, so held bios go back to dm:
 *
 * 1. dm sets its flag, so that it keeps a requeued bio instead of failing it;
 * 2. presuspend: held bios are handed back, and from now on none is held;
 * 3. dm stops map, and waits for the bios at the disk;
 * 4. resume, of this table or the next: dm submits the bios it kept.
 */
/* Take a run out of what is held; its group is not charged for it. */
static void iob_give_back(struct ioband_pool *pool, struct ioband_bio *iob,
			  struct bio_list *bios)
{
	iob_dequeue(pool, iob, ktime_get_ns());
	for (; iob; iob = iob->next) {
		percpu_ref_put(&iob->group->ref);
		iob->group = NULL;
		bio_list_add(bios, iob->bio);
	}
}

/* Have a group hold nothing: it goes to @bios, or down if that is %NULL. */
static void iog_empty(struct ioband_pool *pool, struct ioband_group *group,
		      struct bio_list *bios)
{
	struct ioband_io *io;
	unsigned int nr = 0;

	spin_lock(&pool->lock);
	while ((io = iog_first_held(group))) {
		if (bios)
			iob_give_back(pool, iob_from_io(io), bios);
		else
			iob_let_go(pool, iob_from_io(io), ktime_get_ns());
		iop_let_others(pool, &nr, io);
	}
	spin_unlock(&pool->lock);
	iog_wake_all(group);
}

/*
 * Have a volume hold nothing, and none of its targets holds a bio until they are resumed. dm
 * suspends all of them, that way. What is sent down is charged all the same.
 */
static void iov_suspend(struct ioband_volume *volume, bool noflush)
{
	struct bio_list bios = BIO_EMPTY_LIST;
	struct ioband_pool *pool = volume->pool;
	struct ioband_group *group = NULL;
	struct ioband_target *iot;
	struct bio *bio;
	unsigned long id;

	spin_lock(&pool->lock);
	list_for_each_entry(iot, &pool->targets, list)
		if (iot->volume == volume)
			WRITE_ONCE(*(noflush ? &iot->push_back : &iot->drain), true);
	spin_unlock(&pool->lock);

	mutex_lock(&ioband_mutex);
	while ((group = iov_next(volume, group, &id)))
		iog_empty(pool, group, noflush ? &bios : NULL);
	mutex_unlock(&ioband_mutex);

	while ((bio = bio_list_pop(&bios))) {
		bio->bi_status = BLK_STS_DM_REQUEUE;
		bio_endio(bio);
	}
}

static void ioband_presuspend(struct dm_target *ti)
{
	struct ioband_target *iot = ti->private;

	iov_suspend(iot->volume, dm_noflush_suspending(ti));
}

static void ioband_presuspend_undo(struct dm_target *ti)
{
	struct ioband_target *iot = ti->private;

	WRITE_ONCE(iot->push_back, false);
	WRITE_ONCE(iot->drain, false);
}

/*
 * Whether no other dm device uses the pool, or none whose table was ever resumed: then
 * this one's table configures it.
 */
static bool iot_owns_pool(struct ioband_target *iot)
{
	struct mapped_device *md = dm_table_get_md(iot->ti->table);
	struct ioband_volume *volume;

	list_for_each_entry(volume, &iot->volume->pool->volumes, list)
		if (volume->resumed && dm_table_get_md(volume->table) != md)
			return false;
	return true;
}

/*
 * A table that is merely loaded, perhaps for ever, has no part in what the pool goes by: the
 * minimums promised, the tightest latency target, the devices' tags.
 */
static void iov_resume(struct ioband_volume *volume)
{
	struct ioband_pool *pool = volume->pool;

	if (volume->resumed)
		return;
	spin_lock(&pool->lock);
	volume->resumed = true;
	iop_find_latency(pool);
	iop_begin_depth(pool, ktime_get_ns());
	spin_unlock(&pool->lock);
	iov_weigh(volume);
}

/*
 * Loading a table changes nothing until it is resumed. Its settings for the share
 * then take effect if no other device uses the share; otherwise the share keeps
 * those it has. Its policy takes effect in any case, as in 1.14.
 */
static void ioband_resume(struct dm_target *ti)
{
	struct ioband_target *iot = ti->private;
	struct ioband_pool *pool = iot->volume->pool;

	ioband_presuspend_undo(ti);

	mutex_lock(&ioband_mutex);
	if (!iot->resumed) {
		iot->resumed = true;
		iop_set_policy(pool, iot->volume->policy);
		iov_resume(iot->volume);
		if (iot_owns_pool(iot))
			iop_set(pool, &iot->settings);
	}
	mutex_unlock(&ioband_mutex);
}

static int ioband_prepare_ioctl(struct dm_target *ti, struct block_device **bdev
				IOBAND_PREPARE_IOCTL_ARGS)
{
	struct ioband_target *iot = ti->private;

	*bdev = iot->dev->bdev;
	/* 1: not the whole device, so the ioctl needs more privilege. */
	return iot->offset_sectors || ti->len != bdev_nr_sectors(*bdev);
}

static int ioband_iterate_devices(struct dm_target *ti,
				  iterate_devices_callout_fn fn, void *data)
{
	struct ioband_target *iot = ti->private;

	return fn(ti, iot->dev, iot->offset_sectors, ti->len, data);
}

/* No report_zones and no DAX: with neither could we choose the order of I/O. */
static struct target_type ioband_target = {
	.name		 = "ioband",
	.version	 = {2, 0, 0},
	.features	 = DM_TARGET_NOWAIT | DM_TARGET_PASSES_INTEGRITY |
			   DM_TARGET_PASSES_CRYPTO | IOBAND_ATOMIC_WRITES,
	.module		 = THIS_MODULE,
	.ctr		 = ioband_ctr,
	.dtr		 = ioband_dtr,
	.map		 = ioband_map,
	.end_io		 = ioband_end_io,
	.presuspend	 = ioband_presuspend,
	.presuspend_undo = ioband_presuspend_undo,
	.resume		 = ioband_resume,
	.status		 = iot_status,
	.message	 = iot_message,
	.prepare_ioctl	 = ioband_prepare_ioctl,
	.iterate_devices = ioband_iterate_devices,
};

static int __init dm_ioband_init(void)
{
	int r;

	ioband_as_linear = ioband_target;
	ioband_as_linear.name = "linear";
	r = dm_register_target(&ioband_target);
	if (r < 0)
		DMERR("register failed %d", r);
	return r;
}

static void __exit dm_ioband_exit(void)
{
	dm_unregister_target(&ioband_target);
	/* Wait for the RCU callbacks that free groups. */
	rcu_barrier();
}

module_init(dm_ioband_init);
module_exit(dm_ioband_exit);

MODULE_DESCRIPTION(DM_NAME " target that shares I/O bandwidth");
MODULE_AUTHOR("dm-ioband developers");
MODULE_VERSION("2.0.0");
MODULE_LICENSE("GPL");
