// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband: show and set how groups share the bandwidth of disks.
 */
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "dm.h"
#include "util.h"

enum {
	OPT_SYSROOT = 256,
	OPT_DRY_RUN,
};

static const struct command commands[] = {
	{ "create", cmd_create, -1, "NAME DEVICE [KEY=VALUE ...]",
	  "make a volume on top of a device",
	  NULL, &create_options, CMD_DRY_RUN },
	{ "remove", cmd_remove, 1, "NAME", "remove such a volume",
	  NULL, NULL, CMD_DRY_RUN },
	{ "resize", cmd_resize, 2, "NAME [SIZE]",
	  "give it the size of the device below, or another",
	  NULL, NULL, CMD_DRY_RUN },
	{ "attach", cmd_attach, -1, "DEVICE [KEY=VALUE ...]",
	  "put ioband inside a logical volume, which may be in use",
	  NULL, NULL, CMD_DRY_RUN },
	{ "detach", cmd_detach, 1, "DEVICE", "take it out again",
	  NULL, NULL, CMD_DRY_RUN },
	{ "group", cmd_group, -1, "add|del VOLUME GROUP [KEY=VALUE ...]",
	  "give a cgroup, a user ... a group of its own, or take it away",
	  NULL, NULL, CMD_DRY_RUN | CMD_GROUP },
	{ "set", cmd_set, -1, "VOLUME [GROUP] KEY=VALUE ...",
	  "change what a group gets, or the share",
	  NULL, NULL, CMD_DRY_RUN | CMD_GROUP },
	{ "show", cmd_show, -1, "[VOLUME ...]",
	  "show the state of the scheduler",
	  show_columns, NULL, 0 },
	{ "save", cmd_save, -1, "[VOLUME ...]",
	  "write volumes down in /etc/ioband",
	  NULL, NULL, CMD_DRY_RUN },
	{ "diff", cmd_diff, -1, "[VOLUME ...]",
	  "show what is not as written there",
	  diff_columns, NULL, 0 },
	{ "apply", cmd_apply, -1, "[VOLUME ...]",
	  "make volumes what is written there",
	  NULL, &apply_options, CMD_DRY_RUN },
	{ "import", cmd_import, 1, "[FILE]",
	  "write there what a file of dm-ioband 1 says",
	  NULL, &import_options, CMD_DRY_RUN },
	{ "list", cmd_list, 0, "", "show the volumes with an ioband target",
	  list_columns, NULL, 0 },
	{ "status", cmd_status, -1, "[NAME ...]",
	  "show what each group of these volumes, or of all, has got so far",
	  status_columns, NULL, 0 },
	{ "top", cmd_top, -1, "[NAME ...]",
	  "show what each group gets just now, again and again",
	  top_columns, &top_options, 0 },
	{ "metrics", cmd_metrics, -1, "[NAME ...]",
	  "print all counters for Prometheus, or write them to --output FILE",
	  NULL, NULL, 0 },
	{ "follow", cmd_follow, 1, "NAME",
	  "let io.weight and io.max of cgroups act on a volume, until told to end",
	  NULL, &follow_options, 0 },
	{ "doctor", cmd_doctor, -1, "[NAME ...]",
	  "find what is wrong with volumes or other devices, and say what to do",
	  doctor_columns, NULL, 0 },
	{ "simulate", cmd_simulate, 1, "FILE",
	  "find out what groups would get on a disk, by simulation",
	  simulate_columns, &simulate_options, 0 },
	{ "version", cmd_version, 0, "",
	  "show the versions of this command and of the kernel's target",
	  version_columns, NULL, 0 },
};

enum {
	NR_COMMANDS = sizeof(commands) / sizeof(commands[0]),
};

