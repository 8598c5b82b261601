// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband enable and disable: a volume for good, and back.
 *
 * What enable makes are the volume, its file in /etc/ioband, and the links of the units
 * that make it what the file says: at boot, and when LVM has undone it. It makes all of
 * this or nothing.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply/converge.h"
#include "attach/attach.h"
#include "attach/inside.h"
#include "attach/wbt.h"
#include "cmd.h"
#include "config/current.h"
#include "config/groupref.h"
#include "config/services.h"
#include "config/share.h"
#include "config/store.h"
#include "enable/vg.h"
#include "lib/action.h"
#include "lib/attachable.h"
#include "lib/blk.h"
#include "lib/leaf.h"
#include "lib/lock.h"
#include "lib/mounts.h"
#include "lib/target.h"
#include "lib/util.h"

static int with_follow, keep_config;

static const struct option enable_long_options[] = {
	{ "follow",	no_argument,		&with_follow, true },
	{ "force",	no_argument,		&create_force, true },
	{ 0 }
};

const struct own_options enable_options = {
	enable_long_options, NULL,
	"      --follow         have 'ioband follow' run for it too\n"
	"      --force          create on what LVM or RAID would find twice\n"
};

static const struct option disable_long_options[] = {
	{ "keep-config", no_argument,		&keep_config, true },
	{ 0 }
};

const struct own_options disable_options = {
	disable_long_options, NULL,
	"      --keep-config    rename its file to NAME.conf.disabled\n"
};

/**
 * struct subject - the volume that is enabled or disabled, as it was before
 * @title: what people call it
 * @devno: the device that it is in, or on top of; "" if there is none
 * @vol: the volume, or %NULL
 * @file: its file in /etc/ioband, or %NULL
 * @meant: what that file, with those that belong to it, means
 * @record: its record, or %NULL
 */
struct subject {
	const struct options *opts;
	struct volumes volumes;
	char name[VOLUME_LEN];
	char *title;
	char devno[DEVNO_LEN];
	const struct volume *vol;
	char *file;
	char *meant;
	char *record;
	struct services services;
};

/* Once the name is known, find out what there is. */
static int subject_read(struct subject *s)
{
	s->title = volumes_title(&s->volumes, s->name);
	s->vol = volumes_find(&s->volumes, s->name);
	s->file = store_get(s->opts, STORE_ETC, s->name);
	s->record = store_get(s->opts, STORE_RUN, s->name);
	return services_read(s->opts, s->name, &s->services);
}

static void subject_free(struct subject *s)
{
	free(s->title);
	free(s->file);
	free(s->meant);
	free(s->record);
	services_free(&s->services);
	volumes_free(&s->volumes);
}

/* A line about it. */
__attribute__((format(printf, 2, 3)))
static void say(const struct subject *s, const char *fmt, ...)
{
	va_list args;

	if (s->opts->quiet || s->opts->dry_run)
		return;
	printf("%s: ", s->title);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static void say_initramfs(const struct subject *s)
{
	char *root = mounts_at(s->opts->sysroot, "/");

	if (root && *s->devno &&
	    leaf_is_below(s->opts->sysroot, root, s->devno))
		say(s, "it has the root file system: 'update-initramfs -u' makes the same so in the initramfs");
	free(root);
}

/* Ignored rather than blocked: the lock may be waited for when we undo. */
static void ignore_signals(bool ignore)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGTERM };
	static void (*old[3])(int);

	for (size_t i = 0; i < 3; i++)
		if (ignore)
			old[i] = signal(ends[i], SIG_IGN);
		else
			signal(ends[i], old[i]);
}

