// SPDX-License-Identifier: GPL-2.0-only
/*
 * The core as the module's pools drive it: a disk of one or several legs with tasks,
 * which have streams where the disk seeks, and completions that are settled later.
 *
 * Input: four bytes (groups and legs, depth, policy, kind of disk), then events of two
 * bytes, a letter and what it concerns:
 *
 *	h read, j read or write of a priority, a writeback, c urgent I/O
 *	n pump, d done, p time passes, u push back, i drain
 *	w new weight, k new class, l new limits and promises
 *	m move, f take out or put back, r contention ends, o new depth, disk or policy
 */
#include "fuzz.h"
#include "fuzz_terms.h"
#include "invariants.h"
#include "dm-ioband/sched/depth.h"

enum {
	GROUPS		= 6,
	TASKS		= 4,	/* of each group */
	STREAMS		= 5,	/* fewer than tasks */
	LEGS		= 4,
	IOS		= 128,
	RUN_SECTORS	= 2560,
	/* With limits; without, every second round gives an I/O. */
	LIMITED_ROUNDS	= 50,
};

/* Virtual time shortly before a busy period ends by itself. */
#define NEAR_END (((u64)1 << 62) - ((u64)NSEC_PER_SEC << 10))

/* What is done and not yet settled. */
struct account {
	struct ioband_node *node;
	u64 used_ns;
	u64 charged_ns;
	u64 done_ns;
	u32 nr_done;
	u32 dirs;
	bool is_sync;
};

struct group {
	struct ioband_node node;
	struct ioband_leg legs[LEGS];
	struct ioband_terms terms[2];
	struct account account;
	struct pool_io *open;	/* a run that more may join */
	u64 done_ns;
	unsigned int refs;	/* I/Os held or at the disk */
	bool in_tree;
};

struct stream {
	struct ioband_node node;
	struct account account;
	struct group *group;
	unsigned int task;
	unsigned int busy;
};

enum state { FREE, HELD, AT_DISK };

struct pool_io {
	struct ioband_io io;
	enum state state;
	struct group *group;
	struct stream *stream;
	unsigned int number;
	u64 issue_ns;
	bool is_timed;
	bool is_writeback;
};

static struct ioband_sched sched;
static struct ioband_leg root_legs[LEGS];
static struct group groups[GROUPS];
static struct stream streams[STREAMS];
static struct pool_io ios[IOS];
static struct ioband_depth depth;
static struct ioband_depth_bounds bounds;
static unsigned int nr_groups, nr_legs, nr_held, nr_ever, in_flight[LEGS];
static u64 backed_up;
static bool contended;
static u64 now_ns;

static bool is_live(const struct ioband_node *node)
{
	unsigned int i;

	for (i = 0; i < nr_groups; i++)
		if (node == &groups[i].node && groups[i].in_tree)
			return true;
	for (i = 0; i < STREAMS; i++)
		if (node == &streams[i].node && streams[i].group)
			return true;
	return !node;
}

static void check(void)
{
	const char *broken = ioband_sched_broken(&sched, now_ns);
	const struct ioband_turn *turn = &sched.turn;
	unsigned int i;

	if (broken)
		fprintf(stderr, "%s\n", broken);
	must(!broken);
	must(sched.held == nr_held);
	must(is_live(sched.behind));
	must(is_live(turn->group) && is_live(turn->stream) && is_live(turn->last));
	for (i = 0; i < nr_groups; i++)
		must(!groups[i].in_tree ||
		     (ioband_due_ppm(&sched, &groups[i].node) <= 1000000 &&
		      ioband_got_ppm(&sched, &groups[i].node) <= 1000000));
}

static unsigned int all_in_flight(void)
{
	unsigned int leg, sum = 0;

	for (leg = 0; leg < nr_legs; leg++)
		sum += in_flight[leg];
	return sum;
}

static void update_depth(void)
{
	ioband_depth_enforce(&depth, &sched, &bounds);
}

static bool is_timed(void)
{
	return contended && (sched.turn.has_grace || sched.policy->by_time);
}

static void contend(void)
{
	update_depth();
	ioband_sched_restart(&sched);
	contended = true;
}

static void join(struct group *group)
{
	u64 nr = 0, sectors = 0;
	unsigned int i;

	if (ioband_node_joined(&sched, &group->node))
		return;
	for (i = 0; i < IOS; i++) {
		if (ios[i].state != AT_DISK || ios[i].group != group)
			continue;
		nr++;
		sectors += ios[i].io.sectors;
	}
	ioband_node_join(&sched, &group->node, nr, sectors);
}

