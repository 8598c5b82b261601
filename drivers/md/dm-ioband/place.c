// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the groups of cgroups are in the tree of their share.
 *
 * A cgroup has one place among its siblings, whichever of the share's volumes its I/O is
 * to. As long as one volume alone has groups for it and for the cgroups below, its group
 * is that place. Else a common group is, which is of no volume and holds nothing. Below it
 * are the members, the groups that volumes have for the cgroup, each as one more child, and
 * the places of the cgroups below.
 *
 * So what is below a group is of the same volume, and what acts on all of it, a limit, a
 * minimum or a stall, is the volume's alone. Where there is a limit or a minimum for
 * several cgroups together, the volume's groups for those below are not at their cgroups'
 * places but below the one that has it: they are apart.
 *
 * All of this is done with ioband_mutex held. The lists of children change under
 * pool->lock, too, since streams come and go.
 */
#include <linux/cgroup.h>
#include <linux/slab.h>

#include "ioband.h"

/* Whether something of @group is for all that its volume has below it. */
static bool reaches_below(const struct ioband_group *group)
{
	const struct ioband_terms *terms = group->node.terms;

	return group->is_apart || (terms && (terms->has_limits || terms->min_rate));
}

/* The place of a cgroup, or %NULL if no volume has a group for it that is not apart. */
static struct ioband_group *find_place(struct ioband_pool *pool, u64 id)
{
	struct ioband_group *place;

	lockdep_assert_held(&ioband_mutex);

	hash_for_each_possible(pool->cgroups, place, by_cgroup, id)
		if (place->id == id)
			return place;
	return NULL;
}

static void set_order(struct ioband_pool *pool, struct ioband_group *group, u32 weight,
		      enum ioband_class class)
{
	spin_lock(&pool->lock);
	if (group->node.weight != weight)
		ioband_node_set_weight(&pool->sched, &group->node, weight);
	if (group->node.class != class)
		ioband_node_set_class(&pool->sched, &group->node, class, ktime_get_ns());
	spin_unlock(&pool->lock);
}

/*
 * Volumes may give a cgroup different weights: among its siblings the largest counts that
 * somebody has set, so is not the default, and among its volumes their ratio; of classes
 * likewise the first. Nothing but common groups and groups of volumes is below a common
 * group, so ioband_mutex guards the list of its children.
 */
static void weigh(struct ioband_pool *pool, struct ioband_group *common)
{
	enum ioband_class class = IOBAND_BE;
	struct ioband_group *group;
	u32 weight = 0;

	list_for_each_entry(group, &common->node.children, node.sibling) {
		const struct ioband_settings *settings = &group->settings;

		if (!iog_is_member(group, common) || !group->volume->resumed)
			continue;
		if (settings->weight != IOBAND_WEIGHT_DEFAULT)
			weight = max(weight, settings->weight);
		if (settings->class != IOBAND_BE && (class == IOBAND_BE || settings->class < class))
			class = settings->class;
	}
	weight = weight ?: IOBAND_WEIGHT_DEFAULT;
	set_order(pool, common, weight, class);
	list_for_each_entry(group, &common->node.children, node.sibling)
		if (iog_is_member(group, common))
			set_order(pool, group, clamp_t(u32, group->settings.weight *
						       IOBAND_WEIGHT_DEFAULT / weight,
						       IOBAND_WEIGHT_MIN, IOBAND_WEIGHT_MAX),
				  IOBAND_BE);
}

/* Move all groups but those apart from below @from to below @to, except @to itself. */
static void move_children(struct ioband_pool *pool, struct ioband_group *from,
			  struct ioband_group *to)
{
	struct ioband_node *parent = to ? &to->node : &pool->sched.root;
	struct ioband_group *child, *next;
	u64 now_ns;

	spin_lock(&pool->lock);
	now_ns = ktime_get_ns();
	list_for_each_entry_safe(child, next, &from->node.children, node.sibling)
		if (!child->node.is_stream && !child->is_apart && child != to)
			ioband_node_move(&pool->sched, &child->node, parent, now_ns);
	spin_unlock(&pool->lock);
}

/* Put a common group at @place, which becomes a member; NULL if there is no memory. */
static struct ioband_group *make_common(struct ioband_pool *pool, struct ioband_group *place)
{
	struct ioband_group *common;

