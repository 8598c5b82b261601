// SPDX-License-Identifier: GPL-2.0-only
/*
 * A limit for one direction makes all lag that goes this way. There it is divided by
 * weight, whatever goes the other way.
 */
#include "bed.h"
#include "prng.h"
#include <math.h>

#define SEC		((u64)NSEC_PER_SEC)
#define MS		((u64)NSEC_PER_MSEC)

/* A group with limits, and one that keeps the disk busy with reads below it. */
static struct bed_group *start(struct bed_group **reader)
{
	struct bed_group *parent;

	bed_start("weight", 8);
	parent = bed_add(NULL, 100);
	*reader = bed_add(parent, 100);
	bed_limit(parent, IOBAND_WIOPS, 100, 0, 0);
	bed_backlog(*reader, IOBAND_READ, 8, 32);
	return parent;
}

static void stop(const struct bed_group *group)
{
	unsigned int i;

	for (i = 0; i < bed.nr_ios; i++)
		if (bed.ios[i]->group == group)
			bed.ios[i]->again = false;
}

/* As many writes of each, if they are equal. */
static void assert_equal_writes(const struct bed_group *a, const struct bed_group *b,
				u64 each)
{
	assert_in_range(a->ios[IOBAND_WRITE], each - 2, each + 2);
	assert_in_range(b->ios[IOBAND_WRITE], each - 2, each + 2);
}

static void test_a_read_costs_no_writes(void **state)
{
	struct bed_group *reader, *parent = start(&reader);
	struct bed_group *writer = bed_add(parent, 100), *both = bed_add(parent, 100);
	int i;

	bed_backlog(writer, IOBAND_WRITE, 8, 4);
	bed_backlog(both, IOBAND_WRITE, 8, 4);
	bed_run(20 * SEC, 1 * MS);
	for (i = 0; i < 5; i++) {
		bed_forget();
		bed_hold_io(bed_new(both, IOBAND_READ, 8));
		bed_run(4 * SEC, 1 * MS);
		assert_int_equal(both->ios[IOBAND_READ], 1);
		assert_equal_writes(writer, both, 200);
	}

	/* Virtual time stands still until they have caught up, and then they go on. */
	stop(reader);
	bed_forget();
	for (i = 1; i <= 40; i++) {
		bed_run(20 * SEC, 1 * MS);
		assert_in_range(writer->ios[IOBAND_WRITE], i * 1000 - 17, i * 1000 + 17);
		assert_in_range(both->ios[IOBAND_WRITE], i * 1000 - 17, i * 1000 + 17);
	}
}

/* Who writes as much as it can has its part of the few reads nevertheless. */
static void test_writes_cost_no_reads(void **state)
{
	struct bed_group *reader, *parent = start(&reader);
	struct bed_group *light = bed_add(parent, 100), *heavy = bed_add(parent, 900);

	stop(reader);
	bed_limit(parent, IOBAND_RIOPS, 200, 0, 0);
	bed_backlog(heavy, IOBAND_WRITE, 8, 32);
	bed_backlog(heavy, IOBAND_READ, 8, 8);
	bed_backlog(light, IOBAND_READ, 8, 8);
	bed_run(5 * SEC, MS / 4);
	bed_forget();
	bed_run(20 * SEC, MS / 4);
	assert_in_range(light->ios[IOBAND_READ], 380, 420);
	assert_in_range(heavy->ios[IOBAND_READ], 3580, 3620);
}

static void test_own_writes(void **state)
{
	struct bed_group *reader, *parent = start(&reader);
	struct bed_group *child = bed_add(parent, 100);

	bed_backlog(child, IOBAND_WRITE, 8, 4);
	bed_backlog(parent, IOBAND_WRITE, 8, 4);
	bed_run(20 * SEC, 1 * MS);
	assert_equal_writes(parent, child, 1000);
	bed_hold_io(bed_new(parent, IOBAND_READ, 8));
	bed_forget();
	bed_run(20 * SEC, 1 * MS);
	assert_equal_writes(parent, child, 1000);

	/* Nor has anybody saved anything up when the limit is gone. */
	bed_set(parent, NULL);
	bed_forget();
	bed_run(3 * SEC, 1 * MS);
	assert_in_range(bed_ios(parent), 985, 1015);
	assert_in_range(bed_ios(child), 985, 1015);
	assert_in_range(bed_ios(reader), 985, 1015);
}

