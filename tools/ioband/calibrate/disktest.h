/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measure how fast a device can be read.
 */
#ifndef IOBAND_DISKTEST_H
#define IOBAND_DISKTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct disktest - one access pattern and its results
 * @name: name in the output
 * @io_bytes: size of each read
 * @nr_readers: number of reads outstanding at any time
 * @is_random: read anywhere; otherwise each reader reads its part sequentially
 * @nr_ios: number of reads done
 * @ns: duration of the test
 * @mean_us: mean time of a read
 * @p99_us: 99th percentile of the time of a read
 */
struct disktest {
	const char *name;
	size_t io_bytes;
	unsigned int nr_readers;
	bool is_random;
	uint64_t nr_ios;
	uint64_t ns;
	double mean_us;
	double p99_us;
};

/* Called about ten times a second; returns true to end the test. */
typedef bool disktest_progress(const struct disktest *test, uint64_t ns);

int disktest_run(struct disktest *test, int fd, uint64_t bytes,
		 uint64_t limit_ns, disktest_progress *progress);

#endif /* IOBAND_DISKTEST_H */
