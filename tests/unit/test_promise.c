// SPDX-License-Identifier: GPL-2.0-only
/*
 * Minimums and latency targets: what a group gets whatever the others want.
 */
#include "bed.h"

enum {
	SERVICE_NS = 1000000,	/* a disk of 1000 I/Os a second */
};

static struct bed_group *poor;

/* A group of weight 1 with @terms, and @nr others of weight 100, all busy. */
static void start(const struct bed_terms *terms, unsigned int nr)
{
	bed_start("weight", 8);
	bed.log = true;
	poor = bed_add(NULL, 1);
	bed_set(poor, terms);
	while (nr--)
		bed_backlog(bed_add(NULL, 100), IOBAND_READ, 8, 32);
}

static void stop(struct bed_group *group)
{
	struct ioband_io *io;
	unsigned int i;

	while ((io = ioband_first_held(&group->node)))
		bed_unhold(container_of(io, struct bed_io, io));
	for (i = 0; i < bed.nr_ios; i++)
		if (bed.ios[i]->group == group)
			bed.ios[i]->again = false;
}

/* In every window of @window_ns it had the minimum, less one for either end. */
static void assert_in_windows(u64 window_ns, u64 from_ns, u64 per_second,
			      u64 slack)
{
	u64 least = per_second * window_ns / SEC, end_ns = bed.now_ns;
	unsigned int i, j = 0, k, in_window = 0;

	/* Windows that begin just after an I/O are the poorest. */
	for (i = 0; i < bed.nr_sent; i++) {
		if (bed.sent[i].group != poor || bed.sent[i].at_ns < from_ns)
			continue;
		if (bed.sent[i].at_ns + window_ns > end_ns)
			break;
		in_window = 0;
		for (k = i + 1; k < bed.nr_sent &&
		     bed.sent[k].at_ns <= bed.sent[i].at_ns + window_ns; k++)
			in_window += bed.sent[k].group == poor;
		j++;
		if (in_window + 1 + slack < least)
			fail_msg("%u I/Os in a window of %llu ns, %llu promised",
				 in_window, (unsigned long long)window_ns,
				 (unsigned long long)least);
	}
	assert_true(j > 0);
}

/* 200 a second at weight 1 against 16 of weight 100, and no more than 1 % more. */
static void test_minimum(void **state)
{
	static const u64 rates[] = { 50, 200, 700 };
	unsigned int i, g;
	u64 least, most;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		start(&(struct bed_terms){ .min_rate = rates[i],
					   .min_is_ios = true }, 16);
		bed_backlog(poor, IOBAND_READ, 8, 32);
		/* Whoever begins has 100 ms of his minimum to make up for. */
		bed_run(1 * SEC, SERVICE_NS);
		bed_forget();
		bed_run(10 * SEC, SERVICE_NS);
		assert_in_range(bed_ios(poor), 10 * rates[i],
				10 * rates[i] * 101 / 100);
		assert_in_windows(1 * SEC, 0, rates[i], 0);
		assert_in_windows(SEC / 10, 0, rates[i], 0);
		assert_true(poor->terms->unmet_ns == 0);
		/* The others go on sharing the rest equally. */
		least = U64_MAX;
		most = 0;
		for (g = 1; g < bed.nr_groups; g++) {
			least = min(least, bed_ios(bed.groups[g]));
			most = max(most, bed_ios(bed.groups[g]));
		}
		assert_in_range(most - least, 0, 2);
	}
}

/* In bytes, with I/Os of all sizes. */
static void test_minimum_in_bytes(void **state)
{
	start(&(struct bed_terms){ .min_rate = 10000000 }, 16);
	bed_backlog(poor, IOBAND_READ, 8, 10);
	bed_backlog(poor, IOBAND_WRITE, 256, 10);
	bed_backlog(poor, IOBAND_READ, 100, 10);
	bed_run(20 * SEC, SERVICE_NS);
	assert_in_range(bed_bytes(poor), 200000000 - 131072,
			202000000 + 131072);
}

