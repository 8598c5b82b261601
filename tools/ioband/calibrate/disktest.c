// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure how fast a device can be read: threads bypass the page cache with one read
 * at a time each, until time is up.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "disktest.h"
#include "lib/clock.h"
#include "lib/util.h"

enum {
	/* Alignment of buffers and offsets: no disk has larger blocks. */
	ALIGNMENT	= 4096,
	PROGRESS_NS	= 100000000,
	/* Times are counted in classes, eight for each doubling. */
	CLASSES_PER_DOUBLE = 8,
	NR_CLASSES	= 40 * CLASSES_PER_DOUBLE,
};

struct run {
	struct disktest *test;
	int fd;
	uint64_t nr_blocks;	/* size of the device in units of io_bytes */
	bool stop;
	int err;		/* errno of the first failed read */
};

struct reader {
	struct run *run;
	pthread_t thread;
	uint64_t random;
	uint64_t next;		/* block to read next */
	uint64_t nr_ios;
	uint64_t sum_ns;
	uint64_t classes[NR_CLASSES];
};

/* xorshift: the quality of the randomness does not matter. */
static uint64_t next_random(struct reader *reader)
{
	reader->random ^= reader->random << 13;
	reader->random ^= reader->random >> 7;
	reader->random ^= reader->random << 17;
	return reader->random;
}

/* Each octave is divided into eight equal classes. */
static unsigned int class_of(uint64_t ns)
{
	uint64_t us8 = ns * CLASSES_PER_DOUBLE / 1000;
	unsigned int doubles = 0;

	while (us8 >= 2 * CLASSES_PER_DOUBLE && doubles < 39) {
		us8 /= 2;
		doubles++;
	}
	if (us8 >= 2 * CLASSES_PER_DOUBLE)
		us8 = 2 * CLASSES_PER_DOUBLE - 1;
	/* Times below 1 us need not be told apart. */
	return us8 < CLASSES_PER_DOUBLE ? 0 :
	       doubles * CLASSES_PER_DOUBLE + us8 - CLASSES_PER_DOUBLE;
}

static double class_end_us(unsigned int class)
{
	return (double)(1ULL << (class / CLASSES_PER_DOUBLE)) *
	       (CLASSES_PER_DOUBLE + class % CLASSES_PER_DOUBLE + 1) /
	       CLASSES_PER_DOUBLE;
}

static void *read_on(void *data)
{
	struct reader *reader = data;
	struct run *run = reader->run;
	size_t len = run->test->io_bytes;
	void *buffer;

	if (posix_memalign(&buffer, ALIGNMENT, len)) {
		__atomic_store_n(&run->err, ENOMEM, __ATOMIC_RELAXED);
		return NULL;
	}
	while (!__atomic_load_n(&run->stop, __ATOMIC_RELAXED)) {
		uint64_t block = run->test->is_random ?
				 next_random(reader) % run->nr_blocks :
				 reader->next++ % run->nr_blocks;
		uint64_t start = clock_now_ns(), ns;
		ssize_t r = pread(run->fd, buffer, len, block * len);

		if (r != (ssize_t)len) {
			__atomic_store_n(&run->err, r < 0 ? errno : EIO,
					 __ATOMIC_RELAXED);
			break;
		}
		ns = clock_now_ns() - start;
		reader->nr_ios++;
		reader->sum_ns += ns;
		reader->classes[class_of(ns)]++;
	}
	free(buffer);
	return NULL;
}

static void sum_up(struct disktest *test, const struct reader *readers,
		   unsigned int nr)
{
	uint64_t classes[NR_CLASSES] = { 0 }, sum_ns = 0, below = 0;

	test->nr_ios = 0;
	for (unsigned int i = 0; i < nr; i++) {
		test->nr_ios += readers[i].nr_ios;
		sum_ns += readers[i].sum_ns;
		for (int c = 0; c < NR_CLASSES; c++)
			classes[c] += readers[i].classes[c];
	}
	test->mean_us = test->nr_ios ? sum_ns / 1e3 / test->nr_ios : 0;
	test->p99_us = 0;
	for (int c = 0; c < NR_CLASSES && test->nr_ios; c++) {
		below += classes[c];
		if (below * 100 >= test->nr_ios * 99) {
			test->p99_us = class_end_us(c);
			break;
		}
	}
}

/**
 * disktest_run - run one test
 * @test: what to do; its results are filled in
 * @fd: the device, open for reading with O_DIRECT
 * @bytes: size of the device
 * @limit_ns: duration of the test
 * @progress: called with the time elapsed so far
 *
 * Return: 0 or a negative errno.
 */
int disktest_run(struct disktest *test, int fd, uint64_t bytes,
		 uint64_t limit_ns, disktest_progress *progress)
{
	struct run run = {
		.test = test,
		.fd = fd,
		.nr_blocks = bytes / test->io_bytes,
	};
	struct reader *readers = xcalloc(test->nr_readers, sizeof(*readers));
	uint64_t start = clock_now_ns();
	unsigned int nr = 0;
	int r = 0;

	if (!run.nr_blocks)
		r = -ENOSPC;
	while (!r && nr < test->nr_readers) {
		struct reader *reader = &readers[nr];

		reader->run = &run;
		reader->random = 0x9e3779b97f4a7c15 * (nr + 1);
		reader->next = run.nr_blocks / test->nr_readers * nr;
		r = -pthread_create(&reader->thread, NULL, read_on, reader);
		nr += !r;
	}
	while (!r && !__atomic_load_n(&run.err, __ATOMIC_RELAXED)) {
		uint64_t ns = clock_now_ns() - start;

		if (ns >= limit_ns || progress(test, ns))
			break;
		clock_wait(limit_ns - ns < PROGRESS_NS ? limit_ns - ns :
			   PROGRESS_NS, -1, NULL);
	}
	__atomic_store_n(&run.stop, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < nr; i++)
		pthread_join(readers[i].thread, NULL);
	test->ns = clock_now_ns() - start;
	sum_up(test, readers, nr);
	free(readers);
	return r ? r : -run.err;
}