static struct stream *stream_of(struct group *group, unsigned int task)
{
	struct stream *stream, *idle = NULL;

	if (!bounds.is_rotational || !sched.policy->by_time)
		return NULL;
	for (stream = streams; stream < streams + STREAMS; stream++) {
		if (stream->group == group && stream->task == task)
			goto found;
		if (!stream->busy && (!idle || (idle->group && !stream->group)))
			idle = stream;
	}
	stream = idle;
	if (!stream)
		return NULL;
	if (stream->group)
		ioband_node_del(&sched, &stream->node, now_ns);
	ioband_node_init(&stream->node, IOBAND_WEIGHT_DEFAULT);
	stream->node.is_stream = true;
	ioband_node_add(&group->node, &stream->node);
	stream->group = group;
	stream->task = task;
found:
	stream->busy++;
	if (!ioband_node_joined(&sched, &stream->node))
		ioband_node_join(&sched, &stream->node, 0, 0);
	return stream;
}

static void unstream(struct pool_io *io)
{
	if (io->stream)
		io->stream->busy--;
	io->stream = NULL;
}

static struct ioband_node *node_of(const struct pool_io *io)
{
	return io->stream ? &io->stream->node : &io->group->node;
}

static void settle_account(struct account *account)
{
	if (!account->nr_done)
		return;
	if (account->node->parent)
		ioband_done(&sched, account->node, account->nr_done,
			    account->dirs, account->used_ns, account->charged_ns,
			    account->is_sync, account->done_ns);
	account->nr_done = 0;
	account->dirs = 0;
	account->used_ns = 0;
	account->charged_ns = 0;
}

static void settle(void)
{
	unsigned int i;
	u32 nr_done;

	for (i = 0; i < nr_groups; i++)
		settle_account(&groups[i].account);
	for (i = 0; i < STREAMS; i++) {
		nr_done = streams[i].account.nr_done;
		settle_account(&streams[i].account);
		streams[i].busy -= nr_done;
	}
}

static bool has_room(const struct pool_io *io)
{
	if (backed_up & BIT_ULL(ioband_way(&io->io)))
		return false;
	return nr_legs == 1 ? in_flight[0] < sched.depth :
	       !(sched.full & BIT_ULL(ioband_way(&io->io)));
}

static bool at_limit(const struct pool_io *io)
{
	const struct ioband_node *node;

	for (node = node_of(io); node->parent; node = node->parent)
		if (node->terms && ioband_terms_open_ns(node->terms, io->io.dir,
							now_ns) != now_ns)
			return true;
	return false;
}

/* Of a kind, the oldest I/O of a node goes first. */
static bool is_oldest(const struct pool_io *io)
{
	const struct pool_io *other;

	for (other = ios; other < ios + IOS; other++)
		if (other->state == HELD && other->number < io->number &&
		    node_of(other) == node_of(io) &&
		    ioband_way(&other->io) == ioband_way(&io->io) &&
		    other->io.is_async == io->io.is_async &&
		    other->io.prio == io->io.prio)
			return false;
	return true;
}

static struct ioband_io *next_of(void)
{
	u64 full = backed_up, brim = backed_up;
	unsigned int leg;

	for (leg = 0; nr_legs > 1 && leg < nr_legs; leg++) {
		if (in_flight[leg] >= sched.depth ||
		    (sched.turn.is_serial && all_in_flight()))
			full |= ioband_ways_to(leg);
		if (in_flight[leg] >= (u64)sched.depth + sched.spare)
			brim |= ioband_ways_to(leg);
	}
	sched.backed_up = backed_up;
	sched.full = full;
	sched.brim = brim;
	return ioband_next(&sched, all_in_flight(), now_ns);
}

static void issue(struct pool_io *io, bool timed)
{
	io->state = AT_DISK;
	io->issue_ns = now_ns;
	io->is_timed = timed;
	in_flight[io->io.leg]++;
}

static void no_longer_held(struct pool_io *io)
{
	must(io->state == HELD);
	must(io->io.limited_ns <= now_ns - io->io.arrival_ns);
	if (io->group->open == io)
		io->group->open = NULL;
	nr_held--;
}

/* What is held still waits for room, for a limit, or for a grace to end. */
static void must_be_all(void)
{
	const struct pool_io *io;
	u64 expires_ns;

	if (!sched.turn.since_ns)
		for (io = ios; io < ios + IOS; io++)
			must(io->state != HELD || at_limit(io) || !has_room(io));
	if (!all_in_flight() && nr_held && !backed_up)
		must(ioband_timer(&sched, &expires_ns) && expires_ns > now_ns);
}

