/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mutual exclusion of ioband processes: nothing changes between reading the present
 * state and changing it.
 */
#ifndef IOBAND_LOCK_H
#define IOBAND_LOCK_H

struct options;

int lock_take(const struct options *opts);
void lock_drop(void);

#endif /* IOBAND_LOCK_H */
