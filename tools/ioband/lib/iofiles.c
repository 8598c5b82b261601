// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files io.weight and io.max of a cgroup.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iofiles.h"
#include "util.h"
#include "words.h"

const char * const io_limit_names[NR_IO_LIMITS] = {
	[IO_RBPS] = "rbps", [IO_WBPS] = "wbps",
	[IO_RIOPS] = "riops", [IO_WIOPS] = "wiops",
};

enum {
	WEIGHT_MAX = 10000,
};

/* The most that "set" takes. io.max takes more, but such limits have no effect. */
#define LIMIT_MAX (1ULL << 50)

/* The index of a device in the list; @devices->nr if it is not there. */
static size_t rank(const struct io_devices *devices, const char *devno)
{
	size_t i = 0;

	while (i < devices->nr && strcmp(devices->v[i], devno))
		i++;
	return i;
}

static void add_device(struct io_devices *devices, char *devno)
{
	if (rank(devices, devno) < devices->nr) {
		free(devno);
		return;
	}
	devices->v = xreallocarray(devices->v, devices->nr + 1,
				   sizeof(*devices->v));
	devices->v[devices->nr++] = devno;
}

/* Read MAJOR:MINOR from a file, to be freed; %NULL if there is no such file. */
static char *read_devno(const char *sysroot, const char *path)
{
	FILE *file = open_below(sysroot, path);
	unsigned int major, minor;
	int n;

	if (!file)
		return NULL;
	n = fscanf(file, "%u:%u", &major, &minor);
	fclose(file);
	return n == 2 ? xasprintf("%u:%u", major, minor) : NULL;
}