static void pump(void)
{
	struct ioband_io *next;
	struct pool_io *io;

	settle();
	check();
	for (;;) {
		next = next_of();
		if (!next && !contended && ioband_is_ready(&sched)) {
			contend();
			next = next_of();
		}
		if (!next)
			break;
		io = container_of(next, struct pool_io, io);
		must(is_oldest(io));
		must(in_flight[io->io.leg] < max_t(u64, (u64)sched.depth + sched.spare,
						   sched.turn.at_once));
		no_longer_held(io);
		issue(io, is_timed());
		if (!is_timed())
			unstream(io);
		check();
	}
	check();
	must_be_all();
}

static struct pool_io *new_io(u8 arg, enum ioband_dir dir, bool is_async, u8 prio)
{
	static const u16 sizes[] = { 8, 64, 512, 2048 };
	struct group *group = &groups[(arg & 7) % nr_groups];
	struct pool_io *io;

	if (!group->in_tree)
		return NULL;
	for (io = ios; io < ios + IOS && io->state != FREE; io++)
		;
	if (io == ios + IOS)
		return NULL;
	memset(io, 0, sizeof(*io));
	io->group = group;
	io->io.arrival_ns = now_ns;
	io->io.leg = (arg >> 3) % nr_legs;
	io->io.sectors = sizes[arg >> 6];
	io->io.dir = dir;
	io->io.is_async = is_async;
	io->io.prio = prio;
	return io;
}

static void enqueue(struct pool_io *io)
{
	io->state = HELD;
	io->number = nr_ever++;
	nr_held++;
	if (io->is_writeback)
		io->group->open = io;
	io->io.done_ns = io->group->done_ns;
	ioband_hold(&sched, node_of(io), &io->io, now_ns);
}

static bool merge(struct pool_io *io)
{
	struct pool_io *first = io->group->open;

	if (!io->is_writeback || !first || first->io.leg != io->io.leg ||
	    first->io.sectors + io->io.sectors > RUN_SECTORS)
		return false;
	first->io.merged++;
	first->io.sectors += io->io.sectors;
	return true;
}

static void hold(struct pool_io *io, unsigned int task)
{
	if (!io)
		return;
	if (!contended && ioband_may_pass(&io->group->node, &io->io, now_ns)) {
		if (in_flight[io->io.leg] < sched.depth) {
			ioband_charge_limits(&sched, &io->group->node, &io->io,
					     false, now_ns);
			io->group->refs++;
			issue(io, false);
			return;
		}
		contend();
	}
	join(io->group);
	if (!io->is_writeback)
		io->stream = stream_of(io->group, task);
	if (io->stream || sched.turn.is_serial)
		io->io.leg = 0;
	if (!merge(io)) {
		io->group->refs++;
		enqueue(io);
		check();
	}
	pump();
}

static void writeback(u8 arg)
{
	struct pool_io *io = new_io(arg, IOBAND_WRITE, true, IOBAND_PRIO_NORMAL);

	if (!io)
		return;
	io->is_writeback = true;
	hold(io, 0);
}

static void urgent(u8 arg)
{
	struct pool_io *io = new_io(arg, IOBAND_WRITE, false, IOBAND_PRIO_NORMAL);

	if (!io || !contended)
		return;
	join(io->group);
	ioband_charge(&sched, arg & 0x20 ? &sched.root : &io->group->node, &io->io,
		      now_ns);
	io->group->refs++;
	issue(io, false);
}

static void done(u8 arg)
{
	unsigned int nr = all_in_flight() ? arg % 8 % all_in_flight() : 0;
	struct account *account;
	struct pool_io *io;

	for (io = ios; io < ios + IOS; io++)
		if (io->state == AT_DISK && !nr--)
			break;
	if (io == ios + IOS)
		return;
	if (io->is_timed) {
		account = io->stream ? &io->stream->account : &io->group->account;
		account->used_ns += (now_ns - io->issue_ns) >> (arg >> 3) % 8;
		account->charged_ns += io->io.cost;
		/* Who pumps may have looked at the clock before that. */
		account->done_ns = now_ns + (arg >> 6) * 1000;
		account->nr_done += 1 + io->io.merged;
		account->dirs |= BIT(io->io.dir);
		account->is_sync = !io->is_writeback;
	}
	if (contended)
		io->group->done_ns = now_ns;
	in_flight[io->io.leg]--;
	io->group->refs--;
	io->state = FREE;
}

