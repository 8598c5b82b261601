// SPDX-License-Identifier: GPL-2.0-only
/*
 * ssd: dies of flash memory on channels, behind a write buffer.
 *
 * Read: each die that has pages of it reads them into its register (read_ns per
 * page), waits for its channel's bus, and sends the sectors; the whole then crosses
 * the link to the host. Page by page, neighbours lie on different dies.
 *
 * Write: done as soon as it has crossed the link and found room in the buffer,
 * which outlives a loss of power: there is nothing to flush. As soon as a page is
 * full it goes to the die that has the least to program. A die reads first and
 * programs then, or in turns when the buffer is more than half full.
 *
 * Garbage collection: of a block's pages, gc_valid_percent are still in use when it
 * is to be used again. To get the room for the others the die copies these
 * (read_ns + program_ns each, inside the die) and erases the block (erase_ns), and
 * does nothing else meanwhile. Dies come to that at random times of each other.
 *
 * What is left out: reads of what is still in the buffer take time on a die like
 * any other; where a page really lies does not depend on when it was written.
 *
 * Structure after N. Agrawal et al., "Design tradeoffs for SSD performance", USENIX
 * 2008, and A. Tavakkol et al., "MQSim", FAST 2018. Defaults from MQSim's
 * ssdconfig.xml: 8 channels of 333 MB/s, 4 chips of 2 dies each, pages of 8 KiB, 256
 * to a block, 75 us to read one, 3.8 ms to erase. It has 75 us for programming too;
 * multi-level cells take about ten times that of reading, hence 750 us. The buffer
 * and the share of valid pages are plain guesses: so much holds 10 ms of writes,
 * and so little makes each page written 1.25 pages programmed.
 */
#include "simdisk-model.h"

enum ssd_state {
	SSD_IDLE,
	SSD_READING,
	SSD_SENDING,
	SSD_PROGRAMMING,
	SSD_COLLECTING,
};

/**
 * struct ssd_die - one die
 * @state: what it does
 * @until_ns: how long
 * @queue: reads that wait, oldest first
 * @piece: what it reads or sends
 * @programs: pages to program
 * @fresh: pages that can be programmed before garbage has to be collected
 * @read_last: a program's turn
 */
struct ssd_die {
	enum ssd_state state;
	u64 until_ns;
	struct list_head queue;
	struct simdisk_piece *piece;
	u32 programs;
	u32 fresh;
	bool read_last;
};

/**
 * struct ssd - state of the model
 * @count: number of dies
 * @page_sectors: size of a page
 * @channel_free_ns: when each channel's bus will be free
 * @waiting: writes that wait for room in the buffer, oldest first
 * @buffered: sectors in the buffer
 * @open: those of them that do not fill a page yet
 * @next_die: where to look first for one that programs
 * @dies: the dies; number i is on channel i modulo channels
 */
struct ssd {
	u32 count;
	u32 page_sectors;
	u64 channel_free_ns[16];
	struct list_head waiting;
	u64 buffered;
	u64 open;
	u32 next_die;
	struct ssd_die dies[];
};

/* Pages of a block that garbage collection gives. */
static u32 fresh_pages(const struct simdisk_params *params)
{
	u64 valid = div64_u64(params->block_pages * params->gc_valid_percent,
			      100);

	return params->block_pages - valid;
}

static u64 collect_ns(const struct simdisk_params *params)
{
	return (params->block_pages - fresh_pages(params)) *
	       (params->read_ns + params->program_ns) + params->erase_ns;
}

static u64 bus_ns(const struct simdisk *disk, u64 sectors)
{
	return div64_u64(sectors * SIMDISK_SECTOR_BYTES * SIMDISK_SECOND,
			 disk->params.bus_bytes_per_s);
}

