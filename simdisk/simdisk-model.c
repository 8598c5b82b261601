// SPDX-License-Identifier: GPL-2.0-only
/*
 * What all models share: parameters, and the disk's life from one event to the
 * next.
 */
#include "simdisk-model.h"

#define OFF	false
#define LIVE	true

const struct simdisk_param simdisk_param_table[SIMDISK_PARAM_COUNT] = {
#define SIMDISK_ROW(name, models, when, least, most)			\
	{ #name, offsetof(struct simdisk_params, name), models, when,	\
	  least, most },
	SIMDISK_PARAMS(SIMDISK_ROW)
#undef SIMDISK_ROW
};

static const struct simdisk_model *const models[] = {
	&simdisk_flat, &simdisk_serial, &simdisk_hdd, &simdisk_array, &simdisk_ssd,
};

/**
 * simdisk_model_find - look up a model
 * @name: its word
 *
 * Return: the model, or %NULL if there is none of that name.
 */
const struct simdisk_model *simdisk_model_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (!strcmp(models[i]->name, name))
			return models[i];
	return NULL;
}

static u64 *field(struct simdisk_params *params, int place)
{
	return (u64 *)((char *)params + simdisk_param_table[place].offset);
}

/**
 * simdisk_param_get - read a parameter by its place in the table
 * @params: the parameters
 * @place: which of them
 *
 * Return: its value.
 */
u64 simdisk_param_get(const struct simdisk_params *params, int place)
{
	return *field((struct simdisk_params *)params, place);
}

/**
 * simdisk_param_set - write a parameter by its place in the table
 * @params: the parameters
 * @place: which of them
 * @value: checked by the caller against the table
 */
void simdisk_param_set(struct simdisk_params *params, int place, u64 value)
{
	*field(params, place) = value;
}

/**
 * simdisk_check - do parameters go together?
 * @model: what kind of disk
 * @params: parameters, each checked against the table
 *
 * Return: a sentence that names what does not, or %NULL.
 */
const char *simdisk_check(const struct simdisk_model *model,
			  const struct simdisk_params *params)
{
	return model->check ? model->check(params) : NULL;
}

/**
 * simdisk_io_bytes - how large an I/O's structure has to be
 * @model: what kind of disk
 * @params: its parameters
 *
 * Return: the size, pieces counted in.
 */
size_t simdisk_io_bytes(const struct simdisk_model *model,
			const struct simdisk_params *params)
{
	u32 pieces = model->pieces ? model->pieces(params) : 0;

	return sizeof(struct simdisk_io) + pieces * sizeof(struct simdisk_piece);
}

/**
 * simdisk_init - begin a disk's life
 * @disk: uninitialised memory
 * @model: what kind of disk
 * @params: parameters that simdisk_check() has found nothing wrong with
 *
 * Return: 0 or -errno.
 */
int simdisk_init(struct simdisk *disk, const struct simdisk_model *model,
		 const struct simdisk_params *params)
{
	memset(disk, 0, sizeof(*disk));
	disk->model = model;
	disk->params = *params;
	INIT_LIST_HEAD(&disk->queue);
	INIT_LIST_HEAD(&disk->busy);
	INIT_LIST_HEAD(&disk->done);
	return model->init ? model->init(disk) : 0;
}

/**
 * simdisk_exit - end a disk's life
 * @disk: a disk without I/O
 */
void simdisk_exit(struct simdisk *disk)
{
	if (disk->model->exit)
		disk->model->exit(disk);
}

/**
 * simdisk_take - begin with the oldest I/O of the queue
 * @disk: the disk
 *
 * Return: the I/O, or %NULL if none waits.
 */
struct simdisk_io *simdisk_take(struct simdisk *disk)
{
	struct simdisk_io *io;

	io = list_first_entry_or_null(&disk->queue, struct simdisk_io, link);
	if (io)
		list_del(&io->link);
	return io;
}

/**
 * simdisk_end_at - the end of an I/O is known
 * @disk: the disk
 * @io: one that is in no list
 * @due_ns: when it will have been served
 *
 * Mostly it is the last of all, so that is where its place is looked for.
 */
void simdisk_end_at(struct simdisk *disk, struct simdisk_io *io, u64 due_ns)
{
	struct list_head *pos;

	io->due_ns = due_ns;
	list_for_each_prev(pos, &disk->busy)
		if (container_of(pos, struct simdisk_io, link)->due_ns <= due_ns)
			break;
	list_add(&io->link, pos);
	disk->in_service++;
}

