// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input: four bytes (number of groups, depth, policy, how far
 * virtual time is from the end of the busy period), then events of two bytes, a letter and what or whom it concerns:
 *
 *	h hold, j hold at a priority, a hold async, c charge, i pass at once
 *	n next, d done, p time passes, u unhold
 *	w new weight, k new class, l new limits and promises
 *	m move, f take out or put back, r restart, o new depth
 *
 * The groups begin side by side; m makes a tree of them.
 */
#include "fuzz.h"
#include "fuzz_terms.h"
#include "invariants.h"

enum {
	GROUPS	= 8,
	IOS	= 256,
};

/* Virtual time at which the core ends a busy period by itself. */
#define PERIOD_END ((u64)1 << 62)

struct fuzz_io {
	struct ioband_io io;
	bool held;
	unsigned int group;
	unsigned int number;
};

struct fuzz_group {
	struct ioband_node node;
	struct ioband_terms terms[2];
	bool in_tree;
};

static struct ioband_sched sched;
static struct fuzz_group groups[GROUPS];
static struct fuzz_io ios[IOS];
static unsigned int nr_groups, nr_ios, nr_held, in_flight;
static u64 vtimes[IOBAND_CLASSES];
static u32 period;
static u64 now_ns;

/* Whether another busy period began since last asked: then nobody has a tag. */
static bool began_anew(void)
{
	unsigned int i;

	if (period == sched.period)
		return false;
	period = sched.period;
	memset(vtimes, 0, sizeof(vtimes));
	for (i = 0; i < nr_groups; i++)
		must(!groups[i].in_tree ||
		     !ioband_node_joined(&sched, &groups[i].node) ||
		     groups[i].node.ready);
	return true;
}

static u64 vtime_of(const struct ioband_node *node)
{
	return node->parent->plain.vtime[node->class].now[IOBAND_READ];
}

static bool comes_to_end(const struct ioband_tag *tag, const struct ioband_vtime *time)
{
	bool ends = false;
	int dir;

	for (dir = 0; dir < IOBAND_DIRS; dir++)
		ends |= max(tag->start[dir], time->now[dir]) >= PERIOD_END;
	return ends;
}

/* Whether a tag of @node or above it has come to where another period begins. */
static bool may_end(const struct ioband_node *node)
{
	bool ends = comes_to_end(&node->plain.own, &node->plain.vtime[IOBAND_BE]);

	for (; node->parent; node = node->parent)
		ends |= comes_to_end(&node->plain.tag, ioband_vtime_of(node, 0));
	return ends;
}

static void check(void)
{
	const char *broken = ioband_sched_broken(&sched, now_ns) ?:
			     ioband_tags_broken(&sched, &sched.root);
	unsigned int class;

	if (broken)
		fprintf(stderr, "%s\n", broken);
	must(!broken);
	must(sched.held == nr_held);
	began_anew();
	for (class = 0; class < IOBAND_CLASSES; class++) {
		must(!ioband_before(sched.root.plain.vtime[class].now[IOBAND_READ], vtimes[class]));
		vtimes[class] = sched.root.plain.vtime[class].now[IOBAND_READ];
	}
}

/* By time, what nothing is known of costs nothing until it is done. */
static u64 cost_of(u64 ios, u64 sectors)
{
	return sched.policy->by_time ? 0 : sched.policy->cost(ios, sectors);
}

static u64 cost(const struct ioband_io *io)
{
	return cost_of(1, io->sectors);
}

/* A group of the tree, of this busy period; or NULL. */
static struct fuzz_group *joined(u8 arg)
{
	struct fuzz_group *group = &groups[arg % nr_groups];
	struct ioband_node *node = &group->node;

	if (!group->in_tree)
		return NULL;
	if (!ioband_node_joined(&sched, node)) {
		ioband_node_join(&sched, node, arg >> 3, arg);
		must(node->plain.tag.start[IOBAND_READ] == vtime_of(node) +
		     (cost_of(arg >> 3, arg) << 16) / node->weight);
	}
	return group;
}

static bool has_limit_above(const struct ioband_node *node)
{
	return ioband_last_limited(node->parent);
}

/*
 * The place of the next I/O that goes @dir. Nobody saves up, and nobody is forgiven a
 * debt. Below limits, what goes the other way may tell.
 */
static bool is_due_place(const struct ioband_node *node, const struct ioband_tag *before,
			 enum ioband_dir dir, u32 was_ready)
{
	const struct ioband_vtime *time = ioband_vtime_of(node, 0);
	u64 start = node->plain.tag.start[dir];
	struct ioband_tag due = *before;

	if (was_ready && (was_ready & BIT(dir) || !has_limit_above(node)))
		return start == before->start[dir];
	ioband_tag_raise(&due, time, 0);
	return start == due.start[dir] ||
	       (node->ready & BIT(!dir) &&
		start == ioband_place_back(time, !dir, node->plain.tag.start[!dir]));
}

