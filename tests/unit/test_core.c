// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contracts of ioband-core.h, one by one.
 */
#include "unit.h"
#include "invariants.h"
#include "prng.h"

/* Virtual time of cost 1 at weight 1; the head of ioband-core.c promises it. */
#define UNIT ((u64)1 << 16)

enum {
	QUEUES	= 4,
	IOS	= 64,
};

struct test_io {
	struct ioband_io io;
	unsigned int queue;
};

static struct ioband_sched sched;
static struct ioband_queue queues[QUEUES];
static struct test_io ios[IOS];
static unsigned int nr_ios;
static u64 served[QUEUES];

static void check(void)
{
	const char *broken = ioband_sched_broken(&sched, queues,
						 sizeof(queues[0]), QUEUES);

	if (broken)
		fail_msg("%s", broken);
}

static void start(const char *policy, u32 depth)
{
	int i;

	memset(served, 0, sizeof(served));
	nr_ios = 0;
	ioband_sched_init(&sched, ioband_policy_find(policy), depth);
	for (i = 0; i < QUEUES; i++)
		ioband_queue_init(&queues[i], IOBAND_WEIGHT_DEFAULT);
}

static void join(unsigned int q, u32 weight)
{
	ioband_queue_set_weight(&sched, &queues[q], weight);
	ioband_queue_join(&sched, &queues[q], 0, 0);
}

static struct test_io *hold(unsigned int q, u32 sectors)
{
	struct test_io *io = &ios[nr_ios++];

	assert_true(nr_ios <= IOS);
	io->queue = q;
	io->io.sectors = sectors;
	ioband_hold(&sched, &queues[q], &io->io);
	check();
	return io;
}

static struct test_io *next(u32 in_flight)
{
	struct ioband_io *io = ioband_next(&sched, in_flight);

	check();
	return io ? container_of(io, struct test_io, io) : NULL;
}

/* Send one down and say whose it was. */
static unsigned int next_queue(void)
{
	struct test_io *io = next(0);

	assert_non_null(io);
	return io->queue;
}

/* Send @count down; whoever sent one at once wants to send the like again. */
static void serve(u64 count)
{
	while (count--) {
		struct test_io *io = next(0);

		assert_non_null(io);
		served[io->queue] += sched.policy->cost(1, io->io.sectors);
		ioband_hold(&sched, &queues[io->queue], &io->io);
	}
	check();
}

static void charge(unsigned int q, u32 sectors)
{
	const struct ioband_io io = { .sectors = sectors };

	ioband_charge(&sched, &queues[q], &io);
	check();
}

/* Two of each, so that a queue is never empty while one of its own goes. */
static void backlog(unsigned int q, u32 weight, u32 sectors)
{
	join(q, weight);
	hold(q, sectors);
	hold(q, sectors);
}

/* The example at the head of ioband-core.c, including its return from idle. */
static void test_worked_example(void **state)
{
	struct ioband_queue *a = &queues[0], *b = &queues[1];
	struct test_io *io;
	u64 i;

	start("weight", 1);
	backlog(0, 2, 8);
	backlog(1, 1, 8);

	/* Of equal tags any may go, so one column in three has two readings. */
	for (i = 0; i < 2; i++) {
		assert_true(a->node.key == i * UNIT && b->node.key == i * UNIT);
		serve(1);
		assert_true((a->node.key == i * UNIT + UNIT / 2 &&
			     b->node.key == i * UNIT) ||
			    (a->node.key == i * UNIT &&
			     b->node.key == (i + 1) * UNIT));
		serve(1);
		assert_true(a->node.key == i * UNIT + UNIT / 2);
		assert_true(b->node.key == (i + 1) * UNIT);
		assert_true(sched.vtime == i * UNIT);
		serve(1);
		assert_true(served[0] == 2 * (i + 1) && served[1] == i + 1);
	}

	/* A stops at 2 ... */
	while (a->held) {
		io = container_of(a->fifo.next, struct test_io, io.link);
		ioband_unhold(&sched, a, &io->io);
	}
	assert_true(a->node.key == 2 * UNIT);
	/* ... and returns when B has come to 9. */
	while (sched.vtime < 9 * UNIT)
		serve(1);
	nr_ios = 0;
	hold(0, 8);
	hold(0, 8);
	assert_true(a->node.key == 9 * UNIT);
	memset(served, 0, sizeof(served));
	serve(300);
	assert_in_range(served[0], 199, 201);
	assert_in_range(served[1], 99, 101);
}

