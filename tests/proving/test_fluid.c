// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fluid: cases worked out by hand, and what has to hold for any.
 */
#include "unit.h"
#include <math.h>

#include "fluid.h"
#include "ioband-env.h"
#include "prng.h"

enum {
	NODES	= 12,
	TREES	= 3000,
};

static struct fluid_node nodes[NODES];
static int nr;

static struct fluid_node *add(int parent, double weight, double demand)
{
	struct fluid_node *node = &nodes[nr++];

	*node = (struct fluid_node) {
		.parent = parent, .weight = weight, .class = 1, .demand = demand,
	};
	for (int k = 0; k < FLUID_LIMITS; k++) {
		node->limit[k] = INFINITY;
		node->per_unit[k] = 1;
	}
	return node;
}

static void assert_rate(int at, double rate)
{
	if (fabs(nodes[at].rate - rate) > 1e-6 * fmax(rate, 1))
		fail_msg("%d gets %g, not %g", at, nodes[at].rate, rate);
}

static int begin(void **state)
{
	nr = 0;
	return 0;
}

static void test_weights(void **state)
{
	add(FLUID_NONE, 40, 1e9);
	add(FLUID_NONE, 20, 1e9);
	add(FLUID_NONE, 10, 1e9);
	fluid_divide(nodes, nr, 700);
	assert_rate(0, 400);
	assert_rate(1, 200);
	assert_rate(2, 100);
}

/* What one does not want goes to the others by weight; nobody gets more than he wants. */
static void test_demand(void **state)
{
	add(FLUID_NONE, 40, 100);
	add(FLUID_NONE, 20, 1e9);
	add(FLUID_NONE, 10, 1e9);
	fluid_divide(nodes, nr, 700);
	assert_rate(0, 100);
	assert_rate(1, 400);
	assert_rate(2, 200);
	fluid_divide(nodes, 1, 700);
	assert_rate(0, 100);
}

/* What a child does not want goes to its siblings first. */
static void test_tree(void **state)
{
	add(FLUID_NONE, 30, 0);
	add(0, 50, 10);
	add(0, 50, 1e9);
	add(FLUID_NONE, 10, 1e9);
	fluid_divide(nodes, nr, 400);
	assert_rate(0, 300);
	assert_rate(1, 10);
	assert_rate(2, 290);
	assert_rate(3, 100);
}

static void test_classes(void **state)
{
	add(FLUID_NONE, 1, 300)->class = 0;
	add(FLUID_NONE, 1, 500);
	add(FLUID_NONE, 1000, 1e9)->class = 2;
	add(FLUID_NONE, 3, 50);
	fluid_divide(nodes, nr, 700);
	assert_rate(0, 300);
	assert_rate(1, 350);
	assert_rate(2, 0);
	assert_rate(3, 50);
	fluid_divide(nodes, nr, 1000);
	assert_rate(2, 150);
}

/* A floor comes before weights and classes, also one further down; but not in addition. */
static void test_floors(void **state)
{
	add(FLUID_NONE, 1, 0);
	add(0, 1, 1e9)->floor = 300;
	add(0, 1, 1e9);
	add(FLUID_NONE, 99, 1e9);
	add(FLUID_NONE, 1, 1e9)->class = 0;
	nodes[4].demand = 400;
	fluid_divide(nodes, nr, 1000);
	assert_rate(4, 400);
	assert_rate(1, 300);
	assert_rate(2, 0);
	assert_rate(3, 300);
	nodes[1].floor = 1;
	fluid_divide(nodes, nr, 10400);
	assert_rate(1, 50);
	assert_rate(2, 50);
	assert_rate(3, 9900);
	nodes[1].floor = 300;
	nodes[1].demand = 20;
	fluid_divide(nodes, nr, 1000);
	assert_rate(1, 20);
}

/* A limit above two that differ in what it counts. */
static void test_limits(void **state)
{
	add(FLUID_NONE, 10, 0)->limit[2] = 1000;
	add(0, 10, 1e9)->per_unit[2] = 1;
	add(0, 30, 1e9)->per_unit[2] = 3;
	add(FLUID_NONE, 10, 1e9);
	fluid_divide(nodes, nr, 5000);
	/* x + 3 (3 x) = 1000 */
	assert_rate(1, 100);
	assert_rate(2, 300);
	assert_rate(3, 4600);
	/* One of the two wants less. */
	nodes[2].demand = 100;
	fluid_divide(nodes, nr, 5000);
	assert_rate(1, 700);
	assert_rate(2, 100);
	assert_rate(3, 4200);
}

