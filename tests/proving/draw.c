// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios drawn at random. The same seed is the same scenario, on every machine: all
 * numbers are whole ones from tables that a person might have chosen, so that a file can
 * be read.
 */
#include "proving.h"
#include "lib/util.h"

const char * const disk_names[DISK_KINDS] = {
	"even", "jitter", "tail", "sizes", "cloud", "stalls", "moving", "ssd", "seeks",
};

const char * const load_names[LOAD_KINDS] = {
	"flat", "tree", "light", "mixed", "limits", "minimums", "targets", "classes",
	"coming", "open", "all", "near", "sizes", "changing", "reader",
};

/* Ten steps to a decade, rounded. */
static const u32 decade[] = { 10, 12, 15, 20, 25, 30, 40, 50, 60, 80 };

static const u32 depths[] = {
	1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256,
};

static const u32 slot_counts[] = {
	1, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768,
	1023,
};

enum {
	US		= 1000,
	MS		= 1000 * US,
	SERVICE_MIN	= 50 * US,
	SERVICE_MAX	= 20 * MS,
	/* More would take too long to simulate. */
	IOPS_MAX	= 150000,
	NODES_MAX	= 12,
	DAYS_MAX	= 12,
};

/**
 * struct node - a group
 * @level: groups above it
 * @has_job: it has I/O of its own
 */
struct node {
	int parent;
	int level;
	bool has_job;
};

/**
 * struct drawing - a scenario in the making
 * @slots: I/Os that the disk serves at once, about
 * @service_ns: time that each takes, about
 * @iops: what it does per second, about
 * @bytes: size of I/Os, unless mixed
 * @outstanding: how many I/Os groups keep there, about, if the load is flash's
 * @promised: part of the disk that is promised already
 * @is_seeking: the disk has an arm
 * @is_uneven: large I/Os take longer
 * @settle_ms: as in the file
 * @time_ms: likewise
 */
struct drawing {
	struct prng prng;
	FILE *out;
	enum disk_kind disk;
	enum load_kind load;
	u64 slots;
	u64 service_ns;
	u64 iops;
	u64 bytes;
	u64 outstanding;
	u64 promised;
	u64 settle_ms;
	u64 time_ms;
	const char *policy;
	bool is_seeking;
	bool is_uneven;
	struct node nodes[NODES_MAX];
	int nr;
};

static u32 below(struct drawing *d, u32 n)
{
	return prng_below(&d->prng, n);
}

static bool chance(struct drawing *d, u32 percent)
{
	return prng_percent(&d->prng, percent);
}

#define PICK(d, table) ((table)[below(d, ARRAY_SIZE(table))])

/* The step of @value, or the first one above it. */
static int step_of(u64 value)
{
	u64 ten = 1;
	int step = 0;

	while (decade[step % ARRAY_SIZE(decade)] * ten < value * 10)
		if (++step % ARRAY_SIZE(decade) == 0)
			ten *= 10;
	return step;
}

/* As likely in each octave from @least to @most. */
static u64 spread(struct drawing *d, u64 least, u64 most)
{
	int low, high, step;
	u64 ten = 1;

	most = max(most, (u64)1);
	least = clamp(least, (u64)1, most);
	low = step_of(least);
	high = max(step_of(most), low);
	step = low + below(d, high - low + 1);
	for (int i = step / ARRAY_SIZE(decade); i--;)
		ten *= 10;
	return min(max(decade[step % ARRAY_SIZE(decade)] * ten / 10, least), most);
}

/* Two significant digits. */
static u64 rounded(u64 value)
{
	u64 ten = 1;

	while (value / ten >= 100)
		ten *= 10;
	return max(value / ten * ten, (u64)1);
}

static void say(struct drawing *d, const char *key, u64 value)
{
	fprintf(d->out, "%s = %llu\n", key, (unsigned long long)value);
}

static void say_time(struct drawing *d, const char *key, u64 ns)
{
	if (ns % MS == 0)
		fprintf(d->out, "%s = %llums\n", key, (unsigned long long)(ns / MS));
	else
		fprintf(d->out, "%s = %lluus\n", key, (unsigned long long)(ns / US));
}

/* Disks */

static void draw_rate(struct drawing *d, bool is_slow)
{
	do {
		d->slots = PICK(d, slot_counts);
		d->service_ns = spread(d, is_slow ? MS / 5 : SERVICE_MIN, SERVICE_MAX);
		d->iops = d->slots * NSEC_PER_SEC / d->service_ns;
	} while (d->iops > IOPS_MAX || d->iops < 50);
}

