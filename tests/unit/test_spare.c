// SPDX-License-Identifier: GPL-2.0-only
/*
 * The places that are kept for those who ask for less than their share.
 */
#include "bed.h"

/* Two at the disk that are the heavy one's; @light was served a while ago. */
static void fill_disk(struct bed_group **light, struct bed_group **heavy)
{
	bed_start("weight", 2);
	bed.sched.spare = 1;
	*heavy = bed_add(NULL, 100);
	*light = bed_add(NULL, 100);
	bed_hold(*light, 8);
	assert_ptr_equal(bed_next_group(), *light);
	bed_backlog(*heavy, IOBAND_READ, 8, 20);
	bed_serve(8);
}

/* Who asks for less than its share does not wait for room. */
static void test_spare(void **state)
{
	struct bed_group *light, *heavy, *third;

	fill_disk(&light, &heavy);
	assert_null(bed_next(2));
	bed_hold(light, 8);
	assert_ptr_equal(bed_next(2)->group, light);
	/* It is no longer behind: the next one waits for its turn. */
	bed_hold(light, 8);
	assert_null(bed_next(2));
	assert_ptr_equal(bed_next_group(), heavy);

	/* There is not more to spare than there is. */
	fill_disk(&light, &heavy);
	bed_hold(light, 8);
	assert_null(bed_next(3));
	/* And only who has just come need not wait. */
	assert_null(bed_next(2));
	assert_ptr_equal(bed_next_group(), light);

	/* Those who always have more are not behind. */
	fill_disk(&light, &heavy);
	bed_hold(heavy, 8);
	assert_null(bed_next(2));

	/* Who is of a better class than all that waits is due whatever it had ... */
	fill_disk(&light, &heavy);
	third = bed_add(NULL, 100);
	ioband_node_set_class(&bed.sched, &third->node, IOBAND_RT, bed.now_ns);
	bed_hold(third, 8);
	assert_ptr_equal(bed_next(2)->group, third);
	/* ... and while it has more, nobody is of a class below it ... */
	bed_hold(third, 8);
	bed_hold(third, 8);
	bed_hold(light, 8);
	assert_null(bed_next(2));

	/* ... or one of the worst class. */
	fill_disk(&light, &heavy);
	ioband_node_set_class(&bed.sched, &light->node, IOBAND_IDLE, bed.now_ns);
	bed_hold(light, 8);
	assert_null(bed_next(2));

	/* What was taken back, or has left, does not go. */
	fill_disk(&light, &heavy);
	bed_unhold(bed_hold(light, 8));
	assert_null(bed_next(2));
	bed_unhold(bed_hold(light, 8));
	bed_del(light);
	assert_null(bed_next(2));
}

/*
 * A group in a group, of which there is no other: what counts is whether one of those
 * above is behind others there.
 */
static void test_spare_nested(void **state)
{
	struct bed_group *heavy, *slice, *pod, *light;

	bed_start("weight", 2);
	bed.sched.spare = 1;
	heavy = bed_add(NULL, 100);
	slice = bed_add(NULL, 1000);
	pod = bed_add(slice, 100);
	light = bed_add(pod, 100);
	bed_hold(light, 8);
	assert_ptr_equal(bed_next_group(), light);
	bed_backlog(heavy, IOBAND_READ, 8, 20);
	bed_serve(8);
	bed_hold(light, 8);
	assert_ptr_equal(bed_next(2)->group, light);

	/* Not if its slice has had more than its share by another. */
	bed_backlog(bed_add(slice, 100), IOBAND_READ, 8, 20);
	bed_serve(4);
	ioband_node_set_weight(&bed.sched, &slice->node, 1);
	bed_serve(1);
	bed_hold(light, 8);
	assert_null(bed_next(2));
}

/* At a limit it waits for that, and then for its turn. */
static void test_spare_limit(void **state)
{
	struct bed_group *light, *heavy;

	fill_disk(&light, &heavy);
	bed_limit(light, IOBAND_IOPS, 1, 0, 0);
	bed_hold(light, 8);
	assert_ptr_equal(bed_next(2)->group, light);
	bed_serve(8);
	bed_hold(light, 8);
	assert_null(bed_next(2));
	bed.now_ns += 2 * SEC;
	assert_null(bed_next(2));
	assert_ptr_equal(bed_next_group(), light);
}

/* So it does at the limit of a group above it, though others of that may go. */
static void test_spare_limit_above(void **state)
{
	struct bed_group *above, *writer, *reader, *rival;
	unsigned int i;

	bed_start("weight", 2);
	bed.sched.spare = 1;
	rival = bed_add(NULL, 100);
	above = bed_add(NULL, 100);
	writer = bed_add(above, 100);
	reader = bed_add(above, 100);
	bed_limit(above, IOBAND_RIOPS, 1, 0, 0);
	bed_hold(reader, 8);
	assert_ptr_equal(bed_next_group(), reader);
	bed_backlog(rival, IOBAND_READ, 8, 20);
	for (i = 0; i < 10; i++) {
		bed_hold_write(writer, 8);
		bed_hold(reader, 8);
		assert_null(bed_next(2));
		bed_unhold(container_of(ioband_first_held(&reader->node),
					struct bed_io, io));
		while (writer->node.held)
			bed_next(0);
		bed_serve(2);
	}
	bed_hold(reader, 8);
	assert_null(bed_next(2));
	bed.now_ns += 2 * SEC;
	for (i = 0; reader->node.held; i++)
		bed_next(0);
	assert_in_range(i, 1, 2);
}

/* Who has I/O of its own may have got a child since whose turn it is first. */
static void test_spare_above_child(void **state)
{
	struct bed_group *light, *heavy, *child;

	fill_disk(&light, &heavy);
	bed_add(light, 100);
	bed_hold(light, 8);
	assert_ptr_equal(bed_next_group(), light);
	bed_serve(8);
	child = bed_add(NULL, 1);
	bed_hold(child, 8);
	bed_hold(light, 8);
	bed_move(child, light);
	assert_ptr_equal(bed_next(2)->group, child);
	assert_null(bed_next(2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spare),
		cmocka_unit_test(test_spare_nested),
		cmocka_unit_test(test_spare_limit),
		cmocka_unit_test(test_spare_limit_above),
		cmocka_unit_test(test_spare_above_child),
	};
	int failed = cmocka_run_group_tests_name("spare", tests, NULL, NULL);

	bed_stop();
	return failed;
}