static void hold(u8 arg, enum ioband_dir dir, bool is_async, u8 prio)
{
	struct fuzz_group *group = joined(arg);
	struct fuzz_io *io = &ios[nr_ios];
	struct ioband_node *node;
	struct ioband_tag before;
	u32 was_ready;

	if (nr_ios == IOS || !group)
		return;
	node = &group->node;
	io->io.sectors = 1 + (arg >> 3) * (arg >> 3);
	io->io.dir = dir;
	io->io.is_async = is_async;
	io->io.prio = prio;
	io->io.arrival_ns = now_ns;
	io->group = group - groups;
	io->held = true;
	io->number = nr_ios++;
	nr_held++;
	before = node->plain.tag;
	was_ready = node->ready;
	ioband_hold(&sched, node, &io->io, now_ns);
	/* At a limit of its own it takes no place yet; what goes the other way may. */
	if (node->ready & BIT(dir))
		must(is_due_place(node, &before, dir, was_ready));
	else if (was_ready || !node->ready)
		must(node->plain.tag.start[dir] == before.start[dir]);
}

static void charge(u8 arg)
{
	struct fuzz_group *group = joined(arg);
	const struct ioband_io io = { .sectors = arg, .dir = arg & 1 };
	struct ioband_node *node;
	struct ioband_tag due;
	bool ends;
	u64 paid;

	if (!group)
		return;
	node = &group->node;
	due = node->plain.tag;
	if (!node->ready)
		ioband_tag_raise(&due, ioband_vtime_of(node, 0), 0);
	paid = due.start[io.dir] + (cost(&io) << 16) / node->weight;
	ends = may_end(node);
	ioband_charge(&sched, node, &io, now_ns);
	/* Paid in full, to less than one unit; or nobody owes anything any more. */
	must(began_anew() ? ends : node->plain.tag.start[io.dir] - paid <= 1);
	in_flight++;
}

static void pass(u8 arg)
{
	const struct ioband_io io = { .sectors = arg, .dir = arg & 1 };
	struct fuzz_group *group = &groups[arg % nr_groups];
	struct ioband_node *node = &group->node;

	if (!group->in_tree || !ioband_may_pass(node, &io, now_ns))
		return;
	for (; node->parent; node = node->parent)
		must(!node->terms ||
		     ioband_terms_open_ns(node->terms, io.dir, now_ns) == now_ns);
	ioband_charge_limits(&sched, &group->node, &io, false, now_ns);
	in_flight++;
}

static bool at_limit(const struct fuzz_io *io)
{
	const struct ioband_node *node = &groups[io->group].node;

	for (; node->parent; node = node->parent)
		if (node->terms && ioband_terms_open_ns(node->terms, io->io.dir,
							now_ns) != now_ns)
			return true;
	return false;
}

/* Nothing waits but for room or a limit, and the oldest of its kind goes. */
static void next(void)
{
	bool any = false, room = in_flight < sched.depth;
	struct ioband_io *next;
	struct fuzz_io *io;
	u64 expires_ns;
	unsigned int i;

	for (i = 0; i < nr_ios; i++)
		any |= ios[i].held && !at_limit(&ios[i]);
	next = ioband_next(&sched, in_flight, now_ns);
	must(!next == !(any && room));
	if (ioband_timer(&sched, &expires_ns))
		must(expires_ns > now_ns);
	else
		must(ioband_is_ready(&sched) == (nr_held > !!next));
	if (!next)
		return;
	io = container_of(next, struct fuzz_io, io);
	must(io->held);
	must(io->io.limited_ns <= now_ns - io->io.arrival_ns);
	io->held = false;
	nr_held--;
	in_flight++;

	for (i = 0; i < nr_ios; i++)
		must(!ios[i].held || ios[i].group != io->group ||
		     ios[i].io.dir != io->io.dir ||
		     ios[i].io.is_async != io->io.is_async ||
		     ios[i].io.prio != io->io.prio ||
		     ios[i].number > io->number);
}

static void unhold(u8 arg)
{
	unsigned int i;

	for (i = arg; i < nr_ios && !ios[i].held; i++)
		;
	if (i >= nr_ios)
		return;
	ioband_unhold(&sched, &groups[ios[i].group].node, &ios[i].io, now_ns);
	ios[i].held = false;
	nr_held--;
}

static void restart(void)
{
	ioband_sched_restart(&sched);
	must(began_anew());
}

/* There are 32 kinds of terms; the first is none. */
static struct ioband_terms *new_terms(struct fuzz_group *group, unsigned int kind)
{
	struct ioband_terms *terms = &group->terms[group->node.terms == group->terms];

	if (!kind)
		return NULL;
	fuzz_terms(terms, kind, 40);
	return terms;
}

static void set_terms(u8 arg)
{
	struct fuzz_group *group = &groups[arg % nr_groups];
	struct ioband_terms *old = group->node.terms;

	if (!group->in_tree)
		return;
	must(ioband_node_set_terms(&sched, &group->node,
				   new_terms(group, arg >> 3), now_ns) == old);
	if (old)
		memset(old, 0xa5, sizeof(*old));
}