static void take_back(struct pool_io *io)
{
	ioband_unhold(&sched, node_of(io), &io->io, now_ns);
	no_longer_held(io);
	unstream(io);
}

static struct pool_io *first_held(const struct group *group)
{
	struct ioband_io *io = ioband_first_held(&group->node);
	unsigned int i;

	for (i = 0; !io && i < STREAMS; i++)
		if (streams[i].group == group)
			io = ioband_first_held(&streams[i].node);
	return io ? container_of(io, struct pool_io, io) : NULL;
}

/* As in a noflush suspend: some goes back to dm, and the rest is held again. */
static void push_back(u8 arg)
{
	struct group *group = &groups[(arg & 7) % nr_groups];
	struct pool_io *io, *others[IOS];
	unsigned int nr = 0, i;

	while (group->in_tree && (io = first_held(group))) {
		take_back(io);
		io->state = FREE;
		if ((io->number ^ arg >> 3) & 3)
			others[nr++] = io;
		else
			group->refs--;
	}
	for (i = 0; i < nr; i++)
		enqueue(others[i]);
}

static void let_go(u8 arg)
{
	struct group *group = &groups[(arg & 7) % nr_groups];
	struct pool_io *io;

	while (group->in_tree && (io = first_held(group))) {
		take_back(io);
		ioband_charge(&sched, &group->node, &io->io, now_ns);
		issue(io, false);
	}
}

static void set_terms(u8 arg)
{
	struct group *group = &groups[(arg & 7) % nr_groups];
	struct ioband_terms *old = group->node.terms, *terms = NULL;

	if (!group->in_tree)
		return;
	if (arg >> 3) {
		terms = &group->terms[old == group->terms];
		fuzz_terms(terms, arg >> 3, arg & 8 ? 40 : 0);
	}
	must(ioband_node_set_terms(&sched, &group->node, terms, now_ns) == old);
	if (old)
		memset(old, 0xa5, sizeof(*old));
}

