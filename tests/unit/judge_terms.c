// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits and promises.
 *
 * limits	A bucket of units for each, kept in long double: it leaks at the
 *		rate, and an I/O may go while it holds no more than the burst.
 *		That is the same as to say that in any window of t seconds no more
 *		than rate * t + burst + one I/O go. What leaks of an empty one is
 *		lost, but for an I/O that could have gone already: of that it keeps
 *		as much as one I/O. What passed without waiting fills it, too, and
 *		has to leak before others go; but no further than so that who waits
 *		goes within DEBT_NS.
 * work		Whatever is held while the disk has room is at a limit, its own or
 *		one above. And whoever sleeps until the first of these ends is told
 *		to wake up by then.
 * minimums	Every S ns at the latest the disk takes an I/O. Let M groups with
 *		minimums m1, m2 ... (in I/Os) be such that S (m1 + m2 + ...) is no
 *		more than 1. Let a time begin at which none of them is behind. Of a
 *		group's I/Os no more than mi t + 1 fall due within the next t, and
 *		those of the PAUSE_NS that it may make up for when it comes back:
 *		mi PAUSE_NS. They are sent in the order in which they fall due, one
 *		after an I/O that was on its way and the E that had gone beyond the
 *		depth, so one due at t is sent no later than
 *
 *			S (sum of (mi (t + PAUSE_NS) + 1) + 1 + E) <= t + late
 *			late = (M + 1 + E) S + PAUSE_NS S (sum of the mi)
 *
 *		and in any window of t a busy group gets
 *
 *			m t - m late - 1
 *
 *		one less as a window may begin just after an I/O.
 * latency	By the same reckoning, an I/O a slack each: what is due is sent no
 *		later than (M + 1 + E) S after.
 */
#include "torture.h"

/* What nanoseconds rounded down may make of a time. */
#define ROUND_NS	4.0L

/* Units that a bucket lacks that was never filled. */
#define EMPTY_FOR_EVER	-1e30L

/* How long a debt makes others wait. */
#define DEBT_NS			1000000000ull

/* What a group that comes back may make up for of its minimum. */
#define PAUSE_NS	1e8L

static struct {
	bool open;
	long double least;
	u64 start_ns;
	long double sent;
} minimums[NODES];

static bool limits_dir(unsigned int id, enum ioband_dir dir)
{
	switch (id) {
	case IOBAND_RBPS:
	case IOBAND_RIOPS:
		return dir == IOBAND_READ;
	case IOBAND_WBPS:
	case IOBAND_WIOPS:
		return dir == IOBAND_WRITE;
	}
	return true;
}

static long double units_of(const struct sim_io *io, unsigned int id)
{
	return id == IOBAND_RBPS || id == IOBAND_WBPS || id == IOBAND_BPS ?
	       io->io.sectors * 512.0L : 1;
}

/* Less than empty: for so long it would have taken more. */
static void leak(struct sim_bucket *bucket)
{
	bucket->level -= bucket->rate * (sim.now_ns - bucket->at_ns) / 1e9L;
	bucket->at_ns = sim.now_ns;
}

/* What has leaked is lost, but for an I/O's units while one was there. */
static void empty(struct sim_bucket *bucket, long double units,
		  long double there_ns)
{
	long double least = -fminl(bucket->rate * there_ns / 1e9L, units);

	if (bucket->level > least)
		return;
	bucket->level = least;
	bucket->slack = bucket->rate * ROUND_NS / 1e9L;
}

/* In how many nanoseconds it takes the next I/O; less than 0: since then. */
static long double opens_in_ns(const struct sim_bucket *bucket)
{
	if (!bucket->rate)
		return -LDBL_MAX;
	return (bucket->level - bucket->burst) * 1e9L / bucket->rate;
}

static long double slack_ns(const struct sim_bucket *bucket)
{
	return bucket->rate ? bucket->slack * 1e9L / bucket->rate + ROUND_NS :
			      ROUND_NS;
}

void terms_begin(void)
{
	memset(minimums, 0, sizeof(minimums));
}

/* New limits, or other ones: what was used stays used, in units. */
static void bucket_set(struct sim_bucket *bucket, u64 rate, u64 burst)
{
	leak(bucket);
	bucket->slack += fmaxl(rate, bucket->rate) * ROUND_NS / 1e9L;
	if (!rate || !bucket->rate) {
		bucket->level = EMPTY_FOR_EVER;
		bucket->slack = 0;
	} else if (bucket->level < 0) {
		/* It would have taken more for as long. */
		bucket->level *= (long double)rate / bucket->rate;
	}
	bucket->rate = rate;
	bucket->burst = burst;
}

