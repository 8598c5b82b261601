// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program of the proving ground.
 *
 *	proving [--load NAME] [--seeds FIRST-LAST] [--expected FILE] [--keep DIR] [--quiet]
 *	proving [--ideal] FILE ...
 *	proving [--load NAME] --print SEED
 *	proving [--load NAME] --shrink SEED|FILE
 *
 * Judges the scenarios of these seeds, or these files; says what is wrong, and prints the
 * score by kind of disk and load. --expected names those seeds that are known not to be
 * right, a line each, "SEED FAULT why": each seed that is not as the file says is a
 * failure, whether it has become wrong or right. --explain prints what is due to each
 * group. --load draws loads of one kind, and by --ideal an ideal scheduler judges, too: a
 * share is wrong only if that gives more. --uncontrolled judges what the disk does by
 * itself instead, which has to be found wrong wherever there is something to control;
 * --best-depth what the scheduler does at a depth that is known to be right, which tells
 * failures of order from those of depth.
 */
#include <ctype.h>
#include <getopt.h>
#include <time.h>

#include "proving.h"
#include "lib/util.h"

enum {
	SEEDS_MAX = 100000,
};

static bool quiet;
static int how;
static const char *keep;
static enum load_kind asked = LOAD_ANY;

/* What is expected of a seed: a bit for each kind of fault. */
static u32 *expected;

static char *draw(u64 seed, enum disk_kind *disk, enum load_kind *load)
{
	*load = asked;
	return draw_scenario(seed, disk, load);
}

static struct {
	u32 right;
	u32 all;
} score[DISK_KINDS][LOAD_KINDS];

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!file || getdelim(&text, &size, '\0', file) < 0) {
		fprintf(stderr, "proving: cannot read %s\n", path);
		exit(2);
	}
	fclose(file);
	return text;
}

static u32 kinds_of(const struct verdict *verdict)
{
	u32 kinds = 0;

	for (int i = 0; i < verdict->nr; i++)
		kinds |= BIT(verdict->faults[i].kind);
	return kinds;
}

static void print_faults(const char *name, const struct verdict *verdict)
{
	for (int i = 0; i < verdict->nr; i++) {
		const struct fault *fault = &verdict->faults[i];

		printf("%s: %s of %s: %.6g, expected %.6g\n", name,
		       fault_names[fault->kind], fault->who, fault->got, fault->due);
	}
}

static u32 judge_or_exit(const char *name, const char *text, struct verdict *verdict)
{
	char why[400];

	if (judge_text(text, how, verdict, why, sizeof(why))) {
		fprintf(stderr, "proving: %s: %s\n", name, why);
		exit(2);
	}
	return kinds_of(verdict);
}

static void keep_text(u64 seed, const char *text)
{
	char *path = xasprintf("%s/%llu.conf", keep, (unsigned long long)seed);
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file)) {
		fprintf(stderr, "proving: cannot write %s\n", path);
		exit(2);
	}
	free(path);
}

static void read_expected(const char *path, u64 first, u64 last)
{
	char *text = read_file(path), *line, *next;

	expected = xcalloc(last - first + 1, sizeof(*expected));
	for (line = text; *line; line = next) {
		char word[16] = "";
		unsigned long long seed;

		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if (sscanf(line, "%llu %15s", &seed, word) != 2 || seed < first ||
		    seed > last)
			continue;
		for (int kind = 0; kind < FAULT_KINDS; kind++)
			if (!strcmp(word, fault_names[kind]))
				expected[seed - first] |= BIT(kind);
	}
	free(text);
}

static void print_table(void)
{
	int from = asked < LOAD_DRAWN || asked == LOAD_ANY ? 0 : LOAD_DRAWN;
	int to = from ? LOAD_KINDS : LOAD_DRAWN;

	printf("%-8s", "");
	for (int load = from; load < to; load++)
		printf("%9s", load_names[load]);
	printf("%9s\n", "all");
	for (int disk = 0; disk <= DISK_KINDS; disk++) {
		u32 right = 0, all = 0;

		printf("%-8s", disk < DISK_KINDS ? disk_names[disk] : "all");
		for (int load = from; load < to; load++) {
			u32 r = 0, a = 0;
			char cell[24];

			for (int d = 0; d < DISK_KINDS; d++) {
				if (disk < DISK_KINDS && d != disk)
					continue;
				r += score[d][load].right;
				a += score[d][load].all;
			}
			snprintf(cell, sizeof(cell), "%u/%u", r, a);
			printf("%9s", cell);
			right += r;
			all += a;
		}
		printf("%5u/%u\n", right, all);
	}
}

