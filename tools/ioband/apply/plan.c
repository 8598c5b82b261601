// SPDX-License-Identifier: GPL-2.0-only
/*
 * In what a volume differs from its configuration, and the messages that change it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attach/inside.h"
#include "cmd.h"
#include "config/current.h"
#include "config/groupref.h"
#include "config/share.h"
#include "lib/action.h"
#include "lib/attachable.h"
#include "lib/target.h"
#include "lib/util.h"
#include "plan.h"

static void differ(struct plan *plan, const char *group, const char *key,
		   const char *is, const char *should)
{
	struct difference *d;

	plan->v = xreallocarray(plan->v, plan->nr + 1, sizeof(*plan->v));
	d = &plan->v[plan->nr++];
	d->group = group ? xstrdup(group) : NULL;
	d->key = xstrdup(key);
	d->is = is ? xstrdup(is) : NULL;
	d->should = should ? xstrdup(should) : NULL;
}

static void differ_number(struct plan *plan, const char *key, uint64_t is,
			  uint64_t should)
{
	char *a = xasprintf("%" PRIu64, is), *b = xasprintf("%" PRIu64, should);

	differ(plan, NULL, key, a, b);
	free(a);
	free(b);
}

/* Takes over @text. */
static void add_message(struct plan *plan, char *text)
{
	plan->messages = xreallocarray(plan->messages, plan->nr_messages + 1,
				       sizeof(*plan->messages));
	plan->messages[plan->nr_messages++] = text;
}

/* A minimum in one unit replaces one in the other; the kernel refuses both at once. */
static bool is_told_by_other(const struct settings *now,
			     const struct settings *want, int key)
{
	int other = key == SET_MIN ? SET_MINIOPS : SET_MIN;

	return (key == SET_MIN || key == SET_MINIOPS) &&
	       setting_is_default(want, key) &&
	       !setting_equal(now, want, other);
}

/**
 * messages_add_settings - add the messages that change the settings of a group
 * @plan: plan that they are added to
 * @ref: the group, as the kernel calls it
 * @now: its settings; those not given are at their defaults
 * @want: the settings wanted, likewise
 */
void messages_add_settings(struct plan *plan, const char *ref,
			   const struct settings *now,
			   const struct settings *want)
{
	const struct setting *weight = &want->v[SET_WEIGHT];
	char *words = xstrdup("");
	char value[SETTING_LEN];

	for (int key = 0; key < NR_SETTINGS; key++) {
		char *more;

		if (setting_equal(now, want, key) ||
		    is_told_by_other(now, want, key))
			continue;
		setting_value(value, want, key, false);
		if (key == SET_WEIGHT && weight->given &&
		    weight->value > SETTING_WEIGHT_MAX) {
			add_message(plan, xasprintf("weight %s:%s", ref,
						    value));
			continue;
		}
		more = xasprintf("%s %s=%s", words, setting_name(key), value);
		free(words);
		words = more;
	}
	if (*words)
		add_message(plan, xasprintf("set %s%s%s", ref, words,
					    want->v[SET_FORCE].given ?
					    " force=1" : ""));
	free(words);
}

static void compare_settings(struct plan *plan, const char *name,
			     const struct settings *now,
			     const struct settings *want)
{
	char is[SETTING_LEN], should[SETTING_LEN];

	for (int key = 0; key < NR_SETTINGS; key++) {
		if (setting_equal(now, want, key))
			continue;
		setting_value(is, now, key, true);
		setting_value(should, want, key, true);
		differ(plan, name, setting_name(key), is, should);
	}
}

/* The kernel refuses an io_throttle above a positive io_limit: mind the order. */
static void plan_depth(struct plan *plan, const struct config *now,
		       const struct config *want)
{
	bool limit_first = !want->io_limit ||
			   want->io_limit >= now->io_throttle;

	for (int step = 0; step < 2; step++) {
		if (limit_first == !step && now->io_limit != want->io_limit)
			add_message(plan, xasprintf("io_limit %u",
						    want->io_limit));
		if (limit_first == !!step &&
		    now->io_throttle != want->io_throttle)
			add_message(plan, xasprintf("io_throttle %u",
						    want->io_throttle));
	}
	if (now->quantum_ms != want->quantum_ms) {
		add_message(plan, xasprintf("quantum %u", want->quantum_ms));
		differ_number(plan, "quantum", now->quantum_ms,
			      want->quantum_ms);
	}
	if (now->io_throttle != want->io_throttle)
		differ_number(plan, "io_throttle", now->io_throttle,
			      want->io_throttle);
	if (now->io_limit != want->io_limit)
		differ_number(plan, "io_limit", now->io_limit, want->io_limit);
}

