// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which group a bio belongs to, and whether it may be held at all.
 */
#include <linux/bio.h>
#include <linux/blk-cgroup.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/iocontext.h>
#include <linux/ioprio.h>
#include <linux/kernfs.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/uidgid.h>

#include "dm-ioband.h"

/**
 * bio_adopt - send a clone to a device, on behalf of the original's cgroup
 * @clone: the bio that dm gave to map
 * @bdev: the device
 *
 * A clone is not yet associated with a cgroup when map sees it, and to associate
 * it there would make it current's: the flusher thread, or dm-crypt's worker,
 * for a buffered or encrypted write. Only the original knows its owner, and only
 * dm can see the original. dm_submit_bio_remap() copies the original's
 * association to whatever bio it is given to submit, so we give it a probe: an
 * operation that the block layer refuses in a bio, before it has touched a queue
 * or a driver (compat.h has which). The probe's second reference keeps that
 * refusal from dropping the association, and the clone takes it over.
 *
 * dm accounts the clone from here on, and it is submitted by submit_bio_noacct():
 * that makes one association for each bio, where dm makes two for dm-linear.
 *
 * Context: map; may sleep.
 */
void bio_adopt(struct bio *clone, struct block_device *bdev)
{
	struct bio probe __uninitialized;

	bio_init(&probe, NULL, NULL, 0, IOBAND_REFUSED_OP);
	/* Its place is what the tracepoint in there reports; no more of it counts. */
	bio_set_flag(&probe, BIO_REMAPPED);
	probe.bi_bdev = bdev;
	probe.bi_iter.bi_sector = clone->bi_iter.bi_sector;
	bio_inc_remaining(&probe);
	dm_submit_bio_remap(clone, &probe);

	bio_clear_flag(clone, BIO_REMAPPED);
	bio_clear_flag(clone, BIO_BPS_THROTTLED);
	clone->bi_bdev = bdev;
	clone->bi_blkg = probe.bi_blkg;
	if (unlikely(!clone->bi_blkg))
		bio_associate_blkg(clone);
}

/* The ancestor of @css, or @css itself, that is at most @depth levels down. */
static struct cgroup_subsys_state *
css_at_depth(struct cgroup_subsys_state *css, u32 depth)
{
	while (css->parent && css->cgroup->level > depth)
		css = css->parent;
	return css;
}

/*
 * The group of the nearest attached ancestor. *@wanted is the cgroup that should
 * have one of its own and has not, or %NULL.
 */
static struct ioband_group *iov_walk(struct ioband_volume *volume,
				     struct cgroup_subsys_state *css,
				     struct cgroup_subsys_state **wanted)
{
	struct ioband_group *group = NULL;
	struct cgroup_subsys_state *c, *own;

	for (c = css; c; c = c->parent) {
		group = xa_load(&volume->groups, cgroup_id(c->cgroup));
		if (group)
			break;
	}

	*wanted = NULL;
	if (volume->auto_depth) {
		own = css_at_depth(css, volume->auto_depth);
		if (own->parent &&
		    (!c || c->cgroup->level < own->cgroup->level))
			*wanted = own;
	}
	return group;
}

static u64 iov_generation(struct ioband_volume *volume)
{
	/* Pairs with the release in iov_changed(). */
	return smp_load_acquire(&volume->generation);
}

static noinline struct ioband_group *
iov_look_up(struct ioband_volume *volume, struct cgroup_subsys_state *css)
{
	u64 generation = iov_generation(volume);
	struct cgroup_subsys_state *wanted;
	struct ioband_lookup *last;
	struct ioband_group *group;

	group = iov_walk(volume, css, &wanted);
	last = get_cpu_ptr(volume->lookup);
	last->group = group;
	last->cgroup_id = cgroup_id(css->cgroup);
	/* The next bio must look again, should the request for a group fail. */
	last->generation = wanted ? 0 : generation;
	put_cpu_ptr(volume->lookup);
	if (wanted)
		iov_want_group(volume, wanted);
	return group;
}

/*
 * Asked for the same cgroup as last time on this CPU, which is the rule, the
 * answer is the same as long as no group came or went.
 */
static struct ioband_group *iov_find_css(struct ioband_volume *volume,
					 struct cgroup_subsys_state *css)
{
	struct ioband_lookup *last;
	struct ioband_group *group;
	bool same;

	/* No bio is mapped in an interrupt: to stay on this CPU is enough. */
	last = get_cpu_ptr(volume->lookup);
	same = last->cgroup_id == cgroup_id(css->cgroup) &&
	       last->generation == iov_generation(volume);
	group = last->group;
	put_cpu_ptr(volume->lookup);
	return likely(same) ? group : iov_look_up(volume, css);
}

/**
 * bio_ioprio - the I/O priority of a bio
 * @bio: a bio of the current task's
 *
 * The block layer gives a bio its task's priority only when it becomes a request.
 *
 * Context: a submitter's.
 * Return: the bio's own priority if it has one, else the task's.
 */
