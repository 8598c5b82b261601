// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs of a scenario: as it is, without control, and each group alone. The jobs of all
 * runs have the same random numbers, and the disk the same stalls.
 *
 * What a group is due changes whenever a job starts or stops, or the disk changes. So what
 * it got is added up by phase: all times at which the same jobs run on the same disk.
 */
#include <math.h>

#include "measure.h"
#include "lib/util.h"
#include "lib/words.h"

enum {
	/* Parts of a period of drift, each taken to be of one speed. */
	DRIFTS = 16,
};

/* Of the time of an I/O, what the turnaround may take before a place more pays. */
#define IDLE	0.015

struct recorder {
	const struct court *court;
	struct outcome *outcome;
	struct sim_count *last;
	int span;
};

static bool runs_at(const struct scenario_job *job, u64 at_ns)
{
	return at_ns >= job->start_ns && at_ns < job->stop_ns;
}

/* Which part of its drift the disk is in: each speed is a disk of its own. */
static u64 drift_at(const struct scenario *sc, u64 at_ns)
{
	return sc->params.drift_percent ? at_ns * DRIFTS / sc->params.drift_ns : 0;
}

/* Up is as fast as down; counted from a quarter, where it is slowest. */
static u64 speed_at(const struct scenario *sc, u64 at_ns)
{
	u64 part = (drift_at(sc, at_ns) + 3 * DRIFTS / 4) % DRIFTS;

	return sc->params.drift_percent ? 1 + min(part, DRIFTS - 1 - part) : 0;
}

/* A sum, so that it does not matter which of several equal jobs it is that runs. */
static u64 key_at(const struct court *court, u64 at_ns)
{
	const struct scenario *sc = &court->sc;
	u64 key = 0;

	for (size_t i = 0; i < sc->nr_jobs; i++) {
		struct scenario_job job = sc->jobs[i];

		if (!runs_at(&job, at_ns))
			continue;
		key += (job.group + 1) * 0x9e3779b97f4a7c15ULL *
		       (job.depth * job.streams * 8191 + job.interval_ns * 31 +
			job.bytes + job.think_ns * 131071 + job.write_percent + 1);
	}
	for (size_t i = 0; i < sc->nr_steps && sc->steps[i].at_ns <= at_ns; i++)
		key = key * 31 + (sc->steps[i].value + 1) * 0x2545f4914f6cdd1dULL;
	return key * 31 + speed_at(sc, at_ns);
}

static struct simdisk_params params_at(const struct scenario *sc, u64 at_ns)
{
	struct simdisk_params params = sc->params;

	for (size_t i = 0; i < sc->nr_steps && sc->steps[i].at_ns <= at_ns; i++)
		simdisk_param_set(&params, sc->steps[i].place, sc->steps[i].value);
	return params;
}

static int find_phase(struct court *court, u64 at_ns)
{
	u64 key = key_at(court, at_ns);
	struct phase *phase;

	for (int i = 0; i < court->nr_phases; i++)
		if (court->phases[i].key == key)
			return i;
	if (court->nr_phases == PHASES_MAX)
		return PHASES_MAX - 1;
	phase = &court->phases[court->nr_phases];
	phase->key = key;
	phase->params = params_at(&court->sc, at_ns);
	return court->nr_phases++;
}

static double largest_of(const struct court *court)
{
	double largest = 0;

	for (size_t i = 0; i < court->sc.nr_jobs; i++)
		largest = fmax(largest, court->sc.jobs[i].bytes);
	return largest;
}

/**
 * slots_of - how many I/Os a disk serves at once
 * @court: the scenario
 * @phase: in which phase
 */
double slots_of(const struct court *court, int phase)
{
	const struct simdisk_params *params = &court->phases[phase].params;

	switch (court->sc.model->bit) {
	case SIMDISK_FLAT:
		return params->slots;
	case SIMDISK_SSD:
		/* A large I/O keeps several dies busy. */
		return fmax(params->channels * params->dies * params->page_kib * 1024 /
			    fmax(largest_of(court), params->page_kib * 1024), 1);
	case SIMDISK_ARRAY:
		return params->disks;
	default:
		return 1;
	}
}