/* What its weight gives it is no extra: a minimum below that changes nothing. */
static void test_minimum_is_no_extra(void **state)
{
	start(&(struct bed_terms){ .min_rate = 200, .min_is_ios = true }, 1);
	ioband_node_set_weight(&bed.sched, &poor->node, 100);
	bed_backlog(poor, IOBAND_READ, 8, 32);
	bed_run(10 * SEC, SERVICE_NS);
	assert_in_range(bed_ios(poor), 4990, 5010);
}

/* What it did not want is not kept for it. */
static void test_minimum_is_not_hoarded(void **state)
{
	unsigned int round;

	start(&(struct bed_terms){ .min_rate = 200, .min_is_ios = true }, 16);
	for (round = 0; round < 3; round++) {
		bed_run(10 * SEC, SERVICE_NS);
		bed_forget();
		bed_backlog(poor, IOBAND_READ, 8, 32);
		/* 100 ms of its minimum may be made up for. */
		bed_run(1 * SEC, SERVICE_NS);
		assert_in_range(bed_ios(poor), 200, 222 + 1);
		stop(poor);
		bed_run(1 * SEC, SERVICE_NS);
	}
}

/* What it got beyond its minimum while there was plenty is not held against it. */
static void test_minimum_after_plenty(void **state)
{
	unsigned int i;

	start(&(struct bed_terms){ .min_rate = 200, .min_is_ios = true }, 0);
	bed_backlog(poor, IOBAND_READ, 8, 32);
	bed_run(10 * SEC, SERVICE_NS);
	assert_in_range(bed_ios(poor), 9999, 10008);
	for (i = 0; i < 16; i++)
		bed_backlog(bed_add(NULL, 100), IOBAND_READ, 8, 32);
	bed_forget();
	bed_run(100 * MS, SERVICE_NS);
	assert_in_range(bed_ios(poor), 19, 22);
}

/* Slow senders, one I/O at a time, below their minimum: never do they wait. */
static void test_minimum_of_a_modest_group(void **state)
{
	unsigned int i;

	start(&(struct bed_terms){ .min_rate = 100, .min_is_ios = true }, 16);
	bed_run(1 * SEC, SERVICE_NS);
	bed_forget();
	for (i = 0; i < 100; i++) {
		bed_hold(poor, 8);
		bed_run(2 * SERVICE_NS, SERVICE_NS);
		assert_int_equal(bed_ios(poor), i + 1);
		bed_run(18 * MS, SERVICE_NS);
	}
}

/*
 * Who sends the next I/O when the last is done has nothing to send in between, and
 * yet it is not his doing if he does not get his minimum. It is if he pauses.
 */
static void test_minimum_of_one_at_a_time(void **state)
{
	static const struct {
		unsigned int others;
		u64 pause_ns;
		u64 least_ios, most_ios;
		u64 least_unmet_ns, most_unmet_ns;
	} rows[] = {
		/* All of 13 get 77 of 100. */
		{ 12, 0, 2290, 2320, 5900 * MS, 6200 * MS },
		{ 8, 0, 3000, U64_MAX, 0, 0 },
		{ 8, 300 * MS, 98, 100, 0, 0 },
	};
	struct bed_terms terms = { .min_rate = 100, .min_is_ios = true };
	unsigned int i, g, nr;
	u64 end_ns;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		start(&terms, 0);
		for (g = 0; g < rows[i].others; g++) {
			struct bed_group *other = bed_add(NULL, 1);

			bed_set(other, &terms);
			bed_backlog(other, IOBAND_READ, 8, 32);
		}
		end_ns = bed.now_ns + 30 * SEC;
		if (!rows[i].pause_ns) {
			bed_backlog(poor, IOBAND_READ, 8, 1);
			bed_run(30 * SEC, SERVICE_NS);
		}
		while (bed.now_ns < end_ns) {
			nr = bed_ios(poor);
			bed_hold(poor, 8);
			while (bed_ios(poor) == nr)
				bed_run(SERVICE_NS + 1, SERVICE_NS);
			bed_run(rows[i].pause_ns + SERVICE_NS + 1, SERVICE_NS);
		}
		assert_in_range(bed_ios(poor), rows[i].least_ios, rows[i].most_ios);
		assert_in_range(poor->terms->unmet_ns, rows[i].least_unmet_ns,
				rows[i].most_unmet_ns);
	}
}