/* What the file is to say, before defaults are filled in. */
static int find_config(struct subject *s, const char *device,
		       const struct config *words, struct config *cfg)
{
	const struct options *opts = s->opts;
	const struct ioband_dm_device *dev;
	struct parse_error err;
	bool found;
	int status;

	if (s->file || store_has_file(opts, s->name)) {
		status = store_load(opts, STORE_ETC, s->name, cfg, &found);
		if (!status)
			status = store_text(cfg, &s->meant);
		if (device)
			snprintf(cfg->device, sizeof(cfg->device), "%s",
				 device);
	} else if (s->vol) {
		status = save_config(opts, &s->volumes, s->vol,
				     with_follow ? true : -1, cfg);
	} else if (device) {
		config_init(cfg, s->name);
		snprintf(cfg->device, sizeof(cfg->device), "%s", device);
		status = 0;
	} else {
		dev = volumes_device(&s->volumes, s->name, NULL);
		status = attach_config(opts, &s->volumes, s->name, dev->uuid,
				       s->devno, words, cfg);
		cfg->is_attached = true;
		snprintf(cfg->device, sizeof(cfg->device), "/dev/mapper/%s",
			 s->name);
		snprintf(cfg->uuid, sizeof(cfg->uuid), "%s", dev->uuid);
	}
	if (status)
		return status;
	config_merge(cfg, words);
	cfg->follow |= with_follow;
	return config_check(cfg, &err) ?
	       fail(IOBAND_USAGE, "enable: %s", err.text) : 0;
}

/*
 * Fill in defaults, and compose the file. A share that was not named stays out of it:
 * disks may get other names.
 */
static int complete(const struct subject *s, struct config *cfg, char **text)
{
	bool is_new = !s->file && !s->vol;
	char share[SHARE_LEN];
	int status;

	strcpy(share, cfg->share);
	status = share_default(s->opts, cfg, s->devno);
	if (status)
		return status;
	/* What a file leaves out has its default, whatever the share has. */
	for (int i = CONFIG_POLICY; i <= CONFIG_QUANTUM; i++)
		cfg->given[i] |= !is_new;
	share_adopt(s->opts, &s->volumes, cfg, s->devno);
	if (*share)
		return store_text(cfg, text);
	strcpy(share, cfg->share);
	*cfg->share = '\0';
	status = store_text(cfg, text);
	strcpy(cfg->share, share);
	return status;
}

/* The volume as it is to be. @nr_changes: set to how much of it was not. */
static int make_volume(const struct subject *s, struct config *cfg,
		       size_t *nr_changes, unsigned int *nr_missing)
{
	struct plan plan = { 0 };
	int status;

	status = groupref_resolve_all(s->opts, cfg, nr_missing);
	if (!status)
		status = plan_make(s->opts, &s->volumes, cfg, &plan);
	if (!status)
		status = plan_do(s->opts, &s->volumes, cfg, &plan);
	*nr_changes = plan.nr;
	plan_free(&plan);
	return status;
}

/* The volume as it was. */
static int unmake_volume(const struct subject *s)
{
	struct volumes volumes = { 0 };
	const struct volume *now;
	struct plan plan = { 0 };
	struct config was;
	int status;

	config_init(&was, s->name);
	status = volumes_read(&volumes);
	now = volumes_find(&volumes, s->name);
	if (!status && s->vol && now) {
		status = volume_config(s->opts, s->vol, &was);
		if (!status)
			status = plan_make(s->opts, &volumes, &was, &plan);
		if (!status)
			status = plan_do(s->opts, &volumes, &was, &plan);
	} else if (!status && now && volume_is_attached(now)) {
		status = inside_take_out(s->opts, &volumes, s->name);
	} else if (!status && now) {
		status = remove_device(s->opts,
				       volumes_device(&volumes, s->name, NULL));
	}
	plan_free(&plan);
	config_free(&was);
	volumes_free(&volumes);
	return status;
}

