// SPDX-License-Identifier: GPL-2.0-only
/*
 * Set up groups, jobs and the disk of a scenario.
 */
#include "lib/util.h"
#include "lib/words.h"
#include "sim-run.h"

enum {
	/* Number of I/Os to allocate at once. */
	BLOCK = 256,
};

/**
 * sim_io_get - get an unused I/O structure
 * @sim: the simulation
 */
struct sim_io *sim_io_get(struct sim *sim)
{
	struct sim_io *iob;

	if (list_empty(&sim->spare)) {
		char *block = xcalloc(BLOCK, sim->io_bytes);

		sim->blocks = xreallocarray(sim->blocks, sim->nr_blocks + 1,
					    sizeof(*sim->blocks));
		sim->blocks[sim->nr_blocks++] = block;
		for (int i = 0; i < BLOCK; i++) {
			iob = (struct sim_io *)(block + i * sim->io_bytes);
			list_add_tail(&iob->link, &sim->spare);
		}
	}
	iob = list_first_entry(&sim->spare, struct sim_io, link);
	list_del(&iob->link);
	iob->is_aimed = false;
	return iob;
}

/* The parent of the @i-th group of a section: children are dealt out in turn. */
static struct sim_group *parent_of(const struct sim *sim,
				   const struct scenario_group *section, u64 i)
{
	if (section->parent == SCENARIO_NONE)
		return NULL;
	return &sim->groups[sim->first_group[section->parent] +
			    i % sim->sc->groups[section->parent].count];
}

static void start_group(struct sim *sim, struct sim_group *group, u32 weight,
			const struct ioband_settings *set, struct ioband_terms *terms,
			struct sim_group *parent)
{
	if (terms)
		ioband_terms_init(terms, set->limits, set->min_rate,
				  set->min_is_ios,
				  (u64)set->latency_us * NSEC_PER_USEC);
	iog_init(group, weight, parent && parent->count == group->count ? IOBAND_BE : set->class,
		 terms);
	iog_add(&sim->pool, group, parent);
}

/*
 * A group on several volumes is what the module has as a common group: it holds nothing
 * itself, and has a member for each volume, with limits and a target of its own.
 */
static void add_group(struct sim *sim, int section, u64 i, bool each)
{
	const struct scenario_group *spec = &sim->sc->groups[section];
	const struct ioband_settings *set = &spec->settings;
	bool has_terms = ioband_settings_need_terms(set);
	size_t at = sim->first_group[section] + i;
	size_t member = sim->first_member[section] + i * spec->volumes;
	struct sim_group *group = &sim->groups[at];

	group->count = &sim->counts[at];
	group->count->hist = &sim->hists[each ? at : (size_t)section];
	if (sim->series)
		group->count->series = &sim->series[section];
	start_group(sim, group, set->weight, set,
		    has_terms && spec->volumes == 1 ? &sim->terms[at] : NULL,
		    parent_of(sim, spec, i));
	for (u64 j = 0; spec->volumes > 1 && j < spec->volumes; j++, member++) {
		sim->members[member].count = group->count;
		start_group(sim, &sim->members[member], IOBAND_WEIGHT_DEFAULT, set,
			    has_terms ? &sim->member_terms[member] : NULL, group);
	}
}

static void add_groups(struct sim *sim, bool each)
{
	const struct scenario *sc = sim->sc;
	size_t nr_members = 0;

	sim->first_group = xcalloc(sc->nr_groups + 1,
				   sizeof(*sim->first_group));
	sim->first_member = xcalloc(sc->nr_groups + 1, sizeof(*sim->first_member));
	for (size_t i = 0; i < sc->nr_groups; i++) {
		sim->first_group[i] = sim->nr_groups;
		sim->nr_groups += sc->groups[i].count;
		sim->first_member[i] = nr_members;
		if (sc->groups[i].volumes > 1)
			nr_members += sc->groups[i].count * sc->groups[i].volumes;
	}
	sim->groups = xcalloc(sim->nr_groups + 1, sizeof(*sim->groups));
	sim->counts = xcalloc(sim->nr_groups + 1, sizeof(*sim->counts));
	sim->terms = xcalloc(sim->nr_groups + 1, sizeof(*sim->terms));
	sim->members = xcalloc(nr_members + 1, sizeof(*sim->members));
	sim->member_terms = xcalloc(nr_members + 1, sizeof(*sim->member_terms));
	sim->nr_hists = each ? sim->nr_groups : sc->nr_groups;
	sim->hists = xcalloc(sim->nr_hists + 1, sizeof(*sim->hists));
	if (sim->point)
		sim->series = xcalloc(sc->nr_groups + 1, sizeof(*sim->series));
	for (size_t i = 0; i < sc->nr_groups; i++)
		for (u64 j = 0; j < sc->groups[i].count; j++)
			add_group(sim, i, j, each);
}

static void init_job(struct sim *sim, struct sim_job *job,
		     struct sim_group *group, u64 start_ns)
{
	job->group = group;
	INIT_LIST_HEAD(&job->pending);
	prng_seed(&job->prng, sim->sc->seed * 0x100000000ULL +
			      (job - sim->jobs));
	job->next_ns = SIM_BEGIN_NS + start_ns;
	job->event.key = job->next_ns;
	if (job->next_ns < sim->end_ns &&
	    (!job->spec || start_ns < job->spec->stop_ns))
		ioband_heap_insert(&sim->events, &job->event);
}