	common = kzalloc(struct_size(common, legs, iop_more_legs(pool->nr_legs)), GFP_NOIO);
	if (!common)
		return NULL;
	common->id = place->id;
	ioband_node_init(&common->node, place->node.weight);
	if (pool->nr_legs > 1)
		ioband_node_set_legs(&common->node, common->legs, pool->nr_legs);
	hash_del(&place->by_cgroup);
	hash_add(pool->cgroups, &common->by_cgroup, common->id);
	spin_lock(&pool->lock);
	ioband_node_add(place->node.parent, &common->node);
	spin_unlock(&pool->lock);
	move_children(pool, place, common);
	iog_move(pool, place, common);
	return common;
}

/* The one member, if there is, becomes the place; what is left goes to the place above. */
static void dissolve(struct ioband_pool *pool, struct ioband_group *common,
		     struct ioband_group *member)
{
	hash_del(&common->by_cgroup);
	if (member) {
		move_children(pool, common, member);
		iog_move(pool, member, iog_above(common));
		hash_add(pool->cgroups, &member->by_cgroup, member->id);
		set_order(pool, member, member->settings.weight, member->settings.class);
	}
	spin_lock(&pool->lock);
	ioband_node_del(&pool->sched, &common->node, ktime_get_ns());
	spin_unlock(&pool->lock);
	kfree(common);
}

/* Whether not all at and below @place is of one volume; if it is common, also a member. */
static bool is_mixed(struct ioband_pool *pool, struct ioband_group *place,
		     struct ioband_group **member)
{
	const struct ioband_volume *volume = place->volume;
	struct ioband_group *child;
	bool is_mixed = false;

	*member = NULL;
	spin_lock(&pool->lock);
	list_for_each_entry(child, &place->node.children, node.sibling) {
		if (child->node.is_stream)
			continue;
		if (iog_is_member(child, place))
			*member = child;
		volume = volume ?: child->volume;
		is_mixed |= child->volume != volume || !volume;
		if (is_mixed && *member)
			break;
	}
	spin_unlock(&pool->lock);
	return is_mixed;
}

/* Have a common group at @place and the places above where one is needed, and only there. */
static void tidy(struct ioband_pool *pool, struct ioband_group *place)
{
	struct ioband_group *above, *common, *member;
	bool mixed;

	for (; place; place = above) {
		above = iog_above(place);
		mixed = is_mixed(pool, place, &member);
		if (!place->volume && !(mixed && member)) {
			dissolve(pool, place, member);
		} else if (!place->volume) {
			weigh(pool, place);
		} else if (mixed) {
			common = make_common(pool, place);
			/* Without memory what is of other volumes is not compared there. */
			if (common)
				weigh(pool, common);
			else
				move_children(pool, place, above);
		}
	}
}

/* Move from @from to @to what is of a cgroup below @css: places, or groups of @volume. */
static void adopt(struct ioband_pool *pool, struct ioband_volume *volume,
		  struct cgroup_subsys_state *css, struct ioband_group *from,
		  struct ioband_group *to)
{
	struct cgroup_subsys_state *below;
	struct ioband_group *child;

	rcu_read_lock();
	css_for_each_descendant_pre(below, css) {
		child = volume ? xa_load(&volume->groups, cgroup_id(below->cgroup)) :
				 find_place(pool, cgroup_id(below->cgroup));
		if (child && child != to && iog_above(child) == from)
			iog_move(pool, child, to);
	}
	rcu_read_unlock();
}

/* Take a group off its place, and what is below that: it can go elsewhere, or be deleted. */
static struct ioband_group *leave(struct ioband_group *group)
{
	struct ioband_group *above = iog_above(group);

	if (group->is_apart)
		return NULL;
	if (hash_hashed(&group->by_cgroup)) {
		hash_del(&group->by_cgroup);
		move_children(group->volume->pool, group, above);
	}
	return above;
}

/* What something reaches has changed: put the groups of @volume below a cgroup anew. */
static void replace_below(struct ioband_volume *volume, u64 id)
{
	struct cgroup_subsys_state *css = ioband_cgroup_css(id), *below;
	struct ioband_group *group, *above;

	if (!css)
		return;
	rcu_read_lock();
	css_for_each_descendant_pre(below, css) {
		group = xa_load(&volume->groups, cgroup_id(below->cgroup));
		if (!group || group->id == id || !css_tryget(below))
			continue;
		rcu_read_unlock();
		above = leave(group);
		iog_enter(group);
		if (group->is_apart)
			tidy(volume->pool, above);
		rcu_read_lock();
		css_put(below);
	}
	rcu_read_unlock();
	css_put(css);
}