/* Everything as it was, after something has failed. */
static void undo(const struct subject *s, bool with_units)
{
	bool failed;

	if (s->opts->dry_run)
		return;
	failed = with_units && services_undo(s->opts, &s->services);
	failed |= lock_take(s->opts);
	failed |= store_put(s->opts, STORE_ETC, s->name, s->file);
	failed |= unmake_volume(s);
	failed |= store_put(s->opts, STORE_RUN, s->name, s->record);
	wbt_restore(s->opts, NULL);
	if (failed)
		warn("'%s' is not as before: see 'ioband list', " STORE_ETC " and 'systemctl status \"ioband*\"'",
		     s->title);
	else
		warn("'%s' is as before", s->title);
}

static void print_file(const struct subject *s, const char *text)
{
	char *path = shell_word(STORE_ETC "/%s.conf", s->name);

	printf("cat >%s <<'END'\n%sEND\n", path, text);
	free(path);
}

/* Which units are to be enabled; return: how many of them are not, or do not run. */
static size_t choose_units(struct subject *s, bool follow)
{
	bool running = systemd_is_running(s->opts);
	size_t nr = 0;

	for (int i = 0; i < NR_SERVICES; i++) {
		struct service *service = &s->services.v[i];

		service->is_wanted = i != SERVICE_FOLLOW || follow;
		nr += service->is_wanted &&
		      (!service->is_enabled || (running && !service->is_active));
	}
	return nr;
}

static void report_result(struct subject *s, const struct config *cfg,
			  bool changed, bool units_changed)
{
	char *list;

	report_volume(s->opts, s->title,
		      !s->vol ? cfg->is_attached ? "ioband inserted" : "created" :
		      !s->file ? "enabled" :
		      changed ? "changed" :
		      units_changed ? "units started" : "enabled already", cfg,
		      "%s", "");
	if (s->file && !units_changed)
		return;
	for (int i = 0; i < NR_SERVICES; i++)
		s->services.v[i].is_enabled = s->services.v[i].is_wanted;
	list = services_list(&s->services);
	say(s, "kept through reboots%s by " STORE_ETC "/%s.conf, %s",
	    cfg->is_attached ? " and what LVM changes" : "", s->name, list);
	free(list);
	if (!systemd_is_running(s->opts))
		say(s, "systemd does not run here: these units start at the next boot");
	say(s, "to undo it: ioband disable %s", s->title);
	say_initramfs(s);
}

/* Refused before anything is done, in the words of attach. */
static int check_obstacle(const struct subject *s)
{
	char *why = attach_why_not(s->opts, s->name);
	int status = why ? fail(IOBAND_DEVICE, "cannot enable '%s': %s",
				s->title, why) : 0;

	free(why);
	return status;
}

static int enable(struct subject *s, const char *device,
		  const struct config *words)
{
	const struct options *opts = s->opts;
	unsigned int nr_missing = 0;
	size_t nr_changes = 0, nr_units;
	char *text = NULL;
	struct config cfg;
	bool writes;
	int status;

	config_init(&cfg, s->name);
	status = find_config(s, device, words, &cfg);
	if (!status)
		status = complete(s, &cfg, &text);
	if (!status && cfg.is_attached && !s->vol)
		status = check_obstacle(s);
	if (status)
		goto out;
	/* A file that somebody has written stays as it is unless that changes. */
	writes = !s->meant || strcmp(s->meant, text);
	if (writes && store_has_dropins(opts, s->name))
		warn("'%s' has files in " STORE_ETC "/%s.conf.d, and what they say takes the place of what is written",
		     s->title, s->name);
	nr_units = choose_units(s, cfg.follow);

	ignore_signals(true);
	status = make_volume(s, &cfg, &nr_changes, &nr_missing);
	if (!status && writes && opts->dry_run)
		print_file(s, text);
	else if (!status && writes)
		status = store_write(opts, s->name, text);
	if (!status) {
		wbt_off(opts, s->devno, true);
		/* The units run 'ioband apply'. */
		lock_drop();
		status = services_start(opts, &s->services, writes);
		if (status)
			undo(s, true);
	} else if (action_done()) {
		undo(s, false);
	}
	ignore_signals(false);
	if (!status)
		report_result(s, &cfg, nr_changes || writes, nr_units);
	if (!status)
		report_dormant(opts, s->title, &cfg);
	if (!status && nr_missing)
		status = IOBAND_PARTLY;
out:
	free(text);
	config_free(&cfg);
	return status;
}

