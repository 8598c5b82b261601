// SPDX-License-Identifier: GPL-2.0-only
/*
 * The results of a simulation.
 */
#include <math.h>

#include "lib/util.h"
#include "sim-report.h"

/* Anything below this part of a minimum, or of the time, counts as less. */
#define MET	0.99

/**
 * struct demand - what jobs would do per second if I/O took no time
 */
struct demand {
	double ios;
	double bytes;
};

/**
 * struct tally - what a group got, including the groups below it
 * @work: service, in the unit that the policy divides
 * @rivals: sum of the weights of active children, and of its own I/O if it had any
 * @want_ns: time in which its jobs waited for I/O
 * @busy_ns: time in which they waited for I/O or were thinking
 * @volumes: how many it does I/O to, each as a child of its own
 * @due: the part of the disk due to it
 */
struct tally {
	u64 ios[IOBAND_DIRS];
	u64 bytes[IOBAND_DIRS];
	u64 work;
	u64 rivals;
	u64 want_ns;
	u64 busy_ns;
	struct demand demand;
	u64 volumes;
	bool active;
	double due;
};

static struct sim_group *parent_of(const struct sim *sim, size_t i)
{
	struct ioband_node *above = sim->groups[i].node.parent;

	return above->parent ? container_of(above, struct sim_group, node) :
			       NULL;
}

static u64 work_of(const struct sim *sim, const struct sim_count *count)
{
	const struct ioband_policy *policy = sim->sc->policy;
	u64 ios = count->ios[0] + count->ios[1];
	u64 bytes = count->bytes[0] + count->bytes[1];

	if (policy->by_time)
		return count->work_ns;
	return policy->cost(ios, bytes / SIMDISK_SECTOR_BYTES);
}

static void add_up(struct tally *to, const struct tally *from)
{
	for (int dir = 0; dir < IOBAND_DIRS; dir++) {
		to->ios[dir] += from->ios[dir];
		to->bytes[dir] += from->bytes[dir];
	}
	to->work += from->work;
	to->want_ns = max(to->want_ns, from->want_ns);
	to->busy_ns = max(to->busy_ns, from->busy_ns);
	to->demand.ios += from->demand.ios;
	to->demand.bytes += from->demand.bytes;
	to->active |= from->active;
}

/*
 * The demand of a group of each section, to be freed. A job without a given think time
 * wants whatever it can get: the think time it has by default is the machine's.
 */
static struct demand *make_demands(const struct scenario *sc)
{
	struct demand *demands = xcalloc(sc->nr_groups + 1, sizeof(*demands));

	for (size_t i = 0; i < sc->nr_jobs; i++) {
		const struct scenario_job *job = &sc->jobs[i];
		struct demand *demand = &demands[job->group];
		double ios;

		if (job->interval_ns)
			ios = 1e9 * job->streams / job->interval_ns;
		else if (job->given[JOB_THINK] && job->think_ns)
			ios = 1e9 * job->streams * job->depth / job->think_ns;
		else
			ios = INFINITY;
		demand->ios += ios;
		demand->bytes += ios * job->bytes;
	}
	return demands;
}

static void add_demands(const struct sim *sim, struct tally *tallies)
{
	const struct scenario *sc = sim->sc;
	struct demand *demands = make_demands(sc);

	for (size_t i = 0; i < sc->nr_groups; i++)
		for (u64 j = 0; j < sc->groups[i].count; j++) {
			tallies[sim->first_group[i] + j].demand = demands[i];
			tallies[sim->first_group[i] + j].volumes = sc->groups[i].volumes;
		}
	free(demands);
}

/* @all: set to the sum of all groups. Parents come before their children. */
static struct tally *make_tallies(const struct sim *sim, struct tally *all)
{
	struct tally *tallies = xcalloc(sim->nr_groups + 1, sizeof(*tallies));

	memset(all, 0, sizeof(*all));
	add_demands(sim, tallies);
	for (size_t i = 0; i < sim->nr_groups; i++) {
		const struct sim_count *count = &sim->counts[i];
		struct tally *tally = &tallies[i];

		memcpy(tally->ios, count->ios, sizeof(tally->ios));
		memcpy(tally->bytes, count->bytes, sizeof(tally->bytes));
		tally->work = work_of(sim, count);
		tally->want_ns = count->want.ns;
		tally->busy_ns = count->busy.ns;
		tally->active = count->want.ns || count->ios[0] || count->ios[1];
		if (tally->active)
			tally->rivals = tally->volumes * IOBAND_WEIGHT_DEFAULT;
	}
	for (size_t i = sim->nr_groups; i--;) {
		struct sim_group *parent = parent_of(sim, i);
		struct tally *to = parent ? &tallies[parent - sim->groups] :
					    all;

		add_up(to, &tallies[i]);
		if (tallies[i].active)
			to->rivals += sim->groups[i].node.weight;
	}
	all->due = 1;
	for (size_t i = 0; i < sim->nr_groups; i++) {
		struct sim_group *parent = parent_of(sim, i);
		const struct tally *from =
			parent ? &tallies[parent - sim->groups] : all;

		if (tallies[i].active)
			tallies[i].due = from->due * sim->groups[i].node.weight /
					 from->rivals;
	}
	return tallies;
}

/* Add the latencies of each group to those of its parent. */
static void merge_hists(struct sim *sim, bool each)
{
	const struct scenario *sc = sim->sc;

	for (size_t i = sim->nr_hists; i--;) {
		struct sim_hist *to = NULL;

		if (each && parent_of(sim, i))
			to = parent_of(sim, i)->count->hist;
		else if (!each && sc->groups[i].parent != SCENARIO_NONE)
			to = &sim->hists[sc->groups[i].parent];
		if (to)
			sim_hist_merge(to, &sim->hists[i]);
	}
}