/**
 * iog_enter - put a group to where its cgroup is in the tree
 * @group: a group of type cgroup, at no place
 *
 * It goes to the place of its cgroup. If that has none yet, it is that, below the nearest
 * ancestor's, and places of cgroups below its own go below it.
 *
 * Context: process, ioband_mutex held.
 */
void iog_enter(struct ioband_group *group)
{
	struct cgroup_subsys_state *css = ioband_cgroup_css(group->id), *c = css;
	struct ioband_group *place, *above = NULL, *own = NULL;
	struct ioband_volume *volume = group->volume;
	struct ioband_pool *pool = volume->pool;
	bool is_own = css && cgroup_id(css->cgroup) == group->id;

	/* Else it is an ancestor's: the io controller is not enabled here. */
	if (is_own)
		c = css->parent;
	for (; c && !(own && above); c = c->parent) {
		own = own ?: xa_load(&volume->groups, cgroup_id(c->cgroup));
		above = above ?: find_place(pool, cgroup_id(c->cgroup));
	}
	/* It may have been a member, whose weight is another. */
	set_order(pool, group, group->settings.weight, group->settings.class);
	group->is_apart = own && reaches_below(own);
	place = group->is_apart ? own : find_place(pool, group->id);
	if (place) {
		iog_move(pool, group, place);
	} else {
		hash_add(pool->cgroups, &group->by_cgroup, group->id);
		iog_move(pool, group, above);
	}
	if (is_own && group->is_apart)
		adopt(pool, volume, css, own, group);
	else if (is_own && !place)
		adopt(pool, NULL, css, above, group);
	if (css)
		css_put(css);
	if (!group->is_apart)
		tidy(pool, place ?: group);
}

/**
 * iog_reach_below - have a new group's limits and minimum act on what is below it
 * @group: a group of type cgroup that has just become one of its volume's
 *
 * Context: process, ioband_mutex held.
 */
void iog_reach_below(struct ioband_group *group)
{
	if (!group->is_apart && reaches_below(group))
		replace_below(group->volume, group->id);
}

/**
 * iog_leave - take a group that bios cannot find any more out of the tree
 * @group: a group of type cgroup; it is freed when its last bio has completed
 * @heir: group to move its held bios to
 *
 * Context: process, ioband_mutex held.
 */
void iog_leave(struct ioband_group *group, struct ioband_group *heir)
{
	bool reached = !group->is_apart && reaches_below(group);
	struct ioband_volume *volume = group->volume;
	struct ioband_group *above = leave(group);
	u64 id = group->id;

	iog_del(group, heir);
	tidy(volume->pool, above);
	if (reached)
		replace_below(volume, id);
}

/* What counts of @group's weight may be another now. */
static void iog_weigh(struct ioband_group *group)
{
	struct ioband_group *above = iog_above(group);

	if (above && iog_is_member(group, above))
		weigh(group->volume->pool, above);
}

/**
 * iog_set - put settings into effect, as iog_apply(), where the group is in the tree
 * @group: the group
 * @settings: all of its settings, checked
 *
 * Context: process, ioband_mutex held.
 * Return: what iog_apply() returns.
 */
int iog_set(struct ioband_group *group, const struct ioband_settings *settings)
{
	bool reached = reaches_below(group);

	if (iog_apply(group, settings))
		return -ENOMEM;
	iog_weigh(group);
	if (group->volume->type == IOBAND_TYPE_CGROUP && reached != reaches_below(group))
		replace_below(group->volume, group->id);
	return 0;
}

/**
 * iov_weigh - have the weights that a volume gives to cgroups count
 * @volume: a volume that has just been resumed
 *
 * Context: process, ioband_mutex held.
 */
void iov_weigh(struct ioband_volume *volume)
{
	struct ioband_group *group;
	unsigned long id;

	xa_for_each(&volume->groups, id, group)
		iog_weigh(group);
}

/**
 * iog_parent - the group of the same volume that a group is below
 * @group: the group, in the tree
 *
 * Context: process, ioband_mutex held; or under RCU, pool->lock held.
 * Return: the group, or %NULL.
 */
struct ioband_group *iog_parent(const struct ioband_group *group)
{
	struct ioband_group *above, *own;

	for (above = iog_above(group); above; above = iog_above(above)) {
		own = above->volume == group->volume ? above :
		      xa_load(&group->volume->groups, above->id);
		if (own && own != group)
			return own;
	}
	return NULL;
}
