// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tree of cgroups, watched.
 *
 * One inotify watch on each directory reports cgroups created and removed below it,
 * and writes to its files. There is no event when io.weight appears or vanishes, but
 * there is one for the write to the parent's cgroup.subtree_control that causes it.
 *
 * A directory is watched before it is read: what is created in between is then seen
 * twice rather than not at all.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "follow.h"
#include "lib/cgroup.h"
#include "lib/util.h"

enum {
	EVENTS = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
		 IN_MODIFY | IN_ONLYDIR,
	/* io.weight and io.max have one line for each device. */
	FILE_BYTES = 16384,
	EVENT_BYTES = 65536,
};

static int compare_wd(const void *pa, const void *pb)
{
	const struct followed *a = pa, *b = pb;

	return (a->wd > b->wd) - (a->wd < b->wd);
}

static int compare_path(const void *pa, const void *pb)
{
	const struct followed *a = pa, *b = pb;

	return strcmp(a->path, b->path);
}

static int compare_id(const void *pa, const void *pb)
{
	const struct followed *a = pa, *b = pb;

	return (a->id > b->id) - (a->id < b->id);
}

static struct followed *find(void * const *root,
			     const struct followed *key,
			     int (*compare)(const void *, const void *))
{
	struct followed **node = tfind(key, root, compare);

	return node ? *node : NULL;
}

static void insert(void **root, struct followed *group,
		   int (*compare)(const void *, const void *))
{
	if (!tsearch(group, root, compare))
		exit(fail(IOBAND_NOMEM, "out of memory"));
}

static struct followed *find_path(const struct tree *tree, const char *path)
{
	struct followed key = { .path = (char *)path };

	return find(&tree->by_path, &key, compare_path);
}

struct followed *tree_find_id(const struct tree *tree, uint64_t id)
{
	struct followed key = { .id = id };

	return find(&tree->by_id, &key, compare_id);
}

static void mark(struct tree *tree, struct followed *group)
{
	if (group->dirty)
		return;
	group->dirty = true;
	group->next_dirty = tree->dirty;
	tree->dirty = group;
}

/*
 * Take the next cgroup whose files are to be read, or %NULL. Those that are gone come
 * first, so that their groups are detached before successors take their place.
 */
struct followed *tree_take_dirty(struct tree *tree)
{
	struct followed **list = tree->gone ? &tree->gone : &tree->dirty;
	struct followed *group = *list;

	if (group) {
		*list = group->next_dirty;
		group->dirty = false;
	}
	return group;
}

static void unmark(struct tree *tree, struct followed *group)
{
	struct followed **p = &tree->dirty;

	if (!group->dirty)
		return;
	while (*p != group)
		p = &(*p)->next_dirty;
	*p = group->next_dirty;
}

/* Remove it from all trees; it stays on @gone until its group has been detached. */
static void drop(struct tree *tree, struct followed *group)
{
	tdelete(group, &tree->by_wd, compare_wd);
	tdelete(group, &tree->by_path, compare_path);
	tdelete(group, &tree->by_id, compare_id);
	tree->nr--;
	/* May fail, as the watch goes together with the directory. */
	inotify_rm_watch(tree->fd, group->wd);
	unmark(tree, group);
	group->gone = true;
	group->dirty = true;
	group->want.weight = 0;
	group->next_dirty = tree->gone;
	tree->gone = group;
}

void tree_forget(struct followed *group)
{
	free(group->path);
	free(group);
}

/*
 * The owner of a cgroup may make it unreadable, or nest cgroups deeper than a path
 * can be long. That must not stop us from following all others.
 */
static bool is_out_of_reach(int err)
{
	return err == EACCES || err == ENAMETOOLONG;
}

/* Warn only once, not at each scan and for each such cgroup. */
static void tell_left_out(struct tree *tree, const char *path, int err)
{
	if (!tree->told_left_out)
		warn("cannot read the cgroup '%s': %s; its I/O counts for the cgroup above it, and that of others that cannot be read likewise",
		     path, strerror(err));
	tree->told_left_out = true;
}