static void draw_flat(struct drawing *d)
{
	static const u32 tags[] = { 32, 64, 128, 256, 512, 1023 };
	u32 most;

	draw_rate(d, false);
	do
		most = PICK(d, tags);
	while (most < d->slots);
	fprintf(d->out, "[disk]\nmodel = flat\n");
	say(d, "queue_depth", most);
	say(d, "slots", d->slots);
	say(d, "service_ns", d->service_ns);
	say(d, "seed", below(d, 1000));
	if (d->disk != DISK_EVEN)
		say(d, "jitter_percent", spread(d, 10, 100));
}

static void draw_tail(struct drawing *d)
{
	say(d, "tail_ppm", spread(d, 100, 10000));
	say(d, "tail_ns", d->service_ns * spread(d, 5, 50));
}

static void draw_sizes(struct drawing *d)
{
	d->is_uneven = chance(d, 70);
	if (d->is_uneven)
		say(d, "more_ns", rounded(d->service_ns / spread(d, 4, 100)));
	if (chance(d, 70))
		say(d, "write_percent", spread(d, 40, 400));
}

static void draw_caps(struct drawing *d)
{
	u64 cap = max(rounded(d->iops * spread(d, 10, 100) / 100), (u64)20);

	if (chance(d, 70)) {
		say(d, "cap_ios_per_s", cap);
	} else {
		say(d, "cap_bytes_per_s", cap * d->bytes);
		d->is_uneven = true;
	}
	if (chance(d, 50))
		say(d, "credit_ns", spread(d, 1, 3000) * (u64)MS);
	d->iops = min(d->iops, cap);
}

static void draw_stalls(struct drawing *d)
{
	u64 every = spread(d, max(20 * d->service_ns / MS, (u64)20), 1000);

	say(d, "stall_every_ns", every * MS);
	say(d, "stall_ns", max(every * spread(d, 1, 20) / 100, (u64)1) * MS);
}

static void draw_drift(struct drawing *d)
{
	say(d, "drift_percent", spread(d, 10, 60));
	say(d, "drift_ns", spread(d, 500, 20000) * (u64)MS);
}

static void draw_ssd(struct drawing *d)
{
	static const u32 channels[] = { 1, 2, 4 }, dies[] = { 1, 2, 4 };
	u32 chips = PICK(d, channels), each = PICK(d, dies);

	fprintf(d->out, "[disk]\nmodel = ssd\n");
	say(d, "channels", chips);
	say(d, "dies", each);
	say(d, "buffer_kib", 256 << below(d, 6));
	say(d, "gc_valid_percent", below(d, 5) * 10);
	say(d, "block_pages", 64 << below(d, 3));
	if (chance(d, 70))
		say(d, "jitter_percent", spread(d, 10, 60));
	say(d, "seed", below(d, 1000));
	d->slots = chips * each;
	d->service_ns = 95 * US * DIV_ROUND_UP(d->bytes, 8192);
	d->iops = d->slots * NSEC_PER_SEC / d->service_ns;
}

static void draw_seeks(struct drawing *d)
{
	bool is_drive = chance(d, 50);

	fprintf(d->out, "[disk]\nmodel = %s\n", is_drive ? "hdd" : "serial");
	if (!is_drive && chance(d, 50))
		say(d, "jitter_percent", spread(d, 10, 60));
	d->slots = 1;
	d->service_ns = is_drive ? 12 * MS : 9 * MS;
	d->iops = NSEC_PER_SEC / d->service_ns;
	d->is_seeking = true;
}

static bool is_flash(const struct drawing *d)
{
	return d->load >= LOAD_DRAWN;
}

static bool has(const struct drawing *d, enum load_kind kind)
{
	return d->load == kind || d->load == LOAD_ALL;
}

