// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test double of tools/ioband/lib/clock.c, so that tests do not depend on the machine's
 * speed.
 *
 * With $IOBAND_FAKE_CLOCK set, time advances only in clock_wait(), which returns at
 * once. After the N-th wait the file $IOBAND_FAKE_DM.N, if there is one, replaces
 * $IOBAND_FAKE_DM: the kernel's state by then. A wait that is also for input gets the
 * input, and time passes only if there is such a file. Without the variable, time is
 * real.
 *
 * With $IOBAND_FAKE_SIGNAL set to a number, that signal arrives just before the first
 * wait.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/clock.h"
#include "lib/util.h"

#define NS_PER_SEC 1000000000ULL

/* 12:00:00 UTC on the first of January 2030. */
static uint64_t fake_ns = 1893499200 * NS_PER_SEC;

static bool is_fake(void)
{
	return getenv("IOBAND_FAKE_CLOCK");
}

uint64_t clock_now_ns(void)
{
	struct timespec now;

	if (is_fake())
		return fake_ns;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_SEC + now.tv_nsec;
}

time_t clock_date(void)
{
	return is_fake() ? (time_t)(fake_ns / NS_PER_SEC) : time(NULL);
}

/* Return: whether there was one. */
static bool next_state(void)
{
	static unsigned int waits;
	const char *path = getenv("IOBAND_FAKE_DM");
	char *next = xasprintf("%s.%u", path, ++waits);
	bool found = !rename(next, path);

	free(next);
	return found;
}

static void send_signal(void)
{
	const char *number = getenv("IOBAND_FAKE_SIGNAL");

	if (number)
		raise(atoi(number));
	unsetenv("IOBAND_FAKE_SIGNAL");
}

bool clock_wait(uint64_t ns, int fd, const sigset_t *mask)
{
	struct timespec timeout = {
		.tv_sec = ns / NS_PER_SEC,
		.tv_nsec = ns % NS_PER_SEC,
	};
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	send_signal();
	if (!is_fake())
		return ppoll(&pollfd, 1, &timeout, mask) > 0;
	if (fd >= 0 && ppoll(&pollfd, 1, NULL, mask) <= 0)
		return false;
	if (next_state() || fd < 0)
		fake_ns += ns;
	return fd >= 0;
}