/* Without irregularities, of one I/O. */
static double plain_ns(const struct simdisk_model *model,
		       const struct simdisk_params *params, double bytes, bool is_write)
{
	double ns, more = fmax(ceil(bytes / 4096) - 1, 0), pages, of_die;

	switch (model->bit) {
	case SIMDISK_FLAT:
		ns = params->service_ns + more * params->more_ns;
		return is_write ? ns * params->write_percent / 100 : ns;
	case SIMDISK_SERIAL:
		return params->seek_ns + more * params->seq_ns;
	case SIMDISK_SSD:
		/* Page by page on different dies, and channels. */
		pages = ceil(bytes / 1024 / params->page_kib);
		of_die = ceil(pages / (params->channels * params->dies));
		return of_die * (is_write ? params->program_ns : params->read_ns) +
		       bytes * 1e9 / params->bus_bytes_per_s /
			fmin(pages, params->channels) +
		       params->overhead_ns + bytes * 1e9 / params->link_bytes_per_s;
	default:
		return params->seek_avg_ns + 30e9 / params->rpm + params->overhead_ns +
		       bytes * 1e9 / params->inner_bytes_per_s;
	}
}

/**
 * cap_ns - how long nothing else is begun after an I/O
 * @params: the disk
 * @bytes: size of the I/O
 *
 * Return: nanoseconds, 0 without a cap.
 */
double cap_ns(const struct simdisk_params *params, double bytes)
{
	double ns = 0;

	if (params->cap_ios_per_s)
		ns = 1e9 / params->cap_ios_per_s;
	if (params->cap_bytes_per_s)
		ns = fmax(ns, bytes * 1e9 / params->cap_bytes_per_s);
	return ns;
}

/**
 * taken_at_once - how many I/Os keep a disk busy
 * @court: the scenario
 * @phase: in which phase
 *
 * Below a cap it is as many as come in the time that one takes, and as the number of
 * these varies, twice the deviation more.
 */
double taken_at_once(const struct court *court, int phase)
{
	const struct simdisk_params *params = &court->phases[phase].params;
	double bytes = largest_of(court), cap = cap_ns(params, bytes);
	double slots = slots_of(court, phase), within;

	if (court->sc.model->bit == SIMDISK_SSD)
		slots = 1 + (slots - 1) / (1 - BUSY);
	if (!cap)
		return slots;
	within = plain_ns(court->sc.model, params, bytes, false) / cap;
	return fmin(slots, within + 2 * sqrt(within) + 1);
}

static u64 next_change(const struct scenario *sc, u64 at_ns)
{
	u64 next = sc->settle_ns + sc->time_ns;

	for (size_t i = 0; i < sc->nr_jobs; i++) {
		if (sc->jobs[i].start_ns > at_ns)
			next = min(next, sc->jobs[i].start_ns);
		if (sc->jobs[i].stop_ns > at_ns)
			next = min(next, sc->jobs[i].stop_ns);
	}
	for (size_t i = 0; i < sc->nr_steps; i++)
		if (sc->steps[i].at_ns > at_ns)
			next = min(next, sc->steps[i].at_ns);
	if (sc->params.drift_percent)
		next = min(next, DIV_ROUND_UP((drift_at(sc, at_ns) + 1) *
					      sc->params.drift_ns, (u64)DRIFTS));
	return next;
}

static void find_spans(struct court *court)
{
	const struct scenario *sc = &court->sc;
	u64 at_ns = sc->settle_ns, next_ns;

	while (at_ns < sc->settle_ns + sc->time_ns) {
		int phase = find_phase(court, at_ns);

		next_ns = next_change(sc, at_ns);
		court->spans = xreallocarray(court->spans, court->nr_spans + 1,
					     sizeof(*court->spans));
		court->spans[court->nr_spans++] = (struct span) { next_ns, phase };
		court->phases[phase].seconds += (next_ns - at_ns) / 1e9;
		at_ns = next_ns;
	}
}

static void find_jobs(struct court *court, struct who *who)
{
	const struct scenario *sc = &court->sc;
	u64 tasks = 0, most = 0;

	for (size_t i = 0; i < sc->nr_jobs; i++) {
		const struct scenario_job *job = &sc->jobs[i];
		u64 depth = job->interval_ns ? 0 : job->depth * job->streams;

		if (job->group != who->section)
			continue;
		who->visits += job->start_ns < sc->settle_ns + sc->time_ns &&
			       job->stop_ns > sc->settle_ns;
		tasks += job->streams;
		most = max(most, depth);
		who->largest = fmax(who->largest, job->bytes);
		who->has_job = true;
		who->think_ns = job->think_ns;
		who->is_reader = tasks == 1 && depth == 1 && !job->write_percent;
	}
	who->is_deep = most >= 2 * slots_of(court, 0);
}

