/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What main.c and the commands share: options, exit codes, the action table.
 */
#ifndef IOBAND_CMD_H
#define IOBAND_CMD_H

#include <stdbool.h>

#include "output.h"

/* Exit codes: those of cryptsetup, and one of our own. */
enum {
	IOBAND_OK	= 0,
	IOBAND_USAGE	= 1,	/* wrong words; also what fits nowhere else */
	IOBAND_PERM	= 2,
	IOBAND_NOMEM	= 3,
	IOBAND_DEVICE	= 4,	/* no such device, or not one of ours */
	IOBAND_BUSY	= 5,
	IOBAND_MODULE	= 6,	/* module missing or too old */
};

/**
 * struct options - the global options
 * @columns: what --output was given, or %NULL
 * @sysroot: prefix of /proc and /sys, "" unless given
 */
struct options {
	bool json;
	bool raw;
	bool noheadings;
	bool bytes;
	const char *columns;
	const char *sysroot;
};

/**
 * struct command - one line of the action table
 * @handler: returns an exit code; its error has been reported already
 * @max_args: how many words it takes, -1 for any number
 * @columns: what it can print, ended by an entry without name
 */
struct command {
	const char *name;
	int (*handler)(const struct options *opts, int argc, char **argv);
	int max_args;
	const char *arg_desc;
	const char *desc;
	const struct column *columns;
};

extern const struct column list_columns[];
extern const struct column status_columns[];
extern const struct column version_columns[];

int cmd_list(const struct options *opts, int argc, char **argv);
int cmd_status(const struct options *opts, int argc, char **argv);
int cmd_version(const struct options *opts, int argc, char **argv);

#endif /* IOBAND_CMD_H */
