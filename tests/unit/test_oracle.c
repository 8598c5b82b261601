// SPDX-License-Identifier: GPL-2.0-only
/*
 * The oracle: random runs of the core, held against three slow and plain
 * judges that share no arithmetic with it.
 *
 * plain	SFQ as its paper has it, tags in floating point, every queue
 *		looked at. The core may only ever send an I/O with the smallest
 *		tag. Judges every run.
 * pairs	W. Jin, J. Chase, J. Kaur, "Interposed Proportional Sharing for
 *		a Storage Service Utility", SIGMETRICS 2004, theorem 1: over any
 *		interval in which both are backlogged, what two groups get per
 *		weight differs by at most (D + 1) * (c1/w1 + c2/w2), c being the
 *		largest cost; as long as it counts what is sent, not what is
 *		done, by c1/w1 + c2/w2.
 * fluid	generalised processor sharing: all groups with anything left are
 *		served at once, in proportion to weight, as much in all as the
 *		disk has done. A start tag says nothing of the I/O behind it, so
 *		each group may have one I/O served ahead of a group that the
 *		fluid would have served. A group is off by one I/O of every
 *		group and one of its own when it counts what is sent, and by the
 *		D in flight when it counts what is done.
 *
 * Pairs and fluid do not judge runs with I/O that must not wait: such I/O is
 * sent without regard to weight. The plain judge sees that it is paid for. Nor
 * does the fluid judge runs in which weights change, as it heeds a new weight at
 * once, and the core from the next I/O on.
 *
 * The disk is an event: some I/O in flight, any of them, is done. That is every
 * service time there can be. IOBAND_SEED=n runs one seed, IOBAND_RUNS=n so many.
 */
#include "unit.h"
#include <float.h>
#include <math.h>
#include "invariants.h"
#include "prng.h"

enum {
	GROUPS	= 6,
	EVENTS	= 1000,
	BURST	= 4,
	RUNS	= 5000,
};

enum io_state {
	NEW,
	HELD,
	SENT,
	DONE,
};

struct sim_io {
	struct ioband_io io;
	enum io_state state;
	unsigned int group;
	unsigned int number;	/* of the I/Os its group ever held */
	long double step;	/* cost per weight when it was sent */
};

struct sim_group {
	struct ioband_node node;
	u32 weight;
	bool on;
	u32 max_sectors;
	u32 percent_writes;
	u32 held;
	u32 in_flight;
	u64 sectors_in_flight;
	unsigned int nr_held;	/* number for the next I/O held */
	unsigned int nr_sent;	/* number of the next I/O to be sent */

	long double tag;	/* plain: cost per weight */
	long double sent;	/* pairs: cost per weight */
	long double done;
	long double step;	/* pairs: the most that one I/O adds to it */
	long double left;	/* fluid: cost not yet served */
	long double lag;	/* fluid: cost served, less what the disk has done */
	long double cost;	/* fluid: of its largest I/O */
};

/* How far apart two groups have been since both are backlogged. */
struct sim_pair {
	bool open;
	long double min_sent, max_sent;
	long double min_done, max_done;
};

static struct {
	u64 seed;
	unsigned int event;
	struct prng prng;

	bool by_size;		/* cost counts sectors, not I/Os */
	bool charges;		/* some I/O may not wait */
	bool bypass;		/* the core is not called without contention */
	bool reweight;		/* weights change on the way */

	struct ioband_sched sched;
	unsigned int nr_groups;
	struct sim_group groups[GROUPS];
	struct sim_pair pairs[GROUPS][GROUPS];

	struct sim_io ios[EVENTS * BURST];
	unsigned int nr_ios;
	struct sim_io *at_disk[EVENTS * BURST];
	unsigned int in_flight;

	struct sim_group *came;	/* held nothing, and now its first I/O */

	u64 vtime;
	long double plain_vtime;
	long double slack;	/* what rounding may have done to a tag */
} sim;

#define must(condition, fmt, ...) do {					\
	if (!(condition))						\
		fail_msg("IOBAND_SEED=%llu event %u: " fmt,		\
			 (unsigned long long)sim.seed, sim.event,	\
			 ##__VA_ARGS__);				\
} while (0)

static u32 most_in_flight(void)
{
	return sim.sched.depth + sim.sched.spare;
}

