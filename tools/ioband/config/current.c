// SPDX-License-Identifier: GPL-2.0-only
/*
 * The present state: volumes as configurations, and what has become of attached ones.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"
#include "cmd.h"
#include "current.h"
#include "groupref.h"
#include "lib/attachable.h"
#include "lib/blk.h"
#include "lib/cgroup.h"
#include "lib/leaf.h"
#include "lib/util.h"
#include "lib/words.h"
#include "services.h"
#include "share.h"
#include "store.h"

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/**
 * volume_is_attached - whether ioband was put into an existing device
 * @vol: a volume
 *
 * A device without a uuid is assumed to be one of its own, made by dmsetup, unless
 * it has several lines or starts in the middle of a device.
 */
bool volume_is_attached(const struct volume *vol)
{
	if (has_prefix(vol->uuid, UUID_PREFIX))
		return false;
	return *vol->uuid || vol->nr_lines > 1 || vol->nr_others ||
	       vol->table.offset_sectors;
}

/**
 * volume_is_wiped - whether a device is what is left of a volume made by create
 * @volumes: what volumes_read() found
 * @name: device-mapper name
 *
 * Its table was replaced, by dmsetup wipe_table or remove --force.
 */
bool volume_is_wiped(const struct volumes *volumes, const char *name)
{
	char *uuid = xasprintf(UUID_PREFIX "%s", name);
	bool wiped = volumes_device(volumes, name, uuid) &&
		     !volumes_find(volumes, name);

	free(uuid);
	return wiped;
}

static bool is_known(const struct options *opts, const struct volumes *volumes,
		     const char *name)
{
	struct config cfg;
	bool known = volumes_find(volumes, name) || store_has_file(opts, name);

	if (!known) {
		known = record_find(opts, name, "", &cfg);
		config_free(&cfg);
	}
	return known;
}

/**
 * volume_known - find a volume by the form of a word alone, as its device may be gone
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @word: as for blk_dm_name()
 * @name: buffer of %VOLUME_LEN for its device-mapper name
 *
 * Return: whether it has ioband, a file in /etc/ioband, or a record.
 */
bool volume_known(const struct options *opts, const struct volumes *volumes,
		  const char *word, char *name)
{
	return blk_dm_name(name, VOLUME_LEN, word) &&
	       (is_known(opts, volumes, name) ||
		(leaf_name(name, VOLUME_LEN, name) &&
		 is_known(opts, volumes, name)));
}

/**
 * volume_meant - find the volume that is to be taken away
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @verb: the operation, for messages
 * @word: as for blk_find()
 * @name: buffer of %VOLUME_LEN for its device-mapper name
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int volume_meant(const struct options *opts, const struct volumes *volumes,
		 const char *verb, const char *word, char *name)
{
	const struct ioband_dm_device *dev;
	struct blk blk;
	int status;

	if (volume_known(opts, volumes, word, name))
		return 0;
	blk_dm_name(name, VOLUME_LEN, word);
	dev = volumes_device(volumes, name, NULL);
	if (!dev) {
		status = blk_find(opts->sysroot, word, &blk);
		if (status)
			return status;
		dev = volumes_device(volumes, blk.dm_name, NULL);
	}
	if (!dev)
		return fail(IOBAND_DEVICE,
			    "cannot %s '%s': it is not a device-mapper device; 'ioband list' shows the volumes there are",
			    verb, word);
	snprintf(name, VOLUME_LEN, "%s", volumes_leaf(opts, volumes, dev)->name);
	return 0;
}

/* Replace ids of cgroups, which a reboot invalidates, by paths where possible. */
static void name_cgroups(const struct options *opts, struct config *cfg)
{
	struct cgroup_paths paths = { 0 };

	if (strcmp(cfg->type, "cgroup"))
		return;
	for (size_t i = 0; i < cfg->nr_groups; i++) {
		const struct settings *set = &cfg->groups[i].set;
		uint64_t id;

		if (cfg->groups[i].has_id)
			cgroup_paths_add(&paths, cfg->groups[i].id);
		if (set->v[SET_PARENT].given &&
		    parse_u64(set->parent, UINT64_MAX, &id))
			cgroup_paths_add(&paths, id);
	}
	cgroup_paths_resolve(&paths, opts->sysroot);
	for (size_t i = 0; i < cfg->nr_groups; i++) {
		struct config_group *group = &cfg->groups[i];
		const char *path = NULL;

		if (group->has_id)
			path = cgroup_paths_find(&paths, group->id);
		if (path && conf_has_name(path))
			strcpy(group->name, path);
	}
	cgroup_paths_free(&paths);
}

