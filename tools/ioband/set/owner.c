// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose groups and settings of a volume are: whoever sets them, or, where it is followed,
 * the cgroups. One owner each, or they undo each other's work.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply/converge.h"
#include "cmd.h"
#include "config/current.h"
#include "config/groupref.h"
#include "config/kept.h"
#include "config/services.h"
#include "config/store.h"
#include "lib/cgroup.h"
#include "lib/iofiles.h"
#include "lib/lock.h"
#include "lib/util.h"
#include "set.h"

/*
 * Start what follows the volume, or stop it: for good if the volume is enabled, and from
 * the next boot on where systemd does not run.
 */
static int switch_service(const struct options *opts, const struct volume *vol,
			  bool follow)
{
	struct services services = { 0 };
	struct service *service = &services.v[SERVICE_FOLLOW];
	int status = services_read(opts, vol->name, &services);

	service->is_wanted = true;
	/* Where nothing restores the volume, there would be nothing to follow. */
	if (!services.v[SERVICE_VOLUME].is_enabled)
		service->is_enabled |= follow;
	if (!status && follow)
		status = services_start(opts, &services, false);
	else if (!status)
		status = services_stop(opts, &services);
	if (!status)
		report(opts, "%s: %s %s", vol->title,
		       !systemd_is_running(opts) ?
		       (follow ? "enabled" : "disabled") :
		       (follow ? "started" : "stopped"), service->unit);
	services_free(&services);
	return status;
}

/* Write down whether the volume is followed: groups that are those of cgroups are not. */
static int keep(const struct options *opts, const struct volumes *volumes,
		const struct volume *vol, bool follow)
{
	bool has_file = store_has_file(opts, vol->name);
	struct config cfg;
	int status = 0;

	config_init(&cfg, vol->name);
	if (has_file)
		status = save_config(opts, volumes, vol, true, &cfg);
	cfg.follow = follow;
	if (!status && has_file && opts->dry_run)
		conf_print(&cfg, stdout);
	else if (!status && opts->dry_run)
		printf("# " STORE_RUN "/%s.conf: follow = %s\n", vol->name,
		       follow ? "yes" : "no");
	else if (!status && has_file)
		status = store_save(opts, STORE_ETC, &cfg);
	if (!status && !opts->dry_run)
		status = keep_follow(opts, volumes, vol, follow);
	config_free(&cfg);
	return status;
}

/*
 * Take away the groups that were those of cgroups. Those with settings of their own stay,
 * with the weight and limits that they have.
 */
static int drop_followed(const struct options *opts, const char *name)
{
	struct volumes volumes = { 0 };
	const struct volume *vol;
	struct plan plan = { 0 };
	struct config cfg;
	size_t nr = 0;
	int status;

	config_init(&cfg, name);
	status = opts->dry_run ? volumes_read(&volumes) :
				 volumes_lock(opts, &volumes);
	vol = volumes_find(&volumes, name);
	/* It has been removed meanwhile. */
	if (!status && !vol)
		goto out;
	if (!status)
		status = save_config(opts, &volumes, vol, true, &cfg);
	cfg.follow = false;
	if (!status)
		strcpy(cfg.share, vol->table.share);
	if (!status)
		status = plan_make(opts, &volumes, &cfg, &plan);
	for (size_t i = 0; !status && i < plan.nr; i++)
		nr += !strcmp(plan.v[i].key, "group");
	if (!status)
		status = plan_do(opts, &volumes, &cfg, &plan);
	if (!status && nr)
		report(opts, "%s: removed %zu group%s of cgroups", vol->title,
		       nr, nr == 1 ? "" : "s");
out:
	plan_free(&plan);
	config_free(&cfg);
	volumes_free(&volumes);
	return status;
}

/**
 * set_follow - have a volume followed, or not any more
 * @opts: the global options
 * @volumes: what volumes_lock() found
 * @vol: the volume
 * @value: "yes" or "no"
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int set_follow(const struct options *opts, const struct volumes *volumes,
	       const struct volume *vol, const char *value)
{
	bool was = volume_is_followed(opts, vol), follow = !strcmp(value, "yes");
	bool has_file = store_has_file(opts, vol->name);
	char pid[PID_LEN];
	int status;

	if (!follow && strcmp(value, "no"))
		return fail(IOBAND_USAGE, "set: follow '%s': expected yes or no",
			    value);
	if (follow && strcmp(vol->table.type, "cgroup"))
		return fail(IOBAND_USAGE,
			    "set: follow: needs type cgroup, and '%s' has type %s",
			    vol->title, vol->table.type);
	status = keep(opts, volumes, vol, follow);
	if (status)
		return status;
	report(opts, "%s: groups, weights and limits %s%s%s%s", vol->title,
	       follow ? "are those of cgroups" : "may be set",
	       has_file ? "; saved in " STORE_ETC "/" : "",
	       has_file ? vol->name : "", has_file ? ".conf" : "");
	/* The unit waits for the lock. */
	lock_drop();
	if (systemd_is_running(opts) || volume_is_enabled(opts, vol->name))
		status = switch_service(opts, vol, follow);
	find_follower(opts, vol->name, pid);
	if (!status && was && !follow && (!*pid || opts->dry_run))
		status = drop_followed(opts, vol->name);
	if (status || opts->dry_run || systemd_is_running(opts))
		return status;
	if (follow && !*pid)
		warn("'%s': systemd does not run here: 'ioband follow %s' has to, from now on",
		     vol->title, vol->title);
	else if (!follow && *pid)
		warn("'%s': process %s follows it still: end that", vol->title,
		     pid);
	return 0;
}

