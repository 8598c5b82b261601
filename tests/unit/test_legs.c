// SPDX-License-Identifier: GPL-2.0-only
/*
 * A disk of several legs, each of which takes so many I/Os at once and is done with
 * one in each round. Groups have so many I/Os outstanding, and send the next as soon
 * as they have one back.
 */
#include "unit.h"
#include "invariants.h"

enum {
	LEGS	= 4,	/* mostly 2 */
	DEPTH	= 8,
	GROUPS	= 3,
	IOS	= 128,
};

struct leg_io {
	struct ioband_io io;
	struct group *group;
	bool held;
};

struct group {
	struct ioband_node node;
	struct ioband_leg legs_at[LEGS];
	struct leg_io ios[IOS];
	u32 legs;		/* those it uses, a bit each */
	u64 got[LEGS];
	u64 sectors;
	u64 wrote;
};

static struct ioband_sched sched;
static struct ioband_leg root_legs[LEGS];
static struct group groups[GROUPS];
static struct leg_io *at_leg[LEGS][DEPTH];
static unsigned int in_flight[LEGS];
static unsigned int rounds_each[LEGS];	/* how many it takes for an I/O */
static u64 now_ns, random_state;
static unsigned int nr_legs = 2;
static bool in_step;		/* a leg is done with all it has at once */
static bool mixed;		/* sizes of 4 KiB to 256 KiB, and policy weight-iosize */

static u32 draw(u32 bound)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (random_state >> 33) % bound;
}

static void start(void)
{
	memset(groups, 0, sizeof(groups));
	memset(root_legs, 0, sizeof(root_legs));
	memset(in_flight, 0, sizeof(in_flight));
	for (unsigned int leg = 0; leg < LEGS; leg++)
		rounds_each[leg] = 1;
	now_ns = NSEC_PER_SEC;
	random_state = 1;
	ioband_sched_init(&sched, ioband_policy_find(mixed ? "weight-iosize" : "weight"),
			  DEPTH);
	ioband_node_set_legs(&sched.root, root_legs, nr_legs);
	sched.service_ns = NSEC_PER_MSEC;
}

static void check(void)
{
	const char *broken = ioband_sched_broken(&sched, now_ns);

	if (broken)
		fail_msg("%s", broken);
}

static void hold(struct leg_io *io)
{
	struct group *group = io->group;

	do {
		io->io.leg = draw(nr_legs);
	} while (!(group->legs & BIT(io->io.leg)));
	io->held = true;
	io->io.arrival_ns = now_ns;
	io->io.sectors = mixed ? 8 << draw(7) : 8;
	io->io.prio = IOBAND_PRIO_NORMAL;
	if (!ioband_node_joined(&sched, &group->node))
		ioband_node_join(&sched, &group->node, 0, 0);
	ioband_hold(&sched, &group->node, &io->io, now_ns);
}

static struct group *add(unsigned int i, u32 weight, u32 legs, unsigned int ios)
{
	struct group *group = &groups[i];

	ioband_node_init(&group->node, weight);
	ioband_node_set_legs(&group->node, group->legs_at, nr_legs);
	ioband_node_add(&sched.root, &group->node);
	group->legs = legs;
	for (i = 0; i < ios; i++) {
		group->ios[i].group = group;
		hold(&group->ios[i]);
	}
	return group;
}

static struct leg_io *next(u32 at_disk)
{
	struct ioband_io *io = ioband_next(&sched, at_disk, now_ns);
	struct leg_io *leg_io;

	check();
	if (!io)
		return NULL;
	assert_false(sched.full & BIT_ULL(ioband_way(io)));
	leg_io = container_of(io, struct leg_io, io);
	assert_true(leg_io->held);
	leg_io->held = false;
	return leg_io;
}

static void send(void)
{
	struct leg_io *io;
	unsigned int leg, at_disk;

	for (;;) {
		sched.full = 0;
		at_disk = 0;
		for (leg = 0; leg < nr_legs; at_disk += in_flight[leg++])
			if (in_flight[leg] == DEPTH)
				sched.full |= ioband_ways_to(leg);
		sched.brim = sched.full;
		io = next(at_disk);
		if (!io)
			return;
		leg = io->io.leg;
		at_leg[leg][in_flight[leg]++] = io;
	}
}