static void find_groups(struct court *court)
{
	const struct scenario *sc = &court->sc;
	int *first = xcalloc(sc->nr_groups + 1, sizeof(*first));

	for (size_t i = 0; i < sc->nr_groups; i++) {
		const struct scenario_group *group = &sc->groups[i];

		first[i] = court->nr;
		court->who = xreallocarray(court->who, court->nr + group->count,
					   sizeof(*court->who));
		for (u64 j = 0; j < group->count; j++) {
			struct who *who = &court->who[court->nr++];

			memset(who, 0, sizeof(*who));
			who->section = i;
			who->parent = NOBODY;
			if (group->parent != SCENARIO_NONE) {
				who->parent = first[group->parent] +
					      j % sc->groups[group->parent].count;
				who->levels = court->who[who->parent].levels + 1;
				court->who[who->parent].is_parent = true;
			}
			find_jobs(court, who);
		}
	}
	free(first);
}

/* What a drive can sort takes less time. */
static void find_likeness(struct court *court)
{
	const struct scenario *sc = &court->sc;
	const struct scenario_job *first = &sc->jobs[0];

	court->is_alike = true;
	for (size_t i = 0; i < sc->nr_jobs; i++) {
		const struct scenario_job *job = &sc->jobs[i];

		court->is_alike &= job->bytes == first->bytes &&
				   job->write_percent == first->write_percent &&
				   job->is_sequential == first->is_sequential &&
				   (sc->model->bit != SIMDISK_HDD ||
				    job->depth * job->streams == first->depth * first->streams);
		court->has_writes |= job->write_percent > 0;
	}
}

/**
 * court_open - read a scenario
 * @court: filled in; to be closed in any case
 * @text: the scenario
 * @err: on failure says what was wrong
 *
 * Return: 0 or -EINVAL.
 */
int court_open(struct court *court, const char *text, struct parse_error *err)
{
	unsigned long line;

	memset(court, 0, sizeof(*court));
	if (scenario_parse(&court->sc, text, &line, err))
		return -EINVAL;
	if (court->sc.trace)
		return refuse(err, "[trace]: expected jobs, which can be judged");
	find_spans(court);
	if (court->nr_phases == PHASES_MAX)
		return refuse(err, "[job]: expected fewer than %d sets of jobs that run together",
			      PHASES_MAX);
	find_groups(court);
	find_likeness(court);
	return 0;
}

/**
 * court_close - free a scenario
 * @court: one given to court_open()
 */
void court_close(struct court *court)
{
	free(court->spans);
	free(court->who);
	scenario_free(&court->sc);
}

/**
 * tally_of - find what a group got
 * @court: the scenario
 * @outcome: a run of it
 * @phase: in which phase
 * @who: the group
 */
struct tally *tally_of(const struct court *court, const struct outcome *outcome,
		       int phase, int who)
{
	return &outcome->got[phase * court->nr + who];
}

/* Called at the end of each span. */
static void record(struct sim *sim, void *data)
{
	struct recorder *rec = data;
	const struct court *court = rec->court;
	const struct span *span = &court->spans[rec->span];

	if (sim->now_ns < SIM_BEGIN_NS + span->end_ns)
		return;
	for (int i = 0; i < court->nr; i++) {
		struct tally *tally = tally_of(court, rec->outcome, span->phase, i);
		const struct sim_count *count = &sim->counts[i];

		for (int dir = 0; dir < IOBAND_DIRS; dir++) {
			tally->ios[dir] += count->ios[dir] - rec->last[i].ios[dir];
			tally->bytes[dir] += count->bytes[dir] -
					     rec->last[i].bytes[dir];
		}
		rec->last[i] = *count;
	}
	if (++rec->span == court->nr_spans)
		rec->span--;
	/* The caller adds the interval. */
	sim->next_point_ns = SIM_BEGIN_NS + court->spans[rec->span].end_ns -
			     court->sc.interval_ns;
}

/* Without control limits remain: they say what is wanted. Alone nothing does. */
static void change_settings(struct scenario *sc, enum control control)
{
	sc->policy = ioband_policy_find("limit");
	for (size_t i = 0; i < sc->nr_groups; i++) {
		struct ioband_settings *set = &sc->groups[i].settings;
		struct ioband_settings had = *set;

		ioband_settings_init(set);
		if (control == UNCONTROLLED)
			memcpy(set->limits, had.limits, sizeof(had.limits));
	}
}

