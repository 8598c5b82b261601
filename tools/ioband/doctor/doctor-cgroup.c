// SPDX-License-Identifier: GPL-2.0-only
/*
 * doctor: the files of cgroups. Finds limits that act in addition to ioband's, and
 * weights without effect.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "config/kept.h"
#include "doctor.h"
#include "lib/attachable.h"
#include "lib/blk.h"
#include "lib/cgroup.h"

enum {
	FILE_BYTES	= 16384,
	WEIGHT_DEFAULT	= 100,
};

/* Files with a line for each limited device. */
static const struct {
	const char *name;
	const char *remove;	/* what to write after the device to remove it */
} limit_files[] = {
	{ "io.max", " rbps=max wbps=max riops=max wiops=max" },
	{ "io.latency", " target=0" },
	{ "blkio.throttle.read_bps_device", " 0" },
	{ "blkio.throttle.write_bps_device", " 0" },
	{ "blkio.throttle.read_iops_device", " 0" },
	{ "blkio.throttle.write_iops_device", " 0" },
};

enum {
	NR_LIMIT_FILES = sizeof(limit_files) / sizeof(limit_files[0]),
};

/* The number of cgroups that have something, and the first of them. */
struct count {
	size_t nr;
	char *first;
};

/**
 * struct census - results of a walk over all cgroups
 * @root: descriptor of the root of the hierarchy
 * @limits: one for each device of each patient, in that order, and each file
 * @weights: cgroups with other than the standard default weight
 */
struct census {
	struct doctor *doctor;
	int root;
	struct count *limits;
	struct count weights;
};

static void count(struct count *count, const char *path)
{
	if (!count->nr++)
		count->first = xstrdup(*path ? path : "/");
}

static bool has_line(const char *text, const char *devno)
{
	size_t len = strlen(devno);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, devno, len) && line[len] == ' ')
			return true;
	}
	return false;
}

static void take_limits(struct census *census, const char *path, size_t file,
			const char *text)
{
	const struct doctor *doctor = census->doctor;
	size_t nr = file;

	for (size_t i = 0; i < doctor->nr_patients; i++) {
		const struct io_devices *devices = &doctor->patients[i].devices;

		for (size_t j = 0; j < devices->nr; j++, nr += NR_LIMIT_FILES)
			if (has_line(text, devices->v[j]))
				count(&census->limits[nr], path);
	}
}

static void take_cgroup(struct census *census, const char *path)
{
	static const struct io_devices none;
	char text[FILE_BYTES];
	uint32_t weight;

	for (size_t i = 0; i < NR_LIMIT_FILES; i++)
		if (!io_read_file(census->root, path, limit_files[i].name, text,
				  sizeof(text)))
			take_limits(census, path, i, text);
	if (!io_read_file(census->root, path, "io.weight", text,
			  sizeof(text)) &&
	    io_parse_weight(text, &none, &weight, NULL) && weight != WEIGHT_DEFAULT)
		count(&census->weights, path);
}

static void walk(struct census *census, const char *path)
{
	char *relative = xasprintf(".%s", path);
	int fd = openat(census->root, relative,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	free(relative);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	take_cgroup(census, path);
	while ((entry = readdir(dir))) {
		char *below;

		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, ".."))
			continue;
		below = xasprintf("%s/%s", path, entry->d_name);
		walk(census, below);
		free(below);
	}
	closedir(dir);
}

static char *and_others(const struct count *count)
{
	if (count->nr == 1)
		return xstrdup("");
	if (count->nr == 2)
		return xstrdup(" and of one other");
	return xasprintf(" and of %zu others", count->nr - 1);
}

/*
 * What a limit below the volume holds up takes the place of others' I/O. One of the volume
 * itself is only a note, and so is one that "ioband follow" mirrors.
 */
static void tell_limit(struct doctor *doctor, const struct patient *patient,
		       size_t device, const char *file,
		       const struct count *limit, char *removal)
{
	const struct io_devices *devices = &patient->devices;
	const struct volume *vol = volumes_find(&doctor->volumes, patient->name);
	bool can_mirror = patient->volume && vol && device < devices->nr_alone &&
			  !strcmp(vol->table.type, "cgroup") &&
			  !strcmp(file, "io.max");
	bool harmless = !device || (can_mirror &&
				    volume_is_followed(doctor->opts, vol));
	char *path = blk_path(doctor->opts->sysroot, devices->v[device]);
	char *others = and_others(limit);
	char *advice = can_mirror && !harmless ?
		       xasprintf("have ioband keep to it with 'ioband set %s follow=yes'; or ",
				 vol->title) : xstrdup("");

	add_finding(doctor, harmless ? NOTE : WARNING, file, patient->name,
		    xasprintf("%s of the cgroup %s%s limits %s as well%s", file,
			      limit->first, others, path,
			      harmless ? "" : ", and what is held up there takes the place of others"),
		    xasprintf("%sif it is not meant to: %s", advice, removal));
	free(advice);
	free(others);
	free(path);
}