static void done(unsigned int leg)
{
	struct leg_io *io = at_leg[leg][0];

	in_flight[leg]--;
	memmove(at_leg[leg], at_leg[leg] + 1, in_flight[leg] * sizeof(io));
	io->group->got[leg]++;
	io->group->sectors += io->io.sectors;
	io->group->wrote += io->io.dir == IOBAND_WRITE;
	hold(io);
}

static void run(unsigned int rounds)
{
	unsigned int leg, i;

	for (i = 0; i < GROUPS; i++) {
		memset(groups[i].got, 0, sizeof(groups[i].got));
		groups[i].sectors = 0;
		groups[i].wrote = 0;
	}
	send();
	while (rounds--) {
		now_ns += NSEC_PER_MSEC;
		for (leg = 0; leg < nr_legs; leg++) {
			if (!in_flight[leg] ||
			    (in_step ? (rounds + leg) % DEPTH :
				       rounds % rounds_each[leg]))
				continue;
			done(leg);
			while (in_step && in_flight[leg])
				done(leg);
			send();
		}
	}
}

static u64 got(const struct group *group)
{
	u64 sum = 0;

	for (unsigned int leg = 0; leg < nr_legs; leg++)
		sum += group->got[leg];
	return sum;
}

/* Who has a leg to himself has all of it. */
static void test_apart(void **state)
{
	struct group *a, *b;

	start();
	a = add(0, 200, BIT(0), 32);
	b = add(1, 100, BIT(1), 32);
	run(10000);
	assert_int_equal(got(a), 10000);
	assert_int_equal(got(b), 10000);
}

/* Then they meet: what was of no use to the other is not paid for. */
static void test_apart_and_together(void **state)
{
	struct group *a, *b;

	start();
	a = add(0, 200, BIT(0), 32);
	b = add(1, 100, BIT(1), 32);
	run(10000);
	b->legs = BIT(0);
	/* Until those for the other leg are done, and its lead is made up for. */
	run(200);
	run(300);
	assert_in_range(got(a), 198, 202);
	assert_in_range(got(b), 98, 102);
}

/* Spread over all legs, shares are what they are on one disk. */
static void test_spread(void **state)
{
	struct group *a, *b, *c;
	u64 all;

	start();
	a = add(0, 40, BIT(0) | BIT(1), 20);
	b = add(1, 20, BIT(0) | BIT(1), 40);
	c = add(2, 10, BIT(0) | BIT(1), 80);
	run(1000);
	run(70000);
	all = got(a) + got(b) + got(c);
	/* It happens that all have their I/O at one. */
	assert_in_range(all, 140000 * 995 / 1000, 140000);
	assert_in_range(got(a) * 7000 / all, 3998, 4002);
	assert_in_range(got(b) * 7000 / all, 1998, 2002);
}

/*
 * A disk that is done with many at once gives a leg as many turns at once. What a group
 * got at the others since the last are more of its I/Os than it may else be ahead by.
 */
static void test_spread_in_step(void **state)
{
	struct group *a, *b;

	nr_legs = 4;
	in_step = true;
	start();
	a = add(0, 300, BIT(nr_legs) - 1, IOS);
	b = add(1, 100, BIT(nr_legs) - 1, IOS);
	run(1000);
	run(20000);
	assert_in_range(got(a) * 1000 / (got(a) + got(b)), 749, 751);
	nr_legs = 2;
	in_step = false;
}

/* A small I/O that passes others over does not pay for the large ones before it. */
static void test_spread_sizes(void **state)
{
	struct group *a, *c;

	mixed = true;
	start();
	a = add(0, 40, BIT(0) | BIT(1), 20);
	c = add(1, 10, BIT(0) | BIT(1), 80);
	run(1000);
	run(70000);
	mixed = false;
	assert_in_range(a->sectors * 1000 / (a->sectors + c->sectors), 798, 802);
}