/* A minimum that is set anew was not missed before that. */
static void test_minimum_of_another_kind(void **state)
{
	static const struct bed_terms terms[] = {
		{ .min_rate = 100, .min_is_ios = true },
		{ .min_rate = 100 * 4096 },
		{ .latency_ns = 100 * MS },
		{ .min_rate = 100, .min_is_ios = true },
	};
	unsigned int i;

	start(&terms[0], 4);
	bed_backlog(poor, IOBAND_READ, 8, 32);
	for (i = 0; i < ARRAY_SIZE(terms); i++) {
		bed_set(poor, &terms[i]);
		bed_run(3 * SEC, SERVICE_NS);
		assert_int_equal(poor->terms->unmet_ns, 0);
	}
}

/* Nor one of a group whose only I/O was at the disk when it was set. */
static void test_minimum_amid_an_io(void **state)
{
	static const struct bed_terms none = { .latency_ns = SEC };
	static const struct bed_terms terms = { .min_rate = 50, .min_is_ios = true };
	struct bed_group *second;
	unsigned int i;

	start(&none, 2);
	second = bed_add(NULL, 100);
	bed_backlog(poor, IOBAND_READ, 8, 1);
	bed_backlog(second, IOBAND_READ, 8, 1);
	bed_run(10 * SEC, SERVICE_NS);
	bed_set(second, &terms);
	for (i = 0; i < 20; i++) {
		bed_set(poor, &terms);
		bed_run(2 * SEC, SERVICE_NS);
		assert_int_equal(poor->terms->unmet_ns, 0);
		assert_int_equal(second->terms->unmet_ns, 0);
		bed_set(poor, &none);
		bed_run(2 * SEC + i * MS, SERVICE_NS);
	}
}

/* Who thinks longer than his minimum leaves him time for has got all he wanted. */
static void test_minimum_of_one_who_thinks(void **state)
{
	u64 end_ns;

	start(&(struct bed_terms){ .min_rate = 200, .min_is_ios = true }, 0);
	end_ns = bed.now_ns + 30 * SEC;
	while (bed.now_ns < end_ns) {
		bed_hold(poor, 8);
		bed_run(4 * MS + 1, 4 * MS);
		bed_run(7 * MS, 4 * MS);
		/* What the disk takes for an I/O, and four times how that varies. */
		bed.sched.service_ns = 12 * MS;
	}
	assert_int_equal(poor->terms->unmet_ns, 0);
	assert_in_range(bed.now_ns - poor->terms->min.empty_ns, 0, 120 * MS);
}

/* Two that fit both get theirs; whose do not is told. */
static void test_minimums_that_do_not_fit(void **state)
{
	struct bed_group *second;
	struct bed_terms terms = { .min_rate = 450, .min_is_ios = true };

	start(&terms, 4);
	second = bed_add(NULL, 1);
	bed_set(second, &terms);
	bed_backlog(poor, IOBAND_READ, 8, 32);
	bed_backlog(second, IOBAND_READ, 8, 32);
	bed_run(20 * SEC, SERVICE_NS);
	assert_in_range(bed_ios(poor), 9000, 9090);
	assert_in_range(bed_ios(second), 9000, 9090);
	assert_true(!poor->terms->unmet_ns && !second->terms->unmet_ns);

	/* A disk of half the speed: a bit more than half of either is missing. */
	bed_run(20 * SEC, 2 * SERVICE_NS);
	bed_forget();
	poor->terms->unmet_ns = 0;
	bed_run(20 * SEC, 2 * SERVICE_NS);
	assert_in_range(bed_ios(poor), 4990, 5010);
	assert_in_range(bed_ios(second), 4990, 5010);
	/* 250 of 452 I/Os a second: 0.447 s of each second. */
	assert_in_range(poor->terms->unmet_ns, 8900 * MS, 9000 * MS);

	/* When the disk is fast again, no more than a second is made up for. */
	bed_forget();
	bed_run(20 * SEC, SERVICE_NS);
	assert_in_range(bed_ios(poor), 9000, 9090 + 460);
}