/* Whether a cgroup is at most @depth levels down; children of the root are at 1. */
static bool is_within(const char *path, uint32_t depth)
{
	uint32_t level = 0;

	if (*path != '/' || !path[1])
		return false;
	for (; *path; path++)
		level += *path == '/';
	return level <= depth;
}

/**
 * volume_config - get the actual configuration of a volume
 * @opts: the global options
 * @vol: the volume
 * @cfg: initialised and filled in; to be freed by config_free() in any case
 *
 * Groups have their ids, and the path of their cgroup as name where it is known.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int volume_config(const struct options *opts, const struct volume *vol,
		  struct config *cfg)
{
	struct parse_error err;
	char *path;

	config_init(cfg, vol->name);
	if (config_from_table(cfg, &vol->table, &err))
		return fail(IOBAND_MODULE,
			    "cannot read the table of '%s': %s; the module may be of another version, see 'ioband version'",
			    vol->name, err.text);
	cfg->is_attached = volume_is_attached(vol);
	if (cfg->is_attached) {
		snprintf(cfg->uuid, sizeof(cfg->uuid), "%s", vol->uuid);
		path = xasprintf("/dev/mapper/%s", vol->name);
	} else {
		path = blk_stable_path(opts->sysroot, vol->devices[0]);
	}
	snprintf(cfg->device, sizeof(cfg->device), "%s", path);
	free(path);
	name_cgroups(opts, cfg);
	for (size_t i = 0; i < cfg->nr_groups; i++)
		cfg->groups[i].is_auto = is_within(cfg->groups[i].name,
						   cfg->auto_depth);
	return 0;
}

/**
 * volume_state - describe the state of a volume in a word
 * @opts: the global options
 * @vol: the volume
 *
 * Return: "active"; "suspended"; "mixed" if part of its device bypasses ioband;
 * "smaller" or "larger" than the device below, after that was resized.
 */
const char *volume_state(const struct options *opts, const struct volume *vol)
{
	uint64_t sectors, end;

	if (vol->suspended)
		return "suspended";
	if (vol->nr_others)
		return "mixed";
	if (vol->nr_lines > 1 ||
	    !blk_sectors(opts->sysroot, vol->devices[0], &sectors))
		return "active";
	end = vol->table.offset_sectors + vol->length;
	if (end > sectors)
		return "larger";
	/* An attached volume may well cover only a part of a disk. */
	if (end < sectors && !volume_is_attached(vol))
		return "smaller";
	return "active";
}

static bool has_gone(const struct config *cfg)
{
	for (size_t i = 0; i < cfg->nr_groups; i++)
		if (cfg->groups[i].has_id && *cfg->groups[i].name != '/')
			return true;
	return false;
}

/**
 * config_keep_absent - add wanted groups that cannot exist at present
 * @opts: the global options
 * @old: the wanted configuration
 * @cfg: the actual one, from volume_config(), to which they are added
 *
 * A stopped service has no cgroup, and a restarted one has a new cgroup, while the
 * group of the former one may still exist. Of their settings those stay that act under the
 * policy that is in force, as for groups that exist.
 */
void config_keep_absent(const struct options *opts, const struct config *old,
			struct config *cfg)
{
	bool is_cgroup = !strcmp(old->type, "cgroup") &&
			 !strcmp(cfg->type, "cgroup");
	bool any_gone = has_gone(cfg);

