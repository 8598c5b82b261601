// SPDX-License-Identifier: GPL-2.0-only
/*
 * What device-mapper does not know of a volume.
 *
 * That a policy is automatic is written to the records of all volumes of the share, and
 * to a file by save, as all that is set. That a volume is followed is in its file, for
 * apply must know of it, or while it has none in its record.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "current.h"
#include "kept.h"
#include "lib/leaf.h"
#include "lib/util.h"
#include "store.h"

/* The record of a volume, or what it would be; to be freed by config_free(). */
static void find_record(const struct options *opts, const struct volume *vol,
			struct config *cfg)
{
	if (record_find(opts, vol->name, vol->uuid, cfg))
		return;
	config_free(cfg);
	config_init(cfg, vol->name);
	strcpy(cfg->type, vol->table.type);
	cfg->auto_policy = false;
}

/**
 * keep_auto_policy - record whether the policy of a share is automatic
 * @opts: the global options
 * @name: a volume of the share
 * @is_auto: whether it is
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int keep_auto_policy(const struct options *opts, const char *name,
		     bool is_auto)
{
	struct volumes volumes = { 0 };
	const struct volume *changed;
	int status;

	if (opts->dry_run)
		return 0;
	status = volumes_read(&volumes);
	changed = volumes_find(&volumes, name);
	for (size_t i = 0; !status && changed && i < volumes.nr; i++) {
		const struct volume *vol = &volumes.v[i];
		struct config cfg;

		if (strcmp(vol->table.share, changed->table.share) ||
		    volumes_find(&volumes, vol->name) != vol)
			continue;
		/* Without a record, it is not. */
		if (!is_auto && !record_exists(opts, vol->name))
			continue;
		find_record(opts, vol, &cfg);
		cfg.auto_policy = is_auto;
		status = volume_record(opts, &volumes, vol, &cfg);
		config_free(&cfg);
	}
	volumes_free(&volumes);
	return status;
}

/**
 * keep_follow - record whether a volume without a file is followed
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @vol: the volume
 * @follow: whether it is
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int keep_follow(const struct options *opts, const struct volumes *volumes,
		const struct volume *vol, bool follow)
{
	struct config cfg;
	int status;

	find_record(opts, vol, &cfg);
	cfg.follow = follow;
	status = volume_record(opts, volumes, vol, &cfg);
	config_free(&cfg);
	return status;
}

/* Whether this process is 'ioband follow' of the volume, not just once. */
static bool is_follower(const struct options *opts, const char *pid,
			const char *name)
{
	char *path = xasprintf("/proc/%s/cmdline", pid);
	FILE *file = open_below(opts->sysroot, path);
	bool follow = false, named = false, once = false;
	char *word = NULL;
	size_t size = 0;

	free(path);
	while (file && getdelim(&word, &size, '\0', file) > 0) {
		const char *base = strrchr(word, '/');

		base = base ? base + 1 : word;
		follow |= !strcmp(word, "follow");
		once |= !strcmp(word, "--once");
		named |= follow && (!strcmp(base, name) ||
				    leaf_is_meant(opts->sysroot, word, name));
	}
	free(word);
	if (file)
		fclose(file);
	return named && !once;
}

/**
 * find_follower - find the process that follows a volume
 * @opts: the global options
 * @name: the volume
 * @pid: set to its number, "" if there is none
 */
void find_follower(const struct options *opts, const char *name,
		   char pid[PID_LEN])
{
	char *path = xasprintf("%s/proc", opts->sysroot);
	DIR *dir = opendir(path);
	struct dirent *entry;

	*pid = '\0';
	free(path);
	while (dir && !*pid && (entry = readdir(dir)))
		if (*entry->d_name >= '0' && *entry->d_name <= '9' &&
		    is_follower(opts, entry->d_name, name))
			snprintf(pid, PID_LEN, "%.20s", entry->d_name);
	if (dir)
		closedir(dir);
}

/**
 * volume_is_followed - whether groups, weights and some limits are those of cgroups
 * @opts: the global options
 * @vol: the volume
 *
 * Return: what its file or record says, or whether it is being followed.
 */
bool volume_is_followed(const struct options *opts, const struct volume *vol)
{
	char pid[PID_LEN], *why;
	struct config cfg;
	bool found, follow;

	/* Whoever reads the file to do what it says reports what is wrong. */
	fail_keep(&why);
	if (store_load(opts, STORE_ETC, vol->name, &cfg, &found) || !found) {
		config_free(&cfg);
		found = record_find(opts, vol->name, vol->uuid, &cfg);
	}
	fail_keep(NULL);
	free(why);
	follow = found && cfg.follow;
	config_free(&cfg);
	if (!follow)
		find_follower(opts, vol->name, pid);
	return !strcmp(vol->table.type, "cgroup") && (follow || *pid);
}
