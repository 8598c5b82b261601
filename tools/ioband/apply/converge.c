// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make a volume match its configuration.
 *
 * Whatever a message can change is changed by message, which neither suspends the
 * device nor resets counters. The rest takes a new table.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"
#include "attach/inside.h"
#include "cmd.h"
#include "config/current.h"
#include "config/groupref.h"
#include "converge.h"
#include "lib/action.h"
#include "lib/attachable.h"
#include "lib/target.h"
#include "lib/util.h"
#include "policy.h"

/* Replace the table of a volume that is a device of its own. */
static int reload(const struct options *opts, const struct volume *vol,
		  const struct config *cfg, const struct plan *plan)
{
	struct ioband_dm_targets old, new = { 0 };
	char *params;
	int status;

	params = config_params(cfg, plan->device, vol->table.offset_sectors);
	status = action_table(opts, "change", cfg->name, &old);
	new.read_only = old.read_only;
	for (size_t i = 0; i < old.nr; i++) {
		const struct ioband_dm_target *t = &old.v[i];

		if (t->start == vol->start)
			targets_add(&new, t->start, plan->length, TARGET_TYPE,
				    params);
		else
			targets_add(&new, t->start, t->length, t->type,
				    t->params);
	}
	if (!status)
		status = action_replace(opts, "change", cfg->name, &old, &new);
	ioband_dm_targets_free(&old);
	ioband_dm_targets_free(&new);
	free(params);
	return status;
}

/*
 * A failed message does not stop the others, unless it was to set the policy. That
 * resets the groups of other volumes, too: set them again.
 */
static int send(const struct options *opts, const struct volumes *volumes,
		const struct volume *vol, const struct config *cfg,
		const struct plan *plan)
{
	struct policy_change others = { 0 };
	int status = 0;

	if (plan->has_policy)
		status = policy_change_make(opts, volumes, vol, vol->name,
					    cfg->policy, &others);
	if (status) {
		policy_change_free(&others);
		return status;
	}

	for (size_t i = 0; i < plan->nr_messages; i++) {
		int r = action_message(opts, vol->name, vol->start,
				       plan->messages[i]);

		if (r) {
			r = fail_change(r, "cannot do '%s' to '%s'",
					plan->messages[i], vol->name);
			if (!status)
				status = r;
		}
		if (!plan->has_policy || i)
			continue;
		if (r)
			break;
		r = policy_send(opts, &others.again);
		if (r)
			status = fail_change(r, "cannot set again what other volumes of share '%s' were set to",
					     cfg->share);
		if (others.lost)
			warn("%s: under policy %s this has no effect any more: %s",
			     cfg->name, cfg->policy, others.lost);
	}
	policy_change_free(&others);
	return status;
}

/* It has become a RAID, say: that is a state, which may last, and no failure. */
static bool cannot_be(const struct options *opts, const struct volumes *volumes,
		      const struct config *cfg)
{
	char *why = attach_why_not(opts, cfg->name);
	char *title = volumes_title(volumes, cfg->name);

	if (why && !cfg->only_missing)
		warn("%s: stays without ioband: %s", title, why);
	free(title);
	free(why);
	return why;
}

static int make(const struct options *opts, const struct volumes *volumes,
		struct config *cfg)
{
	struct blk blk;
	int status = blk_find(opts->sysroot, cfg->device, &blk);

	if (!status && !cfg->is_attached &&
	    volume_is_wiped(volumes, cfg->name))
		status = fail(IOBAND_BUSY,
			      "cannot create '%s': it is there, and somebody has replaced its table; 'ioband remove %s' first",
			      cfg->name, cfg->name);
	else if (!status && !cfg->is_attached &&
		 volumes_device(volumes, cfg->name, NULL))
		status = fail(IOBAND_BUSY,
			      "cannot create '%s': there is a device of that name that is no volume; rename one of them",
			      cfg->name);
	if (status)
		return status;
	if (cfg->is_attached && cannot_be(opts, volumes, cfg))
		return IOBAND_PARTLY;
	return cfg->is_attached ? attach_volume(opts, volumes, cfg, blk.devno)
				: create_volume(opts, volumes, cfg, &blk);
}

/* A share that exists keeps its depth and so on despite the new table: fix that. */
static int settle(const struct options *opts, struct config *cfg)
{
	struct volumes volumes = { 0 };
	struct plan plan = { 0 };
	int status;

	if (opts->dry_run)
		return 0;
	status = volumes_read(&volumes);
	if (!status)
		status = plan_make(opts, &volumes, cfg, &plan);
	if (!status && !plan.is_missing)
		status = send(opts, &volumes, volumes_find(&volumes, cfg->name),
			      cfg, &plan);
	plan_free(&plan);
	volumes_free(&volumes);
	return status;
}

/**
 * plan_do - carry out a plan
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @cfg: the wanted configuration
 * @plan: what plan_make() found
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int plan_do(const struct options *opts, const struct volumes *volumes,
	    struct config *cfg, const struct plan *plan)
{
	const struct volume *vol = volumes_find(volumes, cfg->name);
	int r, status;

	if (!plan->nr)
		status = 0;
	else if (plan->is_missing)
		status = make(opts, volumes, cfg);
	else if (plan->reload && cfg->is_attached)
		status = inside_put(opts, volumes, cfg);
	else if (plan->reload)
		status = reload(opts, vol, cfg, plan);
	else
		status = send(opts, volumes, vol, cfg, plan);
	if (!status && (plan->is_missing || plan->reload)) {
		cfg->only_missing = false;
		status = settle(opts, cfg);
	}
	/* Even on failure part of it may have been done. */
	r = volume_changed(opts, cfg->name, cfg);
	return status ? status : r;
}