static void plan_policy(struct plan *plan, struct config *now,
			const struct config *want)
{
	if (!strcmp(now->policy, want->policy))
		return;
	differ(plan, NULL, "policy", now->policy, want->policy);
	add_message(plan, xasprintf("policy %s", want->policy));
	plan->has_policy = true;
	/* That message resets the quantum, and most policies refuse to have one set. */
	now->quantum_ms = 0;
}

/* Account for what a preceding policy message does to the settings of a group. */
static void reset_by_policy(const struct plan *plan, struct settings *set)
{
	if (plan->has_policy)
		settings_begin_anew(set);
}

static bool is_silent(const struct config_group *group)
{
	return group->is_auto && settings_are_default(&group->set);
}

/* A raised minimum needs room that other groups may have to give up first. */
static bool raises_minimum(const struct settings *now,
			   const struct settings *want)
{
	bool raises = false;

	for (int key = SET_MIN; key <= SET_MINIOPS; key++) {
		const struct setting *is = &now->v[key];

		raises |= want->v[key].given && (!is->given ||
						 want->v[key].value > is->value);
	}
	return raises;
}

/* Settings of all wanted groups, after others are removed and new ones added. */
static void plan_settings(struct plan *plan, const struct config *now,
			  const struct config *want, bool raises)
{
	static const struct settings none;
	char ref[GROUPREF_LEN];
	struct settings set;

	for (size_t i = 0; i < want->nr_groups; i++) {
		const struct config_group *group = &want->groups[i];
		const struct config_group *is;

		if (!group->has_id && !group->is_default)
			continue;
		is = config_find(now, group->is_default, group->id);
		set = is ? is->set : none;
		if (raises_minimum(&set, &group->set) != raises)
			continue;
		compare_settings(plan, group->name, &set, &group->set);
		reset_by_policy(plan, &set);
		groupref_print(ref, group);
		messages_add_settings(plan, ref, &set, &group->set);
	}
}

static void plan_groups(struct plan *plan, const struct config *now,
			const struct config *want)
{
	static const struct settings none;
	char ref[GROUPREF_LEN];
	struct settings set;

	for (size_t i = 0; i < now->nr_groups; i++) {
		const struct config_group *group = &now->groups[i];

		if (group->is_default || is_silent(group) ||
		    config_find(want, false, group->id))
			continue;
		groupref_print(ref, group);
		differ(plan, group->name, "group", "there", NULL);
		if (!group->is_auto) {
			add_message(plan, xasprintf("detach %s", ref));
			continue;
		}
		set = group->set;
		reset_by_policy(plan, &set);
		messages_add_settings(plan, ref, &set, &none);
	}
	/* Add all groups before making one the parent of another. */
	for (size_t i = 0; i < want->nr_groups; i++) {
		const struct config_group *group = &want->groups[i];

		if (!group->has_id || config_find(now, false, group->id))
			continue;
		differ(plan, group->name, "group", NULL, "there");
		groupref_print(ref, group);
		add_message(plan, xasprintf("attach %s", ref));
	}
	if (!config_find(want, true, 0) && config_find(now, true, 0)) {
		set = config_find(now, true, 0)->set;
		compare_settings(plan, "default", &set, &none);
		reset_by_policy(plan, &set);
		messages_add_settings(plan, "-1", &set, &none);
	}
	plan_settings(plan, now, want, false);
	plan_settings(plan, now, want, true);
}

/* As its cgroup is: what has been recreated under its name has another id. */
static bool is_gone(const struct config *now, const struct config_group *group)
{
	return !strcmp(now->type, "cgroup") && *group->name != '/';
}

/*
 * Adopt groups that are there, and of their settings those that 'ioband follow' mirrors
 * or, with @all, all of them. The rest of a configured group stays as configured.
 */
static void adopt_groups(const struct config *now, struct config *want,
			 bool all)
{
	/* Ids of another type mean something else. */
	if (strcmp(now->type, want->type))
		return;
	for (size_t i = 0; i < now->nr_groups; i++) {
		const struct config_group *is = &now->groups[i];
		struct config_group *group;

		if (is->is_default ? !all : all && is_gone(now, is))
			continue;
		group = config_find(want, is->is_default, is->id);
		if (!group && is_silent(is))
			continue;
		if (!group) {
			group = config_group(want, is->name);
			*group = *is;
		}
		if (all)
			group->set = is->set;
		for (int key = 0; key < NR_SETTINGS; key++)
			if (setting_is_followed(key))
				group->set.v[key] = is->set.v[key];
	}
}

