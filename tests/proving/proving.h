/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The proving ground: disks as they are and loads drawn at random, run through the
 * scheduler as "ioband simulate" does, and a judge who knows what is right.
 *
 *	draw.c		a scenario from a seed
 *	fluid.c		what is due to whom
 *	measure.c	what a disk takes, and what groups got in a run
 *	judge.c		what is wrong
 *	shrink.c	the smallest scenario that is still wrong
 *	proving.c	the program: many seeds, and a table
 */
#ifndef PROVING_H
#define PROVING_H

#include "fluid.h"
#include "sim/sim-run.h"

/* Kinds of disks and of loads: the rows and columns of the table. */
enum disk_kind {
	DISK_EVEN,
	DISK_JITTER,
	DISK_TAIL,
	DISK_SIZES,
	DISK_CLOUD,
	DISK_STALLS,
	DISK_MOVING,
	DISK_SSD,
	DISK_SEEKS,
	DISK_KINDS,
};

enum load_kind {
	LOAD_FLAT,
	LOAD_TREE,
	LOAD_LIGHT,
	LOAD_MIXED,
	LOAD_LIMITS,
	LOAD_MINIMUMS,
	LOAD_TARGETS,
	LOAD_CLASSES,
	LOAD_COMING,
	LOAD_OPEN,
	LOAD_ALL,
	LOAD_DRAWN,
	/* Drawn if they are asked for: what flash has to do. */
	LOAD_NEAR = LOAD_DRAWN,
	LOAD_SIZES,
	LOAD_CHANGING,
	LOAD_READER,
	LOAD_KINDS,
	LOAD_ANY = LOAD_KINDS,
};

extern const char * const disk_names[DISK_KINDS];
extern const char * const load_names[LOAD_KINDS];

/* What may be wrong. */
enum fault_kind {
	FAULT_SHARE,
	FAULT_MINIMUM,
	FAULT_TARGET,
	FAULT_LIMIT,
	FAULT_WASTE,
	FAULT_WAIT,
	FAULT_KINDS,
};

extern const char * const fault_names[FAULT_KINDS];

enum {
	FAULTS_MAX	= 32,
	FAULT_WHO	= 40,
};

/**
 * struct fault - one thing that is wrong
 * @kind: what
 * @who: the group
 * @got: what it got
 * @due: and should have got, or not have exceeded
 */
struct fault {
	enum fault_kind kind;
	char who[FAULT_WHO];
	double got;
	double due;
};

/**
 * struct verdict - what is wrong with a run
 * @nr: number of @faults
 */
struct verdict {
	int nr;
	struct fault faults[FAULTS_MAX];
};

/* How to judge: by default what the scheduler does. */
enum judge_how {
	JUDGE_UNCONTROLLED	= 1 << 0,	/* what the disk does by itself */
	JUDGE_BEST_DEPTH	= 1 << 1,	/* at a depth known to be right */
	JUDGE_EXPLAIN		= 1 << 2,	/* print what is due to each */
	JUDGE_IDEAL		= 1 << 3,	/* by an ideal scheduler, too */
};

/* draw.c */
char *draw_scenario(u64 seed, enum disk_kind *disk, enum load_kind *load);

/* judge.c */
int judge_text(const char *text, int how, struct verdict *verdict, char *why,
	       size_t size);

/* shrink.c */
char *shrink(const char *text, int how, enum fault_kind kind);

#endif /* PROVING_H */
