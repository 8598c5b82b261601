// SPDX-License-Identifier: GPL-2.0-only
/*
 * A group: its memory, its place in the tree, its settings.
 */
#include <linux/delay.h>
#include <linux/slab.h>

#include "ioband.h"
#include "trace.h"

/* Guards which pools, volumes, targets and groups exist, and their settings. */
DEFINE_MUTEX(ioband_mutex);

#define ALLOC_TRIES		5
#define ALLOC_PAUSE_MS		10

/* Free a group that nobody can find, in use before or not, or not complete. */
static void iog_free_memory(struct ioband_group *group)
{
	percpu_ref_exit(&group->ref);
	free_percpu(group->stats);
	kfree(group->node.terms);
	kfree(group);
}

static void iog_free_rcu(struct rcu_head *rcu)
{
	struct ioband_group *group =
		container_of(rcu, struct ioband_group, rcu);
	struct ioband_volume *volume = group->volume;

	iog_free_memory(group);
	/* At 0 the volume may be freed at once: only its address is used. */
	if (atomic_dec_and_test(&volume->nr_live))
		wake_up_var(&volume->nr_live);
}

static void iog_release(struct percpu_ref *ref)
{
	struct ioband_group *group =
		container_of(ref, struct ioband_group, ref);

	call_rcu(&group->rcu, iog_free_rcu);
}

static u64 latency_ns(const struct ioband_settings *settings)
{
	return (u64)settings->latency_us * NSEC_PER_USEC;
}

static int terms_create(const struct ioband_settings *settings, struct ioband_terms **terms)
{
	*terms = NULL;
	if (!ioband_settings_need_terms(settings))
		return 0;
	*terms = kmalloc(sizeof(**terms), GFP_NOIO);
	if (!*terms)
		return -ENOMEM;
	ioband_terms_init(*terms, settings->limits, settings->min_rate,
			  settings->min_is_ios,
			  latency_ns(settings));
	return 0;
}

static struct ioband_group *alloc_one(struct ioband_pool *pool)
{
	struct ioband_group *group;

	group = kzalloc(struct_size(group, legs, iop_more_legs(pool->nr_legs)), GFP_KERNEL);
	if (!group)
		return NULL;
	group->stats = alloc_percpu(struct ioband_stats);
	if (group->stats && !percpu_ref_init(&group->ref, iog_release, 0, GFP_KERNEL))
		return group;
	iog_free_memory(group);
	return NULL;
}

/**
 * iog_free - free groups that were never used
 * @spare: list of them; empty afterwards
 *
 * Context: process.
 */
void iog_free(struct list_head *spare)
{
	struct ioband_group *group, *next;

	list_for_each_entry_safe(group, next, spare, spare) {
		list_del(&group->spare);
		iog_free_memory(group);
	}
}

/**
 * iog_alloc - allocate memory for groups
 * @pool: the pool they are for
 * @count: how many
 * @spare: the list they are added to
 *
 * Context: process, ioband_mutex not held: waits for memory.
 * Return: 0, or -ENOMEM with fewer on the list.
 */
int iog_alloc(struct ioband_pool *pool, unsigned int count, struct list_head *spare)
{
	struct ioband_group *group;
	unsigned int tries;

	while (count--) {
		/*
		 * In a noio scope, some kernels serve per-CPU memory from
		 * populated pages only, and populate more soon after.
		 */
		for (tries = ALLOC_TRIES; !(group = alloc_one(pool)); msleep(ALLOC_PAUSE_MS))
			if (!--tries)
				return -ENOMEM;
		list_add(&group->spare, spare);
	}
	return 0;
}

/**
 * iog_create - set up a group
 * @volume: its volume
 * @id: its id
 * @change: its settings; what is not given has its default
 * @spare: list to take its memory from
 *
 * Context: process, ioband_mutex held.
 * Return: a group that cannot be found yet, or %NULL if out of memory.
 */
struct ioband_group *iog_create(struct ioband_volume *volume, u64 id,
				const struct ioband_settings *change,
				struct list_head *spare)
{
	unsigned int nr_legs = volume->pool->nr_legs;
	struct ioband_settings settings;
	struct ioband_terms *terms;
	struct ioband_group *group;
	enum ioband_dir dir;

	ioband_settings_init(&settings);
	ioband_settings_merge(&settings, change);
	group = list_first_entry_or_null(spare, struct ioband_group, spare);
	if (!group || terms_create(&settings, &terms))
		return NULL;
	list_del(&group->spare);

