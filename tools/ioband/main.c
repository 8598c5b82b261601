// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband: show and control how groups share the bandwidth of disks.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "config/generator.h"
#include "help.h"
#include "lib/dm.h"
#include "lib/util.h"

enum {
	OPT_SYSROOT = 256,
	OPT_DRY_RUN,
};

static const struct command commands[] = {
	{ "create", cmd_create, -1, "NAME DEVICE [KEY=VALUE ...]",
	  "make a volume on top of a device",
	  NULL, &create_options,
	  CMD_DRY_RUN | CMD_REPORTS | CMD_VOLUME_KEYS | CMD_GROUP_KEYS,
	  "create data /dev/sdb\n"
	  "create data /dev/sdb share=disks weight=200" },
	{ "remove", cmd_remove, 1, "NAME", "remove a volume that create has made",
	  NULL, NULL, CMD_DRY_RUN | CMD_REPORTS,
	  "remove data" },
	{ "resize", cmd_resize, 2, "NAME [[+|-]SIZE]",
	  "give a volume the size of the device below it, or another",
	  NULL, &resize_options, CMD_DRY_RUN | CMD_REPORTS | CMD_DIFFERENCE,
	  "resize data" },
	{ "attach", cmd_attach, -1, "DEVICE [KEY=VALUE ...]",
	  "put ioband inside a logical volume, which may be in use",
	  NULL, NULL,
	  CMD_DRY_RUN | CMD_REPORTS | CMD_VOLUME_KEYS | CMD_GROUP_KEYS,
	  "attach vg/data\n"
	  "attach vg/data policy=weight-time" },
	{ "detach", cmd_detach, 1, "DEVICE", "take ioband out of a logical volume again",
	  NULL, NULL, CMD_DRY_RUN | CMD_REPORTS,
	  "detach vg/data" },
	{ "enable", cmd_enable, -1, "DEVICE|NAME [DEVICE] [KEY=VALUE ...]",
	  "attach or create for good: now, at boot, and when LVM has undone it",
	  NULL, &enable_options,
	  CMD_DRY_RUN | CMD_REPORTS | CMD_VOLUME_KEYS | CMD_GROUP_KEYS,
	  "enable vg/data\n"
	  "enable vg/data --follow" },
	{ "disable", cmd_disable, 1, "DEVICE|NAME",
	  "undo what enable has done, and detach or remove",
	  NULL, &disable_options, CMD_DRY_RUN | CMD_REPORTS,
	  "disable vg/data" },
	{ "group", cmd_group, -1,
	  "add|del VOLUME GROUP [KEY=VALUE ...] | list [VOLUME ...]",
	  "give a cgroup, a user ... a group of its own, take it away, or list them",
	  group_columns, NULL,
	  CMD_DRY_RUN | CMD_REPORTS | CMD_GROUP | CMD_GROUP_KEYS | CMD_SIZES,
	  "group add vg/data db.service weight=300 min=2MB\n"
	  "group list vg/data\n"
	  "group del vg/data db.service" },
	{ "set", cmd_set, -1, "VOLUME [GROUP] KEY=VALUE ...",
	  "change what a group gets, or the share",
	  NULL, &set_options,
	  CMD_DRY_RUN | CMD_REPORTS | CMD_GROUP | CMD_SHARE_KEYS |
	  CMD_GROUP_KEYS,
	  "set vg/data db.service weight=500 bps=50MB\n"
	  "set vg/data policy=weight-time" },
	{ "show", cmd_show, -1, "[VOLUME ...]",
	  "show the state of the scheduler, as the kernel has it",
	  show_columns, NULL, 0,
	  "show vg/data" },
	{ "save", cmd_save, -1, "[VOLUME ...]",
	  "write the settings of volumes to /etc/ioband",
	  NULL, NULL, CMD_DRY_RUN | CMD_REPORTS,
	  "save vg/data" },
	{ "diff", cmd_diff, -1, "[VOLUME ...]",
	  "show what is not as written in /etc/ioband",
	  diff_columns, NULL, 0,
	  "diff" },
	{ "apply", cmd_apply, -1, "[VOLUME ...]",
	  "apply the configuration in /etc/ioband",
	  NULL, &apply_options, CMD_DRY_RUN | CMD_REPORTS,
	  "apply vg/data\n"
	  "apply --check" },
	{ "import", cmd_import, 1, "[FILE]",
	  "write a configuration of dm-ioband 1 to /etc/ioband",
	  NULL, &import_options, CMD_DRY_RUN | CMD_REPORTS,
	  "import --dry-run" },
	{ "list", cmd_list, -1, "[NAME ...]", "show the volumes with an ioband target",
	  list_columns, NULL, 0,
	  "list" },
	{ "status", cmd_status, -1, "[NAME ...]",
	  "show what each group has received in all; 'group list' shows its settings",
	  status_columns, NULL, CMD_SIZES,
	  "status vg/data\n"
	  "status vg/data --json" },
	{ "top", cmd_top, -1, "[NAME ...]",
	  "show what each group gets just now, again and again",
	  top_columns, &top_options, CMD_SIZES,
	  "top vg/data\n"
	  "top --batch --iterations 2 --delay 10" },
	{ "metrics", cmd_metrics, -1, "[NAME ...]",
	  "print all counters for Prometheus, or write them to --output FILE",
	  NULL, NULL, CMD_TO_FILE,
	  "metrics --output /var/lib/prometheus/node-exporter/ioband.prom" },
	{ "follow", cmd_follow, 1, "NAME",
	  "let io.weight and io.max of cgroups act on a volume, until told to end",
	  NULL, &follow_options, CMD_REPORTS,
	  "follow vg/data --once" },
	{ "doctor", cmd_doctor, -1, "[NAME ...]",
	  "find what is wrong with volumes or other devices, and say what to do",
	  doctor_columns, NULL, 0,
	  "doctor\n"
	  "doctor vg/data" },
	{ "calibrate", cmd_calibrate, 1, "DEVICE",
	  "measure what a device can do, by reading from it",
	  calibrate_columns, &calibrate_options, CMD_SIZES,
	  "calibrate vg/data --time 10" },
	{ "simulate", cmd_simulate, 1, "FILE",
	  "find out what groups would get on a disk, by simulation",
	  simulate_columns, &simulate_options, CMD_SIZES,
	  "simulate --check tenants.conf" },
	{ "version", cmd_version, 0, "",
	  "show the versions of this command and of the kernel's target",
	  version_columns, NULL, 0,
	  "version" },
};