/* Whether a word is a device rather than key=value. */
static bool is_device(const char *word)
{
	char *tag, *value;

	if (!blk_parse_tag(word, &tag, &value))
		return *word == '/' || !strchr(word, '=');
	free(value);
	free(tag);
	return *word >= 'A' && *word <= 'Z';
}

/* NAME DEVICE: a device of its own, on top of another. */
static int find_below(struct subject *s, const char *name, const char *device,
		      char **path)
{
	char *tag, *value;
	struct blk blk;
	int status = 0;

	if (strchr(name, '/') && !strcmp(device, "follow"))
		status = fail(IOBAND_USAGE,
			      "enable: unexpected word 'follow': expected --follow");
	else if (strchr(name, '/'))
		status = fail(IOBAND_USAGE,
			      "enable: unexpected word '%s' behind '%s': \"ioband group add %s %s\" gives it a group; a volume on top of a device has a name without a slash",
			      device, name, name, device);
	else
		status = check_volume_name(name);

	if (!status)
		status = blk_find_below(s->opts->sysroot, device, name, &blk);
	if (status)
		return status;
	snprintf(s->name, sizeof(s->name), "%s", name);
	strcpy(s->devno, blk.devno);
	if (blk_parse_tag(device, &tag, &value)) {
		free(tag);
		free(value);
		*path = xstrdup(device);
	} else {
		*path = blk_stable_path(s->opts->sysroot, blk.devno);
	}
	return 0;
}

/* A device to put ioband into, or a volume that is one of its own already. */
static int find_device(struct subject *s, const char *word)
{
	struct blk blk;
	int status = blk_find(s->opts->sysroot, word, &blk);

	if (!status && !*blk.dm_name)
		status = fail(IOBAND_DEVICE,
			      "cannot enable '%s': it is not a device-mapper device, such as a logical volume is; a volume on top of it has a name of its own, as in 'ioband enable data %s'",
			      word, word);
	if (status)
		return status;
	leaf_find(s->opts->sysroot, &blk);
	strcpy(s->name, blk.dm_name);
	strcpy(s->devno, blk.devno);
	return 0;
}

/* What there is already has to be of the kind that is asked for. */
static int check_kind(const struct subject *s, const char *device)
{
	const struct ioband_dm_device *dev;

	dev = volumes_device(&s->volumes, s->name, NULL);
	if (!device && (!dev || !dev->uuid))
		return fail(IOBAND_DEVICE,
			    "cannot enable '%s': device-mapper has no such device any more",
			    s->title);
	if (device && dev && (!s->vol || volume_is_attached(s->vol) ||
			      strcmp(s->vol->devices[0], s->devno)))
		return fail(IOBAND_BUSY,
			    "cannot enable '%s' on '%s': there is a device of that name; choose another one",
			    s->name, device);
	return 0;
}

/* @device: what it is to be on top of, or %NULL to put ioband into what @word names */
static int enable_one(const struct options *opts, const char *word,
		      const char *device, const struct config *words)
{
	struct subject s = { .opts = opts };
	char *path = NULL;
	int status;

	status = device ? find_below(&s, word, device, &path) :
			  find_device(&s, word);
	if (!status)
		status = volumes_lock(opts, &s.volumes);
	if (!status)
		status = subject_read(&s);
	if (!status)
		status = check_kind(&s, path);
	if (!status)
		status = enable(&s, path, words);
	free(path);
	subject_free(&s);
	return status;
}

/*
 * A volume on top of a device that is not there now: its file has the device. @device: set to
 * that, to be freed, or %NULL.
 */
