/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Block devices, as sysfs, the mount table and signatures describe them.
 */
#ifndef IOBAND_BLK_H
#define IOBAND_BLK_H

#include <stdbool.h>
#include <stdint.h>

enum {
	DEVNO_LEN = 24,
};

/**
 * struct blk - a block device
 * @devno: MAJOR:MINOR
 * @sectors: size in 512-byte sectors
 * @dm_name: device-mapper name, "" if it is not a device-mapper device
 */
struct blk {
	char devno[DEVNO_LEN];
	uint64_t sectors;
	char dm_name[128];
};

bool blk_is_devno(const char *device);
char *blk_path(const char *sysroot, const char *device);
char *blk_stable_path(const char *sysroot, const char *device);
bool blk_parse_tag(const char *arg, char **tag, char **value);
bool blk_is_lv(const char *arg);
char *blk_lv_called(const char *sysroot, const char *word);
char *blk_look_up(const char *sysroot, const char *arg, struct blk *blk);
int blk_find(const char *sysroot, const char *arg, struct blk *blk);
int blk_find_below(const char *sysroot, const char *arg, const char *name,
		   struct blk *blk);
bool blk_sectors(const char *sysroot, const char *device, uint64_t *sectors);
unsigned int blk_read_ahead(const char *sysroot, const char *device);
bool blk_wbt(const char *sysroot, const char *device, uint64_t *usec);
uint64_t blk_sequence(const char *sysroot, const char *device);
bool blk_is_read_only(const char *sysroot, const char *device);
bool blk_has_low_priority(const char *sysroot, const char *device);
char *blk_user(const char *sysroot, const char *device);
char *blk_disks(const char *sysroot, const char *device);
bool blk_is_rotating(const char *sysroot, const char *device);
bool blk_is_related(const char *sysroot, const char *device,
		    const char *other);
char *blk_signature(const char *sysroot, const char *device);
bool blk_dm_name(char *name, size_t size, const char *arg);
char *blk_read_line(const char *sysroot, const char *device,
		    const char *file, const char *key);
void blk_each_entry(const char *sysroot, const char *device, const char *sub,
		    void (*take)(const char *sysroot, const char *name,
				 void *data), void *data);

#endif /* IOBAND_BLK_H */
