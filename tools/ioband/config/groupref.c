// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resolve words that name groups.
 */
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "groupref.h"
#include "lib/cgroup.h"
#include "lib/util.h"
#include "lib/volume.h"
#include "lib/words.h"

/* \xHH as listings print what a terminal or a shell may not like; to be freed. */
static char *unescape_hex(const char *word)
{
	char *text = xcalloc(strlen(word) + 1, 1), *to = text;

	while (*word) {
		unsigned int byte;
		int n = 0;

		if (sscanf(word, "\\x%2x%n", &byte, &n) == 1 && n == 4 && byte) {
			*to++ = byte;
			word += n;
		} else {
			*to++ = *word++;
		}
	}
	return text;
}

/* A unit without the end of its name, as systemctl takes it. */
static int find_unit(const struct options *opts, const char *word, uint64_t *id,
		     char **path)
{
	static const char * const ends[] = { "", ".service", ".slice", ".scope" };
	int r = -ENOENT;

	for (size_t i = 0; r == -ENOENT && i < sizeof(ends) / sizeof(ends[0]); i++) {
		char *name = xasprintf("%s%s", word, ends[i]);

		r = cgroup_by_name(opts->sysroot, name, id, path);
		free(name);
	}
	return r;
}

static int find_cgroup(const struct options *opts, const char *word,
		       struct config_group *group, char **why)
{
	bool is_path = strchr(word, '/');
	char *path = NULL;
	int r;

	if (is_path) {
		path = cgroup_path(opts->sysroot, word);
		r = cgroup_by_path(opts->sysroot, path, &group->id);
	} else {
		r = find_unit(opts, word, &group->id, &path);
	}
	switch (-r) {
	case 0:
		group->lacks_io = !cgroup_has_io(opts->sysroot, path);
		break;
	case ENOENT:
		*why = xasprintf("group '%s': %s; give the path of a cgroup, the name of a running systemd unit, the id of a container, or a number",
				 word, is_path ? "there is no such cgroup" :
				 "no unit of the system and no container is called so");
		break;
	case EEXIST:
		*why = xasprintf("group '%s': several cgroups are called so, %s is one; give the path",
				 word, path);
		break;
	default:
		*why = xasprintf("group '%s': no cgroup hierarchy is mounted that has the io controller",
				 word);
	}
	free(path);
	return r;
}

/* By its name, or as that was printed. */
static int resolve_cgroup(const struct options *opts, const char *word,
			  struct config_group *group, char **why)
{
	int r = find_cgroup(opts, word, group, why), again;
	char *name, *why_not;

	if (r != -ENOENT || !strstr(word, "\\x"))
		return r;
	name = unescape_hex(word);
	again = find_cgroup(opts, name, group, &why_not);
	free(name);
	if (again) {
		free(why_not);
		return r;
	}
	free(*why);
	*why = NULL;
	return 0;
}

static int resolve_user(const char *word, struct config_group *group,
			char **why)
{
	struct passwd *user = getpwnam(word);

	if (!user) {
		*why = xasprintf("group '%s': there is no such user; give a name or a number",
				 word);
		return -ENOENT;
	}
	group->id = user->pw_uid;
	return 0;
}

static int resolve_gid(const char *word, struct config_group *group, char **why)
{
	struct group *gr = getgrnam(word);

	if (!gr) {
		*why = xasprintf("group '%s': there is no such group of users; give a name or a number",
				 word);
		return -ENOENT;
	}
	group->id = gr->gr_gid;
	return 0;
}

static bool is_cgroup_id(const struct options *opts, uint64_t id)
{
	struct cgroup_paths paths = { 0 };
	bool is_there;

	cgroup_paths_add(&paths, id);
	cgroup_paths_resolve(&paths, opts->sysroot);
	is_there = cgroup_paths_find(&paths, id);
	cgroup_paths_free(&paths);
	return is_there;
}

/* A container has digits, and a machine of Proxmox a number, as 100.scope has. */
static bool cgroup_may_be_name(const struct options *opts, const char *word,
			       uint64_t id)
{
	return cgroup_is_container_id(word) || !is_cgroup_id(opts, id);
}

/**
 * groupref_resolve - resolve a word that names a group
 * @opts: the global options
 * @type: type of the volume, by which it sorts I/O
 * @word: default, -1, a number, or depending on @type the path of a cgroup, the name
 *	of a systemd unit, the id of a container, a user or a group of users
 * @group: its id is filled in
 * @why: on failure set to a sentence, to be freed
 *
 * Return: 0, -ENOENT if it does not exist at present, -EEXIST if it is ambiguous, or
 * another negative errno.
 */