/* What takes a limit away; systemd would write that of a unit again. To be freed. */
static char *removal_of(const char *path, const char *devno, size_t nr,
			const char *file)
{
	char *property = strcmp(limit_files[nr].name, "io.max") ? NULL :
			 cgroup_set_property(path);
	char *text = property ?
		xasprintf("\"%s IOReadBandwidthMax= IOWriteBandwidthMax= IOReadIOPSMax= IOWriteIOPSMax=\"",
			  property) :
		xasprintf("\"echo '%s%s' >%s\"", devno,
			  limit_files[nr].remove, file);

	free(property);
	return text;
}

static void tell_limits(const struct census *census, const char *mount)
{
	struct doctor *doctor = census->doctor;
	size_t nr = 0;

	for (size_t i = 0; i < doctor->nr_patients; i++) {
		const struct patient *patient = &doctor->patients[i];

		for (size_t j = 0; j < patient->devices.nr; j++) {
			for (size_t k = 0; k < NR_LIMIT_FILES; k++, nr++) {
				const struct count *limit =
					&census->limits[nr];
				char *file, *removal;

				if (!limit->nr)
					continue;
				file = shell_word("%s%s/%s", mount,
						  strcmp(limit->first, "/") ?
						  limit->first : "",
						  limit_files[k].name);
				removal = removal_of(limit->first,
						     patient->devices.v[j],
						     k, file);
				tell_limit(doctor, patient, j, limit_files[k].name,
					   limit, removal);
				free(removal);
				free(file);
			}
		}
	}
}

/* The I/O of devices below a volume is weighted already. */
static bool is_below(const struct doctor *doctor, const char *devno)
{
	for (size_t i = 0; i < doctor->volumes.nr; i++) {
		const struct volume *vol = &doctor->volumes.v[i];
		struct io_devices devices;
		bool found = false;

		io_devices_find(&devices, doctor->opts->sysroot, vol->major,
				vol->minor);
		for (size_t j = 0; j < devices.nr; j++)
			found |= !strcmp(devices.v[j], devno);
		io_devices_free(&devices);
		if (found)
			return true;
	}
	return false;
}

/* Inside of it if that can be, else on top of it; to be freed. */
static char *way_to_follow(struct doctor *doctor, const char *name,
			   const char *title)
{
	char *why = attach_why_not(doctor->opts, name), *text;

	text = why ? xasprintf("make it act in a volume on top, with 'ioband enable NAME %s --follow'",
			       title) :
		     xasprintf("make it act with 'ioband enable %s --follow'",
			       title);
	free(why);
	return text;
}

/* Whether io.weight has no effect on a device, as on a logical volume without ioband. */
static bool ignores_weight(struct doctor *doctor,
			   const struct ioband_dm_device *dev)
{
	char *devno = xasprintf("%u:%u", dev->major, dev->minor);
	char *uuid = sys_block_line(doctor->opts->sysroot, devno, "dm/uuid");
	/* A uuid with a suffix is of an internal volume of LVM. */
	bool ignores = uuid && !strncmp(uuid, "LVM-", 4) &&
		       !strchr(uuid + 4, '-') &&
		       doctor_wants(doctor, dev->name) &&
		       !is_below(doctor, devno);

	free(uuid);
	free(devno);
	return ignores;
}

/* Report logical volumes on which io.weight has no effect: all in one, as there may be many. */
static void tell_weights(const struct census *census)
{
	struct doctor *doctor = census->doctor;
	const struct ioband_dm_devices *devices = &doctor->volumes.devices;
	const char *first = NULL;
	char *others, *more, *title;
	size_t nr = 0;

	for (size_t i = 0; census->weights.nr && i < devices->nr; i++) {
		if (!ignores_weight(doctor, &devices->v[i]))
			continue;
		first = first ? first : devices->v[i].name;
		nr++;
	}
	if (!nr)
		return;
	title = volumes_title(&doctor->volumes, first);
	others = and_others(&census->weights);
	more = nr == 1 ? xstrdup("") :
	       xasprintf(" and %zu other%s", nr - 1, nr == 2 ? "" : "s");
	add_finding(doctor, NOTE, "weight-without-effect", first,
		    xasprintf("io.weight of the cgroup %s%s has no effect on this logical volume%s",
			      census->weights.first, others, more),
		    way_to_follow(doctor, first, title));
	free(more);
	free(others);
	free(title);
}

/* Examine all cgroups, of either version. */
void doctor_cgroups(struct doctor *doctor)
{
	struct census census = { .doctor = doctor };
	char *mount = cgroup_mount(doctor->opts->sysroot);
	size_t nr = 0;

	census.root = mount ? open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC) :
			      -1;
	if (census.root < 0) {
		free(mount);
		return;
	}
	for (size_t i = 0; i < doctor->nr_patients; i++)
		nr += doctor->patients[i].devices.nr * NR_LIMIT_FILES;
	census.limits = xcalloc(nr, sizeof(*census.limits));
	walk(&census, "");
	tell_limits(&census, mount + strlen(doctor->opts->sysroot));
	tell_weights(&census);

	for (size_t i = 0; i < nr; i++)
		free(census.limits[i].first);
	free(census.limits);
	free(census.weights.first);
	close(census.root);
	free(mount);
}