/* @limits: NULL for none. */
void terms_set(struct sim_node *node, const struct ioband_rate *limits)
{
	static const struct ioband_rate none[IOBAND_LIMITS];
	unsigned int i;

	if (!limits)
		limits = none;
	node->has_limits = false;
	for (i = 0; i < IOBAND_LIMITS; i++) {
		bucket_set(&node->buckets[i][0], limits[i].rate, limits[i].burst);
		bucket_set(&node->buckets[i][1],
			   limits[i].rate ? limits[i].peak : 0, 0);
		node->has_limits |= !!limits[i].rate;
	}
}

/* An I/O is about to pass without waiting: until when may it put off what waits? */
void terms_owe(const struct sim_io *io)
{
	struct sim_node *node;
	unsigned int way;

	for (node = io->node; node->parent; node = node->parent) {
		node->until_ns = sim.now_ns + DEBT_NS;
		if (!node->has_limits)
			continue;
		for (way = 0; way < ioband_nr_ways(&node->node); way++)
			if (ioband_facet(&node->node, way)->state != IOBAND_FACET_EMPTY)
				node->until_ns = min(node->until_ns, DEBT_NS +
					node->terms->waits_ns[ioband_way_dir(way)]);
	}
}

/* A debt: no further than so that the next goes at until_ns. */
static void cut(struct sim_bucket *bucket, long double was, u64 until_ns)
{
	long double most = bucket->burst +
			   bucket->rate * ((s64)(until_ns - sim.now_ns)) / 1e9L;

	if (bucket->level <= most)
		return;
	bucket->level = fmaxl(was, most);
	bucket->slack = fmaxl(bucket->slack, bucket->rate * ROUND_NS / 1e9L);
}

static void fill(struct sim_node *node, const struct sim_io *io, bool waited)
{
	long double there_ns = waited ? sim.now_ns - io->io.arrival_ns : 0, was;
	unsigned int i, j;

	for (i = 0; i < IOBAND_LIMITS; i++) {
		if (!limits_dir(i, io->io.dir))
			continue;
		for (j = 0; j < 2; j++) {
			struct sim_bucket *bucket = &node->buckets[i][j];

			leak(bucket);
			must(!waited || opens_in_ns(bucket) <= slack_ns(bucket),
			     "%s%s of %u: %Lf units too early", j ? "peak of " : "",
			     ioband_limit_names[i], index_of(node),
			     bucket->level - bucket->burst);
			if (!bucket->rate)
				continue;
			was = bucket->level;
			empty(bucket, units_of(io, i), there_ns);
			bucket->level += units_of(io, i);
			if (!waited)
				cut(bucket, was, node->until_ns);
		}
	}
}

/* @waited: it went because the core said so, not because it might not wait. */
void terms_sent(const struct sim_io *io, bool waited)
{
	struct sim_node *node = io->node;
	unsigned int i;

	for (; node->parent; node = node->parent) {
		if (node->has_limits)
			fill(node, io, waited);
		i = index_of(node);
		minimums[i].sent += node->min_is_ios ? 1 :
				    io->io.sectors * 512.0L;
	}
}

/* When the last limit of a node ends for @dir, in ns from now; @slack added up. */
static long double node_opens_in(struct sim_node *node, enum ioband_dir dir,
				 long double *slack)
{
	long double latest = -LDBL_MAX, opens_in;
	unsigned int i, j;

	if (!node->has_limits)
		return latest;
	for (i = 0; i < IOBAND_LIMITS; i++) {
		if (!limits_dir(i, dir))
			continue;
		for (j = 0; j < 2; j++) {
			leak(&node->buckets[i][j]);
			opens_in = opens_in_ns(&node->buckets[i][j]);
			latest = fmaxl(latest, opens_in);
			*slack = fmaxl(*slack, slack_ns(&node->buckets[i][j]));
		}
	}
	return latest;
}

