// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioband apply and diff: make volumes match their configuration, or list where
 * they differ.
 */
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"
#include "attach/wbt.h"
#include "cmd.h"
#include "config/current.h"
#include "config/groupref.h"
#include "config/share.h"
#include "config/store.h"
#include "converge.h"
#include "lib/attachable.h"
#include "lib/blk.h"
#include "lib/leaf.h"
#include "lib/lock.h"
#include "lib/output.h"
#include "lib/target.h"
#include "lib/util.h"

enum {
	COL_VOLUME,
	COL_GROUP,
	COL_KEY,
	COL_IS,
	COL_SHOULD,
};

const struct column diff_columns[] = {
	[COL_VOLUME] = { "VOLUME", COLUMN_STRING, true,
		"VG/LV or name of the volume; its device-mapper name with --json and --raw" },
	[COL_GROUP] = { "GROUP", COLUMN_STRING, true,
		"the group; unknown where it is about the volume itself" },
	[COL_KEY] = { "KEY", COLUMN_STRING, true,
		"what is different" },
	[COL_IS] = { "IS", COLUMN_ANY, true,
		"as it is now" },
	[COL_SHOULD] = { "SHOULD", COLUMN_ANY, true,
		"as it is configured" },
	{ 0 }
};

/*
 * LVM loads the tables of a thin pool more than once for one command, and udev starts the
 * unit that runs us for each; but not while it runs. So after something has been put in,
 * what is missing is looked for again.
 */
enum {
	NR_PASSES = 5,
};

static int check_only, only_missing;

static const struct option apply_long_options[] = {
	{ "check",	no_argument,		&check_only, true },
	{ "missing",	no_argument,		&only_missing, true },
	{ 0 }
};

const struct own_options apply_options = {
	apply_long_options, NULL,
	"      --check          change nothing, and tell by the exit status\n"
	"      --missing        only add volumes and groups, and leave the rest as it is\n"
};

/**
 * struct member - a configured volume and its share
 * @is_chosen: to be applied or compared; the others are kept for check_policy()
 * @share: "" if it cannot be determined
 * @policy: "" if it is automatic: then it is that of the others
 */
struct member {
	char *name;
	bool is_chosen;
	char share[SHARE_LEN];
	char policy[WORD_LEN];
};

/**
 * struct run - one run over some volumes
 * @list: listing of differences, or %NULL to remove the differences
 * @members: volumes given as arguments, in that order, then all configured ones
 * @can_change: apply would remove at least some of the differences
 * @nr_done: volumes that were processed without error, groups left out aside
 * @any_inserted: a volume was missing
 * @status: exit code: that of the first volume that failed, else %IOBAND_PARTLY or 0
 */
struct run {
	const struct options *opts;
	struct listing *list;
	struct member *members;
	size_t nr_members;
	unsigned int nr_done;
	bool any_inserted;
	bool any_difference;
	bool can_change;
	int status;
};

/* Fill in what the file left out. */
static int complete(const struct options *opts, struct config *cfg,
		    char devno[DEVNO_LEN])
{
	struct blk blk;
	int status = cfg->is_attached ? 0 : check_volume_name(cfg->name);

	if (status)
		return status;
	status = cfg->is_attached ?
		 attach_find(opts, cfg, &blk) :
		 blk_find_below(opts->sysroot, cfg->device, cfg->name, &blk);
	if (!status)
		status = share_default(opts, cfg, blk.devno);
	strcpy(devno, blk.devno);
	return status;
}

static void add_differences(struct listing *list, const char *name,
			    const char *title, const struct plan *plan)
{
	for (size_t i = 0; i < plan->nr; i++) {
		const struct difference *d = &plan->v[i];

		listing_row(list);
		listing_volume(list, COL_VOLUME, name, title);
		if (d->group)
			listing_string(list, COL_GROUP, d->group);
		listing_string(list, COL_KEY, d->key);
		if (d->is)
			listing_string(list, COL_IS, d->is);
		if (d->should)
			listing_string(list, COL_SHOULD, d->should);
	}
}

/* Groups that are missing because it is not clear what they are of. */
static void add_absent(struct listing *list, const struct config *cfg,
		       const char *title)
{
	for (size_t i = 0; i < cfg->nr_groups; i++) {
		const struct config_group *group = &cfg->groups[i];

		if (group->has_id || group->is_default || group->is_dormant)
			continue;
		listing_row(list);
		listing_volume(list, COL_VOLUME, cfg->name, title);
		listing_string(list, COL_GROUP, group->name);
		listing_string(list, COL_KEY, "group");
		listing_string(list, COL_SHOULD, "there");
	}
}