/* After all have got along by a whole unit, the shares are exact, always. */
static void assert_exact_shares(const u32 *weights, unsigned int nr)
{
	u64 sum = 0;
	unsigned int i, round;

	start("weight", 1);
	for (i = 0; i < nr; i++) {
		backlog(i, weights[i], 8);
		sum += weights[i];
	}
	for (round = 1; round <= 20; round++) {
		serve(sum);
		for (i = 0; i < nr; i++)
			assert_int_equal(served[i], (u64)round * weights[i]);
	}
}

static void test_shares(void **state)
{
	static const u32 classic[] = { 40, 20, 10 };
	static const u32 powers[] = { 1, 2, 4, 8 };
	static const u32 extreme[] = { 1, IOBAND_WEIGHT_MAX };
	static const u32 equal[] = { 100, 100, 100, 100 };
	static const u32 odd[] = { 3, 7, 11, 9973 };

	assert_exact_shares(classic, 3);
	assert_exact_shares(powers, 4);
	assert_exact_shares(extreme, 2);
	assert_exact_shares(equal, 4);
	assert_exact_shares(odd, 4);
}

static void test_weight_ignores_size(void **state)
{
	start("weight", 1);
	backlog(0, 100, 1);
	backlog(1, 100, 2048);
	serve(1000);
	assert_int_equal(served[0], 500);
	assert_int_equal(served[1], 500);
}

static void test_iosize_counts_sectors(void **state)
{
	start("weight-iosize", 1);
	backlog(0, 100, 8);
	backlog(1, 100, 16);
	serve(3000);
	assert_int_equal(served[0], 16000);
	assert_int_equal(served[1], 16000);
}

static void test_iosize_mixed(void **state)
{
	struct prng prng;
	int i, q;
	u64 sum;

	prng_seed(&prng, 0);
	start("weight-iosize", 1);
	for (q = 0; q < 3; q++) {
		join(q, 40 >> q);
		for (i = 0; i < 10; i++)
			hold(q, 1 + prng_below(&prng, 2048));
	}
	serve(100000);
	sum = served[0] + served[1] + served[2];
	for (q = 0; q < 3; q++)
		assert_in_range(served[q], (sum * (4 >> q)) / 7 - 4 * 2048,
				(sum * (4 >> q)) / 7 + 4 * 2048);
}

/* Within a queue the oldest goes first, whatever its size. */
static void test_fifo(void **state)
{
	struct test_io *io[10];
	int i;

	start("weight-iosize", 1);
	join(0, 100);
	for (i = 0; i < 10; i++)
		io[i] = hold(0, 10 - i);
	for (i = 0; i < 10; i++)
		assert_ptr_equal(next(0), io[i]);
	assert_null(next(0));
}

static void test_no_credit_for_idleness(void **state)
{
	start("weight", 1);
	join(0, 100);
	backlog(1, 100, 8);
	serve(1000);
	hold(0, 8);
	hold(0, 8);
	assert_true(queues[0].node.key == sched.vtime);
	memset(served, 0, sizeof(served));
	serve(100);
	assert_in_range(served[0], 50, 51);
}

/* To pause for a moment does not wipe out what has just been used either. */
static void test_no_gain_from_pausing(void **state)
{
	int i;

	start("weight-iosize", 1);
	join(0, 1);
	backlog(1, 1, 1);
	hold(0, 100);
	serve(1);
	if (!served[0])
		serve(1);
	assert_int_equal(served[0], 100);
	ioband_unhold(&sched, &queues[0], &ios[2].io);
	nr_ios = 2;
	hold(0, 100);
	assert_true(queues[0].node.key == 100 * UNIT);
	for (i = served[1]; i < 100; i++) {
		serve(1);
		assert_int_equal(served[0], 100);
	}
}

static void test_join_charges_in_flight(void **state)
{
	int i;

	start("weight", 1);
	ioband_queue_set_weight(&sched, &queues[0], 2);
	ioband_queue_join(&sched, &queues[0], 8, 12345);
	assert_true(queues[0].node.key == 4 * UNIT);
	hold(0, 8);
	join(1, 1);
	for (i = 0; i < 4; i++)
		hold(1, 8);
	for (i = 0; i < 4; i++)
		assert_int_equal(next_queue(), 1);
	assert_int_equal(next_queue(), 0);

	start("weight-iosize", 1);
	ioband_queue_set_weight(&sched, &queues[0], 2);
	ioband_queue_join(&sched, &queues[0], 8, 200);
	assert_true(queues[0].node.key == 100 * UNIT);

	/* It counts from where the others are by now. */
	backlog(1, 1, 7);
	serve(11);
	assert_true(sched.vtime == 70 * UNIT);
	queues[2].rest = 50;
	ioband_queue_join(&sched, &queues[2], 1, 300);
	assert_true(queues[2].node.key == 73 * UNIT);
	assert_int_equal(queues[2].rest, 0);
}