static void add_slaves(struct io_devices *devices, const char *sysroot,
		       const char *devno)
{
	char *path = xasprintf("%s/sys/dev/block/%s/slaves", sysroot, devno);
	struct dirent **names;
	int nr = scandir(path, &names, NULL, alphasort);

	free(path);
	for (int i = 0; i < nr; i++) {
		char *slave = NULL;

		path = xasprintf("/sys/dev/block/%s/slaves/%s/dev", devno,
				 names[i]->d_name);
		if (*names[i]->d_name != '.')
			slave = read_devno(sysroot, path);
		free(path);
		if (slave)
			add_device(devices, slave);
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
}

/* For a partition, limits and weights are those of the whole disk. */
static void add_disk(struct io_devices *devices, const char *sysroot,
		     const char *devno)
{
	char *path = xasprintf("/sys/dev/block/%s/partition", devno);
	FILE *file = open_below(sysroot, path);
	char *disk;

	free(path);
	if (!file)
		return;
	fclose(file);
	path = xasprintf("/sys/dev/block/%s/../dev", devno);
	disk = read_devno(sysroot, path);
	free(path);
	if (disk)
		add_device(devices, disk);
}

/**
 * io_devices_find - find a device and all devices it lies on
 * @devices: filled in level by level; to be freed
 * @sysroot: prefix of /sys
 */
void io_devices_find(struct io_devices *devices, const char *sysroot,
		     unsigned int major, unsigned int minor)
{
	memset(devices, 0, sizeof(*devices));
	add_device(devices, xasprintf("%u:%u", major, minor));
	devices->nr_alone = 1;
	for (size_t i = 0; i < devices->nr; i++) {
		add_slaves(devices, sysroot, devices->v[i]);
		add_disk(devices, sysroot, devices->v[i]);
		if (devices->nr_alone == i + 1 && devices->nr == i + 2)
			devices->nr_alone++;
	}
}

/**
 * io_devices_have - whether a device is another one, or lies on it
 * @sysroot: prefix of /sys
 * @upper: MAJOR:MINOR of the device
 * @lower: MAJOR:MINOR of the other one
 */
bool io_devices_have(const char *sysroot, const char *upper, const char *lower)
{
	struct io_devices devices;
	unsigned int major, minor;
	bool found;

	if (sscanf(upper, "%u:%u", &major, &minor) != 2)
		return false;
	io_devices_find(&devices, sysroot, major, minor);
	found = rank(&devices, lower) < devices.nr;
	io_devices_free(&devices);
	return found;
}

void io_devices_free(struct io_devices *devices)
{
	for (size_t i = 0; i < devices->nr; i++)
		free(devices->v[i]);
	free(devices->v);
	memset(devices, 0, sizeof(*devices));
}

/**
 * io_parse_weight - find the weight of a device in io.weight
 * @text: contents of the file: a line "default N", then one "MAJOR:MINOR N" for each
 *	device with another weight
 * @devices: the device and those below; the nearest one that has a line counts, as
 *	systemd writes IODeviceWeight= for a device below
 * @weight: set to the weight, 1 to 10000
 * @holder: if not %NULL, set to the device whose line counts, %NULL for the default
 *
 * Return: whether a weight was found.
 */
bool io_parse_weight(const char *text, const struct io_devices *devices,
		     uint32_t *weight, const char **holder)
{
	size_t best = SIZE_MAX;

	for (const char *line = text; *line; line += strcspn(line, "\n"),
					     line += *line == '\n') {
		char key[32], number[16];
		size_t place;
		uint64_t value;

		if (sscanf(line, "%31s %15s", key, number) != 2 ||
		    !parse_u64(number, WEIGHT_MAX, &value) || !value)
			continue;
		place = rank(devices, key);
		/* The default ranks last; other devices do not count. */
		if (place == devices->nr && strcmp(key, "default"))
			continue;
		if (place < best) {
			best = place;
			*weight = value;
		}
	}
	if (holder)
		*holder = best < devices->nr ? devices->v[best] : NULL;
	return best != SIZE_MAX;
}

/**
 * io_parse_max - find the limits of a device in io.max
 * @text: contents of the file: lines "MAJOR:MINOR rbps=N wbps=N riops=max wiops=max"
 * @devices: the device and those below, for which systemd writes the limits of a logical
 *	volume; the least counts. Of several devices side by side none does: how the I/O
 *	is divided among them is not known.
 * @limits: filled in
 * @holders: if not %NULL, filled in with the device whose line has each limit; %NULL where
 *	there is none
 */
void io_parse_max(const char *text, const struct io_devices *devices,
		  uint64_t limits[NR_IO_LIMITS],
		  const char *holders[NR_IO_LIMITS])
{
	char *copy = xstrdup(text), *rest = copy, *line, *word;

	for (unsigned int i = 0; i < NR_IO_LIMITS; i++) {
		limits[i] = IO_NO_LIMIT;
		if (holders)
			holders[i] = NULL;
	}
	while ((line = strsep(&rest, "\n"))) {
		struct words words = { .next = line };
		size_t place;

		word = next_word(&words);
		place = word ? rank(devices, word) : devices->nr;
		if (place >= devices->nr_alone)
			continue;
		while ((word = next_word(&words))) {
			char *value = strchr(word, '=');
			uint64_t limit;

			if (!value)
				continue;
			*value++ = '\0';
			for (unsigned int i = 0; i < NR_IO_LIMITS; i++) {
				if (strcmp(word, io_limit_names[i]) ||
				    !parse_u64(value, LIMIT_MAX, &limit) ||
				    limit >= limits[i])
					continue;
				limits[i] = limit;
				if (holders)
					holders[i] = devices->v[place];
			}
		}
	}
	free(copy);
}

/**
 * io_read_file - read a file of a cgroup
 * @dir: directory that @path is relative to
 * @path: path of the cgroup, with a leading / unless it is ""
 * @name: name of the file
 * @text: buffer for the contents, as a string truncated to @size
 *
 * Return: 0 or a negative errno; -ENOENT also if the cgroup is being removed.
 */
int io_read_file(int dir, const char *path, const char *name, char *text,
		 size_t size)
{
	char *full = xasprintf(".%s/%s", path, name);
	size_t len = 0;
	ssize_t n = 0;
	int fd;

	fd = openat(dir, full, O_RDONLY | O_CLOEXEC);
	free(full);
	if (fd < 0)
		return errno == ENODEV || errno == ENOTDIR ? -ENOENT : -errno;
	while (len < size - 1 && (n = read(fd, text + len, size - 1 - len)) > 0)
		len += n;
	n = n < 0 ? -errno : 0;
	close(fd);
	text[len] = '\0';
	return n == -ENODEV ? -ENOENT : n;
}
