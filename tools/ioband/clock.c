// SPDX-License-Identifier: GPL-2.0-only
/*
 * The time.
 */
#include <poll.h>

#include "clock.h"

enum {
	NS_PER_SEC = 1000000000,
};

/* Nanoseconds that only go forward. */
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
 * clock_wait - let time pass
 * @ns: how much
 * @fd: ends the wait when it can be read; -1 for none
 * @mask: signals that are blocked meanwhile; %NULL for those that are
 *
 * A signal that is caught ends the wait, too.
 *
 * Return: whether @fd can be read.
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