/*
 * Return: 0, -ENOENT if there is no such directory, -EACCES if it is left out with a
 * warning, or an exit code.
 */
static int add_watch(struct tree *tree, const char *path, int *wd)
{
	char *full;
	int status = 0;

	if (tree->fd < 0) {
		*wd = tree->next_wd++;
		return 0;
	}
	full = xasprintf("%s%s", tree->mount, path);
	*wd = inotify_add_watch(tree->fd, full, EVENTS);
	if (*wd >= 0) {
		/* Success. */
	} else if (errno == ENOENT || errno == ENOTDIR) {
		status = -ENOENT;
	} else if (*path && is_out_of_reach(errno)) {
		tell_left_out(tree, path, errno);
		status = -EACCES;
	} else if (errno == ENOSPC) {
		status = fail(IOBAND_USAGE,
			      "cannot watch '%s': there are as many inotify watches as a user may have; raise it with 'sysctl fs.inotify.max_user_watches='",
			      full);
	} else {
		status = fail(errno == EACCES ? IOBAND_PERM : IOBAND_USAGE,
			      "cannot watch '%s': %s", full, strerror(errno));
	}
	free(full);
	return status;
}

static int scan_below(struct tree *tree, int dir, const char *path);

/* Visit a directory that is new or part of a scan, and all those below it. */
static int visit(struct tree *tree, const char *path)
{
	struct followed *group, *other;
	char *relative;
	struct stat st;
	int fd, wd, status;

	status = add_watch(tree, path, &wd);
	if (status)
		return status < 0 ? 0 : status;
	relative = xasprintf(".%s", path);
	fd = openat(tree->root, relative,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	free(relative);
	if (fd < 0 && *path && is_out_of_reach(errno))
		tell_left_out(tree, path, errno);
	if (fd < 0 || fstat(fd, &st)) {
		/* Gone already; the parent reports a successor. */
		inotify_rm_watch(tree->fd, wd);
		if (fd >= 0)
			close(fd);
		return 0;
	}

	group = find_path(tree, path);
	if (group && group->id != st.st_ino) {
		/* A new cgroup has the same name. */
		drop(tree, group);
		group = NULL;
	}
	other = group ? NULL : tree_find_id(tree, st.st_ino);
	if (other) {
		/* Moved without an event; its old entry has the same watch. */
		drop(tree, other);
		status = add_watch(tree, path, &wd);
		if (status) {
			close(fd);
			return status < 0 ? 0 : status;
		}
	}
	if (!group) {
		group = xcalloc(1, sizeof(*group));
		group->path = xstrdup(path);
		group->id = st.st_ino;
		group->wd = wd;
		insert(&tree->by_wd, group, compare_wd);
		insert(&tree->by_path, group, compare_path);
		insert(&tree->by_id, group, compare_id);
		tree->nr++;
	}
	group->scan = tree->scan;
	mark(tree, group);

	/* A directory without subdirectories has two links. */
	if (st.st_nlink != 2)
		return scan_below(tree, fd, path);
	close(fd);
	return 0;
}

/* Takes over @fd. */
static int scan_below(struct tree *tree, int fd, const char *path)
{
	struct dirent *entry;
	DIR *dir = fdopendir(fd);
	int status = 0;

	if (!dir) {
		close(fd);
		return 0;
	}
	while (!status && (entry = readdir(dir))) {
		char *below;

		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, ".."))
			continue;
		below = xasprintf("%s/%s", path, entry->d_name);
		status = visit(tree, below);
		free(below);
	}
	closedir(dir);
	return status;
}

struct walk {
	struct tree *tree;
	struct followed **v;
	size_t nr;
};

static void collect(const void *node, VISIT which, void *data)
{
	struct walk *walk = data;

	if (which == postorder || which == leaf)
		walk->v[walk->nr++] = *(struct followed * const *)node;
}

/* An array of all cgroups, for callers that change the trees; to be freed. */
static struct walk all(struct tree *tree)
{
	struct walk walk = { .tree = tree };

