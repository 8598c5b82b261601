// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns and grace, on a disk that does one thing at a time. Tasks read one block
 * after the other and think in between; who was not the last to read, or reads
 * here and there, has to seek.
 */
#include "bed.h"
#include "dm-ioband/sched/depth.h"

#define US	((u64)NSEC_PER_USEC)

#define SEEK_NS		(9 * MS)
#define READ_NS		(100 * US)

/* How long the target lets a disk that seeks be kept free. */
#define GRACE_SEEK_NS	(8 * MS)

enum { TASKS = 40 };

struct task {
	struct bed_io *io;
	struct bed_group *group;	/* whose share it is */
	u64 think_ns;
	u64 pause_ns;			/* how long it thinks each PAUSE_IOS-th time */
	bool is_random;
	bool is_gone;
	u64 next_ns;			/* when it sends the next; 0: it has sent it */
	u64 longest_ns;			/* its longest wait */
	u64 ios;
	u64 used_ns;
};

enum { PAUSE_IOS = 40 };

static struct task tasks[TASKS];
static unsigned int nr_tasks;
static struct task *at_disk, *last;
static u64 done_ns;

static void start(const char *policy, u64 grace_ns)
{
	bed_start(policy, 1);
	bed.sched.turn.is_serial = true;
	bed.sched.turn.grace_ns = grace_ns;
	bed.sched.service_ns = READ_NS;
	memset(tasks, 0, sizeof(tasks));
	nr_tasks = 0;
	at_disk = NULL;
	last = NULL;
}

/* A task, with a stream of its own if the policy is by time. */
static struct task *add(struct bed_group *group, u64 think_ns)
{
	struct task *task = &tasks[nr_tasks++];
	struct bed_group *sender = group;

	if (bed.sched.policy->by_time)
		sender = bed_add_stream(group);
	task->io = bed_new(sender, IOBAND_READ, 8);
	task->group = group;
	task->think_ns = think_ns;
	task->next_ns = bed.now_ns;
	return task;
}

/* Two groups of equal weight that have turns of the disk's time. */
static void start_turns(struct bed_group **one, struct bed_group **many)
{
	start("weight-time", GRACE_SEEK_NS);
	*one = bed_add(NULL, 100);
	*many = bed_add(NULL, 100);
}

static void add_seekers(struct bed_group *group, unsigned int count)
{
	while (count--)
		add(group, 20 * US)->is_random = true;
}

static void complete(void)
{
	struct task *task = at_disk;
	u64 used_ns = READ_NS;

	if (task != last || task->is_random)
		used_ns += SEEK_NS;
	at_disk = NULL;
	last = task;
	task->ios++;
	task->used_ns += used_ns;
	task->longest_ns = max(task->longest_ns, bed.now_ns - task->io->io.arrival_ns);
	ioband_done(&bed.sched, &task->io->group->node, 1, BIT(IOBAND_READ), used_ns,
		    task->io->io.cost, true, bed.now_ns);
	bed_check();
	task->next_ns = bed.now_ns + task->think_ns;
	if (task->pause_ns && !(task->ios % PAUSE_IOS))
		task->next_ns = bed.now_ns + task->pause_ns;
	if (task->is_gone)
		task->next_ns = U64_MAX;
}

static void send(void)
{
	struct bed_io *io;
	unsigned int i;

	if (at_disk)
		return;
	io = bed_next(0);
	if (!io)
		return;
	for (i = 0; tasks[i].io != io; i++)
		;
	at_disk = &tasks[i];
	done_ns = bed.now_ns + READ_NS +
		  (at_disk != last || at_disk->is_random ? SEEK_NS : 0);
}

static u64 next_event_ns(void)
{
	u64 next_ns = at_disk ? done_ns : U64_MAX, timer_ns;
	unsigned int i;

	for (i = 0; i < nr_tasks; i++)
		if (tasks[i].next_ns)
			next_ns = min(next_ns, tasks[i].next_ns);
	if (!at_disk && ioband_timer(&bed.sched, &timer_ns))
		next_ns = min(next_ns, timer_ns);
	return next_ns;
}