static void draw_disk(struct drawing *d)
{
	u64 iops;

	d->bytes = d->disk == DISK_SEEKS || is_flash(d) || chance(d, 70) ? 4096 :
		   4096ULL << below(d, 7);
	switch (d->disk) {
	case DISK_SSD:
		draw_ssd(d);
		break;
	case DISK_SEEKS:
		draw_seeks(d);
		break;
	default:
		draw_flat(d);
		break;
	}
	if (d->disk == DISK_TAIL)
		draw_tail(d);
	if (d->disk == DISK_SIZES)
		draw_sizes(d);
	if (d->disk == DISK_CLOUD)
		draw_caps(d);
	if (d->disk == DISK_STALLS)
		draw_stalls(d);
	d->iops = max(d->iops, (u64)10);
	/*
	 * In what is not counted a disk may be learnt: half a second, or 200 I/Os. What is
	 * counted has to tell a twentieth from chance.
	 */
	iops = max(d->iops / (d->is_uneven && (has(d, LOAD_MIXED) || is_flash(d)) ? 8 : 1),
		   (u64)10);
	d->settle_ms = max((u64)500, 200 * 1000 / iops);
	d->time_ms = clamp(20000 * 1000 / iops, (u64)3000, (u64)120000);
	d->time_ms = (d->time_ms + 999) / 1000 * 1000;
	d->settle_ms = (d->settle_ms + 499) / 500 * 500;
	if (d->disk == DISK_MOVING && chance(d, 50))
		draw_drift(d);
	else if (d->disk == DISK_MOVING)
		for (u32 i = 1 + below(d, 2); i; i--)
			fprintf(d->out, "[disk at %llums]\nservice_ns = %llu\n",
				(unsigned long long)(d->settle_ms + d->time_ms / (i + 1)),
				(unsigned long long)spread(d, d->service_ns / 4,
							   d->service_ns * 4));
}

/* Groups */

static void draw_tree(struct drawing *d)
{
	bool is_tree = has(d, LOAD_TREE) || has(d, LOAD_LIMITS) ||
		       (d->load != LOAD_FLAT && d->load != LOAD_LIGHT && chance(d, is_flash(d) ? 15 : 30));
	int nr = 2 + below(d, is_flash(d) ? 3 : 4), level = 1 + (is_tree ? 1 + below(d, 3) : 0);

	if (is_tree)
		nr += 1 + below(d, 4);
	d->nr = nr;
	for (int i = 0; i < nr; i++) {
		struct node *node = &d->nodes[i];

		node->parent = -1;
		if (is_tree && i && chance(d, 65))
			node->parent = below(d, i);
		while (node->parent >= 0 && d->nodes[node->parent].level + 1 >= level)
			node->parent = d->nodes[node->parent].parent;
		node->level = node->parent < 0 ? 0 : d->nodes[node->parent].level + 1;
		node->has_job = true;
	}
	/* A group that has others below it seldom has I/O of its own. */
	for (int i = 0; i < nr; i++)
		if (d->nodes[i].parent >= 0 && d->nodes[d->nodes[i].parent].has_job)
			d->nodes[d->nodes[i].parent].has_job = chance(d, 15);
}

static void draw_size(struct drawing *d, int i)
{
	static const char * const sizes[] = { "4K", "8K", "16K", "64K", "128K", "256K" };
	bool mixed = has(d, LOAD_MIXED) && !d->is_seeking;

	/* What an SSD's time is cannot be said for both; see judge.c. */
	if (mixed)
		fprintf(d->out, "size = %s\n", PICK(d, sizes));
	else if (d->bytes != 4096)
		fprintf(d->out, "size = %lluK\n", (unsigned long long)d->bytes / 1024);
	if (mixed && chance(d, 50))
		say(d, "write", chance(d, 50) ? 100 : 10 * (1 + below(d, 9)));
	else if (!mixed && i && chance(d, d->disk == DISK_SIZES ? 40 :
					  d->disk == DISK_SSD ? 25 : 0))
		say(d, "write", 100);
}

static u64 draw_depth(struct drawing *d, bool is_deep)
{
	u32 depth;

	if (!is_deep)
		return depths[below(d, 6)];
	do
		depth = PICK(d, depths);
	while (depth < 4);
	return depth;
}

/* A closed loop; streams of it if one cannot fill the disk. */
static void draw_closed(struct drawing *d, bool is_deep, bool fills)
{
	u64 depth = draw_depth(d, is_deep);

	if (fills && depth < 2 * d->slots) {
		depth = min(2 * d->slots, (u64)256);
		if (2 * d->slots > 256)
			say(d, "streams", DIV_ROUND_UP(2 * d->slots, 256));
	}
	if (depth != 1)
		say(d, "depth", depth);
	if (!is_deep && chance(d, 50))
		say_time(d, "think", max(rounded(d->service_ns * spread(d, 1, 1000) / 100),
					 (u64)US) / US * US);
}

