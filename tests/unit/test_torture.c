// SPDX-License-Identifier: GPL-2.0-only
/*
 * Torture: see torture.h. IOBAND_SEED=n runs one seed, IOBAND_RUNS=n so many, of
 * IOBAND_EVENTS=n events each; "make torture" takes a million.
 */
#include "torture.h"

enum {
	RUNS	= 2000,
	EVENTS	= 1000,
};

struct sim sim;

static struct prng *const prng = &sim.prng;

const char *torture_flags(void)
{
	static char flags[12];

	snprintf(flags, sizeof(flags), "%s%s%s%s%s%s%s%s%s%s%s",
		 sim.by_size ? "s" : "", sim.charges ? "c" : "",
		 sim.reweight ? "w" : "", sim.topology ? "t" : "",
		 sim.classes ? "k" : "", sim.levels ? "p" : "",
		 sim.limits ? "l" : "", sim.minimums ? "m" : "",
		 sim.latencies ? "y" : "", sim.unholds ? "u" : "",
		 sim.restarts ? "r" : "");
	return flags;
}

static void check(void)
{
	const char *broken = ioband_sched_broken(&sim.sched, sim.now_ns);

	must(!broken, "%s", broken);
	broken = ioband_tags_broken(&sim.sched, &sim.sched.root);
	must(!broken, "%s", broken);
	must(sim.sched.held == sim.held, "I/O is lost or found");
}

/* After every change. */
static void settle(void)
{
	check();
	order_snapshot();
	terms_look();
	share_judge();
}

static bool percent(u32 percent)
{
	return prng_percent(prng, percent);
}

static u32 random_weight(void)
{
	return 1 + prng_below(prng, percent(50) ? 10 : 1000);
}

static unsigned int level_of(const struct sim_node *node)
{
	unsigned int level = 0;

	for (; node->parent; node = node->parent)
		level++;
	return level;
}

static bool is_leaf(const struct sim_node *node)
{
	return list_empty(&node->node.children);
}

static struct sim_node *random_parent(void)
{
	struct sim_node *node;

	do {
		node = &sim.nodes[prng_below(prng, NODES)];
	} while (!node->in_tree || level_of(node) >= LEVELS);
	return node;
}

static void put_in(struct sim_node *node)
{
	struct sim_node *parent = random_parent();

	memset(node, 0, sizeof(*node));
	memset(&sim.entities[index_of(node)], 0, sizeof(sim.entities[0]));
	memset(&sim.entities[own_of(node)], 0, sizeof(sim.entities[0]));
	INIT_LIST_HEAD(&node->held);
	node->in_tree = true;
	node->parent = parent;
	node->weight = random_weight();
	node->class = IOBAND_BE;
	node->sends = percent(75);
	node->on = percent(70);
	node->max_sectors = 1 << prng_below(prng, 12);
	node->percent_writes = prng_below(prng, 101);
	ioband_node_init(&node->node, node->weight);
	ioband_node_add(core_of(parent), &node->node);
	check();
}

static void give_terms(struct sim_node *node, const struct ioband_rate *limits)
{
	static const struct ioband_rate none[IOBAND_LIMITS];
	struct ioband_terms *old = node->terms;

	node->terms = NULL;
	if (limits || node->min_rate || node->latency_ns) {
		node->terms = malloc(sizeof(*node->terms));
		ioband_terms_init(node->terms, limits ?: none, node->min_rate,
				  node->min_is_ios, node->latency_ns);
	}
	must(ioband_node_set_terms(&sim.sched, &node->node, node->terms,
				   sim.now_ns) == old, "not the old terms");
	free(old);
	terms_set(node, limits);
	share_begin();
	check();
}

/* About as much as the disk does, or a tenth or a thousandth of that. */
static void random_limits(struct sim_node *node)
{
	struct ioband_rate limits[IOBAND_LIMITS] = { 0 };
	unsigned int i;

	for (i = 0; i < IOBAND_LIMITS; i++) {
		u64 unit = i <= IOBAND_BPS ? node->max_sectors * 512 : 1;
		u64 disk = unit * NSEC_PER_SEC / sim.slow_ns;
		struct ioband_rate *limit = &limits[i];

		if (percent(70))
			continue;
		limit->rate = 1 + prng_next(prng) %
			      (disk >> prng_below(prng, 10) ?: 1);
		if (percent(50))
			limit->burst = unit * prng_below(prng, 50);
		if (percent(30))
			limit->peak = limit->rate * (1 + prng_below(prng, 5));
	}
	give_terms(node, percent(80) ? limits : NULL);
}