static char *group_name(const struct sim *sim, int section, u64 i)
{
	const struct scenario_group *spec = &sim->sc->groups[section];

	if (!spec->is_counted)
		return xstrdup(spec->name);
	return xasprintf("%s%llu", spec->name, (unsigned long long)i + 1);
}

/*
 * A minimum is unmet if the scheduler has found the group behind for some of the time,
 * or if the group got less although it always wanted I/O. A group that asks for less
 * does not count. Think time counts as wanting I/O if the group would reach its
 * minimum on an infinitely fast disk: on a disk that is nearly as fast, jobs spend a
 * large part of their time thinking.
 */
static bool is_unmet(const struct sim *sim, size_t i, const struct tally *tally,
		     double rate)
{
	const struct ioband_terms *terms = sim->groups[i].node.terms;
	double demand = terms->min_is_ios ? tally->demand.ios :
					    tally->demand.bytes;
	u64 ns = sim->sc->time_ns;
	u64 want_ns = demand >= terms->min_rate ? tally->busy_ns :
						  tally->want_ns;

	return sim->counts[i].unmet_ns > ns * (1 - MET) ||
	       (rate < terms->min_rate * MET && want_ns >= ns * MET);
}

static void add_minimum(struct sim_row *row, const struct sim *sim,
			int section, u64 index, const struct tally *tally,
			double seconds)
{
	size_t i = sim->first_group[section] + index;
	const u64 *got = row->min_is_ios ? tally->ios : tally->bytes;
	double rate = (got[0] + got[1]) / seconds;

	if (!row->min_rate)
		return;
	if (!row->least_name || rate < row->least_rate) {
		free(row->least_name);
		row->least_name = group_name(sim, section, index);
		row->least_rate = rate;
	}
	row->behind_ns = max(row->behind_ns, sim->counts[i].unmet_ns);
	row->unmet += is_unmet(sim, i, tally, rate);
}

/* The row for @nr groups of a section, starting with @first. */
static struct sim_row make_row(const struct sim *sim,
			       const struct tally *tallies,
			       const struct tally *all, int section, u64 first,
			       u64 nr)
{
	const struct scenario_group *spec = &sim->sc->groups[section];
	size_t at = sim->first_group[section] + first;
	struct sim_row row = {
		.groups = nr,
		.weight = spec->settings.weight,
		.min_rate = spec->settings.min_rate,
		.min_is_ios = spec->settings.min_is_ios,
		.hist = sim->groups[at].count->hist,
	};
	double seconds = sim->sc->time_ns / 1e9;

	row.name = nr == spec->count ? xstrdup(spec->name) :
				       group_name(sim, section, first);
	if (spec->parent != SCENARIO_NONE) {
		u64 above = sim->sc->groups[spec->parent].count;

		row.parent = nr == 1 && above > 1 ?
			     group_name(sim, spec->parent, first % above) :
			     xstrdup(sim->sc->groups[spec->parent].name);
	}
	for (u64 i = 0; i < nr; i++) {
		const struct tally *tally = &tallies[at + i];

		for (int dir = 0; dir < IOBAND_DIRS; dir++) {
			row.ios[dir] += tally->ios[dir];
			row.bytes[dir] += tally->bytes[dir];
		}
		row.due_ppm += tally->due * 1e6;
		if (all->work)
			row.got_ppm += 1e6 * tally->work / all->work;
		add_minimum(&row, sim, section, first + i, tally, seconds);
	}
	return row;
}

/**
 * sim_report_make - make the report of a simulation
 * @report: filled in; to be freed by sim_report_free()
 * @sim: a simulation that has run; can be reported only once
 * @each: one row for each group instead of each section, as given to sim_init()
 */
void sim_report_make(struct sim_report *report, struct sim *sim, bool each)
{
	const struct scenario *sc = sim->sc;
	struct tally all, *tallies = make_tallies(sim, &all);
	struct sim_row *total;

	memset(report, 0, sizeof(*report));
	report->seconds = sc->time_ns / 1e9;
	report->rows = xcalloc((each ? sim->nr_groups : sc->nr_groups) + 1,
			       sizeof(*report->rows));
	for (size_t i = 0; i < sim->nr_hists; i++)
		sim_hist_merge(&report->total_hist, &sim->hists[i]);
	merge_hists(sim, each);
	for (size_t i = 0; i < sc->nr_groups; i++) {
		u64 step = each ? 1 : sc->groups[i].count;

		for (u64 at = 0; at < sc->groups[i].count; at += step)
			report->rows[report->nr++] =
				make_row(sim, tallies, &all, i, at, step);
	}
	total = &report->rows[report->nr++];
	total->name = xstrdup("total");
	memcpy(total->ios, all.ios, sizeof(total->ios));
	memcpy(total->bytes, all.bytes, sizeof(total->bytes));
	total->hist = &report->total_hist;
	for (size_t i = 0; i + 1 < report->nr; i++)
		total->unmet += report->rows[i].unmet;
	free(tallies);
}

/**
 * sim_report_free - free a report
 * @report: a report made by sim_report_make()
 */
void sim_report_free(struct sim_report *report)
{
	for (size_t i = 0; i < report->nr; i++) {
		free(report->rows[i].name);
		free(report->rows[i].parent);
		free(report->rows[i].least_name);
	}
	free(report->rows);
	sim_hist_free(&report->total_hist);
}
