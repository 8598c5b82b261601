// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband set: change the settings of a group or of the whole share.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "apply/policy.h"
#include "attach/attach.h"
#include "cmd.h"
#include "config/current.h"
#include "config/groupref.h"
#include "config/kept.h"
#include "config/share.h"
#include "config/store.h"
#include "lib/action.h"
#include "lib/sample.h"
#include "lib/util.h"
#include "set.h"

static int force;

static const struct option set_long_options[] = {
	{ "force",	no_argument,		&force, true },
	{ 0 }
};

const struct own_options set_options = {
	set_long_options, NULL,
	"      --force          drop settings that the new policy has not, or promise what\n"
	"                       the disk is too slow for, as force=1 does\n"
};

static int send(const struct options *opts, const struct volume *vol,
		const char *what, char *text)
{
	int r = action_message(opts, vol->name, vol->start, text);

	free(text);
	return r ? fail_change(r, "cannot set %s of '%s'", what, vol->title) : 0;
}

/**
 * tell_unchecked - tell that nobody could say whether the disk can keep a promise
 * @opts: the global options
 * @vol: the volume
 * @set: what a group has been given
 */
void tell_unchecked(const struct options *opts, const struct volume *vol,
		    const struct settings *set)
{
	static const enum setting_key promises[] = { SET_MIN, SET_MINIOPS };
	char value[SETTING_LEN], *why;
	struct show show;

	fail_keep(&why);
	for (size_t i = 0; i < sizeof(promises) / sizeof(promises[0]); i++) {
		enum setting_key key = promises[i];

		if (!set->v[key].given || setting_is_default(set, key) ||
		    set->v[SET_FORCE].given || sample_show(vol, &show))
			continue;
		setting_value(value, set, key, true);
		if (show.depth_reason && !strcmp(show.depth_reason, "io_throttle"))
			report(opts, "%s: %s=%s is not checked, as with io_throttle it is not known what the disk can do: 'ioband doctor' tells if it is not kept",
			       vol->title, setting_name(key), value);
		else if (show.depth_reason && !strcmp(show.depth_reason, "start"))
			report(opts, "%s: %s=%s is not checked, as groups have not competed yet and so it is not known what the disk can do: 'ioband doctor' tells if it is not kept",
			       vol->title, setting_name(key), value);
		show_free(&show);
	}
	fail_keep(NULL);
	free(why);
}

/* The most frequent mistake: say what to type instead. */
static int no_group(const struct volume *vol, int argc, char **argv)
{
	char *words = shell_words(argc, argv);
	int status;

	status = fail(IOBAND_USAGE,
		      "'%s' has no group in '%s' yet: \"ioband group add %s%s\" makes it one",
		      argv[0], vol->title, vol->title, words);
	free(words);
	return status;
}

static bool is_share_key(const char *word)
{
	static const char * const keys[] = {
		"policy=", "io_throttle=", "io_limit=", "quantum=", "follow=",
	};
	bool known = false;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		known |= !strncmp(word, keys[i], strlen(keys[i]));
	return known;
}

/* All settings in one message, which the kernel applies completely or not at all. */
static int set_group(const struct options *opts, const struct volume *vol,
		     int argc, char **argv)
{
	struct config_group group = { 0 };
	char ref[GROUPREF_LEN], value[SETTING_LEN];
	struct parse_error err;
	char *text, *why, *what;
	int status = 0;

	if (argc < 2)
		return fail(IOBAND_USAGE,
			    "set: expected key=value behind the group, such as weight=300");
	for (int i = 1; i < argc; i++) {
		if (is_share_key(argv[i]))
			return fail(IOBAND_USAGE,
				    "set: '%s': it is one of the volume, not of a group: leave out '%s'",
				    argv[i], argv[0]);
		if (settings_take(&group.set, argv[i], SETTING_WEIGHT_MAX,
				  &err))
			return fail(IOBAND_USAGE, "set: %s", err.text);
	}
	if (settings_check(&group.set, &err))
		return fail(IOBAND_USAGE, "set: %s", err.text);
	if (force)
		group.set.v[SET_FORCE] = (struct setting){
			.given = true, .value = 1,
		};
	if (groupref_resolve(opts, vol->table.type, argv[0], &group, &why) ||
	    groupref_resolve_parent(opts, vol->table.type, &group.set, &why))
		status = fail(IOBAND_USAGE, "%s", why);
	free(why);
	if (status)
		return status;

	status = check_owner(opts, vol, argv[0], &group);
	if (!status && !vol->table.auto_depth && !group.is_default &&
	    !table_find(&vol->table, false, group.id)) {
		status = check_member(opts, vol, argv[0], &group, true);
		if (!status)
			status = no_group(vol, argc, argv);
	}
	if (status)
		return status;
	groupref_warn(opts, argv[0], &group);
	groupref_print(ref, &group);
	text = xasprintf("set %s", ref);
	for (int key = 0; key < NR_SETTINGS; key++) {
		char *more;

		if (!group.set.v[key].given)
			continue;
		setting_value(value, &group.set, key, false);
		more = xasprintf("%s %s=%s", text, setting_name(key), value);
		free(text);
		text = more;
	}
	what = xasprintf("group '%s'", argv[0]);
	status = send(opts, vol, what, text);
	free(what);
	what = shell_words(argc - 1, argv + 1);
	if (!status)
		report(opts, "%s: group %s set to%s", vol->title, argv[0], what);
	free(what);
	if (!status)
		tell_unchecked(opts, vol, &group.set);
	return status;
}