/* What was as written is not worth a line: the timer would say so each minute. */
static void report_plan(const struct options *opts, const char *title,
			const struct config *cfg, const struct plan *plan)
{
	if (plan->is_missing)
		report_volume(opts, title, cfg->is_attached ?
			      "ioband inserted" : "created", cfg, "%s", "");
	else if (plan->nr)
		report(opts, "%s: %zu change%s made, as " STORE_ETC "/%s.conf says",
		       title, plan->nr, plan->nr == 1 ? "" : "s", cfg->name);
	if (!cfg->only_missing)
		report_dormant(opts, title, cfg);
}

/* What is as it cannot be changed now is told once, with the reason. */
static void look_at(struct run *run, const struct config *cfg,
		    const struct plan *plan, const char *title,
		    unsigned int nr_missing)
{
	char *why = plan->is_missing && cfg->is_attached ?
		    attach_why_not(run->opts, cfg->name) : NULL;

	run->any_difference |= plan->nr || nr_missing;
	run->can_change |= plan->nr && !why;
	if (why)
		warn("%s: stays without ioband: %s", title, why);
	free(why);
	if (!run->list)
		return;
	add_absent(run->list, cfg, title);
	add_differences(run->list, cfg->name, title, plan);
}

static int run_volume(struct run *run, struct config *cfg)
{
	const struct options *opts = run->opts;
	bool look_only = run->list || check_only;
	struct volumes volumes = { 0 };
	struct plan plan = { 0 };
	unsigned int nr_missing = 0;
	char devno[DEVNO_LEN];
	char *title;
	int status;

	status = complete(opts, cfg, devno);
	/* A key left out means its default, even if another value is in force. */
	for (int i = CONFIG_POLICY; i <= CONFIG_QUANTUM; i++)
		cfg->given[i] = true;
	cfg->only_missing = only_missing;
	if (!status)
		status = look_only ? volumes_read(&volumes) :
				     volumes_lock(opts, &volumes);
	if (!status) {
		share_adopt(opts, &volumes, cfg, devno);
		status = groupref_resolve_all(opts, cfg, &nr_missing);
	}
	if (!status)
		status = plan_make(opts, &volumes, cfg, &plan);
	title = volumes_title(&volumes, cfg->name);
	if (!status && look_only)
		look_at(run, cfg, &plan, title, nr_missing);
	else if (!status)
		status = plan_do(opts, &volumes, cfg, &plan);
	run->any_inserted |= !status && !look_only && plan.is_missing;
	cfg->only_missing = only_missing;
	if (!status && !look_only)
		report_plan(opts, title, cfg, &plan);
	/* Whatever else of it cannot be done. */
	if (!look_only && (!status || volumes_find(&volumes, cfg->name)))
		wbt_off(opts, devno, !only_missing);
	if (!status && nr_missing && !look_only)
		status = IOBAND_PARTLY;
	free(title);
	plan_free(&plan);
	volumes_free(&volumes);
	return status;
}

/* Errors in the file are reported when the volume is processed. */
static void find_share(const struct options *opts, struct member *member)
{
	char devno[DEVNO_LEN];
	struct config cfg;
	bool found;
	char *why;

	fail_keep(&why);
	if (!store_load(opts, STORE_ETC, member->name, &cfg, &found) && found &&
	    !complete(opts, &cfg, devno)) {
		strcpy(member->share, cfg.share);
		if (!cfg.auto_policy)
			strcpy(member->policy, cfg.policy);
	}
	fail_keep(NULL);
	free(why);
	config_free(&cfg);
}

/* With different policies, each would reset the other's groups on every run. */
static int check_policy(const struct run *run, const struct member *member)
{
	for (size_t i = 0; *member->share && i < run->nr_members; i++) {
		const struct member *other = &run->members[i];

		if (!strcmp(other->share, member->share) && *other->policy &&
		    *member->policy && strcmp(other->policy, member->policy))
			return fail(IOBAND_USAGE,
				    STORE_ETC "/%s.conf has policy %s, and " STORE_ETC "/%s.conf of the same share '%s' has policy %s: write one policy into both",
				    member->name, member->policy, other->name,
				    other->share, other->policy);
	}
	return 0;
}

/*
 * A logical volume that is not active, has been exported or removed. Who names it wants
 * it; who applies or compares all takes them as they are.
 */
static bool is_absent(struct run *run, const struct config *cfg)
{
	bool look_only = run->list || check_only;
	struct difference missing = {
		.key = "volume",
		.should = cfg->is_attached ? "attached" : "created",
	};
	const struct plan plan = { .v = &missing, .nr = 1 };
	char *node = *cfg->device ? xstrdup(cfg->device) :
				    xasprintf("/dev/mapper/%s", cfg->name);
	struct blk blk;
	char *why = blk_look_up(run->opts->sysroot, node, &blk);
	char *title = volume_title(cfg->name, cfg->uuid);

	if (why && !only_missing)
		warn("%s: %s: cannot use '%s': %s; 'ioband disable %s' forgets it",
		     title, look_only ? "stays without ioband" : "left out for now",
		     node, why, title);
	if (why && look_only)
		run->any_difference = true;
	if (why && run->list)
		add_differences(run->list, cfg->name, title, &plan);
	free(title);
	free(why);
	free(node);
	return why;
}

