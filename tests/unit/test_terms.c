// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits: what a group may not have, however much there is.
 */
#include <math.h>
#include "bed.h"

enum {
	DISK_NS	= 10000,	/* 100000 I/Os a second: it limits nobody */
};

/*
 * In no window of time more than rate * t + burst + one I/O, each counted by
 * itself, without the core's arithmetic: over all pairs of I/Os, in units.
 */
static void assert_bound(const struct bed_group *group, unsigned int dirs,
			 bool bytes, long double rate, long double burst)
{
	long double worst = 0, ahead = 0, last_ns = 0, one = 0;
	unsigned int i;

	/*
	 * The window that is worst so far ends with the last I/O; either it
	 * goes on, or a new one begins here.
	 */
	for (i = 0; i < bed.nr_sent; i++) {
		const struct bed_sent *sent = &bed.sent[i];
		long double units = bytes ? sent->sectors * 512.0L : 1;

		if (sent->group != group || !(dirs & BIT(sent->dir)))
			continue;
		ahead -= rate * (sent->at_ns - last_ns) / 1e9L;
		ahead = fmaxl(ahead, 0) + units;
		last_ns = sent->at_ns;
		worst = fmaxl(worst, ahead);
		one = fmaxl(one, units);
	}
	/* A nanosecond of rounding. */
	if (worst > burst + one + rate / 1e9L + 1e-6L)
		fail_msg("%Lf units at once above the rate, %Lf allowed", worst,
			 burst + one);
}

static const unsigned int BOTH = BIT(IOBAND_READ) | BIT(IOBAND_WRITE);

static struct bed_group *start_one(void)
{
	bed_start("weight", 16);
	bed.log = true;
	return bed_add(NULL, 100);
}

/* In the long run it is the rate, exactly: not one I/O less, not one more. */
static void test_long_run(void **state)
{
	static const u64 rates[] = { 1, 3, 7, 100, 333, 999, 1000, 7777 };
	struct bed_group *group;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		group = start_one();
		bed_limit(group, IOBAND_RIOPS, rates[i], 0, 0);
		bed_backlog(group, IOBAND_READ, 8, 32);
		bed_run(20 * SEC, DISK_NS);
		/* One at once, and the last one falls on the end of time. */
		assert_in_range(bed_ios(group), 20 * rates[i],
				20 * rates[i] + 1);
		assert_bound(group, BOTH, false, rates[i], 0);
	}
}

/* Without a burst they go at equal distances: no slices, no stop and go. */
static void test_equal_distances(void **state)
{
	struct bed_group *group = start_one();
	unsigned int i;

	bed_limit(group, IOBAND_RIOPS, 300, 0, 0);
	bed_backlog(group, IOBAND_READ, 8, 32);
	bed_run(10 * SEC, DISK_NS);
	for (i = 1; i < bed.nr_sent; i++)
		assert_in_range(bed.sent[i].at_ns - bed.sent[i - 1].at_ns,
				3333333, 3333334);
}

static void test_bytes(void **state)
{
	static const u32 sizes[] = { 1, 8, 256, 2560, 7 };
	struct bed_group *group;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		group = start_one();
		bed_limit(group, IOBAND_BPS, 3000000, 0, 0);
		for (j = 0; j < 8; j++)
			bed_backlog(group, j & 1, sizes[(i + j) % 5], 2);
		bed_run(20 * SEC, DISK_NS);
		assert_in_range(bed_bytes(group), 60000000,
				60000000 + 2560 * 512);
		assert_bound(group, BOTH, true, 3000000, 0);
	}
}