	group->volume = volume;
	group->id = id;
	group->settings = settings;
	group->latency_ns = latency_ns(&settings);
	group->went_jiffies = jiffies;
	INIT_LIST_HEAD(&group->account.news);
	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++)
		init_waitqueue_head(&group->wait[dir]);
	ioband_node_init(&group->node, group->settings.weight);
	if (nr_legs > 1)
		ioband_node_set_legs(&group->node, group->legs, nr_legs);
	group->node.class = group->settings.class;
	group->node.terms = terms;
	if (terms)
		terms->node = &group->node;
	atomic_inc(&volume->nr_live);
	return group;
}

/*
 * The tree of groups
 */

enum {
	/*
	 * Each level of groups costs a bio some steps. A cgroup nested deeper
	 * has its group on the last level, beside its parent's.
	 */
	LEVELS_MAX = 16,
};

static unsigned int level_of(const struct ioband_node *node)
{
	unsigned int level = 0;

	while ((node = node->parent))
		level++;
	return level;
}

static bool is_below(const struct ioband_node *node, const struct ioband_node *above)
{
	while (node && node != above)
		node = node->parent;
	return node;
}

/* The number of levels of groups in the subtree of @top; under pool->lock. */
static unsigned int height_of(struct ioband_node *top)
{
	unsigned int level = level_of(top), deepest = level;
	struct ioband_node *node;

	for (node = top; node; node = ioband_node_after(node, top))
		if (!node->is_stream)
			deepest = max(deepest, level_of(node));
	return deepest - level + 1;
}

/*
 * Update is_limited, which is set for groups with limits and for all below
 * them. To be called for the subtree in which that may have changed.
 */
static void iop_spread_limits(struct ioband_pool *pool, struct ioband_node *top)
{
	struct ioband_node *node;
	bool limited;

	lockdep_assert_held(&pool->lock);

	for (node = top; node; node = ioband_node_after(node, top)) {
		if (!node->parent || node->is_stream)
			continue;
		limited = node->terms && node->terms->has_limits;
		if (node->parent->parent)
			limited |= iog_from_node(node->parent)->is_limited;
		WRITE_ONCE(iog_from_node(node)->is_limited, limited);
	}
}

/**
 * iop_find_latency - find the tightest latency target in force, which bounds the depth
 * @pool: the pool
 *
 * Context: process, ioband_mutex and pool->lock held.
 */
void iop_find_latency(struct ioband_pool *pool)
{
	struct ioband_node *root = &pool->sched.root, *node;
	u64 least_ns = 0;

	lockdep_assert_held(&pool->lock);

	for (node = root; node; node = ioband_node_after(node, root))
		if (node->terms && node->terms->latency_ns &&
		    iog_from_node(node)->volume->resumed &&
		    (!least_ns || node->terms->latency_ns < least_ns))
			least_ns = node->terms->latency_ns;
	pool->depth.latency_ns = least_ns;
}

/**
 * iog_move - move a group, and all below it, to another place in the tree
 * @pool: its pool
 * @group: the group
 * @parent: its new parent, which must not be below it; %NULL for none
 *
 * Context: process, ioband_mutex held.
 */
void iog_move(struct ioband_pool *pool, struct ioband_group *group,
	      struct ioband_group *parent)
{
	struct ioband_node *above = parent ? &parent->node : &pool->sched.root;
	unsigned int height;

	lockdep_assert_held(&ioband_mutex);

	spin_lock(&pool->lock);
	/* The members of a common group are no level of their own. */
	height = height_of(&group->node) - (parent && parent->id == group->id);
	while (level_of(above) + height > LEVELS_MAX)
		above = above->parent;
	ioband_node_move(&pool->sched, &group->node, above, ktime_get_ns());
	iop_spread_limits(pool, &group->node);
	spin_unlock(&pool->lock);
}

/**
 * iog_add - add a new group to the tree, below no other
 * @group: the group
 *
 * Context: process, ioband_mutex held.
 */
void iog_add(struct ioband_group *group)
{
	struct ioband_pool *pool = group->volume->pool;

	spin_lock(&pool->lock);
	ioband_node_add(&pool->sched.root, &group->node);
	iog_keep_back(group, ktime_get_ns());
	iop_spread_limits(pool, &group->node);
	if (group->settings.latency_us)
		iop_find_latency(pool);
	spin_unlock(&pool->lock);
}

/**
 * iog_wake_all - have all who wait to submit look again
 * @group: whose I/O they have
 *
 * Context: any.
 */
void iog_wake_all(struct ioband_group *group)
{
	enum ioband_dir dir;

	for (dir = IOBAND_READ; dir < IOBAND_DIRS; dir++)
		wake_up_all(&group->wait[dir]);
}