static const u64 *core_vtime(void)
{
	return &sim.sched.root.plain.vtime[IOBAND_BE].now[IOBAND_READ];
}

static long double cost_of(const struct sim_io *io)
{
	return sim.by_size ? max_t(u64, io->io.sectors, 8) : 1;
}

/* Each clamp to virtual time, and each new weight, may drop a remainder. */
static void rounded(void)
{
	sim.slack += 1.0L / 65536;
}

static void plain_not_before_vtime(struct sim_group *group)
{
	if (group->tag < sim.plain_vtime + sim.slack)
		rounded();
	group->tag = fmaxl(group->tag, sim.plain_vtime);
}

static void plain_next(const struct sim_group *chosen)
{
	unsigned int i;

	for (i = 0; i < sim.nr_groups; i++)
		must(!sim.groups[i].held ||
		     chosen->tag <= sim.groups[i].tag + sim.slack,
		     "group %td goes with tag %Lf, %u has %Lf",
		     chosen - sim.groups, chosen->tag, i, sim.groups[i].tag);
	sim.plain_vtime = chosen->tag;
}

static void judge_pair(unsigned int i, unsigned int j)
{
	struct sim_group *a = &sim.groups[i], *b = &sim.groups[j];
	struct sim_pair *pair = &sim.pairs[i][j];
	long double sent = a->sent - b->sent, done = a->done - b->done;
	/* What a group has in flight when it joins counts as sent with it. */
	long double bound = (a->step + b->step) *
			    (sim.bypass ? most_in_flight() + 1 : 1);

	if (pair->open) {
		pair->min_sent = fminl(pair->min_sent, sent);
		pair->max_sent = fmaxl(pair->max_sent, sent);
		pair->min_done = fminl(pair->min_done, done);
		pair->max_done = fmaxl(pair->max_done, done);
		must(pair->max_sent - pair->min_sent <= bound + sim.slack,
		     "%u and %u: %Lf apart when sent, bound %Lf", i, j,
		     pair->max_sent - pair->min_sent, bound);
		bound += (a->step + b->step) * most_in_flight();
		must(pair->max_done - pair->min_done <= bound + sim.slack,
		     "%u and %u: %Lf apart when done, bound %Lf", i, j,
		     pair->max_done - pair->min_done, bound);
	} else {
		pair->min_sent = sent;
		pair->max_sent = sent;
		pair->min_done = done;
		pair->max_done = done;
	}
	pair->open = a->held && b->held;
}

static void fluid_serve(long double cost)
{
	while (cost > 1e-9L) {
		long double weights = 0, share = LDBL_MAX;
		struct sim_group *group;

		for (group = sim.groups; group < sim.groups + sim.nr_groups;
		     group++) {
			if (group->left <= 0)
				continue;
			weights += group->weight;
			share = fminl(share, group->left / group->weight);
		}
		must(weights, "the disk has done more than was asked of it");

		share = fminl(share, cost / weights);
		for (group = sim.groups; group < sim.groups + sim.nr_groups;
		     group++) {
			long double got = share * group->weight;

			if (group->left <= 0)
				continue;
			group->left -= got;
			group->lag += got;
			if (group->left < 1e-9L)
				group->left = 0;
		}
		cost -= share * weights;
	}
}

static void judge_fluid(void)
{
	long double largest = 0, one_of_each = 0;
	unsigned int i;

	for (i = 0; i < sim.nr_groups; i++) {
		largest = fmaxl(largest, sim.groups[i].cost);
		one_of_each += sim.groups[i].cost;
	}
	for (i = 0; i < sim.nr_groups; i++) {
		long double bound = one_of_each + sim.groups[i].cost +
				    most_in_flight() * largest;

		must(fabsl(sim.groups[i].lag) <= bound + 1e-3L,
		     "group %u is off by %Lf from the fluid, bound %Lf", i,
		     sim.groups[i].lag, bound);
	}
}

/* After every step. */
static void judge(void)
{
	const char *broken = ioband_sched_broken(&sim.sched, sim.event) ?:
			     ioband_tags_broken(&sim.sched, &sim.sched.root);
	unsigned int i, j;

	must(!broken, "%s", broken);
	for (i = 0; i < sim.nr_groups; i++)
		must(sim.groups[i].node.held == sim.groups[i].held,
		     "group %u has lost or found I/O", i);
	if (sim.charges)
		return;
	if (!sim.reweight)
		judge_fluid();
	for (i = 0; i < sim.nr_groups; i++)
		for (j = 0; j < i; j++)
			judge_pair(i, j);
}