static void move(u8 arg)
{
	struct fuzz_group *group = &groups[arg % nr_groups];
	struct fuzz_group *above = &groups[(arg >> 3) % nr_groups];
	struct ioband_node *parent = &above->node, *node;

	if (!group->in_tree || !above->in_tree)
		return;
	if (above == group)
		parent = &sched.root;
	for (node = parent; node; node = node->parent)
		if (node == &group->node)
			return;
	ioband_node_move(&sched, &group->node, parent, now_ns);
}

static void put_in(struct fuzz_group *group, u32 weight)
{
	ioband_node_init(&group->node, weight);
	ioband_node_add(&sched.root, &group->node);
	group->in_tree = true;
}

static void toggle(u8 arg)
{
	struct fuzz_group *group = &groups[arg % nr_groups];

	if (!group->in_tree) {
		put_in(group, 1 + arg);
	} else if (!group->node.held) {
		ioband_node_del(&sched, &group->node, now_ns);
		memset(group, 0xa5, sizeof(*group));
		group->in_tree = false;
	}
}

static void event(u8 what, u8 arg)
{
	struct fuzz_group *group = &groups[arg % nr_groups];

	/* The letters differ modulo 16, and so every byte means something. */
	switch (what % 16) {
	case 'h' % 16:
		hold(arg, IOBAND_READ, false, IOBAND_PRIO_NORMAL);
		break;
	case 'j' % 16:
		hold(arg, arg >> 3 & 1, false, (arg >> 4) % IOBAND_PRIOS);
		break;
	case 'a' % 16:
		hold(arg, IOBAND_WRITE, true, IOBAND_PRIO_NORMAL);
		break;
	case 'c' % 16:
		charge(arg);
		break;
	case 'i' % 16:
		pass(arg);
		break;
	case 'n' % 16:
		next();
		break;
	case 'd' % 16:
		in_flight -= !!in_flight;
		break;
	case 'p' % 16:
		/* From 1 ns to 17 s. */
		now_ns += (u64)(1 + (arg & 7)) << (arg >> 3);
		return;
	case 'u' % 16:
		unhold(arg);
		break;
	case 'w' % 16:
		/* 1 to 32767, all orders of magnitude alike. */
		if (group->in_tree)
			ioband_node_set_weight(&sched, &group->node,
					       IOBAND_WEIGHT_MAX >>
					       (arg >> 3) % 15);
		break;
	case 'k' % 16:
		if (group->in_tree)
			ioband_node_set_class(&sched, &group->node,
					      (arg >> 3) % IOBAND_CLASSES,
					      now_ns);
		break;
	case 'l' % 16:
		set_terms(arg);
		break;
	case 'm' % 16:
		move(arg);
		break;
	case 'f' % 16:
		toggle(arg);
		break;
	case 'r' % 16:
		restart();
		break;
	case 'o' % 16:
		sched.depth = 1 + arg;
		sched.service_ns = (u64)arg << 16;
		break;
	}
	check();
}

/* All that is held comes out, and then no more. */
static void drain(void)
{
	unsigned int patience, i;
	u64 expires_ns;

	for (patience = 0; nr_held && patience < 1000; patience++) {
		in_flight = 0;
		event('n', 0);
		/* Whoever sleeps until he is told to is told in time. */
		if (!ioband_is_ready(&sched) &&
		    ioband_timer(&sched, &expires_ns) &&
		    expires_ns - now_ns < 1000 * NSEC_PER_SEC)
			now_ns = expires_ns;
	}
	for (i = 0; i < nr_groups; i++) {
		if (!groups[i].in_tree)
			continue;
		/* Tags may start afresh. */
		ioband_node_set_terms(&sched, &groups[i].node, NULL, now_ns);
		check();
	}
	must(!ioband_timer(&sched, &expires_ns));
	while (nr_held) {
		in_flight = 0;
		event('n', 0);
	}
	event('n', 0);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	unsigned int class;
	size_t i;

	if (size < 4)
		return 0;
	nr_groups = 1 + data[0] % GROUPS;
	nr_ios = 0;
	nr_held = 0;
	in_flight = 0;
	now_ns = NSEC_PER_SEC;
	ioband_sched_init(&sched, &ioband_policies[data[2] % 5],
			  1 + data[1] % 32);
	period = sched.period;
	/* Begin shortly before the end of the period, so that it comes on the way. */
	for (class = 0; class < IOBAND_CLASSES; class++) {
		vtimes[class] = PERIOD_END - ((u64)data[3] << 16);
		sched.root.plain.vtime[class].now[IOBAND_READ] = vtimes[class];
		sched.root.plain.vtime[class].now[IOBAND_WRITE] = vtimes[class];
	}
	for (i = 0; i < nr_groups; i++)
		put_in(&groups[i], 1 + i * i * 700);

	for (i = 4; i + 1 < size; i += 2)
		event(data[i], data[i + 1]);
	drain();
	return 0;
}