static void print_help(void)
{
	printf("Usage: ioband [OPTION ...] COMMAND [ARGUMENT ...]\n\n"
	       "Show and set how groups share the bandwidth of disks.\n\n"
	       "Commands:\n");
	for (int i = 0; i < NR_COMMANDS; i++)
		printf("  %s%s%s\n      %s\n", commands[i].name,
		       *commands[i].arg_desc ? " " : "", commands[i].arg_desc,
		       commands[i].desc);
	printf("\nKeys of a volume (* if not given):\n"
	       "  share=NAME           volumes with the same name divide one bandwidth\n"
	       "                       (* the names of the disks below)\n"
	       "  type=none|user|gid|pid|pgrp|cgroup*|ioprio\n"
	       "                       what sorts I/O into groups\n"
	       "  policy=weight*|weight-iosize|weight-time|range-bw|limit\n"
	       "                       what is divided\n"
	       "  auto=LEVEL           each cgroup down to it gets a group (* 0: none)\n"
	       "  io_throttle=N, io_limit=N\n"
	       "                       I/Os at the disk, and their bound (* 0: automatic)\n"
	       "  quantum=MS           how long a group keeps the disk (* 0: automatic)\n"
	       "\nKeys of a group, of the default group with create and attach:\n"
	       "  weight=N             1 to 10000 (* 100)\n"
	       "  rbps= wbps= bps=     limit: bytes per second such as 10M (* max)\n"
	       "  riops= wiops= iops=  limit: I/Os per second (* max)\n"
	       "  burst=, peak=        of the limit before them\n"
	       "  min=, miniops=       what it gets at least, in bytes or I/Os per second\n"
	       "  latency=TIME         target such as 5ms\n"
	       "  class=rt|be*|idle    which groups go first\n"
	       "  parent=GROUP         out of whose part it comes (* default)\n"
	       "  range-bw=MIN:MAX     min= and bps= in KiB per second, as dm-ioband 1 had it\n"
	       "  force=1              take min= and latency= that the disk may not reach\n"
	       "\nA GROUP is 'default', a number, or with type cgroup the path of a cgroup, a\n"
	       "systemd unit, or the id of a container; with type user or gid a name.\n");
	printf("\nOptions:\n"
	       "  -J, --json           print JSON; sizes are numbers of bytes\n"
	       "  -r, --raw            print columns with one blank between, sizes in bytes\n"
	       "  -o, --output COLS    print these columns; +COLS: these and the usual ones\n"
	       "  -n, --noheadings     print no headings\n"
	       "  -b, --bytes          print sizes in bytes\n"
	       "      --dry-run        of what changes something: print it, and do not do it\n"
	       "      --sysroot DIR    look for /proc, /sys, /etc and /run below this directory\n"
	       "  -v, --verbose        print what is asked of device-mapper\n"
	       "  -h, --help           print this\n"
	       "  -V, --version        print the version of this command\n");
	for (int i = 0; i < NR_COMMANDS; i++) {
		if (commands[i].own)
			printf("\nOptions of %s:\n%s", commands[i].name,
			       commands[i].own->help);
		if (!commands[i].columns)
			continue;
		printf("\nColumns of %s (* if --output names none):\n",
		       commands[i].name);
		for (const struct column *c = commands[i].columns; c->name; c++)
			printf("  %c %-18s %s\n", c->shown ? '*' : ' ', c->name,
			       c->desc);
	}
	printf("\nExit status: 0 done, 1 wrong words or other failure, 2 not permitted,\n"
	       "3 out of memory, 4 wrong device, 5 device in use, 6 module missing or too old,\n"
	       "7 not as configured or promised, 8 doctor has found errors or warnings, 64 done in part\n"
	       "\nFor more see ioband(8).\n");
}

