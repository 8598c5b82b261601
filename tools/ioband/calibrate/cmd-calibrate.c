// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband calibrate: measure what a device can do.
 *
 * Nothing depends on the figures: shares hold whatever the speed of the disk. They
 * are for people about to promise a minimum.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <linux/fs.h>

#include "cmd.h"
#include "disktest.h"
#include "lib/blk.h"
#include "lib/units.h"
#include "lib/util.h"

enum {
	COL_TEST,
	COL_IOSIZE,
	COL_DEPTH,
	COL_IOPS,
	COL_BPS,
	COL_MEAN,
	COL_P99,
	COL_IOS,
};

const struct column calibrate_columns[] = {
	[COL_TEST] = { "TEST", COLUMN_STRING, true,
		"how it was read" },
	[COL_IOSIZE] = { "IOSIZE", COLUMN_NUMBER, true,
		"bytes of each read" },
	[COL_DEPTH] = { "DEPTH", COLUMN_NUMBER, true,
		"reads outstanding at any time" },
	[COL_IOPS] = { "IOPS", COLUMN_NUMBER, true,
		"reads per second" },
	[COL_BPS] = { "BPS", COLUMN_NUMBER, true,
		"bytes per second" },
	[COL_MEAN] = { "MEAN", COLUMN_NUMBER, true,
		"mean time of a read; microseconds with --json and --raw" },
	[COL_P99] = { "P99", COLUMN_NUMBER, true,
		"time that all but one in a hundred took at most" },
	[COL_IOS] = { "IOS", COLUMN_NUMBER, false,
		"reads that were done" },
	{ 0 }
};

enum {
	OPT_TIME = OWN_OPTION,
	TIME_MAX_S	= 3600,
	BAR_WIDTH	= 30,
	NS_PER_SEC	= 1000000000,
};

static const struct disktest all_tests[] = {
	{ .name = "latency", .io_bytes = 4096, .nr_readers = 1, .is_random = true },
	{ .name = "random", .io_bytes = 4096, .nr_readers = 32, .is_random = true },
	{ .name = "sequential", .io_bytes = 1 << 20, .nr_readers = 2 },
};

enum {
	NR_TESTS = sizeof(all_tests) / sizeof(all_tests[0]),
};

static double seconds = 9;
static unsigned int nr_done;
static volatile sig_atomic_t interrupted;

static int set_option(int val, const char *arg)
{
	char *end;

	if (val != OPT_TIME)
		return 0;
	errno = 0;
	seconds = strtod(arg, &end);
	if (end == arg || *end || errno ||
	    !(seconds >= 0.3 && seconds <= TIME_MAX_S))
		return fail(IOBAND_USAGE,
			    "--time '%s': expected seconds from 0.3 to %d", arg,
			    TIME_MAX_S);
	return 0;
}

static const struct option calibrate_long_options[] = {
	{ "time",	required_argument,	NULL, OPT_TIME },
	{ 0 }
};

const struct own_options calibrate_options = {
	calibrate_long_options, set_option,
	"      --time SECONDS   how long it takes in all, from 0.3 on (* 9)\n"
};

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static bool show_progress(const struct disktest *test, uint64_t ns)
{
	double part = (nr_done + ns * NR_TESTS / (seconds * NS_PER_SEC)) /
		      NR_TESTS;
	int done = lround(part * BAR_WIDTH);

	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r[%.*s%*s] %-10s %3.0f%% ", done,
			"##############################", BAR_WIDTH - done, "",
			test->name, 100 * part);
	return interrupted;
}

/* The node of what is no file: any of the ways to name a device; to be freed. */
static char *find_node(const struct options *opts, const char *word, int *status)
{
	struct stat st;
	struct blk blk;

	if (!stat(word, &st) && !S_ISDIR(st.st_mode))
		return xstrdup(word);
	*status = blk_find(opts->sysroot, word, &blk);
	return *status ? NULL : blk_path(opts->sysroot, blk.devno);
}

/*
 * struct witness - what the disks themselves have counted
 * @disks: their names, as "sda+sdb"; %NULL if unknown
 * @bps: the most that others have read and written meanwhile, bytes per second
 * @is_memory: there was a test most of whose reads never came to the disks
 */
struct witness {
	char *disks;
	const char *sysroot;
	uint64_t bps;
	bool is_memory;
};

static void find_witness(struct witness *witness, int fd)
{
	char devno[DEVNO_LEN];
	struct stat st;
	dev_t dev;

	if (fstat(fd, &st))
		return;
	dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	snprintf(devno, sizeof(devno), "%u:%u", major(dev), minor(dev));
	witness->disks = blk_disks(witness->sysroot, devno);
}

/* Return: sectors that the disks have read and written, 0 if one does not count. */
static uint64_t count_sectors(const struct witness *witness)
{
	const char *name = witness->disks;
	uint64_t sum = 0;

	while (name && *name) {
		size_t len = strcspn(name, "+");
		char *path = xasprintf("/sys/block/%.*s/stat", (int)len, name);
		FILE *file = open_below(witness->sysroot, path);
		uint64_t rd = 0, wr = 0;

		if (file && fscanf(file, "%*u %*u %" SCNu64 " %*u %*u %*u %" SCNu64,
				   &rd, &wr) != 2)
			rd = wr = 0;
		if (file)
			fclose(file);
		free(path);
		if (!rd && !wr)
			return 0;
		sum += rd + wr;
		name += len + (name[len] == '+');
	}
	return sum;
}

