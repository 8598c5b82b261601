// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband save: write the volumes as configuration files for apply.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "config/current.h"
#include "config/services.h"
#include "config/store.h"
#include "lib/blk.h"
#include "lib/util.h"
#include "lib/words.h"

/* The id of a cgroup is not valid after a reboot. */
static void name_parents(struct config *cfg)
{
	for (size_t i = 0; i < cfg->nr_groups; i++) {
		struct settings *set = &cfg->groups[i].set;
		const struct config_group *parent;
		uint64_t id;

		if (!set->v[SET_PARENT].given ||
		    !parse_u64(set->parent, UINT64_MAX, &id))
			continue;
		parent = config_find(cfg, false, id);
		if (parent)
			snprintf(set->parent, sizeof(set->parent), "%s",
				 parent->name);
	}
}

/* Whether the group reappears by itself, with these settings. */
static bool is_silent(const struct config *cfg, const struct config_group *group)
{
	for (int key = 0; key < NR_SETTINGS; key++)
		if (!setting_is_default(&group->set, key) &&
		    !(cfg->follow && setting_is_followed(key)))
			return false;
	return group->is_auto || (cfg->follow && !group->is_default);
}

static void drop_unsaved(struct config *cfg)
{
	bool is_cgroup = !strcmp(cfg->type, "cgroup");
	size_t i = 0;

	while (i < cfg->nr_groups) {
		struct config_group *group = &cfg->groups[i];
		bool silent = is_silent(cfg, group);

		if (is_cgroup && group->has_id && *group->name != '/' &&
		    !silent)
			warn("'%s': group %s is left out, for its cgroup is gone or has a path that cannot be written",
			     cfg->name, group->name);
		else if (!silent) {
			i++;
			continue;
		}
		config_drop_group(cfg, group);
	}
}

/* Whether the name survives a reboot, unlike sdb and dm-1. */
static bool is_stable(const char *device, const struct blk *blk)
{
	char name[sizeof(blk->dm_name)];

	blk_dm_name(name, sizeof(name), device);
	return strchr(device, '=') || strstr(device, "/disk/by-") ||
	       !strcmp(name, blk->dm_name);
}

/* Keep the device name of the old file if it names the same device. */
static void keep_device(const struct options *opts, const struct config *old,
			struct config *cfg)
{
	struct blk was, is;
	char *why;
	int r;

	if (!*old->device || old->is_attached != cfg->is_attached)
		return;
	fail_keep(&why);
	r = cfg->is_attached ?
	    blk_find(opts->sysroot, old->device, &was) :
	    blk_find_below(opts->sysroot, old->device, cfg->name, &was);
	if (!r && !blk_find(opts->sysroot, cfg->device, &is) &&
	    !strcmp(was.devno, is.devno) && is_stable(old->device, &is))
		strcpy(cfg->device, old->device);
	fail_keep(NULL);
	free(why);
}

/*
 * A share that nobody has named stays out of the file, as of that of enable: disks may get
 * other names, and pvmove leads to others.
 */
static void drop_default_share(const struct options *opts,
			       const struct volume *vol,
			       const struct config *old, struct config *cfg)
{
	char devno[DEVNO_LEN], *disks;

	snprintf(devno, sizeof(devno), "%u:%u", vol->major, vol->minor);
	disks = blk_disks(opts->sysroot, devno);
	if (old ? !*old->share : disks && !strcmp(disks, cfg->share))
		*cfg->share = '\0';
	free(disks);
}

/*
 * Keep what the target cannot report: whether the policy is automatic as the record has
 * it, which is what is in force; the rest as the old file has it.
 */