static const struct command *find_command(const char *name)
{
	for (int i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int run_command(const struct options *opts, const struct command *cmd,
		       int argc, char **argv)
{
	if (opts->json && opts->raw)
		return fail(IOBAND_USAGE,
			    "--json and --raw exclude each other: choose one");
	if (opts->dry_run && !(cmd->flags & CMD_DRY_RUN))
		return fail(IOBAND_USAGE,
			    "'ioband %s' has no --dry-run: leave it out",
			    cmd->name);
	if (cmd->max_args >= 0 && argc > cmd->max_args)
		return fail(IOBAND_USAGE,
			    "unexpected word '%s': 'ioband %s' takes %s",
			    argv[cmd->max_args], cmd->name,
			    cmd->max_args ? cmd->arg_desc : "no argument");
	return cmd->handler(opts, argc, argv);
}

/* Output that was lost, say on a full disk, is a failure. */
static int close_stdout(int status)
{
	bool lost = ferror(stdout);

	if ((fclose(stdout) || lost) && !status)
		return fail(IOBAND_USAGE,
			    "cannot write the output: %s; make room where it goes",
			    strerror(errno));
	return status;
}

static const struct option long_options[] = {
	{ "json",	no_argument,		NULL, 'J' },
	{ "raw",	no_argument,		NULL, 'r' },
	{ "output",	required_argument,	NULL, 'o' },
	{ "noheadings",	no_argument,		NULL, 'n' },
	{ "bytes",	no_argument,		NULL, 'b' },
	{ "dry-run",	no_argument,		NULL, OPT_DRY_RUN },
	{ "sysroot",	required_argument,	NULL, OPT_SYSROOT },
	{ "verbose",	no_argument,		NULL, 'v' },
	{ "help",	no_argument,		NULL, 'h' },
	{ "version",	no_argument,		NULL, 'V' },
};

enum {
	NR_LONG_OPTIONS = sizeof(long_options) / sizeof(long_options[0]),
};

/* The options of all commands and of @cmd, which may be %NULL; to be freed. */
static struct option *join_options(const struct command *cmd)
{
	const struct option *own = cmd && cmd->own ? cmd->own->options : NULL;
	struct option *all;
	size_t nr = 0;

	while (own && own[nr].name)
		nr++;
	all = xcalloc(NR_LONG_OPTIONS + nr + 1, sizeof(*all));
	memcpy(all, long_options, sizeof(long_options));
	if (nr)
		memcpy(all + NR_LONG_OPTIONS, own, nr * sizeof(*all));
	return all;
}

/*
 * Up to the first other word if @cmd is %NULL, else to the end. @done: what was
 * asked for has been printed. Return: 0 or an exit code.
 */
static int parse_options(struct options *opts, const struct command *cmd,
			 int argc, char **argv, bool *done)
{
	struct option *options = join_options(cmd);
	int c, status = 0;

	optind = 0;
	while (!status && !*done &&
	       (c = getopt_long(argc, argv, cmd ? ":Jro:nbvhV" : "+:Jro:nbvhV",
				options, NULL)) >= 0) {
		switch (c) {
		case 'J':
			opts->json = true;
			break;
		case 'r':
			opts->raw = true;
			break;
		case 'o':
			opts->columns = optarg;
			break;
		case 'n':
			opts->noheadings = true;
			break;
		case 'b':
			opts->bytes = true;
			break;
		case OPT_DRY_RUN:
			opts->dry_run = true;
			break;
		case OPT_SYSROOT:
			opts->sysroot = optarg;
			break;
		case 'v':
			ioband_dm_verbose();
			break;
		case 'h':
			print_help();
			*done = true;
			break;
		case 'V':
			printf("ioband %s\n", IOBAND_VERSION);
			*done = true;
			break;
		case ':':
			status = fail(IOBAND_USAGE,
				      "option '%s' needs a value: see 'ioband --help'",
				      argv[optind - 1]);
			break;
		case '?':
			status = fail(IOBAND_USAGE,
				      "unknown option '%s', or a value it does not take: see 'ioband --help'",
				      argv[optind - 1]);
			break;
		default:
			status = cmd->own->set(c, optarg);
		}
	}
	free(options);
	return status;
}

int main(int argc, char **argv)
{
	struct options opts = { .sysroot = "" };
	const struct command *cmd = NULL;
	bool done = false;
	int status;

	/* Not LC_ALL: numbers keep their point everywhere. */
	setlocale(LC_CTYPE, "");
	opterr = 0;
	status = parse_options(&opts, NULL, argc, argv, &done);
	if (status || done)
		return close_stdout(status);
	argc -= optind;
	argv += optind;

	if (!argc)
		status = fail(IOBAND_USAGE,
			      "no command given: 'ioband --help' shows those there are");
	else
		cmd = find_command(argv[0]);
	if (argc && !cmd)
		status = fail(IOBAND_USAGE,
			      "unknown command '%s': 'ioband --help' shows those there are",
			      argv[0]);
	for (int i = 1; cmd && cmd->flags & CMD_GROUP && i < argc; i++)
		if (!strcmp(argv[i], "-1"))
			argv[i] = "default";
	if (cmd)
		status = parse_options(&opts, cmd, argc, argv, &done);
	if (!status && !done)
		status = run_command(&opts, cmd, argc - optind, argv + optind);
	return close_stdout(status);
}