/* The same closed loop, on and off for as long as the run lasts. */
static void draw_days(struct drawing *d)
{
	u64 end_ms = d->settle_ms + d->time_ms, on_ms, off_ms, at_ms = 0, depth;
	bool is_burst = chance(d, 25);

	on_ms = max(end_ms / spread(d, 4, 40), 1000 / d->iops + 1);
	off_ms = spread(d, max(on_ms / 4, (u64)1), on_ms * 4);
	depth = is_burst ? 256 : draw_depth(d, chance(d, 60));
	if (is_burst) {
		off_ms += on_ms;
		on_ms = 1;
	}
	off_ms = max(off_ms, end_ms / DAYS_MAX);
	for (; at_ms < end_ms; at_ms += on_ms + off_ms) {
		fprintf(d->out, "[job]\n");
		if (d->bytes != 4096)
			fprintf(d->out, "size = %lluK\n",
				(unsigned long long)d->bytes / 1024);
		if (depth != 1)
			say(d, "depth", depth);
		say_time(d, "start", at_ms * MS);
		say_time(d, "stop", (at_ms + on_ms) * MS);
	}
}

/* One that comes, or goes, in the middle. */
static void draw_visit(struct drawing *d)
{
	u64 at_ms = d->settle_ms + d->time_ms * (10 + below(d, 70)) / 100;

	draw_closed(d, chance(d, 60), false);
	say_time(d, chance(d, 50) ? "start" : "stop", at_ms * MS);
}

static void draw_open(struct drawing *d)
{
	u64 rate = max(rounded(d->iops * spread(d, 1, 25) / 100), (u64)1);

	fprintf(d->out, "rate = %llu\n", (unsigned long long)rate);
	if (chance(d, 70))
		fprintf(d->out, "arrivals = random\n");
}

/* A closed loop of 4 KiB reads, or of whatever sizes and directions. */
static void draw_loop(struct drawing *d, u64 depth, bool is_mixed)
{
	static const char * const sizes[] = { "512", "4K", "16K", "64K", "256K", "1M" };

	fprintf(d->out, "[job]\n");
	if (is_mixed)
		fprintf(d->out, "size = %s\n", PICK(d, sizes));
	if (is_mixed && chance(d, 50))
		say(d, "write", chance(d, 50) ? 100 : 10 * (1 + below(d, 9)));
	if (depth > 256)
		say(d, "streams", DIV_ROUND_UP(depth, 256));
	say(d, "depth", min(depth, (u64)256));
}

/* Together they have about as much outstanding as the disk serves at once: 0.3 to 4 times. */
static void draw_flash(struct drawing *d, int i)
{
	u64 depth = d->outstanding * (50 + below(d, 100)) / 100 / d->nr;
	u64 at_ms = d->settle_ms + d->time_ms * (20 + below(d, 50)) / 100;
	bool is_mixed = d->load == LOAD_SIZES || (d->load == LOAD_READER && i);

	if (d->load == LOAD_READER && !i)
		depth = 1;
	depth = max(depth, (u64)1);
	draw_loop(d, depth, is_mixed);
	/* Within a group, too; or one after the other. */
	if (is_mixed && chance(d, 30))
		draw_loop(d, depth, true);
	if (d->load != LOAD_CHANGING || chance(d, 30))
		return;
	say_time(d, "stop", at_ms * MS);
	depth = depth * spread(d, 25, 400) / 100;
	draw_loop(d, max(depth, (u64)1), chance(d, 50));
	say_time(d, "start", at_ms * MS);
}

static void draw_job(struct drawing *d, int i, bool fills)
{
	if (is_flash(d)) {
		draw_flash(d, i);
		return;
	}
	if (has(d, LOAD_COMING) && !fills && chance(d, 40)) {
		draw_days(d);
		return;
	}
	fprintf(d->out, "[job]\n");
	draw_size(d, i);
	if (d->load == LOAD_LIGHT) {
		if (chance(d, 50))
			say(d, "depth", depths[1 + below(d, 3)]);
		if (chance(d, 50))
			say_time(d, "think", d->service_ns / US * US);
	} else if (has(d, LOAD_TARGETS) && i == 0) {
		if (chance(d, 50))
			say_time(d, "think", rounded(d->service_ns * spread(d, 1, 4) / US) *
					     US);
	} else if (has(d, LOAD_OPEN) && !fills && chance(d, 50)) {
		draw_open(d);
	} else if (has(d, LOAD_COMING) && !fills && chance(d, 50)) {
		draw_visit(d);
	} else {
		draw_closed(d, fills || chance(d, 50), fills);
	}
}

