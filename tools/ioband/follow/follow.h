/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ioband follow: mirror the tree of cgroups in the groups of a volume.
 */
#ifndef IOBAND_FOLLOW_H
#define IOBAND_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/iofiles.h"
#include "lib/volume.h"

/**
 * struct follow_group - settings for a cgroup
 * @weight: 0 for no group
 */
struct follow_group {
	uint32_t weight;
	uint64_t limits[NR_IO_LIMITS];
};

/**
 * struct followed - a cgroup
 * @path: path from the root of the hierarchy, which is "" itself
 * @wd: its inotify watch descriptor
 * @want: what its files say
 * @have: what the volume has
 * @refused: limits that the target refuses, which has been reported
 * @dirty: on one of the lists of the tree
 * @gone: the cgroup does not exist any more; freed once its group has been detached
 * @scan: the last scan that visited it
 */
struct followed {
	char *path;
	uint64_t id;
	int wd;
	struct follow_group want;
	struct follow_group have;
	bool refused[NR_IO_LIMITS];
	bool dirty;
	bool gone;
	unsigned int scan;
	struct followed *next_dirty;
};

/**
 * struct tree - all cgroups
 * @root: descriptor of the directory at @mount
 * @fd: inotify descriptor; -1 if they are not watched
 * @next_wd: stands for that of the next cgroup then
 * @records_wd: watch descriptor of the directory of records
 * @has_records: there has been a new record
 * @by_wd: first of three tsearch(3) trees of all cgroups that are not gone
 * @dirty: list of cgroups whose files are to be read
 * @gone: list of cgroups that are gone
 * @rescan: events were lost
 * @told_left_out: the warning about unreadable cgroups has been given
 */
struct tree {
	char *mount;
	int root;
	int fd;
	int next_wd;
	int records_wd;
	bool has_records;
	void *by_wd;
	void *by_path;
	void *by_id;
	size_t nr;
	struct followed *dirty;
	struct followed *gone;
	bool rescan;
	bool told_left_out;
	unsigned int scan;
};

int tree_open(struct tree *tree, const char *sysroot, bool watch);
void tree_watch_records(struct tree *tree, const char *dir);
size_t tree_count(struct tree *tree);
int tree_scan(struct tree *tree);
int tree_read_events(struct tree *tree);
int tree_read_files(struct tree *tree, struct followed *group,
		    const struct io_devices *devices);
void tree_mark_all(struct tree *tree);
struct followed *tree_take_dirty(struct tree *tree);
struct followed *tree_find_id(const struct tree *tree, uint64_t id);
void tree_forget(struct followed *group);
void tree_close(struct tree *tree);

/**
 * struct mirror - the volume
 * @vol: as it was when its table was last read
 * @has_weights: the policy of its share divides by weights
 * @stale: a refused message calls for reading the table again
 */
struct mirror {
	struct volumes volumes;
	const struct volume *vol;
	struct io_devices devices;
	bool has_weights;
	bool stale;
};

int mirror_read(struct mirror *mirror, const struct options *opts,
		const char *name);
int mirror_compare(struct mirror *mirror, struct tree *tree);
int mirror_apply(struct mirror *mirror, struct followed *group);
void mirror_free(struct mirror *mirror);

void notify_systemd(const char *state);

#endif /* IOBAND_FOLLOW_H */