/* Who can go elsewhere leaves this leg to who cannot. */
static void test_one_goes_elsewhere(void **state)
{
	struct group *wide, *narrow;

	start();
	wide = add(0, 100, BIT(0) | BIT(1), 128);
	narrow = add(1, 100, BIT(1), 32);
	run(1000);
	run(30000);
	assert_int_equal(wide->got[1] + narrow->got[1], 30000);
	assert_in_range(got(narrow) * 1000 / got(wide), 990, 1010);
}

/* Who waits at a slow leg, however much is due to him, takes no order from a fast one. */
static void test_beside_a_slow_leg(void **state)
{
	struct group *a, *b, *c;

	start();
	rounds_each[1] = 8;
	a = add(0, 200, BIT(0), 32);
	b = add(1, 100, BIT(0), 32);
	c = add(2, 1000, BIT(1), 32);
	run(1000);
	run(30000);
	assert_int_equal(got(c), 30000 / 8);
	assert_int_equal(got(a) + got(b), 30000);
	assert_in_range(got(a), 19990, 20010);

	/* Nor does what they got there stay with them, or with who comes later. */
	c->legs = BIT(0);
	b->legs = BIT(1);
	run(32 * 8);
	run(1200);
	assert_in_range(got(c), 990, 1010);
	assert_int_equal(got(b), 1200 / 8);
}

/*
 * A group that was at another leg makes up for 16 of its I/Os at most, whatever they
 * cost under an earlier policy.
 */
static void test_lag_after_policy(void **state)
{
	struct group *wanderer;

	mixed = true;
	start();
	add(0, 1, BIT(0), 32);
	add(1, 1, BIT(0), 32);
	wanderer = add(2, 1, BIT(1), 32);
	run(1000);
	mixed = false;
	ioband_sched_set_policy(&sched, ioband_policy_find("weight"));
	rounds_each[1] = 8;
	run(300);
	rounds_each[1] = 1;
	wanderer->legs = BIT(0);
	/* By its weight it gets a third, once its I/Os at the other leg are done. */
	run(120);
	assert_in_range(wanderer->got[0], 30, 45);
}

/* Nor from those below a group that is at both. */
static void test_below_beside_a_slow_leg(void **state)
{
	struct group *above, *a, *b;

	start();
	rounds_each[1] = 8;
	above = add(2, 100, BIT(1), 32);
	a = add(0, 200, BIT(0), 32);
	b = add(1, 100, BIT(0), 32);
	ioband_node_move(&sched, &a->node, &above->node, now_ns);
	ioband_node_move(&sched, &b->node, &above->node, now_ns);
	run(1000);
	run(30000);
	assert_int_equal(got(above), 30000 / 8);
	assert_int_equal(got(a) + got(b), 30000);
	assert_in_range(got(a), 19990, 20010);

	/* The own I/O of the group above is one of three there. */
	above->legs = BIT(0);
	run(32 * 8);
	run(4000);
	assert_in_range(got(above), 990, 1010);
	assert_in_range(got(a), 1985, 2015);
}

/* However far apart the legs have come, who joins at both gets his share at once. */
static void test_newcomer_at_two_legs(void **state)
{
	struct group *a, *b, *wide;

	start();
	rounds_each[1] = 8;
	a = add(0, 1, BIT(0), 32);
	b = add(1, 1, BIT(1), 32);
	run(100000);
	wide = add(2, 1000, BIT(0) | BIT(1), 128);
	run(100);
	rounds_each[1] = 1;
	run(2000);
	assert_in_range(got(wide), 3950, 4000);
	assert_true(got(a) < 50 && got(b) < 50);
}

/*
 * Whoever has limits or promises, moves or changes, and whatever is full: nothing is
 * torn or lost, and nothing goes where there is no room.
 */