static void draw_limit(struct drawing *d, int i)
{
	static const char * const words[] = {
		"iops", "iops", "riops", "wiops", "bps", "bps", "rbps", "wbps",
	};
	u32 word = below(d, ARRAY_SIZE(words));
	u64 rate = max(d->iops * spread(d, 3, 60) / 100, (u64)2);

	/* One on a direction that nobody takes has no effect. */
	if (!has(d, LOAD_MIXED))
		word = chance(d, 50) ? 0 : 4;
	if (!d->nodes[i].level)
		rate *= 2;
	fprintf(d->out, "%s = %llu\n", words[word],
		(unsigned long long)rounded(word < 4 ? rate : rate * d->bytes));
}

/* What an SSD does of large I/O, or writes in the long run, is hard to foretell. */
static bool may_promise(const struct drawing *d, int i)
{
	return d->disk != DISK_SSD || (i == 0 && !has(d, LOAD_MIXED));
}

static void draw_minimum(struct drawing *d)
{
	u64 percent = spread(d, 5, 50), rate;

	if (d->promised + percent > 70)
		return;
	d->promised += percent;
	rate = rounded(max(d->iops * percent / 100, (u64)1));
	if (chance(d, 60))
		say(d, "miniops", rate);
	else
		say(d, "min", rate * d->bytes);
}

static void draw_group(struct drawing *d, int i, bool fills)
{
	static const char * const classes[] = { "rt", "idle" };
	const struct node *node = &d->nodes[i];

	fprintf(d->out, "[group %c]\n", 'a' + i);
	if (node->parent >= 0)
		fprintf(d->out, "parent = %c\n", 'a' + node->parent);
	if (chance(d, 80))
		say(d, "weight", spread(d, 1, 1000));
	if (has(d, LOAD_CLASSES) && chance(d, 40))
		fprintf(d->out, "class = %s\n", PICK(d, classes));
	if (has(d, LOAD_LIMITS) && chance(d, 50))
		draw_limit(d, i);
	else if (has(d, LOAD_MINIMUMS) && node->has_job && !fills && may_promise(d, i) &&
		 chance(d, 70))
		draw_minimum(d);
	if (has(d, LOAD_TARGETS) && i == 0 && node->has_job)
		say_time(d, "latency", rounded(d->service_ns * spread(d, 3, 30) / US) * US);
	if (node->has_job)
		draw_job(d, i, fills);
}

static void draw_groups(struct drawing *d)
{
	/* Light, half and full: the last one that has I/O fills the disk. */
	bool full = d->load != LOAD_LIGHT && chance(d, 70);

	for (int i = 0; i < d->nr; i++)
		draw_group(d, i, full && i == d->nr - 1);
}

static const char *draw_policy(struct drawing *d)
{
	u32 n = below(d, 100);

	if (n < 50)
		return "weight";
	return n < 75 ? "weight-iosize" : "weight-time";
}

/**
 * draw_scenario - draw a scenario
 * @seed: determines it
 * @disk: filled in
 * @load: what is asked for, or %LOAD_ANY; filled in
 *
 * Return: its text, to be freed.
 */
char *draw_scenario(u64 seed, enum disk_kind *disk, enum load_kind *load)
{
	static const enum disk_kind flash[] = { DISK_JITTER, DISK_SIZES, DISK_SSD };
	struct drawing d = { 0 };
	char *text;
	size_t size;

	prng_seed(&d.prng, seed);
	d.out = xmemstream(&text, &size);
	d.disk = below(&d, DISK_KINDS);
	d.load = below(&d, LOAD_DRAWN);
	d.policy = draw_policy(&d);
	if (*load != LOAD_ANY) {
		d.load = *load;
		d.disk = PICK(&d, flash);
		d.policy = "weight-iosize";
	}
	fprintf(d.out, "# seed %llu: disk %s, load %s\n", (unsigned long long)seed,
		disk_names[d.disk], load_names[d.load]);
	draw_disk(&d);
	if (is_flash(&d))
		d.outstanding = d.slots * spread(&d, 30, 400) / 100;
	fprintf(d.out, "[pool]\npolicy = %s\n[run]\n", d.policy);
	say_time(&d, "settle", d.settle_ms * MS);
	say_time(&d, "time", d.time_ms * MS);
	say(&d, "seed", below(&d, 1000));
	draw_tree(&d);
	draw_groups(&d);
	xmemclose(d.out);
	*disk = d.disk;
	*load = d.load;
	return text;
}
