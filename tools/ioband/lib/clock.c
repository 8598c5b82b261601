// SPDX-License-Identifier: GPL-2.0-only
/*
 * The time.
 */
#include <poll.h>

#include "clock.h"

enum {
	NS_PER_SEC = 1000000000,
};

/* Monotonic time in nanoseconds. */
uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

time_t clock_date(void)
{
	return time(NULL);
}

/**
 * clock_wait - sleep
 * @ns: for how long
 * @fd: descriptor that ends the wait when it becomes readable; -1 for none
 * @mask: signal mask during the wait; %NULL to keep the current one
 *
 * A caught signal ends the wait, too.
 *
 * Return: whether @fd is readable.
 */
bool clock_wait(uint64_t ns, int fd, const sigset_t *mask)
{
	struct timespec timeout = {
		.tv_sec = ns / NS_PER_SEC,
		.tv_nsec = ns % NS_PER_SEC,
	};
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return ppoll(&pollfd, 1, &timeout, mask) > 0;
}
