/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Models of disks: when is an I/O done that came at a given time?
 *
 * Plain C, driven by a caller who owns the clock: he tells the time with each
 * call, in nanoseconds that never go back, and serialises the calls on one disk.
 * Whatever happens in the disk happens at its own time, and not when the caller
 * looks: a slot that became free a while ago took the next I/O then, so a late
 * caller (an interrupt) delays what he is told but not the disk.
 *
 *	simdisk_submit(disk, io, now);
 *	wait until simdisk_next(disk);
 *	while ((io = simdisk_done(disk, now)))
 *		...
 */
#ifndef _SIMDISK_MODEL_H
#define _SIMDISK_MODEL_H

#include "simdisk-env.h"
#include "prng.h"
#include "simdisk-params.h"

enum {
	SIMDISK_SECTOR_BYTES	= 512,
	SIMDISK_SECTORS_PER_KIB	= 2,
	SIMDISK_SECTORS_PER_MIB	= 2048,
};

/**
 * struct simdisk_params - the parameters of a disk
 *
 * Each has a word, which is its name here; docs/simdisk.rst tells their meaning.
 */
struct simdisk_params {
#define SIMDISK_FIELD(name, models, when, least, most)	u64 name;
	SIMDISK_PARAMS(SIMDISK_FIELD)
#undef SIMDISK_FIELD
};

/* The places of the parameters in the table, SIMDISK_PARAM_size_mib and so on. */
enum {
#define SIMDISK_PLACE(name, models, when, least, most)	SIMDISK_PARAM_##name,
	SIMDISK_PARAMS(SIMDISK_PLACE)
#undef SIMDISK_PLACE
	SIMDISK_PARAM_COUNT,
};

/**
 * struct simdisk_param - what one parameter may be
 * @name: its word
 * @offset: where it is in &struct simdisk_params
 * @models: the models that have it, a bit each
 * @live: may be changed while the disk runs
 * @least: smallest value
 * @most: largest value
 */
struct simdisk_param {
	const char *name;
	size_t offset;
	u32 models;
	bool live;
	u64 least;
	u64 most;
};

extern const struct simdisk_param simdisk_param_table[SIMDISK_PARAM_COUNT];

enum simdisk_op {
	SIMDISK_READ,
	SIMDISK_WRITE,
	SIMDISK_FLUSH,
	SIMDISK_DISCARD,
};

struct simdisk_io;

/**
 * struct simdisk_piece - what one part of the disk has to do for an I/O
 * @link: place in the queue of that part
 * @io: the I/O
 * @sector: first sector, as that part counts them
 * @sectors: their number
 * @since_ns: when it came there
 * @pages: flash pages that these sectors are in
 */
struct simdisk_piece {
	struct list_head link;
	struct simdisk_io *io;
	u64 sector;
	u32 sectors;
	union {
		u64 since_ns;
		u32 pages;
	};
};

/**
 * struct simdisk_io - one I/O, in the caller's memory while the disk has it
 * @link: place in a list of the disk, and the caller's before and after
 * @sector: first sector of 512 bytes
 * @sectors: their number
 * @op: what to do with them
 * @fua: a write that may not end in a volatile cache
 * @arrived: a write whose data have come to the disk
 * @due_ns: when its present step will be done, or it was
 * @pieces_left: pieces not done
 * @pieces: as many as simdisk_io_bytes() has counted in
 *
 * The caller sets @sector, @sectors, @op and @fua.
 */
struct simdisk_io {
	struct list_head link;
	u64 sector;
	u32 sectors;
	enum simdisk_op op;
	bool fua;
	bool arrived;
	u64 due_ns;
	u32 pieces_left;
	struct simdisk_piece pieces[];
};

struct simdisk;

/**
 * struct simdisk_model - one kind of disk
 * @name: its word
 * @bit: its bit in the models of a parameter
 * @rotational: whether the host is to be told that seeks cost time
 * @defaults: parameters unless told otherwise
 * @init: make the model's own state; returns -errno
 * @exit: free it
 * @start: begin what can be begun now
 * @step: the time of an I/O is over; without it, the I/O is done
 * @next: time of the next event that is not the end of an I/O's step
 * @event: have it happen
 * @write_cache: whether there is a volatile one
 * @pieces: how many pieces an I/O may need
 * @check: what is wrong with parameters that are right one by one, or %NULL
 */