/* Take the bus of a die's channel, when it is free; returns when done with it. */
static u64 take_bus(const struct simdisk *disk, struct ssd *ssd,
		    const struct ssd_die *die, u64 sectors)
{
	u64 channel;

	div64_u64_rem(die - ssd->dies, disk->params.channels, &channel);
	ssd->channel_free_ns[channel] = max(ssd->channel_free_ns[channel],
					    disk->now_ns) +
					bus_ns(disk, sectors);
	return ssd->channel_free_ns[channel];
}

static int ssd_init(struct simdisk *disk)
{
	const struct simdisk_params *params = &disk->params;
	u32 i, count = params->channels * params->dies;
	struct prng prng;
	struct ssd *ssd;

	ssd = kcalloc(1, sizeof(*ssd) + count * sizeof(*ssd->dies), GFP_KERNEL);
	if (!ssd)
		return -ENOMEM;
	disk->state = ssd;
	ssd->count = count;
	ssd->page_sectors = params->page_kib * SIMDISK_SECTORS_PER_KIB;
	INIT_LIST_HEAD(&ssd->waiting);
	prng_seed(&prng, params->seed);
	for (i = 0; i < count; i++) {
		INIT_LIST_HEAD(&ssd->dies[i].queue);
		ssd->dies[i].fresh = 1 + prng_below(&prng, fresh_pages(params));
	}
	return 0;
}

static void ssd_exit(struct simdisk *disk)
{
	kfree(disk->state);
}

/* Have each die that has pages of a read do its piece. */
static void dispatch(struct simdisk *disk, struct simdisk_io *io)
{
	struct ssd *ssd = disk->state;
	u64 sector = io->sector, end = io->sector + io->sectors;
	u64 page, offset, n, die;
	struct simdisk_piece *piece;
	u32 i;

	for (i = 0; i < ssd->count; i++)
		io->pieces[i].sectors = 0;
	io->pieces_left = 0;
	for (; sector < end; sector += n) {
		page = div64_u64_rem(sector, ssd->page_sectors, &offset);
		div64_u64_rem(page, ssd->count, &die);
		n = min(end - sector, ssd->page_sectors - offset);
		piece = &io->pieces[die];
		if (!piece->sectors) {
			piece->io = io;
			piece->pages = 0;
			io->pieces_left++;
			list_add_tail(&piece->link, &ssd->dies[die].queue);
		}
		piece->pages++;
		piece->sectors += n;
	}
}

/* The die that has the least to program; better none that collects garbage. */
static struct ssd_die *choose_die(struct ssd *ssd)
{
	struct ssd_die *die, *best = NULL;
	u32 i, n, load, best_load = U32_MAX;

	for (n = 0; n < ssd->count && best_load; n++) {
		i = ssd->next_die + n;
		die = &ssd->dies[i < ssd->count ? i : i - ssd->count];
		load = die->programs + (die->state == SSD_COLLECTING ? 1024 : 0);
		if (load < best_load) {
			best_load = load;
			best = die;
		}
	}
	ssd->next_die = best - ssd->dies + 1;
	if (ssd->next_die == ssd->count)
		ssd->next_die = 0;
	return best;
}

/* Let writes into the buffer that find room, even if only because it is empty. */
static void admit(struct simdisk *disk, struct ssd *ssd)
{
	u64 room = disk->params.buffer_kib * SIMDISK_SECTORS_PER_KIB;
	struct simdisk_io *io;

	while ((io = list_first_entry_or_null(&ssd->waiting, struct simdisk_io,
					      link))) {
		if (ssd->buffered + io->sectors > room &&
		    ssd->buffered > ssd->open)
			return;
		list_del(&io->link);
		ssd->buffered += io->sectors;
		ssd->open += io->sectors;
		for (; ssd->open >= ssd->page_sectors;
		     ssd->open -= ssd->page_sectors)
			choose_die(ssd)->programs++;
		simdisk_finish(disk, io);
	}
}

