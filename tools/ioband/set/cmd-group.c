// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband group: add a group to a volume, remove it, or list what groups are set to.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "apply/converge.h"
#include "cmd.h"
#include "config/current.h"
#include "config/groupref.h"
#include "config/store.h"
#include "lib/action.h"
#include "lib/util.h"
#include "set.h"

/* Add the group with its settings, all or nothing. */
static int add(const struct options *opts, const struct volume *vol,
	       const char *word, const char *ref, const struct settings *set)
{
	static const struct settings none;
	struct plan plan = { 0 };
	struct failure why;
	int r, status = 0;
	char *text;

	text = xasprintf("attach %s", ref);
	r = action_message(opts, vol->name, vol->start, text);
	free(text);
	if (r == -EEXIST)
		return fail(IOBAND_BUSY,
			    "cannot add group '%s' to '%s': it is there already; 'ioband set' changes it",
			    word, vol->title);
	if (r)
		return fail_change(r, "cannot add group '%s' to '%s'", word,
				   vol->title);
	messages_add_settings(&plan, ref, &none, set);
	for (size_t i = 0; !r && i < plan.nr_messages; i++)
		r = action_message(opts, vol->name, vol->start,
				   plan.messages[i]);
	if (r) {
		failure_note(&why, r);
		text = xasprintf("detach %s", ref);
		action_message(opts, vol->name, vol->start, text);
		free(text);
		status = fail_action(&why, "cannot add group '%s' to '%s'",
				     word, vol->title);
	}
	plan_free(&plan);
	return status;
}

static int del(const struct options *opts, const struct volume *vol,
	       const char *word, const char *ref, uint64_t id)
{
	char *text;
	int r;

	if (!vol->table.auto_depth && !table_find(&vol->table, false, id))
		return fail(IOBAND_USAGE,
			    "'%s' has no group in '%s': 'ioband group list %s' shows those there are",
			    word, vol->title, vol->title);
	text = xasprintf("detach %s", ref);
	r = action_message(opts, vol->name, vol->start, text);
	free(text);
	return r ? fail_change(r, "cannot remove group '%s' from '%s'", word,
			       vol->title) : 0;
}

/* Its section is in a file of NAME.conf.d, which is not ours to change. */
static int in_dropin(const char *name, const char *word)
{
	return fail(IOBAND_USAGE,
		    "cannot remove group '%s' from " STORE_ETC "/%s.conf: its section is in a file of " STORE_ETC "/%s.conf.d",
		    word, name, name);
}

/* Take the section of a group out of the file of a volume. */
static int drop_section(const struct options *opts, const struct volume *vol,
			const char *word, const char *section)
{
	char *text = store_get(opts, STORE_ETC, vol->name);
	char *without = text ? conf_drop_section(text, section) : NULL;
	int status;

	if (!text || !strcmp(text, without))
		status = in_dropin(vol->name, word);
	else if (opts->dry_run)
		status = printf("# " STORE_ETC "/%s.conf\n%s", vol->name,
				without) < 0;
	else
		status = store_put(opts, STORE_ETC, vol->name, without);
	free(without);
	free(text);
	return status;
}

/*
 * What has no cgroup now is not in the kernel, only in what apply and attach go by. @is_there:
 * set to whether there is such a group. That it is gone is said of the volume's file.
 */
static int del_dormant(const struct options *opts, const struct volume *vol,
		       const char *word, bool *is_there)
{
	struct config_group *in_file, *in_record;
	struct config file, record;
	bool has_file;
	int status;

	status = store_load(opts, STORE_ETC, vol->name, &file, &has_file);
	record_find(opts, vol->name, vol->uuid, &record);
	in_file = groupref_find_dormant(opts, &file, word);
	in_record = groupref_find_dormant(opts, &record, word);
	*is_there = !status && (in_file || in_record);
	if (!status && in_file)
		status = drop_section(opts, vol, word, in_file->name);
	if (!status && *is_there)
		report(opts, "%s: group %s removed%s%s%s", vol->title,
		       in_file ? in_file->name : in_record->name,
		       in_file ? " from " STORE_ETC "/" : "",
		       in_file ? vol->name : "", in_file ? ".conf" : "");
	if (!status && in_record && !opts->dry_run) {
		config_drop_group(&record, in_record);
		status = volume_changed(opts, vol->name, &record);
	}
	config_free(&record);
	config_free(&file);
	return status;
}

