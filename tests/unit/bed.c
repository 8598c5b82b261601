// SPDX-License-Identifier: GPL-2.0-only
#include "bed.h"

struct bed bed;

void bed_check(void)
{
	const char *broken;

	if (bed.unchecked)
		return;
	broken = ioband_sched_broken(&bed.sched, bed.now_ns);
	if (!broken)
		broken = ioband_tags_broken(&bed.sched, &bed.sched.root);
	if (broken)
		fail_msg("%s", broken);
}

void bed_stop(void)
{
	while (bed.nr_groups) {
		struct bed_group *group = bed.groups[--bed.nr_groups];

		free(group->terms);
		free(group);
	}
	while (bed.nr_ios)
		free(bed.ios[--bed.nr_ios]);
	free(bed.sent);
	memset(&bed, 0, sizeof(bed));
}

void bed_start(const char *policy, u32 depth)
{
	bed_stop();
	bed.now_ns = 1000 * SEC;
	ioband_sched_init(&bed.sched, ioband_policy_find(policy), depth);
}

static struct ioband_node *node_of(struct bed_group *group)
{
	return group ? &group->node : &bed.sched.root;
}

static struct bed_group *add(struct bed_group *parent, u32 weight, bool is_stream)
{
	struct bed_group *group = calloc(1, sizeof(*group));

	assert_true(bed.nr_groups < BED_GROUPS);
	bed.groups[bed.nr_groups++] = group;
	ioband_node_init(&group->node, weight);
	group->node.is_stream = is_stream;
	ioband_node_add(node_of(parent), &group->node);
	bed_check();
	return group;
}

/* @parent: NULL for the root. */
struct bed_group *bed_add(struct bed_group *parent, u32 weight)
{
	return add(parent, weight, false);
}

/* What holds the I/O of one task of a group. */
struct bed_group *bed_add_stream(struct bed_group *group)
{
	return add(group, IOBAND_WEIGHT_DEFAULT, true);
}

void bed_del(struct bed_group *group)
{
	ioband_node_del(&bed.sched, &group->node, bed.now_ns);
	bed_check();
}

void bed_move(struct bed_group *group, struct bed_group *parent)
{
	ioband_node_move(&bed.sched, &group->node, node_of(parent), bed.now_ns);
	bed_check();
}

/* @terms: NULL for none. */
void bed_set(struct bed_group *group, const struct bed_terms *terms)
{
	struct ioband_terms *old = group->terms;

	group->terms = NULL;
	if (terms) {
		group->terms = malloc(sizeof(*group->terms));
		ioband_terms_init(group->terms, terms->limits, terms->min_rate,
				  terms->min_is_ios, terms->latency_ns);
	}
	assert_ptr_equal(ioband_node_set_terms(&bed.sched, &group->node,
					       group->terms, bed.now_ns), old);
	/* Poisoned by ASan, and so nobody looks at it any more. */
	free(old);
	bed_check();
}

/* One limit and nothing else. */
void bed_limit(struct bed_group *group, enum ioband_limit_id id, u64 rate,
	       u64 burst, u64 peak)
{
	struct bed_terms terms = { 0 };

	terms.limits[id] = (struct ioband_rate){ rate, burst, peak };
	bed_set(group, &terms);
}

struct bed_io *bed_new(struct bed_group *group, enum ioband_dir dir, u32 sectors)
{
	struct bed_io *io = calloc(1, sizeof(*io));

	assert_true(bed.nr_ios < BED_IOS);
	bed.ios[bed.nr_ios++] = io;
	io->group = group;
	io->io.dir = dir;
	io->io.sectors = sectors;
	io->io.prio = IOBAND_PRIO_NORMAL;
	return io;
}

void bed_hold_io(struct bed_io *io)
{
	struct ioband_node *node = &io->group->node;

	assert_false(io->held);
	if (!ioband_node_joined(&bed.sched, node))
		ioband_node_join(&bed.sched, node, 0, 0);
	io->held = true;
	io->io.arrival_ns = bed.now_ns;
	io->io.done_ns = io->group->done_ns;
	ioband_hold(&bed.sched, node, &io->io, bed.now_ns);
	bed_check();
}

struct bed_io *bed_hold(struct bed_group *group, u32 sectors)
{
	struct bed_io *io = bed_new(group, IOBAND_READ, sectors);

	bed_hold_io(io);
	return io;
}

struct bed_io *bed_hold_write(struct bed_group *group, u32 sectors)
{
	struct bed_io *io = bed_new(group, IOBAND_WRITE, sectors);

	bed_hold_io(io);
	return io;
}

/* At least two, so that a group is never empty while one of its own goes. */
void bed_backlog(struct bed_group *group, enum ioband_dir dir, u32 sectors,
		 unsigned int ios)
{
	while (ios--) {
		struct bed_io *io = bed_new(group, dir, sectors);

		io->again = true;
		bed_hold_io(io);
	}
}