static int find_kept_device(const struct options *opts, const char *word,
			    char **device)
{
	struct config cfg;
	struct blk blk;
	bool found;
	char *why;
	int status;

	*device = NULL;
	if (strchr(word, '/') || !store_has_file(opts, word))
		return 0;
	why = blk_look_up(opts->sysroot, word, &blk);
	if (!why)
		return 0;
	free(why);
	status = store_load(opts, STORE_ETC, word, &cfg, &found);
	if (!status && found && !cfg.is_attached)
		*device = xstrdup(cfg.device);
	config_free(&cfg);
	return status;
}

static int enable_inside(const struct options *opts, const char *word,
			 const struct config *words)
{
	return enable_one(opts, word, NULL, words);
}

int cmd_enable(const struct options *opts, int argc, char **argv)
{
	struct ioband_dm_version version;
	struct parse_error err;
	struct names names = { 0 };
	struct config words;
	char *kept = NULL;
	bool is_create;
	int status, first;

	if (!argc)
		return fail(IOBAND_USAGE,
			    "enable: expected a logical volume, as in 'ioband enable vg/data'");
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "follow=", 7))
			return fail(IOBAND_USAGE,
				    "enable: unexpected word '%s': expected --follow, or later 'ioband set %s %s'",
				    argv[i], argv[0], argv[i]);
	is_create = argc > 1 && is_device(argv[1]);
	if (create_force && !is_create)
		return fail(IOBAND_USAGE,
			    "enable: --force: expected a name and a device, as in 'ioband enable pv0 /dev/sdb --force'");
	first = is_create ? 2 : 1;
	config_init(&words, "");
	if (argc > first && config_take_words(&words, argc - first,
					      argv + first, &err))
		status = fail(IOBAND_USAGE, "enable: %s", err.text);
	else
		status = target_check(&version);
	if (!status && !is_create)
		status = vg_find(opts, argv[0], &names);
	if (!status && !is_create && !names.nr)
		status = find_kept_device(opts, argv[0], &kept);
	if (!status)
		status = names.nr ?
			 vg_each(opts, &names, enable_inside, &words) :
			 enable_one(opts, argv[0], is_create ? argv[1] : kept,
				    &words);
	free(kept);
	names_free(&names);
	config_free(&words);
	return status;
}

/* What is still there of the volume itself. */
static int take_away(const struct subject *s)
{
	struct config cfg;
	bool known;

	if (s->vol && !volume_is_attached(s->vol))
		return remove_device(s->opts,
				     volumes_device(&s->volumes, s->name, NULL));
	known = s->vol;
	if (!known) {
		const struct ioband_dm_device *dev =
			volumes_device(&s->volumes, s->name, NULL);

		known = record_find(s->opts, s->name,
				    dev && dev->uuid ? dev->uuid : "", &cfg);
		config_free(&cfg);
	}
	return known ? detach_volume(s->opts, &s->volumes, s->name) : 0;
}

/* A file that somebody has written by hand is not ours to remove. */
static int drop_file(const struct subject *s, char **what)
{
	bool keep = keep_config || strncmp(s->file, STORE_HEAD,
					   strlen(STORE_HEAD));
	char *path = xasprintf("%s" STORE_ETC "/%s.conf", s->opts->sysroot,
			       s->name);
	char *kept = xasprintf("%s.disabled", path);
	const char *shown = path + strlen(s->opts->sysroot);
	char *a = shell_word("%s", shown), *b = shell_word("%s.disabled", shown);
	int status = 0;

	*what = keep ? xasprintf("renamed %s to %s", a, b) :
		       xasprintf("removed %s", a);
	if (s->opts->dry_run && keep)
		printf("mv %s %s\n", a, b);
	else if (s->opts->dry_run)
		printf("rm %s\n", a);
	else if (!keep)
		status = store_put(s->opts, STORE_ETC, s->name, NULL);
	else if (rename(path, kept))
		status = fail(IOBAND_USAGE, "cannot rename '%s': %m", path);
	free(a);
	free(b);
	free(kept);
	free(path);
	return status;
}