/* While a limit does not bind, both directions together have one share. */
static void test_limit_that_does_not_bind(void **state)
{
	struct bed_group *reader, *parent = start(&reader);
	struct bed_group *both = bed_add(parent, 100), *own = parent;

	bed_limit(parent, IOBAND_WIOPS, 100000, 0, 0);
	bed_backlog(both, IOBAND_WRITE, 8, 8);
	bed_backlog(both, IOBAND_READ, 8, 8);
	bed_backlog(own, IOBAND_WRITE, 8, 8);
	bed_backlog(own, IOBAND_READ, 8, 8);
	bed_run(9 * SEC, 1 * MS);
	assert_in_range(bed_ios(both), 2985, 3015);
	assert_in_range(bed_ios(own), 2985, 3015);
	assert_in_range(bed_ios(reader), 2985, 3015);
	assert_in_range(both->ios[IOBAND_READ], 500, 2500);
	assert_in_range(own->ios[IOBAND_READ], 500, 2500);
}

/*
 * A limit for reads lets few through, and those go as soon as they may: a light group gets
 * more reads that way than is due to it, and virtual time is where it is. Who writes
 * beside it lags then, though no limit is for writes. Others that begin to do so, or to
 * read, take their places beside those who do.
 */
static void test_limit_of_the_other_direction(void **state)
{
	struct bed_group *parent, *group, *light, *heavy, *late;

	bed_start("weight", 8);
	parent = bed_add(NULL, 100);
	bed_limit(parent, IOBAND_RIOPS, 20, 0, 0);
	bed_backlog(bed_add(parent, 100), IOBAND_READ, 8, 16);
	bed_backlog(bed_add(parent, 100), IOBAND_WRITE, 8, 16);
	group = bed_add(parent, 100);
	light = bed_add(group, 1);
	heavy = bed_add(group, 10);
	late = bed_add(group, 10);
	bed_backlog(light, IOBAND_READ, 8, 4);
	bed_backlog(heavy, IOBAND_WRITE, 8, 16);
	bed_run(50 * SEC, 10 * MS);
	bed_forget();

	bed_backlog(late, IOBAND_WRITE, 8, 16);
	bed_run(20 * SEC, 10 * MS);
	assert_in_range(late->ios[IOBAND_WRITE], heavy->ios[IOBAND_WRITE] - 5,
			heavy->ios[IOBAND_WRITE] + 5);
	assert_true(light->ios[IOBAND_READ] > 100);

	bed_forget();
	bed_backlog(heavy, IOBAND_READ, 8, 4);
	bed_run(40 * SEC, 10 * MS);
	assert_in_range(bed_ios(heavy), 9 * bed_ios(light), 11 * bed_ios(light));
	assert_true(bed_ios(light) > 50);
}

/* Who writes one after the other has its part, too. */
static void test_one_at_a_time(void **state)
{
	struct bed_group *reader, *parent = start(&reader);
	struct bed_group *light = bed_add(parent, 100), *heavy = bed_add(parent, 900);

	bed_backlog(light, IOBAND_WRITE, 8, 4);
	bed_backlog(heavy, IOBAND_WRITE, 8, 1);
	bed_run(5 * SEC, 1 * MS);
	bed_forget();
	bed_run(20 * SEC, 1 * MS);
	assert_in_range(bed_ios(light), 195, 205);
	assert_in_range(bed_ios(heavy), 1795, 1805);
}

