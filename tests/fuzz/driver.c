// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small libFuzzer where there is no clang: runs LLVMFuzzerTestOneInput() on
 * each file it is given, then on mutations of them until its time is over. An
 * input that reaches a new edge (gcc -fsanitize-coverage=trace-pc) is mutated in
 * its turn. The sequence depends on the files and the seed only, not on time.
 *
 *	fuzz_x [-t SECONDS] [-s SEED] [-o CRASH] FILE ...
 *
 * The input that ends the program is left in CRASH; run it again as FILE.
 */
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <sanitizer/common_interface_defs.h>
#include "fuzz.h"
#include "prng.h"

enum {
	INPUT_MAX	= 512,
	POOL_MAX	= 8192,
	EDGES		= 1 << 16,
	/* Long enough for any input, and some for a machine that is busy. */
	HANG_SECONDS	= 30,
};

struct input {
	size_t size;
	u8 data[INPUT_MAX];
};

static struct input *pool[POOL_MAX];
static unsigned int nr_pool, nr_files;
static struct input current;
static struct prng prng;
static const char *crash_path = "crash";

static u8 edges[EDGES];
static uintptr_t last_edge;
static unsigned int nr_edges;

/* gcc puts a call of this at each edge of what is tested. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	uintptr_t here = (uintptr_t)__builtin_return_address(0) -
			 (uintptr_t)LLVMFuzzerTestOneInput;
	u8 *edge = &edges[(here * 31 ^ last_edge >> 1) % EDGES];

	last_edge = here * 31;
	nr_edges += !*edge;
	*edge = 1;
}

/* An abort, a signal and any finding of a sanitizer end in the death callback. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "handle_abort=1";
}

static void save_current(void)
{
	FILE *file = fopen(crash_path, "wb");

	if (!file)
		return;
	fwrite(current.data, 1, current.size, file);
	fclose(file);
	fprintf(stderr, "the input is in %s\n", crash_path);
}

static void hang(int signal)
{
	static const char text[] = "no end: the input hangs\n";

	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	abort();
}

static void run(void)
{
	/* An allocation of just the size, so that ASan sees its end. */
	u8 *data = malloc(current.size);
	unsigned int known = nr_edges;

	memcpy(data, current.data, current.size);
	last_edge = 0;
	LLVMFuzzerTestOneInput(data, current.size);
	free(data);

	if (nr_edges == known || nr_pool == POOL_MAX)
		return;
	pool[nr_pool] = malloc(sizeof(current));
	*pool[nr_pool++] = current;
}

static void run_file(const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file) {
		perror(path);
		exit(1);
	}
	current.size = fread(current.data, 1, sizeof(current.data), file);
	fclose(file);
	pool[nr_pool] = malloc(sizeof(current));
	*pool[nr_pool++] = current;
	nr_files++;
	run();
}

/* Put @len bytes of @from in place of @cut bytes at @at. */
static void replace(size_t at, size_t cut, const u8 *from, size_t len)
{
	size_t rest = current.size - at - cut;
	u8 copy[INPUT_MAX];

	memcpy(copy, from, len);
	if (at + len + rest > INPUT_MAX)
		return;
	memmove(current.data + at + len, current.data + at + cut, rest);
	memcpy(current.data + at, copy, len);
	current.size = at + len + rest;
}

static void mutate(void)
{
	static const u8 telling[] = "\0\xff\x7f\x80 019-+xX:=,/%\n\t";
	const struct input *other = pool[prng_below(&prng, nr_pool)];
	size_t at = prng_below(&prng, current.size + 1);
	size_t cut = prng_below(&prng, min(current.size - at, 8) + 1);
	size_t from = prng_below(&prng, other->size + 1);
	size_t len = prng_below(&prng, min(other->size - from, 32) + 1);
	u8 byte;

	switch (prng_below(&prng, 6)) {
	case 0:
		if (at < current.size)
			current.data[at] ^= 1 << prng_below(&prng, 8);
		break;
	case 1:
		byte = prng_next(&prng);
		replace(at, !!cut, &byte, 1);
		break;
	case 2:
		byte = telling[prng_below(&prng, sizeof(telling) - 1)];
		replace(at, prng_below(&prng, cut + 1), &byte, 1);
		break;
	case 3:
		replace(at, cut, other->data, 0);
		break;
	case 4:
		replace(at, cut, other->data + from, len);
		break;
	case 5:
		from = prng_below(&prng, current.size + 1);
		len = prng_below(&prng, min(current.size - from, 32) + 1);
		replace(at, 0, current.data + from, len);
		break;
	}
}

static void run_mutated(void)
{
	unsigned int i;

	current = *pool[prng_below(&prng, nr_pool)];
	for (i = 1 + prng_below(&prng, 4); i; i--)
		mutate();
	run();
}

int main(int argc, char **argv)
{
	unsigned long long runs = 0;
	unsigned int seconds = 0;
	u64 seed = 0;
	time_t end;
	int opt;

	while ((opt = getopt(argc, argv, "t:s:o:")) != -1) {
		switch (opt) {
		case 't':
			seconds = strtoul(optarg, NULL, 0);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'o':
			crash_path = optarg;
			break;
		default:
			return 2;
		}
	}

	prng_seed(&prng, seed);
	__sanitizer_set_death_callback(save_current);
	signal(SIGALRM, hang);
	alarm(HANG_SECONDS);
	for (; optind < argc && nr_pool < POOL_MAX - 1; optind++)
		run_file(argv[optind]);
	if (!nr_pool)
		pool[nr_pool++] = calloc(1, sizeof(current));

	end = time(NULL) + seconds;
	while (seconds && time(NULL) < end) {
		unsigned int i;

		alarm(HANG_SECONDS);
		for (i = 0; i < 1000; i++, runs++)
			run_mutated();
	}

	printf("%u files, %llu mutations, %u edges, %u inputs kept\n", nr_files,
	       runs, nr_edges, nr_pool);
	while (nr_pool)
		free(pool[--nr_pool]);
	return 0;
}
