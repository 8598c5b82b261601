/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why the kernel refused something: it says so in its log only.
 */
#ifndef IOBAND_KLOG_H
#define IOBAND_KLOG_H

#include <stddef.h>

enum {
	KLOG_REASON_LEN = 256,
};

/**
 * struct klog - what of the log is of interest
 * @fd: /dev/kmsg, positioned behind what was there; -1 if it cannot be read
 */
struct klog {
	int fd;
};

void klog_begin(struct klog *log);
void klog_end(struct klog *log, const char *device, char *reason);
int klog_match(const char *record, const char *device, char *reason);

#endif /* IOBAND_KLOG_H */
