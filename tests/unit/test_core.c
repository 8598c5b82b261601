// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contracts of sched/core.h for groups side by side, one by one.
 */
#include "bed.h"
#include "prng.h"

static u64 *vtime(void)
{
	return &bed.sched.root.plain.vtime[IOBAND_BE].now[IOBAND_READ];
}

static void backlog(struct bed_group *group, u32 sectors)
{
	bed_backlog(group, IOBAND_READ, sectors, 2);
}

/* The example at the head of sched/core.c, including its return from idle. */
static void test_worked_example(void **state)
{
	struct bed_group *a, *b;
	struct bed_io *io;
	u64 i;

	bed_start("weight", 1);
	a = bed_add(NULL, 2);
	b = bed_add(NULL, 1);
	backlog(a, 8);
	backlog(b, 8);

	/* Of equal tags any may go, so one column in three has two readings. */
	for (i = 0; i < 2; i++) {
		assert_true(a->node.plain.tag.start[IOBAND_READ] == i * UNIT &&
			    b->node.plain.tag.start[IOBAND_READ] == i * UNIT);
		bed_serve(1);
		assert_true((a->node.plain.tag.start[IOBAND_READ] == i * UNIT + UNIT / 2 &&
			     b->node.plain.tag.start[IOBAND_READ] == i * UNIT) ||
			    (a->node.plain.tag.start[IOBAND_READ] == i * UNIT &&
			     b->node.plain.tag.start[IOBAND_READ] == (i + 1) * UNIT));
		bed_serve(1);
		assert_true(a->node.plain.tag.start[IOBAND_READ] == i * UNIT + UNIT / 2);
		assert_true(b->node.plain.tag.start[IOBAND_READ] == (i + 1) * UNIT);
		assert_true(*vtime() == i * UNIT);
		bed_serve(1);
		assert_true(a->cost == 2 * (i + 1) && b->cost == i + 1);
	}

	/* A stops at 2 ... */
	while (a->node.held) {
		io = container_of(ioband_first_held(&a->node), struct bed_io,
				  io);
		bed_unhold(io);
	}
	assert_true(a->node.plain.tag.start[IOBAND_READ] == 2 * UNIT);
	/* ... and returns when B has come to 9. */
	while (*vtime() < 9 * UNIT)
		bed_serve(1);
	bed_hold(a, 8);
	bed_hold(a, 8);
	assert_true(a->node.plain.tag.start[IOBAND_READ] == 9 * UNIT);
	bed_forget();
	bed_serve(300);
	assert_in_range(a->cost, 199, 201);
	assert_in_range(b->cost, 99, 101);
}

