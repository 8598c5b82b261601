// SPDX-License-Identifier: GPL-2.0-only
/*
 * doctor: the volumes, and those that should exist.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "attach/attach.h"
#include "cmd.h"
#include "config/current.h"
#include "config/generator.h"
#include "config/groupref.h"
#include "config/kept.h"
#include "config/services.h"
#include "config/store.h"
#include "doctor.h"
#include "lib/attachable.h"
#include "lib/blk.h"
#include "lib/cgroup.h"
#include "lib/sample.h"
#include "lib/target.h"
#include "lib/words.h"

/* The nearest cgroup at or above @path that is charged for I/O; to be freed. */
static char *charged_to(const char *sysroot, const char *path)
{
	char *above = xstrdup(path);

	while (!cgroup_has_io(sysroot, above)) {
		char *slash = strrchr(above, '/');

		slash[slash == above] = '\0';
	}
	return above;
}

static void check_group(struct doctor *doctor, const struct volume *vol, uint64_t id,
			const char *path)
{
	char *charged, *way;

	if (!path) {
		/* With option auto the kernel removes the group. */
		if (!vol->table.auto_depth)
			add_finding(doctor, WARNING, "cgroup-gone", vol->name,
				    xasprintf("the cgroup of group %" PRIu64 " is gone", id),
				    xasprintf("take it away with 'ioband group del %s %" PRIu64 "', or have it done always with 'ioband set %s follow=yes'",
					      vol->title, id, vol->title));
		return;
	}
	charged = charged_to(doctor->opts->sysroot, path);
	if (strcmp(charged, path)) {
		way = cgroup_io_command(path);
		add_finding(doctor, WARNING, "no-io-controller", vol->name,
			    xasprintf("group %" PRIu64 " gets no I/O: the io controller is not enabled for the cgroup %s, and %s is charged",
				      id, path, charged),
			    xasprintf("enable it with \"%s\"", way));
		free(way);
	}
	free(charged);
}

/* The cgroups of its groups. */
static void check_cgroups(struct doctor *doctor, const struct volume *vol)
{
	char *mount = cgroup_mount(doctor->opts->sysroot);
	struct cgroup_paths paths = { 0 };

	for (size_t i = 0; mount && i < vol->table.nr_groups; i++)
		if (!vol->table.groups[i].is_default)
			cgroup_paths_add(&paths, vol->table.groups[i].id);
	cgroup_paths_resolve(&paths, doctor->opts->sysroot);
	for (size_t i = 0; i < paths.nr; i++)
		check_group(doctor, vol, paths.v[i].id, paths.v[i].path);
	cgroup_paths_free(&paths);
	free(mount);
}

static int check_show(struct doctor *doctor, const struct volume *vol)
{
	struct show show;
	int status = sample_show(vol, &show);

	if (status)
		return status;
	if (!strcmp(vol->table.type, "cgroup"))
		check_cgroups(doctor, vol);
	if (show.attribution && !strcmp(show.attribution, "page"))
		add_finding(doctor, WARNING, "attribution", vol->name,
			    xstrdup("this kernel's device-mapper does not tell whose I/O it is: what dm-crypt and others above ioband send from pages of their own is charged to the default group"),
			    xstrdup("use a kernel with \"dm: use bio_clone_blkg_association\" (Debian: 6.1.170, 6.12.85), or put dm-crypt below ioband"));
	if (show.note && !strcmp(show.note, "no_effect_without_epochs"))
		add_finding(doctor, NOTE, "no-effect", vol->name,
			    xstrdup("token_base or carryover is set, and has no effect"),
			    xasprintf("clear them with 'dmsetup message %s %" PRIu64 " token 0' and the same with 'carryover 0'",
				      ioband_dm_actual(vol->name), vol->start));
	show_free(&show);
	return 0;
}

/* Groups of the file of a volume that are there as soon as their cgroups are. */
static size_t count_configured(struct doctor *doctor, const char *name)
{
	struct config cfg;
	size_t nr = 0;
	bool found;
	char *why;

	fail_keep(&why);
	if (!store_load(doctor->opts, STORE_ETC, name, &cfg, &found))
		for (size_t i = 0; i < cfg.nr_groups; i++)
			nr += strcmp(cfg.groups[i].name, "default") != 0;
	fail_keep(NULL);
	free(why);
	config_free(&cfg);
	return nr;
}