/* A burst may go at once after a pause, and one I/O; then it is the rate. */
static void test_burst(void **state)
{
	struct bed_group *group = start_one();
	u64 sent;

	bed_limit(group, IOBAND_RIOPS, 100, 50, 0);
	bed_backlog(group, IOBAND_READ, 8, 100);
	bed_run(0, DISK_NS);
	bed_run(1 * MS, DISK_NS);
	assert_int_equal(bed_ios(group), 51);
	bed_run(10 * SEC - 1 * MS, DISK_NS);
	assert_in_range(bed_ios(group), 51 + 999, 51 + 1000);
	assert_bound(group, BOTH, false, 100, 50);

	/* A pause of 100 ms makes room for 10 I/Os, a long one for 50. */
	while (group->node.held)
		bed_unhold(container_of(ioband_first_held(&group->node),
					struct bed_io, io));
	bed.in_flight = 0;
	bed.now_ns += 100 * MS;
	sent = bed_ios(group);
	bed_backlog(group, IOBAND_READ, 8, 100);
	bed_run(1 * MS, DISK_NS);
	assert_in_range(bed_ios(group) - sent, 10, 11);
	while (group->node.held)
		bed_unhold(container_of(ioband_first_held(&group->node),
					struct bed_io, io));
	bed.in_flight = 0;
	bed.now_ns += 100 * SEC;
	sent = bed_ios(group);
	bed_backlog(group, IOBAND_READ, 8, 100);
	bed_run(1 * MS, DISK_NS);
	assert_int_equal(bed_ios(group) - sent, 51);
	assert_bound(group, BOTH, false, 100, 50);
}

/* While there is burst left the peak holds, and the average after that. */
static void test_peak(void **state)
{
	struct bed_group *group = start_one();

	bed_limit(group, IOBAND_RIOPS, 100, 900, 1000);
	bed_backlog(group, IOBAND_READ, 8, 32);
	/* 1000 a second for the second in which 900 are used up. */
	bed_run(500 * MS, DISK_NS);
	assert_in_range(bed_ios(group), 500, 501);
	bed_run(9500 * MS, DISK_NS);
	assert_in_range(bed_ios(group), 1900, 1901);
	assert_bound(group, BOTH, false, 100, 900);
	assert_bound(group, BOTH, false, 1000, 0);
}

/* Reads at their limit do not keep writes, and the other way round. */
static void test_directions(void **state)
{
	unsigned int dir;

	for (dir = 0; dir < IOBAND_DIRS; dir++) {
		struct bed_group *group = start_one();

		bed_limit(group, dir ? IOBAND_WIOPS : IOBAND_RIOPS, 10, 0, 0);
		bed_backlog(group, dir, 8, 4);
		bed_backlog(group, !dir, 8, 40);
		bed_run(1 * SEC, DISK_NS);
		assert_in_range(group->ios[dir], 10, 11);
		/* All the rest of the disk. */
		assert_in_range(group->ios[!dir], 99980, 100016 - 10);
	}
}

/* Six limits at once: each holds for itself, and one of them is reached. */
static void test_all_limits(void **state)
{
	struct bed_terms terms = {
		.limits[IOBAND_RBPS]  = { 4000000, 1000000, 0 },
		.limits[IOBAND_WBPS]  = { 3000000, 0, 0 },
		.limits[IOBAND_BPS]   = { 6000000, 100000, 9000000 },
		.limits[IOBAND_RIOPS] = { 1000, 10, 2000 },
		.limits[IOBAND_WIOPS] = { 900, 0, 0 },
		.limits[IOBAND_IOPS]  = { 1200, 100, 0 },
	};
	/* The largest of each. */
	const u64 read = (1 + 7 * 7 * 3) * 512, write = (1 + 7 * 7 * 2) * 512;
	struct bed_group *group = start_one();
	unsigned int i;

	bed_set(group, &terms);
	for (i = 0; i < 8; i++) {
		bed_backlog(group, IOBAND_READ, 1 + i * i * 3, 4);
		bed_backlog(group, IOBAND_WRITE, 1 + i * i * 2, 4);
	}
	bed_run(20 * SEC, DISK_NS);
	/* And one I/O that had to wait for another limit. */
	assert_bound(group, BIT(IOBAND_READ), true, 4000000, 1000000 + read);
	assert_bound(group, BIT(IOBAND_WRITE), true, 3000000, write);
	assert_bound(group, BOTH, true, 6000000, 100000 + read);
	assert_bound(group, BOTH, true, 9000000, read);
	assert_bound(group, BIT(IOBAND_READ), false, 1000, 10 + 1);
	assert_bound(group, BIT(IOBAND_READ), false, 2000, 1);
	assert_bound(group, BIT(IOBAND_WRITE), false, 900, 1);
	assert_bound(group, BOTH, false, 1200, 100 + 1);
	assert_true(bed_bytes(group) >= 20 * 6000000 ||
		    bed_ios(group) >= 20 * 1200);
}