/* Move a held run to another group of the volume. */
static void iob_rehome(struct ioband_pool *pool, struct ioband_bio *first,
		       struct ioband_group *to)
{
	u64 now_ns = ktime_get_ns();
	struct ioband_bio *iob;

	iog_join(pool, to);
	iob_dequeue(pool, first, now_ns);
	for (iob = first; iob; iob = iob->next) {
		percpu_ref_get(&to->ref);
		percpu_ref_put(&iob->group->ref);
		iob->group = to;
	}
	iob_enqueue(pool, first, now_ns);
}

/**
 * iog_del - take a group that can no longer be found out of the tree
 * @group: the group; it is freed when its last bio has completed
 * @heir: group to move its held bios to; %NULL if it holds none
 *
 * Context: process, ioband_mutex held.
 */
void iog_del(struct ioband_group *group, struct ioband_group *heir)
{
	struct ioband_pool *pool = group->volume->pool;
	struct ioband_node *above = group->node.parent;
	struct ioband_io *io;
	unsigned int nr = 0;
	u64 now_ns;

	spin_lock(&pool->lock);
	WRITE_ONCE(group->detached, true);
	if (READ_ONCE(pool->user) == group) {
		WRITE_ONCE(pool->user, NULL);
		WRITE_ONCE(pool->owner, NULL);
	}
	while ((io = iog_first_held(group))) {
		iob_rehome(pool, iob_from_io(io), heir);
		iop_let_others(pool, &nr, io);
	}
	now_ns = ktime_get_ns();
	iop_drop_streams(pool, group);
	ioband_node_del(&pool->sched, &group->node, now_ns);
	if (group->is_limited)
		iop_spread_limits(pool, above);
	if (group->settings.latency_us)
		iop_find_latency(pool);
	iop_pump(pool, NULL, now_ns);
	spin_unlock(&pool->lock);
	iog_wake_all(group);
	percpu_ref_kill(&group->ref);
}

/*
 * Changes of settings
 */

/**
 * iog_check_parent - refuse a parent that would make a loop or too many levels
 * @group: the group
 * @parent: the group to move it below
 * @err: says what was wrong on failure
 *
 * Context: process, ioband_mutex held.
 * Return: 0 or -EINVAL.
 */
int iog_check_parent(struct ioband_group *group, struct ioband_group *parent,
		     struct ioband_error *err)
{
	static const char brief[] = "Invalid policy parameter";
	struct ioband_pool *pool = group->volume->pool;
	unsigned int levels;

	lockdep_assert_held(&ioband_mutex);

	if (is_below(&parent->node, &group->node))
		return ioband_refuse(err, brief,
				     "parent %llu: is the group itself or below it", parent->id);
	spin_lock(&pool->lock);
	levels = level_of(&parent->node) + height_of(&group->node);
	spin_unlock(&pool->lock);
	if (levels > LEVELS_MAX)
		return ioband_refuse(err, brief,
				     "parent %llu: makes more than the %d levels of groups that there may be",
				     parent->id, LEVELS_MAX);
	return 0;
}

/**
 * iog_apply - put changed settings into effect; those of a new group: iog_create()
 * @group: the group
 * @settings: all of its settings, checked
 *
 * Context: process, ioband_mutex held.
 * Return: 0, or -ENOMEM with nothing changed. Never fails for settings that
 * need no terms.
 */
int iog_apply(struct ioband_group *group, const struct ioband_settings *settings)
{
	struct ioband_pool *pool = group->volume->pool;
	struct ioband_terms *terms;
	bool retarget;
	u64 now_ns;

	lockdep_assert_held(&ioband_mutex);

	if (terms_create(settings, &terms))
		return -ENOMEM;
	spin_lock(&pool->lock);
	now_ns = ktime_get_ns();
	if (settings->weight != group->settings.weight)
		ioband_node_set_weight(&pool->sched, &group->node, settings->weight);
	if (settings->class != group->settings.class)
		ioband_node_set_class(&pool->sched, &group->node, settings->class, now_ns);
	terms = ioband_node_set_terms(&pool->sched, &group->node, terms, now_ns);
	retarget = settings->latency_us != group->settings.latency_us;
	group->settings = *settings;
	WRITE_ONCE(group->latency_ns, latency_ns(settings));
	iop_spread_limits(pool, &group->node);
	if (retarget)
		iop_find_latency(pool);
	spin_unlock(&pool->lock);
	kfree(terms);
	trace_ioband_group(group, "set");
	return 0;
}