static void to_disk(struct sim_io *io)
{
	struct sim_group *group = &sim.groups[io->group];

	must(io->state == NEW || io->state == HELD, "sent twice");
	io->state = SENT;
	io->step = cost_of(io) / group->weight;
	sim.at_disk[sim.in_flight++] = io;
	group->in_flight++;
	group->sectors_in_flight += io->io.sectors;
}

static void send_held(void)
{
	struct ioband_io *next;

	while ((next = ioband_next(&sim.sched, sim.in_flight, sim.event))) {
		struct sim_io *io = container_of(next, struct sim_io, io);
		struct sim_group *group = &sim.groups[io->group];

		must(io->state == HELD, "sent but not held");
		must(io->number == group->nr_sent++, "not the oldest");
		must(sim.in_flight < sim.sched.depth ||
		     (group == sim.came && sim.in_flight < most_in_flight()),
		     "deeper than the depth");
		sim.came = NULL;
		must(!ioband_before(*core_vtime(), sim.vtime),
		     "virtual time runs backwards");
		sim.vtime = *core_vtime();
		plain_next(group);
		to_disk(io);
		group->held--;
		group->tag += io->step;
		group->sent += io->step;
		judge();
	}
	must(!sim.sched.held || sim.in_flight >= sim.sched.depth,
	     "the disk idles while I/O is held");
}

static void complete(void)
{
	unsigned int i = prng_below(&sim.prng, sim.in_flight);
	struct sim_io *io = sim.at_disk[i];
	struct sim_group *group = &sim.groups[io->group];

	must(io->state == SENT, "done but not sent");
	io->state = DONE;
	sim.at_disk[i] = sim.at_disk[--sim.in_flight];
	group->in_flight--;
	group->sectors_in_flight -= io->io.sectors;
	group->done += io->step;
	group->lag -= cost_of(io);
	fluid_serve(cost_of(io));
	judge();
	send_held();
}

static void join(struct sim_group *group)
{
	u64 ios = sim.bypass ? group->in_flight : 0;
	u64 sectors = sim.bypass ? group->sectors_in_flight : 0;

	if (ioband_node_joined(&sim.sched, &group->node))
		return;
	ioband_node_join(&sim.sched, &group->node, ios, sectors);
	group->tag = sim.plain_vtime +
		     (long double)(sim.by_size ? max(sectors, 8 * ios) : ios) / group->weight;
	rounded();
}

static void restart(void)
{
	ioband_sched_restart(&sim.sched);
	sim.vtime = 0;
	sim.plain_vtime = 0;
	sim.slack = 1.0L / 65536;
}

static void arrive(struct sim_group *group, bool urgent)
{
	struct sim_io *io = &sim.ios[sim.nr_ios++];

	io->group = group - sim.groups;
	io->io.sectors = 1 + prng_below(&sim.prng, group->max_sectors);
	io->io.dir = prng_percent(&sim.prng, group->percent_writes);
	io->io.prio = IOBAND_PRIO_NORMAL;
	io->io.arrival_ns = sim.event;
	group->left += cost_of(io);
	group->step = fmaxl(group->step, cost_of(io) / group->weight);
	group->cost = fmaxl(group->cost, cost_of(io));

	if (sim.bypass && !sim.sched.held) {
		if (urgent || sim.in_flight < sim.sched.depth) {
			to_disk(io);
			return;
		}
		restart();
	}
	join(group);
	if (urgent) {
		if (!group->held)
			plain_not_before_vtime(group);
		ioband_charge(&sim.sched, &group->node, &io->io, sim.event);
		group->tag += cost_of(io) / group->weight;
		to_disk(io);
	} else {
		if (!group->held++)
			plain_not_before_vtime(group);
		sim.came = group->held == 1 ? group : NULL;
		io->state = HELD;
		io->number = group->nr_held++;
		ioband_hold(&sim.sched, &group->node, &io->io, sim.event);
	}
	judge();
	send_held();
}

static u32 random_weight(void)
{
	return 1 + prng_below(&sim.prng, prng_percent(&sim.prng, 50) ? 10 : 1000);
}