/* Report a share with a single group. */
static void check_alone(struct doctor *doctor, const struct volume *vol)
{
	size_t nr = 0;
	char *advice;

	for (size_t i = 0; i < doctor->volumes.nr; i++) {
		const struct volume *other = &doctor->volumes.v[i];

		if (strcmp(other->table.share, vol->table.share))
			continue;
		nr += other->table.nr_groups;
		/* The table need not mention the default group. */
		if (!table_find(&other->table, true, 0))
			nr++;
		if (other->table.auto_depth)
			nr += 2;
		nr += count_configured(doctor, other->name);
	}
	if (nr > 1) {
		doctor_policy(doctor, vol);
		return;
	}
	if (volume_is_followed(doctor->opts, vol))
		advice = xstrdup("it is followed, and no cgroup has an io.weight: give a unit one with 'systemctl set-property db.service IOWeight=300', or all with DefaultIOAccounting=yes in /etc/systemd/system.conf");
	else if (strcmp(vol->table.type, "cgroup") ||
		 !cgroup_has_weights(doctor->opts->sysroot))
		advice = xasprintf("add groups with 'ioband group add %s ...'",
				   vol->title);
	else
		advice = xasprintf("add groups with 'ioband group add %s ...', or have those of all cgroups with 'ioband set %s follow=yes'",
				   vol->title, vol->title);
	add_finding(doctor, NOTE, "alone", vol->name,
		    xasprintf("share %s has one group only, so nothing is divided",
			      vol->table.share), advice);
}

/* A thin pool passes no I/O on: that of thin volumes goes to what is below it. */
static void check_pool(struct doctor *doctor, const struct volume *vol)
{
	const char *suffix = strncmp(vol->uuid, "LVM-", 4) ? NULL :
			     strchr(vol->uuid + 4, '-');

	if (suffix && !strcmp(suffix, "-pool"))
		add_finding(doctor, ERROR, "thin-pool", vol->name,
			    xstrdup("it is a thin pool, and I/O of its thin volumes goes past ioband"),
			    xasprintf("'ioband detach %s', and attach it again: now it is put where the pool's data are",
				      vol->title));
}

/* Report a hidden device whose table is gone, as by dmsetup remove --force. */
static void check_below(struct doctor *doctor, const struct volume *vol)
{
	const struct ioband_dm_device *lower = hidden_find(&doctor->volumes, vol->name,
							   vol->uuid);
	struct ioband_dm_targets targets;

	if (!lower || ioband_dm_table(lower->name, &targets))
		return;
	if (targets_fail(&targets))
		add_finding(doctor, ERROR, "lost", vol->name,
			    xasprintf("its I/O fails: the table of '%s' below it was replaced by target error",
				      lower->name),
			    xasprintf("load its own table, for a logical volume with 'lvchange --refresh %s', and attach it again",
				      vol->title));
	ioband_dm_targets_free(&targets);
}

/* Report lines of other targets: their I/O bypasses ioband. */
static int check_lines(struct doctor *doctor, const struct volume *vol)
{
	struct ioband_dm_targets targets;
	size_t ours = 0;
	int r = ioband_dm_table(vol->name, &targets);

	/* The device is gone by now. */
	if (r)
		return 0;
	for (size_t i = 0; i < targets.nr; i++)
		ours += !strcmp(targets.v[i].type, TARGET_TYPE);
	if (ours && ours < targets.nr)
		add_finding(doctor, WARNING, "mixed-table", vol->name,
			    xasprintf("%zu of the %zu lines of its table are not of ioband: I/O there is neither counted nor held",
				      targets.nr - ours, targets.nr),
			    xasprintf("put ioband into the other lines, too, with 'ioband attach %s'",
				      vol->title));
	ioband_dm_targets_free(&targets);
	return 0;
}

