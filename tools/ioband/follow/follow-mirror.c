// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mirror cgroups in the groups of a volume.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "follow.h"
#include "lib/util.h"
#include "lib/words.h"

enum {
	/* The weight of a newly attached group. */
	WEIGHT_DEFAULT = 100,
};

static void no_limits(struct follow_group *group)
{
	for (unsigned int i = 0; i < NR_IO_LIMITS; i++)
		group->limits[i] = IO_NO_LIMIT;
}

/**
 * mirror_read - read the table of the volume
 * @mirror: filled in; zeroed before the first call
 * @opts: the global options
 * @name: a word that names it
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int mirror_read(struct mirror *mirror, const struct options *opts,
		const char *name)
{
	const char *found;
	int status;

	volumes_free(&mirror->volumes);
	io_devices_free(&mirror->devices);
	mirror->vol = NULL;
	mirror->stale = false;
	status = volumes_read(&mirror->volumes);
	if (!status)
		status = volumes_name(opts, &mirror->volumes, name, &found);
	if (status)
		return status;
	for (size_t i = 0; !mirror->vol; i++)
		if (!strcmp(mirror->volumes.v[i].name, found))
			mirror->vol = &mirror->volumes.v[i];
	if (strcmp(mirror->vol->table.type, "cgroup"))
		return fail(IOBAND_DEVICE,
			    "cannot follow cgroups on '%s': its type is %s; give it type cgroup with 'dmsetup message %s 0 type cgroup'",
			    found, mirror->vol->table.type,
			    ioband_dm_actual(found));
	/* These policies know no weights, and refuse one. */
	mirror->has_weights = strcmp(mirror->vol->table.policy, "limit") &&
			      strcmp(mirror->vol->table.policy, "range-bw");
	io_devices_find(&mirror->devices, opts->sysroot, mirror->vol->major,
			mirror->vol->minor);
	return 0;
}

void mirror_free(struct mirror *mirror)
{
	volumes_free(&mirror->volumes);
	io_devices_free(&mirror->devices);
}

/* Find a limit in comma-separated settings; IO_NO_LIMIT if it is not there. */
static uint64_t param_limit(const char *param, const char *name)
{
	size_t len = strlen(name);

	for (;;) {
		size_t n = strcspn(param, ",");

		if (!strncmp(param, name, len) && param[len] == '=' && n > len) {
			char value[24];
			uint64_t limit;

			snprintf(value, sizeof(value), "%.*s",
				 (int)(n - len - 1), param + len + 1);
			return parse_u64(value, UINT64_MAX, &limit) ?
			       limit : IO_NO_LIMIT;
		}
		if (!param[n])
			return IO_NO_LIMIT;
		param += n + 1;
	}
}

/* Return: 0, a negative errno for the caller to handle, or an exit code. */
static int send(struct mirror *mirror, const char *text)
{
	char *answer;
	int r = ioband_dm_message(mirror->vol->name, mirror->vol->start, text,
				  &answer);

	free(answer);
	if (!r || r == -EINVAL || r == -EEXIST || r == -EOPNOTSUPP)
		return r;
	return fail_errno(r, ioband_dm_error(), "cannot send '%s' to '%s'",
			  text, mirror->vol->name);
}

/* Return: 0, or an exit code. */
static int detach(struct mirror *mirror, uint64_t id)
{
	char *text = xasprintf("detach %" PRIu64, id);
	int r = send(mirror, text);

	free(text);
	/* It may be detached already, by option auto or another program. */
	return r < 0 ? 0 : r;
}

