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
#include <linux/memcontrol.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/uidgid.h>

#include "ioband.h"

/* dm does not say whose bios are: set with the first of which it did not. */
static unsigned int attributed_by_page;

/**
 * ioband_attribution - how the owner of what kernel threads write is found
 *
 * Context: any.
 * Return: the word for it.
 */
const char *ioband_attribution(void)
{
	return READ_ONCE(attributed_by_page) ? "page" : "dm";
}

static bool current_is_jbd2(void)
{
	/* User space cannot set the name of a kernel thread. */
	return current->flags & PF_KTHREAD && !strncmp(current->comm, "jbd2/", 5);
}

/*
 * The css of the io controller that the page cache would charge for writing back the
 * first page of a bio, with a reference; or %NULL.
 */
static struct cgroup_subsys_state *bio_page_owner(const struct bio *bio)
{
	struct cgroup_subsys_state *css, *owner = NULL;

	rcu_read_lock();
	css = ioband_folio_memcg_css(page_folio(bio_page(bio)));
	/* With version 1, memory has cgroups of its own. */
	if (css && css->cgroup->root == blkcg_root_css->cgroup->root)
		owner = cgroup_get_e_css(css->cgroup, &io_cgrp_subsys);
	rcu_read_unlock();
	return owner;
}

/*
 * Find the owner of a bio that dm has not told us of: current, or whom the kernel thread
 * works for. One that works for nobody writes back other tasks' pages, so ask the first
 * page. The journal and metadata are everybody's, whoever touched the page first.
 */
static noinline void bio_find_owner(struct bio *clone)
{
	struct cgroup_subsys_state *css;

	bio_associate_blkg(clone);
	if (!READ_ONCE(attributed_by_page) && !xchg(&attributed_by_page, 1))
		DMWARN("dm does not tell whose I/O it is: kernel threads' is charged by page");
	if (!(current->flags & PF_KTHREAD) || bio_blkcg_css(clone)->parent ||
	    !op_is_write(bio_op(clone)) || !bio_has_data(clone) ||
	    clone->bi_opf & REQ_META || current_is_jbd2())
		return;
	css = bio_page_owner(clone);
	if (!css)
		return;
	bio_associate_blkg_from_css(clone, css);
	css_put(css);
}

/**
 * bio_adopt - direct a clone to a device, charged to the original's cgroup
 * @clone: the bio that dm passed to map
 * @bdev: the device
 *
 * When map sees a clone, it is not associated with a cgroup yet. Associating it
 * here would charge current: for a buffered or an encrypted write, the flusher
 * thread or dm-crypt's worker. Only the original knows its owner, and only dm
 * can see the original. dm_submit_bio_remap() copies the original's association
 * to the bio it is given to submit, so give it a probe: a bio with an operation
 * that the block layer refuses before it touches a queue or a driver (see
 * compat.h). The extra reference to the probe keeps the refusal from dropping
 * the association, which the clone then takes over.
 *
 * Kernels before "dm: use bio_clone_blkg_association" copy nothing. No header tells, but
 * the probe does.
 *
 * From here on dm accounts for the clone, which is to be submitted by
 * submit_bio_noacct(). That makes one association for each bio, where dm makes
 * two for dm-linear.
 *
 * Context: map; may sleep.
 */
void bio_adopt(struct bio *clone, struct block_device *bdev)
{
	struct bio probe __uninitialized;

	bio_init(&probe, NULL, NULL, 0, IOBAND_REFUSED_OP);
	/* A tracepoint reports its place; nothing else of it matters. */
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
		bio_find_owner(clone);
}

/* @css, or its nearest ancestor at level @depth or above. */
static struct cgroup_subsys_state *
css_at_depth(struct cgroup_subsys_state *css, u32 depth)
{
	while (css->parent && css->cgroup->level > depth)
		css = css->parent;
	return css;
}

/*
 * Find the group of @css or of its nearest ancestor that is attached. *@wanted
 * is set to the cgroup that "auto" is still to give a group, or to %NULL.
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
		if (own->parent && (!c || c->cgroup->level < own->cgroup->level))
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
	/* The request for a group may fail: have the next bio look again. */
	last->generation = wanted ? 0 : generation;
	put_cpu_ptr(volume->lookup);
	if (wanted)
		iov_want_group(volume, wanted);
	return group;
}

/*
 * Successive bios on a CPU are mostly of the same cgroup, and the answer for it
 * holds until a group comes or goes, so each CPU remembers the last one.
 */
static struct ioband_group *iov_find_css(struct ioband_volume *volume,
					 struct cgroup_subsys_state *css)
{
	struct ioband_lookup *last;
	struct ioband_group *group;
	bool same;