/* A volume on top of a device keeps its size when the device is resized. */
static void check_size(struct doctor *doctor, const struct volume *vol)
{
	struct ioband_dm_targets targets;
	uint64_t end, size;
	char *text;

	if (ioband_dm_table(vol->name, &targets))
		return;
	text = targets.nr == 1 ? sys_block_line(doctor->opts->sysroot,
						vol->table.device, "size") :
				 NULL;
	if (text && parse_u64(text, UINT64_MAX, &size)) {
		end = vol->table.offset_sectors + targets.v[0].length;
		if (size < end)
			add_finding(doctor, ERROR, "size", vol->name,
				    xasprintf("it is %" PRIu64 " sectors longer than the device below it",
					      end - size),
				    volume_is_attached(vol) ?
				    xstrdup("make the device below as long as it was, before something is written there") :
				    xasprintf("make the device below as long as it was, before something is written there; or shrink the file system, then 'ioband resize %s'",
					      vol->name));
		else if (size > end && !volume_is_attached(vol))
			add_finding(doctor, WARNING, "size", vol->name,
				    xasprintf("the device below has %" PRIu64 " sectors more",
					      size - end),
				    xasprintf("use them with 'ioband resize %s'",
					      vol->name));
	}
	free(text);
	ioband_dm_targets_free(&targets);
}

/* Whether @dir has a configuration of the volume, be it readable or not. */
bool doctor_has_file(const struct doctor *doctor, const char *dir,
		     const char *name)
{
	char *path = xasprintf("%s%s/%s.conf", doctor->opts->sysroot, dir, name);
	struct stat st;
	bool found = !lstat(path, &st);

	free(path);
	return found;
}

static bool is_wanted(const struct doctor *doctor, const char *by,
		      const char *unit)
{
	return systemd_wants(doctor->opts, by, unit);
}

/* Report a configured volume that systemd does not set up at boot. */
static void check_enabled(struct doctor *doctor, const struct volume *vol,
			  const char *escaped)
{
	char *unit = xasprintf("ioband@%s.service", escaped);

	if (systemd_is_running(doctor->opts) &&
	    !(is_wanted(doctor, "ioband.target", unit) &&
	      is_wanted(doctor, "sysinit.target", "ioband.target")))
		add_finding(doctor, NOTE, "not-enabled", vol->name,
			    xstrdup("its settings are saved, but nothing restores them at boot"),
			    xasprintf("have it done with 'ioband enable %s'",
				      vol->title));
	free(unit);
}

/* Report two programs that undo each other's work. */
static void check_follow(struct doctor *doctor, const struct config *cfg,
			 const char *escaped)
{
	char *device = xasprintf("dev-mapper-%s.device", escaped);
	char *unit = xasprintf("ioband-follow@%s.service", escaped);
	char pid[PID_LEN] = "";

	if (!cfg->follow)
		find_follower(doctor->opts, cfg->name, pid);
	if (*pid)
		add_finding(doctor, WARNING, "both", cfg->name,
			    xasprintf("'ioband follow' (process %s) manages its groups, and its file says nothing of that: 'ioband apply' and it undo each other's work",
				      pid),
			    xasprintf("have both know of it with 'ioband set %s follow=yes'",
				      cfg->name));
	else if (!cfg->follow && is_wanted(doctor, device, unit) &&
	    is_wanted(doctor, "timers.target", "ioband.timer"))
		add_finding(doctor, WARNING, "both", cfg->name,
			    xstrdup("ioband.timer and 'ioband follow' undo each other's work"),
			    xasprintf("have both know of it with 'ioband set %s follow=yes'",
				      cfg->name));
	free(unit);
	free(device);
}

/* Report a file that apply refuses, whatever becomes of its volume. */
static bool load_saved(struct doctor *doctor, const char *name,
		       struct config *cfg, bool *found)
{
	struct blk blk;
	char *why;
	int status;

	fail_keep(&why);
	status = store_load(doctor->opts, STORE_ETC, name, cfg, found);
	if (!status && *found && cfg->is_attached)
		status = attach_find(doctor->opts, cfg, &blk);
	fail_keep(NULL);
	/* A device that is not there is no fault of the file. */
	if (status && status != IOBAND_DEVICE) {
		add_finding(doctor, ERROR, "config", name, why,
			    xstrdup("mend it, or remove it"));
		return false;
	}
	free(why);
	return true;
}