/**
 * mirror_compare - compare the groups of the volume with the cgroups
 * @mirror: the volume, whose table has just been read
 * @tree: each cgroup is marked, and its @have updated; groups without a cgroup are
 *	detached
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int mirror_compare(struct mirror *mirror, struct tree *tree)
{
	const struct table_line *table = &mirror->vol->table;
	struct followed *group;
	int status = 0;

	/* Forget groups that the table no longer has. */
	tree_mark_all(tree);
	for (group = tree->dirty; group; group = group->next_dirty)
		group->have.weight = 0;
	for (group = tree->gone; group; group = group->next_dirty)
		group->have.weight = 0;

	for (size_t i = 0; !status && i < table->nr_groups; i++) {
		const struct table_group *config = &table->groups[i];

		if (config->is_default)
			continue;
		group = tree_find_id(tree, config->id);
		if (!group) {
			status = detach(mirror, config->id);
			continue;
		}
		group->have.weight = config->weight ? config->weight :
						      WEIGHT_DEFAULT;
		for (unsigned int k = 0; k < NR_IO_LIMITS; k++)
			group->have.limits[k] =
				param_limit(config->param, io_limit_names[k]);
	}
	return status;
}

static int attach(struct mirror *mirror, struct followed *group)
{
	char *text = xasprintf("attach %" PRIu64, group->id);
	int r = send(mirror, text);

	free(text);
	if (r == -EEXIST) {
		/* By option auto or another program; its weight is unknown. */
		group->have.weight = group->want.weight + 1;
		r = 0;
	} else if (!r) {
		group->have.weight = WEIGHT_DEFAULT;
	} else if (r < 0) {
		mirror->stale = true;
		return 0;
	}
	no_limits(&group->have);
	return r;
}

/* A policy without weights gets a message that changes nothing in its place. */
static int set_weight(struct mirror *mirror, struct followed *group)
{
	char *text;
	int r;

	if (mirror->has_weights)
		text = xasprintf("set %" PRIu64 " weight=%u", group->id,
				 group->want.weight);
	else
		text = xasprintf("set %" PRIu64 " force=1", group->id);
	r = send(mirror, text);
	free(text);
	if (r < 0) {
		mirror->stale = true;
		return 0;
	}
	if (!r)
		group->have.weight = group->want.weight;
	return r;
}

static int set_limit(struct mirror *mirror, struct followed *group,
		     unsigned int k)
{
	uint64_t limit = group->want.limits[k];
	char *text;
	int r;

	if (limit == IO_NO_LIMIT)
		text = xasprintf("set %" PRIu64 " %s=max", group->id,
				 io_limit_names[k]);
	else
		text = xasprintf("set %" PRIu64 " %s=%" PRIu64, group->id,
				 io_limit_names[k], limit);
	r = send(mirror, text);
	free(text);
	if (r > 0)
		return r;
	/* The group exists: attached or given its weight just now. */
	if (r && !group->refused[k])
		warn("'%s' does not take %s= of the cgroup '%s', and io.max is followed without it: %s",
		     mirror->vol->name, io_limit_names[k], group->path,
		     *ioband_dm_reason() ? ioband_dm_reason() : strerror(-r));
	group->refused[k] = r;
	/* Even if refused: comparing the volume tries again. */
	group->have.limits[k] = limit;
	return 0;
}

/**
 * mirror_apply - apply a cgroup's files to the volume
 * @mirror: the volume; @stale is set if its table has to be read and compared again
 * @group: the cgroup
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int mirror_apply(struct mirror *mirror, struct followed *group)
{
	bool sure = false;
	int status = 0;

	/* The root has no io.weight, so its group is not ours. */
	if (!*group->path)
		return 0;
	if (!group->want.weight) {
		if (group->have.weight)
			status = detach(mirror, group->id);
		group->have.weight = 0;
		return status;
	}
	if (!group->have.weight)
		status = attach(mirror, group);
	if (!status && !mirror->stale && mirror->has_weights &&
	    group->want.weight != group->have.weight) {
		status = set_weight(mirror, group);
		sure = true;
	}
	for (unsigned int k = 0; !status && k < NR_IO_LIMITS; k++) {
		if (mirror->stale ||
		    group->want.limits[k] == group->have.limits[k])
			continue;
		/* Make sure the group exists, or a refusal would be ambiguous. */
		if (!sure)
			status = set_weight(mirror, group);
		sure = true;
		if (!status && !mirror->stale)
			status = set_limit(mirror, group, k);
	}
	return status;
}
