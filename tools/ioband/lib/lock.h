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

/* Of one device, until lock_drop() or the end of the process. */
int lock_device(const struct options *opts, const char *name);
/* LVM's, of a volume group. */
int lock_group(const struct options *opts, const char *name);
void lock_drop_group(void);
const char *lock_reason(void);

/* Around what may wait for a device, or for udev. */
void lock_pause(const struct options *opts);
void lock_resume(void);

#endif /* IOBAND_LOCK_H */