void bed_unhold(struct bed_io *io)
{
	assert_true(io->held);
	io->held = false;
	ioband_unhold(&bed.sched, &io->group->node, &io->io, bed.now_ns);
	bed_check();
}

void bed_charge(struct bed_group *group, enum ioband_dir dir, u32 sectors)
{
	const struct ioband_io io = { .sectors = sectors, .dir = dir };

	if (!ioband_node_joined(&bed.sched, &group->node))
		ioband_node_join(&bed.sched, &group->node, 0, 0);
	ioband_charge(&bed.sched, &group->node, &io, bed.now_ns);
	bed_check();
}

static void count(const struct bed_io *io)
{
	struct bed_group *group = io->group;
	u64 wait_ns = bed.now_ns - io->io.arrival_ns;

	if (io->io.limited_ns > wait_ns)
		fail_msg("an I/O waited %llu ns, %llu of them for limits",
			 (unsigned long long)wait_ns,
			 (unsigned long long)io->io.limited_ns);
	group->cost += bed.sched.policy->cost(1, io->io.sectors);
	group->ios[io->io.dir]++;
	group->bytes[io->io.dir] += (u64)io->io.sectors << 9;
	if (!bed.log)
		return;
	if (!(bed.nr_sent & (bed.nr_sent + 1)))
		bed.sent = realloc(bed.sent, (2 * bed.nr_sent + 2) *
				   sizeof(*bed.sent));
	bed.sent[bed.nr_sent++] = (struct bed_sent) {
		group, bed.now_ns, io->io.arrival_ns, io->io.sectors, io->io.dir
	};
}

static struct bed_io *gone(struct ioband_io *next)
{
	struct bed_io *io = next ? container_of(next, struct bed_io, io) : NULL;
	u64 expires_ns;

	bed_check();
	if (ioband_timer(&bed.sched, &expires_ns))
		assert_true(expires_ns > bed.now_ns);
	if (!io)
		return NULL;
	assert_true(io->held);
	assert_false(bed.sched.full & BIT_ULL(ioband_way(next)));
	io->held = false;
	count(io);
	return io;
}

struct bed_io *bed_next(u32 in_flight)
{
	return gone(ioband_next(&bed.sched, in_flight, bed.now_ns));
}

/* What @group sends, of which a task has just come. */
struct bed_io *bed_next_own(struct bed_group *group, u32 in_flight)
{
	return gone(ioband_next_own(&bed.sched, &group->node, in_flight, bed.now_ns));
}

/* Send one down and say whose it was. */
struct bed_group *bed_next_group(void)
{
	struct bed_io *io = bed_next(0);

	assert_non_null(io);
	return io->group;
}

/* Send @count down; whoever sent one at once wants to send the like again. */
void bed_serve(u64 count)
{
	while (count--) {
		struct bed_io *io = bed_next(0);

		assert_non_null(io);
		bed_hold_io(io);
	}
}

/* Nothing was ever sent. */
void bed_forget(void)
{
	unsigned int i;

	for (i = 0; i < bed.nr_groups; i++) {
		struct bed_group *group = bed.groups[i];

		group->cost = 0;
		memset(group->ios, 0, sizeof(group->ios));
		memset(group->bytes, 0, sizeof(group->bytes));
	}
	bed.nr_sent = 0;
}

static void send_all(void)
{
	struct bed_io *io;

	while ((io = bed_next(bed.in_flight)))
		bed.at_disk[bed.in_flight++] = io;
}

/* The disk is done with the oldest. */
static void complete(void)
{
	struct bed_io *io = bed.at_disk[0];

	memmove(bed.at_disk, bed.at_disk + 1,
		--bed.in_flight * sizeof(bed.at_disk[0]));
	io->group->done_ns = bed.now_ns;
	if (io->again)
		bed_hold_io(io);
}

/*
 * Let a disk that is done with one I/O every @service_ns run for @ns. What is at
 * the disk in the end stays there.
 */
void bed_run(u64 ns, u64 service_ns)
{
	u64 end_ns = bed.now_ns + ns, timer_ns, next_ns;
	u64 done_ns = bed.now_ns + service_ns;

	for (;;) {
		if (!bed.in_flight)
			done_ns = bed.now_ns + service_ns;
		send_all();
		next_ns = end_ns;
		if (bed.in_flight)
			next_ns = min(next_ns, done_ns);
		if (ioband_timer(&bed.sched, &timer_ns))
			next_ns = min(next_ns, timer_ns);
		bed.now_ns = next_ns;
		if (next_ns == end_ns)
			return;
		if (bed.in_flight && next_ns == done_ns) {
			complete();
			done_ns += service_ns;
		}
	}
}