/* A limit of the parent holds for all below, one of a child for itself. */
static void test_two_levels(void **state)
{
	struct bed_group *parent = start_one(), *small, *large;
	u64 sum;

	small = bed_add(parent, 100);
	large = bed_add(parent, 100);
	bed_limit(parent, IOBAND_IOPS, 1000, 0, 0);
	bed_limit(small, IOBAND_IOPS, 100, 0, 0);
	bed_backlog(small, IOBAND_READ, 8, 32);
	bed_backlog(large, IOBAND_READ, 8, 32);
	bed_run(10 * SEC, DISK_NS);
	/* What one may not have the other gets. */
	assert_in_range(bed_ios(small), 1000, 1001);
	sum = bed_ios(small) + bed_ios(large);
	assert_in_range(sum, 10000, 10001);
	assert_bound(small, BOTH, false, 100, 0);

	/* Without its own limit it is their weights. */
	bed_set(small, NULL);
	bed_forget();
	bed_run(10 * SEC, DISK_NS);
	assert_in_range(bed_ios(small), 4999, 5001);
	assert_in_range(bed_ios(large), 4999, 5001);
}

/*
 * Who waits for one limit loses nothing of another: neither the parent's is left unused
 * while children wait for theirs, nor a child's while it waits for the parent's.
 */
static void test_limits_on_a_path(void **state)
{
	static const u64 rates[][3] = {
		{ 60, 30, 20 }, { 37, 41, 29 }, { 89, 11, 3 }, { 70, 70, 70 },
	};
	struct bed_group *parent, *children[3];
	unsigned int i, j;
	u64 sum;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		parent = start_one();
		bed_limit(parent, IOBAND_IOPS, 100, 0, 0);
		for (j = 0; j < 3; j++) {
			children[j] = bed_add(parent, 100);
			bed_limit(children[j], IOBAND_IOPS, rates[i][j], 0, 0);
			bed_backlog(children[j], IOBAND_READ, 8, 4);
		}
		bed_run(100 * SEC, 100 * DISK_NS);
		for (sum = 0, j = 0; j < 3; j++) {
			sum += bed_ios(children[j]);
			assert_true(bed_ios(children[j]) <= 100 * rates[i][j] + 2);
			assert_bound(children[j], BOTH, false, rates[i][j], 1);
		}
		assert_in_range(sum, 9990, 10002);
	}

	/* Nor do the limits of one group. */
	parent = start_one();
	bed_set(parent, &(struct bed_terms) {
		.limits[IOBAND_RIOPS] = { 60, 0, 0 },
		.limits[IOBAND_WIOPS] = { 43, 0, 0 },
		.limits[IOBAND_IOPS] = { 100, 0, 0 },
	});
	bed_backlog(parent, IOBAND_READ, 8, 4);
	bed_backlog(parent, IOBAND_WRITE, 8, 4);
	bed_run(100 * SEC, 100 * DISK_NS);
	assert_in_range(bed_ios(parent), 9990, 10002);
}

/* Weights hold in a direction that is limited above, however busy the other. */
static void test_weights_below_a_limit(void **state)
{
	struct bed_group *parent = start_one(), *reader, *light, *heavy;

	reader = bed_add(parent, 100);
	light = bed_add(parent, 10);
	heavy = bed_add(parent, 90);
	bed_limit(parent, IOBAND_WIOPS, 100, 0, 0);
	bed_backlog(reader, IOBAND_READ, 8, 32);
	bed_backlog(light, IOBAND_WRITE, 8, 32);
	bed_backlog(heavy, IOBAND_WRITE, 8, 32);
	bed_run(10 * SEC, DISK_NS * 10);
	assert_in_range(bed_ios(light) + bed_ios(heavy), 1000, 1001);
	assert_in_range(bed_ios(light), 98, 102);
	assert_in_range(bed_ios(heavy), 898, 902);

	/* And when the limit goes nobody has saved anything up. */
	bed_set(parent, NULL);
	bed_forget();
	bed_run(1 * SEC, DISK_NS * 10);
	assert_in_range(bed_ios(reader), 4980, 5020);
	assert_in_range(bed_ios(light), 490, 510);
	assert_in_range(bed_ios(heavy), 4480, 4520);
}