/* On a disk of irregular speed a limit now holds writes back, now the disk does. */
static void test_limit_that_binds_at_times(void **state)
{
	struct bed_group *parent, *light, *heavy;
	struct prng prng;
	int i;

	prng_seed(&prng, 1);
	bed_start("weight", 8);
	parent = bed_add(NULL, 100);
	light = bed_add(parent, 1);
	heavy = bed_add(parent, 100);
	bed_limit(parent, IOBAND_WIOPS, 300, 0, 0);
	bed_backlog(light, IOBAND_READ, 8, 32);
	bed_backlog(light, IOBAND_WRITE, 8, 32);
	bed_backlog(heavy, IOBAND_WRITE, 8, 32);
	for (i = 0; i < 20000; i++)
		bed_run(5 * MS, MS / 10 + prng_below(&prng, 3 * MS));
	assert_in_range(heavy->ios[IOBAND_WRITE], 29000, 30100);
	assert_in_range(light->ios[IOBAND_WRITE], heavy->ios[IOBAND_WRITE] / 100 - 5,
			heavy->ios[IOBAND_WRITE] / 100 + 5);
}

/*
 * While the disk is shared by two, a writer is due more than its limit lets through. That
 * saves nothing up for later, when it is shared by many.
 */
static void test_limit_saves_nothing_up(void **state)
{
	struct bed_group *reader, *parent = start(&reader);
	struct bed_group *writer = bed_add(parent, 100);
	int i;

	bed_backlog(writer, IOBAND_WRITE, 8, 8);
	bed_run(200 * SEC, 1 * MS);
	assert_in_range(bed_ios(writer), 19990, 20010);
	for (i = 0; i < 20; i++)
		bed_backlog(bed_add(parent, 100), IOBAND_READ, 8, 8);
	bed_forget();
	bed_run(22 * SEC, 1 * MS);
	assert_in_range(bed_ios(writer), 980, 1020);
	assert_in_range(bed_ios(reader), 980, 1020);
}

/*
 * What a writer was ahead of the others that lag was for an I/O at its old weight. With a
 * new one it neither waits for as many of theirs, nor gets as many.
 */
static void test_reweighted(void **state)
{
	static const u32 weights[][2] = { { 1, 1000 }, { 1000, 1 } };
	struct bed_group *reader, *parent, *writer, *other;
	unsigned int i, late;
	u64 due;

	/* Whatever part of its turn has gone by. */
	for (i = 0; i < 2; i++) {
		for (late = 0; late < 5; late++) {
			parent = start(&reader);
			writer = bed_add(parent, weights[i][0]);
			other = bed_add(parent, 1000);
			bed_backlog(writer, IOBAND_WRITE, 8, 4);
			bed_backlog(other, IOBAND_WRITE, 8, 4);
			bed_run((20 + 2 * late) * SEC, 1 * MS);
			ioband_node_set_weight(&bed.sched, &writer->node, weights[i][1]);
			bed_forget();
			bed_run(5 * SEC, 1 * MS);
			due = weights[i][1] == 1000 ? 250 : 1;
			assert_in_range(writer->ios[IOBAND_WRITE], due - 1, due + 2);
			assert_in_range(bed_ios(writer) + bed_ios(other), 499, 501);
		}
	}
}

/* What could not wait is owed in full, though the writes of others lag. */
static void test_debt(void **state)
{
	struct bed_group *reader, *parent = start(&reader);
	struct bed_group *debtor = bed_add(parent, 100);
	int i;

	bed_backlog(bed_add(parent, 100), IOBAND_WRITE, 8, 4);
	bed_backlog(debtor, IOBAND_READ, 8, 32);
	bed_run(20 * SEC, 1 * MS);
	bed_forget();
	for (i = 0; i < 2000; i++)
		bed_charge(debtor, IOBAND_WRITE, 8);
	bed_run(4 * SEC, 1 * MS);
	/* At the limit itself a debt is paid for a second: then writes go again. */
	assert_in_range(bed_ios(reader) - bed_ios(debtor), 1980, 2020);
}

/*
 * By time, what an I/O took beyond its charge belongs to its direction: a writer that
 * reads a lot, at a higher cost, has its part of the writes of a limit nevertheless.
 */
