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
	if (params->credit_ns && !params->cap_ios_per_s &&
	    !params->cap_bytes_per_s)
		return "credit_ns has no effect without cap_ios_per_s or cap_bytes_per_s";
	if (params->stall_ns && !params->stall_every_ns)
		return "stall_ns has no effect without stall_every_ns";
	if (params->tail_ppm && !params->tail_ns)
		return "tail_ppm has no effect without tail_ns";
	if (params->drift_percent && !params->drift_ns)
		return "drift_percent has no effect without drift_ns";
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
	prng_seed(&disk->services, params->seed + 1);
	prng_seed(&disk->stalls, params->seed + 2);
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

/* @ns times a random number of exponential distribution, whose mean is 1. */
static u64 exponential(struct prng *prng, u64 ns)
{
	return mul_u64_u64_shr(ns, prng_exponential(prng), 32);
}

/**
 * simdisk_varied - how long a service takes that should take so long
 * @disk: the disk
 * @ns: the time without irregularities
 *
 * Of each time jitter_percent are random, of exponential distribution: that is the
 * least regular one for a given mean, and this part the standard deviation. Beyond
 * that tail_ppm of a million services take longer, by tail_ns in the mean. Drift goes
 * up and down in straight lines.
 *
 * Return: the time with them.
 */
u64 simdisk_varied(struct simdisk *disk, u64 ns)
{
	const struct simdisk_params *params = &disk->params;
	u64 varied = ns, jitter, phase;

	if (params->jitter_percent) {
		jitter = div64_u64(ns * params->jitter_percent, 100);
		varied += exponential(&disk->services, jitter) - jitter;
	}
	if (params->tail_ppm &&
	    prng_below(&disk->services, 1000000) < params->tail_ppm)
		varied += exponential(&disk->services, params->tail_ns);
	if (params->drift_percent) {
		/* From 1, slowest after a quarter, fastest after three. */
		div64_u64_rem(disk->now_ns + params->drift_ns / 4,
			      params->drift_ns, &phase);
		phase = div64_u64(phase * 2048, params->drift_ns);
		phase = min(phase, 2048 - phase);
		/* Now 0 to 1024; the mean of the speed, not of the time, is 1. */
		varied = div64_u64(varied * 1024 * 100,
				   1024 * (100 + params->drift_percent) -
				   2 * phase * params->drift_percent);
	}
	return varied;
}

/* Until when the disk stalls, if it does now. */
static u64 stalled_until(struct simdisk *disk)
{
	const struct simdisk_params *params = &disk->params;

	if (!params->stall_ns)
		return 0;
	while (disk->stalled_ns <= disk->now_ns) {
		disk->stall_ns = disk->stalled_ns +
				 exponential(&disk->stalls,
					     params->stall_every_ns);
		disk->stalled_ns = disk->stall_ns + params->stall_ns;
	}
	return disk->stall_ns <= disk->now_ns ? disk->stalled_ns : 0;
}

/* Until when a cap allows nothing more; what it allows is saved up for credit_ns. */
static u64 spent_until(struct simdisk *disk, int cap, u64 per_s)
{
	if (!per_s || disk->spent_ns[cap] <= disk->params.credit_ns)
		return 0;
	return disk->spent_ns[cap] - disk->params.credit_ns;
}

static void spend(struct simdisk *disk, int cap, u64 per_s, u64 units)
{
	if (per_s)
		disk->spent_ns[cap] = max(disk->spent_ns[cap], disk->now_ns) +
				      div64_u64(units * SIMDISK_SECOND, per_s);
}

/**
 * simdisk_take - begin with the oldest I/O of the queue
 * @disk: the disk
 *
 * Return: the I/O, or %NULL if none waits, or none may be begun now.
 */
struct simdisk_io *simdisk_take(struct simdisk *disk)
{
	const struct simdisk_params *params = &disk->params;
	struct simdisk_io *io;
	u64 gate;

	io = list_first_entry_or_null(&disk->queue, struct simdisk_io, link);
	if (!io)
		return NULL;
	gate = max(stalled_until(disk),
		   max(spent_until(disk, 0, params->cap_ios_per_s),
		       spent_until(disk, 1, params->cap_bytes_per_s)));
	if (gate > disk->now_ns) {
		disk->gate_ns = gate;
		return NULL;
	}
	spend(disk, 0, params->cap_ios_per_s, 1);
	if (io->op == SIMDISK_READ || io->op == SIMDISK_WRITE)
		spend(disk, 1, params->cap_bytes_per_s,
		      (u64)io->sectors * SIMDISK_SECTOR_BYTES);
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

	if (disk->model->next)
		next = min(next, disk->model->next(disk));
	if (disk->gate_ns > disk->now_ns && !list_empty(&disk->queue))
		next = min(next, disk->gate_ns);
	return next;
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
			if (disk->model->event)
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