/* A group at its limit takes nothing from the others' shares, and saves nothing. */
static void test_limit_and_weights(void **state)
{
	struct bed_group *capped = start_one(), *a, *b;

	a = bed_add(NULL, 200);
	b = bed_add(NULL, 100);
	bed_limit(capped, IOBAND_IOPS, 100, 0, 0);
	bed_backlog(capped, IOBAND_READ, 8, 32);
	bed_backlog(a, IOBAND_READ, 8, 32);
	bed_backlog(b, IOBAND_READ, 8, 32);
	bed_run(10 * SEC, 1 * MS);
	assert_in_range(bed_ios(capped), 999, 1001);
	assert_in_range(bed_ios(a), 5990, 6016);
	assert_in_range(bed_ios(b), 2990, 3016);
	bed_set(capped, NULL);
	bed_forget();
	bed_run(4 * SEC, 1 * MS);
	assert_in_range(bed_ios(capped), 998, 1002);
}

static void test_may_pass(void **state)
{
	struct bed_group *parent = start_one(), *child = bed_add(parent, 100);
	struct ioband_io read = { .sectors = 8, .dir = IOBAND_READ };
	struct ioband_io write = { .sectors = 8, .dir = IOBAND_WRITE };
	struct bed_io *held;

	assert_true(ioband_may_pass(&child->node, &read, bed.now_ns));
	bed_limit(parent, IOBAND_RIOPS, 10, 0, 0);
	assert_true(ioband_may_pass(&child->node, &read, bed.now_ns));
	ioband_charge_limits(&bed.sched, &child->node, &read, false, bed.now_ns);
	bed_check();
	assert_false(ioband_may_pass(&child->node, &read, bed.now_ns));
	assert_false(ioband_may_pass(&parent->node, &read, bed.now_ns));
	assert_true(ioband_may_pass(&child->node, &write, bed.now_ns));
	bed.now_ns += 100 * MS - 1;
	assert_false(ioband_may_pass(&child->node, &read, bed.now_ns));
	bed.now_ns += 1;
	assert_true(ioband_may_pass(&child->node, &read, bed.now_ns));

	/* Nobody overtakes what is held, in his own group and direction. */
	held = bed_hold(child, 8);
	assert_false(ioband_may_pass(&child->node, &read, bed.now_ns));
	assert_true(ioband_may_pass(&child->node, &write, bed.now_ns));
	assert_ptr_equal(bed_next(0), held);
	bed.now_ns += 100 * MS;
	assert_true(ioband_may_pass(&child->node, &read, bed.now_ns));

	/* To pass takes no turn: tags are for those who wait. */
	ioband_charge_limits(&bed.sched, &child->node, &read, false, bed.now_ns);
	assert_true(child->node.plain.tag.start[IOBAND_READ] == UNIT / 100);
}

static u64 due_ns(const struct bed_group *group, u64 ios, u64 sectors)
{
	return ioband_due_ns(&bed.sched, &group->node, IOBAND_READ, ios, sectors, bed.now_ns) -
	       bed.now_ns;
}

