// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups below groups: a share is handed down, and what nobody uses below is
 * used beside it first.
 */
#include "bed.h"

static void backlog(struct bed_group *group)
{
	bed_backlog(group, IOBAND_READ, 8, 2);
}

/* Stop a group that bed_backlog() keeps going. */
static void quiet(struct bed_group *group)
{
	struct ioband_io *io;

	while ((io = ioband_first_held(&group->node)))
		bed_unhold(container_of(io, struct bed_io, io));
}

/*
 *	root -+- a 2 -+- a1 1
 *	      |       +- a2 3
 *	      +- b 1
 */
static struct bed_group *a, *a1, *a2, *b;

static void start(void)
{
	bed_start("weight", 1);
	a = bed_add(NULL, 2);
	a1 = bed_add(a, 1);
	a2 = bed_add(a, 3);
	b = bed_add(NULL, 1);
}

static void assert_served(u64 count, u64 of_a, u64 of_a1, u64 of_a2, u64 of_b)
{
	bed_forget();
	bed_serve(count);
	assert_in_range(a->cost + 1, of_a, of_a + 2);
	assert_in_range(a1->cost + 1, of_a1, of_a1 + 2);
	assert_in_range(a2->cost + 1, of_a2, of_a2 + 2);
	assert_in_range(b->cost + 1, of_b, of_b + 2);
}

/* What a parent has is divided among its children. */
static void test_share_is_split(void **state)
{
	start();
	backlog(a1);
	backlog(a2);
	backlog(b);
	assert_served(1200, 0, 200, 600, 400);
	assert_served(1200, 0, 200, 600, 400);
}

static void test_idle_lends_inside_first(void **state)
{
	start();
	backlog(a1);
	backlog(b);
	assert_served(1200, 0, 800, 0, 400);
	/* It comes back, and has its own again; what it lent is gone. */
	backlog(a2);
	assert_served(1200, 0, 200, 600, 400);
	quiet(b);
	assert_served(1200, 0, 300, 900, 0);
	quiet(a2);
	assert_served(1200, 0, 1200, 0, 0);
}

/* A group's own I/O is one child more, of weight 100. */
static void test_own_is_a_child(void **state)
{
	start();
	ioband_node_set_weight(&bed.sched, &a1->node, 100);
	ioband_node_set_weight(&bed.sched, &a2->node, 300);
	backlog(a);
	backlog(a1);
	backlog(a2);
	backlog(b);
	assert_served(1500, 200, 200, 600, 500);
	quiet(a2);
	assert_served(1500, 500, 500, 0, 500);
	quiet(a1);
	assert_served(1500, 1000, 0, 0, 500);
	backlog(a2);
	assert_served(1500, 250, 0, 750, 500);
}

/* No credit for a group's own I/O either, however long there was none. */
static void test_own_saves_nothing(void **state)
{
	start();
	ioband_node_set_weight(&bed.sched, &a1->node, 100);
	backlog(a1);
	bed_serve(1000);
	backlog(a);
	assert_served(1000, 500, 500, 0, 0);
}

/* A group that has had I/O for long gets its first child. */
static void test_leaf_becomes_inner(void **state)
{
	struct bed_group *top, *below, *beside;

	bed_start("weight", 1);
	top = bed_add(NULL, 100);
	beside = bed_add(NULL, 100);
	backlog(top);
	backlog(beside);
	bed_serve(1000);
	below = bed_add(top, 100);
	backlog(below);
	bed_forget();
	bed_serve(1000);
	assert_in_range(top->cost, 249, 251);
	assert_in_range(below->cost, 249, 251);
	assert_in_range(beside->cost, 499, 501);
}

/*
 * To move a group is not felt inside: neither who is new there nor what the group
 * holds itself may make up for what went before.
 */
