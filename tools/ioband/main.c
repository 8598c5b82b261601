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
};

static const struct command commands[] = {
	{ "list", cmd_list, 0, "", "show the volumes with an ioband target",
	  list_columns },
	{ "status", cmd_status, -1, "[NAME ...]",
	  "show what each group of these volumes, or of all, has got so far",
	  status_columns },
	{ "version", cmd_version, 0, "",
	  "show the versions of this command and of the kernel's target",
	  version_columns },
};

enum {
	NR_COMMANDS = sizeof(commands) / sizeof(commands[0]),
};

static void print_help(void)
{
	printf("Usage: ioband [OPTION ...] COMMAND [ARGUMENT ...]\n\n"
	       "Show how groups share the bandwidth of disks.\n\n"
	       "Commands:\n");
	for (int i = 0; i < NR_COMMANDS; i++) {
		char *usage = xasprintf("%s %s", commands[i].name,
					commands[i].arg_desc);

		printf("  %-20s %s\n", usage, commands[i].desc);
		free(usage);
	}
	printf("\nOptions:\n"
	       "  -J, --json           print JSON; sizes are numbers of bytes\n"
	       "  -r, --raw            print columns with one blank between, sizes in bytes\n"
	       "  -o, --output COLS    print these columns; +COLS: these and the usual ones\n"
	       "  -n, --noheadings     print no headings\n"
	       "  -b, --bytes          print sizes in bytes\n"
	       "      --sysroot DIR    look for /proc and /sys below this directory\n"
	       "  -v, --verbose        print what is asked of device-mapper\n"
	       "  -h, --help           print this\n"
	       "  -V, --version        print the version of this command\n");
	for (int i = 0; i < NR_COMMANDS; i++) {
		printf("\nColumns of %s (* if --output names none):\n",
		       commands[i].name);
		for (const struct column *c = commands[i].columns; c->name; c++)
			printf("  %c %-18s %s\n", c->shown ? '*' : ' ', c->name,
			       c->desc);
	}
	printf("\nExit status: 0 done, 1 wrong words or other failure, 2 not permitted,\n"
	       "3 out of memory, 4 wrong device, 5 device in use, 6 module missing or too old\n"
	       "\nFor more see ioband(8).\n");
}

static int run_command(const struct options *opts, int argc, char **argv)
{
	if (!argc)
		return fail(IOBAND_USAGE,
			    "no command given: 'ioband --help' shows those there are");
	for (int i = 0; i < NR_COMMANDS; i++) {
		const struct command *cmd = &commands[i];

		if (strcmp(argv[0], cmd->name))
			continue;
		if (cmd->max_args >= 0 && argc - 1 > cmd->max_args)
			return fail(IOBAND_USAGE,
				    "unexpected word '%s': 'ioband %s' takes no argument",
				    argv[cmd->max_args + 1], cmd->name);
		return cmd->handler(opts, argc - 1, argv + 1);
	}
	return fail(IOBAND_USAGE,
		    "unknown command '%s': 'ioband --help' shows those there are",
		    argv[0]);
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

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "json",	no_argument,		NULL, 'J' },
		{ "raw",	no_argument,		NULL, 'r' },
		{ "output",	required_argument,	NULL, 'o' },
		{ "noheadings",	no_argument,		NULL, 'n' },
		{ "bytes",	no_argument,		NULL, 'b' },
		{ "sysroot",	required_argument,	NULL, OPT_SYSROOT },
		{ "verbose",	no_argument,		NULL, 'v' },
		{ "help",	no_argument,		NULL, 'h' },
		{ "version",	no_argument,		NULL, 'V' },
		{ NULL,		0,			NULL, 0 },
	};
	struct options opts = { .sysroot = "" };
	int c, status;

	/* Not LC_ALL: numbers keep their point everywhere. */
	setlocale(LC_CTYPE, "");
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":Jro:nbvhV", long_options,
				NULL)) >= 0) {
		switch (c) {
		case 'J':
			opts.json = true;
			break;
		case 'r':
			opts.raw = true;
			break;
		case 'o':
			opts.columns = optarg;
			break;
		case 'n':
			opts.noheadings = true;
			break;
		case 'b':
			opts.bytes = true;
			break;
		case OPT_SYSROOT:
			opts.sysroot = optarg;
			break;
		case 'v':
			ioband_dm_verbose();
			break;
		case 'h':
			print_help();
			return close_stdout(IOBAND_OK);
		case 'V':
			printf("ioband %s\n", IOBAND_VERSION);
			return close_stdout(IOBAND_OK);
		case ':':
			return fail(IOBAND_USAGE,
				    "option '%s' needs a value: see 'ioband --help'",
				    argv[optind - 1]);
		default:
			return fail(IOBAND_USAGE,
				    "unknown option '%s', or a value it does not take: see 'ioband --help'",
				    argv[optind - 1]);
		}
	}
	if (opts.json && opts.raw)
		return fail(IOBAND_USAGE,
			    "--json and --raw exclude each other: choose one");
	status = run_command(&opts, argc - optind, argv + optind);
	return close_stdout(status);
}