/* Report sections of which no group can be made now. */
static void check_sections(struct doctor *doctor, const struct volume *vol,
			   struct config *cfg)
{
	char *dormant;

	for (size_t i = 0; i < cfg->nr_groups; i++) {
		struct config_group *group = &cfg->groups[i];
		char *why;
		int r = groupref_resolve(doctor->opts, cfg->type, group->name,
					 group, &why);

		group->is_dormant = r == -ENOENT &&
				    !strcmp(cfg->type, "cgroup");
		if (r == -EEXIST)
			add_finding(doctor, WARNING, "config", vol->name,
				    xasprintf("a section of " STORE_ETC "/%s.conf is left out: %s",
					      vol->name, why),
				    xstrdup("write the path of the cgroup that is meant"));
		free(why);
	}
	dormant = groupref_dormant(cfg);
	if (dormant)
		add_finding(doctor, NOTE, "dormant", vol->name,
			    xasprintf("no cgroup is called as these groups in " STORE_ETC "/%s.conf now: %s",
				      vol->name, dormant),
			    xasprintf("a group is there as soon as its cgroup is; one that never comes again is taken out with 'ioband group del %s GROUP'",
				      vol->title));
	free(dormant);
}

static void check_saved(struct doctor *doctor, const struct volume *vol)
{
	char *escaped = systemd_escape(vol->name, false);
	struct config cfg;
	bool found, good = load_saved(doctor, vol->name, &cfg, &found);

	if (good && found) {
		check_enabled(doctor, vol, escaped);
		check_follow(doctor, &cfg, escaped);
		check_sections(doctor, vol, &cfg);
	} else if (good) {
		add_finding(doctor, NOTE, "not-saved", vol->name,
			    xstrdup("its settings are written nowhere and go with the next restart"),
			    xasprintf("keep them with 'ioband enable %s'",
				      vol->title));
	}
	config_free(&cfg);
	free(escaped);
}

/**
 * doctor_volumes - examine the chosen volumes
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int doctor_volumes(struct doctor *doctor)
{
	int status = 0;

	for (size_t i = 0; !status && i < doctor->volumes.nr; i++) {
		const struct volume *vol = &doctor->volumes.v[i];

		if (!vol->chosen)
			continue;
		status = check_show(doctor, vol);
		if (!status)
			status = check_lines(doctor, vol);
		check_size(doctor, vol);
		check_alone(doctor, vol);
		check_pool(doctor, vol);
		check_below(doctor, vol);
		check_saved(doctor, vol);
	}
	return status;
}

#define LOST	"it has lost ioband, though %s/%s.conf is there: LVM puts its own table back when it changes a volume"
#define MISSING	"there is no such device, though %s/%s.conf is there"

/* If it has become a RAID, say, it cannot be otherwise. */
static void tell_lost(struct doctor *doctor, const char *name, const char *dir,
		      const char *file, const char *command)
{
	char *title = volumes_title(&doctor->volumes, name);
	char *why = attach_why_not(doctor->opts, name);

	add_finding(doctor, why ? WARNING : ERROR, "lost", name,
		    xasprintf(LOST, dir, file), why ?
		    xasprintf("it cannot be put in as it is: %s", why) :
		    xasprintf("put it in again with 'ioband %s %s'", command,
			      title));
	free(title);
	free(why);
}

/**
 * doctor_title - what people call the subject of a finding
 * @doctor: the state
 * @name: device-mapper name of a volume, or what else the finding is about
 *
 * Of a volume that is not there its file knows.
 *
 * Return: as volume_title(), to be freed.
 */
char *doctor_title(const struct doctor *doctor, const char *name)
{
	struct config cfg;
	char *title, *why;
	bool found;

	if (volumes_device(&doctor->volumes, name, NULL) ||
	    !doctor_has_file(doctor, STORE_ETC, name))
		return volumes_title(&doctor->volumes, name);
	fail_keep(&why);
	store_load(doctor->opts, STORE_ETC, name, &cfg, &found);
	fail_keep(NULL);
	title = volume_title(name, cfg.uuid);
	free(why);
	config_free(&cfg);
	return title;
}