/* For a few that have no children; together no more than the disk can do. */
static void random_promises(void)
{
	struct sim_node *chosen[4], *node;
	unsigned int nr = 0, i;

	for (node = sim.nodes + 1; node < sim.nodes + NODES; node++)
		if (nr < ARRAY_SIZE(chosen) && node->in_tree && node->sends &&
		    is_leaf(node) && percent(50))
			chosen[nr++] = node;
	for (i = 0; i < nr; i++) {
		u64 most = NSEC_PER_SEC * 99 / 100 / sim.slow_ns / nr;

		node = chosen[i];
		if (sim.minimums) {
			node->min_is_ios = percent(50);
			node->one_size = true;
			node->min_rate = 1 + prng_below(prng, most);
			if (!node->min_is_ios)
				node->min_rate *= node->max_sectors * 512;
		}
		if (sim.latencies)
			node->latency_ns = sim.sched.service_ns +
					   sim.slow_ns * nr *
					   (1 + prng_below(prng, 20)) + 1;
		give_terms(node, NULL);
	}
}

static void start(u64 seed, u64 events)
{
	const char *policy;
	unsigned int i, nr;

	memset(&sim, 0, sizeof(sim));
	sim.seed = seed;
	sim.events = events;
	prng_seed(prng, seed);
	sim.by_size = percent(50);
	sim.reweight = percent(30);
	sim.topology = percent(30);
	sim.classes = percent(25);
	sim.levels = percent(30);
	sim.unholds = percent(20);
	sim.restarts = percent(20);
	switch (prng_below(prng, 5)) {
	case 0:
		sim.limits = true;
		sim.charges = percent(50);
		break;
	case 1:
		sim.minimums = true;
		sim.latencies = percent(30);
		sim.limits = percent(30);
		sim.topology = false;
		break;
	case 2:
		sim.latencies = percent(50);
		sim.topology = sim.topology && !sim.latencies;
		break;
	case 3:
		sim.charges = percent(50);
		break;
	}

	sim.now_ns = 1000 * NSEC_PER_SEC;
	sim.slow_ns = 1000 << prng_below(prng, 14);
	sim.fast_ns = percent(50) ? sim.slow_ns / 10 : sim.slow_ns - 1;
	policy = sim.by_size ? "weight-iosize" : "weight";
	ioband_sched_init(&sim.sched, ioband_policy_find(policy),
			  1 + prng_below(prng, 1 << prng_below(prng, 6)));
	sim.sched.spare = prng_below(prng, 8);
	sim.grants = percent(30);
	if (sim.grants)
		sim.sched.grant = 2 + prng_below(prng, 1 << prng_below(prng, 8));
	sim.sched.service_ns = sim.slow_ns * prng_below(prng, 10);
	INIT_LIST_HEAD(&sim.nodes[0].held);
	sim.nodes[0].in_tree = true;
	share_begin();
	terms_begin();
	nr = 2 + prng_below(prng, NODES - 2);
	for (i = 1; i <= nr; i++)
		put_in(&sim.nodes[i]);
	random_promises();
	for (i = 1; sim.limits && i <= nr; i++)
		if (!sim.minimums || (is_leaf(&sim.nodes[i]) &&
				      !sim.nodes[i].min_rate))
			random_limits(&sim.nodes[i]);
	for (i = 1; sim.classes && i <= nr; i++) {
		struct sim_node *node = &sim.nodes[i];

		node->class = prng_below(prng, IOBAND_CLASSES);
		ioband_node_set_class(&sim.sched, &node->node, node->class,
				      sim.now_ns);
	}
	settle();
}

static void below(struct sim_node *node, int held)
{
	for (; node; node = node->parent)
		node->held_below += held;
	sim.held += held;
}

static void to_disk(struct sim_io *io)
{
	if (!sim.in_flight)
		sim.done_ns = sim.now_ns + sim.fast_ns +
			      prng_below(prng, sim.slow_ns - sim.fast_ns);
	sim.at_disk[sim.in_flight++] = io;
}

static void let_go(struct sim_io *io)
{
	list_del_init(&io->link);
	io->node->nr_held[io->io.dir]--;
	below(io->node, -1);
}

/* Of a kind, the oldest in the group goes first. */
static void must_be_oldest(const struct sim_io *io)
{
	const struct sim_io *other;

	list_for_each_entry(other, &io->node->held, link) {
		if (other == io)
			return;
		must(other->io.dir != io->io.dir ||
		     other->io.prio != io->io.prio ||
		     other->io.is_async != io->io.is_async,
		     "not the oldest of its kind in %u", index_of(io->node));
	}
	must(false, "sent but not held");
}