/* Returns how many seeds were not as expected. */
static u32 judge_seeds(u64 first, u64 last)
{
	u32 wrong = 0, right = 0, by_kind[FAULT_KINDS] = { 0 };

	for (u64 seed = first; seed <= last; seed++) {
		enum disk_kind disk;
		enum load_kind load;
		struct verdict verdict;
		char name[80];
		char *text = draw(seed, &disk, &load);
		u32 kinds;

		snprintf(name, sizeof(name), "%llu %s/%s", (unsigned long long)seed,
			 disk_names[disk], load_names[load]);
		kinds = judge_or_exit(name, text, &verdict);
		score[disk][load].all++;
		score[disk][load].right += !kinds;
		right += !kinds;
		for (int kind = 0; kind < FAULT_KINDS; kind++)
			by_kind[kind] += kinds >> kind & 1;
		if (!quiet)
			print_faults(name, &verdict);
		if (keep && kinds)
			keep_text(seed, text);
		if (expected && !kinds != !expected[seed - first]) {
			printf("%s: %s, which tests/proving/expected does not say\n",
			       name, kinds ? "wrong" : "right");
			if (quiet)
				print_faults(name, &verdict);
			wrong++;
		}
		free(text);
		fflush(stdout);
	}
	print_table();
	for (int kind = 0; kind < FAULT_KINDS; kind++)
		printf("%s %u%s", fault_names[kind], by_kind[kind],
		       kind + 1 < FAULT_KINDS ? ", " : "\n");
	printf("%u of %llu right, in %.1f s of processor time\n", right,
	       (unsigned long long)(last - first + 1), (double)clock() / CLOCKS_PER_SEC);
	return expected ? wrong : last - first + 1 - right;
}

static void shrink_one(const char *what)
{
	enum disk_kind disk;
	enum load_kind load;
	struct verdict verdict;
	char *text, *small;

	text = isdigit(*what) ? draw(strtoull(what, NULL, 10), &disk, &load) :
				read_file(what);
	judge_or_exit(what, text, &verdict);
	if (!verdict.nr) {
		fprintf(stderr, "proving: %s is right\n", what);
		exit(2);
	}
	small = shrink(text, how, verdict.faults[0].kind);
	judge_or_exit(what, small, &verdict);
	printf("# from %s\n", what);
	for (int i = 0; i < verdict.nr; i++)
		printf("# %s of %s: %.6g, expected %.6g\n",
		       fault_names[verdict.faults[i].kind], verdict.faults[i].who,
		       verdict.faults[i].got, verdict.faults[i].due);
	fputs(small, stdout);
	free(small);
	free(text);
}

static const struct option options[] = {
	{ "load",		required_argument,	NULL, 'l' },
	{ "ideal",		no_argument,		NULL, 'i' },
	{ "seeds",		required_argument,	NULL, 's' },
	{ "expected",		required_argument,	NULL, 'e' },
	{ "keep",		required_argument,	NULL, 'k' },
	{ "quiet",		no_argument,		NULL, 'q' },
	{ "uncontrolled",	no_argument,		NULL, 'u' },
	{ "best-depth",		no_argument,		NULL, 'b' },
	{ "explain",		no_argument,		NULL, 'x' },
	{ "print",		required_argument,	NULL, 'p' },
	{ "shrink",		required_argument,	NULL, 'm' },
	{ 0 }
};

int main(int argc, char **argv)
{
	unsigned long long first = 1, last = 0;
	const char *list = NULL;
	enum disk_kind disk;
	enum load_kind load;
	u32 wrong = 0;
	char *text;
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'l':
			for (asked = 0; asked < LOAD_KINDS && strcmp(load_names[asked], optarg);)
				asked++;
			if (asked == LOAD_ANY) {
				fprintf(stderr, "proving: --load %s: expected a kind of load such as near\n",
					optarg);
				return 2;
			}
			break;
		case 'i':
			how |= JUDGE_IDEAL;
			break;
		case 's':
			if (sscanf(optarg, "%llu-%llu", &first, &last) != 2 ||
			    last < first || last - first >= SEEDS_MAX) {
				fprintf(stderr, "proving: --seeds %s: expected FIRST-LAST\n",
					optarg);
				return 2;
			}
			break;
		case 'e':
			list = optarg;
			break;
		case 'k':
			keep = optarg;
			break;
		case 'q':
			quiet = true;
			break;
		case 'u':
			how |= JUDGE_UNCONTROLLED;
			break;
		case 'b':
			how |= JUDGE_BEST_DEPTH;
			break;
		case 'x':
			how |= JUDGE_EXPLAIN;
			break;
		case 'p':
			text = draw(strtoull(optarg, NULL, 10), &disk, &load);
			fputs(text, stdout);
			free(text);
			return 0;
		case 'm':
			shrink_one(optarg);
			return 0;
		default:
			return 2;
		}
	}
	for (; optind < argc; optind++) {
		struct verdict verdict;

		text = read_file(argv[optind]);
		wrong += judge_or_exit(argv[optind], text, &verdict) != 0;
		print_faults(argv[optind], &verdict);
		free(text);
	}
	if (first <= last) {
		if (list)
			read_expected(list, first, last);
		wrong += judge_seeds(first, last);
		free(expected);
	}
	return wrong != 0;
}