/* The units of all volumes are of use as long as one has a file. */
static void choose_useless(struct subject *s)
{
	struct names names;
	bool others = store_names(s->opts, STORE_ETC, &names);

	for (size_t i = 0; i < names.nr; i++)
		others |= strcmp(names.v[i], s->name);
	names_free(&names);
	for (int i = 0; i < NR_SERVICES; i++)
		s->services.v[i].is_wanted = !others || i == SERVICE_FOLLOW ||
					     i == SERVICE_VOLUME;
}

/*
 * The lock is held to the end: what waits for it to attach the volume again finds no
 * file then.
 */
static int disable(struct subject *s)
{
	char *what = NULL, *units;
	struct blk blk;
	char *why;
	int status;

	fail_keep(&why);
	if (!*s->devno && !blk_find(s->opts->sysroot, s->name, &blk))
		strcpy(s->devno, blk.devno);
	fail_keep(NULL);
	free(why);
	choose_useless(s);
	units = services_list(&s->services);
	if (!s->vol && !s->file && !s->record && !*units) {
		say(s, "not enabled: nothing to do");
		free(units);
		return 0;
	}
	status = take_away(s);
	if (!status && s->file)
		status = drop_file(s, &what);
	if (!status)
		status = *units ? services_stop(s->opts, &s->services) :
				  services_reload(s->opts);
	if (!status) {
		say(s, "%s%s%s%s%s",
		    !s->vol ? "had no ioband any more" :
		    volume_is_attached(s->vol) ? "ioband taken out" : "removed",
		    what ? "; " : "", what ? what : "", *units ? "; disabled " : "",
		    units);
		if (store_has_dropins(s->opts, s->name))
			say(s, "left: " STORE_ETC "/%s.conf.d", s->name);
		wbt_restore(s->opts, s->name);
		say_initramfs(s);
	}
	free(what);
	free(units);
	return status;
}

/*
 * To disable once more what is not there any more is no failure, as for what still is; but a
 * path leads somewhere, and a logical volume has to be called by its full name.
 */
static int find_subject(struct subject *s, const char *word, bool *is_there)
{
	const struct options *opts = s->opts;
	char *meant = blk_lv_called(opts->sysroot, word), *why;
	bool may_be_gone = !meant && *word != '/' && !strpbrk(word, ":=");
	int status;

	free(meant);
	fail_keep(&why);
	status = volume_meant(opts, &s->volumes, "disable", word, s->name);
	fail_keep(NULL);
	*is_there = !status;
	if (status == IOBAND_DEVICE && may_be_gone) {
		report(opts, "%s: there is no such volume, and it is not enabled: nothing to do",
		       word);
		status = 0;
	} else if (status) {
		status = fail(status, "%s", why);
	}
	free(why);
	return status;
}

static int disable_one(const struct options *opts, const char *word,
		       const struct config *words)
{
	struct subject s = { .opts = opts };
	bool is_there = false;
	int status;

	(void)words;
	status = volumes_lock(opts, &s.volumes);
	if (!status)
		status = find_subject(&s, word, &is_there);
	if (!status && is_there)
		status = subject_read(&s);
	if (!status && is_there)
		status = disable(&s);
	subject_free(&s);
	return status;
}

int cmd_disable(const struct options *opts, int argc, char **argv)
{
	struct names names;
	int status;

	if (!argc)
		return fail(IOBAND_USAGE,
			    "disable: expected a logical volume or the name of a volume, as in 'ioband disable vg/data'");
	status = vg_find_known(opts, argv[0], &names);
	if (!status)
		status = names.nr ?
			 vg_each(opts, &names, disable_one, NULL) :
			 disable_one(opts, argv[0], NULL);
	names_free(&names);
	return status;
}