	walk.v = xcalloc(tree->nr, sizeof(*walk.v));
	twalk_r(tree->by_path, collect, &walk);
	return walk;
}

/**
 * tree_scan - visit every cgroup
 * @tree: new cgroups are added, vanished ones dropped, and all are marked
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int tree_scan(struct tree *tree)
{
	struct walk walk;
	int status;

	tree->rescan = false;
	tree->scan++;
	status = visit(tree, "");
	if (status)
		return status;
	if (!find_path(tree, ""))
		return fail(IOBAND_USAGE,
			    "the cgroups at '%s' are gone: start again when they are mounted",
			    tree->mount);
	walk = all(tree);
	for (size_t i = 0; i < walk.nr; i++)
		if (walk.v[i]->scan != tree->scan)
			drop(tree, walk.v[i]);
	free(walk.v);
	return 0;
}

void tree_mark_all(struct tree *tree)
{
	struct walk walk = all(tree);

	for (size_t i = 0; i < walk.nr; i++)
		mark(tree, walk.v[i]);
	free(walk.v);
}

/* For a moved cgroup; a removed one has none below it. */
static void drop_below(struct tree *tree, const char *path)
{
	size_t len = strlen(path);
	struct walk walk = all(tree);

	for (size_t i = 0; i < walk.nr; i++)
		if (!strncmp(walk.v[i]->path, path, len) &&
		    walk.v[i]->path[len] == '/')
			drop(tree, walk.v[i]);
	free(walk.v);
}

static void remove_path(struct tree *tree, const char *path, bool moved)
{
	struct followed *group = find_path(tree, path);

	if (!group)
		return;
	if (moved)
		drop_below(tree, path);
	drop(tree, group);
}

static int take_event(struct tree *tree, const struct inotify_event *event)
{
	struct followed key = { .wd = event->wd }, *group;
	char *path;
	int status = 0;

	if (event->mask & IN_Q_OVERFLOW) {
		tree->rescan = true;
		return 0;
	}
	if (event->wd == tree->records_wd) {
		tree->has_records = true;
		return 0;
	}
	/* The queue may still hold events of a dropped cgroup. */
	group = find(&tree->by_wd, &key, compare_wd);
	if (!group)
		return 0;
	if (event->mask & IN_UNMOUNT)
		return fail(IOBAND_USAGE,
			    "the cgroups at '%s' were unmounted; groups stay as they are",
			    tree->mount);
	if (event->mask & IN_IGNORED) {
		/* Removed, as the parent will report; if not, watch it again. */
		path = xstrdup(group->path);
		drop(tree, group);
		status = visit(tree, path);
		free(path);
		return status;
	}
	if (!event->len)
		return 0;

	if (!(event->mask & IN_ISDIR)) {
		if (!strcmp(event->name, "io.weight") ||
		    !strcmp(event->name, "io.max"))
			mark(tree, group);
		else if (!strcmp(event->name, "cgroup.subtree_control"))
			status = visit(tree, group->path);
		return status;
	}
	path = xasprintf("%s/%s", group->path, event->name);
	if (event->mask & (IN_DELETE | IN_MOVED_FROM))
		remove_path(tree, path, event->mask & IN_MOVED_FROM);
	else if (event->mask & (IN_CREATE | IN_MOVED_TO))
		status = visit(tree, path);
	free(path);
	return status;
}