/* A limit above it comes first, and nobody loops or sleeps for ever. */
static void test_minimum_above_a_limit(void **state)
{
	struct bed_group *parent, *child, *sibling;

	bed_start("weight", 8);
	parent = bed_add(NULL, 100);
	child = bed_add(parent, 1);
	sibling = bed_add(parent, 100);
	bed_limit(parent, IOBAND_IOPS, 100, 0, 0);
	bed_set(child, &(struct bed_terms){ .min_rate = 500,
					    .min_is_ios = true });
	bed_backlog(child, IOBAND_READ, 8, 8);
	bed_backlog(sibling, IOBAND_READ, 8, 8);
	bed_backlog(bed_add(NULL, 100), IOBAND_READ, 8, 32);
	bed_run(10 * SEC, SERVICE_NS);
	assert_in_range(bed_ios(child) + bed_ios(sibling), 1000, 1001);
	assert_in_range(bed_ios(child), 990, 1001);
	assert_true(child->terms->unmet_ns > 0);

	/* A limit of its own, too. */
	bed_set(child, &(struct bed_terms){
		.min_rate = 500, .min_is_ios = true,
		.limits[IOBAND_IOPS] = { 30, 1, 0 },
	});
	bed_forget();
	bed_run(10 * SEC, SERVICE_NS);
	assert_in_range(bed_ios(child), 299, 302);
	assert_in_range(bed_ios(child) + bed_ios(sibling), 999, 1001);
}

/* The direction that is free first decides, not the one that is free last. */
static void test_minimum_below_two_limits(void **state)
{
	struct bed_group *parent, *child, *sibling;

	bed_start("weight", 8);
	parent = bed_add(NULL, 100);
	child = bed_add(parent, 1);
	sibling = bed_add(parent, 100);
	bed_set(parent, &(struct bed_terms){
		.limits[IOBAND_RIOPS] = { 100, 0, 0 },
		.limits[IOBAND_WBPS] = { 1, 0, 0 },
	});
	bed_set(child, &(struct bed_terms){ .min_rate = 50,
					    .min_is_ios = true });
	bed_hold_write(sibling, 8);
	bed_backlog(sibling, IOBAND_READ, 8, 32);
	bed_run(1 * SEC, SERVICE_NS);
	bed_hold_write(child, 8);
	bed_backlog(child, IOBAND_READ, 8, 32);
	bed_forget();
	/* Once a second the minimum's group is looked at anew by nobody. */
	bed_run(10 * SEC, SERVICE_NS);
	assert_in_range(bed_ios(child), 500, 512);
}

/* Children share what their parent's minimum brings, by weight. */
static void test_minimum_of_an_inner_group(void **state)
{
	struct bed_group *light, *heavy;

	start(&(struct bed_terms){ .min_rate = 400, .min_is_ios = true }, 16);
	light = bed_add(poor, 100);
	heavy = bed_add(poor, 300);
	bed_backlog(light, IOBAND_READ, 8, 16);
	bed_backlog(heavy, IOBAND_WRITE, 8, 16);
	/* Whoever begins has 100 ms of his minimum to make up for. */
	bed_run(1 * SEC, SERVICE_NS);
	bed_forget();
	bed_run(10 * SEC, SERVICE_NS);
	assert_in_range(bed_ios(light), 1000, 1012);
	assert_in_range(bed_ios(heavy), 3000, 3032);
}

/* Served out of turn for long, it has its share as soon as nobody forbids it. */
static void test_minimum_costs_no_turns(void **state)
{
	start(&(struct bed_terms){ .min_rate = 500, .min_is_ios = true }, 1);
	bed_backlog(poor, IOBAND_READ, 8, 32);
	bed_run(100 * SEC, SERVICE_NS);
	bed_set(poor, NULL);
	ioband_node_set_weight(&bed.sched, &poor->node, 100);
	bed_forget();
	bed_run(1 * SEC, SERVICE_NS);
	/* As 16 of its own I/Os at most, so many it may have to wait for. */
	assert_in_range(bed_ios(poor), 500 - 17, 501);
}