/*
 * Starting points of sequential streams are spread evenly over the part of the disk,
 * and starting times of streams with a rate over one interval, as many users are not
 * in step.
 */
static void add_tasks(struct sim *sim, const struct scenario_job *spec)
{
	const struct scenario *sc = sim->sc;
	u64 disk = sc->params.size_mib * 1024 * 1024;
	u64 blocks = (spec->span_bytes ?: disk - spec->offset_bytes) /
		     spec->bytes;
	u64 groups = sc->groups[spec->group].count;
	u64 tasks = groups * spec->streams;

	for (u64 i = 0; i < tasks; i++) {
		struct sim_job *job = &sim->jobs[sim->nr_jobs++];
		const struct scenario_group *of = &sc->groups[spec->group];
		size_t group = sim->first_group[spec->group] + i % groups;
		size_t member = sim->first_member[spec->group] +
				i % groups * of->volumes + i / groups % spec->volumes;
		u64 after_ns = mul_u64_u64_div_u64(spec->interval_ns, i, tasks);

		job->spec = spec;
		job->blocks = blocks;
		job->head = mul_u64_u64_div_u64(blocks, i, tasks);
		init_job(sim, job, of->volumes > 1 ? &sim->members[member] : &sim->groups[group],
			 spec->start_ns + after_ns);
	}
}

static void add_recorded(struct sim *sim)
{
	const struct scenario *sc = sim->sc;

	for (size_t i = 0; i < sc->nr_groups; i++) {
		struct sim_job *job = &sim->jobs[sim->nr_jobs];
		size_t first = 0;

		while (first < sim->trace->nr &&
		       sim->trace->ios[first].group != (int)i)
			first++;
		if (first == sim->trace->nr)
			continue;
		sim->nr_jobs++;
		job->next = first;
		init_job(sim, job, &sim->groups[sim->first_group[i]],
			 sc->trace_start_ns + sim->trace->ios[first].at_ns);
	}
}

static void add_jobs(struct sim *sim)
{
	const struct scenario *sc = sim->sc;
	u64 nr = sim->trace ? sc->nr_groups : 0;

	for (size_t i = 0; i < sc->nr_jobs; i++)
		nr += sc->jobs[i].streams *
		      sc->groups[sc->jobs[i].group].count;
	sim->jobs = xcalloc(nr + 1, sizeof(*sim->jobs));
	for (size_t i = 0; i < sc->nr_jobs; i++)
		add_tasks(sim, &sc->jobs[i]);
	if (sim->trace)
		add_recorded(sim);
}

/**
 * sim_init - set up a simulation
 * @sim: filled in; to be freed by sim_free() in any case
 * @sc: the scenario to simulate
 * @trace: recorded I/O, or %NULL
 * @each: keep latencies of each group instead of each section
 * @point: called at each point of a plot, or %NULL
 * @point_data: for @point
 * @err: on failure says what was wrong
 *
 * Return: 0 or -errno.
 */
int sim_init(struct sim *sim, const struct scenario *sc,
	     const struct trace *trace, bool each,
	     void (*point)(struct sim *sim, void *data), void *point_data,
	     struct parse_error *err)
{
	struct sim_pool *pool = &sim->pool;
	int r;

	memset(sim, 0, sizeof(*sim));
	sim->sc = sc;
	sim->trace = trace;
	sim->point = point;
	sim->point_data = point_data;
	INIT_LIST_HEAD(&sim->tag_waits);
	INIT_LIST_HEAD(&sim->ready);
	INIT_LIST_HEAD(&sim->spare);
	sim->now_ns = SIM_BEGIN_NS;
	sim->from_ns = SIM_BEGIN_NS + sc->settle_ns;
	sim->end_ns = sim->from_ns + sc->time_ns;
	sim->next_point_ns = SIM_BEGIN_NS + sc->interval_ns;

	r = simdisk_init(&sim->disk, sc->model, &sc->params);
	if (r) {
		sim->disk.model = NULL;
		return r == -ENOMEM ? no_memory(err) :
		       refuse(err, "[disk]: cannot be simulated");
	}
	sim->io_bytes = offsetof(struct sim_io, disk) +
			simdisk_io_bytes(sc->model, &sc->params);
	sim->io_bytes = (sim->io_bytes + 15) / 16 * 16;
	pool->io_throttle = sc->pool.io_throttle;
	pool->io_limit = sc->pool.io_limit;
	pool->turnaround_ns = sc->turnaround_ns;
	iop_init(pool, sc->policy, sc->params.queue_depth,
		 sc->model->rotational, sim->now_ns);
	iop_set_quantum(pool, sc->pool.quantum_ms);
	add_groups(sim, each);
	add_jobs(sim);
	return 0;
}

/**
 * sim_free - free a simulation
 * @sim: a simulation set up by sim_init()
 */
void sim_free(struct sim *sim)
{
	if (sim->disk.model)
		simdisk_exit(&sim->disk);
	iop_free(&sim->pool);
	for (size_t i = 0; i < sim->nr_hists; i++)
		sim_hist_free(&sim->hists[i]);
	for (size_t i = 0; i < sim->nr_blocks; i++)
		free(sim->blocks[i]);
	free(sim->blocks);
	free(sim->hists);
	free(sim->series);
	free(sim->member_terms);
	free(sim->members);
	free(sim->first_member);
	free(sim->terms);
	free(sim->counts);
	free(sim->groups);
	free(sim->first_group);
	free(sim->jobs);
}