static void run(u64 ns)
{
	const u64 end_ns = bed.now_ns + ns;
	unsigned int i;

	for (i = 0; i < nr_tasks; i++) {
		tasks[i].ios = 0;
		tasks[i].used_ns = 0;
		tasks[i].longest_ns = 0;
	}
	while (next_event_ns() <= end_ns) {
		bed.now_ns = next_event_ns();
		if (at_disk && done_ns == bed.now_ns)
			complete();
		for (i = 0; i < nr_tasks; i++) {
			if (tasks[i].next_ns != bed.now_ns)
				continue;
			tasks[i].next_ns = 0;
			bed_hold_io(tasks[i].io);
		}
		send();
	}
	bed.now_ns = end_ns;
}

static u64 used_ns(const struct bed_group *group)
{
	u64 sum_ns = 0;
	unsigned int i;

	for (i = 0; i < nr_tasks; i++)
		if (tasks[i].group == group)
			sum_ns += tasks[i].used_ns;
	return sum_ns;
}

/*
 * One who reads in order beside N who do not: half the disk's time is his, in turns
 * of 40 ms and not cut short whenever he thinks a bit longer than he is used to.
 */
static void test_stream_beside_random(void **state)
{
	static const unsigned int counts[] = { 2, 8, 32 };
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(counts); n++) {
		struct bed_group *one, *many;
		struct task *reader;

		start_turns(&one, &many);
		reader = add(one, 20 * US);
		reader->pause_ns = 70 * US;
		add_seekers(many, counts[n]);
		run(5 * SEC);
		run(60 * SEC);
		assert_in_range(used_ns(one) / MS, used_ns(many) / MS * 99 / 100,
				used_ns(many) / MS * 101 / 100);
		/* 60 s are 690 turns of 40 ms and a bit each: 31 ms of it he reads. */
		assert_in_range(reader->ios, 190000, 250000);
		bed_stop();
	}
}

/* Those who read in order have a turn each, and so few seeks: with turns of 80 ms... */
static void test_many_streams(void **state)
{
	struct bed_group *one, *many;
	unsigned int i;
	u64 ios = 0;

	start_turns(&one, &many);
	bed.sched.turn.quantum_ns = 80 * MS;
	add(one, 20 * US)->is_random = true;
	for (i = 0; i < 16; i++)
		add(many, 20 * US);
	run(5 * SEC);
	run(60 * SEC);
	for (i = 1; i < nr_tasks; i++)
		ios += tasks[i].ios;
	/* ... 90 % of half of what one of them has alone. */
	assert_in_range(ios, 60 * SEC / (READ_NS + 20 * US) / 2 * 90 / 100, 300000);
	bed_stop();
}

/*
 * Those who read here and there gain nothing by a turn: each has an I/O, or two, and
 * then it is the next one's. Half the disk is for 32 of them.
 */
static void test_many_seekers(void **state)
{
	struct bed_group *one, *many;
	unsigned int i;

	start_turns(&one, &many);
	add(one, 20 * US);
	add_seekers(many, 32);
	run(5 * SEC);
	run(60 * SEC);
	for (i = 1; i < nr_tasks; i++)
		assert_in_range(tasks[i].longest_ns / MS, 500, 1300);
	bed_stop();
}

/* In one group, half the time for each of the two. */
static void test_stream_and_seeker(void **state)
{
	struct bed_group *both, *other;

	start_turns(&both, &other);
	add(both, 20 * US);
	add(both, 20 * US)->is_random = true;
	add(other, 20 * US)->is_random = true;
	run(5 * SEC);
	run(60 * SEC);
	assert_in_range(tasks[0].used_ns * 1000 / used_ns(both), 480, 520);
	assert_in_range(used_ns(both) / MS, used_ns(other) / MS * 99 / 100,
			used_ns(other) / MS * 101 / 100);
	bed_stop();
}

/* On a disk of one slot that does not seek, a lone reader has what is his due. */
static void test_lone_reader(void **state)
{
	struct bed_group *lone, *other;
	unsigned int i;
	u64 others = 0;

	start("weight", MS);
	lone = bed_add(NULL, 200);
	other = bed_add(NULL, 100);
	add(lone, 20 * US)->pause_ns = 30 * US;
	for (i = 0; i < 8; i++)
		add(other, 0)->is_random = true;
	run(SEC);
	run(20 * SEC);
	for (i = 1; i < nr_tasks; i++)
		others += tasks[i].ios;
	assert_in_range(tasks[0].ios * 1000 / (tasks[0].ios + others), 657, 677);
	bed_stop();
}

/*
 * The time by which the depth is found does not run backwards where the disk is kept free
 * though nothing waited before: what comes meanwhile waits from then on.
 */