static void test_time_of_reads(void **state)
{
	struct bed_group *parent, *both, *writer;
	struct bed_io *io;
	u64 used_ns, end_ns, timer_ns;

	bed_start("weight-time", 1);
	parent = bed_add(NULL, 100);
	both = bed_add(parent, 100);
	writer = bed_add(parent, 100);
	bed_limit(parent, IOBAND_WIOPS, 40, 0, 0);
	bed_backlog(both, IOBAND_READ, 8, 8);
	bed_backlog(both, IOBAND_WRITE, 8, 8);
	bed_backlog(writer, IOBAND_WRITE, 8, 8);
	end_ns = bed.now_ns + 100 * SEC;
	while (bed.now_ns < end_ns) {
		io = bed_next(0);
		if (!io) {
			assert_true(ioband_timer(&bed.sched, &timer_ns));
			bed.now_ns = timer_ns;
			continue;
		}
		used_ns = io->io.dir == IOBAND_READ ? 5 * MS : 1 * MS;
		bed.now_ns += used_ns;
		ioband_done(&bed.sched, &io->group->node, 1, BIT(io->io.dir), used_ns,
			    io->io.cost, false, bed.now_ns);
		bed_hold_io(io);
	}
	assert_in_range(both->ios[IOBAND_WRITE], 1980, 2020);
	assert_in_range(writer->ios[IOBAND_WRITE], 1980, 2020);
}

enum {
	WRITERS	= 4,
};

/* Any weights, any limit, at any level, whatever they read now and then. */
static void run_at_random(u64 seed)
{
	struct bed_group *reader, *parent, *writers[WRITERS];
	u64 before[WRITERS], total = 0, weights = 0;
	struct prng prng;
	int i, turn;

	prng_seed(&prng, seed);
	parent = start(&reader);
	bed_limit(parent, IOBAND_WIOPS, 50 + prng_below(&prng, 300), 0, 0);
	if (prng_percent(&prng, 50)) {
		parent = bed_add(parent, 1 + prng_below(&prng, 1000));
		bed_backlog(bed_add(parent, 100), IOBAND_READ, 8, 32);
	}
	for (i = 0; i < WRITERS; i++) {
		/* The last may be the group that has the others below it. */
		writers[i] = i == WRITERS - 1 && prng_percent(&prng, 50) ? parent :
			     bed_add(parent, 20 + prng_below(&prng, 400));
		bed_backlog(writers[i], IOBAND_WRITE, 8, 4);
	}
	bed_run(2 * SEC, 1 * MS);
	for (i = 0; i < WRITERS; i++) {
		before[i] = writers[i]->ios[IOBAND_WRITE];
		weights += writers[i] == parent ? 100 : writers[i]->node.weight;
	}
	for (turn = 0; turn < 100; turn++) {
		i = prng_below(&prng, WRITERS);
		for (int reads = prng_below(&prng, 200); reads; reads--)
			bed_hold_io(bed_new(writers[i], IOBAND_READ, 8));
		bed_run(prng_below(&prng, 400) * MS, 1 * MS);
	}
	for (i = 0; i < WRITERS; i++)
		total += writers[i]->ios[IOBAND_WRITE] - before[i];
	for (i = 0; i < WRITERS; i++) {
		u64 weight = writers[i] == parent ? 100 : writers[i]->node.weight;
		u64 got = writers[i]->ios[IOBAND_WRITE] - before[i];
		u64 due = total * weight / weights;

		if (got + 3 + due / 100 < due || got > due + 3 + due / 100)
			fail_msg("seed %llu: writer %d of weight %llu got %llu of %llu, %llu are due",
				 (unsigned long long)seed, i, (unsigned long long)weight,
				 (unsigned long long)got, (unsigned long long)total,
				 (unsigned long long)due);
	}
	bed_stop();
}

static void test_at_random(void **state)
{
	u64 seed;

	for (seed = 0; seed < 20; seed++)
		run_at_random(seed);
	bed_start("weight", 1);
}

enum {
	MEMBERS	= 7,
};

static struct member {
	struct bed_group *group;
	bool is_limited;	/* all it wants goes the way that the limit is for */
	bool wants_both;
} members[MEMBERS];
static unsigned int nr_members;

/*
 * Those that want only what is limited share what they get of it by weight; all others
 * share the rest of the disk, and what they got of the limit counts.
 */