/* lvrename takes ioband out, and leaves the file as it is called. */
static void tell_missing(struct doctor *doctor, const struct config *cfg)
{
	const struct ioband_dm_device *now = !*cfg->uuid ? NULL :
		volumes_device(&doctor->volumes, NULL, cfg->uuid);
	char *title = volume_title(cfg->name, cfg->uuid), *advice, *new;

	if (now) {
		new = volume_title(now->name, now->uuid);
		advice = xasprintf("it is called %s now: keep it so with 'ioband enable %s', then remove the file with 'ioband disable %s'",
				   new, new, title);
		free(new);
	} else if (cfg->is_attached) {
		advice = xasprintf("ioband is put in as soon as it is active again; if it never is, 'ioband disable %s' removes the file",
				   title);
	} else {
		advice = xasprintf("make it with 'ioband apply %s', or remove the file with 'ioband disable %s'",
				   title, title);
	}
	add_finding(doctor, ERROR, "missing", cfg->name,
		    xasprintf(MISSING, STORE_ETC, cfg->name), advice);
	free(title);
}

/* A configured volume that is none. */
static void tell_kept(struct doctor *doctor, const struct config *cfg)
{
	const char *name = cfg->name;

	if (volume_is_wiped(&doctor->volumes, name))
		add_finding(doctor, ERROR, "lost", name,
			    xasprintf("its table was replaced, as by 'dmsetup wipe_table', though %s/%s.conf is there",
				      STORE_ETC, name),
			    xasprintf("free it, then 'ioband remove %s' and 'ioband apply %s'",
				      name, name));
	else if (volumes_device(&doctor->volumes, name, NULL))
		tell_lost(doctor, name, STORE_ETC, name, "apply");
	else
		tell_missing(doctor, cfg);
}

/* Report configured volumes that do not exist. */
static int check_kept(struct doctor *doctor)
{
	struct names names;
	int status = store_names(doctor->opts, STORE_ETC, &names);

	for (size_t i = 0; !status && i < names.nr; i++) {
		const char *name = names.v[i];
		struct config cfg;
		bool found;

		if (volumes_find(&doctor->volumes, name) ||
		    !doctor_wants(doctor, name))
			continue;
		if (load_saved(doctor, name, &cfg, &found))
			tell_kept(doctor, &cfg);
		config_free(&cfg);
	}
	names_free(&names);
	return status;
}

/* Report what is left of an attached volume, perhaps under another name. */
static void check_ghost(struct doctor *doctor, const struct ghost *ghost)
{
	const char *name = ghost->name;

	if (!doctor_wants(doctor, name))
		return;
	if (!strcmp(ghost->state, "orphan"))
		add_finding(doctor, WARNING, "orphan", name,
			    xstrdup("it is left over from a volume that has lost ioband, and keeps its disks in use"),
			    xasprintf("attach that volume again, or take it away with 'dmsetup remove %s'",
				      name));
	else if (doctor_has_file(doctor, STORE_ETC, name))
		return;
	else if (!strcmp(ghost->state, "lost"))
		tell_lost(doctor, name, STORE_RUN, ghost->cfg.name, "attach");
	else
		add_finding(doctor, WARNING, "missing", name,
			    xasprintf(MISSING, STORE_RUN, ghost->cfg.name),
			    xasprintf("after its activation put ioband in again with 'ioband attach %s', or forget it with 'ioband detach %s'",
				      name, name));
}

/**
 * doctor_lost - look for volumes that should exist but do not
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int doctor_lost(struct doctor *doctor)
{
	struct ghosts ghosts = { 0 };
	int status = check_kept(doctor);

	if (!status)
		status = ghosts_read(doctor->opts, &doctor->volumes, &ghosts);
	for (size_t i = 0; !status && i < ghosts.nr; i++)
		check_ghost(doctor, &ghosts.v[i]);
	ghosts_free(&ghosts);
	return status;
}