int bio_ioprio(const struct bio *bio)
{
	struct io_context *ioc = current->io_context;

	if (IOPRIO_PRIO_CLASS(bio->bi_ioprio) != IOPRIO_CLASS_NONE)
		return bio->bi_ioprio;
	if (ioc && IOPRIO_PRIO_CLASS(ioc->ioprio) != IOPRIO_CLASS_NONE)
		return ioc->ioprio;
	return IOPRIO_PRIO_VALUE(task_nice_ioclass(current),
				 task_nice_ioprio(current));
}

/* class * 10 + level: 10..17 real time, 20..27 best effort, 30 idle. */
static u64 bio_ioprio_id(const struct bio *bio)
{
	int prio = bio_ioprio(bio);

	if (IOPRIO_PRIO_CLASS(prio) == IOPRIO_CLASS_IDLE)
		return 30;
	return IOPRIO_PRIO_CLASS(prio) * 10 + IOPRIO_PRIO_DATA(prio) % 10;
}

static u64 current_id(enum ioband_type type, const struct bio *bio)
{
	switch (type) {
	case IOBAND_TYPE_USER:
	case IOBAND_TYPE_UID:
		return from_kuid(&init_user_ns, current_uid());
	case IOBAND_TYPE_GID:
		return from_kgid(&init_user_ns, current_gid());
	case IOBAND_TYPE_PID:
		return task_tgid_nr(current);
	case IOBAND_TYPE_PGRP:
		return task_pgrp_nr(current);
	case IOBAND_TYPE_IOPRIO:
		return bio_ioprio_id(bio);
	case IOBAND_TYPE_NONE:
	case IOBAND_TYPE_CGROUP:
		break;
	}
	return U64_MAX;
}

/*
 * REQ_SWAP marks writes only; what is read from swap is known by its page, that has
 * no content yet: else it would be a buffer of somebody's that was swapped once.
 */
static bool bio_is_swap_in(const struct bio *bio)
{
	struct folio *folio;

	if (bio_op(bio) != REQ_OP_READ)
		return false;
	folio = page_folio(bio_page(bio));
	return folio_test_swapcache(folio) && !folio_test_uptodate(folio);
}

/*
 * Others would wait behind such a bio: for memory, for the journal or the metadata
 * that all of the file system shares.
 *
 * jbd2 commits with REQ_META since 6.10 only. Before, its writes are known by the
 * name of its thread, which is the kernel's to give.
 */
static bool bio_is_urgent(const struct bio *bio, bool is_root)
{
	if (bio->bi_opf & (REQ_META | REQ_SWAP) || bio_is_swap_in(bio))
		return true;
	if (!(current->flags & (PF_KTHREAD | PF_MEMALLOC)) ||
	    !op_is_write(bio_op(bio)))
		return false;
	return current->flags & PF_MEMALLOC ||
	       (is_root && !strncmp(current->comm, "jbd2/", 5));
}

/* For a lock that such a task holds, others wait. */
static bool current_is_dying(void)
{
	return current->flags & PF_EXITING || fatal_signal_pending(current);
}

static struct ioband_group *iov_lookup(struct ioband_volume *volume,
				       const struct bio *bio,
				       struct cgroup_subsys_state *css)
{
	enum ioband_type type = READ_ONCE(volume->type);

	if (type == IOBAND_TYPE_CGROUP)
		return iov_find_css(volume, css);
	return xa_load(&volume->groups, current_id(type, bio));
}

/**
 * iob_classify - find the group of a bio
 * @iob: of the bio, its target set; gets a reference on the group
 * @bio: the bio, adopted
 *
 * Context: a submitter's, process context; does not wait for anything.
 */
void iob_classify(struct ioband_bio *iob, struct bio *bio)
{
	struct ioband_volume *volume = iob->target->volume;
	struct cgroup_subsys_state *css = bio_blkcg_css(bio);
	struct ioband_group *group = NULL;

	if (!xa_empty(&volume->groups) || volume->auto_depth) {
		rcu_read_lock();
		/* One that goes just now is not found again, but the one above it. */
		do {
			group = iov_lookup(volume, bio, css);
		} while (group && !percpu_ref_tryget_live_rcu(&group->ref));
		rcu_read_unlock();
	}
	if (!group) {
		group = volume->default_group;
		percpu_ref_get(&group->ref);
	}
	iob->group = group;
}

/**
 * iob_find_urgency - find whether a bio may be held at all
 * @iob: of the bio
 * @bio: the bio, adopted
 *
 * Context: a submitter's, process context; does not wait for anything.
 */
void iob_find_urgency(struct ioband_bio *iob, struct bio *bio)
{
	bool is_root = !bio_blkcg_css(bio)->parent;

	iob->is_urgent = bio_is_urgent(bio, is_root);
	iob->is_dying = current_is_dying();
	iob->is_common = current->flags & PF_KTHREAD && is_root;
}