static int keep_written(const struct options *opts,
			const struct volumes *volumes,
			const struct volume *vol, struct config *cfg)
{
	struct config old, record;
	bool found, has_record;
	int status = store_load(opts, STORE_ETC, cfg->name, &old, &found);

	has_record = record_find(opts, vol->name, vol->uuid, &record);
	if (!status)
		drop_default_share(opts, vol, found ? &old : NULL, cfg);
	if (!status && found) {
		config_keep_absent(opts, &old, cfg);
		keep_device(opts, &old, cfg);
	}
	if (!status && (found || has_record)) {
		cfg->follow = (found ? old.follow : record.follow) &&
			      !strcmp(cfg->type, "cgroup");
		config_keep_auto(opts, volumes, vol,
				 has_record ? &record : &old, cfg);
	}
	config_free(&record);
	config_free(&old);
	return status;
}

/**
 * save_config - get what save writes of a volume
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @vol: the volume
 * @follow: whether it is followed, or -1 if that stays what it is
 * @cfg: initialised and filled in; to be freed by config_free() in any case
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int save_config(const struct options *opts, const struct volumes *volumes,
		const struct volume *vol, int follow, struct config *cfg)
{
	int status;

	status = volume_config(opts, vol, cfg);
	if (!status)
		status = check_volume_name(cfg->name);
	if (!status)
		status = keep_written(opts, volumes, vol, cfg);
	if (status)
		return status;
	if (follow >= 0)
		cfg->follow = follow;
	name_parents(cfg);
	drop_unsaved(cfg);
	return 0;
}

/* Also whether anything reads the file. */
static void report_saved(const struct options *opts, const struct volume *vol,
			 const struct config *cfg)
{
	size_t nr = cfg->nr_groups;
	bool idle = systemd_is_running(opts) &&
		    !volume_is_enabled(opts, cfg->name);

	report(opts, "%s: saved in " STORE_ETC "/%s.conf, with %zu group%s%s%s%s%s",
	       vol->title, cfg->name, nr, nr == 1 ? "" : "s",
	       cfg->follow ? " besides those that are followed" : "",
	       idle ? "; nothing restores it at boot: 'ioband enable " : "",
	       idle ? vol->title : "", idle ? "' changes that" : "");
}

static int save(const struct options *opts, const struct volumes *volumes,
		const struct volume *vol, bool is_first)
{
	struct config cfg;
	int status;

	status = save_config(opts, volumes, vol, -1, &cfg);
	if (!status && store_has_dropins(opts, cfg.name))
		warn("'%s' has files in " STORE_ETC "/%s.conf.d, and what they say takes the place of what is saved",
		     cfg.name, cfg.name);
	if (!status && opts->dry_run) {
		printf("%s# " STORE_ETC "/%s.conf\n", is_first ? "" : "\n",
		       cfg.name);
		conf_print(&cfg, stdout);
	} else if (!status) {
		status = store_save(opts, STORE_ETC, &cfg);
		if (!status)
			report_saved(opts, vol, &cfg);
	}
	config_free(&cfg);
	return status;
}

/* Whether other lines of the device belong to another share. */
static bool has_other_share(const struct volumes *volumes,
			    const struct volume *vol)
{
	for (size_t i = 0; i < volumes->nr; i++)
		if (&volumes->v[i] != vol &&
		    !strcmp(volumes->v[i].name, vol->name))
			return true;
	return false;
}

int cmd_save(const struct options *opts, int argc, char **argv)
{
	struct volumes volumes = { 0 };
	unsigned int nr = 0;
	int status, failed = 0;

	status = volumes_lock(opts, &volumes);
	if (!status)
		status = volumes_choose(opts, &volumes, argc, argv);
	for (size_t i = 0; !status && i < volumes.nr; i++) {
		const struct volume *vol = &volumes.v[i];
		int r;

		if (!vol->chosen)
			continue;
		/* Several shares in one device: report it only once, for the first. */
		if (volumes_find(&volumes, vol->name) != vol)
			continue;
		if (has_other_share(&volumes, vol))
			r = fail(IOBAND_DEVICE,
				 "cannot save '%s': its lines have different shares, which a configuration cannot tell",
				 vol->name);
		else
			r = save(opts, &volumes, vol, !nr++);
		failed = failed ? failed : r;
	}
	volumes_free(&volumes);
	return status ? status : failed;
}
