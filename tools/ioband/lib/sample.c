// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of all groups of the chosen volumes at one moment.
 */
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "cmd.h"
#include "sample.h"
#include "util.h"

/* Return: an exit code; -ENXIO if the volume is gone. */
static int ask(const struct volume *vol, const char *message, char **answer)
{
	int r = ioband_dm_message(vol->name, vol->start, message, answer);

	if (r == -ENXIO)
		return r;
	/* Every version of the target knows the message: the table was replaced. */
	if (r == -EINVAL || (!r && !*answer))
		return fail(IOBAND_BUSY,
			    "'%s' does not answer '%s': its table was replaced while it was read; try again",
			    vol->name, message);
	if (r)
		return fail_errno(r, ioband_dm_error(),
				  "cannot ask '%s' for its state", vol->name);
	return 0;
}

static int bad_answer(const struct volume *vol, int r, const char *message,
		      const struct parse_error *err)
{
	if (r == -ENOMEM)
		return fail(IOBAND_NOMEM, "out of memory");
	return fail(IOBAND_MODULE,
		    "cannot read what '%s' answers to '%s': %s; the module may be of another version, see 'ioband version'",
		    vol->name, message, err->text);
}

static int read_stats(const struct volume *vol, struct stats *stats)
{
	struct parse_error err;
	char *answer;
	int r = ask(vol, "stats", &answer);

	if (r)
		return r == -ENXIO ? 0 : r;
	r = stats_parse(answer, stats, &err);
	free(answer);
	return r ? bad_answer(vol, r, "stats", &err) : 0;
}

/**
 * sample_show - ask a volume for the state of its share
 * @vol: the volume
 * @show: filled in, to be freed; empty if the volume is gone
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int sample_show(const struct volume *vol, struct show *show)
{
	struct parse_error err;
	char *answer;
	int r;

	memset(show, 0, sizeof(*show));
	r = ask(vol, "show", &answer);
	if (r)
		return r == -ENXIO ? 0 : r;
	r = show_parse(answer, show, &err);
	free(answer);
	return r ? bad_answer(vol, r, "show", &err) : 0;
}

/* Whether an earlier one of the chosen volumes belongs to the same share. */
static bool share_is_told(const struct volumes *volumes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (volumes->v[i].chosen &&
		    !strcmp(volumes->v[i].table.share,
			    volumes->v[nr].table.share))
			return true;
	return false;
}

/**
 * sample_read_shows - ask for the state of each share
 * @sample: result of sample_read(); filled in for the first volume of each share
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int sample_read_shows(struct sample *sample)
{
	const struct volumes *volumes = &sample->volumes;
	int status = 0;

	sample->shows = xcalloc(volumes->nr, sizeof(*sample->shows));
	for (size_t i = 0; !status && i < volumes->nr; i++)
		if (volumes->v[i].chosen && !share_is_told(volumes, i))
			status = sample_show(&volumes->v[i], &sample->shows[i]);
	return status;
}

/* Whether a chosen volume belongs to the share of volume @nr. */
static bool shares_with_chosen(const struct volumes *volumes, size_t nr)
{
	for (size_t i = 0; i < volumes->nr; i++)
		if (volumes->v[i].chosen &&
		    !strcmp(volumes->v[i].table.share,
			    volumes->v[nr].table.share))
			return true;
	return false;
}

static bool has_type(const struct volume *vol, const char *type)
{
	return !strcmp(vol->table.type, type);
}

static int read_sample(struct sample *sample, const struct options *opts,
		       bool all_of_share, int argc, char **argv)
{
	int status;

	memset(sample, 0, sizeof(*sample));
	status = volumes_read(&sample->volumes);
	if (!status)
		status = volumes_choose(opts, &sample->volumes, argc, argv);
	if (status)
		return status;

	sample->stats = xcalloc(sample->volumes.nr, sizeof(*sample->stats));
	sample->time_ns = clock_now_ns();
	for (size_t i = 0; !status && i < sample->volumes.nr; i++)
		if (sample->volumes.v[i].chosen ||
		    (all_of_share && shares_with_chosen(&sample->volumes, i)))
			status = read_stats(&sample->volumes.v[i],
					    &sample->stats[i]);
	if (status)
		return status;

	for (size_t i = 0; i < sample->volumes.nr; i++) {
		const struct stats *stats = &sample->stats[i];

		if (!has_type(&sample->volumes.v[i], "cgroup"))
			continue;
		for (size_t j = 0; j < stats->nr_groups; j++)
			if (!stats->groups[j].is_default)
				cgroup_paths_add(&sample->cgroups,
						 stats->groups[j].id);
	}
	cgroup_paths_resolve(&sample->cgroups, opts->sysroot);
	return 0;
}

