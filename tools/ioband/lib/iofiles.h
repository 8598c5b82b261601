/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files io.weight and io.max of a cgroup.
 */
#ifndef IOBAND_IOFILES_H
#define IOBAND_IOFILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limits of io.max, which have the same names there and in ioband's "set". */
enum {
	IO_RBPS,
	IO_WBPS,
	IO_RIOPS,
	IO_WIOPS,
	NR_IO_LIMITS,
};

extern const char * const io_limit_names[NR_IO_LIMITS];

#define IO_NO_LIMIT UINT64_MAX

/**
 * struct io_devices - a device and all devices it lies on
 * @v: their MAJOR:MINOR, the nearest first
 * @nr: size of @v
 * @nr_alone: so many of the first are all that is at their level: whatever goes to the
 *	device goes to each of these, and to nothing beside it
 */
struct io_devices {
	char **v;
	size_t nr;
	size_t nr_alone;
};

void io_devices_find(struct io_devices *devices, const char *sysroot,
		     unsigned int major, unsigned int minor);
bool io_devices_have(const char *sysroot, const char *upper,
		     const char *lower);
void io_devices_free(struct io_devices *devices);

bool io_parse_weight(const char *text, const struct io_devices *devices,
		     uint32_t *weight, const char **holder);
void io_parse_max(const char *text, const struct io_devices *devices,
		  uint64_t limits[NR_IO_LIMITS],
		  const char *holders[NR_IO_LIMITS]);

int io_read_file(int dir, const char *path, const char *name, char *text,
		 size_t size);

#endif /* IOBAND_IOFILES_H */