static void test_time_of_depth(void **state)
{
	u64 was_ns = 0, is_ns, i;

	start("weight", MS);
	add(bed_add(NULL, 200), 200 * US);
	add(bed_add(NULL, 100), 250 * US);
	for (i = 0; i < 10000; i++) {
		run(100 * US);
		if (bed.sched.turn.since_ns)
			continue;
		is_ns = ioband_depth_look(&bed.sched, bed.now_ns).ns;
		assert_true((s64)(is_ns - was_ns) >= 0);
		was_ns = is_ns;
	}
	bed_stop();
}

/* Who stops without a word is waited for a few times, and then no more. */
static void test_gone(void **state)
{
	struct bed_group *one, *many;
	struct task *reader;
	u64 busy_ns;

	start_turns(&one, &many);
	reader = add(one, 20 * US);
	add_seekers(many, 4);
	run(2 * SEC);
	reader->is_gone = true;
	run(2 * SEC);
	busy_ns = used_ns(one) + used_ns(many);
	/* What was under way at the beginning counts whole. */
	assert_in_range(busy_ns, 1960 * MS, 2010 * MS);
	bed_stop();
}

/* Who thinks longer than a seek takes is not worth waiting for. */
static void test_slow_thinker(void **state)
{
	struct bed_group *one, *many;

	start_turns(&one, &many);
	add(one, 30 * MS);
	add_seekers(many, 4);
	run(2 * SEC);
	run(10 * SEC);
	assert_in_range(used_ns(one) + used_ns(many), 9900 * MS, 10010 * MS);
	bed_stop();
}

/* A latency target is that of the tasks of a group, whose I/O its streams hold. */
static void test_target_of_streams(void **state)
{
	struct bed_group *one, *many;
	struct task *reader;
	unsigned int has_target;
	u64 longest_ns[2];

	for (has_target = 0; has_target < 2; has_target++) {
		start_turns(&one, &many);
		ioband_node_set_weight(&bed.sched, &one->node, 20);
		bed.sched.service_ns = SEEK_NS;
		bed_set(one, &(struct bed_terms) {
			.latency_ns = has_target ? 40 * MS : 0,
		});
		reader = add(one, 100 * MS);
		reader->is_random = true;
		add(one, 20 * US)->is_random = true;
		add_seekers(many, 4);
		run(2 * SEC);
		reader->longest_ns = 0;
		run(20 * SEC);
		longest_ns[has_target] = reader->longest_ns;
		bed_stop();
	}
	assert_in_range(longest_ns[false], 60 * MS, 200 * MS);
	assert_in_range(longest_ns[true], MS, 40 * MS);
}

/*
 * A stream's tag moves on when its I/O took longer than it was charged, so that a child
 * group comes first: looking for the I/O that the latency target is due to must end.
 */
static void test_target_behind_child(void **state)
{
	struct bed_group *group, *child, *stream;
	struct bed_io *first, *second, *below;

	start("weight-time", 0);
	group = bed_add(NULL, 100);
	bed_set(group, &(struct bed_terms) { .latency_ns = 10 * MS });
	child = bed_add(group, 100);
	stream = add(group, 0)->io->group;
	bed_hold(stream, 8);
	second = bed_hold(stream, 8);
	first = bed_next(0);
	assert_ptr_equal(first->group, stream);
	below = bed_hold(child, 8);
	bed.now_ns += 20 * MS;
	ioband_done(&bed.sched, &stream->node, 1, BIT(IOBAND_READ), SEEK_NS, first->io.cost, true,
		    bed.now_ns);
	/* Its turn goes on, and ends. */
	assert_ptr_equal(bed_next(0), second);
	assert_ptr_equal(bed_next(0), below);
	bed_stop();
}

/* The target of a group holds for its streams though a heavy child comes before them. */
static void test_target_beside_child(void **state)
{
	struct bed_group *group, *child, *stream;
	struct bed_io *io;

	start("weight-time", 0);
	group = bed_add(NULL, 100);
	child = bed_add(group, 10000);
	stream = bed_add_stream(group);
	bed_set(group, &(struct bed_terms) { .latency_ns = 10 * MS });
	/* After a long turn of the stream the child comes first. */
	bed_hold(child, 8);
	bed_hold(child, 8);
	bed_hold(stream, 8);
	do {
		io = bed_next(0);
	} while (io->group != stream);
	ioband_done(&bed.sched, &stream->node, 1, BIT(IOBAND_READ), SEC, io->io.cost, true, bed.now_ns);
	bed_hold(child, 8);
	io = bed_hold(stream, 8);
	bed.now_ns += 10 * MS;
	assert_ptr_equal(bed_next(0), io);
	bed_stop();
}

