/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sysfs knows about block devices.
 */
#ifndef IOBAND_BLK_H
#define IOBAND_BLK_H

char *blk_path(const char *sysroot, const char *device);

#endif /* IOBAND_BLK_H */