/**
 * sample_read - read all statistics of volumes
 * @sample: filled in, to be freed in any case
 * @opts: the global options
 * @argc: number of words that name volumes; 0 for all volumes
 * @argv: the words
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int sample_read(struct sample *sample, const struct options *opts, int argc,
		char **argv)
{
	return read_sample(sample, opts, false, argc, argv);
}

/**
 * sample_read_shares - read all statistics of volumes, and of others in their shares
 *
 * As sample_read(). What a group gets is a part of its share.
 */
int sample_read_shares(struct sample *sample, const struct options *opts,
		       int argc, char **argv)
{
	return read_sample(sample, opts, true, argc, argv);
}

void sample_free(struct sample *sample)
{
	for (size_t i = 0; sample->stats && i < sample->volumes.nr; i++)
		stats_free(&sample->stats[i]);
	for (size_t i = 0; sample->shows && i < sample->volumes.nr; i++)
		show_free(&sample->shows[i]);
	free(sample->stats);
	free(sample->shows);
	volumes_free(&sample->volumes);
	cgroup_paths_free(&sample->cgroups);
	memset(sample, 0, sizeof(*sample));
}

/**
 * sample_find - find the same group in another sample
 * @sample: the other sample
 * @vol: volume of the group
 * @group: the group
 *
 * Return: the group, or %NULL if it was not there.
 */
const struct stats_group *sample_find(const struct sample *sample,
				      const struct volume *vol,
				      const struct stats_group *group)
{
	for (size_t i = 0; i < sample->volumes.nr; i++) {
		const struct volume *other = &sample->volumes.v[i];

		if (!strcmp(other->name, vol->name) &&
		    !strcmp(other->table.share, vol->table.share))
			return stats_find(&sample->stats[i], group->is_default,
					  group->id);
	}
	return NULL;
}

/* The name of a process, or of the leader of a process group. */
static char *process_name(const char *sysroot, uint64_t pid)
{
	char *path = xasprintf("/proc/%" PRIu64 "/comm", pid);
	FILE *file = open_below(sysroot, path);
	char name[64] = "";

	free(path);
	if (!file)
		return NULL;
	if (fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	fclose(file);
	return *name ? xstrdup(name) : NULL;
}

/* Class * 10 + level, as ionice(1) calls them. */
static char *ioprio_name(uint64_t id)
{
	if (id == 30)
		return xstrdup("idle");
	if (id / 10 == 1 || id / 10 == 2)
		return xasprintf("%s/%u", id / 10 == 1 ? "realtime" : "best-effort",
				 (unsigned int)(id % 10));
	return NULL;
}

/**
 * owner_name - get a human-readable name of a group that is no cgroup
 * @vol: volume of the group
 * @id: id of the group
 * @sysroot: prefix of /proc
 *
 * Return: the name of the user, of the process and so on, to be freed; %NULL if it has
 * none.
 */
char *owner_name(const struct volume *vol, uint64_t id, const char *sysroot)
{
	const char *name = NULL;

	if (has_type(vol, "pid") || has_type(vol, "pgrp"))
		return process_name(sysroot, id);
	if (has_type(vol, "ioprio"))
		return ioprio_name(id);

	if (id > UINT32_MAX) {
		name = NULL;
	} else if (has_type(vol, "user") || has_type(vol, "uid")) {
		const struct passwd *user = getpwuid(id);

		name = user ? user->pw_name : NULL;
	} else if (has_type(vol, "gid")) {
		const struct group *users = getgrgid(id);

		name = users ? users->gr_name : NULL;
	}
	return name ? xstrdup(name) : NULL;
}

/**
 * sample_name - get a human-readable name of a group
 * @vol: volume of the group
 * @group: the group
 * @sysroot: prefix of /proc
 *
 * Return: the path of its cgroup, or what owner_name() returns.
 */
char *sample_name(const struct sample *sample, const struct volume *vol,
		  const struct stats_group *group, const char *sysroot)
{
	const char *path;

	if (group->is_default)
		return NULL;
	if (!has_type(vol, "cgroup"))
		return owner_name(vol, group->id, sysroot);
	path = cgroup_paths_find(&sample->cgroups, group->id);
	return path ? xstrdup(path) : NULL;
}