	/* Bios are not mapped in interrupts: disabling preemption is enough. */
	last = get_cpu_ptr(volume->lookup);
	same = last->cgroup_id == cgroup_id(css->cgroup) &&
	       last->generation == iov_generation(volume);
	group = last->group;
	put_cpu_ptr(volume->lookup);
	return likely(same) ? group : iov_look_up(volume, css);
}

/**
 * bio_ioprio - the I/O priority of a bio
 * @bio: a bio submitted by current
 *
 * The block layer gives a bio its task's priority only when it becomes a request.
 *
 * Context: the submitter's.
 * Return: the bio's own priority if it has one, else the task's.
 */
int bio_ioprio(const struct bio *bio)
{
	struct io_context *ioc = current->io_context;

	if (IOPRIO_PRIO_CLASS(bio->bi_ioprio) != IOPRIO_CLASS_NONE)
		return bio->bi_ioprio;
	if (ioc && IOPRIO_PRIO_CLASS(ioc->ioprio) != IOPRIO_CLASS_NONE)
		return ioc->ioprio;
	return IOPRIO_PRIO_VALUE(task_nice_ioclass(current), task_nice_ioprio(current));
}

/* class * 10 + level: 10..17 real time, 20..27 best effort, 30 idle. */
static u64 bio_ioprio_id(const struct bio *bio)
{
	int prio = bio_ioprio(bio);

	if (IOPRIO_PRIO_CLASS(prio) == IOPRIO_CLASS_IDLE)
		return 30;
	return IOPRIO_PRIO_CLASS(prio) * 10 + IOPRIO_PRIO_DATA(prio) % IOPRIO_BE_NR;
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
 * REQ_SWAP marks writes only. A page to be read from swap is in the swap cache
 * and not uptodate; an uptodate one is a buffer that was swapped out before.
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
 * Holding such a bio would hold up others: those that wait for memory, or for
 * the journal or metadata that all users of a file system share.
 *
 * A task in the middle of a transaction keeps the journal from committing, and so all
 * who wait for that, until it has read what it needs, with REQ_META or without: ext4
 * reads the blocks of extents like data. User space has no way to have its own reads done
 * inside a transaction. Writes it leaves to others, or waits for them afterwards.
 *
 * jbd2 sets REQ_META on commits only since 6.10, and in stable kernels. Before, its
 * writes are recognized by the name of the kernel thread.
 */
static bool bio_is_urgent(const struct bio *bio, bool is_common)
{
	if (bio->bi_opf & (REQ_META | REQ_SWAP) || bio_is_swap_in(bio))
		return true;
	if (current->journal_info && bio_op(bio) == REQ_OP_READ)
		return true;
	if (!(current->flags & (PF_KTHREAD | PF_MEMALLOC)) || !op_is_write(bio_op(bio)))
		return false;
	return current->flags & PF_MEMALLOC || (is_common && current_is_jbd2());
}

/**
 * current_may_sleep - whether only current's own group suffers if it sleeps
 *
 * Context: the submitter's.
 */
bool current_may_sleep(void)
{
	return !(current->flags & PF_KTHREAD) && !current->journal_info;
}

/* A dying task may hold locks that others wait for. */
static bool current_is_dying(void)
{
	return current->flags & PF_EXITING || fatal_signal_pending(current);
}

/**
 * iob_classify - find the group of a bio
 * @iob: of the bio, with its target set; gets a reference to the group
 * @bio: the bio, adopted
 *
 * Context: the submitter's; does not sleep.
 */
void iob_classify(struct ioband_bio *iob, struct bio *bio)
{
	struct ioband_volume *volume = iob->target->volume;
	enum ioband_type type = READ_ONCE(volume->type);
	struct ioband_group *group = NULL;

	/* A group that is attached at this moment need not be found yet. */
	if (!data_race(xa_empty(&volume->groups)) || volume->auto_depth) {
		rcu_read_lock();
		/* A group that is being detached is not found again. */
		do {
			group = type == IOBAND_TYPE_CGROUP ?
				iov_find_css(volume, bio_blkcg_css(bio)) :
				xa_load(&volume->groups, current_id(type, bio));
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
 * iob_find_urgency - find out whether a bio may be held at all
 * @iob: of the bio
 * @bio: the bio, adopted
 *
 * Context: the submitter's; does not sleep.
 */
void iob_find_urgency(struct ioband_bio *iob, struct bio *bio)
{
	iob->is_common = current->flags & PF_KTHREAD && !bio_blkcg_css(bio)->parent;
	iob->is_urgent = bio_is_urgent(bio, iob->is_common);
	iob->is_dying = current_is_dying();
}