static void silence_others(struct sim *sim, int alone)
{
	for (size_t i = 0; i < sim->nr_jobs; i++) {
		struct sim_job *job = &sim->jobs[i];

		if (job->group != &sim->groups[alone] &&
		    job->next_ns < sim->end_ns)
			ioband_heap_erase(&sim->events, &job->event);
	}
}

/**
 * best_depth - the depth that keeps a disk busy, but no more
 * @court: the scenario
 */
u32 best_depth(const struct court *court)
{
	const struct scenario *sc = &court->sc;
	double places = ceil(taken_at_once(court, 0)), least, idle;

	least = fmin(plain_ns(sc->model, &sc->params, 4096, false),
		     plain_ns(sc->model, &sc->params, 4096, true));
	idle = sc->turnaround_ns / least;
	if (idle < (sc->model->bit == SIMDISK_SSD ? 1 - BUSY : IDLE))
		return places;
	return places + ceil(places * idle);
}

/**
 * court_run - run a scenario
 * @court: the scenario
 * @control: who decides
 * @alone: the only group that runs, or %NOBODY for all
 * @outcome: filled in; to be freed by outcome_free() in any case
 * @err: on failure says what was wrong
 *
 * Return: 0 or -errno.
 */
int court_run(const struct court *court, enum control control, int alone,
	      struct outcome *outcome, struct parse_error *err)
{
	struct scenario sc = court->sc;
	struct recorder rec = { .court = court, .outcome = outcome };
	struct sim sim;
	int r;

	outcome->got = xcalloc(court->nr_phases * court->nr + 1, sizeof(*outcome->got));
	outcome->hists = xcalloc(court->nr + 1, sizeof(*outcome->hists));
	rec.last = xcalloc(court->nr + 1, sizeof(*rec.last));
	sc.groups = xcalloc(sc.nr_groups + 1, sizeof(*sc.groups));
	memcpy(sc.groups, court->sc.groups, sc.nr_groups * sizeof(*sc.groups));
	if (control == UNCONTROLLED || control == ALONE)
		change_settings(&sc, control);
	if (control == BEST_DEPTH || control == IDEAL)
		sc.pool.io_throttle = best_depth(court);
	if (control == IDEAL)
		sc.turnaround_ns = 0;
	r = sim_init(&sim, &sc, NULL, true, record, &rec, err);
	if (!r) {
		sim.next_point_ns = SIM_BEGIN_NS + court->spans[0].end_ns;
		if (alone != NOBODY)
			silence_others(&sim, alone);
		r = sim_run(&sim, err);
	}
	if (!r) {
		memcpy(outcome->hists, sim.hists, court->nr * sizeof(*sim.hists));
		memset(sim.hists, 0, court->nr * sizeof(*sim.hists));
		outcome->depth = sim.pool.sched.depth;
		outcome->contended = sim.pool.contended;
	}
	sim_free(&sim);
	free(sc.groups);
	free(rec.last);
	return r;
}

/**
 * outcome_free - free what a run has left
 * @court: its scenario
 * @outcome: what it has left
 */
void outcome_free(const struct court *court, struct outcome *outcome)
{
	for (int i = 0; outcome->hists && i < court->nr; i++)
		sim_hist_free(&outcome->hists[i]);
	free(outcome->hists);
	free(outcome->got);
}

/* Whether a job of a group runs in a phase; spans of a phase are all alike. */
static bool runs_in(const struct court *court, const struct scenario_job *job, int phase)
{
	u64 begin_ns = court->sc.settle_ns;

	for (int i = 0; i < court->nr_spans; i++) {
		if (court->spans[i].phase == phase)
			return runs_at(job, begin_ns);
		begin_ns = court->spans[i].end_ns;
	}
	return false;
}

#define for_each_job(job, court, phase, w)					\
	for ((job) = (court)->sc.jobs;						\
	     (job) < (court)->sc.jobs + (court)->sc.nr_jobs; (job)++)		\
		if ((job)->group == (court)->who[w].section &&			\
		    runs_in(court, job, phase))

/**
 * outstanding - how many I/Os a group's closed loops keep outstanding
 * @court: the scenario
 * @phase: in which phase
 * @who: the group
 */