/**
 * ioband_cgroup_look_up - find the id of a cgroup that is named by its path
 * @ref: which group; with a path, from the root of the hierarchy that has the io
 *	controller, @id is filled in
 *
 * Works for version 2, and for the blkio hierarchy of version 1, for which
 * cgroup_get_from_path() does not.
 *
 * Context: process, ioband_mutex not held: waits for whoever looks up names in the
 * file system of cgroups, and may wait for memory there.
 */
void ioband_cgroup_look_up(struct ioband_ref *ref)
{
	char *names, *rest, *name;
	struct kernfs_node *kn, *child;

	if (!ref->path)
		return;
	ref->id = 0;
	names = kstrdup(ref->path, GFP_NOIO);
	if (!names)
		return;
	kn = blkcg_root_css->cgroup->kn;
	kernfs_get(kn);

	rest = names;
	while (kn && kernfs_type(kn) == KERNFS_DIR &&
	       (name = strsep(&rest, "/"))) {
		if (!*name)
			continue;
		child = kernfs_find_and_get(kn, name);
		kernfs_put(kn);
		kn = child;
	}
	if (kn && kernfs_type(kn) == KERNFS_DIR)
		ref->id = kn->id;
	kernfs_put(kn);
	kfree(names);
}

/* The css of a cgroup by its id, with a reference, or %NULL. Under RCU. */
static struct cgroup_subsys_state *find_css(u64 id)
{
	struct cgroup *cgroup = cgroup_get_from_id(id);
	struct cgroup_subsys_state *css;

	if (!IS_ERR(cgroup)) {
		css = cgroup_get_e_css(cgroup, &io_cgrp_subsys);
		cgroup_put(cgroup);
		return css;
	}
	/* In version 1 nobody finds it for us. */
	css_for_each_descendant_pre(css, blkcg_root_css)
		if (cgroup_id(css->cgroup) == id)
			return css_tryget(css) ? css : NULL;
	return NULL;
}

/**
 * ioband_cgroup_place - put a new group where its cgroup is in the tree
 * @volume: the volume
 * @group: a group of it that nobody can find yet
 *
 * Below the nearest cgroup above its own that has a group; and those below its
 * own that were that group's go below the new one.
 *
 * Context: process, ioband_mutex held.
 */
void ioband_cgroup_place(struct ioband_volume *volume,
			 struct ioband_group *group)
{
	struct cgroup_subsys_state *css, *above, *below;
	struct ioband_group *parent = NULL, *child;

	lockdep_assert_held(&ioband_mutex);

	rcu_read_lock();
	css = find_css(group->id);
	if (!css)
		goto unlock;
	above = css;
	/* Without the io controller there, this is one above it already. */
	if (cgroup_id(css->cgroup) == group->id)
		above = css->parent;
	for (; above && !parent; above = above->parent)
		parent = xa_load(&volume->groups, cgroup_id(above->cgroup));
	if (parent)
		iog_move(group, parent);
	if (cgroup_id(css->cgroup) != group->id)
		goto put;
	css_for_each_descendant_pre(below, css) {
		child = xa_load(&volume->groups, cgroup_id(below->cgroup));
		if (child && child != group &&
		    iog_parent(child) == parent)
			iog_move(child, group);
	}
put:
	css_put(css);
unlock:
	rcu_read_unlock();
}

/**
 * ioband_cgroup_exists - whether there is a cgroup of this id in version 2
 * @id: the id
 *
 * Context: process.
 */
bool ioband_cgroup_exists(u64 id)
{
	struct cgroup *cgroup = cgroup_get_from_id(id);

	if (IS_ERR(cgroup))
		return false;
	cgroup_put(cgroup);
	return true;
}

/**
 * ioband_cgroup_adopt - tie groups to the cgroups whose ids they have
 * @volume: the volume
 *
 * Context: process, ioband_mutex held.
 */
void ioband_cgroup_adopt(struct ioband_volume *volume)
{
	struct cgroup_subsys_state *css;
	struct ioband_group *group;

	lockdep_assert_held(&ioband_mutex);

	rcu_read_lock();
	css_for_each_descendant_pre(css, blkcg_root_css) {
		group = xa_load(&volume->groups, cgroup_id(css->cgroup));
		if (group && !group->css && css_tryget_online(css))
			group->css = css;
	}
	rcu_read_unlock();
}

/**
 * ioband_cgroup_where - where the bios of a cgroup are charged
 * @id: id of a cgroup of version 2
 * @path: filled in with its path
 * @len: size of @path
 * @found: whether there is such a cgroup
 *
 * Context: process.
 * Return: the id that its bios have: its own, or that of the nearest ancestor
 * for which the io controller is enabled.
 */
u64 ioband_cgroup_where(u64 id, char *path, size_t len, bool *found)
{
	struct cgroup *cgroup = cgroup_get_from_id(id);
	struct cgroup_subsys_state *css;

	*found = !IS_ERR(cgroup);
	if (!*found)
		return id;
	cgroup_path(cgroup, path, len);
	css = cgroup_get_e_css(cgroup, &io_cgrp_subsys);
	id = cgroup_id(css->cgroup);
	css_put(css);
	cgroup_put(cgroup);
	return id;
}