static void new_weight(struct sim_group *group)
{
	long double lead = group->tag - sim.plain_vtime;
	u32 old = group->weight;
	unsigned int i;

	group->weight = random_weight();
	/* What it is ahead of the others is the same I/O at another weight. */
	if (ioband_node_joined(&sim.sched, &group->node) && lead > 0)
		group->tag = sim.plain_vtime + lead * old / group->weight;
	/* That step may be one of an I/O that is long done. */
	group->step = fmaxl(group->step, group->tag - sim.plain_vtime);
	/* And what rounding did to it grows with it. */
	if (old > group->weight)
		sim.slack *= (long double)old / group->weight;
	ioband_node_set_weight(&sim.sched, &group->node, group->weight);
	rounded();
	/* So from here on the pairs count from where they stand. */
	for (i = 0; i < sim.nr_groups; i++) {
		sim.pairs[group - sim.groups][i].open = false;
		sim.pairs[i][group - sim.groups].open = false;
	}
	/* What is held may now take a larger step, and so may what is sent. */
	for (i = 0; i < sim.nr_ios; i++)
		if (&sim.groups[sim.ios[i].group] == group &&
		    sim.ios[i].state != DONE)
			group->step = fmaxl(group->step,
					    cost_of(&sim.ios[i]) /
					    group->weight);
}

static void start(u64 seed)
{
	const char *policy;
	unsigned int i;

	memset(&sim, 0, sizeof(sim));
	sim.seed = seed;
	prng_seed(&sim.prng, seed);
	sim.charges = prng_percent(&sim.prng, 25);
	sim.bypass = prng_percent(&sim.prng, 33);
	sim.reweight = prng_percent(&sim.prng, 33);
	sim.by_size = prng_percent(&sim.prng, 50);
	policy = sim.by_size ? "weight-iosize" : "weight";
	ioband_sched_init(&sim.sched, ioband_policy_find(policy),
			  1 + prng_below(&sim.prng,
					 1 << prng_below(&sim.prng, 6)));
	sim.sched.spare = prng_below(&sim.prng, 8);
	sim.nr_groups = 2 + prng_below(&sim.prng, GROUPS - 1);
	for (i = 0; i < sim.nr_groups; i++) {
		sim.groups[i].weight = random_weight();
		ioband_node_init(&sim.groups[i].node, sim.groups[i].weight);
		ioband_node_add(&sim.sched.root, &sim.groups[i].node);
		sim.groups[i].percent_writes = prng_below(&sim.prng, 101);
		sim.groups[i].on = prng_percent(&sim.prng, 70);
		sim.groups[i].max_sectors = 1 << prng_below(&sim.prng, 12);
	}
}

static void run(u64 seed)
{
	u32 percent_arrive, percent_toggle;
	unsigned int i;

	start(seed);
	percent_arrive = 25 + prng_below(&sim.prng, 40);
	percent_toggle = prng_below(&sim.prng, 10);
	for (sim.event = 0; sim.event < EVENTS; sim.event++) {
		struct sim_group *group =
			&sim.groups[prng_below(&sim.prng, sim.nr_groups)];

		if (prng_percent(&sim.prng, percent_toggle))
			group->on = !group->on;
		if (sim.reweight && prng_percent(&sim.prng, 1))
			new_weight(group);

		if (sim.charges && prng_percent(&sim.prng, 3)) {
			arrive(group, true);
		} else if (prng_percent(&sim.prng, percent_arrive)) {
			for (i = 1 + prng_below(&sim.prng, BURST);
			     group->on && i; i--)
				arrive(group, false);
		} else if (sim.in_flight) {
			complete();
		}
	}

	while (sim.in_flight)
		complete();
	must(!sim.sched.held, "I/O is left held");
	for (i = 0; i < sim.nr_ios; i++)
		must(sim.ios[i].state == DONE, "I/O %u is lost", i);
}

static u64 number_from_env(const char *name, u64 otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

static void test_oracle(void **state)
{
	u64 first = number_from_env("IOBAND_SEED", 0);
	u64 runs = number_from_env("IOBAND_RUNS",
				   getenv("IOBAND_SEED") ? 1 : RUNS);
	u64 i;

	for (i = 0; i < runs; i++)
		run(first + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_oracle),
	};

	return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}