static void test_at_random(void **state)
{
	static struct ioband_terms terms[GROUPS][2];
	const struct ioband_rate limits[IOBAND_LIMITS] = {
		[IOBAND_RIOPS]	= { .rate = 1000 },
		[IOBAND_IOPS]	= { .rate = 3000, .burst = 3 },
	};
	unsigned int event, above, sent = 0;
	struct group *group;
	struct leg_io *io;

	start();
	for (group = groups; group < groups + GROUPS; group++) {
		add(group - groups, 1 + draw(1000), BIT(0) | BIT(1), IOS);
		while ((io = next(0)))
			;
	}
	for (event = 0; event < 200000; event++) {
		group = &groups[draw(GROUPS)];
		io = &group->ios[draw(IOS)];
		now_ns += draw(NSEC_PER_MSEC / 4);
		switch (draw(32)) {
		case 0:
			ioband_node_set_weight(&sched, &group->node, 1 + draw(1000));
			break;
		case 1:
			/* Below one after it, or below none. */
			above = group - groups + 1 + draw(2);
			ioband_node_move(&sched, &group->node, above < GROUPS ?
					 &groups[above].node : &sched.root, now_ns);
			break;
		case 2:
			ioband_node_set_terms(&sched, &group->node, NULL, now_ns);
			break;
		case 3: {
			struct ioband_terms *new = &terms[group - groups][0];

			if (group->node.terms == new)
				new++;
			ioband_terms_init(new, limits, draw(2) * 500, true,
					  draw(2) * 5 * NSEC_PER_MSEC);
			ioband_node_set_terms(&sched, &group->node, new, now_ns);
			break;
		}
		case 4:
			if (io->held)
				ioband_unhold(&sched, &group->node, &io->io, now_ns);
			io->held = false;
			break;
		case 5:
			ioband_sched_restart(&sched);
			break;
		case 6: case 7: case 8: case 9: case 10: case 11:
			sched.full = draw(1 << nr_legs * IOBAND_DIRS);
			for (above = draw(4); above && next(0); above--)
				sent++;
			break;
		default:
			if (io->held)
				break;
			io->io.dir = draw(IOBAND_DIRS);
			hold(io);
		}
		check();
	}
	assert_true(sent > 30000);

	/* All that is left comes when there is room and time. */
	sched.full = 0;
	while (sched.held) {
		now_ns += NSEC_PER_SEC;
		while (next(0))
			;
	}
	for (group = groups; group < groups + GROUPS; group++)
		for (io = group->ios; io < group->ios + IOS; io++)
			assert_false(io->held);
}

/*
 * A limit for writes is divided by weight, whatever is read, on a stripe, too; to a few
 * percent, because at a leg where nobody writes for a moment, reads count for both.
 */
static void test_limit_for_writes(void **state)
{
	const struct ioband_rate limits[IOBAND_LIMITS] = { [IOBAND_WIOPS] = { .rate = 400 } };
	struct group *parent = &groups[0], *both, *writer;
	struct ioband_terms terms;
	struct leg_io *io;
	u64 sum;

	nr_legs = 4;
	start();
	add(0, 100, 15, 0);
	ioband_terms_init(&terms, limits, 0, false, 0);
	ioband_node_set_terms(&sched, &parent->node, &terms, now_ns);
	for (io = groups[1].ios; io < groups[1].ios + IOS / 2; io++)
		io->io.dir = IOBAND_WRITE;
	for (io = groups[2].ios; io < groups[2].ios + IOS; io++)
		io->io.dir = IOBAND_WRITE;
	both = add(1, 100, 15, 0);
	writer = add(2, 300, 15, 0);
	ioband_node_move(&sched, &both->node, &parent->node, now_ns);
	ioband_node_move(&sched, &writer->node, &parent->node, now_ns);
	for (io = both->ios; io < both->ios + IOS; io++) {
		io->group = both;
		hold(io);
	}
	for (io = writer->ios; io < writer->ios + IOS / 2; io++) {
		io->group = writer;
		hold(io);
	}
	run(1000);
	run(20000);
	sum = both->wrote + writer->wrote;
	/* The clock has ticks of a millisecond here. */
	assert_in_range(sum, 7960, 8010);
	assert_in_range(both->wrote, sum * 23 / 100, sum * 27 / 100);
	assert_in_range(got(both) - both->wrote, 71000, 72050);
	nr_legs = 2;
}

