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

static int change(const struct options *opts, const struct volume *vol,
		  bool is_add, int argc, char **argv)
{
	struct config_group group = { 0 };
	struct parse_error err;
	char ref[GROUPREF_LEN];
	char *why, *words;
	int status = 0;

	for (int i = 1; i < argc; i++)
		if (settings_take(&group.set, argv[i], SETTING_WEIGHT_MAX,
				  &err))
			return fail(IOBAND_USAGE, "group add: %s", err.text);
	if (settings_check(&group.set, &err))
		return fail(IOBAND_USAGE, "group add: %s", err.text);
	if (groupref_resolve(opts, vol->table.type, argv[0], &group, &why) ||
	    groupref_resolve_parent(opts, vol->table.type, &group.set, &why))
		status = fail(IOBAND_USAGE, "%s", why);
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
