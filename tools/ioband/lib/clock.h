/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time. The tests link a double of clock.c, with a clock of their own.
 */
#ifndef IOBAND_CLOCK_H
#define IOBAND_CLOCK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

uint64_t clock_now_ns(void);
time_t clock_date(void);
bool clock_wait(uint64_t ns, int fd, const sigset_t *mask);

#endif /* IOBAND_CLOCK_H */
