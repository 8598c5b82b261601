// SPDX-License-Identifier: GPL-2.0-only
/*
 * The data of a memory-backed disk. It is copied when a request arrives, which
 * costs no time of the disk's: until a request is done, nobody may know.
 */
#include <linux/highmem.h>

#include "simdisk.h"

enum {
	PAGE_SECTORS_LOG	= PAGE_SHIFT - SECTOR_SHIFT,
};

void simdisk_store_init(struct simdisk_store *store)
{
	xa_init(&store->pages);
	mutex_init(&store->lock);
}

void simdisk_store_free(struct simdisk_store *store)
{
	struct page *page;
	unsigned long index;

	xa_for_each(&store->pages, index, page)
		__free_page(page);
	xa_destroy(&store->pages);
}

static struct page *get_page_to_write(struct simdisk_store *store,
				      unsigned long index)
{
	struct page *page = xa_load(&store->pages, index);

	if (page)
		return page;
	page = alloc_page(GFP_NOIO | __GFP_ZERO);
	if (page && xa_err(xa_store(&store->pages, index, page, GFP_NOIO))) {
		__free_page(page);
		return NULL;
	}
	return page;
}

/* Copy a part of a request, as far as it lies in one page of the store. */
static int copy(struct simdisk_store *store, u64 byte, struct bio_vec *part,
		bool write)
{
	unsigned int offset = offset_in_page(byte);
	unsigned long index = byte >> PAGE_SHIFT;
	unsigned int len = min_t(unsigned int, part->bv_len, PAGE_SIZE - offset);
	struct page *page;

	if (write) {
		page = get_page_to_write(store, index);
		if (!page)
			return -ENOMEM;
		memcpy_page(page, offset, part->bv_page, part->bv_offset, len);
		return len;
	}
	page = xa_load(&store->pages, index);
	if (page)
		memcpy_page(part->bv_page, part->bv_offset, page, offset, len);
	else
		memzero_page(part->bv_page, part->bv_offset, len);
	return len;
}

static int copy_all(struct simdisk_store *store, struct request *rq)
{
	u64 byte = blk_rq_pos(rq) << SECTOR_SHIFT;
	struct req_iterator iter;
	struct bio_vec segment, part;
	int len;

	/* The iterator counts on its segment being left as it is. */
	rq_for_each_segment(segment, rq, iter) {
		part = segment;
		while (part.bv_len) {
			len = copy(store, byte, &part, op_is_write(req_op(rq)));
			if (len < 0)
				return len;
			byte += len;
			part.bv_offset += len;
			part.bv_len -= len;
		}
	}
	return 0;
}

/* Discarded sectors read as zeroes, as zeroed ones do. */
static void clear(struct simdisk_store *store, u64 sector, u64 sectors)
{
	struct page *page;
	u64 offset, n;

	for (; sectors; sector += n, sectors -= n) {
		offset = sector & ((1 << PAGE_SECTORS_LOG) - 1);
		n = min_t(u64, sectors, (1 << PAGE_SECTORS_LOG) - offset);
		page = xa_load(&store->pages, sector >> PAGE_SECTORS_LOG);
		if (!page)
			continue;
		if (n == 1 << PAGE_SECTORS_LOG) {
			xa_erase(&store->pages, sector >> PAGE_SECTORS_LOG);
			__free_page(page);
		} else {
			memzero_page(page, offset << SECTOR_SHIFT,
				     n << SECTOR_SHIFT);
		}
	}
}

/* Do with the data what a request asks for. */
int simdisk_store_request(struct simdisk_store *store, struct request *rq)
{
	int err = 0;

	mutex_lock(&store->lock);
	switch (req_op(rq)) {
	case REQ_OP_READ:
	case REQ_OP_WRITE:
		err = copy_all(store, rq);
		break;
	case REQ_OP_DISCARD:
	case REQ_OP_WRITE_ZEROES:
		clear(store, blk_rq_pos(rq), blk_rq_sectors(rq));
		break;
	default:
		break;
	}
	mutex_unlock(&store->lock);
	return err;
}