enum {
	NR_COMMANDS = sizeof(commands) / sizeof(commands[0]),
};

static const struct command *find_command(const char *name)
{
	for (int i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* How many letters to add, drop, replace or swap, if that is at most @most; else more. */
static unsigned int distance(const char *a, const char *b, unsigned int most)
{
	unsigned int best;

	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (!*a && !*b)
		return 0;
	if (!most)
		return 1;
	best = *a && *b ? distance(a + 1, b + 1, most - 1) : most;
	/* Two letters in the wrong order are one mistake. */
	if (*a && *b && a[1] && *a == b[1] && a[1] == *b &&
	    distance(a + 2, b + 2, most - 1) < best)
		best = distance(a + 2, b + 2, most - 1);
	if (*a && distance(a + 1, b, most - 1) < best)
		best = distance(a + 1, b, most - 1);
	if (*b && distance(a, b + 1, most - 1) < best)
		best = distance(a, b + 1, most - 1);
	return best + 1;
}

/* What others call the same, and letters do not tell. */
static const char *other_word(const char *word)
{
	static const struct {
		const char *word, *name;
	} others[] = {
		{ "start", "enable" }, { "stop", "disable" },
		{ "restart", "apply" }, { "reload", "apply" },
		{ "insert", "attach" }, { "add", "group add" },
		{ "del", "group del" }, { "delete", "disable" },
		{ "rm", "disable" }, { "destroy", "remove" },
		{ "ls", "list" }, { "info", "show" }, { "stats", "status" },
		{ "check", "doctor" }, { "get", "group list" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(word, others[i].word))
			return others[i].name;
	return NULL;
}

static int unknown_command(const char *word)
{
	const char *nearest = other_word(word);
	unsigned int least = nearest ? 0 : 3;

	for (int i = 0; i < NR_COMMANDS; i++) {
		unsigned int n = distance(word, commands[i].name, 2);

		/* A name that is cut short is nearer than any other. */
		if (*word && !strncmp(word, commands[i].name, strlen(word)))
			n = 0;
		if (n < least) {
			least = n;
			nearest = commands[i].name;
		}
	}
	if (nearest)
		return fail(IOBAND_USAGE,
			    "unknown command '%s': do you mean '%s'? 'ioband --help' shows those there are",
			    word, nearest);
	return fail(IOBAND_USAGE,
		    "unknown command '%s': 'ioband --help' shows those there are",
		    word);
}

/* ioband help [COMMAND] */
static int help(int argc, char **argv)
{
	const struct command *cmd = argc > 1 ? find_command(argv[1]) : NULL;

	if (argc > 2)
		return fail(IOBAND_USAGE,
			    "unexpected word '%s': 'ioband help' takes one command",
			    argv[2]);
	if (argc > 1 && !cmd)
		return unknown_command(argv[1]);
	if (cmd)
		help_command(cmd);
	else
		help_all(commands, NR_COMMANDS);
	return 0;
}

/* An option of listings that can have no effect here, or NULL. */
static const char *vain_option(const struct options *opts,
			       const struct command *cmd)
{
	if (cmd->columns)
		return NULL;
	if (opts->columns && !(cmd->flags & CMD_TO_FILE))
		return "--output";
	return opts->json ? "--json" : opts->raw ? "--raw" :
	       opts->noheadings ? "--noheadings" :
	       opts->bytes ? "--bytes" : NULL;
}

static int run_command(const struct options *opts, const struct command *cmd,
		       int argc, char **argv)
{
	const char *vain = vain_option(opts, cmd);

	if (opts->json && opts->raw)
		return fail(IOBAND_USAGE,
			    "--json and --raw exclude each other: choose one");
	if (opts->dry_run && !(cmd->flags & CMD_DRY_RUN))
		return fail(IOBAND_USAGE,
			    "'ioband %s' has no --dry-run: leave it out",
			    cmd->name);
	if (vain)
		return fail(IOBAND_USAGE,
			    "'ioband %s' prints no columns: leave out %s",
			    cmd->name, vain);
	if (opts->quiet && !(cmd->flags & CMD_REPORTS))
		return fail(IOBAND_USAGE,
			    "'ioband %s' reports nothing that can be left out: leave out --quiet",
			    cmd->name);
	if (opts->bytes && !(cmd->flags & CMD_SIZES))
		return fail(IOBAND_USAGE,
			    "'ioband %s' prints no sizes: leave out --bytes",
			    cmd->name);
	if (opts->json && opts->noheadings)
		return fail(IOBAND_USAGE,
			    "--json has no headings: leave out --noheadings");
	if (cmd->max_args >= 0 && argc > cmd->max_args)
		return fail(IOBAND_USAGE,
			    "unexpected word '%s': 'ioband %s' takes %s",
			    argv[cmd->max_args], cmd->name,
			    cmd->max_args ? cmd->arg_desc : "no argument");
	return cmd->handler(opts, argc, argv);
}

/* Lost output, for example on a full disk, is a failure. */
static int close_stdout(int status)
{
	bool lost = ferror(stdout);

	if (!fclose(stdout) && !lost)
		return status;
	/* Who reads it has had enough, as 'head' does. */
	if (errno == EPIPE)
		return status ? status : IOBAND_USAGE;
	if (!status)
		return fail(IOBAND_USAGE,
			    "cannot write the output: %s",
			    strerror(errno));
	return status;
}

/*
 * A file opened later must not become what messages are written to. What would have
 * failed on a closed descriptor still does: input is open for writing only, and output
 * for reading.
 */
static void open_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			exit(IOBAND_USAGE);
}

static const struct option long_options[] = {
	{ "json",	no_argument,		NULL, 'J' },
	{ "raw",	no_argument,		NULL, 'r' },
	{ "output",	required_argument,	NULL, 'o' },
	{ "noheadings",	no_argument,		NULL, 'n' },
	{ "bytes",	no_argument,		NULL, 'b' },
	{ "quiet",	no_argument,		NULL, 'q' },
	{ "dry-run",	no_argument,		NULL, OPT_DRY_RUN },
	{ "sysroot",	required_argument,	NULL, OPT_SYSROOT },
	{ "verbose",	no_argument,		NULL, 'v' },
	{ "help",	no_argument,		NULL, 'h' },
	{ "version",	no_argument,		NULL, 'V' },
};

enum {
	NR_LONG_OPTIONS = sizeof(long_options) / sizeof(long_options[0]),
};

/* Common options plus those of @cmd, which may be %NULL; to be freed. */
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

#define SHORT_OPTIONS "Jro:nbqvhV"

/*
 * The option that getopt has just refused with @c, as written. Of several letters
 * after one dash only the bad one, as optind may not have advanced yet.
 */
static const char *refused_option(int c, char **argv, char letter[3])
{
	const char *word = argv[optind - 1];
	/* A single byte of a multibyte character cannot be printed. */
	int shown = optopt < 0 || (optopt >= 0x7f && optopt <= 0xff) ? '?' :
		    optopt;
	bool is_letter = c == ':' ? word[1] != '-' :
			 shown > ' ' && shown < 0x7f &&
			 (shown == ':' || !strchr(SHORT_OPTIONS, shown));

	if (!is_letter)
		return word;
	snprintf(letter, 3, "-%c", shown);
	return letter;
}

/*
 * Parse options up to the first other word if @cmd is %NULL, else to the end.
 * @done: set if --help or --version has been printed. Return: 0 or an exit code.
 */
static int parse_options(struct options *opts, const struct command *cmd,
			 int argc, char **argv, bool *done)
{
	struct option *options = join_options(cmd);
	const char *name = cmd ? cmd->name : NULL;
	int c, status = 0;
	char letter[3];

	optind = 0;
	while (!status && !*done &&
	       (c = getopt_long(argc, argv, cmd ? ":" SHORT_OPTIONS :
				"+:" SHORT_OPTIONS, options, NULL)) >= 0) {
		switch (c) {
		case 0:		/* getopt has set a flag of the command */
			break;
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
		case 'q':
			opts->quiet = true;
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
			if (cmd && cmd->name)
				help_command(cmd);
			else
				help_all(commands, NR_COMMANDS);
			*done = true;
			break;
		case 'V':
			printf("ioband %s\n", IOBAND_VERSION);
			*done = true;
			break;
		case ':':
			status = fail(IOBAND_USAGE,
				      "option '%s' needs a value: see 'ioband%s%s --help'",
				      refused_option(c, argv, letter),
				      name ? " " : "", name ? name : "");
			break;
		case '?':
			status = fail(IOBAND_USAGE,
				      "unknown option '%s', or a value it does not take: see 'ioband%s%s --help'",
				      refused_option(c, argv, letter),
				      name ? " " : "", name ? name : "");
			break;
		default:
			status = cmd->own->set(c, optarg);
		}
	}
	free(options);
	return status;
}

/* For the generator: options and words in any order. */
static const struct command no_command;

/* What begins with a dash and is no option. */
static char *shield_word(const struct command *cmd, char *word)
{
	if (cmd->flags & CMD_GROUP && !strcmp(word, "-1"))
		return "default";
	if (cmd->flags & CMD_DIFFERENCE && *word == '-' && word[1] >= '0' &&
	    word[1] <= '9')
		return xasprintf(" %s", word);
	return word;
}

/* systemd runs it under this name. */
static bool is_generator(const char *path)
{
	const char *name = strrchr(path, '/');

	return !strcmp(name ? name + 1 : path, "ioband-generator");
}

int main(int argc, char **argv)
{
	struct options opts = { .sysroot = "" };
	const struct command *cmd = NULL;
	bool done = false;
	int status;

	open_standard();
	/* Not LC_ALL: the decimal point must not depend on the locale. */
	setlocale(LC_CTYPE, "");
	opterr = 0;
	if (argc && is_generator(argv[0])) {
		status = parse_options(&opts, &no_command, argc, argv, &done);
		if (!status && !done)
			status = generator(&opts, argc - optind, argv + optind);
		return close_stdout(status);
	}
	status = parse_options(&opts, NULL, argc, argv, &done);
	if (status || done)
		return close_stdout(status);
	argc -= optind;
	argv += optind;

	if (!argc)
		status = fail(IOBAND_USAGE,
			      "no command given: 'ioband --help' shows those there are");
	else if (!strcmp(argv[0], "help"))
		return close_stdout(help(argc, argv));
	else
		cmd = find_command(argv[0]);
	if (argc && !cmd)
		status = unknown_command(argv[0]);
	for (int i = 1; cmd && i < argc; i++)
		argv[i] = shield_word(cmd, argv[i]);
	if (cmd)
		status = parse_options(&opts, cmd, argc, argv, &done);
	if (!status && !done)
		status = run_command(&opts, cmd, argc - optind, argv + optind);
	return close_stdout(status);
}