/* Who has a minimum that his full leg cannot give keeps nobody from that of another. */
static void test_minimums_apart(void **state)
{
	static const struct ioband_rate none[IOBAND_LIMITS];
	struct ioband_terms terms[2];
	struct group *modest;

	start();
	add(0, 1, BIT(0), 64);
	modest = add(1, 1, BIT(1), 64);
	add(2, 1000, BIT(1), 64);
	ioband_terms_init(&terms[0], none, 5000, true, 0);
	ioband_terms_init(&terms[1], none, 500, true, 0);
	ioband_node_set_terms(&sched, &groups[0].node, &terms[0], now_ns);
	ioband_node_set_terms(&sched, &modest->node, &terms[1], now_ns);
	run(10000);
	assert_in_range(got(modest), 4950, 5100);
}

static struct leg_io *hold_at(struct group *group, unsigned int i, unsigned int leg)
{
	group->ios[i].group = group;
	group->legs = BIT(leg);
	hold(&group->ios[i]);
	return &group->ios[i];
}

/* Who is late at a full leg is not at another, and keeps what was promised. */
static void test_late_at_a_full_leg(void **state)
{
	static const struct ioband_rate none[IOBAND_LIMITS];
	struct ioband_terms terms;
	struct group *modest;
	struct leg_io *late;

	start();
	add(0, 1000, BIT(1), 64);
	modest = add(1, 1, BIT(1), 1);
	while (next(0) != &modest->ios[0])
		;
	ioband_terms_init(&terms, none, 0, false, 20 * NSEC_PER_MSEC);
	ioband_node_set_terms(&sched, &modest->node, &terms, now_ns);
	late = hold_at(modest, 1, 0);
	now_ns += 25 * NSEC_PER_MSEC;
	hold_at(modest, 2, 1);
	sched.full = ioband_ways_to(0);
	sched.brim = sched.full;
	assert_ptr_equal(next(DEPTH)->group, &groups[0]);
	now_ns++;
	sched.full = 0;
	sched.brim = 0;
	assert_ptr_equal(next(DEPTH), late);
}

/*
 * Where groups have turns all I/O is for leg 0. What was held for another leg before
 * that goes nevertheless, however much comes for leg 0.
 */
static void test_left_at_a_leg(void **state)
{
	struct leg_io *io;
	unsigned int i, left = 8;
	struct group *old;

	start();
	ioband_sched_set_policy(&sched, ioband_policy_find("weight-time"));
	add(0, 10000, BIT(0), 32);
	old = add(1, 1, BIT(1), left);
	sched.turn.is_serial = true;
	for (i = 0; i < 100; i++) {
		now_ns += NSEC_PER_MSEC;
		sched.full = 0;
		sched.brim = 0;
		io = next(0);
		assert_non_null(io);
		ioband_done(&sched, &io->group->node, 1, BIT(IOBAND_READ), NSEC_PER_MSEC, io->io.cost,
			    false, now_ns);
		if (io->group == old)
			left--;
		else
			hold(io);
	}
	assert_int_equal(left, 0);
}

/* I/Os beyond the depth of one leg take no room at another. */
static void test_room_apart(void **state)
{
	start();
	add(0, 100, BIT(0) | BIT(1), 0);
	groups[0].ios[0].group = &groups[0];
	groups[0].legs = BIT(1);
	hold(&groups[0].ios[0]);
	sched.full = ioband_ways_to(0);
	sched.brim = sched.full;
	assert_ptr_equal(next(2 * DEPTH), &groups[0].ios[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_apart_and_together),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_spread_in_step),
		cmocka_unit_test(test_spread_sizes),
		cmocka_unit_test(test_one_goes_elsewhere),
		cmocka_unit_test(test_beside_a_slow_leg),
		cmocka_unit_test(test_lag_after_policy),
		cmocka_unit_test(test_below_beside_a_slow_leg),
		cmocka_unit_test(test_newcomer_at_two_legs),
		cmocka_unit_test(test_at_random),
		cmocka_unit_test(test_limit_for_writes),
		cmocka_unit_test(test_minimums_apart),
		cmocka_unit_test(test_late_at_a_full_leg),
		cmocka_unit_test(test_left_at_a_leg),
		cmocka_unit_test(test_room_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