static void test_move_under_load(void **state)
{
	struct bed_group *group, *child, *newcomer, *beside;

	bed_start("weight", 1);
	beside = bed_add(NULL, 100);
	group = bed_add(NULL, 100);
	child = bed_add(group, 100);
	newcomer = bed_add(group, 100);
	backlog(child);
	backlog(beside);
	bed_serve(2000);

	bed_move(group, beside);
	backlog(newcomer);
	backlog(group);
	bed_forget();
	bed_serve(600);
	assert_in_range(beside->cost, 299, 301);
	assert_in_range(group->cost, 99, 101);
	assert_in_range(child->cost, 99, 101);
	assert_in_range(newcomer->cost, 99, 101);

	bed_move(group, NULL);
	bed_forget();
	bed_serve(600);
	assert_in_range(beside->cost, 299, 301);
	assert_in_range(group->cost, 99, 101);
	assert_in_range(child->cost, 99, 101);
	assert_in_range(newcomer->cost, 99, 101);
}

/* To come from a parent whose virtual time is far ahead is no disadvantage. */
static void test_move_between_times(void **state)
{
	struct bed_group *old, *new, *left, *moved, *there;

	bed_start("weight", 1);
	old = bed_add(NULL, 10000);
	new = bed_add(NULL, 1);
	left = bed_add(old, 1);
	moved = bed_add(old, 1);
	there = bed_add(new, 1);
	backlog(left);
	backlog(moved);
	backlog(there);
	bed_serve(50000);
	bed_move(moved, new);
	ioband_node_set_weight(&bed.sched, &new->node, 10000);
	bed_forget();
	bed_serve(4000);
	assert_in_range(left->cost, 1998, 2002);
	assert_in_range(moved->cost, 998, 1002);
	assert_in_range(there->cost, 998, 1002);
	bed_move(moved, old);
	bed_forget();
	bed_serve(4000);
	assert_in_range(left->cost, 998, 1002);
	assert_in_range(moved->cost, 998, 1002);
	assert_in_range(there->cost, 1998, 2002);
}

/* What a group owes it owes anywhere. */
static void test_move_forgives_no_debt(void **state)
{
	int i;

	start();
	backlog(a1);
	backlog(b);
	for (i = 0; i < 40; i++)
		bed_charge(a1, IOBAND_WRITE, 8);
	bed_move(a1, NULL);
	assert_served(40, 0, 0, 0, 40);
	assert_served(100, 0, 50, 0, 50);
}

/* Whoever is below takes the place of the one that goes. */
static void test_del_inner(void **state)
{
	start();
	backlog(a1);
	backlog(a2);
	backlog(b);
	bed_serve(1000);
	bed_del(a);
	assert_true(list_empty(&a->node.children));
	assert_ptr_equal(a1->node.parent, &bed.sched.root);
	/* Weights 1, 3 and 1 side by side. */
	assert_served(1000, 0, 200, 600, 200);
	assert_int_equal(bed.sched.held, 6);
}

static void keep_back(struct bed_group *group, u64 until_ns)
{
	ioband_node_keep_back(&bed.sched, &group->node, IOBAND_READ, until_ns, bed.now_ns);
	ioband_node_keep_back(&bed.sched, &group->node, IOBAND_WRITE, until_ns, bed.now_ns);
}

