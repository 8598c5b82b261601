// SPDX-License-Identifier: GPL-2.0-only
/*
 * Map cgroup ids to paths and back.
 *
 * The id of a cgroup is the inode number of its directory, and the kernel can open
 * the directory by it: one step for each cgroup wanted. Where that is not permitted,
 * and below --sysroot, the hierarchy is walked until all ids have been found.
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
#include "mounts.h"
#include "util.h"

enum {
	/* FILEID_KERNFS of linux/exportfs.h, not exported to user space. */
	HANDLE_KERNFS	= 0xfe,
	/* Deeper than any cgroup can be: the kernel limits the length of the path. */
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

/*
 * Find the mount of the hierarchy that I/O is accounted to: version 1 with blkio
 * if there is one, as version 2 has no I/O controller then.
 */
static char *find_mount(const char *sysroot)
{
	struct mounts mounts;
	char *found = NULL;
	bool v1 = false;

	mounts_open(&mounts, sysroot);
	while (!v1 && mounts_next(&mounts)) {
		v1 = !strcmp(mounts.type, "cgroup") &&
		     has_word(mounts.options, "blkio");
		if (v1 || (!found && !strcmp(mounts.type, "cgroup2"))) {
			free(found);
			found = xasprintf("%s%s", sysroot, mounts.point);
		}
	}
	mounts_close(&mounts);
	return found;
}

/**
 * cgroup_mount - find where cgroups are mounted
 * @sysroot: prefix of /proc and of the mount
 *
 * Return: the directory, to be freed; %NULL if there is none.
 */
char *cgroup_mount(const char *sysroot)
{
	return find_mount(sysroot);
}

static bool is_cgroupfs(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && (fs.f_type == CGROUP2_SUPER_MAGIC ||
				     fs.f_type == CGROUP_SUPER_MAGIC);
}

/* Return: false if the kernel does not let us open by id. */
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
			/* The cgroup is gone; the others may still resolve. */
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

/* Takes over @fd. Return: the number of ids yet to be found. */
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
 * @paths: the ids; one whose cgroup is gone is left without a path
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
 * cgroup_paths_find - get the path of a cgroup
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

/**
 * cgroup_path - find the path of a cgroup in the hierarchy
 * @sysroot: prefix of /proc and of the cgroup mount
 * @path: from the root of the hierarchy, with or without a slash, or below the mount
 *
 * Return: the path from the root, to be freed; there may be no such cgroup.
 */
char *cgroup_path(const char *sysroot, const char *path)
{
	char *mount = find_mount(sysroot), *from_root;
	const char *point = mount ? mount + strlen(sysroot) : "/";
	size_t len = strcmp(point, "/") ? strlen(point) : 0;

	if (len && !strncmp(path, point, len) &&
	    (path[len] == '/' || !path[len]))
		path += len;
	from_root = xasprintf("%s%s", *path == '/' ? "" : "/", path);
	free(mount);
	return from_root;
}

/* Whether the path has a ".." that could lead out of the hierarchy. */
static bool has_dots(const char *path)
{
	const char *end = strrchr(path, '/');

	return strstr(path, "/../") || (end && !strcmp(end, "/.."));
}

/**
 * cgroup_by_path - find the id of the cgroup at a path
 * @sysroot: prefix of /proc and of the cgroup mount
 * @path: from the root of the hierarchy
 * @id: set to its id
 *
 * Return: 0, -ENOENT if there is none, or -ENODEV if no hierarchy that I/O is
 * accounted to is mounted.
 */
int cgroup_by_path(const char *sysroot, const char *path, uint64_t *id)
{
	char *mount = find_mount(sysroot), *full;
	struct stat st;
	int r;

	if (!mount)
		return -ENODEV;
	full = xasprintf("%s%s", mount, path);
	r = has_dots(path) || stat(full, &st) || !S_ISDIR(st.st_mode) ? -ENOENT : 0;
	*id = r ? 0 : st.st_ino;
	free(full);
	free(mount);
	return r;
}

/* The id of a container, possibly cut short, but to no less than 12 digits. */
bool cgroup_is_container_id(const char *name)
{
	size_t len = strlen(name);

	return len >= 12 && len <= 64 &&
	       strspn(name, "0123456789abcdef") == len;
}

/*
 * The directory has the name of the unit, or the id of the container, bare or as
 * container engines decorate it: docker-ID.scope, cri-containerd-ID.scope. Only the
 * monitor runs in libpod-conmon-ID.scope.
 */
static bool is_named(const char *dir, const char *name, bool is_container)
{
	const char *last;
	size_t len;

	if (!strcmp(dir, name))
		return true;
	if (!is_container || strstr(dir, "-conmon-"))
		return false;
	last = strrchr(dir, '-');
	last = last ? last + 1 : dir;
	len = strspn(last, "0123456789abcdef");
	return len == 64 && (!last[len] || !strcmp(last + len, ".scope")) &&
	       !strncmp(last, name, strlen(name));
}

struct search {
	const char *name;
	bool is_container;
	unsigned int nr;
	uint64_t id;
	char *path;
};

static bool ends_in(const char *dir, const char *suffix)
{
	size_t len = strlen(dir), n = strlen(suffix);

	return len > n && !strcmp(dir + len - n, suffix);
}

/*
 * Cgroups below a service, a scope or a container are named by what runs in it, such
 * as a user's systemd or the one of a guest, so a matching name there must not be
 * trusted. Units of the system's own systemd have only slices above them; container
 * engines without systemd put their containers below directories of any name.
 */