static void move(u8 arg)
{
	struct group *group = &groups[(arg & 7) % nr_groups];
	struct group *above = &groups[(arg >> 3) % nr_groups];
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

static void put_in(struct group *group, u32 weight)
{
	memset(group, 0, sizeof(*group));
	ioband_node_init(&group->node, weight);
	if (nr_legs > 1)
		ioband_node_set_legs(&group->node, group->legs, nr_legs);
	ioband_node_add(&sched.root, &group->node);
	group->account.node = &group->node;
	group->in_tree = true;
}

static void take_out(struct group *group, struct group *heir)
{
	struct pool_io *io;
	unsigned int i;

	if (!heir->in_tree || heir == group)
		return;
	if (first_held(group))
		join(heir);
	while ((io = first_held(group))) {
		take_back(io);
		group->refs--;
		heir->refs++;
		io->group = heir;
		enqueue(io);
	}
	for (i = 0; i < STREAMS; i++) {
		if (streams[i].group != group)
			continue;
		ioband_node_del(&sched, &streams[i].node, now_ns);
		streams[i].group = NULL;
	}
	ioband_node_del(&sched, &group->node, now_ns);
	group->in_tree = false;
	pump();
}

static void toggle(u8 arg)
{
	struct group *group = &groups[(arg & 7) % nr_groups];

	if (group->in_tree)
		take_out(group, &groups[(arg >> 3) % nr_groups]);
	else if (!group->refs && !group->account.nr_done)
		put_in(group, 1 + arg);
}

static void reconfigure(u8 arg)
{
	u8 value = arg >> 2;

	switch (arg & 3) {
	case 0:
		depth.depth = 1 + value;
		break;
	case 1:
		bounds.io_throttle = value & 7;
		bounds.io_limit = value >> 3;
		break;
	case 2:
		bounds.is_rotational = value & 1;
		sched.turn.grace_ns = (value & 1 ? 8 : 1) * NSEC_PER_MSEC;
		if (sched.policy != &ioband_policies[(value >> 1) % 6])
			ioband_sched_set_policy(&sched,
						&ioband_policies[(value >> 1) % 6]);
		break;
	case 3:
		sched.service_ns = (u64)value << 20;
		sched.turn.quantum_ns = (1 + value) * NSEC_PER_MSEC;
		break;
	}
	update_depth();
}

/* From now on workers have as many writes to these legs in hand as they may. */
static void back_up(u8 legs)
{
	unsigned int leg;

	backed_up = 0;
	for (leg = 0; leg < nr_legs; leg++)
		if (legs & BIT(leg))
			backed_up |= BIT_ULL(leg * IOBAND_DIRS + IOBAND_WRITE);
}

static void event(u8 what, u8 arg)
{
	struct group *group = &groups[(arg & 7) % nr_groups];

	/* The letters differ modulo 16, and so every byte means something. */
	switch (what % 16) {
	case 'h' % 16:
		hold(new_io(arg, IOBAND_READ, false, IOBAND_PRIO_NORMAL),
		     (arg >> 3) % TASKS);
		break;
	case 'j' % 16:
		hold(new_io(arg, arg >> 5 & 1, arg >> 5 & arg >> 6 & 1,
			    (arg >> 4) % IOBAND_PRIOS), (arg >> 3) % TASKS);
		break;
	case 'a' % 16:
		writeback(arg);
		break;
	case 'c' % 16:
		urgent(arg);
		break;
	case 'n' % 16:
		back_up(arg & 0x80 ? arg : 0);
		pump();
		break;
	case 'd' % 16:
		done(arg);
		break;
	case 'p' % 16:
		/* From 1 ns to 17 s. */
		now_ns += (u64)(1 + (arg & 7)) << (arg >> 3);
		return;
	case 'u' % 16:
		push_back(arg);
		break;
	case 'i' % 16:
		let_go(arg);
		break;
	case 'w' % 16:
		if (group->in_tree)
			ioband_node_set_weight(&sched, &group->node,
					       IOBAND_WEIGHT_MAX >> (arg >> 3) % 15);
		break;
	case 'k' % 16:
		if (group->in_tree)
			ioband_node_set_class(&sched, &group->node,
					      (arg >> 3) % IOBAND_CLASSES, now_ns);
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
		if (!ioband_is_ready(&sched))
			contended = false;
		break;
	case 'o' % 16:
		reconfigure(arg);
		break;
	}
	check();
}

/* All that is held comes out, with limits or at least without. */
static void drain(void)
{
	unsigned int round, i;
	u64 expires_ns;

	back_up(0);
	for (round = 0; nr_held && round < LIMITED_ROUNDS + 2 * IOS; round++) {
		for (i = 0; round == LIMITED_ROUNDS && i < nr_groups; i++)
			set_terms(i);
		pump();
		now_ns += NSEC_PER_MSEC;
		while (all_in_flight())
			done(0);
		if (ioband_timer(&sched, &expires_ns) &&
		    !ioband_before(expires_ns, now_ns) &&
		    expires_ns - now_ns < 1000 * NSEC_PER_SEC)
			now_ns = expires_ns;
	}
	must(!nr_held);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	unsigned int i;
	size_t at;

	if (size < 4)
		return 0;
	memset(ios, 0, sizeof(ios));
	memset(streams, 0, sizeof(streams));
	memset(root_legs, 0, sizeof(root_legs));
	memset(in_flight, 0, sizeof(in_flight));
	nr_groups = 1 + (data[0] & 7) % GROUPS;
	nr_legs = 1 + (data[0] >> 3) % LEGS;
	nr_held = 0;
	nr_ever = 0;
	backed_up = 0;
	contended = false;
	now_ns = NSEC_PER_SEC;
	ioband_depth_init(&depth, nr_legs);
	depth.depth = 1 + data[1] % 32;
	bounds = (struct ioband_depth_bounds) {
		.tags = 1 + data[1] / 8 * 4,
		.legs = nr_legs,
		.is_rotational = data[3] & 1,
	};
	for (i = 0; i < STREAMS; i++) {
		ioband_node_init(&streams[i].node, IOBAND_WEIGHT_DEFAULT);
		streams[i].account.node = &streams[i].node;
	}
	ioband_sched_init(&sched, &ioband_policies[data[2] % 6], 1);
	if (nr_legs > 1)
		ioband_node_set_legs(&sched.root, root_legs, nr_legs);
	sched.turn.grace_ns = (bounds.is_rotational ? 8 : 1) * NSEC_PER_MSEC;
	sched.service_ns = (u64)(data[3] >> 1 & 63) << 18;
	update_depth();
	/* A busy period also ends by itself. */
	for (i = 0; data[3] & 0x80 && i < nr_legs; i++)
		sched.root.leg[i].vtime[IOBAND_BE] = (struct ioband_vtime) {
			.now = { NEAR_END, NEAR_END },
		};
	for (i = 0; i < nr_groups; i++)
		put_in(&groups[i], 1 + i * i * 700);

	for (at = 4; at + 1 < size; at += 2)
		event(data[at], data[at + 1]);
	drain();
	return 0;
}