/* Nothing of it goes, nor below it, whatever was promised there; until then, and no longer. */
static void test_keep_back(void **state)
{
	start();
	backlog(a1);
	backlog(a2);
	backlog(b);
	bed_set(a1, &(struct bed_terms) { .min_rate = 1000000, .min_is_ios = true });
	bed_set(a2, &(struct bed_terms) { .latency_ns = 1 });
	bed_serve(10);
	bed.now_ns += MS;
	keep_back(a, bed.now_ns + SEC);
	assert_served(100, 0, 0, 0, 100);
	bed.now_ns += SEC - 1;
	assert_served(100, 0, 0, 0, 100);
	bed_set(a1, NULL);
	bed_set(a2, NULL);
	bed.now_ns++;
	bed_serve(100);
	assert_served(1200, 0, 200, 600, 400);

	/* It may be for longer, or be over. */
	keep_back(a, bed.now_ns + SEC);
	keep_back(a, bed.now_ns + 2 * SEC);
	bed.now_ns += SEC;
	assert_served(100, 0, 0, 0, 100);
	keep_back(a, 0);
	assert_served(1200, 0, 200, 600, 400);

	/* It may be what goes one way only. */
	ioband_node_keep_back(&bed.sched, &a->node, IOBAND_WRITE, bed.now_ns + SEC,
			      bed.now_ns);
	assert_served(1200, 0, 200, 600, 400);
	ioband_node_keep_back(&bed.sched, &a->node, IOBAND_READ, bed.now_ns + SEC,
			      bed.now_ns);
	assert_served(100, 0, 0, 0, 100);
	bed_hold_write(a1, 8);
	assert_served(100, 0, 0, 0, 100);
	keep_back(a, 0);

	/* If it is all there is, nothing goes, and nothing waits for room. */
	quiet(b);
	keep_back(a, bed.now_ns + SEC);
	assert_null(bed_next(0));
	assert_int_equal(ioband_blocked_ns(&bed.sched, bed.now_ns + SEC), 0);
}

/* For how long nothing had room; what goes beyond the depth had none. */
static void test_blocked(void **state)
{
	start();
	bed.sched.spare = 1;
	bed_hold(b, 8);
	assert_ptr_equal(bed_next_group(), b);
	backlog(a1);
	bed_serve(10);
	assert_null(bed_next(1));
	bed.now_ns += 5 * SEC;
	assert_int_equal(ioband_blocked_ns(&bed.sched, bed.now_ns), 5 * SEC);
	bed_hold(b, 8);
	assert_ptr_equal(bed_next(1)->group, b);
	assert_null(bed_next(2));
	bed.now_ns += SEC;
	assert_int_equal(ioband_blocked_ns(&bed.sched, bed.now_ns), 6 * SEC);
	bed_serve(1);
	assert_null(bed_next(1));
	bed.now_ns += SEC;
	assert_int_equal(ioband_blocked_ns(&bed.sched, bed.now_ns), SEC);
}

static void test_del_idle(void **state)
{
	start();
	backlog(b);
	bed_serve(100);
	bed_del(a2);
	bed_del(a1);
	bed_del(a);
	assert_served(100, 0, 0, 0, 100);
	bed_hold(b, 8);
	quiet(b);
	bed_del(b);
	assert_true(list_empty(&bed.sched.root.children));
	assert_null(bed_next(0));
}

/* Who walks the children of a group may change the class of each on the way. */
static void test_class_in_a_walk(void **state)
{
	struct bed_group *groups[3];
	struct ioband_node *node;
	int i, nr = 0;

	bed_start("weight", 1);
	for (i = 0; i < 3; i++)
		groups[i] = bed_add(NULL, 100);
	list_for_each_entry(node, &bed.sched.root.children, sibling) {
		assert_ptr_equal(node, &groups[nr++]->node);
		ioband_node_set_class(&bed.sched, node, IOBAND_RT, bed.now_ns);
	}
	assert_int_equal(nr, 3);
}