static void judge_shares(u64 seed, bool is_limited, enum ioband_dir limited, long double part)
{
	long double ios = 0, weights = 0, due, most = 0;
	const struct member *m;

	for (m = members; m < members + nr_members; m++) {
		if (m->is_limited != is_limited)
			continue;
		ios += bed_ios(m->group);
		weights += m->group->node.weight;
		if (m->wants_both)
			most = fmaxl(most, (long double)m->group->ios[limited] /
					   m->group->node.weight);
	}
	/* Unless the limit alone gives one more than that. */
	if (!weights || most > ios / weights)
		return;
	for (m = members; m < members + nr_members; m++) {
		if (m->is_limited != is_limited)
			continue;
		due = ios / weights * m->group->node.weight;
		/* It may be ahead or behind by 17 of its I/Os when that begins, and ends. */
		if (fabsl(bed_ios(m->group) - due) - 2 * 17 > due * part)
			fail_msg("seed %llu: weight %u got %llu, %Lf are due",
				 (unsigned long long)seed, m->group->node.weight,
				 (unsigned long long)bed_ios(m->group), due);
	}
}

/* Any limit, weights and kinds of groups; on a disk of one speed, or that varies a lot. */
static void share_at_random(u64 seed)
{
	struct bed_group *parent;
	enum ioband_dir limited;
	bool is_steady;
	struct prng prng;
	unsigned int i;

	prng_seed(&prng, seed);
	bed_start("weight", 1 + prng_below(&prng, 16));
	bed.unchecked = true;
	parent = bed_add(NULL, 100);
	limited = prng_below(&prng, IOBAND_DIRS);
	bed_limit(parent, limited == IOBAND_READ ? IOBAND_RIOPS : IOBAND_WIOPS,
		  50 + prng_below(&prng, 500), 0, 0);
	if (prng_percent(&prng, 50))
		parent = bed_add(parent, 100);
	nr_members = 2 + prng_below(&prng, MEMBERS - 1);
	for (i = 0; i < nr_members; i++) {
		struct member *m = &members[i];
		u32 kind = prng_below(&prng, 3);

		m->group = bed_add(parent, 1 + prng_below(&prng, prng_percent(&prng, 50) ?
							  10 : 300));
		m->is_limited = kind == 0;
		m->wants_both = kind == 1;
		if (kind <= 1)
			bed_backlog(m->group, limited, 8, 16);
		if (kind >= 1)
			bed_backlog(m->group, !limited, 8, 16);
	}
	is_steady = prng_percent(&prng, 50);
	bed_run(10 * SEC, 1 * MS);
	bed_forget();
	for (i = 0; i < 20000; i++)
		bed_run(5 * MS, is_steady ? MS : MS / 10 + prng_below(&prng, 3 * MS));
	judge_shares(seed, true, limited, is_steady ? 0.01L : 0.06L);
	judge_shares(seed, false, limited, is_steady ? 0.01L : 0.06L);
	bed_stop();
}

static void test_shares_at_random(void **state)
{
	u64 seed;

	for (seed = 0; seed < 40; seed++)
		share_at_random(seed);
	bed_start("weight", 1);
}

static int teardown(void **state)
{
	bed_stop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_a_read_costs_no_writes, teardown),
		cmocka_unit_test_teardown(test_writes_cost_no_reads, teardown),
		cmocka_unit_test_teardown(test_own_writes, teardown),
		cmocka_unit_test_teardown(test_limit_that_does_not_bind, teardown),
		cmocka_unit_test_teardown(test_limit_of_the_other_direction, teardown),
		cmocka_unit_test_teardown(test_one_at_a_time, teardown),
		cmocka_unit_test_teardown(test_limit_that_binds_at_times, teardown),
		cmocka_unit_test_teardown(test_limit_saves_nothing_up, teardown),
		cmocka_unit_test_teardown(test_reweighted, teardown),
		cmocka_unit_test_teardown(test_debt, teardown),
		cmocka_unit_test_teardown(test_time_of_reads, teardown),
		cmocka_unit_test_teardown(test_at_random, teardown),
		cmocka_unit_test_teardown(test_shares_at_random, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
