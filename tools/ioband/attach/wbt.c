// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's own throttling of writeback (blk-wbt), which is off below volumes.
 *
 * Two that control writeback fight, so BFQ and iocost switch it off for the queue that they
 * control, and so does ioband. WBT_FILE has what was set before, a line for each disk: its
 * number, its sequence number, and microseconds, also those of a disk that has it off
 * already. It is written before the disk's setting, so a command that is killed loses
 * nothing; and gone at the next boot, when the kernel's default is back.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "config/store.h"
#include "lib/action.h"
#include "lib/blk.h"
#include "lib/iofiles.h"
#include "lib/replace.h"
#include "lib/util.h"
#include "lib/volume.h"
#include "wbt.h"

#define WBT_FILE STORE_RUN "/wbt"

/**
 * struct memory - what was set before ioband came
 * @devno: MAJOR:MINOR of the disk
 * @sequence: what blk_sequence() says of it: another disk may get its number
 * @usec: its wbt_lat_usec
 */
struct memory {
	struct {
		char devno[DEVNO_LEN];
		uint64_t sequence;
		uint64_t usec;
	} *v;
	size_t nr;
};

static void memory_add(struct memory *memory, const char *devno,
		       uint64_t sequence, uint64_t usec)
{
	memory->v = xreallocarray(memory->v, memory->nr + 1,
				  sizeof(*memory->v));
	snprintf(memory->v[memory->nr].devno, DEVNO_LEN, "%s", devno);
	memory->v[memory->nr].sequence = sequence;
	memory->v[memory->nr++].usec = usec;
}

/* Disks that are gone are left out. @memory: to be freed by memory_free(). */
static void memory_read(const struct options *opts, struct memory *memory)
{
	FILE *file = open_below(opts->sysroot, WBT_FILE);
	uint64_t sequence, usec, now;
	char devno[DEVNO_LEN];

	memset(memory, 0, sizeof(*memory));
	while (file && fscanf(file, "%23s %" SCNu64 " %" SCNu64, devno,
			      &sequence, &usec) == 3)
		if (blk_wbt(opts->sysroot, devno, &now) &&
		    blk_sequence(opts->sysroot, devno) == sequence)
			memory_add(memory, devno, sequence, usec);
	if (file)
		fclose(file);
}

static void memory_free(struct memory *memory)
{
	free(memory->v);
	memset(memory, 0, sizeof(*memory));
}

static bool memory_has(const struct memory *memory, const char *devno)
{
	for (size_t i = 0; i < memory->nr; i++)
		if (!strcmp(memory->v[i].devno, devno))
			return true;
	return false;
}

/* Return: 0 or -errno. */
static int memory_write(const struct options *opts, const struct memory *memory)
{
	char *dir = xasprintf("%s" STORE_RUN, opts->sysroot);
	char *path = xasprintf("%s" WBT_FILE, opts->sysroot);
	char *text;
	size_t size;
	FILE *to = xmemstream(&text, &size);
	int r = 0;

	for (size_t i = 0; i < memory->nr; i++)
		fprintf(to, "%s %" PRIu64 " %" PRIu64 "\n",
			memory->v[i].devno, memory->v[i].sequence,
			memory->v[i].usec);
	xmemclose(to);
	if (!memory->nr)
		r = unlink(path) && errno != ENOENT ? -errno : 0;
	else if (mkdir(dir, 0755) && errno != EEXIST)
		r = -errno;
	else
		r = replace_file(path, text, size, false);
	free(text);
	free(path);
	free(dir);
	return r;
}

/* Read again, as others may have changed it while a disk was waited for. */
static void memory_forget(const struct options *opts, const char *devno)
{
	struct memory memory;
	size_t nr = 0;
	int r;

	memory_read(opts, &memory);
	for (size_t i = 0; i < memory.nr; i++)
		if (strcmp(memory.v[i].devno, devno))
			memory.v[nr++] = memory.v[i];
	memory.nr = nr;
	r = memory_write(opts, &memory);
	if (r)
		warn("cannot write '%s" WBT_FILE "': %s", opts->sysroot,
		     strerror(-r));
	memory_free(&memory);
}