static void test_charge_is_debt(void **state)
{
	int i;

	/* While it holds I/O itself ... */
	start("weight-iosize", 1);
	backlog(0, 2, 10);
	backlog(1, 1, 10);
	charge(0, 100);
	charge(0, 100);
	assert_true(queues[0].node.key == 100 * UNIT);
	assert_int_equal(queues[0].held, 2);
	for (i = 0; i < 10; i++)
		serve(1);
	assert_int_equal(served[0], 0);
	serve(300);
	/* ... and with the debt taken in, it had two of three. */
	assert_in_range(served[0] + 200, 2 * served[1] - 20, 2 * served[1] + 20);

	/* While it holds none; the past does not pay for it. */
	join(2, 1);
	sched.vtime += 50 * UNIT;
	queues[0].node.key += 50 * UNIT;
	queues[1].node.key += 50 * UNIT;
	charge(2, 8);
	assert_true(queues[2].node.key == sched.vtime + 8 * UNIT);
	charge(2, 8);
	assert_true(queues[2].node.key == sched.vtime + 16 * UNIT);
	assert_int_equal(sched.held, 4);

	/* The debt waits for it. */
	hold(2, 8);
	assert_true(queues[2].node.key == sched.vtime + 16 * UNIT);
}

static void test_set_weight(void **state)
{
	u64 tag;

	start("weight", 1);
	backlog(0, 100, 8);
	backlog(1, 100, 8);
	serve(200);
	assert_int_equal(served[0], 100);

	/* What it is ahead is worth a third as much virtual time now. */
	tag = queues[0].node.key;
	ioband_queue_set_weight(&sched, &queues[0], 300);
	assert_true(queues[0].node.key ==
		    sched.vtime + (tag - sched.vtime) / 3);
	check();
	memset(served, 0, sizeof(served));
	serve(400);
	assert_in_range(served[0], 299, 301);

	/* A group that is raised does not wait out its step at the old weight. */
	start("weight", 1);
	backlog(0, 1, 8);
	backlog(1, 10000, 8);
	serve(10);
	ioband_queue_set_weight(&sched, &queues[0], 10000);
	check();
	memset(served, 0, sizeof(served));
	serve(10);
	assert_in_range(served[0], 4, 6);

	start("weight", 1);
	backlog(0, 100, 8);
	backlog(1, 100, 8);

	/* A remainder of the old weight may exceed the new one. */
	ioband_queue_set_weight(&sched, &queues[0], 32767);
	serve(10);
	ioband_queue_set_weight(&sched, &queues[0], 1);
	check();
	memset(served, 0, sizeof(served));
	serve(101 * 10);
	assert_in_range(served[0], 9, 11);

	/* Nor may a policy's tags be taken for another's. */
	start("weight-iosize", 1);
	backlog(0, 100, 2048);
	backlog(1, 100, 8);
	serve(10);
	ioband_sched_set_policy(&sched, ioband_policy_find("weight"));
	check();
	memset(served, 0, sizeof(served));
	serve(10);
	assert_int_equal(served[0], 5);
}

static void test_unhold(void **state)
{
	struct test_io *first, *middle, *last, *other;
	u64 tag;

	start("weight", 1);
	join(0, 100);
	first = hold(0, 8);
	middle = hold(0, 8);
	last = hold(0, 8);
	join(1, 100);
	other = hold(1, 8);
	tag = queues[0].node.key;

	ioband_unhold(&sched, &queues[0], &middle->io);
	check();
	assert_int_equal(queues[0].held, 2);
	assert_int_equal(sched.held, 3);
	ioband_unhold(&sched, &queues[0], &first->io);
	check();
	ioband_unhold(&sched, &queues[0], &last->io);
	check();
	assert_int_equal(queues[0].held, 0);
	assert_int_equal(sched.held, 1);
	assert_true(queues[0].node.key == tag);

	/* It is the caller's again, and may be held anew. */
	ioband_hold(&sched, &queues[0], &middle->io);
	assert_ptr_not_equal(next(0), next(0));
	assert_null(next(0));
	assert_true(list_empty(&other->io.link));
	assert_true(list_empty(&middle->io.link));
}

static void test_depth(void **state)
{
	static const u32 depths[] = { 1, 2, 32, 32767 };
	struct test_io *io;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		start("weight", depths[i]);
		assert_null(next(0));
		join(0, 100);
		io = hold(0, 8);
		assert_null(next(U32_MAX));
		assert_null(next(depths[i] + 1));
		assert_null(next(depths[i]));
		assert_int_equal(sched.held, 1);
		assert_true(sched.vtime == 0 && queues[0].node.key == 0);
		assert_ptr_equal(next(depths[i] - 1), io);
		assert_null(next(0));
	}
}

