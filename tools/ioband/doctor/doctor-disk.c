// SPDX-License-Identifier: GPL-2.0-only
/*
 * doctor: the devices below. Does anything else divide their bandwidth?
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "config/share.h"
#include "doctor.h"
#include "lib/blk.h"

/* Whether an earlier patient lies on it as well: report it only once. */
static bool is_seen(const struct doctor *doctor, size_t nr, const char *devno)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < doctor->patients[i].devices.nr; j++)
			if (!strcmp(doctor->patients[i].devices.v[j], devno))
				return true;
	return false;
}

static void check_scheduler(struct doctor *doctor, const char *devno,
			    const char *path)
{
	char *line = sys_block_line(doctor->opts->sysroot, devno,
				    "queue/scheduler");

	if (line && strstr(line, "[bfq]"))
		add_finding(doctor, WARNING, "bfq", path,
			    xstrdup("its I/O scheduler bfq divides bandwidth a second time, by its own weights"),
			    xasprintf("choose another with 'echo mq-deadline >/sys/dev/block/%s/queue/scheduler'",
				      devno));
	free(line);
}

/*
 * Throttling below keeps I/O that ioband has let go, and takes its room at the disk. Where
 * there is no volume yet, attach and create will end it.
 */
static void check_writeback(struct doctor *doctor, const char *devno,
			    const char *path)
{
	const char *sysroot = doctor->opts->sysroot;
	uint64_t usec;

	if (blk_wbt(sysroot, devno, &usec) && usec &&
	    volumes_use(&doctor->volumes, sysroot, devno, NULL))
		add_finding(doctor, WARNING, "wbt", path,
			    xasprintf("the kernel throttles writeback to it while I/O takes longer than %" PRIu64 " us, and what is held up there takes the place of others: reads, and each fsync",
				      usec),
			    xasprintf("end that with 'echo 0 >/sys/dev/block/%s/queue/wbt_lat_usec', as attach and create do",
				      devno));
}

static void check_zoned(struct doctor *doctor, const char *devno,
			const char *path)
{
	char *line = sys_block_line(doctor->opts->sysroot, devno,
				    "queue/zoned");

	if (line && strcmp(line, "none"))
		add_finding(doctor, ERROR, "zoned", path,
			    xasprintf("it is zoned (%s), and ioband refuses such a device",
				      line),
			    xstrdup("put ioband on something above it that is not zoned, such as dm-zoned"));
	free(line);
}

/* Lines of io.cost.qos in the root cgroup: MAJOR:MINOR enable=1 ... */
static void check_iocost(struct doctor *doctor, const char *devno,
			 const char *path)
{
	FILE *file = open_below(doctor->opts->sysroot,
				"/sys/fs/cgroup/io.cost.qos");
	char line[512];
	size_t len = strlen(devno);

	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, devno, len) && line[len] == ' ' &&
		    strstr(line, " enable=1"))
			add_finding(doctor, WARNING, "iocost", path,
				    xstrdup("iocost is enabled on it, and divides bandwidth by io.weight, or tries to"),
				    xasprintf("end that with \"echo '%s enable=0' >/sys/fs/cgroup/io.cost.qos\"",
					      devno));
	fclose(file);
}

/* Whether a volume may be of another one's share. */
static bool may_join(const struct doctor *doctor, const struct volume *vol,
		     const struct volume *other)
{
	char devno[DEVNO_LEN];

	snprintf(devno, sizeof(devno), "%u:%u", vol->major, vol->actual_minor);
	return !share_in_way(doctor->opts, &doctor->volumes,
			     other->table.share, vol->name, devno);
}

/* The lowest device that both lie on, MAJOR:MINOR to be freed; %NULL if there is none. */
static char *common_device(const struct doctor *doctor,
			   const struct volume *vol,
			   const struct volume *other)
{
	const char *sysroot = doctor->opts->sysroot;
	struct io_devices devices;
	char upper[DEVNO_LEN], *found = NULL;

	snprintf(upper, sizeof(upper), "%u:%u", other->major, other->minor);
	io_devices_find(&devices, sysroot, vol->major, vol->minor);
	/* The first is the volume itself. */
	for (size_t i = devices.nr; i > 1 && !found; i--)
		if (io_devices_have(sysroot, upper, devices.v[i - 1]))
			found = xstrdup(devices.v[i - 1]);
	io_devices_free(&devices);
	return found;
}

/* Volumes of different shares on one disk make it appear slower to each other. */
static void check_shares(struct doctor *doctor)
{
	const struct volumes *volumes = &doctor->volumes;

	for (size_t i = 0; i < volumes->nr; i++) {
		const struct volume *mine = &volumes->v[i];

		for (size_t j = 0; mine->chosen && j < volumes->nr; j++) {
			const struct volume *other = &volumes->v[j];
			char *disk;

			if (!strcmp(other->table.share, mine->table.share) ||
			    /* Reported for the first of the two. */
			    (other->chosen && j < i))
				continue;
			disk = common_device(doctor, mine, other);
			if (disk && may_join(doctor, mine, other) &&
			    may_join(doctor, other, mine)) {
				char *path = blk_path(doctor->opts->sysroot,
						      disk);

				add_finding(doctor, WARNING, "two-shares",
					    mine->name,
					    xasprintf("it is on %s as %s is, and their shares %s and %s do not know of each other",
						      path, other->title,
						      mine->table.share,
						      other->table.share),
					    xstrdup("give both the same share"));
				free(path);
			}
			free(disk);
		}
	}
}

/* Examine each patient and all devices that it lies on. */
void doctor_disks(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->nr_patients; i++) {
		const struct patient *patient = &doctor->patients[i];

		for (size_t j = 0; j < patient->devices.nr; j++) {
			const char *devno = patient->devices.v[j];
			char *path;

			if (is_seen(doctor, i, devno))
				continue;
			path = blk_path(doctor->opts->sysroot, devno);
			check_scheduler(doctor, devno, path);
			check_iocost(doctor, devno, path);
			check_writeback(doctor, devno, path);
			/* A device on top of a zoned one need not be zoned. */
			if (!j)
				check_zoned(doctor, devno, path);
			free(path);
		}
	}
	check_shares(doctor);
}