/* Once a stream is settled, the target may be due to older I/O of another stream. */
static void test_target_of_settled(void **state)
{
	struct bed_group *group, *other, *one, *two;
	struct bed_io *early, *io;

	start("weight-time", 0);
	group = bed_add(NULL, 100);
	other = bed_add(NULL, 100);
	one = bed_add_stream(group);
	two = bed_add_stream(group);
	bed_set(group, &(struct bed_terms) { .latency_ns = 10 * MS });
	io = bed_hold(two, 8);
	assert_ptr_equal(bed_next(0), io);
	ioband_done(&bed.sched, &two->node, 1, BIT(IOBAND_READ), SEC, io->io.cost, true, bed.now_ns);
	early = bed_hold(two, 8);
	io = bed_hold(one, 8);
	assert_ptr_equal(bed_next(0), io);
	bed.now_ns += 9 * MS;
	bed_hold(one, 8);
	ioband_done(&bed.sched, &one->node, 1, BIT(IOBAND_READ), 2 * SEC, io->io.cost, true, bed.now_ns);
	bed_hold(other, 8);
	bed.now_ns += MS;
	assert_ptr_equal(bed_next(0), early);
	bed_stop();
}

/* The target of a group is for a task that reads, not for writeback. */
static void test_target_beside_writeback(void **state)
{
	struct bed_group *group, *other, *stream;
	struct bed_io *io;
	unsigned int i;

	start("weight-time", 0);
	group = bed_add(NULL, 100);
	other = bed_add(NULL, 100);
	stream = bed_add_stream(group);
	bed_set(group, &(struct bed_terms) { .latency_ns = 10 * MS });
	io = bed_hold(stream, 8);
	assert_ptr_equal(bed_next(0), io);
	ioband_done(&bed.sched, &stream->node, 1, BIT(IOBAND_READ), SEC, io->io.cost, true, bed.now_ns);
	bed_hold(other, 8);
	for (i = 0; i < 4; i++) {
		io = bed_new(group, IOBAND_WRITE, 8);
		io->io.is_async = true;
		bed_hold_io(io);
	}
	io = bed_hold(stream, 8);
	bed.now_ns += 10 * MS;
	assert_ptr_equal(bed_next(0), io);
	bed_stop();
}

static void complete_io(const struct bed_io *io)
{
	ioband_done(&bed.sched, &io->group->node, 1, BIT(IOBAND_READ), MS, io->io.cost, true,
		    bed.now_ns);
}

/* A disk with several places, and a group that would take them all beside one of weight. */
static void start_places(u32 depth, struct bed_group **light, struct bed_group **deep)
{
	start("weight", MS);
	bed.sched.depth = depth;
	bed.sched.turn.is_serial = false;
	bed.sched.turn.has_grace = true;
	*light = bed_add(NULL, 1000);
	*deep = bed_add(NULL, 1);
	bed_backlog(*deep, IOBAND_READ, 8, 20);
}

/*
 * On a disk that does several I/Os at once the last place is kept for a reader that is owed
 * it and comes back soon; another that comes free meanwhile is not.
 */
static void test_last_place(void **state)
{
	struct bed_group *light, *deep;
	struct bed_io *io, *others[3];
	unsigned int i;

	start_places(4, &light, &deep);
	for (i = 0; i < 3; i++)
		others[i] = bed_next(i);
	for (i = 0; i < 8; i++) {
		io = bed_hold(light, 8);
		assert_ptr_equal(bed_next(3), io);
		bed.now_ns += MS;
		complete_io(io);
		bed.now_ns += 10 * US;
		if (i)
			assert_null(bed_next(3));
	}
	assert_true(bed.sched.turn.since_ns);
	complete_io(others[0]);
	others[0] = bed_next(2);
	assert_ptr_equal(others[0]->group, deep);
	assert_null(bed_next(3));
	io = bed_hold(light, 8);
	assert_ptr_equal(bed_next(3), io);
	/* Who does not come back soon is not waited for any longer. */
	complete_io(io);
	assert_null(bed_next(3));
	bed.now_ns += MS;
	io = bed_next(3);
	assert_ptr_equal(io->group, deep);
	/* Nor does it matter where the place has been taken. */
	assert_null(bed_next(4));
	assert_false(bed.sched.turn.since_ns);
	bed_stop();
}