static bool is_the_systems(const struct search *s, const char *dir)
{
	if (!s->is_container)
		return ends_in(dir, ".slice");
	return !ends_in(dir, ".service") && !ends_in(dir, ".scope") &&
	       !is_named(dir, "", true);
}

/* Takes over @fd. Counts all matches and keeps the one whose path sorts first. */
static void search(struct search *s, int fd, const char *path,
		   unsigned int depth)
{
	struct dirent *entry;
	DIR *dir = fdopendir(fd);

	if (!dir) {
		close(fd);
		return;
	}
	while (depth && (entry = readdir(dir))) {
		char *below;
		int sub;

		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, ".."))
			continue;
		below = xasprintf("%s/%s", path, entry->d_name);
		sub = openat(fd, entry->d_name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub >= 0 && is_named(entry->d_name, s->name,
					 s->is_container)) {
			struct stat st;

			s->nr++;
			if (!fstat(sub, &st) &&
			    (!s->path || strcmp(below, s->path) < 0)) {
				s->id = st.st_ino;
				free(s->path);
				s->path = xstrdup(below);
			}
		}
		if (sub >= 0 && is_the_systems(s, entry->d_name))
			search(s, sub, below, depth - 1);
		else if (sub >= 0)
			close(sub);
		free(below);
	}
	closedir(dir);
}

/**
 * cgroup_by_name - find the cgroup of a system unit or a container
 * @sysroot: prefix of /proc and of the cgroup mount
 * @name: "db.service", or the id of a container
 * @id: set to its id
 * @path: set to its path from the root of the hierarchy, to be freed
 *
 * Return: 0, -ENOENT if there is none, -EEXIST with one of them in @path if there
 * are several, or -ENODEV if no hierarchy that I/O is accounted to is mounted.
 */
int cgroup_by_name(const char *sysroot, const char *name, uint64_t *id,
		   char **path)
{
	struct search s = {
		.name = name,
		.is_container = cgroup_is_container_id(name),
	};
	char *mount = find_mount(sysroot);
	int fd;

	*path = NULL;
	if (!mount)
		return -ENODEV;
	fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(mount);
	if (fd < 0)
		return -ENODEV;
	search(&s, fd, "", WALK_DEPTH);
	*id = s.id;
	*path = s.path;
	return !s.nr ? -ENOENT : s.nr > 1 ? -EEXIST : 0;
}

/**
 * cgroup_has_io - whether the I/O of a cgroup is charged to that cgroup
 * @sysroot: prefix of /proc and of the cgroup mount
 * @path: its path from the root of the hierarchy
 *
 * Return: whether it is the root or has the io controller enabled.
 */
bool cgroup_has_io(const char *sysroot, const char *path)
{
	char *mount = find_mount(sysroot), *file;
	bool has_io = true;

	if (!mount)
		return true;
	/* Version 1 has no such file, and its controller is enabled everywhere. */
	file = xasprintf("%s/cgroup.controllers", mount);
	if (strcmp(path, "/") && !access(file, F_OK)) {
		free(file);
		file = xasprintf("%s%s/io.stat", mount, path);
		has_io = !access(file, F_OK);
	}
	free(file);
	free(mount);
	return has_io;
}

/**
 * cgroup_has_weights - whether any cgroup has an io.weight
 * @sysroot: prefix of /proc and of the cgroup mount
 *
 * Those right below the root have, or none has.
 */
bool cgroup_has_weights(const char *sysroot)
{
	char *mount = find_mount(sysroot);
	DIR *dir = mount ? opendir(mount) : NULL;
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		char *file = xasprintf("%s/io.weight", entry->d_name);

		found = *entry->d_name != '.' &&
			!faccessat(dirfd(dir), file, F_OK, 0);
		free(file);
	}
	if (dir)
		closedir(dir);
	free(mount);
	return found;
}

/* Whether a path is that of a unit of the system. */
static bool is_unit(const char *path)
{
	static const char * const suffixes[] = {
		".service", ".slice", ".scope", ".socket", ".mount", ".swap",
	};
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && !strcmp(path + len - n, suffixes[i]))
			return !strstr(path, "/user@");
	}
	return false;
}

/**
 * cgroup_set_property - how a property of a unit of the system is set
 * @path: path of its cgroup
 *
 * Return: the command, but for the property, to be freed; %NULL if it is no such unit.
 */
char *cgroup_set_property(const char *path)
{
	const char *unit = strrchr(path, '/');
	const char *suffix = strrchr(path, '.');
	char *word, *text;

	if (!unit || !is_unit(path))
		return NULL;
	word = shell_word("%s", unit + 1);
	/* A scope does not come back under its name. */
	text = xasprintf("systemctl set-property %s%s",
			 strcmp(suffix, ".scope") ? "" : "--runtime ", word);
	free(word);
	return text;
}

/**
 * cgroup_io_command - how the io controller is enabled for a cgroup
 * @path: its path
 *
 * Return: the command, to be freed.
 */
char *cgroup_io_command(const char *path)
{
	const char *last = strrchr(path, '/');
	char *property = cgroup_set_property(path), *file, *text;

	file = shell_word("/sys/fs/cgroup%.*s/cgroup.subtree_control",
			  last ? (int)(last - path) : 0, path);
	text = property ? xasprintf("%s IOAccounting=yes", property) :
			  xasprintf("echo +io >%s", file);
	free(property);
	free(file);
	return text;
}