/* When the next I/O would go after so many: by the limit that lets it go last. */
static void test_due(void **state)
{
	struct bed_group *parent = start_one(), *child = bed_add(parent, 100);
	struct bed_group *sibling = bed_add(parent, 300);
	struct ioband_io read = { .sectors = 8, .dir = IOBAND_READ };

	assert_true(due_ns(child, 1000, 8000) == 0);
	bed_limit(child, IOBAND_RIOPS, 10, 0, 0);
	assert_true(due_ns(child, 0, 0) == 0);
	assert_true(due_ns(child, 5, 40) == 500 * MS);
	ioband_charge_limits(&bed.sched, &child->node, &read, false, bed.now_ns);
	assert_true(due_ns(child, 5, 40) == 600 * MS);
	/* An empty bucket saves nothing. */
	bed.now_ns += 100 * SEC;
	assert_true(due_ns(child, 5, 40) == 500 * MS);

	bed_limit(child, IOBAND_RIOPS, 10, 20, 0);
	assert_true(due_ns(child, 20, 160) == 0);
	assert_true(due_ns(child, 25, 200) == 500 * MS);
	bed_limit(child, IOBAND_RIOPS, 10, 20, 40);
	assert_true(due_ns(child, 20, 160) == 500 * MS);
	bed_limit(child, IOBAND_RBPS, 65536, 0, 0);
	assert_true(due_ns(child, 1, KIB(1024)) == 16 * SEC);

	/* Of what the parent may have, a quarter, once the sibling wants any. */
	bed_limit(child, IOBAND_RBPS, 0, 0, 0);
	bed_limit(parent, IOBAND_RIOPS, 10, 0, 0);
	ioband_node_join(&bed.sched, &child->node, 0, 0);
	assert_true(due_ns(child, 5, 40) == 500 * MS);
	ioband_node_join(&bed.sched, &sibling->node, 0, 0);
	assert_true(due_ns(child, 5, 40) == 2 * SEC);
	/* However little that is. */
	bed_limit(parent, IOBAND_RBPS, 1, 0, 0);
	assert_true((s64)due_ns(child, U32_MAX, U32_MAX) > 0);
}

/* What did not wait is repaid before anything else goes. */
static void test_debt_at_a_limit(void **state)
{
	struct bed_group *parent = start_one(), *child = bed_add(parent, 100);
	struct bed_group *other = bed_add(parent, 100);
	unsigned int i;

	bed_limit(parent, IOBAND_IOPS, 100, 10, 0);
	for (i = 0; i < 60; i++)
		bed_charge(child, IOBAND_WRITE, 8);
	bed_backlog(other, IOBAND_READ, 8, 32);
	/* 10 of 60 are the burst, 50 take 500 ms, and then one may go. */
	bed_run(500 * MS, DISK_NS);
	assert_int_equal(bed_ios(other), 0);
	bed_run(1, DISK_NS);
	assert_int_equal(bed_ios(other), 1);
	bed_run(10 * SEC, DISK_NS);
	assert_in_range(bed_ios(other), 1000, 1001);
}

/* However much did not wait: what comes next waits for a second, and then it is the rate. */
static void test_debt_is_bounded(void **state)
{
	static const u64 bursts[] = { 0, 30 };
	struct bed_group *group;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(bursts); i++) {
		group = start_one();
		bed_limit(group, IOBAND_RIOPS, 50, bursts[i], 0);
		for (j = 0; j < 20000; j++)
			bed_charge(group, IOBAND_READ, 8);
		bed_backlog(group, IOBAND_READ, 8, 100);
		bed_run(1 * SEC, DISK_NS);
		assert_int_equal(bed_ios(group), 0);
		bed_run(1, DISK_NS);
		assert_int_equal(bed_ios(group), 1);
		bed_run(1 * SEC, DISK_NS);
		assert_in_range(bed_ios(group), 50, 51);
	}
}

/* Nor does it ever wait longer, be there more and more that does not. */
static void test_debt_without_end(void **state)
{
	struct bed_group *parent = start_one(), *group = bed_add(parent, 100);
	unsigned int i;

	bed_limit(parent, IOBAND_IOPS, 10, 0, 0);
	bed_backlog(group, IOBAND_READ, 8, 32);
	bed_run(1 * MS, DISK_NS);
	for (i = 0; i < 10000; i++) {
		bed_charge(group, IOBAND_WRITE, 8);
		bed_run(1 * MS, DISK_NS);
	}
	assert_in_range(bed_ios(group), 9, 12);
	/* The second in which none may go ends, and it is the rate again. */
	bed_run(11 * SEC, DISK_NS);
	assert_in_range(bed_ios(group), 109, 123);
}

