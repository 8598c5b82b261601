/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What main.c and the commands share: options, exit codes, the action table.
 */
#ifndef IOBAND_CMD_H
#define IOBAND_CMD_H

#include <getopt.h>
#include <stdbool.h>

#include "lib/output.h"

/* Exit codes: those of cryptsetup, plus some of our own. */
enum {
	IOBAND_OK	= 0,
	IOBAND_USAGE	= 1,	/* bad arguments; also what fits nowhere else */
	IOBAND_PERM	= 2,
	IOBAND_NOMEM	= 3,
	IOBAND_DEVICE	= 4,	/* no such device, or not one of ours */
	IOBAND_BUSY	= 5,
	IOBAND_MODULE	= 6,	/* module missing or too old */
	IOBAND_DIFFERS	= 7,	/* not as configured or promised: diff, --check */
	IOBAND_PARTLY	= 64,	/* done, except what cannot be now */
	IOBAND_FINDINGS	= 8,	/* doctor has something to say */
};

/**
 * struct options - the global options
 * @columns: argument of --output, or %NULL; a file name to cmd_metrics()
 * @sysroot: prefix of /proc, /sys, /etc and /run; "" unless given
 * @dry_run: print what would be done
 * @quiet: say nothing when it has been done
 */
struct options {
	bool json;
	bool raw;
	bool noheadings;
	bool bytes;
	bool dry_run;
	bool quiet;
	const char *columns;
	const char *sysroot;
};

/**
 * struct own_options - options of one command
 * @options: long options, ended by an empty entry; each has a flag to set, or a val
 *	of %OWN_OPTION or above
 * @set: handles an option by its val; returns 0, or an exit code after the error
 *	has been reported; %NULL if all have a flag
 * @help: their lines for --help
 */
struct own_options {
	const struct option *options;
	int (*set)(int val, const char *arg);
	const char *help;
};

enum {
	OWN_OPTION = 1024,
};

/**
 * struct command - one line of the action table
 * @handler: returns an exit code, after the error has been reported
 * @max_args: maximum number of arguments, -1 for any number
 * @columns: what it can print, ended by an entry without a name; or %NULL
 * @own: its own options, or %NULL
 * @flags: %CMD_DRY_RUN and so on
 * @examples: lines as they are typed, without "ioband"
 */
struct command {
	const char *name;
	int (*handler)(const struct options *opts, int argc, char **argv);
	int max_args;
	const char *arg_desc;
	const char *desc;
	const struct column *columns;
	const struct own_options *own;
	unsigned int flags;
	const char *examples;
};

enum {
	CMD_DRY_RUN	= 1,	/* supports --dry-run */
	CMD_GROUP	= 2,	/* -1 is the default group, not an option */
	CMD_VOLUME_KEYS	= 4,	/* takes keys of a volume */
	CMD_SHARE_KEYS	= 8,	/* takes keys of the share */
	CMD_GROUP_KEYS	= 16,	/* takes keys of a group */
	CMD_TO_FILE	= 32,	/* --output is the file to write */
	CMD_SIZES	= 64,	/* prints sizes, in bytes with --bytes */
	CMD_DIFFERENCE	= 128,	/* -10M is a difference, not an option */
	CMD_REPORTS	= 256,	/* says what it has done, without --quiet */
};

extern const struct column calibrate_columns[];
extern const struct column diff_columns[];
extern const struct column doctor_columns[];
extern const struct column group_columns[];
extern const struct column list_columns[];
extern const struct column show_columns[];
extern const struct column simulate_columns[];
extern const struct column status_columns[];
extern const struct column top_columns[];
extern const struct column version_columns[];

extern const struct own_options apply_options;
extern const struct own_options calibrate_options;
extern const struct own_options create_options;
extern const struct own_options disable_options;
extern const struct own_options enable_options;
extern const struct own_options follow_options;
extern const struct own_options import_options;
extern const struct own_options resize_options;
extern const struct own_options set_options;
extern const struct own_options simulate_options;
extern const struct own_options top_options;

int cmd_apply(const struct options *opts, int argc, char **argv);
int cmd_attach(const struct options *opts, int argc, char **argv);
int cmd_calibrate(const struct options *opts, int argc, char **argv);
int cmd_create(const struct options *opts, int argc, char **argv);
int cmd_detach(const struct options *opts, int argc, char **argv);
int cmd_diff(const struct options *opts, int argc, char **argv);
int cmd_disable(const struct options *opts, int argc, char **argv);
int cmd_doctor(const struct options *opts, int argc, char **argv);
int cmd_enable(const struct options *opts, int argc, char **argv);
int cmd_follow(const struct options *opts, int argc, char **argv);
int cmd_group(const struct options *opts, int argc, char **argv);
int cmd_import(const struct options *opts, int argc, char **argv);
int cmd_list(const struct options *opts, int argc, char **argv);
int cmd_metrics(const struct options *opts, int argc, char **argv);
int cmd_remove(const struct options *opts, int argc, char **argv);
int cmd_resize(const struct options *opts, int argc, char **argv);
int cmd_save(const struct options *opts, int argc, char **argv);
int cmd_set(const struct options *opts, int argc, char **argv);
int cmd_show(const struct options *opts, int argc, char **argv);
int cmd_simulate(const struct options *opts, int argc, char **argv);
int cmd_status(const struct options *opts, int argc, char **argv);
int cmd_top(const struct options *opts, int argc, char **argv);
int cmd_version(const struct options *opts, int argc, char **argv);

#endif /* IOBAND_CMD_H */
