/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Map cgroup ids to paths and back.
 */
#ifndef IOBAND_CGROUP_H
#define IOBAND_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cgroup_path {
	uint64_t id;
	char *path;
};

/* Starts zeroed: add all ids, resolve them in one go, then look paths up. */
struct cgroup_paths {
	struct cgroup_path *v;
	size_t nr;
	size_t room;
};

char *cgroup_mount(const char *sysroot);

void cgroup_paths_add(struct cgroup_paths *paths, uint64_t id);
void cgroup_paths_resolve(struct cgroup_paths *paths, const char *sysroot);
const char *cgroup_paths_find(const struct cgroup_paths *paths, uint64_t id);
void cgroup_paths_free(struct cgroup_paths *paths);

/* From path or name to id; paths are relative to the mount. */
char *cgroup_path(const char *sysroot, const char *path);
int cgroup_by_path(const char *sysroot, const char *path, uint64_t *id);
int cgroup_by_name(const char *sysroot, const char *name, uint64_t *id,
		   char **path);
bool cgroup_is_container_id(const char *name);
bool cgroup_has_weights(const char *sysroot);
bool cgroup_has_io(const char *sysroot, const char *path);

/* What to type for it. */
char *cgroup_set_property(const char *path);
char *cgroup_io_command(const char *path);

#endif /* IOBAND_CGROUP_H */
