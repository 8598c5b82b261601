// SPDX-License-Identifier: GPL-2.0-only
/*
 * What groups may send between two looks at the order.
 */
#include "bed.h"

static struct bed_group *heavy, *light;

/* Weights 300 and 100 on a disk that does 16 I/Os in the time of a grant. */
static void begin(void)
{
	bed_start("weight", 8);
	bed.sched.grant = 16;
	heavy = bed_add(NULL, 300);
	light = bed_add(NULL, 100);
	bed_backlog(heavy, IOBAND_READ, 8, 500);
	bed_backlog(light, IOBAND_READ, 8, 500);
}

/* How many of its own a group sends as its tasks come, up to @most. */
static unsigned int own(struct bed_group *group, unsigned int most)
{
	unsigned int nr = 0;

	while (nr < most && bed_next_own(group, 0))
		nr++;
	return nr;
}

/* The turn of each comes once, in either order. */
static void take_turns(void)
{
	while (!heavy->node.granted || !light->node.granted)
		assert_non_null(bed_next(0));
}

/* Nobody has a grant before its turn; then it is the group's part, and no less than 4. */
static void test_size(void **state)
{
	struct bed_group *group;
	unsigned int i;

	begin();
	assert_int_equal(own(heavy, 1), 0);
	take_turns();
	assert_int_equal(heavy->node.granted, 12);
	assert_int_equal(light->node.granted, 4);

	/* The same below a group, of its part. */
	bed_start("weight", 8);
	bed.sched.grant = 64;
	heavy = bed_add(NULL, 100);
	light = bed_add(heavy, 300);
	group = bed_add(heavy, 100);
	bed_backlog(light, IOBAND_READ, 8, 100);
	bed_backlog(group, IOBAND_READ, 8, 100);
	while (!light->node.granted || !group->node.granted)
		assert_non_null(bed_next(0));
	assert_int_equal(light->node.granted, 48);
	assert_int_equal(group->node.granted, 16);

	/* So many that there is not half an I/O for each take turns. */
	bed_start("weight", 8);
	bed.sched.grant = 16;
	for (i = 0; i < 33; i++)
		bed_backlog(bed_add(NULL, 100), IOBAND_READ, 8, 10);
	for (i = 0; i < 66; i++)
		assert_non_null(bed_next(0));
	for (i = 0; i < 33; i++)
		assert_int_equal(bed.groups[i]->node.granted, 0);
}

/* A group sends while there is room, and no more than it holds. */
static void test_room(void **state)
{
	struct bed_group *other;
	unsigned int i;

	begin();
	take_turns();
	assert_null(bed_next_own(heavy, 8));
	assert_non_null(bed_next_own(heavy, 7));
	bed.sched.slack = 2;
	assert_non_null(bed_next_own(heavy, 9));
	assert_null(bed_next_own(heavy, 10));
	bed_forget();

	/* There is no slack while some group has less than its share. */
	begin();
	bed.sched.slack = 2;
	other = bed_add(NULL, 100);
	bed_hold(other, 8);
	while (!heavy->node.granted || !light->node.granted || other->node.held)
		assert_non_null(bed_next(0));
	assert_non_null(bed_next_own(heavy, 9));
	for (i = 0; i < 20; i++)
		assert_non_null(bed_next(0));
	bed_hold(other, 8);
	assert_null(bed_next_own(heavy, 8));
	bed.now_ns += SEC;
	assert_non_null(bed_next_own(heavy, 9));
}

/*
 * Whoever comes alone goes on until it is ahead by as many grants as allowed, leaves a place
 * after each but the first, and then waits for its turn.
 */
static void test_ahead(void **state)
{
	unsigned int sent = 0, left = 0, i;

	begin();
	take_turns();
	for (i = 0; i < 200; i++) {
		if (bed_next_own(light, 0))
			sent++;
		else
			left += light->node.granted > 0;
	}
	assert_in_range(sent, 4 * 4, 6 * 4);
	assert_in_range(left, 2, 5);
	assert_int_equal(light->node.granted, 0);
	/* The other makes up for it, and then it is the turn of both. */
	for (i = 0; !light->node.granted; i++)
		if (!bed_next_own(heavy, 0))
			assert_non_null(bed_next(0));
	assert_in_range(i, 3 * (sent - 4), 3 * (sent + 4) + 5 * 12);
}

/* As their tasks come, however often, they get what is theirs. */
static void test_shares(void **state)
{
	unsigned int i;

	begin();
	for (i = 0; i < 600; i++) {
		struct bed_group *came = i % 2 ? heavy : light;

		if (!bed_next_own(came, 0))
			assert_non_null(bed_next(0));
	}
	assert_in_range(heavy->ios[IOBAND_READ], 450 - 40, 450 + 40);
}

/* What is promised, limited or of a better class is kept to as if there were no grants. */
static void test_exact(void **state)
{
	struct bed_group *other;

	begin();
	take_turns();
	bed_set(heavy, &(struct bed_terms) { .min_rate = 1000, .min_is_ios = true });
	assert_null(bed_next_own(heavy, 0));

	/* Who is due its minimum goes before those who go on. */
	begin();
	take_turns();
	other = bed_add(NULL, 1);
	bed_set(other, &(struct bed_terms) { .min_rate = 1000, .min_is_ios = true });
	bed_backlog(other, IOBAND_READ, 8, 10);
	bed.now_ns += SEC;
	assert_null(bed_next_own(heavy, 0));
	assert_ptr_equal(bed_next(0)->group, other);

	/* Below a group with a limit, too. */
	begin();
	take_turns();
	other = bed_add(NULL, 100);
	bed_limit(other, IOBAND_RIOPS, 1000, 0, 0);
	bed_move(light, other);
	assert_null(bed_next_own(light, 0));

	/* A better class is waited for from the next grant on. */
	begin();
	take_turns();
	other = bed_add(NULL, 100);
	ioband_node_set_class(&bed.sched, &other->node, IOBAND_RT, bed.now_ns);
	bed_backlog(other, IOBAND_READ, 8, 100);
	assert_in_range(own(heavy, 100), 1, 13);
	assert_ptr_equal(bed_next(0)->group, other);

	/* Without grants nobody goes on. */
	begin();
	take_turns();
	bed.sched.grant = 1;
	assert_null(bed_next_own(heavy, 0));
}

/* An I/O that ends a busy period, as it has lasted too long, and leaves nothing held. */
static void test_last(void **state)
{
	struct ioband_vtime *time;
	struct bed_group *group;

	bed_start("weight", 8);
	bed.sched.grant = 16;
	time = &bed.sched.root.plain.vtime[IOBAND_BE];
	time->now[IOBAND_READ] = time->now[IOBAND_WRITE] = (u64)1 << 62;
	group = bed_add(NULL, 100);
	bed_hold(group, 8);
	assert_ptr_equal(bed_next(0)->group, group);
	assert_false(ioband_node_joined(&bed.sched, &group->node));
	assert_int_equal(group->node.granted, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_ahead),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_last),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	bed_stop();
	return failed;
}
