/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One at a time: between reading what there is and changing it, no other ioband
 * changes anything.
 */
#ifndef IOBAND_LOCK_H
#define IOBAND_LOCK_H

struct options;

int lock_take(const struct options *opts);
void lock_drop(void);

#endif /* IOBAND_LOCK_H */