int groupref_resolve(const struct options *opts, const char *type,
		     const char *word, struct config_group *group, char **why)
{
	bool is_cgroup;
	int r = 0;

	*why = NULL;
	group->has_id = false;
	group->lacks_io = false;
	group->is_dormant = false;
	group->is_default = !strcmp(word, "default") || !strcmp(word, "-1");
	if (group->is_default)
		return 0;
	if (!strcmp(type, "none")) {
		*why = xasprintf("group '%s': a volume of type none has the default group only",
				 word);
		return -EINVAL;
	}
	group->has_id = parse_u64(word, UINT64_MAX, &group->id);
	is_cgroup = !strcmp(type, "cgroup");
	if (group->has_id && !(is_cgroup && cgroup_may_be_name(opts, word,
							       group->id)))
		return 0;
	if (is_cgroup) {
		uint64_t number = group->id;

		r = resolve_cgroup(opts, word, group, why);
		/* A number after all: the id of a container may look like one. */
		if (group->has_id && (r == -ENOENT || r == -ENODEV)) {
			group->id = number;
			group->is_dormant = r == -ENOENT;
			free(*why);
			*why = NULL;
			r = 0;
		}
	} else if (!strcmp(type, "user") || !strcmp(type, "uid")) {
		r = resolve_user(word, group, why);
	} else if (!strcmp(type, "gid")) {
		r = resolve_gid(word, group, why);
	} else {
		*why = xasprintf("group '%s': expected a number, for the volume is of type %s",
				 word, type);
		r = -EINVAL;
	}
	group->has_id = !r;
	return r;
}

/**
 * groupref_io_command - what enables the io controller for the cgroup of a group
 * @opts: the global options
 * @group: a group with an id
 *
 * Return: the command, to be freed; %NULL if it has one, or the cgroup is gone.
 */
char *groupref_io_command(const struct options *opts,
			  const struct config_group *group)
{
	struct cgroup_paths paths = { 0 };
	char *text = NULL;
	const char *path;

	if (!group->lacks_io)
		return NULL;
	cgroup_paths_add(&paths, group->id);
	cgroup_paths_resolve(&paths, opts->sysroot);
	path = cgroup_paths_find(&paths, group->id);
	if (path)
		text = cgroup_io_command(path);
	cgroup_paths_free(&paths);
	return text;
}

/**
 * groupref_warn - warn about a group that will get no I/O
 * @opts: the global options
 * @word: word given to groupref_resolve()
 * @group: group filled in by it
 */
void groupref_warn(const struct options *opts, const char *word,
		   const struct config_group *group)
{
	char *text = groupref_io_command(opts, group);

	if (text)
		warn("group '%s': its I/O is charged to a cgroup above it, because the io controller is not enabled for it: \"%s\" enables it",
		     word, text);
	free(text);
}

/**
 * groupref_resolve_parent - replace the name of the parent group by its number
 * @opts: the global options
 * @type: type of the volume, by which it sorts I/O
 * @set: settings, with or without a parent
 * @why: on failure set to a sentence, to be freed
 *
 * Return: 0 or a negative errno.
 */
int groupref_resolve_parent(const struct options *opts, const char *type,
			    struct settings *set, char **why)
{
	struct config_group group = { 0 };
	int r;

	*why = NULL;
	if (!set->v[SET_PARENT].given)
		return 0;
	r = groupref_resolve(opts, type, set->parent, &group, why);
	if (!r)
		groupref_print(set->parent, &group);
	return r;
}

/* Find the id of a group, and of its parent; what keeps it from being there is told. */
static int resolve_one(const struct options *opts, struct config *cfg,
		       struct config_group *group, unsigned int *nr_missing)
{
	bool is_cgroup = !strcmp(cfg->type, "cgroup");
	int r, status = 0;
	char *why;

	r = groupref_resolve(opts, cfg->type, group->name, group, &why);
	if (r == -ENOENT && is_cgroup) {
		group->is_dormant = true;
		free(why);
		return 0;
	}
	if (!cfg->only_missing)
		groupref_warn(opts, group->name, group);
	if (!r)
		r = groupref_resolve_parent(opts, cfg->type, &group->set, &why);
	if (r == -ENOENT || r == -EEXIST || r == -ENODEV) {
		if (!cfg->only_missing) {
			char *title = volume_title(cfg->name, cfg->uuid);

			warn("%s: left out for now: %s", title, why);
			free(title);
		}
		group->has_id = false;
		++*nr_missing;
	} else if (r) {
		status = fail(IOBAND_USAGE, "%s: %s", cfg->name, why);
	} else if (cfg->follow && group->lacks_io) {
		/* 'ioband follow' would remove the group again. */
		group->has_id = false;
		++*nr_missing;
	}
	free(why);
	return status;
}