/* The groups keep their settings. What the new policy has not is not dropped unasked. */
static int set_policy(const struct options *opts, const struct volumes *volumes,
		      const struct volume *vol, const struct config *cfg)
{
	const char *why = cfg->policy_why;
	struct policy_change change;
	int status = policy_change_make(opts, volumes, vol, NULL, cfg->policy,
					&change);

	if (!status && change.lost && !force)
		status = fail(IOBAND_USAGE,
			      "cannot set policy of '%s': under policy %s this has no effect: %s; --force drops it",
			      vol->title, cfg->policy, change.lost);
	if (!status)
		status = policy_change_do(opts, vol, cfg->policy, &change);
	if (!status)
		report(opts, "%s: share %s set to policy %s%s%s%s%s%s",
		       vol->title, vol->table.share, cfg->policy,
		       why ? " (" : "", why ? why : "", why ? ")" : "",
		       change.lost ? "; dropped: " : "",
		       change.lost ? change.lost : "");
	policy_change_free(&change);
	return status;
}

/* For the one given key, with the value as parsed: the kernel reads 010 as 8. */
static char *share_message(const struct config *cfg)
{
	if (cfg->given[CONFIG_IO_THROTTLE])
		return xasprintf("io_throttle %u", cfg->io_throttle);
	if (cfg->given[CONFIG_IO_LIMIT])
		return xasprintf("io_limit %u", cfg->io_limit);
	return xasprintf("quantum %u", cfg->quantum_ms);
}

static int set_share(const struct options *opts, const struct volumes *volumes,
		     const struct volume *vol, int argc, char **argv)
{
	char *text, *what, devno[DEVNO_LEN];
	struct parse_error err;
	struct config cfg;
	int status = 0;

	if (setting_known(argv[0]))
		return fail(IOBAND_USAGE,
			    "set: '%s': expected a group before it, such as db.service, or default",
			    argv[0]);
	if (!is_share_key(argv[0]))
		return fail(IOBAND_USAGE,
			    "set: '%s': expected a group, or policy, io_throttle, io_limit or quantum of the share, or follow; change the rest in its file in " STORE_ETC ", then 'ioband apply %s'",
			    argv[0], vol->title);
	if (!strncmp(argv[0], "follow=", 7) && argc == 1 && !force)
		return set_follow(opts, volumes, vol, argv[0] + 7);
	config_init(&cfg, vol->name);
	if (config_take_words(&cfg, argc, argv, &err))
		status = fail(IOBAND_USAGE, "set: %s", err.text);
	if (!status && argc != 1)
		status = fail(IOBAND_USAGE,
			      "set: '%s': expected one key=value of the share at a time, or a group before it",
			      argv[0]);
	config_free(&cfg);
	if (status)
		return status;
	if (force && !cfg.given[CONFIG_POLICY])
		return fail(IOBAND_USAGE,
			    "set: --force: expected with policy=, or with settings of a group");
	if (cfg.given[CONFIG_POLICY]) {
		snprintf(devno, sizeof(devno), "%u:%u", vol->major, vol->minor);
		policy_by_disks(opts, &cfg, devno);
		status = set_policy(opts, volumes, vol, &cfg);
		return status ? status : keep_auto_policy(opts, vol->name,
							  cfg.auto_policy);
	}
	text = share_message(&cfg);
	what = xasprintf("%.*s", (int)strcspn(argv[0], "="), argv[0]);
	status = send(opts, vol, what, text);
	free(what);
	if (!status)
		report(opts, "%s: share %s set to %s", vol->title,
		       vol->table.share, argv[0]);
	return status;
}

int cmd_set(const struct options *opts, int argc, char **argv)
{
	struct volumes volumes = { 0 };
	const struct volume *vol = NULL;
	const char *name;
	int status;

	if (argc < 2)
		return fail(IOBAND_USAGE,
			    "set: expected a volume, a group and key=value, as in 'ioband set data /db.slice weight=300'");
	status = volumes_lock(opts, &volumes);
	if (!status && argc == 2 && setting_known(argv[1]) &&
	    !strpbrk(argv[0], "/") && !volumes_device(&volumes, argv[0], NULL))
		status = fail(IOBAND_USAGE,
			      "set: '%s': expected a volume before the group, as in 'ioband set %s %s %s'",
			      argv[0], volumes.nr ? volumes.v[0].title : "vg/data",
			      argv[0], argv[1]);
	if (!status)
		status = volumes_name(opts, &volumes, argv[0], &name);
	if (!status) {
		vol = volumes_find(&volumes, name);
		if (*argv[1] != '/' && strchr(argv[1], '='))
			status = set_share(opts, &volumes, vol,
					   argc - 1, argv + 1);
		else
			status = set_group(opts, vol, argc - 1, argv + 1);
	}
	/* That has been written down, and the lock is not ours any more. */
	if (!status && strncmp(argv[1], "follow=", 7)) {
		status = volume_changed(opts, name, NULL);
		if (!status)
			tell_unsaved(opts, vol, false);
	}
	volumes_free(&volumes);
	return status;
}