/* Others that complete at the same moment do not take the place from whom it is kept for. */
static void test_last_place_in_step(void **state)
{
	struct bed_group *light, *deep;
	struct bed_io *io, *other;
	unsigned int i;

	start_places(2, &light, &deep);
	other = bed_next(0);
	for (i = 0; i < 8; i++) {
		io = bed_hold(light, 8);
		assert_ptr_equal(bed_next(1), io);
		bed.now_ns += MS;
		complete_io(io);
		complete_io(other);
		other = bed_next(0);
		assert_ptr_equal(other->group, deep);
		if (i)
			assert_null(bed_next(1));
		bed.now_ns += 10 * US;
	}
	bed_stop();
}

/*
 * Nobody can go any more while the disk is kept free, and he who is waited for does
 * not come: the end of a limit must be seen nevertheless.
 */
static void test_limited_meanwhile(void **state)
{
	struct bed_group *lone, *other;
	u64 timer_ns;

	start("weight", MS);
	lone = bed_add(NULL, 1000);
	other = bed_add(NULL, 100);
	add(lone, 200 * US);
	add(other, 0);
	run(SEC);
	while (!bed.sched.turn.since_ns || bed.sched.turn.last != &lone->node)
		run(10 * US);
	assert_true(other->node.held);
	tasks[0].next_ns = 0;
	bed_limit(other, IOBAND_RIOPS, 10, 1, 0);
	bed_charge(other, IOBAND_READ, 8);
	bed_charge(other, IOBAND_READ, 8);

	assert_true(ioband_timer(&bed.sched, &timer_ns));
	bed.now_ns = timer_ns;
	assert_null(bed_next(0));
	assert_true(ioband_timer(&bed.sched, &timer_ns));
	assert_true(timer_ns > bed.now_ns);
	bed.now_ns = timer_ns;
	assert_ptr_equal(bed_next(0), tasks[1].io);
	bed_stop();
}

/* An I/O goes out of turn while the disk is kept free: it is so no longer. */
static void test_out_of_turn_meanwhile(void **state)
{
	const struct bed_terms minimum = { .min_rate = 100, .min_is_ios = true };
	struct bed_group *lone, *other, *promised;
	u64 graced_ns, timer_ns;
	struct bed_io *io;

	start("weight", MS);
	lone = bed_add(NULL, 1000);
	other = bed_add(NULL, 100);
	promised = bed_add(NULL, 1);
	bed_set(promised, &minimum);
	add(lone, 200 * US);
	add(other, 0);
	run(SEC);
	while (!bed.sched.turn.since_ns)
		run(10 * US);
	io = bed_hold(promised, 8);
	promised->terms->min.empty_ns = bed.now_ns - 1;
	ioband_node_update(&bed.sched, &promised->node, bed.now_ns);
	assert_ptr_equal(bed_next(0), io);
	assert_null(bed_next(1));
	graced_ns = bed.sched.graced_ns;
	bed.now_ns += 5 * MS;
	assert_null(bed_next(1));
	assert_false(ioband_timer(&bed.sched, &timer_ns));
	ioband_done(&bed.sched, &promised->node, 1, BIT(IOBAND_READ), 5 * MS, io->io.cost, true, bed.now_ns);
	assert_int_equal(bed.sched.graced_ns, graced_ns);
	bed_stop();
}

/* A completion tells its time; it may be told after the disk is kept free. */
static void test_done_before(void **state)
{
	struct bed_group *lone, *other;

	start("weight", MS);
	lone = bed_add(NULL, 1000);
	other = bed_add(NULL, 100);
	add(lone, 200 * US);
	add(other, 0);
	while (!bed.sched.turn.since_ns)
		run(10 * US);
	assert_int_equal(bed.sched.turn.spent_ns, 0);
	ioband_done(&bed.sched, &other->node, 1, BIT(IOBAND_READ), 0, 0, false,
		    bed.sched.turn.since_ns - 1);
	assert_in_range(bed.sched.turn.spent_ns, 0, SEC);
	bed_stop();
}

/*
 * Whoever decides has taken the time first, and a completion on another processor may
 * be newer: nobody has stayed away then.
 */