/* New limits count what was used of the old ones: a change is no present. */
static void test_set_live(void **state)
{
	struct bed_group *group = start_one();
	unsigned int i;

	bed_limit(group, IOBAND_RIOPS, 100, 50, 0);
	bed_backlog(group, IOBAND_READ, 8, 100);
	bed_run(1 * MS, DISK_NS);
	assert_int_equal(bed_ios(group), 51);
	for (i = 0; i < 100; i++) {
		bed_limit(group, IOBAND_RIOPS, 100, 50, 0);
		bed_run(1 * MS, DISK_NS);
	}
	assert_in_range(bed_ios(group), 60, 62);
	assert_bound(group, BOTH, false, 100, 50);

	/* 51 I/Os are 51 I/Os at another rate, too. */
	bed_limit(group, IOBAND_RIOPS, 10, 50, 0);
	bed_forget();
	bed_run(10 * SEC, DISK_NS);
	assert_in_range(bed_ios(group), 100, 102);
}

/* Raised from next to nothing, it need not wait out its last I/O at that rate. */
static void test_raise_live(void **state)
{
	struct bed_group *group = start_one();

	bed_limit(group, IOBAND_BPS, 1, 0, 0);
	bed_backlog(group, IOBAND_READ, KIB(1024), 4);
	bed_run(1 * SEC, DISK_NS);
	assert_int_equal(bed_ios(group), 1);
	bed_limit(group, IOBAND_BPS, 1024 * 1024 * 100, 0, 0);
	bed_run(1 * SEC, DISK_NS);
	assert_in_range(bed_ios(group), 100, 101);
	/* And lowered, it has not got it for nothing. */
	bed_limit(group, IOBAND_BPS, 1024 * 1024, 0, 0);
	bed_forget();
	bed_run(10 * SEC, DISK_NS);
	assert_in_range(bed_ios(group), 9, 11);
	/* No limit: nothing waits, from this moment. */
	bed_set(group, NULL);
	assert_true(ioband_is_ready(&bed.sched));
	assert_non_null(bed_next(0));
}

/* A group whose writes are limited, and a reader and a writer in it for 100 s. */
static struct bed_group *start_limited(struct bed_group **reader,
				       struct bed_group **writer)
{
	struct bed_group *limited;

	bed_start("weight", 1);
	limited = bed_add(NULL, 100);
	*reader = bed_add(limited, 100);
	*writer = bed_add(limited, 100);
	bed_limit(limited, IOBAND_WIOPS, 300, 0, 0);
	bed_backlog(*reader, IOBAND_READ, 8, 4);
	bed_backlog(*writer, IOBAND_WRITE, 8, 4);
	bed_run(100 * SEC, 1 * MS);
	assert_in_range(bed_ios(*writer), 29990, 30010);
	bed_forget();
	return limited;
}

/*
 * What a limit above has kept from the writers, while there was much to share, is
 * not theirs when there is less, and the limit stops them no more.
 */
static void test_limit_saves_nothing(void **state)
{
	struct bed_group *reader, *writer, *other;

	start_limited(&reader, &writer);
	other = bed_add(NULL, 300);
	bed_backlog(other, IOBAND_READ, 8, 4);
	bed_run(10 * SEC, 1 * MS);
	assert_in_range(bed_ios(other), 7490, 7510);
	assert_in_range(bed_ios(reader), 1240, 1260);
	bed_stop();
}

/* Nor when they read. */
static void test_limit_saves_no_reads(void **state)
{
	struct bed_group *reader, *writer;

	start_limited(&reader, &writer);
	bed_backlog(writer, IOBAND_READ, 8, 4);
	bed_run(10 * SEC, 1 * MS);
	assert_in_range(bed_ios(reader), 4980, 5020);
	assert_in_range(bed_ios(writer), 4980, 5020);
	bed_stop();
}

/* Who comes later does not wait until the writers have caught up with the readers. */
static void test_newcomer_below_a_limit(void **state)
{
	struct bed_group *limited, *reader, *writer, *light;

	limited = start_limited(&reader, &writer);
	light = bed_add(limited, 50);
	bed_backlog(light, IOBAND_WRITE, 8, 4);
	bed_run(10 * SEC, 1 * MS);
	assert_in_range(bed_ios(writer), 1990, 2010);
	assert_in_range(bed_ios(light), 990, 1010);
	bed_stop();
}