/* Strict order among siblings, weights within a class. */
static void test_classes(void **state)
{
	struct bed_group *rt[2], *be[2], *idle[2];
	int i;

	bed_start("weight", 1);
	for (i = 0; i < 2; i++) {
		idle[i] = bed_add(NULL, 1 + 2 * i);
		be[i] = bed_add(NULL, 1 + 2 * i);
		rt[i] = bed_add(NULL, 1 + 2 * i);
		ioband_node_set_class(&bed.sched, &rt[i]->node, IOBAND_RT,
				      bed.now_ns);
		ioband_node_set_class(&bed.sched, &idle[i]->node, IOBAND_IDLE,
				      bed.now_ns);
		backlog(idle[i]);
		backlog(be[i]);
		backlog(rt[i]);
	}
	bed_serve(400);
	assert_in_range(rt[0]->cost, 99, 101);
	assert_in_range(rt[1]->cost, 299, 301);
	quiet(rt[0]);
	quiet(rt[1]);
	bed_serve(400);
	assert_in_range(be[0]->cost, 99, 101);
	assert_in_range(be[1]->cost, 299, 301);
	quiet(be[0]);
	bed_serve(400);
	assert_in_range(be[1]->cost, 699, 701);
	quiet(be[1]);
	bed_serve(400);
	assert_in_range(idle[0]->cost, 99, 101);
	assert_in_range(idle[1]->cost, 299, 301);

	/* One of a class that goes first comes, and is first at once. */
	bed_hold(rt[0], 8);
	assert_ptr_equal(bed_next_group(), rt[0]);
}

/* A class counts among siblings only: below a modest group nobody is urgent. */
static void test_class_below(void **state)
{
	start();
	ioband_node_set_class(&bed.sched, &a->node, IOBAND_IDLE, bed.now_ns);
	ioband_node_set_class(&bed.sched, &a1->node, IOBAND_RT, bed.now_ns);
	backlog(a);
	backlog(a1);
	backlog(a2);
	backlog(b);
	assert_served(1000, 0, 0, 0, 1000);
	quiet(b);
	assert_served(1000, 0, 1000, 0, 0);
	quiet(a1);
	ioband_node_set_class(&bed.sched, &a2->node, IOBAND_IDLE, bed.now_ns);
	/* What a holds itself is of the class in the middle. */
	assert_served(1000, 1000, 0, 0, 0);
	quiet(a);
	assert_served(1000, 0, 0, 1000, 0);
}

static void test_class_changes_under_load(void **state)
{
	start();
	backlog(a1);
	backlog(a2);
	backlog(b);
	assert_served(1200, 0, 200, 600, 400);
	ioband_node_set_class(&bed.sched, &a2->node, IOBAND_RT, bed.now_ns);
	bed_check();
	assert_served(1200, 0, 0, 800, 400);
	ioband_node_set_class(&bed.sched, &b->node, IOBAND_RT, bed.now_ns);
	bed_check();
	assert_served(1200, 0, 0, 0, 1200);
	ioband_node_set_class(&bed.sched, &b->node, IOBAND_BE, bed.now_ns);
	ioband_node_set_class(&bed.sched, &a2->node, IOBAND_BE, bed.now_ns);
	bed_check();
	assert_served(1200, 0, 200, 600, 400);
}

static void test_weight_of_inner_changes(void **state)
{
	start();
	backlog(a1);
	backlog(a2);
	backlog(b);
	bed_serve(1000);
	ioband_node_set_weight(&bed.sched, &a->node, 1);
	bed_check();
	assert_served(800, 0, 100, 300, 400);
}

/* What passes for one below is owed by all above it. */
static void test_debt_goes_up(void **state)
{
	int i;

	start();
	backlog(a1);
	backlog(a2);
	backlog(b);
	for (i = 0; i < 40; i++)
		bed_charge(a1, IOBAND_WRITE, 8);
	/* 40 of a are 20 of b; then a2 has 120 before a1 has its turn. */
	assert_served(20, 0, 0, 0, 20);
	assert_served(180, 0, 0, 120, 60);
	assert_served(1200, 0, 200, 600, 400);
}

/* What is in flight when a group joins counts for those above it, in order. */
static void test_join_charges_upwards(void **state)
{
	struct bed_group *late;
	int i;

	start();
	late = bed_add(a2, 100);
	backlog(a1);
	backlog(b);
	assert_served(3, 0, 2, 0, 1);
	ioband_node_join(&bed.sched, &late->node, 200, 1600);
	bed_check();
	bed_hold(late, 8);
	/* 200 of weight 2 are 100 of weight 1. */
	for (i = 0; i < 99; i++)
		bed_serve(1);
	assert_int_equal(b->cost, 100);
}