/**
 * tree_read_events - process all pending inotify events
 * @tree: brought up to date; changed cgroups are marked
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int tree_read_events(struct tree *tree)
{
	_Alignas(struct inotify_event) static char buf[EVENT_BYTES];
	int status = 0;
	ssize_t n;

	while (!status && (n = read(tree->fd, buf, sizeof(buf))) > 0) {
		for (char *p = buf; !status && p < buf + n;) {
			const struct inotify_event *event =
				(struct inotify_event *)p;

			status = take_event(tree, event);
			p += sizeof(*event) + event->len;
		}
	}
	if (!status && tree->rescan)
		status = tree_scan(tree);
	return status;
}

/**
 * tree_read_files - read the files of a cgroup
 * @tree: the cgroups
 * @group: one of them; @want is filled in
 * @devices: the volume and all devices it lies on
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int tree_read_files(struct tree *tree, struct followed *group,
		    const struct io_devices *devices)
{
	char text[FILE_BYTES];
	uint32_t weight;
	int r;

	if (group->gone)
		return 0;
	r = io_read_file(tree->root, group->path, "io.weight", text,
			 sizeof(text));
	if (r == -ENOENT) {
		/* The io controller is not enabled for it. */
		group->want.weight = 0;
		return 0;
	}
	if (!r) {
		/* The kernel always has a default; the file is being rewritten. */
		if (!io_parse_weight(text, devices, &weight, NULL))
			return 0;
		r = io_read_file(tree->root, group->path, "io.max", text,
				 sizeof(text));
		if (r == -ENOENT) {
			*text = '\0';
			r = 0;
		}
	}
	if (is_out_of_reach(-r)) {
		tell_left_out(tree, group->path, -r);
		group->want.weight = 0;
		return 0;
	}
	if (r)
		return fail(IOBAND_USAGE,
			    "cannot read io.weight and io.max of the cgroup '%s': %s",
			    group->path, strerror(-r));
	group->want.weight = weight;
	io_parse_max(text, devices, group->want.limits, NULL);
	return 0;
}

/**
 * tree_open - find the cgroups
 * @tree: empty until it is scanned; to be closed in any case
 * @sysroot: prefix of /proc and of the mount
 * @watch: whether they are to be watched
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int tree_open(struct tree *tree, const char *sysroot, bool watch)
{
	memset(tree, 0, sizeof(*tree));
	tree->root = tree->fd = tree->records_wd = -1;
	tree->mount = cgroup_mount(sysroot);
	if (tree->mount)
		tree->root = open(tree->mount,
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (tree->root < 0 ||
	    faccessat(tree->root, "cgroup.controllers", F_OK, 0))
		return fail(IOBAND_USAGE,
			    "there are no cgroups of version 2 with the io controller%s%s: follow reads io.weight, which those of version 1 have not",
			    tree->mount ? " at " : "",
			    tree->mount ? tree->mount : "");
	if (!watch)
		return 0;
	tree->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (tree->fd < 0)
		return fail(IOBAND_USAGE,
			    "cannot use inotify: %s; each followed volume takes one of the instances that a user may have: raise it with 'sysctl fs.inotify.max_user_instances='",
			    strerror(errno));
	return 0;
}

/**
 * tree_watch_records - have it noticed that a record is written
 * @tree: opened, with watches; @has_records is set when there has been one
 * @dir: the directory of records, which need not exist
 */
void tree_watch_records(struct tree *tree, const char *dir)
{
	tree->records_wd = inotify_add_watch(tree->fd, dir,
					     IN_MOVED_TO | IN_ONLYDIR);
}

/**
 * tree_count - how many cgroups have groups
 * @tree: the cgroups, whose files have been read
 */
size_t tree_count(struct tree *tree)
{
	struct walk walk = all(tree);
	size_t nr = 0;

	for (size_t i = 0; i < walk.nr; i++)
		nr += walk.v[i]->want.weight > 0;
	free(walk.v);
	return nr;
}

static void nothing(void *data)
{
	(void)data;
}

void tree_close(struct tree *tree)
{
	struct followed *group;

	/* Vanished ones are only on @gone, which tree_take_dirty() empties as well. */
	tree_mark_all(tree);
	tdestroy(tree->by_wd, nothing);
	tdestroy(tree->by_path, nothing);
	tdestroy(tree->by_id, nothing);
	while ((group = tree_take_dirty(tree)))
		tree_forget(group);
	if (tree->fd >= 0)
		close(tree->fd);
	if (tree->root >= 0)
		close(tree->root);
	free(tree->mount);
	memset(tree, 0, sizeof(*tree));
}