/* How long after its arrival each I/O of the group was sent, at most. */
static u64 longest_wait_ns(const struct bed_group *group)
{
	u64 longest = 0;
	unsigned int i;

	for (i = 0; i < bed.nr_sent; i++)
		if (bed.sent[i].group == group)
			longest = max(longest, bed.sent[i].at_ns -
					       bed.sent[i].arrival_ns);
	return longest;
}

/* A reader of one I/O at a time is back within its target. */
static void test_latency(void **state)
{
	unsigned int i;

	start(&(struct bed_terms){ .latency_ns = 20 * MS }, 16);
	bed.sched.service_ns = 8 * MS;
	bed_run(1 * SEC, SERVICE_NS);
	bed_forget();
	for (i = 0; i < 100; i++) {
		bed_hold(poor, 8);
		bed_run(30 * MS, SERVICE_NS);
		assert_int_equal(bed_ios(poor), i + 1);
	}
	/* 12 ms until it has to go, and until the disk has room. */
	assert_in_range(longest_wait_ns(poor), 0, 12 * MS + SERVICE_NS);

	/* Without the target it waits for 16 times 100 others. */
	bed_set(poor, NULL);
	bed_forget();
	bed_hold(poor, 8);
	bed_run(100 * MS, SERVICE_NS);
	assert_int_equal(bed_ios(poor), 0);
}

/* One I/O per target is promised: the rest comes by weight. */
static void test_latency_is_no_throughput(void **state)
{
	start(&(struct bed_terms){ .latency_ns = 20 * MS }, 16);
	bed.sched.service_ns = 10 * MS;
	bed_backlog(poor, IOBAND_READ, 8, 32);
	bed_run(10 * SEC, SERVICE_NS);
	/* One every 10 ms, or every 11 when the disk is late. */
	assert_in_range(bed_ios(poor), 10000 / 11, 1007);
}

/* Of several targets the most urgent goes first; a target not to be met goes now. */
static void test_latency_order(void **state)
{
	struct bed_group *strict, *lax, *hopeless;

	bed_start("weight", 1);
	lax = bed_add(NULL, 100);
	strict = bed_add(NULL, 1);
	hopeless = bed_add(NULL, 1);
	bed.sched.service_ns = 5 * MS;
	bed_set(lax, &(struct bed_terms){ .latency_ns = 20 * MS });
	bed_set(strict, &(struct bed_terms){ .latency_ns = 10 * MS });
	bed_set(hopeless, &(struct bed_terms){ .latency_ns = 1 * MS });
	bed_backlog(bed_add(NULL, 10000), IOBAND_READ, 8, 4);
	bed_serve(10);
	bed_hold(lax, 8);
	bed_hold(strict, 8);
	bed.now_ns += 100 * MS;
	bed_hold(hopeless, 8);
	assert_ptr_equal(bed_next_group(), strict);
	assert_ptr_equal(bed_next_group(), lax);
	assert_ptr_equal(bed_next_group(), hopeless);
}

/* A limit above is kept, whatever the target. */
static void test_latency_below_a_limit(void **state)
{
	struct bed_group *parent, *child, *sibling;

	bed_start("weight", 8);
	bed.log = true;
	parent = bed_add(NULL, 100);
	child = bed_add(parent, 1);
	sibling = bed_add(parent, 10000);
	bed_limit(parent, IOBAND_IOPS, 100, 0, 0);
	bed_set(child, &(struct bed_terms){ .latency_ns = 5 * MS });
	bed_backlog(child, IOBAND_READ, 8, 4);
	bed_backlog(child, IOBAND_WRITE, 8, 4);
	bed_backlog(sibling, IOBAND_READ, 8, 8);
	bed_run(10 * SEC, SERVICE_NS);
	assert_in_range(bed_ios(child) + bed_ios(sibling), 1000, 1001);
	assert_in_range(bed_ios(child), 990, 1001);
}