	for (size_t i = 0; i < old->nr_groups; i++) {
		struct config_group group = old->groups[i], *now = NULL;
		uint64_t number;
		bool is_absent;
		char *why;
		int r;

		r = groupref_resolve(opts, cfg->type, group.name, &group, &why);
		free(why);
		if (!r)
			now = config_find(cfg, group.is_default, group.id);
		is_absent = r || (old->follow && group.lacks_io) ||
			    (any_gone &&
			     !parse_u64(group.name, UINT64_MAX, &number));
		if (now && group.set.v[SET_FORCE].given) {
			now->set.v[SET_FORCE] = group.set.v[SET_FORCE];
		} else if (!now && is_cgroup && !group.is_default && is_absent) {
			group.has_id = false;
			for (int key = 0; key < NR_SETTINGS; key++)
				group.set.v[key].given &=
					setting_acts(key, cfg->policy);
			*config_group(cfg, group.name) = group;
		}
	}
}

/**
 * config_keep_auto - keep that the policy is automatic, while it is what that would be
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @vol: the volume
 * @old: the wanted configuration
 * @cfg: the actual one, from volume_config()
 */
void config_keep_auto(const struct options *opts,
		      const struct volumes *volumes, const struct volume *vol,
		      const struct config *old, struct config *cfg)
{
	struct config fit = *cfg;
	char devno[DEVNO_LEN];

	snprintf(devno, sizeof(devno), "%u:%u", vol->major, vol->minor);
	fit.auto_policy = old->auto_policy;
	share_adopt(opts, volumes, &fit, devno);
	cfg->auto_policy = fit.auto_policy && !strcmp(fit.policy, cfg->policy);
}

/**
 * volume_record - write the record of a volume
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @vol: the volume
 * @want: the wanted configuration, or %NULL to take it from the record
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int volume_record(const struct options *opts, const struct volumes *volumes,
		  const struct volume *vol, const struct config *want)
{
	struct config cfg, old;
	int status = volume_config(opts, vol, &cfg);

	config_init(&old, vol->name);
	if (!status && !want && record_find(opts, vol->name, vol->uuid, &old))
		want = &old;
	if (!status && want) {
		config_keep_absent(opts, want, &cfg);
		config_keep_auto(opts, volumes, vol, want, &cfg);
		cfg.follow = want->follow && !strcmp(cfg.type, "cgroup");
	}
	for (size_t i = 0; i < cfg.nr_groups; )
		if (cfg.groups[i].is_auto &&
		    settings_are_default(&cfg.groups[i].set))
			config_drop_group(&cfg, &cfg.groups[i]);
		else
			i++;
	if (!status)
		status = store_save(opts, STORE_RUN, &cfg);
	config_free(&old);
	config_free(&cfg);
	return status;
}

/**
 * volume_changed - update the records after a change
 * @opts: the global options
 * @name: a volume whose groups or settings were changed
 * @want: the wanted configuration, including groups that cannot exist at present;
 *	%NULL to take those from the record
 *
 * Updates all volumes of the share that have a record, as those that are attached do:
 * a new policy affects them all.
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int volume_changed(const struct options *opts, const char *name,
		   const struct config *want)
{
	struct volumes volumes = { 0 };
	const struct volume *changed;
	int status = 0;

	if (opts->dry_run)
		return 0;
	status = volumes_read(&volumes);
	changed = volumes_find(&volumes, name);
	for (size_t i = 0; !status && changed && i < volumes.nr; i++) {
		const struct volume *vol = &volumes.v[i];

		/* Of several shares in a device the first has the record. */
		if (!strcmp(vol->table.share, changed->table.share) &&
		    (volume_is_attached(vol) || record_exists(opts, vol->name)) &&
		    volumes_find(&volumes, vol->name) == vol)
			status = volume_record(opts, &volumes, vol,
					       strcmp(vol->name, name) ?
					       NULL : want);
	}
	volumes_free(&volumes);
	return status;
}

/**
 * tell_unsaved - tell that a change will not stay, where something undoes it
 * @opts: the global options
 * @vol: the volume that was changed
 * @is_removal: whether something was taken away
 */
void tell_unsaved(const struct options *opts, const struct volume *vol,
		  bool is_removal)
{
	if (!opts->dry_run && store_has_file(opts, vol->name) &&
	    systemd_wants(opts, "timers.target", "ioband.timer"))
		warn("'%s': this is not saved, and %s: 'ioband save %s' keeps it",
		     vol->title, is_removal ?
		     "ioband.timer adds within a minute what " STORE_ETC " still has" :
		     "goes with a restart, or when LVM changes the volume",
		     vol->title);
}