/* What has been changed since the volume was made stays. */
static void adopt_all(const struct config *now, struct config *want)
{
	strcpy(want->policy, now->policy);
	want->io_throttle = now->io_throttle;
	want->io_limit = now->io_limit;
	want->quantum_ms = now->quantum_ms;
	adopt_groups(now, want, true);
}

/* Differences that no message can remove. */
static int plan_table(const struct options *opts, struct plan *plan,
		      const struct volume *vol, const struct config *now,
		      const struct config *want)
{
	uint64_t room;
	struct blk blk;
	bool moved;
	int status;

	if (strcmp(now->share, want->share)) {
		differ(plan, NULL, "share", now->share, want->share);
		plan->reload = true;
	}
	if (strcmp(now->type, want->type)) {
		differ(plan, NULL, "type", now->type, want->type);
		plan->reload = true;
	}
	if (now->auto_depth != want->auto_depth) {
		differ_number(plan, "auto", now->auto_depth, want->auto_depth);
		plan->reload = true;
	}
	/* LVM added these lines. In a device of its own they are there on purpose. */
	if (now->is_attached && vol->nr_others) {
		differ(plan, NULL, "lines", "some", "all");
		plan->reload = true;
	}
	if (now->is_attached)
		return 0;

	status = blk_find_below(opts->sysroot, want->device, want->name, &blk);
	if (status)
		return status;
	if (!strcmp(blk.dm_name, want->name))
		return fail(IOBAND_DEVICE,
			    "cannot use '%s': '%s' cannot lie on itself; give the device below",
			    want->device, want->name);
	strcpy(plan->device, blk.devno);
	plan->length = vol->length;
	moved = strcmp(blk.devno, vol->devices[0]);
	if (moved) {
		char *path = blk_path(opts->sysroot, vol->devices[0]);

		differ(plan, NULL, "device", path, want->device);
		free(path);
		plan->reload = true;
	}
	if (blk.sectors <= vol->table.offset_sectors)
		return fail(IOBAND_DEVICE,
			    "cannot use '%s': it has %" PRIu64 " sectors, and '%s' begins at sector %" PRIu64 " of it",
			    want->device, blk.sectors, want->name,
			    vol->table.offset_sectors);
	/* Unless moved, never grow: it may have been shrunk so that its device can be. */
	room = blk.sectors - vol->table.offset_sectors;
	if (moved ? room != vol->length : room < vol->length) {
		plan->length = room;
		differ_number(plan, "sectors", vol->length, plan->length);
		plan->reload = true;
	}
	return 0;
}

/**
 * plan_make - find out what has to change
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @cfg: the wanted configuration, with resolved groups; what is to stay, as the volume
 *	is followed or only what is missing wanted, is added to it
 * @plan: filled in; to be freed by plan_free() in any case
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int plan_make(const struct options *opts, const struct volumes *volumes,
	      struct config *cfg, struct plan *plan)
{
	const struct volume *vol = volumes_find(volumes, cfg->name);
	struct config now;
	int status;

	memset(plan, 0, sizeof(*plan));
	if (!vol) {
		differ(plan, NULL, "volume", NULL,
		       cfg->is_attached ? "attached" : "created");
		plan->is_missing = true;
		return 0;
	}
	if (volume_is_attached(vol) != cfg->is_attached)
		return fail(IOBAND_DEVICE,
			    "'%s': it is %s, and its configuration has mode %s; 'ioband %s %s' it first",
			    cfg->name, cfg->is_attached ?
			    "a device of its own" : "inside of another device",
			    cfg->is_attached ? "attach" : "create",
			    cfg->is_attached ? "remove" : "detach", cfg->name);
	status = volume_config(opts, vol, &now);
	if (!status && cfg->only_missing)
		adopt_all(&now, cfg);
	else if (!status && cfg->follow)
		adopt_groups(&now, cfg, false);
	if (!status)
		status = plan_table(opts, plan, vol, &now, cfg);
	if (!status && plan->reload) {
		char *devno = xasprintf("%u:%u", vol->major,
					vol->actual_minor);

		status = share_check(opts, volumes, cfg, devno);
		free(devno);
	}
	if (!status) {
		plan_policy(plan, &now, cfg);
		plan_depth(plan, &now, cfg);
		plan_groups(plan, &now, cfg);
	}
	config_free(&now);
	return status;
}

void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->nr; i++) {
		free(plan->v[i].group);
		free(plan->v[i].key);
		free(plan->v[i].is);
		free(plan->v[i].should);
	}
	for (size_t i = 0; i < plan->nr_messages; i++)
		free(plan->messages[i]);
	free(plan->v);
	free(plan->messages);
	memset(plan, 0, sizeof(*plan));
}