/* After all have got along by a whole unit, the shares are exact, always. */
static void assert_exact_shares(const u32 *weights, unsigned int nr)
{
	u64 sum = 0;
	unsigned int i, round;

	bed_start("weight", 1);
	for (i = 0; i < nr; i++) {
		backlog(bed_add(NULL, weights[i]), 8);
		sum += weights[i];
	}
	for (round = 1; round <= 20; round++) {
		bed_serve(sum);
		for (i = 0; i < nr; i++)
			assert_int_equal(bed.groups[i]->cost,
					 (u64)round * weights[i]);
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

/* Reads and writes of a group have one share, not one each. */
static void test_directions_share(void **state)
{
	struct bed_group *both, *reads, *writes;

	bed_start("weight", 1);
	both = bed_add(NULL, 100);
	reads = bed_add(NULL, 100);
	writes = bed_add(NULL, 100);
	bed_backlog(both, IOBAND_READ, 8, 2);
	bed_backlog(both, IOBAND_WRITE, 8, 2);
	bed_backlog(reads, IOBAND_READ, 8, 2);
	bed_backlog(writes, IOBAND_WRITE, 8, 2);
	bed_serve(3000);
	assert_in_range(both->cost, 999, 1001);
	assert_in_range(reads->cost, 999, 1001);
	assert_in_range(writes->cost, 999, 1001);
	assert_in_range(both->ios[IOBAND_READ], 499, 501);
}

static void test_weight_ignores_size(void **state)
{
	struct bed_group *small, *large;

	bed_start("weight", 1);
	small = bed_add(NULL, 100);
	large = bed_add(NULL, 100);
	backlog(small, 1);
	backlog(large, 2048);
	bed_serve(1000);
	assert_int_equal(small->cost, 500);
	assert_int_equal(large->cost, 500);
}

static void test_iosize_counts_sectors(void **state)
{
	struct bed_group *small, *large;

	bed_start("weight-iosize", 1);
	small = bed_add(NULL, 100);
	large = bed_add(NULL, 100);
	backlog(small, 8);
	backlog(large, 16);
	bed_serve(3000);
	assert_int_equal(small->cost, 16000);
	assert_int_equal(large->cost, 16000);
}

static void test_iosize_mixed(void **state)
{
	struct prng prng;
	int i, g;
	u64 sum = 0;

	prng_seed(&prng, 0);
	bed_start("weight-iosize", 1);
	for (g = 0; g < 3; g++) {
		bed_add(NULL, 40 >> g);
		for (i = 0; i < 10; i++)
			bed_hold(bed.groups[g], 1 + prng_below(&prng, 2048));
	}
	bed_serve(100000);
	for (g = 0; g < 3; g++)
		sum += bed.groups[g]->cost;
	for (g = 0; g < 3; g++)
		assert_in_range(bed.groups[g]->cost,
				(sum * (4 >> g)) / 7 - 4 * 2048,
				(sum * (4 >> g)) / 7 + 4 * 2048);
}

/* Within a group the oldest of a kind goes first, whatever its size. */
static void test_fifo(void **state)
{
	struct bed_group *group;
	struct bed_io *io[10];
	int i;

	bed_start("weight-iosize", 1);
	group = bed_add(NULL, 100);
	for (i = 0; i < 10; i++) {
		io[i] = bed_new(group, i % 3 ? IOBAND_READ : IOBAND_WRITE,
				10 - i);
		bed_hold_io(io[i]);
	}
	for (i = 0; i < 10; i++)
		assert_ptr_equal(bed_next(0), io[i]);
	assert_null(bed_next(0));
}

static void test_no_credit_for_idleness(void **state)
{
	struct bed_group *idle, *busy;

	bed_start("weight", 1);
	idle = bed_add(NULL, 100);
	bed_unhold(bed_hold(idle, 8));
	busy = bed_add(NULL, 100);
	backlog(busy, 8);
	bed_serve(1000);
	bed_hold(idle, 8);
	bed_hold(idle, 8);
	assert_true(*vtime() > 0);
	assert_true(idle->node.plain.tag.start[IOBAND_READ] == *vtime());
	bed_forget();
	bed_serve(100);
	assert_in_range(idle->cost, 50, 51);
}

/* To pause for a moment does not wipe out what has just been used either. */
static void test_no_gain_from_pausing(void **state)
{
	struct bed_group *pauses, *steady;
	u64 i;

	bed_start("weight-iosize", 1);
	pauses = bed_add(NULL, 1);
	steady = bed_add(NULL, 1);
	backlog(steady, 8);
	bed_hold(pauses, 800);
	bed_serve(1);
	if (!pauses->cost)
		bed_serve(1);
	assert_int_equal(pauses->cost, 800);
	bed_unhold(bed.ios[bed.nr_ios - 1]);
	bed_hold(pauses, 800);
	assert_true(pauses->node.plain.tag.start[IOBAND_READ] == 800 * UNIT);
	for (i = steady->cost; i < 800; i += 8) {
		bed_serve(1);
		assert_int_equal(pauses->cost, 800);
	}
}

static void test_join_charges_in_flight(void **state)
{
	struct bed_group *a, *b, *c;
	int i;

	bed_start("weight", 1);
	a = bed_add(NULL, 2);
	b = bed_add(NULL, 1);
	ioband_node_join(&bed.sched, &a->node, 8, 12345);
	assert_true(a->node.plain.tag.start[IOBAND_READ] == 4 * UNIT);
	bed_hold(a, 8);
	for (i = 0; i < 4; i++)
		bed_hold(b, 8);
	for (i = 0; i < 4; i++)
		assert_ptr_equal(bed_next_group(), b);
	assert_ptr_equal(bed_next_group(), a);

	bed_start("weight-iosize", 1);
	a = bed_add(NULL, 2);
	b = bed_add(NULL, 1);
	ioband_node_join(&bed.sched, &a->node, 8, 200);
	assert_true(a->node.plain.tag.start[IOBAND_READ] == 100 * UNIT);

	/* It counts from where the others are by now. */
	backlog(b, 10);
	bed_serve(8);
	assert_true(*vtime() == 70 * UNIT);
	c = bed_add(NULL, 100);
	c->node.rest = 50;
	ioband_node_join(&bed.sched, &c->node, 1, 300);
	assert_true(c->node.plain.tag.start[IOBAND_READ] == 73 * UNIT);
	assert_int_equal(c->node.rest, 0);
}

static void test_charge_is_debt(void **state)
{
	struct bed_group *a, *b, *c;
	u64 now;
	int i;

	/* While it holds I/O itself ... */
	bed_start("weight-iosize", 1);
	a = bed_add(NULL, 2);
	b = bed_add(NULL, 1);
	backlog(a, 10);
	backlog(b, 10);
	bed_charge(a, IOBAND_READ, 100);
	bed_charge(a, IOBAND_WRITE, 100);
	assert_true(a->node.plain.tag.start[IOBAND_READ] == 100 * UNIT);
	assert_int_equal(a->node.held, 2);
	for (i = 0; i < 10; i++)
		bed_serve(1);
	assert_int_equal(a->cost, 0);
	bed_serve(300);
	/* ... and with the debt taken in, it had two of three. */
	assert_in_range(a->cost + 200, 2 * b->cost - 20, 2 * b->cost + 20);

	/* While it holds none; the past does not pay for it. */
	c = bed_add(NULL, 1);
	ioband_node_join(&bed.sched, &c->node, 0, 0);
	now = *vtime();
	while (*vtime() < now + 50 * UNIT)
		bed_serve(1);
	bed_charge(c, IOBAND_READ, 8);
	assert_true(c->node.plain.tag.start[IOBAND_READ] == *vtime() + 8 * UNIT);
	bed_charge(c, IOBAND_READ, 8);
	assert_true(c->node.plain.tag.start[IOBAND_READ] == *vtime() + 16 * UNIT);
	assert_int_equal(bed.sched.held, 4);

	/* The debt waits for it. */
	bed_hold(c, 8);
	assert_true(c->node.plain.tag.start[IOBAND_READ] == *vtime() + 16 * UNIT);
}

static void test_set_weight(void **state)
{
	struct bed_group *a, *b;
	u64 tag;

	bed_start("weight", 1);
	a = bed_add(NULL, 100);
	b = bed_add(NULL, 100);
	backlog(a, 8);
	backlog(b, 8);
	bed_serve(200);
	assert_int_equal(a->cost, 100);

	/* What it is ahead is worth a third as much virtual time now. */
	tag = a->node.plain.tag.start[IOBAND_READ];
	ioband_node_set_weight(&bed.sched, &a->node, 300);
	assert_true(a->node.plain.tag.start[IOBAND_READ] == *vtime() + (tag - *vtime()) / 3);
	bed_check();
	bed_forget();
	bed_serve(400);
	assert_in_range(a->cost, 299, 301);

	/* A group that is raised does not wait out its step at the old weight. */
	bed_start("weight", 1);
	a = bed_add(NULL, 1);
	b = bed_add(NULL, 10000);
	backlog(a, 8);
	backlog(b, 8);
	bed_serve(10);
	ioband_node_set_weight(&bed.sched, &a->node, 10000);
	bed_check();
	bed_forget();
	bed_serve(10);
	assert_in_range(a->cost, 4, 6);

	bed_start("weight", 1);
	a = bed_add(NULL, 100);
	b = bed_add(NULL, 100);
	backlog(a, 8);
	backlog(b, 8);

	/* A remainder of the old weight may exceed the new one. */
	ioband_node_set_weight(&bed.sched, &a->node, 32767);
	bed_serve(10);
	ioband_node_set_weight(&bed.sched, &a->node, 1);
	bed_check();
	bed_forget();
	bed_serve(101 * 10);
	assert_in_range(a->cost, 9, 11);

	/* Nor may a policy's tags be taken for another's. */
	bed_start("weight-iosize", 1);
	a = bed_add(NULL, 100);
	b = bed_add(NULL, 100);
	backlog(a, 2048);
	backlog(b, 8);
	bed_serve(10);
	ioband_sched_set_policy(&bed.sched, ioband_policy_find("weight"));
	bed_check();
	bed_forget();
	bed_serve(10);
	assert_int_equal(a->cost, 5);
}

static void test_unhold(void **state)
{
	struct bed_io *first, *middle, *last, *other;
	struct bed_group *a, *b;
	u64 tag;

	bed_start("weight", 1);
	a = bed_add(NULL, 100);
	first = bed_hold(a, 8);
	middle = bed_hold(a, 8);
	last = bed_hold(a, 8);
	b = bed_add(NULL, 100);
	other = bed_hold(b, 8);
	tag = a->node.plain.tag.start[IOBAND_READ];

	bed_unhold(middle);
	assert_int_equal(a->node.held, 2);
	assert_int_equal(bed.sched.held, 3);
	bed_unhold(first);
	assert_ptr_equal(ioband_first_held(&a->node), &last->io);
	bed_unhold(last);
	assert_null(ioband_first_held(&a->node));
	assert_int_equal(a->node.held, 0);
	assert_int_equal(bed.sched.held, 1);
	assert_true(a->node.plain.tag.start[IOBAND_READ] == tag);

	/* It is the caller's again, and may be held anew. */
	bed_hold_io(middle);
	assert_ptr_not_equal(bed_next(0), bed_next(0));
	assert_null(bed_next(0));
	assert_false(other->held || middle->held);
	assert_int_equal(bed.sched.held, 0);
}

static void test_depth(void **state)
{
	static const u32 depths[] = { 1, 2, 32, 32767 };
	struct bed_group *group;
	struct bed_io *io;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		bed_start("weight", depths[i]);
		assert_null(bed_next(0));
		group = bed_add(NULL, 100);
		io = bed_hold(group, 8);
		assert_null(bed_next(U32_MAX));
		assert_null(bed_next(depths[i] + 1));
		assert_null(bed_next(depths[i]));
		assert_int_equal(bed.sched.held, 1);
		assert_true(*vtime() == 0 && group->node.plain.tag.start[IOBAND_READ] == 0);
		assert_ptr_equal(bed_next(depths[i] - 1), io);
		assert_null(bed_next(0));
	}
}

/* What a division leaves over is not lost: no drift, whatever the weight. */
static void test_remainder(void **state)
{
	static const u32 weights[] = { 3, 7, 10007, 32766, 32767 };
	struct bed_group *group;
	unsigned int i;
	u64 n;

	for (i = 0; i < ARRAY_SIZE(weights); i++) {
		bed_start("weight", 1);
		group = bed_add(NULL, weights[i]);
		for (n = 1; n <= 100000; n++) {
			bed_charge(group, IOBAND_READ, 8);
			if (group->node.plain.tag.start[IOBAND_READ] != n * UNIT / weights[i])
				fail_msg("weight %u: drift after %llu",
					 weights[i], (unsigned long long)n);
		}
	}
}

static void test_restart(void **state)
{
	struct bed_group *a, *b;
	u64 period;

	bed_start("weight", 1);
	a = bed_add(NULL, 100);
	b = bed_add(NULL, 100);
	assert_false(ioband_node_joined(&bed.sched, &a->node));
	ioband_node_join(&bed.sched, &a->node, 0, 0);
	ioband_node_join(&bed.sched, &b->node, 0, 0);
	assert_true(ioband_node_joined(&bed.sched, &a->node));
	bed_hold(b, 8);
	assert_ptr_equal(bed_next_group(), b);
	bed_charge(a, IOBAND_READ, 8);
	bed_charge(a, IOBAND_READ, 8);
	bed_hold(a, 8);
	assert_ptr_equal(bed_next_group(), a);
	assert_true(*vtime() > 0);

	period = bed.sched.period;
	ioband_sched_restart(&bed.sched);
	assert_true(*vtime() == 0);
	assert_int_not_equal(bed.sched.period, period);
	assert_false(ioband_node_joined(&bed.sched, &a->node));
	assert_false(ioband_node_joined(&bed.sched, &b->node));

	/* Debts of the old period are forgotten. */
	ioband_node_join(&bed.sched, &a->node, 0, 0);
	assert_true(a->node.plain.tag.start[IOBAND_READ] == 0);
	assert_true(ioband_node_joined(&bed.sched, &a->node));
	assert_false(ioband_node_joined(&bed.sched, &b->node));
	assert_int_equal(bed.sched.depth, 1);
	assert_string_equal(bed.sched.policy->name, "weight");
}

/* A fast disk may have thousands of busy periods a second, for weeks. */
static void test_many_periods(void **state)
{
	struct bed_group *group;

	bed_start("weight", 1);
	bed.sched.period = U32_MAX;
	group = bed_add(NULL, 100);
	ioband_sched_restart(&bed.sched);
	assert_false(ioband_node_joined(&bed.sched, &group->node));
	assert_int_equal(ioband_due_ppm(&bed.sched, &group->node), 0);
	ioband_node_join(&bed.sched, &group->node, 0, 0);
	assert_int_equal(ioband_due_ppm(&bed.sched, &group->node), 1000000);
}

/* What is held stays held, and all of it begins anew. */
static void test_restart_while_holding(void **state)
{
	struct bed_group *a, *b;

	bed_start("weight", 1);
	a = bed_add(NULL, 1);
	b = bed_add(NULL, 3);
	backlog(a, 8);
	backlog(b, 8);
	bed_serve(1000);
	bed_charge(b, IOBAND_READ, 8);
	ioband_sched_restart(&bed.sched);
	bed_check();
	assert_true(a->node.plain.tag.start[IOBAND_READ] == 0 && b->node.plain.tag.start[IOBAND_READ] == 0);
	assert_int_equal(bed.sched.held, 4);
	bed_forget();
	bed_serve(4000);
	assert_int_equal(a->cost, 1000);
}

/* A busy period that lasts too long is followed by another: all of it is as due. */
static void test_period_ends(void **state)
{
	struct bed_group *a, *b;
	unsigned int round;

	bed_start("weight", 1);
	*vtime() = ((u64)1 << 62) - 100 * UNIT;
	bed.sched.root.plain.vtime[IOBAND_BE].now[IOBAND_WRITE] = *vtime();
	a = bed_add(NULL, 3);
	b = bed_add(NULL, 1);
	backlog(a, 8);
	backlog(b, 8);
	for (round = 1; round <= 200; round++) {
		bed_serve(4);
		assert_in_range(b->cost, round - 1, round + 1);
	}
	assert_true(*vtime() < 200 * UNIT);
}

/* Likewise where most of it goes to what a group with children has itself. */
static void test_period_ends_of_own(void **state)
{
	struct ioband_vtime *time;
	struct bed_group *a, *b;

	bed_start("weight", 1);
	a = bed_add(NULL, 100);
	b = bed_add(a, 100);
	backlog(a, 8);
	time = &a->node.plain.vtime[IOBAND_BE];
	time->now[IOBAND_READ] = time->now[IOBAND_WRITE] = ((u64)1 << 62) - UNIT;
	ioband_node_join(&bed.sched, &a->node, 0, 0);
	a->node.plain.own = ioband_tag_now(time, 0);
	bed_serve(200);
	assert_true(time->now[IOBAND_READ] < 200 * UNIT);
	backlog(b, 8);
	bed_forget();
	bed_serve(100);
	assert_in_range(b->cost, 49, 51);
}

/* However long the others had the disk: who comes back is not ahead of them. */
static void test_long_sleep(void **state)
{
	struct bed_group *awake, *asleep;

	bed_start("weight-iosize", 1);
	awake = bed_add(NULL, 1);
	asleep = bed_add(NULL, 1);
	bed_hold(asleep, 8);
	assert_ptr_equal(bed_next_group(), asleep);
	backlog(awake, INT_MAX);
	/* Its tag, left behind by three quarters of 2^64, would look like one ahead. */
	bed_serve(3 << 15);
	bed_hold(asleep, 8);
	bed_serve(2);
	assert_true(bed_ios(asleep) > 1);
}

static void test_policies(void **state)
{
	static const char * const names[] = {
		"default", "weight", "weight-iosize", "range-bw", "limit",
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
	/* Less than a page is no cheaper. */
	assert_true(ioband_policy_find("weight-iosize")->cost(3, 3) == 24);
	assert_true(ioband_policy_find("range-bw")->cost(3, 80) == 80);
	assert_true(ioband_policy_find("limit")->cost(3, 80) == 80);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct ioband_policy *policy =
			ioband_policy_find(names[i]);

		assert_int_equal(policy->has_weights, i < 3);
		assert_int_equal(policy->is_range, i == 3);
		assert_int_equal(policy->only_limits, i == 4);
	}
}

static void test_init(void **state)
{
	struct ioband_node node;
	struct ioband_sched *sched = &bed.sched;
	u64 expires_ns;

	bed_stop();
	memset(&node, 0xa5, sizeof(node));
	memset(sched, 0xa5, sizeof(*sched));
	ioband_sched_init(sched, ioband_policy_find("weight"), 7);
	ioband_node_init(&node, 77);
	ioband_node_add(&sched->root, &node);
	assert_null(ioband_sched_broken(sched, 0));
	assert_int_equal(sched->held, 0);
	assert_int_equal(sched->depth, 7);
	assert_int_equal(node.weight, 77);
	assert_int_equal(node.class, IOBAND_BE);
	assert_null(node.terms);
	assert_null(ioband_first_held(&node));
	assert_null(ioband_next(sched, 0, 0));
	assert_false(ioband_is_ready(sched));
	assert_false(ioband_timer(sched, &expires_ns));
	bed_start("weight", 1);
}

/* The largest I/O at the smallest weight does not overflow on its way. */
static void test_largest_cost(void **state)
{
	struct bed_group *group;

	bed_start("weight-iosize", 1);
	group = bed_add(NULL, 1);
	bed_charge(group, IOBAND_READ, U32_MAX);
	bed_charge(group, IOBAND_READ, U32_MAX);
	assert_true(group->node.plain.tag.start[IOBAND_READ] == (u64)2 * U32_MAX * UNIT);
}

/*
 * A run of writeback is charged for each I/O, and its disk's time is that of all of
 * them; the depth, which counts what the disk takes as one, has seen one.
 */
static void test_run(void **state)
{
	struct bed_group *group;
	struct bed_io *io;

	bed_start("weight", 1);
	group = bed_add(NULL, 100);
	io = bed_new(group, IOBAND_WRITE, 256 * 8);
	io->io.merged = 255;
	bed_hold_io(io);
	assert_ptr_equal(bed_next(0), io);
	assert_int_equal(io->io.cost, 256);
	assert_int_equal(bed.sched.sent_ios, 1);
	assert_int_equal(bed.sched.sent_sectors, 256 * 8);
	bed_stop();

	bed_start("weight-time", 1);
	group = bed_add(NULL, 100);
	group->node.cost_ns = 40000;
	io = bed_new(group, IOBAND_WRITE, 256 * 8);
	io->io.merged = 255;
	bed_hold_io(io);
	assert_ptr_equal(bed_next(0), io);
	assert_int_equal(io->io.cost, 256 * 40000);
	ioband_done(&bed.sched, &group->node, 256, BIT(IOBAND_READ), 256 * 48000, io->io.cost, false,
		    bed.now_ns + 1);
	assert_int_equal(group->node.cost_ns, 41000);
	bed_stop();
}

static void test_is_ready(void **state)
{
	struct bed_group *group;
	struct bed_io *io;

	bed_start("weight", 1);
	group = bed_add(NULL, 100);
	io = bed_hold(group, 8);
	assert_true(ioband_is_ready(&bed.sched));
	bed_unhold(io);
	assert_false(ioband_is_ready(&bed.sched));
	bed_hold_write(group, 8);
	assert_true(ioband_is_ready(&bed.sched));
	bed_next(0);
	assert_false(ioband_is_ready(&bed.sched));
}

/* What an I/O is told it waits for. */
static void test_because(void **state)
{
	struct bed_group *a, *b;

	bed_start("weight", 1);
	a = bed_add(NULL, 100);
	b = bed_add(NULL, 100);
	assert_int_equal(bed_hold(a, 8)->io.because, IOBAND_BECAUSE_DEPTH);
	assert_int_equal(bed_hold(a, 8)->io.because, IOBAND_BECAUSE_WEIGHT);
	assert_ptr_equal(bed_next_group(), a);
	assert_ptr_equal(bed_next_group(), a);
	bed_backlog(b, IOBAND_READ, 8, 2);
	/* It has had two I/Os, b none. */
	assert_int_equal(bed_hold(a, 8)->io.because, IOBAND_BECAUSE_WEIGHT);
	bed_serve(10);
	bed_charge(a, IOBAND_READ, 8);
	assert_int_equal(bed_hold(a, 8)->io.because, IOBAND_BECAUSE_DEBT);
	/* Once it is its turn again, it is no debtor any more. */
	bed_serve(100);
	assert_int_equal(bed_hold(a, 8)->io.because, IOBAND_BECAUSE_WEIGHT);
}

/* Who is in debt comes to the end of the period long before the others. */
static void test_period_ends_of_debtor(void **state)
{
	struct bed_group *debtor, *other;

	bed_start("weight", 1);
	debtor = bed_add(NULL, 1);
	other = bed_add(NULL, 1);
	backlog(debtor, 8);
	backlog(other, 8);
	debtor->node.plain.tag = ioband_tag_now(&bed.sched.root.plain.vtime[IOBAND_BE], (u64)1 << 62);
	ioband_node_rekey(&debtor->node);
	bed_charge(debtor, IOBAND_READ, 8);
	bed_forget();
	bed_serve(100);
	assert_in_range(bed_ios(debtor), 49, 51);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_worked_example),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_directions_share),
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
		cmocka_unit_test(test_many_periods),
		cmocka_unit_test(test_restart_while_holding),
		cmocka_unit_test(test_period_ends),
		cmocka_unit_test(test_period_ends_of_own),
		cmocka_unit_test(test_period_ends_of_debtor),
		cmocka_unit_test(test_long_sleep),
		cmocka_unit_test(test_largest_cost),
		cmocka_unit_test(test_is_ready),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_because),
	};
	int failed = cmocka_run_group_tests_name("core", tests, NULL, NULL);

	bed_stop();
	return failed;
}