/* What waits for a limit while the disk becomes contended is not forgotten. */
static void test_restart_while_parked(void **state)
{
	struct bed_group *capped = start_one(), *other = bed_add(NULL, 100);

	bed_backlog(capped, IOBAND_READ, 8, 4);
	bed_backlog(other, IOBAND_READ, 8, 4);
	bed_run(10 * SEC, 1 * MS);
	bed_limit(capped, IOBAND_RIOPS, 1, 0, 0);
	bed_run(50 * MS, 1 * MS);
	assert_int_equal(capped->node.held, 4);
	ioband_sched_restart(&bed.sched);
	bed_check();
	bed_run(10 * MS, 1 * MS);
	bed_set(capped, NULL);
	bed_forget();
	bed_run(1 * SEC, 1 * MS);
	assert_in_range(bed_ios(capped), 499, 510);
	assert_in_range(bed_ios(other), 490, 501);
}

/* How long an I/O was kept by limits is told, and no more than it waited. */
static void test_limited_ns(void **state)
{
	struct bed_group *parent = start_one(), *child = bed_add(parent, 100);
	struct bed_group *elsewhere = bed_add(NULL, 100);
	struct bed_io *first, *second;

	bed_limit(child, IOBAND_RIOPS, 10, 0, 0);
	bed_limit(parent, IOBAND_RIOPS, 10, 0, 0);
	first = bed_hold(child, 8);
	second = bed_hold(child, 8);
	assert_ptr_equal(bed_next(0), first);
	assert_true(first->io.limited_ns == 0);
	assert_null(bed_next(0));
	bed.now_ns += 100 * MS;
	assert_null(bed_next(100));
	bed.now_ns += 50 * MS;
	assert_ptr_equal(bed_next(0), second);
	assert_true(second->io.limited_ns == 100 * MS);

	/* Both at once, and then moved to where there is no limit. */
	bed_hold_io(first);
	bed_hold(parent, 8);
	assert_null(bed_next(0));
	bed.now_ns += 10 * MS;
	bed_move(child, elsewhere);
	bed_set(child, NULL);
	assert_ptr_equal(bed_next(0), first);
	assert_true(first->io.limited_ns <= 10 * MS);
}

/* One that is taken back tells it, too, whoever lets it go. */
static void test_limited_unheld(void **state)
{
	struct bed_group *group = start_one();
	struct bed_io *io;

	bed_limit(group, IOBAND_RIOPS, 1, 0, 0);
	bed_backlog(group, IOBAND_READ, 8, 1);
	assert_non_null(bed_next(0));
	io = bed_hold(group, 8);
	assert_null(bed_next(0));
	bed.now_ns += 250 * MS;
	bed_unhold(io);
	assert_true(io->io.limited_ns == 250 * MS);
	assert_true(io->io.graced_ns == 0);
}

/* The largest figures that there may be do not overflow. */
static void test_extremes(void **state)
{
	static const u64 rates[] = { 1, 2, 1000, IOBAND_RATE_MAX };
	static const u64 bursts[] = { 0, 1, IOBAND_RATE_MAX, U64_MAX };
	struct bed_group *group;
	unsigned int i, j, k;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		for (j = 0; j < ARRAY_SIZE(bursts); j++) {
			group = start_one();
			bed_limit(group, IOBAND_BPS, rates[i], bursts[j],
				  IOBAND_RATE_MAX);
			bed_backlog(group, IOBAND_WRITE, U32_MAX, 3);
			assert_non_null(bed_next(0));
			/* At a rate of 1 the first is more than 73 years. */
			bed.now_ns += 1 * MS;
			if (bursts[j] > U32_MAX && rates[i] > 1)
				assert_non_null(bed_next(0));
			else
				bed_next(0);
			while (group->node.held)
				bed_unhold(container_of(
					ioband_first_held(&group->node),
					struct bed_io, io));
			/* Owed for long, but never so long that time turns. */
			for (k = 0; k < 100; k++)
				bed_charge(group, IOBAND_WRITE, U32_MAX);
		}
	}
}