/* Compare what the disks have done with what was read. */
static void question(struct witness *witness, const struct disktest *test,
		     uint64_t before)
{
	uint64_t after = count_sectors(witness);
	uint64_t own = test->nr_ios * (test->io_bytes / 512);
	uint64_t bps;

	if (!before || after < before)
		return;
	after -= before;
	if (after < own / 2)
		witness->is_memory = true;
	/* Some metadata is written at any time. */
	if (after <= own || (after - own) * 20 <= after)
		return;
	bps = (after - own) * 512e9 / test->ns;
	if (bps > witness->bps)
		witness->bps = bps;
}

static void report_witness(const struct witness *witness, const char *path)
{
	char text[UNITS_LEN];

	if (witness->is_memory)
		warn("'%s': most of it was not read from %s, but from memory: the figures are not those of the disk; a file or thin volume with holes is so, or a cache",
		     path, witness->disks);
	if (witness->bps)
		warn("'%s': %s was in use, others moved up to %s a second: the figures are what they left, not what the disk can do",
		     path, witness->disks,
		     units_size(text, witness->bps));
}

static int open_device(const char *path, int *fd, uint64_t *bytes)
{
	struct stat st;

	if (stat(path, &st))
		return fail(IOBAND_DEVICE, "cannot calibrate '%s': %s", path,
			    strerror(errno));
	if (!S_ISBLK(st.st_mode) && !S_ISREG(st.st_mode))
		return fail(IOBAND_DEVICE,
			    "cannot calibrate '%s': expected a block device or a file",
			    path);
	*fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (*fd < 0 && errno == EINVAL)
		return fail(IOBAND_DEVICE,
			    "cannot calibrate '%s': its file system reads through memory only; name a block device, or a file elsewhere",
			    path);
	if (*fd < 0)
		return fail(errno == EACCES || errno == EPERM ? IOBAND_PERM :
			    IOBAND_DEVICE, "cannot calibrate '%s': %s", path,
			    strerror(errno));
	*bytes = st.st_size;
	if (S_ISBLK(st.st_mode) && ioctl(*fd, BLKGETSIZE64, bytes))
		return fail(IOBAND_DEVICE,
			    "cannot calibrate '%s': its size is not known: %s",
			    path, strerror(errno));
	if (*bytes < all_tests[NR_TESTS - 1].io_bytes)
		return fail(IOBAND_DEVICE,
			    "cannot calibrate '%s': expected at least 1 MiB, it has %llu bytes",
			    path, (unsigned long long)*bytes);
	return 0;
}

static void add_test(struct listing *list, const struct disktest *test)
{
	double rate = test->ns ? test->nr_ios * 1e9 / test->ns : 0;

	listing_row(list);
	listing_string(list, COL_TEST, test->name);
	listing_bytes(list, COL_IOSIZE, test->io_bytes);
	listing_number(list, COL_DEPTH, test->nr_readers);
	listing_number(list, COL_IOPS, llround(rate));
	listing_bytes(list, COL_BPS, llround(rate * test->io_bytes));
	listing_time(list, COL_MEAN, test->mean_us);
	listing_time(list, COL_P99, test->p99_us);
	listing_number(list, COL_IOS, test->nr_ios);
}

static int run_tests(struct listing *list, struct witness *witness,
		     const char *path, int fd, uint64_t bytes)
{
	int r = 0;

	find_witness(witness, fd);
	for (nr_done = 0; !r && !interrupted && nr_done < NR_TESTS; nr_done++) {
		struct disktest test = all_tests[nr_done];
		uint64_t before = count_sectors(witness);

		r = disktest_run(&test, fd, bytes,
				 seconds * NS_PER_SEC / NR_TESTS, show_progress);
		/* The figures of an interrupted test are worthless. */
		if (!r && !interrupted) {
			add_test(list, &test);
			question(witness, &test, before);
		}
	}
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (r)
		return fail(IOBAND_DEVICE, "cannot read '%s': %s", path,
			    strerror(-r));
	return 0;
}

int cmd_calibrate(const struct options *opts, int argc, char **argv)
{
	struct sigaction action = { .sa_handler = interrupt };
	struct witness witness = { .sysroot = opts->sysroot };
	struct listing *list;
	char *path = NULL;
	uint64_t bytes;
	int fd = -1, status;

	if (!argc)
		return fail(IOBAND_USAGE,
			    "calibrate: expected a device, as in 'ioband calibrate /dev/sda'");
	status = listing_new(&list, opts, "tests", calibrate_columns);
	if (!status)
		path = find_node(opts, argv[0], &status);
	if (!status)
		status = open_device(path, &fd, &bytes);
	if (!status) {
		sigaction(SIGINT, &action, NULL);
		sigaction(SIGTERM, &action, NULL);
		status = run_tests(list, &witness, path, fd, bytes);
	}
	if (!status)
		status = listing_print(list);
	report_witness(&witness, path);
	free(witness.disks);
	if (!status && interrupted)
		status = fail(IOBAND_USAGE,
			      "calibrate: interrupted, %u of %d tests are missing",
			      NR_TESTS - nr_done + 1, NR_TESTS);
	if (fd >= 0)
		close(fd);
	listing_free(list);
	free(path);
	return status;
}