/*
 * The device in whose line of a cgroup's file a setting is, as MAJOR:MINOR; %NULL if it is
 * in none, or the default.
 */
static const char *find_holder(const struct options *opts,
			       const struct io_devices *devices,
			       const char *path, enum setting_key key)
{
	const char *holders[NR_IO_LIMITS], *holder = NULL;
	uint64_t limits[NR_IO_LIMITS];
	uint32_t weight;
	FILE *file = open_below(opts->sysroot, path);
	size_t size = 0;
	char *text = NULL;

	if (!file || getdelim(&text, &size, '\0', file) < 0) {
		/* The cgroup is gone, or has no such file. */
	} else if (key == SET_WEIGHT) {
		io_parse_weight(text, devices, &weight, &holder);
	} else {
		io_parse_max(text, devices, limits, holders);
		for (int i = 0; i < NR_IO_LIMITS; i++)
			if (!strcmp(io_limit_names[i], setting_name(key)))
				holder = holders[i];
	}
	free(text);
	if (file)
		fclose(file);
	return holder;
}

/* What changes a setting where it comes from; to be freed. */
static char *other_way(const struct options *opts, const struct volume *vol,
		       const struct config_group *group, enum setting_key key)
{
	struct cgroup_paths paths = { 0 };
	char value[SETTING_LEN], *name, *file, *property, *way;
	struct io_devices devices;
	const char *path, *holder;

	cgroup_paths_add(&paths, group->id);
	cgroup_paths_resolve(&paths, opts->sysroot);
	path = cgroup_paths_find(&paths, group->id);
	setting_value(value, &group->set, key, false);
	value[strcspn(value, " ")] = '\0';
	property = path ? cgroup_set_property(path) : NULL;
	name = xasprintf("/sys/fs/cgroup%s/%s", path ? path : "/...",
			 key == SET_WEIGHT ? "io.weight" : "io.max");
	file = shell_word("%s", name);
	io_devices_find(&devices, opts->sysroot, vol->major, vol->minor);
	holder = find_holder(opts, &devices, name, key);
	free(name);
	if (key != SET_WEIGHT)
		way = xasprintf("echo %s %s=%s >%s",
				holder ? holder : devices.v[0],
				setting_name(key), value, file);
	else if (holder)
		way = xasprintf("echo %s %s >%s", holder, value, file);
	else if (property)
		way = xasprintf("%s IOWeight=%s", property, value);
	else
		way = xasprintf("echo %s >%s", value, file);
	free(property);
	free(file);
	io_devices_free(&devices);
	cgroup_paths_free(&paths);
	return way;
}

/**
 * check_owner - refuse to set what is taken from the files of a cgroup
 * @opts: the global options
 * @vol: the volume
 * @word: what the group was called
 * @group: the group, resolved, with what is to be set
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int check_owner(const struct options *opts, const struct volume *vol,
		const char *word, const struct config_group *group)
{
	int key = 0, status;
	char *way;

	while (key < NR_SETTINGS && !(group->set.v[key].given &&
				      setting_is_followed(key)))
		key++;
	if (key == NR_SETTINGS || group->is_default ||
	    !volume_is_followed(opts, vol))
		return 0;
	way = other_way(opts, vol, group, key);
	status = fail(IOBAND_USAGE,
		      "cannot set %s of group '%s': '%s' is followed, so it is that of the cgroup; change it there with \"%s\", or end that with 'ioband set %s follow=no'",
		      setting_name(key), word, vol->title, way, vol->title);
	free(way);
	return status;
}

/**
 * check_member - refuse to add or remove a group that follow would remove or add
 * @opts: the global options
 * @vol: the volume
 * @word: what the group was called
 * @group: the group, resolved
 * @is_add: whether it is to be added
 *
 * A group that is there already is for the kernel to refuse, and one of the root cgroup
 * is none of follow's business.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int check_member(const struct options *opts, const struct volume *vol,
		 const char *word, const struct config_group *group,
		 bool is_add)
{
	bool is_there = table_find(&vol->table, false, group->id);
	char *way, *advice;
	int status;

	if (is_there == is_add || !strcmp(word, "/") ||
	    !volume_is_followed(opts, vol))
		return 0;
	way = is_add ? groupref_io_command(opts, group) : NULL;
	advice = way ? xasprintf("\"%s\" gives it one, and ", way) : xstrdup("");
	status = fail(IOBAND_USAGE,
		      "cannot %s group '%s': '%s' is followed, so each cgroup with an io.weight has a group, and no other has one; %s'ioband set %s follow=no' ends that",
		      is_add ? "add" : "remove", word, vol->title, advice,
		      vol->title);
	free(way);
	free(advice);
	return status;
}
