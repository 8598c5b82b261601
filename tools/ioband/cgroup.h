/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the ids of cgroups to their paths.
 */
#ifndef IOBAND_CGROUP_H
#define IOBAND_CGROUP_H

#include <stddef.h>
#include <stdint.h>

struct cgroup_path {
	uint64_t id;
	char *path;
};

/* Starts as all zero: add all ids, resolve them at once, then find. */
struct cgroup_paths {
	struct cgroup_path *v;
	size_t nr;
	size_t room;
};

void cgroup_paths_add(struct cgroup_paths *paths, uint64_t id);
void cgroup_paths_resolve(struct cgroup_paths *paths, const char *sysroot);
const char *cgroup_paths_find(const struct cgroup_paths *paths, uint64_t id);
void cgroup_paths_free(struct cgroup_paths *paths);

#endif /* IOBAND_CGROUP_H */