static double counted(int at, int k)
{
	double sum = 0;
	bool is_leaf = true;

	for (int c = at + 1; c < nr; c++)
		if (nodes[c].parent == at) {
			sum += counted(c, k);
			is_leaf = false;
		}
	return is_leaf ? nodes[at].rate * nodes[at].per_unit[k] : sum;
}

static bool is_leaf(int at)
{
	for (int c = at + 1; c < nr; c++)
		if (nodes[c].parent == at)
			return false;
	return true;
}

/* Whether @at, or one it is below, could not take more. */
static bool is_full(int at)
{
	double most = nodes[at].most;

	return nodes[at].rate >= most * (1 - 1e-6) - 1e-6;
}

/* Whether a limit above leaves less than the floors. */
static bool floors_above(int at)
{
	for (int above = nodes[at].parent; above != FLUID_NONE; above = nodes[above].parent) {
		double floors = 0;

		for (int c = above + 1; c < nr; c++)
			if (nodes[c].parent == above)
				floors += nodes[c].least;
		if (floors > nodes[above].rate * (1 - 1e-6) - 1e-6)
			return true;
	}
	return false;
}

/*
 * Of any tree: all is given that can be taken, no more; nobody is beyond a demand or a
 * limit, or below a floor; and of two siblings of a class neither is ahead, unless the
 * other one is full or it is at its floor.
 */
static void judge(double capacity)
{
	double sum = 0, most = 0;

	for (int i = 0; i < nr; i++) {
		const struct fluid_node *a = &nodes[i];

		if (a->parent == FLUID_NONE) {
			sum += a->rate;
			most += a->most;
		}
		assert_true(!is_leaf(i) || a->rate <= a->demand * (1 + 1e-6));
		assert_true(floors_above(i) || a->rate >= a->least * (1 - 1e-6) - 1e-6);
		for (int k = 0; k < FLUID_LIMITS; k++)
			assert_true(counted(i, k) <= a->limit[k] * (1 + 1e-6) + 1e-6);
		for (int j = 0; j < nr; j++) {
			const struct fluid_node *b = &nodes[j];

			if (i == j || a->parent != b->parent || is_full(j) ||
			    floors_above(i))
				continue;
			if (a->class > b->class)
				assert_true(a->rate <= a->least * (1 + 1e-6) + 1e-6);
			if (a->class == b->class && a->rate > a->least * (1 + 1e-6) + 1e-6)
				assert_true(a->rate / a->weight <=
					    b->rate / b->weight * (1 + 1e-5) + 1e-6);
		}
	}
	if (fabs(sum - fmin(most, capacity)) > 1e-5 * capacity)
		fail_msg("%g of %g given, %g can be taken", sum, capacity, most);
}

static void test_any(void **state)
{
	struct prng prng;

	prng_seed(&prng, 7);
	for (int tree = 0; tree < TREES; tree++) {
		double floors = 0;

		nr = 0;
		for (int n = 2 + prng_below(&prng, NODES - 2); n; n--) {
			int parent = nr && prng_percent(&prng, 50) ?
				     (int)prng_below(&prng, nr) : FLUID_NONE;
			struct fluid_node *node;

			node = add(parent, 1 + prng_below(&prng, 1000),
				   prng_below(&prng, 3000));
			node->class = prng_percent(&prng, 70) ? 1 : 2 * prng_below(&prng, 2);
			if (prng_percent(&prng, 20)) {
				node->floor = prng_below(&prng, 100);
				floors += node->floor;
			}
			for (int k = 0; k < FLUID_LIMITS; k++)
				node->per_unit[k] = 0.1 * (1 + prng_below(&prng, 30));
			if (prng_percent(&prng, 30))
				node->limit[prng_below(&prng, FLUID_LIMITS)] =
					100 + prng_below(&prng, 2000);
		}
		fluid_divide(nodes, nr, floors + 1000);
		judge(floors + 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_weights, begin),
		cmocka_unit_test_setup(test_demand, begin),
		cmocka_unit_test_setup(test_tree, begin),
		cmocka_unit_test_setup(test_classes, begin),
		cmocka_unit_test_setup(test_floors, begin),
		cmocka_unit_test_setup(test_limits, begin),
		cmocka_unit_test(test_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