struct simdisk_model {
	const char *name;
	u32 bit;
	bool rotational;
	struct simdisk_params defaults;
	int (*init)(struct simdisk *disk);
	void (*exit)(struct simdisk *disk);
	void (*start)(struct simdisk *disk);
	void (*step)(struct simdisk *disk, struct simdisk_io *io);
	u64 (*next)(const struct simdisk *disk);
	void (*event)(struct simdisk *disk);
	bool (*write_cache)(const struct simdisk_params *params);
	u32 (*pieces)(const struct simdisk_params *params);
	const char *(*check)(const struct simdisk_params *params);
};

/**
 * struct simdisk - a disk at work
 * @model: what kind it is
 * @params: its parameters; live ones may be written at any time, and
 *	simdisk_changed() called after that
 * @now_ns: how far the disk's life has been worked out
 * @queue: I/O not begun, oldest first
 * @busy: I/O whose end is known, the next one first
 * @done: I/O done that the caller has not fetched yet, oldest first
 * @in_service: length of @busy
 * @link_free_ns: when the link to the host will be free
 * @head: serial: the sector after the last one served
 * @services: random numbers for what varies from one service to the next
 * @stalls: and for when the disk stalls
 * @stall_ns: when the present or next stall begins
 * @stalled_ns: when it will be over
 * @spent_ns: when what the caps allow will have been used up, of I/Os and of bytes
 * @gate_ns: until then nothing of the queue is begun
 * @state: the model's own
 */
struct simdisk {
	const struct simdisk_model *model;
	struct simdisk_params params;
	u64 now_ns;
	struct list_head queue;
	struct list_head busy;
	struct list_head done;
	u32 in_service;
	u64 link_free_ns;
	u64 head;
	struct prng services;
	struct prng stalls;
	u64 stall_ns;
	u64 stalled_ns;
	u64 spent_ns[2];
	u64 gate_ns;
	void *state;
};

const struct simdisk_model *simdisk_model_find(const char *name);
u64 simdisk_param_get(const struct simdisk_params *params, int place);
void simdisk_param_set(struct simdisk_params *params, int place, u64 value);

const char *simdisk_check(const struct simdisk_model *model,
			  const struct simdisk_params *params);

size_t simdisk_io_bytes(const struct simdisk_model *model,
			const struct simdisk_params *params);
int simdisk_init(struct simdisk *disk, const struct simdisk_model *model,
		 const struct simdisk_params *params);
void simdisk_exit(struct simdisk *disk);
void simdisk_submit(struct simdisk *disk, struct simdisk_io *io, u64 now_ns);
void simdisk_changed(struct simdisk *disk, u64 now_ns);
u64 simdisk_next(struct simdisk *disk);
struct simdisk_io *simdisk_done(struct simdisk *disk, u64 now_ns);

/* For the models. */
enum {
	SIMDISK_FLAT	= 1 << 0,
	SIMDISK_SERIAL	= 1 << 1,
	SIMDISK_HDD	= 1 << 2,
	SIMDISK_ARRAY	= 1 << 3,
	SIMDISK_SSD	= 1 << 4,
	SIMDISK_DRIVE	= SIMDISK_HDD | SIMDISK_ARRAY,
	SIMDISK_LINKED	= SIMDISK_DRIVE | SIMDISK_SSD,
	SIMDISK_VARIED	= SIMDISK_FLAT | SIMDISK_SERIAL | SIMDISK_SSD,
	SIMDISK_ALL	= SIMDISK_FLAT | SIMDISK_SERIAL | SIMDISK_LINKED,
};

extern const struct simdisk_model simdisk_flat;
extern const struct simdisk_model simdisk_serial;
extern const struct simdisk_model simdisk_hdd;
extern const struct simdisk_model simdisk_array;
extern const struct simdisk_model simdisk_ssd;

struct simdisk_io *simdisk_take(struct simdisk *disk);
u64 simdisk_varied(struct simdisk *disk, u64 ns);
void simdisk_end_at(struct simdisk *disk, struct simdisk_io *io, u64 due_ns);
void simdisk_transfer(struct simdisk *disk, struct simdisk_io *io);
void simdisk_finish(struct simdisk *disk, struct simdisk_io *io);
void simdisk_piece_done(struct simdisk *disk, struct simdisk_piece *piece);

#endif /* _SIMDISK_MODEL_H */