/* Return: whether it is set now; a disk that does not have it any more is left alone. */
static bool write_usec(const struct options *opts, const char *devno,
		       uint64_t usec)
{
	char *path = xasprintf("/sys/dev/block/%s/queue/wbt_lat_usec", devno);
	char *text = xasprintf("%" PRIu64, usec);
	int r = action_write(opts, path, text);

	if (r && r != -EINVAL && r != -ENOENT && r != -ENODEV)
		warn("cannot write %s to '%s': %s", text, path, strerror(-r));
	free(text);
	free(path);
	return !r;
}

/**
 * struct told - what is said of disks, in one line
 * @disks: "/dev/sda, /dev/sdb"; %NULL if there is nothing to say
 * @usecs: "2000, 75000"
 */
struct told {
	char *disks;
	char *usecs;
};

/* Takes over @word. */
static void append(char **list, char *word)
{
	char *longer = *list ? xasprintf("%s, %s", *list, word) : xstrdup(word);

	free(*list);
	free(word);
	*list = longer;
}

static void tell_disk(const struct options *opts, struct told *told,
		      const char *devno, uint64_t usec)
{
	append(&told->disks, blk_path(opts->sysroot, devno));
	append(&told->usecs, xasprintf("%" PRIu64, usec));
}

static void tell(const struct options *opts, struct told *told,
		 const char *how, const char *what)
{
	if (told->disks)
		report(opts, "%s: the kernel's throttling of writeback is %s (%s %s)",
		       told->disks, how, what, told->usecs);
	free(told->disks);
	free(told->usecs);
}

/**
 * wbt_off - switch the throttling of writeback off for the disks of a volume
 * @opts: the global options
 * @devno: the device that the volume is, or lies on, as MAJOR:MINOR
 * @again: also where somebody has switched it on since ioband has switched it off
 *
 * Not all of them are at the bottom: a device-mapper device with paths has a queue, too.
 * What cannot be done is told, and no failure of the volume.
 */
void wbt_off(const struct options *opts, const char *devno, bool again)
{
	struct io_devices devices = { 0 };
	unsigned int major, minor;
	uint64_t *was;
	struct memory memory;
	struct told told = { 0 };
	bool is_new = false;
	int r = 0;

	if (sscanf(devno, "%u:%u", &major, &minor) != 2)
		return;
	memory_read(opts, &memory);
	io_devices_find(&devices, opts->sysroot, major, minor);
	was = xcalloc(devices.nr, sizeof(*was));
	for (size_t i = 0; i < devices.nr; i++) {
		const char *disk = devices.v[i];

		if (!blk_wbt(opts->sysroot, disk, &was[i]))
			continue;
		if (!memory_has(&memory, disk)) {
			memory_add(&memory, disk,
				   blk_sequence(opts->sysroot, disk), was[i]);
			is_new = true;
		} else if (!again) {
			was[i] = 0;
		}
	}
	if (is_new && !opts->dry_run)
		r = memory_write(opts, &memory);
	if (r)
		warn("cannot write '%s" WBT_FILE "': %s; writeback stays throttled as it was",
		     opts->sysroot, strerror(-r));
	for (size_t i = 0; !r && i < devices.nr; i++)
		if (was[i] && write_usec(opts, devices.v[i], 0))
			tell_disk(opts, &told, devices.v[i], was[i]);
	tell(opts, &told, "off below ioband", "wbt_lat_usec was");
	free(was);
	io_devices_free(&devices);
	memory_free(&memory);
}

/**
 * wbt_restore - restore the throttling of writeback where no volume is any more
 * @opts: the global options
 * @except: name of a volume that does not count as one, or %NULL
 *
 * Where somebody has switched it on since, it stays as it is.
 */
void wbt_restore(const struct options *opts, const char *except)
{
	struct volumes volumes = { 0 };
	struct told told = { 0 };
	struct memory memory;

	memory_read(opts, &memory);
	if (memory.nr && volumes_read(&volumes))
		memory.nr = 0;
	for (size_t i = 0; i < memory.nr; i++) {
		const char *disk = memory.v[i].devno;
		uint64_t usec = memory.v[i].usec, now;

		if (volumes_use(&volumes, opts->sysroot, disk, except))
			continue;
		if (usec && blk_wbt(opts->sysroot, disk, &now) && !now &&
		    write_usec(opts, disk, usec))
			tell_disk(opts, &told, disk, usec);
		if (!opts->dry_run)
			memory_forget(opts, disk);
	}
	tell(opts, &told, "as before", "wbt_lat_usec");
	volumes_free(&volumes);
	memory_free(&memory);
}