/**
 * groupref_resolve_all - find the ids of all groups of a configuration
 * @opts: the global options
 * @cfg: the configuration; left without an id are dormant groups, others that cannot be
 *	told at present, and if it is followed those that lack the io controller
 * @nr_missing: set to the number of these but the dormant ones; each has been warned
 *	about, unless @cfg has only_missing: that is asked for each minute
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int groupref_resolve_all(const struct options *opts, struct config *cfg,
			 unsigned int *nr_missing)
{
	*nr_missing = 0;
	for (size_t i = 0; i < cfg->nr_groups; i++) {
		struct config_group *group = &cfg->groups[i];
		int status = resolve_one(opts, cfg, group, nr_missing);

		if (status)
			return status;
		for (size_t j = 0; group->has_id && j < i; j++)
			if (cfg->groups[j].has_id &&
			    cfg->groups[j].id == group->id)
				return fail(IOBAND_USAGE,
					    "%s: groups '%s' and '%s' are the same: join them",
					    cfg->name, cfg->groups[j].name,
					    group->name);
	}
	return 0;
}

/**
 * groupref_dormant - name the dormant groups of a configuration
 * @cfg: the configuration, resolved
 *
 * Return: a list for a sentence, to be freed; %NULL if there is none.
 */
char *groupref_dormant(const struct config *cfg)
{
	char *list = NULL;

	for (size_t i = 0; i < cfg->nr_groups; i++) {
		char *more;

		if (!cfg->groups[i].is_dormant || cfg->groups[i].has_id)
			continue;
		more = list ? xasprintf("%s, %s", list, cfg->groups[i].name) :
			      xstrdup(cfg->groups[i].name);
		free(list);
		list = more;
	}
	return list;
}

/**
 * report_dormant - name the dormant groups of a volume, unless that is not wanted
 * @opts: the global options
 * @title: what volume_title() returned
 * @cfg: the volume, resolved
 */
void report_dormant(const struct options *opts, const char *title,
		    const struct config *cfg)
{
	char *list = groupref_dormant(cfg);

	if (list)
		report(opts, "%s: dormant, no such cgroup now: %s", title, list);
	free(list);
}

/* Whether a word is, or stands for, a cgroup that a file calls @name. */
static bool stands_for(const struct options *opts, const char *name,
		       const char *word)
{
	static const char * const ends[] = { "", ".service", ".slice", ".scope" };
	const char *base = strrchr(name, '/');
	bool meant = !strcmp(name, word);
	char *path;

	if (strchr(word, '/')) {
		path = cgroup_path(opts->sysroot, word);
		meant |= !strcmp(path, name);
		free(path);
		return meant;
	}
	base = base ? base + 1 : name;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		path = xasprintf("%s%s", word, ends[i]);
		meant |= !strcmp(base, path);
		free(path);
	}
	return meant || (cgroup_is_container_id(word) && strstr(base, word));
}

/**
 * groupref_find_dormant - find a group of a configuration whose cgroup is not there
 * @opts: the global options
 * @cfg: the configuration
 * @word: what it is called there, or what would name the cgroup if it were there
 *
 * Return: the first one; %NULL if there is none.
 */
struct config_group *groupref_find_dormant(const struct options *opts,
					   struct config *cfg, const char *word)
{
	char *plain = unescape_hex(word);
	struct config_group *found = NULL;

	for (size_t i = 0; !found && i < cfg->nr_groups; i++) {
		struct config_group *group = &cfg->groups[i];

		if (!group->is_default &&
		    (stands_for(opts, group->name, word) ||
		     stands_for(opts, group->name, plain)))
			found = group;
	}
	free(plain);
	return found;
}

/**
 * groupref_print - write a group as the kernel calls it
 * @buf: output buffer
 * @group: a resolved group
 *
 * Return: @buf.
 */
const char *groupref_print(char buf[GROUPREF_LEN],
			   const struct config_group *group)
{
	if (group->is_default)
		strcpy(buf, "-1");
	else
		snprintf(buf, GROUPREF_LEN, "%" PRIu64, group->id);
	return buf;
}