/* Every level begins anew, and what is held anywhere stays held. */
static void test_restart_deep(void **state)
{
	struct bed_group *path[40];
	unsigned int i;

	bed_start("weight", 1);
	for (i = 0; i < ARRAY_SIZE(path); i++) {
		path[i] = bed_add(i ? path[i - 1] : NULL, 100);
		backlog(path[i]);
	}
	bed_serve(5000);
	/* Half for each level's own, the rest for those below. */
	assert_in_range(path[0]->cost, 2499, 2501);
	assert_in_range(path[1]->cost, 1249, 1251);
	assert_in_range(path[2]->cost, 624, 626);
	ioband_sched_restart(&bed.sched);
	bed_check();
	assert_int_equal(bed.sched.held, 2 * ARRAY_SIZE(path));
	bed_forget();
	bed_serve(5000);
	assert_in_range(path[0]->cost, 2499, 2501);
	assert_in_range(path[1]->cost, 1249, 1251);
	assert_in_range(path[2]->cost, 624, 626);
}

/* A group that was away while all began anew has no tag of before. */
static void test_restart_of_the_idle(void **state)
{
	start();
	backlog(a1);
	backlog(b);
	bed_serve(1000);
	quiet(a1);
	ioband_sched_restart(&bed.sched);
	bed_check();
	backlog(a1);
	backlog(a2);
	assert_served(1200, 0, 200, 600, 400);
}

/* Whom a limit kept behind its siblings has saved nothing up for elsewhere. */
static void test_move_from_below_a_limit(void **state)
{
	struct bed_group *limited, *inner, *reader, *writer;
	unsigned int deleted;

	for (deleted = 0; deleted < 2; deleted++) {
		bed_start("weight", 1);
		limited = bed_add(NULL, 100);
		inner = bed_add(limited, 100);
		reader = bed_add(inner, 100);
		writer = bed_add(inner, 100);
		bed_limit(limited, IOBAND_RIOPS, 10, 0, 0);
		bed_backlog(reader, IOBAND_READ, 8, 32);
		bed_backlog(writer, IOBAND_WRITE, 8, 32);
		bed_run(100 * SEC, MS);
		if (deleted)
			bed_del(limited);
		else
			bed_move(inner, NULL);
		bed_forget();
		bed_run(10 * SEC, MS);
		assert_in_range(bed_ios(writer), 4900, 5100);
		bed_stop();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_share_is_split),
		cmocka_unit_test(test_idle_lends_inside_first),
		cmocka_unit_test(test_own_is_a_child),
		cmocka_unit_test(test_own_saves_nothing),
		cmocka_unit_test(test_leaf_becomes_inner),
		cmocka_unit_test(test_move_under_load),
		cmocka_unit_test(test_move_between_times),
		cmocka_unit_test(test_move_forgives_no_debt),
		cmocka_unit_test(test_move_from_below_a_limit),
		cmocka_unit_test(test_del_inner),
		cmocka_unit_test(test_keep_back),
		cmocka_unit_test(test_blocked),
		cmocka_unit_test(test_del_idle),
		cmocka_unit_test(test_class_in_a_walk),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_class_below),
		cmocka_unit_test(test_class_changes_under_load),
		cmocka_unit_test(test_weight_of_inner_changes),
		cmocka_unit_test(test_debt_goes_up),
		cmocka_unit_test(test_join_charges_upwards),
		cmocka_unit_test(test_restart_deep),
		cmocka_unit_test(test_restart_of_the_idle),
	};
	int failed = cmocka_run_group_tests_name("tree", tests, NULL, NULL);

	bed_stop();
	return failed;
}
