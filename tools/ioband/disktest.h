/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How fast a device can be read.
 */
#ifndef IOBAND_DISKTEST_H
#define IOBAND_DISKTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct disktest - one way to read, and what came of it
 * @name: to people and programs
 * @io_bytes: of each read
 * @nr_readers: reads that are outstanding at any time
 * @is_random: anywhere on the device; else each reader goes through a part of it
 * @nr_ios: that were done
 * @ns: how long all of it took
 * @mean_us: time of a read
 * @p99_us: that all but one in a hundred were done in
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

/* Called about ten times a second; true ends the test. */
typedef bool disktest_progress(const struct disktest *test, uint64_t ns);

int disktest_run(struct disktest *test, int fd, uint64_t bytes,
		 uint64_t limit_ns, disktest_progress *progress);

#endif /* IOBAND_DISKTEST_H */