/* What a division leaves over is not lost: no drift, whatever the weight. */
static void test_remainder(void **state)
{
	static const u32 weights[] = { 3, 7, 10007, 32766, 32767 };
	unsigned int i;
	u64 n;

	for (i = 0; i < ARRAY_SIZE(weights); i++) {
		start("weight", 1);
		join(0, weights[i]);
		for (n = 1; n <= 100000; n++) {
			charge(0, 8);
			if (queues[0].node.key != n * UNIT / weights[i])
				fail_msg("weight %u: drift after %llu",
					 weights[i], (unsigned long long)n);
		}
	}
}

static void test_restart(void **state)
{
	u32 period;

	start("weight", 1);
	assert_false(ioband_queue_joined(&sched, &queues[0]));
	join(0, 100);
	join(1, 100);
	assert_true(ioband_queue_joined(&sched, &queues[0]));
	hold(1, 8);
	assert_int_equal(next_queue(), 1);
	charge(0, 8);
	charge(0, 8);
	hold(0, 8);
	assert_int_equal(next_queue(), 0);
	assert_true(sched.vtime > 0);

	period = sched.period;
	ioband_sched_restart(&sched);
	assert_true(sched.vtime == 0);
	assert_int_not_equal(sched.period, period);
	assert_false(ioband_queue_joined(&sched, &queues[0]));
	assert_false(ioband_queue_joined(&sched, &queues[1]));

	/* Debts of the old period are forgotten. */
	ioband_queue_join(&sched, &queues[0], 0, 0);
	assert_true(queues[0].node.key == 0);
	assert_true(ioband_queue_joined(&sched, &queues[0]));
	assert_false(ioband_queue_joined(&sched, &queues[1]));
	assert_int_equal(sched.depth, 1);
	assert_string_equal(sched.policy->name, "weight");
}

/* Shares do not notice that virtual time wraps. */
static void test_wrap(void **state)
{
	u64 before = U64_MAX - 100 * UNIT;
	unsigned int round;

	start("weight", 1);
	sched.vtime = before;
	backlog(0, 3, 8);
	backlog(1, 1, 8);
	join(2, 1);
	for (round = 1; round <= 200; round++) {
		serve(4);
		assert_int_equal(served[0], 3 * round);
		assert_int_equal(served[1], round);
	}
	assert_true(sched.vtime < before);
	hold(2, 8);
	assert_true(queues[2].node.key == sched.vtime);
}

static void test_policies(void **state)
{
	static const char * const names[] = {
		"default", "weight", "weight-iosize",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(ioband_policy_find(names[i])->name,
				    names[i]);
	assert_null(ioband_policy_find(""));
	assert_null(ioband_policy_find("weights"));
	assert_null(ioband_policy_find("Weight"));

	assert_true(ioband_policy_find("default")->cost(3, 80) == 3);
	assert_true(ioband_policy_find("weight")->cost(3, 80) == 3);
	assert_true(ioband_policy_find("weight-iosize")->cost(3, 80) == 80);
}

static void test_init(void **state)
{
	memset(&sched, 0xa5, sizeof(sched));
	memset(queues, 0xa5, sizeof(queues));
	start("weight", 7);
	assert_null(ioband_heap_first(&sched.backlogged));
	assert_int_equal(sched.held, 0);
	assert_int_equal(sched.depth, 7);
	assert_true(list_empty(&queues[0].fifo));
	assert_int_equal(queues[0].weight, IOBAND_WEIGHT_DEFAULT);
	assert_null(next(0));
}

/* The largest I/O at the smallest weight does not overflow on its way. */
static void test_largest_cost(void **state)
{
	start("weight-iosize", 1);
	join(0, 1);
	charge(0, U32_MAX);
	charge(0, U32_MAX);
	assert_true(queues[0].node.key == (u64)2 * U32_MAX * UNIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_worked_example),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_weight_ignores_size),
		cmocka_unit_test(test_iosize_counts_sectors),
		cmocka_unit_test(test_iosize_mixed),
		cmocka_unit_test(test_fifo),
		cmocka_unit_test(test_no_credit_for_idleness),
		cmocka_unit_test(test_no_gain_from_pausing),
		cmocka_unit_test(test_join_charges_in_flight),
		cmocka_unit_test(test_charge_is_debt),
		cmocka_unit_test(test_set_weight),
		cmocka_unit_test(test_unhold),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_remainder),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_largest_cost),
	};

	return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