static int change(const struct options *opts, const struct volume *vol,
		  bool is_add, int argc, char **argv)
{
	struct config_group group = { 0 };
	struct parse_error err;
	char ref[GROUPREF_LEN];
	bool is_dormant = false;
	char *why, *words;
	int r, status = 0;

	for (int i = 1; i < argc; i++)
		if (settings_take(&group.set, argv[i], SETTING_WEIGHT_MAX,
				  &err))
			return fail(IOBAND_USAGE, "group add: %s", err.text);
	if (settings_check(&group.set, &err))
		return fail(IOBAND_USAGE, "group add: %s", err.text);
	r = groupref_resolve(opts, vol->table.type, argv[0], &group, &why);
	if (r == -ENOENT && !is_add && !strcmp(vol->table.type, "cgroup"))
		status = del_dormant(opts, vol, argv[0], &is_dormant);
	if (status || is_dormant) {
		free(why);
		return status;
	}
	if (r == -ENOENT && is_add && !strcmp(vol->table.type, "cgroup") &&
	    !strchr(argv[0], '/'))
		status = fail(IOBAND_USAGE,
			      "group '%s': no unit of the system that runs and no container is called so; start it, or write [group %s] into " STORE_ETC "/%s.conf, and it has a group whenever it runs",
			      argv[0], argv[0], vol->name);
	else if (r || groupref_resolve_parent(opts, vol->table.type, &group.set,
					      &why))
		status = fail(IOBAND_USAGE, "%s", why);
	else if (is_add && group.is_dormant)
		status = fail(IOBAND_USAGE,
			      "group '%s': no cgroup has this number as its id, and no unit of the system and no container is called so; give the path, as in /lxc/%s",
			      argv[0], argv[0]);
	else if (group.is_default)
		status = fail(IOBAND_USAGE,
			      "group '%s': the default group is always there; 'ioband set' changes it",
			      argv[0]);
	free(why);
	if (status)
		return status;
	groupref_print(ref, &group);
	status = check_member(opts, vol, argv[0], &group, is_add);
	if (!status && is_add)
		status = check_owner(opts, vol, argv[0], &group);
	if (status)
		return status;
	groupref_warn(opts, argv[0], &group);
	status = is_add ? add(opts, vol, argv[0], ref, &group.set) :
			  del(opts, vol, argv[0], ref, group.id);
	if (!status)
		status = volume_changed(opts, vol->name, NULL);
	words = shell_words(argc - 1, argv + 1);
	if (!status)
		report(opts, "%s: group %s %s%s%s", vol->title, argv[0],
		       is_add ? "added" : "removed", *words ? " with" : "",
		       words);
	free(words);
	if (!status && is_add)
		tell_unchecked(opts, vol, &group.set);
	if (!status)
		tell_unsaved(opts, vol, !is_add);
	return status;
}

int cmd_group(const struct options *opts, int argc, char **argv)
{
	struct volumes volumes = { 0 };
	const char *name;
	bool is_add;
	int status;

	if (argc && !strcmp(argv[0], "list") && (opts->quiet || opts->dry_run))
		return fail(IOBAND_USAGE,
			    "'ioband group list' does nothing: leave out %s",
			    opts->quiet ? "--quiet" : "--dry-run");
	if (argc && !strcmp(argv[0], "list"))
		return group_list(opts, argc - 1, argv + 1);
	if (argc && (!strcmp(argv[0], "remove") || !strcmp(argv[0], "delete") ||
		     !strcmp(argv[0], "rm")))
		return fail(IOBAND_USAGE,
			    "group: unknown word '%s': it is 'ioband group del' that takes a group away",
			    argv[0]);
	if (argc && !strcmp(argv[0], "set"))
		return fail(IOBAND_USAGE,
			    "group: unknown word 'set': it is 'ioband set' that changes what a group is set to");
	if (argc < 3 || (strcmp(argv[0], "add") && strcmp(argv[0], "del")))
		return fail(IOBAND_USAGE,
			    "group: expected list, or add or del, a volume and a group, as in 'ioband group add data /db.slice weight=300'");
	if (opts->json || opts->raw || opts->columns || opts->noheadings ||
	    opts->bytes)
		return fail(IOBAND_USAGE,
			    "'ioband group %s' prints no columns: leave out the options of those",
			    argv[0]);
	is_add = !strcmp(argv[0], "add");
	if (!is_add && argc > 3)
		return fail(IOBAND_USAGE,
			    "group del: unexpected word '%s': it takes a volume and a group",
			    argv[3]);
	status = volumes_lock(opts, &volumes);
	if (!status)
		status = volumes_name(opts, &volumes, argv[1], &name);
	if (!status)
		status = change(opts, volumes_find(&volumes, name), is_add,
				argc - 2, argv + 2);
	volumes_free(&volumes);
	return status;
}
