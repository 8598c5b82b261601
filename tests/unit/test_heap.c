// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pairing heap against a plain array.
 */
#include "unit.h"
#include "invariants.h"
#include "prng.h"

enum {
	NODES	= 300,
	STEPS	= 3000,
	SEEDS	= 40,
};

static struct ioband_heap heap;
static struct ioband_heap_node nodes[NODES];
static bool inside[NODES];

static void setup_empty(void)
{
	memset(&heap, 0, sizeof(heap));
	memset(inside, 0, sizeof(inside));
}

/* The heap has just the nodes of the model, and a smallest one on top. */
static void check(void)
{
	const struct ioband_heap_node *first = ioband_heap_first(&heap);
	int i, count = 0;

	for (i = 0; i < NODES; i++) {
		if (!inside[i])
			continue;
		count++;
		assert_non_null(first);
		assert_false(ioband_before(nodes[i].key, first->key));
	}
	assert_int_equal(ioband_heap_count(&heap), count);
	if (first)
		assert_true(inside[first - nodes]);
}

static void insert(int i, u64 key)
{
	nodes[i].key = key;
	ioband_heap_insert(&heap, &nodes[i]);
	inside[i] = true;
}

static void erase(int i)
{
	u64 key = nodes[i].key;

	/* The dead pointers must not matter to anybody. */
	ioband_heap_erase(&heap, &nodes[i]);
	assert_true(nodes[i].key == key);
	memset(&nodes[i], 0xa5, sizeof(nodes[i]));
	inside[i] = false;
}

static void random_run(u64 seed, u64 base, u32 range, u32 percent_insert)
{
	struct prng prng;
	int step, i;

	prng_seed(&prng, seed);
	setup_empty();
	for (step = 0; step < STEPS; step++) {
		i = prng_below(&prng, NODES);
		if (inside[i] && prng_percent(&prng, 50))
			erase(i);
		else if (inside[i] || !prng_percent(&prng, percent_insert))
			i = -1;
		else
			insert(i, base + prng_below(&prng, range));
		if (i < 0 && heap.root)
			erase(heap.root - nodes);
		if (step % 8 == 0)
			check();
	}

	/* What is left comes out in order. */
	while (heap.root) {
		u64 key = heap.root->key;

		erase(heap.root - nodes);
		check();
		if (heap.root)
			assert_false(ioband_before(heap.root->key, key));
	}
}

static void test_random(void **state)
{
	u64 seed;

	for (seed = 0; seed < SEEDS; seed++)
		random_run(seed, 0, U32_MAX, 30 + seed);
}

static void test_random_equal_keys(void **state)
{
	u64 seed;

	for (seed = 0; seed < SEEDS; seed++)
		random_run(seed, 1000, 1 + seed / 4, 60);
}

static void test_random_across_the_wrap(void **state)
{
	u64 seed;

	for (seed = 0; seed < SEEDS; seed++)
		random_run(seed, U64_MAX - 500, 1000, 60);
}

/* Keys count on: as each is taken out it comes back later, as a queue does. */
static void test_moving_window(void **state)
{
	u64 last = U64_MAX - 1000000;
	struct prng prng;
	int i, step;

	prng_seed(&prng, 0);
	setup_empty();
	for (i = 0; i < NODES; i++)
		insert(i, last);
	for (step = 0; step < 100000; step++) {
		i = heap.root - nodes;
		assert_false(ioband_before(nodes[i].key, last));
		last = nodes[i].key;
		erase(i);
		insert(i, last + prng_below(&prng, 10000));
	}
	assert_true(last < U64_MAX / 2);
	check();
}

/* What mostly comes in order, as the I/O of a group does, and goes from anywhere. */
static void test_queue(void **state)
{
	struct ioband_queue queue = { };
	struct prng prng;
	int i, step;

	prng_seed(&prng, 0);
	setup_empty();
	for (step = 0; step < 20000; step++) {
		i = prng_below(&prng, NODES);
		if (inside[i] && prng_percent(&prng, 50))
			i = queue.heap.root - nodes;
		if (inside[i]) {
			ioband_queue_erase(&queue, &nodes[i]);
			memset(&nodes[i], 0xa5, sizeof(nodes[i]));
		} else {
			nodes[i].key = step + prng_below(&prng, 8);
			ioband_queue_insert(&queue, &nodes[i]);
		}
		inside[i] = !inside[i];
		heap = queue.heap;
		if (step % 8 == 0)
			check();
	}
}

static void test_before(void **state)
{
	assert_true(ioband_before(1, 2));
	assert_false(ioband_before(2, 1));
	assert_false(ioband_before(7, 7));
	assert_true(ioband_before(U64_MAX, 0));
	assert_false(ioband_before(0, U64_MAX));
	assert_true(ioband_before(0, S64_MAX));
	assert_true(ioband_before(U64_MAX - 5, (u64)S64_MAX - 6));
}

/* A newcomer with the same key does not push the first aside. */
static void test_equal_key_does_not_overtake(void **state)
{
	int i;

	setup_empty();
	for (i = 0; i < 10; i++) {
		insert(i, 42);
		assert_ptr_equal(ioband_heap_first(&heap), &nodes[0]);
	}
	insert(10, 41);
	assert_ptr_equal(ioband_heap_first(&heap), &nodes[10]);
	erase(10);
	erase(0);
	assert_non_null(heap.root);
	i = heap.root - nodes;
	insert(11, 42);
	assert_ptr_equal(ioband_heap_first(&heap), &nodes[i]);
	check();
}

static void test_empty_and_single(void **state)
{
	setup_empty();
	assert_null(ioband_heap_first(&heap));
	insert(0, 5);
	assert_ptr_equal(ioband_heap_first(&heap), &nodes[0]);
	assert_null(nodes[0].child);
	assert_null(nodes[0].next);
	assert_null(nodes[0].prev);
	erase(0);
	assert_null(ioband_heap_first(&heap));
}

/* Every position of a small heap: first child, middle, last, leaf, root. */
static void test_erase_each(void **state)
{
	int size, pops, victim, i;

	for (size = 1; size <= 12; size++) {
		for (victim = 0; victim < size; victim++) {
			for (pops = 0; pops < 3; pops++) {
				setup_empty();
				/* 7 and 13 have no common factor: a permutation. */
				for (i = 0; i < size; i++)
					insert(i, i * 7 % 13);
				for (i = 0; i < pops && heap.root; i++)
					erase(heap.root - nodes);
				if (inside[victim])
					erase(victim);
				check();
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before),
		cmocka_unit_test(test_empty_and_single),
		cmocka_unit_test(test_erase_each),
		cmocka_unit_test(test_equal_key_does_not_overtake),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_random_equal_keys),
		cmocka_unit_test(test_random_across_the_wrap),
		cmocka_unit_test(test_moving_window),
		cmocka_unit_test(test_queue),
	};

	return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