/* @came: a group of which a task has come with more, or NULL */
static void pump(struct sim_node *came)
{
	struct ioband_io *next = NULL;
	struct sim_io *io;

	if (came && sim.grants)
		next = ioband_next_own(&sim.sched, &came->node, sim.in_flight, sim.now_ns);
	/* Now and then others come before a worker looks. */
	if (came && sim.grants && !next && percent(50))
		goto judge;
	while (next || (next = ioband_next(&sim.sched, sim.in_flight, sim.now_ns))) {
		io = container_of(next, struct sim_io, io);
		must(sim.in_flight < sim.sched.depth + sim.sched.spare,
		     "deeper than the depth");
		must(io->io.limited_ns <= sim.now_ns - io->io.arrival_ns,
		     "kept by limits for longer than it waited");
		must_be_oldest(io);
		order_sent(io);
		let_go(io);
		to_disk(io);
		terms_sent(io, true);
		share_sent(io);
		settle();
		next = NULL;
		if (came && sim.grants && percent(50))
			goto judge;
	}
	terms_judge();
judge:
	check();
}

static void complete(void)
{
	unsigned int i = prng_below(prng, sim.in_flight);
	struct sim_io *io = sim.at_disk[i];

	sim.at_disk[i] = sim.at_disk[--sim.in_flight];
	sim.done_ns = sim.now_ns + sim.fast_ns +
		      prng_below(prng, sim.slow_ns - sim.fast_ns);
	share_done(io);
	free(io);
	sim.gone++;
	share_judge();
}

static struct sim_io *new_io(struct sim_node *node)
{
	struct sim_io *io = calloc(1, sizeof(*io));

	io->node = node;
	io->io.sectors = node->one_size ? node->max_sectors :
			 1 + prng_below(prng, node->max_sectors);
	io->io.dir = percent(node->percent_writes);
	io->io.prio = IOBAND_PRIO_NORMAL;
	io->io.arrival_ns = sim.now_ns;
	if (sim.levels) {
		io->io.prio = prng_below(prng, IOBAND_PRIOS);
		io->io.is_async = io->io.dir && percent(50);
	}
	sim.arrived++;
	share_arrived(io);
	return io;
}

static void join(struct sim_node *node)
{
	if (ioband_node_joined(&sim.sched, &node->node))
		return;
	ioband_node_join(&sim.sched, &node->node, 0, 0);
	share_begin();
	check();
	order_snapshot();
}

static void arrive(struct sim_node *node)
{
	u32 held_before = held_of(own_of(node));
	struct sim_io *io;

	if (sim.held >= HELD_MAX)
		return;
	io = new_io(node);
	join(node);
	list_add_tail(&io->link, &node->held);
	node->nr_held[io->io.dir]++;
	below(node, 1);
	ioband_hold(&sim.sched, &node->node, &io->io, sim.now_ns);
	check();
	order_held(node, held_before);
	settle();
	pump(node);
}

/* An I/O that may not wait, or one that need not. */
static void rush(struct sim_node *node)
{
	struct sim_io *io;

	if (sim.in_flight >= ARRAY_SIZE(sim.at_disk) - 1)
		return;
	io = new_io(node);
	if (sim.limits && percent(50)) {
		bool may_pass = ioband_may_pass(&node->node, &io->io, sim.now_ns);

		if (!may_pass) {
			share_gone(io);
			free(io);
			sim.gone++;
			return;
		}
		ioband_charge_limits(&sim.sched, &node->node, &io->io,
				     false, sim.now_ns);
		terms_sent(io, true);
	} else {
		join(node);
		terms_owe(io);
		ioband_charge(&sim.sched, &node->node, &io->io, sim.now_ns);
		order_charged(io);
		terms_sent(io, false);
	}
	to_disk(io);
	share_sent(io);
	settle();
	pump(NULL);
}

static void unhold(struct sim_node *node)
{
	struct sim_io *io;

	if (list_empty(&node->held))
		return;
	io = list_entry(percent(50) ? node->held.next : node->held.prev,
			struct sim_io, link);
	ioband_unhold(&sim.sched, &node->node, &io->io, sim.now_ns);
	let_go(io);
	share_gone(io);
	free(io);
	sim.gone++;
	settle();
	pump(NULL);
}

static bool is_below(const struct sim_node *node, const struct sim_node *above)
{
	for (; node; node = node->parent)
		if (node == above)
			return true;
	return false;
}

static void add_held(struct sim_node *node, u32 held)
{
	for (; node; node = node->parent)
		node->held_below += held;
}

