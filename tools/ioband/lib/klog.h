/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find out why the kernel refused something, which only its log tells.
 */
#ifndef IOBAND_KLOG_H
#define IOBAND_KLOG_H

#include <stddef.h>

enum {
	KLOG_REASON_LEN = 256,
};

/**
 * struct klog - the kernel log from some point on
 * @fd: /dev/kmsg, positioned after the earlier records; -1 if it cannot be read
 */
struct klog {
	int fd;
};

void klog_begin(struct klog *log);
void klog_end(struct klog *log, const char *device, char *reason);
int klog_match(const char *record, const char *device, char *reason);

#endif /* IOBAND_KLOG_H */