static void die_start(struct simdisk *disk, struct ssd *ssd, struct ssd_die *die)
{
	const struct simdisk_params *params = &disk->params;
	bool crowded = ssd->buffered > params->buffer_kib *
				       SIMDISK_SECTORS_PER_KIB / 2;
	struct simdisk_piece *piece;

	if (die->state != SSD_IDLE)
		return;
	piece = list_first_entry_or_null(&die->queue, struct simdisk_piece, link);
	if (piece && !(crowded && die->programs && die->read_last)) {
		list_del(&piece->link);
		die->piece = piece;
		die->state = SSD_READING;
		die->until_ns = disk->now_ns +
				simdisk_varied(disk, piece->pages * params->read_ns);
		die->read_last = true;
	} else if (die->programs) {
		die->state = SSD_PROGRAMMING;
		die->until_ns = take_bus(disk, ssd, die, ssd->page_sectors) +
				simdisk_varied(disk, params->program_ns);
		die->read_last = false;
	}
}

static void die_event(struct simdisk *disk, struct ssd *ssd, struct ssd_die *die)
{
	const struct simdisk_params *params = &disk->params;

	switch (die->state) {
	case SSD_READING:
		die->state = SSD_SENDING;
		die->until_ns = take_bus(disk, ssd, die, die->piece->sectors);
		return;
	case SSD_SENDING:
		simdisk_piece_done(disk, die->piece);
		break;
	case SSD_PROGRAMMING:
		die->programs--;
		ssd->buffered -= ssd->page_sectors;
		if (--die->fresh)
			break;
		die->fresh = fresh_pages(params);
		die->state = SSD_COLLECTING;
		die->until_ns = disk->now_ns + collect_ns(params);
		return;
	default:
		break;
	}
	die->state = SSD_IDLE;
}

static void ssd_start(struct simdisk *disk)
{
	struct ssd *ssd = disk->state;
	struct simdisk_io *io;
	u32 i;

	while ((io = simdisk_take(disk))) {
		if (io->op == SIMDISK_READ)
			dispatch(disk, io);
		else
			simdisk_transfer(disk, io);
	}
	admit(disk, ssd);
	for (i = 0; i < ssd->count; i++)
		die_start(disk, ssd, &ssd->dies[i]);
}

static void ssd_step(struct simdisk *disk, struct simdisk_io *io)
{
	struct ssd *ssd = disk->state;

	if (io->op == SIMDISK_WRITE)
		list_add_tail(&io->link, &ssd->waiting);
	else
		simdisk_finish(disk, io);
}

static u64 ssd_next(const struct simdisk *disk)
{
	const struct ssd *ssd = disk->state;
	u64 next = U64_MAX;
	u32 i;

	for (i = 0; i < ssd->count; i++)
		if (ssd->dies[i].state != SSD_IDLE)
			next = min(next, ssd->dies[i].until_ns);
	return next;
}

static void ssd_event(struct simdisk *disk)
{
	struct ssd *ssd = disk->state;
	struct ssd_die *die;
	u32 i;

	for (i = 0; i < ssd->count; i++) {
		die = &ssd->dies[i];
		if (die->state != SSD_IDLE && die->until_ns <= disk->now_ns)
			die_event(disk, ssd, die);
	}
}

static u32 ssd_pieces(const struct simdisk_params *params)
{
	return params->channels * params->dies;
}

const struct simdisk_model simdisk_ssd = {
	.name		= "ssd",
	.bit		= SIMDISK_SSD,
	.init		= ssd_init,
	.exit		= ssd_exit,
	.start		= ssd_start,
	.step		= ssd_step,
	.next		= ssd_next,
	.event		= ssd_event,
	.pieces		= ssd_pieces,
	.defaults	= {
		.size_mib		= 262144,
		.queue_depth		= 1023,
		.channels		= 8,
		.dies			= 8,
		.page_kib		= 8,
		.block_pages		= 256,
		.bus_bytes_per_s	= 333000000,
		.read_ns		= 75000,
		.program_ns		= 750000,
		.erase_ns		= 3800000,
		.gc_valid_percent	= 20,
		.buffer_kib		= 8192,
		.overhead_ns		= 2000,
		.link_bytes_per_s	= 3200000000,
	},
};