static void move(struct sim_node *node)
{
	struct sim_node *parent = random_parent();

	if (!node->in_tree || is_below(parent, node))
		return;
	add_held(node->parent, -node->held_below);
	node->parent = parent;
	add_held(parent, node->held_below);
	ioband_node_move(&sim.sched, &node->node, core_of(parent), sim.now_ns);
	share_moved(node);
}

static void take_out(struct sim_node *node)
{
	unsigned int i;

	for (i = 0; i < sim.in_flight; i++)
		if (sim.at_disk[i]->node == node)
			return;
	if (!list_empty(&node->held))
		return;
	for (i = 1; i < NODES; i++)
		if (sim.nodes[i].in_tree && sim.nodes[i].parent == node)
			sim.nodes[i].parent = node->parent;
	ioband_node_del(&sim.sched, &node->node, sim.now_ns);
	free(node->terms);
	memset(node, 0xa5, sizeof(*node));
	node->in_tree = false;
}

static void change(struct sim_node *node)
{
	u32 old = node->weight;

	if (sim.reweight && node->in_tree && percent(30)) {
		node->weight = random_weight();
		ioband_node_set_weight(&sim.sched, &node->node, node->weight);
		order_weighed(node, old);
	}
	if (sim.topology && percent(30))
		move(node);
	if (sim.topology && percent(30)) {
		if (node->in_tree)
			take_out(node);
		else
			put_in(node);
	}
	if (sim.classes && node->in_tree && percent(30)) {
		node->class = prng_below(prng, IOBAND_CLASSES);
		ioband_node_set_class(&sim.sched, &node->node, node->class,
				      sim.now_ns);
	}
	if (sim.limits && !sim.minimums && node->in_tree && percent(30))
		random_limits(node);
	if (sim.restarts && percent(10))
		ioband_sched_restart(&sim.sched);
	share_begin();
	settle();
	pump(NULL);
}

static void drain(void)
{
	unsigned int i;

	for (i = 1; i < NODES; i++) {
		sim.nodes[i].min_rate = 0;
		sim.nodes[i].latency_ns = 0;
		if (sim.nodes[i].in_tree)
			give_terms(&sim.nodes[i], NULL);
	}
	pump(NULL);
	while (sim.in_flight) {
		complete();
		pump(NULL);
	}
	must(!sim.held, "I/O is left held");
	must(sim.arrived == sim.gone, "I/O is lost");
}

static void run(u64 seed, u64 events)
{
	u64 arrival_ns, mean_ns, timer_ns;
	u32 percent_toggle, percent_change;

	start(seed, events);
	percent_toggle = prng_below(prng, 10);
	percent_change = 1 + prng_below(prng, 3);
	/* From a fifth of what the disk can do to five times that. */
	mean_ns = sim.slow_ns / 5 + prng_below(prng, 5 * sim.slow_ns);
	if (percent(50))
		mean_ns = sim.slow_ns / 5;
	arrival_ns = sim.now_ns;
	for (sim.event = 1; sim.event <= events; sim.event++) {
		struct sim_node *node =
			&sim.nodes[1 + prng_below(prng, NODES - 1)];
		u64 next_ns = arrival_ns;

		if (sim.in_flight)
			next_ns = min(next_ns, sim.done_ns);
		if (ioband_timer(&sim.sched, &timer_ns))
			next_ns = min(next_ns, timer_ns);
		sim.now_ns = max(sim.now_ns, next_ns);

		if (percent(percent_change))
			change(node);
		if (sim.in_flight && sim.done_ns <= sim.now_ns)
			complete();
		pump(NULL);
		if (arrival_ns > sim.now_ns)
			continue;
		arrival_ns += prng_below(prng, 2 * mean_ns);
		if (!node->in_tree || !node->sends)
			continue;
		if (percent(percent_toggle))
			node->on = !node->on;
		if (sim.charges && percent(5))
			rush(node);
		else if (sim.unholds && percent(5))
			unhold(node);
		else if (node->on)
			arrive(node);
	}
	drain();
}

static u64 number_from_env(const char *name, u64 otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

static void test_torture(void **state)
{
	u64 first = number_from_env("IOBAND_SEED", 0);
	u64 runs = number_from_env("IOBAND_RUNS",
				   getenv("IOBAND_SEED") ? 1 : RUNS);
	u64 events = number_from_env("IOBAND_EVENTS", EVENTS);
	u64 i;

	for (i = 0; i < runs; i++)
		run(first + i, events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_torture),
	};

	return cmocka_run_group_tests_name("torture", tests, NULL, NULL);
}