static struct ghost *add_ghost(struct ghosts *ghosts, const char *name,
			       const char *state)
{
	struct ghost *ghost;

	ghosts->v = xreallocarray(ghosts->v, ghosts->nr + 1,
				  sizeof(*ghosts->v));
	ghost = &ghosts->v[ghosts->nr++];
	memset(ghost, 0, sizeof(*ghost));
	snprintf(ghost->name, sizeof(ghost->name), "%s", name);
	ghost->state = state;
	return ghost;
}

/* Whether a volume lies on this device. */
static bool is_used(const struct volumes *volumes,
		    const struct ioband_dm_device *dev)
{
	char *devno = xasprintf("%u:%u", dev->major, dev->minor);
	bool used = false;

	for (size_t i = 0; i < volumes->nr; i++)
		for (size_t j = 0; j < volumes->v[i].nr_devices; j++)
			used |= !strcmp(volumes->v[i].devices[j], devno);
	free(devno);
	return used;
}

/**
 * ghosts_read - find what is left of volumes that were attached
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @ghosts: filled in; to be freed in any case
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int ghosts_read(const struct options *opts, const struct volumes *volumes,
		struct ghosts *ghosts)
{
	struct names names;
	int status;

	memset(ghosts, 0, sizeof(*ghosts));
	status = store_names(opts, STORE_RUN, &names);
	for (size_t i = 0; !status && i < names.nr; i++) {
		const struct ioband_dm_device *dev;
		struct ghost *ghost;
		struct config cfg;
		bool found;

		/* An unreadable record has been reported; ignore it. */
		if (store_load(opts, STORE_RUN, names.v[i], &cfg, &found))
			found = false;
		dev = volumes_device(volumes, *cfg.uuid ? NULL : names.v[i],
				     *cfg.uuid ? cfg.uuid : NULL);
		/* A volume on top of a device leaves nothing behind. */
		if (!found || !cfg.is_attached ||
		    (dev && volumes_find(volumes, dev->name))) {
			config_free(&cfg);
			continue;
		}
		ghost = add_ghost(ghosts, dev ? dev->name : names.v[i],
				  dev ? "lost" : "gone");
		ghost->cfg = cfg;
	}
	names_free(&names);

	for (size_t i = 0; !status && i < volumes->devices.nr; i++) {
		const struct ioband_dm_device *dev = &volumes->devices.v[i];

		if (uuid_is_hidden(dev->uuid) && !is_used(volumes, dev))
			add_ghost(ghosts, dev->name, "orphan");
	}
	return status;
}

/**
 * ghost_sentence - explain what has happened and what to do
 * @opts: the global options
 * @ghost: a ghost
 *
 * Return: the sentence, to be freed.
 */
char *ghost_sentence(const struct options *opts, const struct ghost *ghost)
{
	char *title = volume_title(ghost->name, ghost->cfg.uuid), *text;
	bool is_lost = !strcmp(ghost->state, "lost");
	char *why = is_lost ? attach_why_not(opts, ghost->name) : NULL;

	if (why)
		text = xasprintf("'%s' has no ioband inside any more: %s",
				 title, why);
	else if (is_lost)
		text = xasprintf("'%s' has no ioband inside any more, because LVM has loaded its own table; 'ioband attach %s' puts it in again, 'ioband detach %s' forgets it",
				 title, title, title);
	else if (!strcmp(ghost->state, "gone"))
		text = xasprintf("'%s' is not active any more; after its activation 'ioband attach %s' puts ioband in again, 'ioband detach %s' forgets it",
				 title, title, title);
	else
		text = xasprintf("'%s' is left over from a volume that has lost ioband, and keeps its disk in use; 'dmsetup remove %s' takes it away",
				 ghost->name, ghost->name);
	free(why);
	free(title);
	return text;
}

void ghosts_free(struct ghosts *ghosts)
{
	for (size_t i = 0; i < ghosts->nr; i++)
		config_free(&ghosts->v[i].cfg);
	free(ghosts->v);
	memset(ghosts, 0, sizeof(*ghosts));
}