/*
 * What a group sends itself for its target has gone out of turn: neither may its
 * children lose their places for it, nor the group its own.
 */
static void test_latency_of_an_inner_group(void **state)
{
	struct bed_group *top, *light, *heavy;

	bed_start("weight", 1);
	top = bed_add(NULL, 100);
	light = bed_add(top, 100);
	heavy = bed_add(top, 900);
	bed_set(top, &(struct bed_terms){ .latency_ns = 4 * MS });
	bed_backlog(top, IOBAND_READ, 8, 4);
	bed_backlog(light, IOBAND_READ, 8, 4);
	bed_backlog(heavy, IOBAND_READ, 8, 4);
	bed_run(12 * SEC, SERVICE_NS);
	/* Every fourth or fifth I/O is its own, and 1:9 of the rest. */
	assert_in_range(bed_ios(top), 12000 / 5, 12000 / 4 + 1);
	assert_in_range(bed_ios(light) * 9, bed_ios(heavy) - 20,
			bed_ios(heavy) + 20);
	bed_set(top, NULL);
	bed_forget();
	bed_run(11 * SEC, SERVICE_NS);
	assert_in_range(bed_ios(top), 1000 - 17, 1001);
	assert_in_range(bed_ios(light), 999, 1003);
}

/* Class, weight and all turns come after what was promised. */
static void test_promise_before_class(void **state)
{
	start(&(struct bed_terms){ .min_rate = 100, .min_is_ios = true,
				   .latency_ns = 50 * MS }, 2);
	ioband_node_set_class(&bed.sched, &poor->node, IOBAND_IDLE, bed.now_ns);
	ioband_node_set_class(&bed.sched, &bed.groups[1]->node, IOBAND_RT,
			      bed.now_ns);
	bed_backlog(poor, IOBAND_READ, 8, 4);
	bed_run(10 * SEC, SERVICE_NS);
	assert_in_range(bed_ios(poor), 1000, 1010);
	assert_int_equal(bed_ios(bed.groups[2]), 0);
}

/* Nor does it after something that could not wait for a turn. */
static void test_minimum_after_urgent(void **state)
{
	struct bed_group *poor, *rich;

	bed_start("weight", 1);
	poor = bed_add(NULL, 1);
	rich = bed_add(NULL, 100);
	bed_set(poor, &(struct bed_terms){ .min_rate = 500, .min_is_ios = true });
	bed_backlog(poor, IOBAND_READ, 8, 32);
	bed_backlog(rich, IOBAND_READ, 8, 32);
	bed_run(SEC, MS);
	bed_charge(poor, IOBAND_READ, 8);
	bed_run(60 * SEC, MS);
	bed_set(poor, NULL);
	ioband_node_set_weight(&bed.sched, &poor->node, 100);
	bed_forget();
	bed_run(10 * SEC, MS);
	assert_in_range(bed_ios(poor), 4900, 5100);
}

/* A small I/O that is served before its turn forgives no large one. */
static void test_latency_forgives_no_size(void **state)
{
	struct bed_group *mixed, *large;
	struct bed_io *io;
	unsigned int i;
	u64 end_ns;

	bed_start("weight-iosize", 1);
	bed.sched.service_ns = 10 * MS;
	mixed = bed_add(NULL, 10);
	large = bed_add(NULL, 100);
	bed_set(mixed, &(struct bed_terms){ .latency_ns = 25 * MS });
	for (i = 0; i < 64; i++) {
		io = bed_new(mixed, IOBAND_READ, i % 5 ? 8 : 2048);
		io->again = true;
		bed_hold_io(io);
	}
	bed_backlog(large, IOBAND_READ, 2048, 32);
	for (end_ns = bed.now_ns + 60 * SEC; bed.now_ns < end_ns; ) {
		io = bed_next(0);
		bed.now_ns += 100000 + (u64)io->io.sectors * 5000;
		bed_hold_io(io);
	}
	assert_true(mixed->cost * 100 < (mixed->cost + large->cost) * 20);
}