/**
 * simdisk_transfer - an I/O's data cross the link between host and disk
 * @disk: the disk
 * @io: one that is in no list
 *
 * One I/O crosses after the other. The overhead of its command is counted in, for
 * the disk deals with one command at a time as well.
 */
void simdisk_transfer(struct simdisk *disk, struct simdisk_io *io)
{
	u64 bytes = 0;

	if (io->op == SIMDISK_READ || io->op == SIMDISK_WRITE)
		bytes = (u64)io->sectors * SIMDISK_SECTOR_BYTES;
	disk->link_free_ns = max(disk->link_free_ns, disk->now_ns) +
			     disk->params.overhead_ns +
			     div64_u64(bytes * SIMDISK_SECOND,
				       disk->params.link_bytes_per_s);
	simdisk_end_at(disk, io, disk->link_free_ns);
}

/**
 * simdisk_finish - an I/O is done
 * @disk: the disk
 * @io: one that is in no list
 */
void simdisk_finish(struct simdisk *disk, struct simdisk_io *io)
{
	io->due_ns = disk->now_ns;
	list_add_tail(&io->link, &disk->done);
}

/**
 * simdisk_piece_done - a part of the disk has done its piece of an I/O
 * @disk: the disk
 * @piece: the piece, in no list
 *
 * After the last one what was read crosses the link; a write is done.
 */
void simdisk_piece_done(struct simdisk *disk, struct simdisk_piece *piece)
{
	struct simdisk_io *io = piece->io;

	if (--io->pieces_left)
		return;
	if (io->arrived)
		simdisk_finish(disk, io);
	else
		simdisk_transfer(disk, io);
}

static struct simdisk_io *next_io(struct simdisk *disk)
{
	return list_first_entry_or_null(&disk->busy, struct simdisk_io, link);
}

static u64 next_event(struct simdisk *disk)
{
	const struct simdisk_io *io = next_io(disk);
	u64 next = io ? io->due_ns : U64_MAX;

	return disk->model->next ? min(next, disk->model->next(disk)) : next;
}

/* Live on until @now_ns. */
static void advance(struct simdisk *disk, u64 now_ns)
{
	struct simdisk_io *io;
	u64 next;

	while ((next = next_event(disk)) <= now_ns) {
		disk->now_ns = next;
		io = next_io(disk);
		if (!io || io->due_ns > next) {
			disk->model->event(disk);
		} else {
			list_del(&io->link);
			disk->in_service--;
			if (disk->model->step)
				disk->model->step(disk, io);
			else
				simdisk_finish(disk, io);
		}
		disk->model->start(disk);
	}
	disk->now_ns = max(disk->now_ns, now_ns);
}

/**
 * simdisk_submit - give an I/O to the disk
 * @disk: the disk
 * @io: the I/O; the caller may touch it again when simdisk_done() returned it
 * @now_ns: the time
 */
void simdisk_submit(struct simdisk *disk, struct simdisk_io *io, u64 now_ns)
{
	advance(disk, now_ns);
	io->arrived = false;
	list_add_tail(&io->link, &disk->queue);
	disk->model->start(disk);
}

/**
 * simdisk_changed - live parameters have changed
 * @disk: the disk
 * @now_ns: the time
 */
void simdisk_changed(struct simdisk *disk, u64 now_ns)
{
	advance(disk, now_ns);
	disk->model->start(disk);
}

/**
 * simdisk_next - when to call simdisk_done() next
 * @disk: the disk
 *
 * Return: that time, past if something has been done already, or %U64_MAX if
 * nothing will happen without a new I/O.
 */
u64 simdisk_next(struct simdisk *disk)
{
	if (!list_empty(&disk->done))
		return list_first_entry(&disk->done, struct simdisk_io,
					link)->due_ns;
	return next_event(disk);
}

/**
 * simdisk_done - fetch an I/O that has been done
 * @disk: the disk
 * @now_ns: the time
 *
 * Return: the one done first, out of the disk's hands, or %NULL if there is none
 * by now.
 */
struct simdisk_io *simdisk_done(struct simdisk *disk, u64 now_ns)
{
	struct simdisk_io *io;

	advance(disk, now_ns);
	io = list_first_entry_or_null(&disk->done, struct simdisk_io, link);
	if (io)
		list_del(&io->link);
	return io;
}
