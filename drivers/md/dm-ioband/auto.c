// SPDX-License-Identifier: GPL-2.0-only
/*
 * Option auto: groups for cgroups as they come and go. A bio cannot wait for a group to
 * be created: it requests one, and is charged to the nearest ancestor that has one.
 */
#include <linux/blk-cgroup.h>
#include <linux/cgroup.h>
#include <linux/sched/mm.h>

#include "ioband.h"

/**
 * iov_want_group - request a group for a cgroup
 * @volume: the volume
 * @css: the cgroup
 *
 * Dropped if too many are pending: the cgroup's next bio will repeat it.
 *
 * Context: process, under RCU.
 */
void iov_want_group(struct ioband_volume *volume, struct cgroup_subsys_state *css)
{
	unsigned int i;

	spin_lock(&volume->auto_lock);
	for (i = 0; i < volume->nr_auto; i++)
		if (volume->auto_css[i] == css)
			goto unlock;
	if (i < IOBAND_AUTO_PENDING && css_tryget_online(css)) {
		volume->auto_css[volume->nr_auto++] = css;
		mod_delayed_work(ioband_system_wq, &volume->auto_work, 0);
	}
unlock:
	spin_unlock(&volume->auto_lock);
}

static struct cgroup_subsys_state *iov_pop_wanted(struct ioband_volume *volume)
{
	struct cgroup_subsys_state *css = NULL;

	spin_lock(&volume->auto_lock);
	if (volume->nr_auto)
		css = volume->auto_css[--volume->nr_auto];
	spin_unlock(&volume->auto_lock);
	return css;
}

/* The topmost of @css and its ancestors, but the root, without a group, or %NULL. */
static struct cgroup_subsys_state *
iov_first_missing(struct ioband_volume *volume, struct cgroup_subsys_state *css)
{
	struct cgroup_subsys_state *missing = NULL;

	lockdep_assert_held(&ioband_mutex);

	for (; css->parent; css = css->parent)
		if (!xa_load(&volume->groups, cgroup_id(css->cgroup)))
			missing = css;
	return missing;
}

/* Create the missing groups of @css and its ancestors; drops a reference on @css. */
static void iov_auto_add(struct ioband_volume *volume, struct cgroup_subsys_state *css)
{
	const struct ioband_settings settings = { };
	struct cgroup_subsys_state *missing;
	struct ioband_error err;
	LIST_HEAD(spare);
	int r;

	do {
		if (iog_alloc(volume->pool, 1, &spare))
			break;
		mutex_lock(&ioband_mutex);
		missing = iov_first_missing(volume, css);
		r = missing ? iov_add(volume, cgroup_id(missing->cgroup), &settings, &spare,
				      &err) : -ENOENT;
		mutex_unlock(&ioband_mutex);
	} while (!r);
	iog_free(&spare);
	css_put(css);
}

/*
 * Remove the groups whose cgroups are gone. The io controller need not be enabled for a
 * cgroup: it may be again later.
 */
static void iov_auto_remove(struct ioband_volume *volume)
{
	struct cgroup_subsys_state *css;
	struct ioband_group *group;
	unsigned long id;

	mutex_lock(&ioband_mutex);
	rcu_read_lock();
	css_for_each_descendant_pre(css, &blkcg_root_css->cgroup->self) {
		group = xa_load(&volume->groups, cgroup_id(css->cgroup));
		if (group && css->flags & CSS_ONLINE)
			group->has_cgroup = true;
	}
	rcu_read_unlock();
	xa_for_each(&volume->groups, id, group) {
		if (!group->has_cgroup)
			iov_remove(volume, group);
		else
			group->has_cgroup = false;
	}
	mutex_unlock(&ioband_mutex);
}

static void iov_auto_work(struct work_struct *work)
{
	struct ioband_volume *volume =
		container_of(work, struct ioband_volume, auto_work.work);
	struct cgroup_subsys_state *css;
	unsigned long now = jiffies;
	unsigned int noio;

	/*
	 * Removing a table waits for this work, perhaps with other devices
	 * suspended: allocations must not depend on them.
	 */
	noio = memalloc_noio_save();
	while ((css = iov_pop_wanted(volume)))
		iov_auto_add(volume, css);
	memalloc_noio_restore(noio);

	if (time_after_eq(now, volume->auto_check_jiffies)) {
		iov_auto_remove(volume);
		volume->auto_check_jiffies = now + IOBAND_AUTO_JIFFIES;
	}
	if (!xa_empty(&volume->groups))
		queue_delayed_work(ioband_system_wq, &volume->auto_work,
				   volume->auto_check_jiffies - now);
}

/**
 * iov_auto_init - prepare a new volume for option auto
 * @volume: the volume
 *
 * Context: any.
 */
void iov_auto_init(struct ioband_volume *volume)
{
	spin_lock_init(&volume->auto_lock);
	INIT_DELAYED_WORK(&volume->auto_work, iov_auto_work);
	volume->auto_check_jiffies = jiffies + IOBAND_AUTO_JIFFIES;
}

/**
 * iov_auto_stop - end the work of option auto
 * @volume: a volume without a bio left
 *
 * Context: process, ioband_mutex not held.
 */
void iov_auto_stop(struct ioband_volume *volume)
{
	struct cgroup_subsys_state *css;

	cancel_delayed_work_sync(&volume->auto_work);
	while ((css = iov_pop_wanted(volume)))
		css_put(css);
}
