// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the ids of cgroups to their paths.
 *
 * The id of a cgroup is the inode number of its directory, and the kernel opens
 * a directory by it: one step for each cgroup asked for. Where that is not
 * permitted, and below --sysroot, all directories are read until every id has
 * been met.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cgroup.h"
#include "util.h"

enum {
	/* FILEID_KERNFS of linux/exportfs.h, which user space has not. */
	HANDLE_KERNFS	= 0xfe,
	/* Deeper than any cgroup: the kernel's limit is on the path's length. */
	WALK_DEPTH	= 2048,
};

static int compare_ids(const void *pa, const void *pb)
{
	const struct cgroup_path *a = pa, *b = pb;

	return (a->id > b->id) - (a->id < b->id);
}

static struct cgroup_path *find(const struct cgroup_paths *paths, uint64_t id)
{
	struct cgroup_path key = { .id = id };

	if (!paths->nr)
		return NULL;
	return bsearch(&key, paths->v, paths->nr, sizeof(key), compare_ids);
}

void cgroup_paths_add(struct cgroup_paths *paths, uint64_t id)
{
	if (paths->nr == paths->room) {
		paths->room = paths->room ? 2 * paths->room : 64;
		paths->v = xreallocarray(paths->v, paths->room,
					 sizeof(*paths->v));
	}
	paths->v[paths->nr++] = (struct cgroup_path){ .id = id };
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (;;) {
		size_t n = strcspn(list, ",\n");

		if (n == len && !strncmp(list, word, n))
			return true;
		if (list[n] != ',')
			return false;
		list += n + 1;
	}
}

/* mountinfo writes a blank as \040. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' &&
		    s[2] >= '0' && s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*to++ = (s[1] - '0') << 6 | (s[2] - '0') << 3 |
				(s[3] - '0');
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/*
 * Where the hierarchy is mounted that I/O is accounted to: that of version 1
 * with blkio if there is one, for then version 2 has no I/O controller.
 */
static char *find_mount(const char *sysroot)
{
	FILE *file = open_below(sysroot, "/proc/self/mountinfo");
	char *line = NULL, *found = NULL;
	bool v1 = false;
	size_t size = 0;

	if (!file)
		return NULL;
	while (!v1 && getline(&line, &size, file) > 0) {
		char point[4096], fstype[32], options[512];
		char *rest = strstr(line, " - ");

		if (!rest || sscanf(line, "%*s %*s %*s %*s %4095s", point) != 1 ||
		    sscanf(rest, " - %31s %*s %511s", fstype, options) != 2)
			continue;
		v1 = !strcmp(fstype, "cgroup") && has_word(options, "blkio");
		if (v1 || (!found && !strcmp(fstype, "cgroup2"))) {
			free(found);
			unescape(point);
			found = xasprintf("%s%s", sysroot, point);
		}
	}
	free(line);
	fclose(file);
	return found;
}

static bool is_cgroupfs(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && (fs.f_type == CGROUP2_SUPER_MAGIC ||
				     fs.f_type == CGROUP_SUPER_MAGIC);
}

/* Return: false if the kernel opens nothing by id for us. */
static bool resolve_by_id(struct cgroup_paths *paths, int mount_fd,
			  const char *mount)
{
	size_t len = strcmp(mount, "/") ? strlen(mount) : 0;

	for (size_t i = 0; i < paths->nr; i++) {
		struct cgroup_path *p = &paths->v[i];
		union {
			struct file_handle handle;
			char room[sizeof(struct file_handle) + sizeof(p->id)];
		} u = {
			.handle.handle_bytes = sizeof(p->id),
			.handle.handle_type = HANDLE_KERNFS,
		};
		char link[64], path[4096];
		ssize_t n;
		int fd;

		memcpy(u.handle.f_handle, &p->id, sizeof(p->id));
		fd = open_by_handle_at(mount_fd, &u.handle,
				       O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0) {
			/* Just a cgroup that is gone? */
			if (errno == ESTALE)
				continue;
			return false;
		}
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, path, sizeof(path) - 1);
		close(fd);
		if (n < (ssize_t)len || strncmp(path, mount, len))
			continue;
		path[n] = '\0';
		free(p->path);
		p->path = xstrdup(path[len] ? path + len : "/");
	}
	return true;
}

/* Takes over @fd. Return: how many ids are still to be met. */
static size_t walk(struct cgroup_paths *paths, int fd, const char *path,
		   unsigned int depth, size_t left)
{
	struct cgroup_path *p;
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return left;
	}
	if (!fstat(fd, &st)) {
		p = find(paths, st.st_ino);
		if (p && !p->path) {
			p->path = xstrdup(*path ? path : "/");
			left--;
		}
	}
	while (left && depth && (entry = readdir(dir))) {
		char *below;
		int sub;

		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, ".."))
			continue;
		sub = openat(fd, entry->d_name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0)
			continue;
		below = xasprintf("%s/%s", path, entry->d_name);
		left = walk(paths, sub, below, depth - 1, left);
		free(below);
	}
	closedir(dir);
	return left;
}

/**
 * cgroup_paths_resolve - look up all paths
 * @paths: the ids; one whose cgroup is gone is left without path
 * @sysroot: prefix of /proc and of the cgroup mount
 */
void cgroup_paths_resolve(struct cgroup_paths *paths, const char *sysroot)
{
	size_t nr = 0;
	char *mount;
	int fd;

	if (!paths->nr)
		return;
	qsort(paths->v, paths->nr, sizeof(*paths->v), compare_ids);
	for (size_t i = 0; i < paths->nr; i++)
		if (!nr || paths->v[i].id != paths->v[nr - 1].id)
			paths->v[nr++] = paths->v[i];
	paths->nr = nr;

	mount = find_mount(sysroot);
	if (!mount)
		return;
	fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		goto out;
	if (is_cgroupfs(fd) && resolve_by_id(paths, fd, mount))
		close(fd);
	else
		walk(paths, fd, "", WALK_DEPTH, nr);
out:
	free(mount);
}

/**
 * cgroup_paths_find - the path of a cgroup
 * @paths: resolved paths
 * @id: the cgroup
 *
 * Return: the path from the root of the hierarchy, or %NULL.
 */
const char *cgroup_paths_find(const struct cgroup_paths *paths, uint64_t id)
{
	const struct cgroup_path *p = find(paths, id);

	return p ? p->path : NULL;
}

void cgroup_paths_free(struct cgroup_paths *paths)
{
	for (size_t i = 0; i < paths->nr; i++)
		free(paths->v[i].path);
	free(paths->v);
	memset(paths, 0, sizeof(*paths));
}