/* That a limit above it is gone is noticed at once. */
static void test_minimum_when_a_limit_goes(void **state)
{
	struct bed_group *limited, *promised, *other;
	unsigned int i;

	bed_start("weight", 1);
	limited = bed_add(NULL, 100);
	promised = bed_add(limited, 100);
	other = bed_add(limited, 100);
	ioband_node_set_class(&bed.sched, &promised->node, IOBAND_IDLE, bed.now_ns);
	bed_set(promised, &(struct bed_terms){ .min_rate = 100, .min_is_ios = true });
	bed_limit(limited, IOBAND_IOPS, 1, 0, 0);
	bed_backlog(promised, IOBAND_READ, 8, 4);
	bed_backlog(other, IOBAND_READ, 8, 32);
	bed_backlog(bed_add(NULL, 100), IOBAND_READ, 8, 32);
	for (i = 0; i < 3600; i++)
		bed_charge(other, IOBAND_READ, 8);
	bed_run(10 * SEC, MS);
	bed_set(limited, NULL);
	bed_forget();
	bed_run(10 * SEC, MS);
	assert_true(bed_ios(promised) >= 990);
}

/* Who has missed its target and then wants nothing is not slowed down for by others. */
static void test_squeeze_forgets(void **state)
{
	const struct bed_terms target = { .latency_ns = MS };
	struct bed_group *idle, *other;
	unsigned int i;

	bed_start("weight", 8);
	idle = bed_add(NULL, 100);
	bed_set(idle, &target);
	other = bed_add(NULL, 100);
	bed_set(other, &target);
	for (i = 0; i < 30; i++) {
		bed.now_ns += IOBAND_SQUEEZE_TICK_NS;
		if (i < 10)
			ioband_squeeze_note(&bed.sched, idle->terms, 10, 5, bed.now_ns);
		else
			ioband_squeeze_rest(idle->terms);
		ioband_squeeze_note(&bed.sched, other->terms, 100, 0, bed.now_ns);
		ioband_squeeze_tick(&bed.sched, bed.now_ns);
		if (i >= 5 && i < 10)
			assert_true(bed.sched.squeeze.is_on);
	}
	assert_false(bed.sched.squeeze.is_on);
	/* The next that is late begins it anew. */
	ioband_squeeze_note(&bed.sched, idle->terms, 1, 1, bed.now_ns);
	ioband_squeeze_tick(&bed.sched, bed.now_ns);
	assert_true(bed.sched.squeeze.is_on);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_minimum),
		cmocka_unit_test(test_minimum_in_bytes),
		cmocka_unit_test(test_minimum_is_no_extra),
		cmocka_unit_test(test_minimum_is_not_hoarded),
		cmocka_unit_test(test_minimum_after_plenty),
		cmocka_unit_test(test_minimum_of_a_modest_group),
		cmocka_unit_test(test_minimum_of_one_at_a_time),
		cmocka_unit_test(test_minimum_of_another_kind),
		cmocka_unit_test(test_minimum_amid_an_io),
		cmocka_unit_test(test_minimum_of_one_who_thinks),
		cmocka_unit_test(test_minimums_that_do_not_fit),
		cmocka_unit_test(test_minimum_above_a_limit),
		cmocka_unit_test(test_minimum_below_two_limits),
		cmocka_unit_test(test_minimum_of_an_inner_group),
		cmocka_unit_test(test_minimum_costs_no_turns),
		cmocka_unit_test(test_minimum_after_urgent),
		cmocka_unit_test(test_latency_forgives_no_size),
		cmocka_unit_test(test_minimum_when_a_limit_goes),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_latency_is_no_throughput),
		cmocka_unit_test(test_latency_order),
		cmocka_unit_test(test_latency_below_a_limit),
		cmocka_unit_test(test_latency_of_an_inner_group),
		cmocka_unit_test(test_promise_before_class),
		cmocka_unit_test(test_squeeze_forgets),
	};
	int failed = cmocka_run_group_tests_name("promise", tests, NULL, NULL);

	bed_stop();
	return failed;
}