double outstanding(const struct court *court, int phase, int who)
{
	const struct scenario_job *job;
	double sum = 0;

	for_each_job(job, court, phase, who)
		if (!job->interval_ns)
			sum += job->depth * job->streams;
	return sum;
}

/**
 * arriving - how many I/Os a second a group's open loops send
 * @court: the scenario
 * @phase: in which phase
 * @who: the group
 */
double arriving(const struct court *court, int phase, int who)
{
	const struct scenario_job *job;
	double sum = 0;

	for_each_job(job, court, phase, who)
		if (job->interval_ns)
			sum += 1e9 * job->streams / job->interval_ns;
	return sum;
}

/**
 * is_on - whether a group does I/O
 * @court: the scenario
 * @phase: in which phase
 * @who: the group
 */
bool is_on(const struct court *court, int phase, int who)
{
	return outstanding(court, phase, who) || arriving(court, phase, who);
}

/**
 * service_percentile - how long the disk takes for an I/O of a group at worst
 * @court: the scenario
 * @phase: in which phase
 * @who: the group
 * @part: of all I/Os, those that take no longer, such as 0.99
 *
 * Return: nanoseconds, by formula.
 */
double service_percentile(const struct court *court, int phase, int who, double part)
{
	const struct simdisk_params *params = &court->phases[phase].params;
	double jitter = params->jitter_percent / 100.0, tail = params->tail_ppm / 1e6;
	const struct scenario_job *job;
	double most = 0;

	for_each_job(job, court, phase, who) {
		for (int dir = 0; dir < IOBAND_DIRS; dir++) {
			double ns = plain_ns(court->sc.model, params, job->bytes,
					     dir == IOBAND_WRITE);

			if (job->write_percent == (dir == IOBAND_WRITE ? 0 : 100))
				continue;
			ns *= 1 - jitter - jitter * log(1 - part);
			if (tail > 1 - part)
				ns += params->tail_ns * log(tail / (1 - part));
			ns = ns / (1 - params->drift_percent / 100.0) +
			     cap_ns(params, job->bytes);
			most = fmax(most, ns);
		}
	}
	return most;
}

/**
 * service_of - how long the disk takes for an I/O of a group
 * @court: the scenario
 * @phase: in which phase
 * @who: the group
 *
 * Return: nanoseconds in the mean, by formula.
 */
double service_of(const struct court *court, int phase, int who)
{
	const struct simdisk_params *params = &court->phases[phase].params;
	double ns = 0, nr = 0;
	const struct scenario_job *job;

	for_each_job(job, court, phase, who) {
		double writes = job->write_percent / 100.0;

		ns += writes * plain_ns(court->sc.model, params, job->bytes, true) +
		      (1 - writes) * plain_ns(court->sc.model, params, job->bytes, false) +
		      params->tail_ppm / 1e6 * params->tail_ns +
		      cap_ns(params, job->bytes);
		nr++;
	}
	return nr ? ns / nr : 0;
}

/**
 * work_in - how long one slot would take for what a group got
 * @court: the scenario, on a flat disk
 * @phase: in which phase
 * @tally: what it got
 *
 * Return: nanoseconds.
 */
double work_in(const struct court *court, int phase, const struct tally *tally)
{
	const struct simdisk_params *params = &court->phases[phase].params;
	double ns = 0;

	for (int dir = 0; dir < IOBAND_DIRS; dir++) {
		double more = fmax(tally->bytes[dir] / 4096 - tally->ios[dir], 0);
		double one = tally->ios[dir] * params->service_ns +
			     more * params->more_ns;

		ns += dir == IOBAND_WRITE ? one * params->write_percent / 100 : one;
	}
	return ns;
}

/**
 * deviation - how much the time from one I/O of a task to the next varies
 * @hist: latencies
 * @think_ns: how long the task thinks
 *
 * Return: the standard deviation, in parts of the mean.
 */
double deviation(const struct sim_hist *hist, double think_ns)
{
	double sum = 0, squares = 0, mean;
	int n = 400;

	if (!hist->nr)
		return 0;
	for (int i = 0; i < n; i++) {
		double ns = sim_hist_percentile(hist, 100 * (i + 0.5) / n);

		sum += ns;
		squares += ns * ns;
	}
	mean = sum / n;
	return sqrt(fmax(squares / n - mean * mean, 0)) / (mean + think_ns);
}