static void run_member(struct run *run, const struct member *member,
		       bool is_named)
{
	const char *name = member->name;
	struct config cfg;
	bool found = false;
	int status;

	config_init(&cfg, name);
	status = check_policy(run, member);
	if (!status)
		status = store_load(run->opts, STORE_ETC, name, &cfg, &found);
	if (!status && !found && is_named)
		status = fail(IOBAND_DEVICE,
			      "'%s' has no configuration: write " STORE_ETC "/%s.conf, or have it written by 'ioband enable %s'",
			      name, name, name);
	else if (!status && found && !is_named && is_absent(run, &cfg))
		status = run->list || check_only ? 0 : IOBAND_PARTLY;
	else if (!status && found)
		status = run_volume(run, &cfg);
	config_free(&cfg);
	if (!run->status || run->status == IOBAND_PARTLY)
		run->status = status ? status : run->status;
	run->nr_done += !status || status == IOBAND_PARTLY;
}

static void add_member(struct run *run, const char *name, bool is_chosen)
{
	run->members = xreallocarray(run->members, run->nr_members + 1,
				     sizeof(*run->members));
	run->members[run->nr_members++] = (struct member){
		.name = xstrdup(name),
		.is_chosen = is_chosen,
	};
}

/*
 * Accept VG/LV and nodes as well: the file is named after the device-mapper name. The
 * device may be still to be made.
 */
static int add_named(struct run *run, const char *word)
{
	static const struct volumes none;
	bool is_lv = blk_is_lv(word);
	char name[VOLUME_LEN], *why;
	struct blk blk;

	if (is_lv && volume_known(run->opts, &none, word, name)) {
		word = name;
	} else if (*word == '/' || is_lv) {
		why = blk_look_up(run->opts->sysroot, word, &blk);
		if (!why && !store_has_file(run->opts, blk.dm_name))
			leaf_find(run->opts->sysroot, &blk);
		if (!why && *blk.dm_name)
			word = blk.dm_name;
		else if ((is_lv || !strncmp(word, "/dev/", 5)) &&
			 blk_dm_name(name, sizeof(name), word))
			word = name;
		free(why);
	}
	add_member(run, word, true);
	return check_volume_name(word);
}

static int add_all(struct run *run, bool are_chosen)
{
	struct names names;
	int status = store_names(run->opts, STORE_ETC, &names);

	for (size_t i = 0; i < names.nr; i++)
		add_member(run, names.v[i], are_chosen);
	names_free(&names);
	return status;
}

static int run_all(struct run *run, int argc, char **argv)
{
	struct ioband_dm_version version;
	int status = 0;

	for (int i = 0; !status && i < argc; i++)
		status = add_named(run, argv[i]);
	if (!status)
		status = target_check(&version);
	if (!status)
		status = add_all(run, !argc);
	/* Before the files are read: 'ioband disable' may be about to remove them. */
	if (!status && !run->list && !check_only)
		status = lock_take(run->opts);
	for (size_t i = 0; !status && i < run->nr_members; i++)
		find_share(run->opts, &run->members[i]);
	for (int i = 0; !status && i < NR_PASSES; i++) {
		run->any_inserted = false;
		for (size_t j = 0; j < run->nr_members; j++)
			if (run->members[j].is_chosen)
				run_member(run, &run->members[j], argc);
		if (!only_missing || !run->any_inserted || run->opts->dry_run)
			break;
	}
	/* LVM has taken a volume off a disk. */
	if (!status && !argc && !run->list && !check_only && !run->opts->dry_run)
		wbt_restore(run->opts, NULL);
	for (size_t i = 0; i < run->nr_members; i++)
		free(run->members[i].name);
	free(run->members);
	return status ? status : run->status;
}

int cmd_apply(const struct options *opts, int argc, char **argv)
{
	struct run run = { .opts = opts };
	int status;

	if (check_only && opts->dry_run)
		return fail(IOBAND_USAGE,
			    "--check and --dry-run exclude each other: choose one");
	status = run_all(&run, argc, argv);
	if (!status && check_only && run.any_difference)
		status = fail(IOBAND_DIFFERS,
			      "not as configured: 'ioband diff' shows what is different%s",
			      run.can_change ? ", 'ioband apply' changes it" : "");
	return status;
}

int cmd_diff(const struct options *opts, int argc, char **argv)
{
	struct run run = { .opts = opts };
	int status, r;

	status = listing_new(&run.list, opts, "differences", diff_columns);
	if (!status)
		status = run_all(&run, argc, argv);
	if (!status || run.nr_done) {
		r = listing_print(run.list);
		status = r ? r : status;
	}
	listing_free(run.list);
	return status ? status : run.any_difference ? IOBAND_DIFFERS : 0;
}
