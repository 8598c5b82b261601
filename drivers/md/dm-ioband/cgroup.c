// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cgroups by name and by id.
 */
#include <linux/blk-cgroup.h>
#include <linux/cgroup.h>
#include <linux/kernfs.h>

#include "ioband.h"

/* The child of @parent whose name is the @len characters at @name; under RCU. */
static struct cgroup_subsys_state *
find_child(struct cgroup_subsys_state *parent, const char *name, int len)
{
	struct cgroup_subsys_state *css;
	char path[NAME_MAX + 2];

	list_for_each_entry_rcu(css, &parent->children, sibling)
		if (css->flags & CSS_ONLINE &&
		    kernfs_path_from_node(css->cgroup->kn, parent->cgroup->kn, path,
					  sizeof(path)) == 1 + len &&
		    !memcmp(path + 1, name, len))
			return css;
	return NULL;
}

/**
 * ioband_cgroup_look_up - find the id of a cgroup named by its path
 * @ref: if it has a path, its id is filled in; paths begin at the root of the
 *	hierarchy that has the io controller
 *
 * Unlike cgroup_get_from_path(), it also knows the blkio hierarchy of version 1, and
 * waits for nobody: others hold kernfs's locks while they wait for memory, and with it
 * perhaps for I/O to a suspended device, which is not resumed with another table before
 * a message to it has been dealt with.
 *
 * Context: process.
 */
void ioband_cgroup_look_up(struct ioband_ref *ref)
{
	struct cgroup_subsys_state *css;
	const char *name = ref->path;
	int len;

	if (!name)
		return;
	rcu_read_lock();
	css = &blkcg_root_css->cgroup->self;
	for (name += strspn(name, "/"); css && *name; name += strspn(name, "/")) {
		len = strcspn(name, "/");
		css = find_child(css, name, len);
		name += len;
	}
	ref->id = css ? cgroup_id(css->cgroup) : 0;
	rcu_read_unlock();
}

/*
 * The cgroup with @id, with a reference; or %NULL. Each hierarchy has ids of its own:
 * this is the one that the io controller is in. cgroup_get_from_id() knows that of
 * version 2 only, and only what is in the caller's cgroup namespace: dmsetup may run in
 * a container.
 */
static struct cgroup *get_cgroup(u64 id)
{
	struct cgroup_subsys_state *css;
	struct cgroup *cgroup;

	if (cgroup_subsys_on_dfl(io_cgrp_subsys)) {
		cgroup = cgroup_get_from_id(id);
		if (!IS_ERR(cgroup))
			return cgroup;
	}
	cgroup = NULL;
	rcu_read_lock();
	css_for_each_descendant_pre(css, &blkcg_root_css->cgroup->self) {
		if (cgroup_id(css->cgroup) != id)
			continue;
		if (css_tryget_online(css))
			cgroup = css->cgroup;
		break;
	}
	rcu_read_unlock();
	return cgroup;
}

/**
 * ioband_cgroup_css - find the css that bios of a cgroup are charged to
 * @id: id of a cgroup in the hierarchy that has the io controller
 *
 * Context: process.
 * Return: the css of the cgroup, or of its nearest ancestor that has the io controller
 * enabled, with a reference; or %NULL.
 */
struct cgroup_subsys_state *ioband_cgroup_css(u64 id)
{
	struct cgroup *cgroup = get_cgroup(id);
	struct cgroup_subsys_state *css;

	if (!cgroup)
		return NULL;
	css = cgroup_get_e_css(cgroup, &io_cgrp_subsys);
	cgroup_put(cgroup);
	return css;
}