/* Which nodes have I/O below that is at no limit up to there. */
void terms_look(void)
{
	struct sim_node *leaf, *node;
	long double slack;
	enum ioband_dir dir;

	for (node = sim.nodes; node < sim.nodes + NODES; node++)
		node->may_go = false;
	for (leaf = sim.nodes; leaf < sim.nodes + NODES; leaf++) {
		for (dir = 0; dir < IOBAND_DIRS; dir++) {
			if (!leaf->in_tree || !leaf->nr_held[dir])
				continue;
			for (node = leaf; node->parent; node = node->parent) {
				slack = 0;
				if (node_opens_in(node, dir, &slack) > -slack)
					break;
				node->may_go = true;
			}
		}
	}
}

/* Why anything is still held after ioband_next() has said no more. */
static void judge_work(void)
{
	long double first = LDBL_MAX, first_slack = 0;
	bool room = sim.in_flight < sim.sched.depth;
	struct sim_node *leaf, *node;
	u64 expires_ns = 0;
	bool has_timer = ioband_timer(&sim.sched, &expires_ns);
	enum ioband_dir dir;

	must(!has_timer || expires_ns > sim.now_ns, "a timer in the past");
	for (leaf = sim.nodes; leaf < sim.nodes + NODES; leaf++) {
		for (dir = 0; dir < IOBAND_DIRS; dir++) {
			long double opens_in = -LDBL_MAX, slack = 0;

			if (!leaf->in_tree || !leaf->nr_held[dir])
				continue;
			for (node = leaf; node->parent; node = node->parent)
				opens_in = fmaxl(opens_in,
						 node_opens_in(node, dir,
							       &slack));
			must(!room || opens_in > -slack,
			     "%u is kept from a disk with room", index_of(leaf));
			if (opens_in < first) {
				first = opens_in;
				first_slack = slack;
			}
		}
	}
	if (!room || first == LDBL_MAX)
		return;
	must(has_timer, "nobody is told when the first limit ends");
	must((long double)(expires_ns - sim.now_ns) <= first + first_slack,
	     "a wake-up %llu ns from now, a limit ends in %Lf",
	     (unsigned long long)(expires_ns - sim.now_ns), first);
}

/* How long what is due may have to wait, in ns. */
static long double late_ns(void)
{
	long double ios, late = (1 + sim.sched.spare) * (long double)sim.slow_ns;
	const struct sim_node *node;

	for (node = sim.nodes; node < sim.nodes + NODES; node++) {
		if (!node->in_tree || (!node->min_rate && !node->latency_ns))
			continue;
		ios = node->min_is_ios ? node->min_rate :
		      node->min_rate / (node->max_sectors * 512.0L);
		late += sim.slow_ns;
		late += ios * PAUSE_NS / 1e9L * sim.slow_ns;
	}
	return late;
}

static void judge_minimum(struct sim_node *node)
{
	unsigned int i = index_of(node);
	long double one = node->min_is_ios ? 1 : node->max_sectors * 512.0L;
	long double behind, bound;

	if (!node->min_rate || !held_of(own_of(node))) {
		minimums[i].open = false;
		return;
	}
	if (!minimums[i].open) {
		minimums[i].open = true;
		minimums[i].start_ns = sim.now_ns;
		minimums[i].sent = 0;
		minimums[i].least = 0;
	}
	behind = node->min_rate * (sim.now_ns - minimums[i].start_ns) / 1e9L -
		 minimums[i].sent;
	minimums[i].least = fminl(minimums[i].least, behind);
	bound = node->min_rate * late_ns() / 1e9L + one;
	must(behind - minimums[i].least <= bound + 1e-6L * one,
	     "%u is %Lf units below its minimum, at most %Lf", i,
	     behind - minimums[i].least, bound);
}

static void judge_latency(struct sim_node *node)
{
	const struct sim_io *oldest;
	u64 service_ns = min(sim.sched.service_ns, node->latency_ns / 2), due_ns;

	if (!node->latency_ns || !held_of(own_of(node)) || sim.levels)
		return;
	oldest = list_entry(node->held.next, struct sim_io, link);
	due_ns = max(oldest->io.arrival_ns,
		     node->terms->promised_ns + service_ns) +
		 node->latency_ns - 2 * service_ns;
	must(due_ns + late_ns() >= sim.now_ns,
	     "%u misses its target by %Lf ns", index_of(node),
	     (long double)sim.now_ns - due_ns);
}

void terms_judge(void)
{
	struct sim_node *node;

	judge_work();
	for (node = sim.nodes; node < sim.nodes + NODES; node++) {
		if (!node->in_tree)
			continue;
		judge_minimum(node);
		if (!sim.minimums)
			judge_latency(node);
	}
}
