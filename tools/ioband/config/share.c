// SPDX-License-Identifier: GPL-2.0-only
/*
 * The share of a new volume: its name, its policy, and whether the volume fits into it.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lib/blk.h"
#include "lib/util.h"
#include "share.h"

/**
 * share_default - name the share after its disks unless a name was given
 * @opts: the global options
 * @cfg: the volume, whose share is set
 * @devno: the device that the volume is on
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int share_default(const struct options *opts, struct config *cfg,
		  const char *devno)
{
	char *disks;

	if (*cfg->share)
		return 0;
	disks = blk_disks(opts->sysroot, devno);
	if (!disks || strlen(disks) >= sizeof(cfg->share)) {
		int status = fail(IOBAND_USAGE,
				  "share: the disks of '%s', %s, make no name for it; give one as share=NAME, the same for all volumes on these disks",
				  cfg->name, disks ? disks : "which are unknown");

		free(disks);
		return status;
	}
	strcpy(cfg->share, disks);
	free(disks);
	return 0;
}

/**
 * policy_by_disks - choose the policy that fits the disks below a volume
 * @opts: the global options
 * @cfg: the volume, of which nothing is changed unless its policy is automatic
 * @devno: the device that it is attached to or on top of
 *
 * What hard disks have to divide is their time: a random I/O takes a hundred times
 * as much of it as a sequential one. Others do many at once, and the time that each is
 * there says little of what it costs them; that grows with its size, from a few KiB on.
 */
void policy_by_disks(const struct options *opts, struct config *cfg,
		     const char *devno)
{
	bool rotating;

	if (!cfg->auto_policy)
		return;
	rotating = blk_is_rotating(opts->sysroot, devno);
	strcpy(cfg->policy, rotating ? "weight-time" : "weight-iosize");
	cfg->policy_why = rotating ? "hard disks" : "not hard disks";
	/* Only that policy has one: its file has to name it. */
	cfg->auto_policy = !cfg->quantum_ms;
}

/**
 * share_adopt - take over the policy and depth of an existing share
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @cfg: the volume, with a share; keys that were given are kept, but for an automatic
 *	policy, which is resolved, and stays automatic if that of the share is the same
 * @devno: the device that it is attached to or on top of
 *
 * Policy and depth belong to the share. A volume that joins must not change them
 * just by defaults: another policy would reset the settings of all groups.
 */
void share_adopt(const struct options *opts, const struct volumes *volumes,
		 struct config *cfg, const char *devno)
{
	policy_by_disks(opts, cfg, devno);
	for (size_t i = 0; i < volumes->nr; i++) {
		const struct table_line *line = &volumes->v[i].table;

		if (strcmp(line->share, cfg->share) ||
		    !strcmp(volumes->v[i].name, cfg->name))
			continue;
		if ((!cfg->given[CONFIG_POLICY] || cfg->auto_policy) &&
		    strcmp(cfg->policy, line->policy)) {
			cfg->auto_policy = false;
			snprintf(cfg->policy, sizeof(cfg->policy), "%s",
				 line->policy);
			cfg->policy_why = "that of the share";
		}
		if (!cfg->given[CONFIG_IO_THROTTLE] &&
		    !cfg->given[CONFIG_IO_LIMIT]) {
			cfg->io_throttle = line->io_throttle;
			cfg->io_limit = line->io_limit;
		}
		if (!cfg->given[CONFIG_QUANTUM] &&
		    !strcmp(cfg->policy, line->policy))
			cfg->quantum_ms = line->quantum_ms;
		return;
	}
}

/**
 * share_in_way - look for what keeps a volume out of a share
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @share: the share
 * @name: the volume, which is not in its own way
 * @devno: the device that it is put into or on top of
 *
 * Of a volume stacked above or below another one of the share, the same I/O would pass
 * through the share twice and wait for itself. The target detects that only if there is
 * no device in between.
 *
 * Return: such a volume of the share, or %NULL.
 */
const struct volume *share_in_way(const struct options *opts,
				  const struct volumes *volumes,
				  const char *share, const char *name,
				  const char *devno)
{
	for (size_t i = 0; i < volumes->nr; i++) {
		const struct volume *vol = &volumes->v[i];
		char other[DEVNO_LEN];

		if (strcmp(vol->table.share, share) || !strcmp(vol->name, name))
			continue;
		snprintf(other, sizeof(other), "%u:%u", vol->major,
			 vol->actual_minor);
		if (blk_is_related(opts->sysroot, devno, other))
			return vol;
	}
	return NULL;
}

/**
 * share_check - refuse a volume that does not fit into its share
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @cfg: the new volume
 * @devno: the device that it is put into or on top of
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int share_check(const struct options *opts, const struct volumes *volumes,
		const struct config *cfg, const char *devno)
{
	const struct volume *vol;
	char *title;
	int status;

	if (cfg->quantum_ms && strcmp(cfg->policy, "weight-time"))
		return fail(IOBAND_USAGE,
			    "cannot make '%s': quantum: needs policy weight-time, not %s",
			    cfg->name, cfg->policy);
	vol = share_in_way(opts, volumes, cfg->share, cfg->name, devno);
	if (!vol)
		return 0;
	title = volumes_title(volumes, cfg->name);
	status = fail(IOBAND_USAGE,
		      "cannot make '%s' of share '%s': the same I/O goes through '%s', which is of this share too, and would wait for itself; give another one as share=NAME",
		      title, cfg->share, vol->title);
	free(title);
	return status;
}