static void test_done_after(void **state)
{
	struct bed_group *one, *other;
	u64 think_off_ns;
	struct task *reader;

	start("weight", MS);
	one = bed_add(NULL, 200);
	other = bed_add(NULL, 100);
	reader = add(one, 20 * US);
	add(other, 0);
	run(1 * SEC);
	while (at_disk != reader)
		run(10 * US);
	think_off_ns = one->node.think_off_ns;
	ioband_done(&bed.sched, &one->node, 1, BIT(IOBAND_READ), READ_NS, 0, true, bed.now_ns + US);
	assert_true(reader->io->group == one && bed.sched.turn.last == &one->node);
	bed_next(0);
	assert_true(one->node.think_off_ns == think_off_ns);
	bed_stop();
}

/* What a group with tasks below it writes itself is paid for by the time it took. */
static void test_own_is_settled(void **state)
{
	struct bed_group *group, *task;
	struct bed_io *io;
	u64 own_ns = 0, task_ns = 0, used_ns;
	unsigned int i, runs = 0;

	bed_start("weight-time", 1);
	group = bed_add(NULL, 100);
	task = bed_add(group, 100);
	bed_backlog(task, IOBAND_READ, 8, 4);
	for (i = 0; i < 4; i++) {
		io = bed_new(group, IOBAND_WRITE, 8);
		io->io.is_async = true;
		bed_hold_io(io);
	}
	/* Of its writes each second one is a run of 128, and takes little longer. */
	for (i = 0; i < 20000; i++) {
		io = bed_next(0);
		used_ns = io->io.merged ? 10 * MS : 8 * MS;
		*(io->group == group ? &own_ns : &task_ns) += used_ns;
		bed.now_ns += used_ns;
		ioband_done(&bed.sched, &io->group->node, 1 + io->io.merged, BIT(IOBAND_READ), used_ns,
			    io->io.cost, false, bed.now_ns);
		if (io->group == group)
			io->io.merged = runs++ % 2 ? 127 : 0;
		bed_hold_io(io);
	}
	assert_in_range(own_ns * 100 / (own_ns + task_ns), 48, 52);
	bed_stop();
}

static struct bed_io *took(u32 in_flight, u64 used_ns)
{
	struct bed_io *io = bed_next(in_flight);

	if (io)
		ioband_done(&bed.sched, &io->group->node, 1, BIT(IOBAND_READ), used_ns, io->io.cost,
			    true, bed.now_ns);
	return io;
}

/*
 * Whoever has the disk may have more there than one, for a drive to sort, if that does not
 * take much longer than a turn; and when the turn is over all of it is done before the next.
 */
static void test_at_once(void **state)
{
	struct bed_group *one, *other, *first;
	int i;

	start_turns(&one, &other);
	for (i = 0; i < 8; i++) {
		bed_hold(one, 8);
		bed_hold(other, 8);
	}
	first = bed_next(0)->group;
	assert_null(bed_next(1));
	bed.sched.turn.at_once = 4;
	for (i = 1; i < 4; i++)
		assert_ptr_equal(bed_next(i)->group, first);
	assert_null(bed_next(4));
	first->node.cost_ns = 40 * MS;
	assert_ptr_equal(bed_next(1)->group, first);
	assert_null(bed_next(2));
	assert_ptr_equal(took(1, 40 * MS)->group, first);
	assert_null(bed_next(1));
	assert_ptr_not_equal(bed_next(0)->group, first);
	bed_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stream_beside_random),
		cmocka_unit_test(test_many_streams),
		cmocka_unit_test(test_many_seekers),
		cmocka_unit_test(test_stream_and_seeker),
		cmocka_unit_test(test_lone_reader),
		cmocka_unit_test(test_time_of_depth),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_slow_thinker),
		cmocka_unit_test(test_target_of_streams),
		cmocka_unit_test(test_target_behind_child),
		cmocka_unit_test(test_target_beside_child),
		cmocka_unit_test(test_target_of_settled),
		cmocka_unit_test(test_target_beside_writeback),
		cmocka_unit_test(test_last_place),
		cmocka_unit_test(test_last_place_in_step),
		cmocka_unit_test(test_limited_meanwhile),
		cmocka_unit_test(test_out_of_turn_meanwhile),
		cmocka_unit_test(test_done_before),
		cmocka_unit_test(test_done_after),
		cmocka_unit_test(test_own_is_settled),
		cmocka_unit_test(test_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