/*
 * A parent at its limit with a thousand children: what an event costs does not
 * grow with their number, but for the depth of the heaps.
 */
static u64 steps_per_io(unsigned int children)
{
	struct bed_group *parent = start_one();
	u64 steps, ios;
	unsigned int i;

	bed.unchecked = true;
	bed_limit(parent, IOBAND_IOPS, 1000, 0, 0);
	for (i = 0; i < children; i++) {
		struct bed_group *child = bed_add(parent, 100);

		/* Half of them at a limit of their own, too. */
		if (i & 1)
			bed_limit(child, IOBAND_IOPS, 1, 0, 0);
		bed_backlog(child, i & 2 ? IOBAND_READ : IOBAND_WRITE, 8, 2);
	}
	bed_run(3 * SEC, DISK_NS);
	steps = ioband_shim_steps;
	ios = bed.nr_sent;
	bed_run(10 * SEC, DISK_NS);
	steps = ioband_shim_steps - steps;
	ios = bed.nr_sent - ios;
	assert_in_range(ios, 9999, 10001);
	assert_true(steps > 0);
	bed.unchecked = false;
	bed_check();
	return steps / ios;
}

static void test_many_children(void **state)
{
	u64 few = steps_per_io(16), many = steps_per_io(1024);

	if (many > 3 * few)
		fail_msg("%llu steps per I/O with 16 children, %llu with 1024",
			 (unsigned long long)few, (unsigned long long)many);
}

/*
 * An I/O that may go waits for the disk; the next was there all the time, and goes as
 * if this one had gone in time. At 40 a second, each 2.5 ms late; or each one only sent
 * when the last was done.
 */
static u64 served_late_ns(bool waits)
{
	struct ioband_rate limits[IOBAND_LIMITS] = {
		[IOBAND_IOPS] = { .rate = 40 },
	};
	u64 began_ns = NSEC_PER_SEC, now_ns = began_ns, since_ns;
	struct ioband_terms terms;
	unsigned int i;

	ioband_terms_init(&terms, limits, 0, false, 0);
	for (i = 0; i < 4000; i++) {
		now_ns = ioband_terms_open_ns(&terms, IOBAND_READ, now_ns);
		since_ns = now_ns;
		now_ns += 2500 * NSEC_PER_USEC;
		ioband_terms_charge(&terms, IOBAND_READ, 1, 8,
				    waits ? since_ns : now_ns, now_ns);
	}
	return now_ns - began_ns;
}

static void test_late_service(void **state)
{
	assert_in_range(served_late_ns(true) / NSEC_PER_SEC, 99, 100);
	assert_in_range(served_late_ns(false) / NSEC_PER_SEC, 109, 110);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late_service),
		cmocka_unit_test(test_long_run),
		cmocka_unit_test(test_equal_distances),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_peak),
		cmocka_unit_test(test_directions),
		cmocka_unit_test(test_limit_saves_nothing),
		cmocka_unit_test(test_limit_saves_no_reads),
		cmocka_unit_test(test_newcomer_below_a_limit),
		cmocka_unit_test(test_all_limits),
		cmocka_unit_test(test_two_levels),
		cmocka_unit_test(test_limits_on_a_path),
		cmocka_unit_test(test_weights_below_a_limit),
		cmocka_unit_test(test_limit_and_weights),
		cmocka_unit_test(test_may_pass),
		cmocka_unit_test(test_due),
		cmocka_unit_test(test_debt_at_a_limit),
		cmocka_unit_test(test_debt_is_bounded),
		cmocka_unit_test(test_debt_without_end),
		cmocka_unit_test(test_set_live),
		cmocka_unit_test(test_raise_live),
		cmocka_unit_test(test_restart_while_parked),
		cmocka_unit_test(test_limited_ns),
		cmocka_unit_test(test_limited_unheld),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_many_children),
	};
	int failed = cmocka_run_group_tests_name("terms", tests, NULL, NULL);

	bed_stop();
	return failed;
}
