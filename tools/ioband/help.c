// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output of --help: a line for each command, or all details of one.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "help.h"

static void print_own_options(const struct command *cmd)
{
	if (cmd->own)
		printf("\nOptions of %s:\n%s", cmd->name, cmd->own->help);
	if (cmd->flags & CMD_DRY_RUN && !cmd->own)
		printf("\nOptions of %s:\n", cmd->name);
	if (cmd->flags & CMD_DRY_RUN)
		printf("      --dry-run        print what would be done, and do not do it\n");
}

static void print_keys(const struct command *cmd)
{
	static const char share_keys[] =
		"  policy=auto*|weight|weight-iosize|weight-time|limit\n"
		"                       what is divided; auto: time on hard disks, else bytes\n"
		"  io_throttle=N, io_limit=N\n"
		"                       I/Os at the disk, and their bound (* 0: automatic)\n"
		"  quantum=TIME         how long a group keeps the disk: 40ms (* 0: automatic)\n";
	/* The default group has no parent. */
	bool is_default = cmd->flags & CMD_VOLUME_KEYS;

	if (is_default)
		printf("\nKeys of a volume (* if not given):\n"
		       "  share=NAME           volumes with the same name divide one bandwidth\n"
		       "                       (* the names of the disks below)\n"
		       "  type=none|user|uid|gid|pid|pgrp|cgroup*|ioprio\n"
		       "                       what sorts I/O into groups\n"
		       "  auto=LEVEL           each cgroup down to it gets a group (* 0: none)\n"
		       "%s", share_keys);
	if (cmd->flags & CMD_SHARE_KEYS)
		printf("\nKeys of a volume, without a GROUP (* if never given):\n%s"
		       "  follow=yes|no*       groups, weights and limits are those of cgroups\n",
		       share_keys);
	if (!(cmd->flags & CMD_GROUP_KEYS))
		return;
	printf("\nKeys of %s (* %s):\n"
	       "  weight=N             1 to 10000 (* 100)\n"
	       "  rbps= wbps= bps=     limit: bytes per second such as 10M (* max)\n"
	       "  riops= wiops= iops=  limit: I/Os per second (* max)\n"
	       "  burst=, peak=        of the limit before them\n"
	       "  min=, miniops=       bytes or I/Os per second that it gets at least (* 0)\n"
	       "  latency=TIME         target such as 5ms (* 0: none)\n"
	       "  class=rt|be*|idle    which groups go first\n"
	       "%s"
	       "  force=1              take min= and latency= that the disk may not reach\n",
	       is_default ? "the default group" : "a group",
	       cmd->flags & CMD_SHARE_KEYS ? "if never given" : "if not given",
	       is_default ? "" :
	       "  parent=GROUP         the group above it (* default)\n");
	if (cmd->flags & CMD_GROUP)
		printf("\nA GROUP is 'default', a number, or with type cgroup the path of a cgroup, a\n"
		       "systemd unit, or the id of a container; with type user or gid a name.\n");
}

static void print_columns(const struct command *cmd)
{
	if (!cmd->columns)
		return;
	printf("\nColumns of %s (* if --output names none):\n", cmd->name);
	for (const struct column *c = cmd->columns; c->name; c++)
		printf("  %c %-18s %s\n", c->shown ? '*' : ' ', c->name, c->desc);
}

static void print_examples(const struct command *cmd)
{
	const char *line = cmd->examples;

	printf("\nExamples:\n");
	while (*line) {
		size_t len = strcspn(line, "\n");

		printf("  ioband %.*s\n", (int)len, line);
		line += len + !!line[len];
	}
}

/**
 * help_command - print the help of one command
 */
void help_command(const struct command *cmd)
{
	printf("Usage: ioband [OPTION ...] %s%s%s\n\n%c%s.\n", cmd->name,
	       *cmd->arg_desc ? " " : "", cmd->arg_desc,
	       *cmd->desc - 'a' + 'A', cmd->desc + 1);
	print_examples(cmd);
	print_keys(cmd);
	print_own_options(cmd);
	print_columns(cmd);
	printf("\nOptions of all commands: 'ioband --help'. For more see ioband(8).\n");
}

/**
 * help_all - print the list of commands and the common options
 */
void help_all(const struct command *commands, int nr)
{
	printf("Usage: ioband [OPTION ...] COMMAND [ARGUMENT ...]\n\n"
	       "Show and set how groups share the bandwidth of disks.\n\n"
	       "Commands ('ioband help COMMAND' for examples, keys, options and columns of one):\n");
	for (int i = 0; i < nr; i++)
		printf("  %s%s%s\n      %s\n", commands[i].name,
		       *commands[i].arg_desc ? " " : "", commands[i].arg_desc,
		       commands[i].desc);
	printf("\nOptions:\n"
	       "  -J, --json           print JSON; sizes are numbers of bytes\n"
	       "  -r, --raw            print columns with one blank between, sizes in bytes\n"
	       "  -o, --output COLS    print these columns; +COLS: these and the usual ones\n"
	       "  -n, --noheadings     print no headings\n"
	       "  -b, --bytes          print sizes in bytes\n"
	       "  -q, --quiet          of what changes something: do not say what has been done\n"
	       "      --dry-run        of what changes something: print it, and do not do it\n"
	       "      --sysroot DIR    look for /proc, /sys, /etc and /run below this directory\n"
	       "  -v, --verbose        print what is asked of device-mapper\n"
	       "  -h, --help           print this, or what one command takes\n"
	       "  -V, --version        print the version of this command\n"
	       "\nExit status: 0 done, 1 wrong words or other failure, 2 not permitted,\n"
	       "3 out of memory, 4 wrong device, 5 device in use, 6 module missing or too old,\n"
	       "7 not as configured or promised, 8 doctor has found errors or warnings,\n"
	       "64 done but for what cannot be now, such as a volume whose device is not there\n"
	       "\nFor more see ioband(8).\n");
}
