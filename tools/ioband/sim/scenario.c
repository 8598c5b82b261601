// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scenarios: disk, groups and jobs, in the format of files in /etc/ioband.
 *
 *	[disk]
 *	model = hdd
 *
 *	[group tenant]
 *	count = 40
 *	min = 5MB
 *
 *	[job]
 *	depth = 8
 */
#include "lib/units.h"
#include "lib/util.h"
#include "lib/words.h"
#include "scenario.h"

enum section {
	IN_NONE,
	IN_DISK,
	IN_DISK_AT,
	IN_POOL,
	IN_RUN,
	IN_GROUP,
	IN_JOB,
	IN_TRACE,
};

/**
 * struct reader - state of the parser
 * @nr: current line number
 * @in: current section
 * @seen: bits for sections and keys that may occur only once and have been seen,
 *	except for keys of groups and jobs
 * @at_ns: time of a section [disk at]
 */
struct reader {
	struct scenario *sc;
	unsigned long nr;
	enum section in;
	unsigned int seen;
	u64 at_ns;
	bool disk_given[SIMDISK_PARAM_COUNT];
	struct parse_error *err;
};

/* Bits of reader.seen: keys of [pool], [run] and [trace], and sections. */
enum {
	KEY_TURNAROUND,
	KEY_SETTLE,
	KEY_TIME,
	KEY_SEED,
	KEY_INTERVAL,
	KEY_FILE,
	KEY_START,
	SECTION_DISK,
	SECTION_POOL,
	SECTION_RUN,
	SECTION_TRACE,
};

/* From the completion interrupt, through a worker, to the disk. */
#define TURNAROUND_NS	((u64)5 * NSEC_PER_USEC)

static int once(struct reader *reader, int what, const char *name)
{
	if (reader->seen & BIT(what))
		return refuse(reader->err, "%s: given twice", name);
	reader->seen |= BIT(what);
	return 0;
}

static int begin_group(struct reader *reader, const char *name)
{
	struct scenario *sc = reader->sc;
	struct scenario_group *group;

	if (!strcmp(name, "-1"))
		name = "default";
	if (!*name || strlen(name) >= GROUP_NAME_LEN)
		return refuse(reader->err, "[group %.40s]: expected a name of 1 to %d characters",
			      name, GROUP_NAME_LEN - 1);
	/* A second section on the line would become part of the name. */
	if (strpbrk(name, "[]"))
		return refuse(reader->err, "[group %.40s]: expected a name without [ and ], and one section on a line",
			      name);
	if (!strcmp(name, "total"))
		return refuse(reader->err, "[group total]: expected another name, this is that of the sum");
	if (scenario_group(sc, name) != SCENARIO_NONE)
		return refuse(reader->err, "[group %.40s]: given twice", name);
	if (sc->nr_groups == SCENARIO_SECTIONS_MAX)
		return refuse(reader->err, "[group %.40s]: expected no more than %d such sections, use count",
			      name, SCENARIO_SECTIONS_MAX);
	sc->groups = xreallocarray(sc->groups, sc->nr_groups + 1,
				   sizeof(*sc->groups));
	group = &sc->groups[sc->nr_groups++];
	memset(group, 0, sizeof(*group));
	group->name = xstrdup(name);
	group->line = reader->nr;
	group->count = 1;
	group->volumes = 1;
	group->parent = SCENARIO_NONE;
	ioband_settings_init(&group->settings);
	reader->in = IN_GROUP;
	return 0;
}

static int begin_job(struct reader *reader)
{
	struct scenario *sc = reader->sc;

	if (reader->in != IN_GROUP && reader->in != IN_JOB)
		return refuse(reader->err, "[job]: expected behind the [group NAME] it belongs to");
	if (sc->nr_jobs == SCENARIO_SECTIONS_MAX)
		return refuse(reader->err, "[job]: expected no more than %d such sections, use streams",
			      SCENARIO_SECTIONS_MAX);
	sc->jobs = xreallocarray(sc->jobs, sc->nr_jobs + 1, sizeof(*sc->jobs));
	scenario_job_init(&sc->jobs[sc->nr_jobs++], sc->nr_groups - 1,
			  reader->nr);
	reader->in = IN_JOB;
	return 0;
}

static int begin_step(struct reader *reader, const char *when)
{
	if (!reader->sc->model)
		return refuse(reader->err, "[disk at %.40s]: expected behind [disk] and its model",
			      when);
	if (!units_parse_ns(when, &reader->at_ns) ||
	    reader->at_ns > S64_MAX / 4)
		return refuse(reader->err, "[disk at %.40s]: expected a time such as 30s",
			      when);
	memset(reader->disk_given, 0, sizeof(reader->disk_given));
	reader->in = IN_DISK_AT;
	return 0;
}

/* The rest of @name if its first word is @word, or NULL. */
static char *behind(char *name, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(name, word, len) || (name[len] != ' ' && name[len] != '\t'))
		return NULL;
	return conf_trim(name + len);
}

static int read_section(struct reader *reader, char *line)
{
	static const struct {
		const char *name;
		enum section section;
		int once;
	} plain[] = {
		{ "disk", IN_DISK, SECTION_DISK },
		{ "pool", IN_POOL, SECTION_POOL },
		{ "run", IN_RUN, SECTION_RUN },
		{ "trace", IN_TRACE, SECTION_TRACE },
	};
	char *name = line + 1, *end = strrchr(name, ']'), *rest;

	if (!end || end[1])
		return refuse(reader->err, "'%.40s': expected ] at the end",
			      line);
	*end = '\0';
	name = conf_trim(name);
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		if (strcmp(name, plain[i].name))
			continue;
		reader->in = plain[i].section;
		if (reader->in == IN_TRACE)
			reader->sc->trace_line = reader->nr;
		return once(reader, plain[i].once, name);
	}
	if (!strcmp(name, "job"))
		return begin_job(reader);
	rest = behind(name, "group");
	if (rest)
		return begin_group(reader, rest);
	rest = behind(name, "disk");
	rest = rest ? behind(rest, "at") : NULL;
	if (rest)
		return begin_step(reader, rest);
	return refuse(reader->err, "section '[%.40s]': expected [disk], [disk at TIME], [pool], [run], [group NAME], [job] or [trace]",
		      name);
}

static int find_param(const struct simdisk_model *model, const char *key)
{
	/* Storing data and discarding it take no time in a simulation. */
	if (!strcmp(key, "memory_backed") || !strcmp(key, "discard"))
		return -1;
	for (int i = 0; i < SIMDISK_PARAM_COUNT; i++)
		if (!strcmp(simdisk_param_table[i].name, key) &&
		    simdisk_param_table[i].models & model->bit)
			return i;
	return -1;
}

static int take_model(struct reader *reader, const char *value)
{
	struct scenario *sc = reader->sc;

	if (sc->model)
		return refuse(reader->err, "model: given twice");
	sc->model = simdisk_model_find(value);
	if (!sc->model)
		return refuse(reader->err, "model '%.40s': expected flat, serial, hdd, array or ssd",
			      value);
	sc->params = sc->model->defaults;
	return 0;
}

static int take_disk(struct reader *reader, const char *key, const char *value)
{
	const struct simdisk_param *param;
	struct scenario *sc = reader->sc;
	bool is_step = reader->in == IN_DISK_AT;
	int place;
	u64 v;

	if (!strcmp(key, "model") && !is_step)
		return take_model(reader, value);
	if (!sc->model)
		return refuse(reader->err, "%.40s: expected behind model", key);
	place = find_param(sc->model, key);
	if (place < 0)
		return refuse(reader->err, "key '%.40s': expected a parameter of model %s, see simdisk",
			      key, sc->model->name);
	param = &simdisk_param_table[place];
	if (reader->disk_given[place])
		return refuse(reader->err, "%s: given twice", key);
	reader->disk_given[place] = true;
	if (is_step && !param->live)
		return refuse(reader->err, "%s: expected in [disk], it cannot change while the disk runs",
			      key);
	if (!parse_u64(value, param->most, &v) || v < param->least)
		return refuse(reader->err, "%s '%.40s': expected %llu to %llu",
			      key, value, (unsigned long long)param->least,
			      (unsigned long long)param->most);
	if (!is_step) {
		simdisk_param_set(&sc->params, place, v);
		return 0;
	}
	sc->steps = xreallocarray(sc->steps, sc->nr_steps + 1,
				  sizeof(*sc->steps));
	sc->steps[sc->nr_steps++] = (struct scenario_step) {
		reader->at_ns, place, v, reader->nr
	};
	return 0;
}

static int take_time(struct reader *reader, int what, u64 *to, const char *key,
		     const char *value)
{
	u64 v;

	if (once(reader, what, key))
		return -EINVAL;
	if (!units_parse_ns(value, &v) || v > S64_MAX / 8)
		return refuse(reader->err, "%s '%.40s': expected a time such as 5ms, 30s or 2h",
			      key, value);
	*to = v;
	return 0;
}

static int take_pool(struct reader *reader, const char *key, const char *value)
{
	if (!strcmp(key, "turnaround"))
		return take_time(reader, KEY_TURNAROUND,
				 &reader->sc->turnaround_ns, key, value);
	if (strcmp(key, "policy") && strcmp(key, "io_throttle") &&
	    strcmp(key, "io_limit") && strcmp(key, "quantum"))
		return refuse(reader->err, "key '%.40s': expected policy, io_throttle, io_limit, quantum or turnaround",
			      key);
	return config_take(&reader->sc->pool, key, value, reader->err);
}

static int take_run(struct reader *reader, const char *key, const char *value)
{
	struct scenario *sc = reader->sc;

	if (!strcmp(key, "settle"))
		return take_time(reader, KEY_SETTLE, &sc->settle_ns, key,
				 value);
	if (!strcmp(key, "time"))
		return take_time(reader, KEY_TIME, &sc->time_ns, key, value);
	if (!strcmp(key, "interval"))
		return take_time(reader, KEY_INTERVAL, &sc->interval_ns, key,
				 value);
	if (strcmp(key, "seed"))
		return refuse(reader->err, "key '%.40s': expected settle, time, seed or interval",
			      key);
	if (once(reader, KEY_SEED, key))
		return -EINVAL;
	if (!parse_u64(value, U32_MAX, &sc->seed))
		return refuse(reader->err, "seed '%.40s': expected 0 to %u",
			      value, U32_MAX);
	return 0;
}

static int take_trace(struct reader *reader, const char *key, const char *value)
{
	struct scenario *sc = reader->sc;

	if (!strcmp(key, "start"))
		return take_time(reader, KEY_START, &sc->trace_start_ns, key,
				 value);
	if (strcmp(key, "file"))
		return refuse(reader->err, "key '%.40s': expected file or start",
			      key);
	if (once(reader, KEY_FILE, key))
		return -EINVAL;
	sc->trace = xstrdup(value);
	return 0;
}

static int read_line(struct reader *reader, char *line)
{
	struct scenario *sc = reader->sc;
	char *key, *value;

	if (conf_split(line, &key, &value, reader->err))
		return -EINVAL;
	if (!key)
		return 0;
	if (!value)
		return read_section(reader, key);
	if (!*value)
		return refuse(reader->err, "key '%.40s': expected a value", key);
	switch (reader->in) {
	case IN_DISK:
	case IN_DISK_AT:
		return take_disk(reader, key, value);
	case IN_POOL:
		return take_pool(reader, key, value);
	case IN_RUN:
		return take_run(reader, key, value);
	case IN_TRACE:
		return take_trace(reader, key, value);
	case IN_GROUP:
		return scenario_group_take(sc, &sc->groups[sc->nr_groups - 1],
					   key, value, reader->err);
	case IN_JOB:
		return scenario_job_take(&sc->jobs[sc->nr_jobs - 1], key,
					 value, reader->err);
	case IN_NONE:
		break;
	}
	return refuse(reader->err, "key '%.40s': expected a section such as [disk] before it",
		      key);
}

/* Sort by time; steps of the same time keep their order. */
static void sort_steps(struct scenario *sc)
{
	for (size_t i = 1; i < sc->nr_steps; i++) {
		struct scenario_step step = sc->steps[i];
		size_t at = i;

		for (; at && sc->steps[at - 1].at_ns > step.at_ns; at--)
			sc->steps[at] = sc->steps[at - 1];
		sc->steps[at] = step;
	}
}

/* Parameters must be consistent after each change. */
static const char *check_disk(const struct scenario *sc)
{
	struct simdisk_params params = sc->params;
	const char *wrong = simdisk_check(sc->model, &params);

	for (size_t i = 0; !wrong && i < sc->nr_steps; i++) {
		simdisk_param_set(&params, sc->steps[i].place,
				  sc->steps[i].value);
		if (i + 1 == sc->nr_steps ||
		    sc->steps[i + 1].at_ns != sc->steps[i].at_ns)
			wrong = simdisk_check(sc->model, &params);
	}
	return wrong;
}

/* Whether what is set for @group is for others as well that are below it. */
static bool has_below(const struct scenario *sc, const struct scenario_group *group)
{
	for (size_t i = 0; i < sc->nr_groups; i++)
		if (sc->groups[i].parent == group - sc->groups)
			return true;
	return false;
}

/*
 * Limits and minimums are of a volume. With those of groups below, the module has a tree of
 * its own for each volume; that is not simulated.
 */
static int check_volumes(struct reader *reader)
{
	const struct scenario *sc = reader->sc;

	for (size_t i = 0; i < sc->nr_groups; i++) {
		const struct scenario_group *on = &sc->groups[i], *above = on;

		reader->nr = on->line;
		if (on->volumes > 1 && on->settings.min_rate)
			return refuse(reader->err, "min of [group %.40s]: is of one volume, expected no volumes of its [job]",
				      on->name);
		for (; on->volumes > 1; above = &sc->groups[above->parent]) {
			if (has_below(sc, above) && ioband_settings_need_terms(&above->settings))
				return refuse(reader->err, "volumes of [group %.40s]: expected no limit, minimum or latency target of [group %.40s], which has others below it",
					      on->name, above->name);
			if (above->parent == SCENARIO_NONE)
				break;
		}
	}
	return 0;
}

static int check_groups(struct reader *reader)
{
	struct scenario *sc = reader->sc;
	struct ioband_error why;
	u64 groups = 0, streams = 0, ios = 0;

	for (size_t i = 0; i < sc->nr_groups; i++) {
		const struct scenario_group *group = &sc->groups[i], *at;

		reader->nr = group->line;
		groups += group->count;
		if (groups > SCENARIO_GROUPS_MAX)
			return refuse(reader->err, "count of [group %.40s]: makes %llu groups in all, expected no more than %d",
				      group->name, (unsigned long long)groups,
				      SCENARIO_GROUPS_MAX);
		if (ioband_settings_check(&group->settings, sc->policy, &why))
			return refuse(reader->err, "%s", why.text);
		if (group->is_counted &&
		    scenario_group_check_names(sc, group, &at, reader->err)) {
			reader->nr = at->line;
			return -EINVAL;
		}
	}
	for (size_t i = 0; i < sc->nr_jobs; i++) {
		const struct scenario_job *job = &sc->jobs[i];
		u64 tasks = job->streams * sc->groups[job->group].count;

		reader->nr = job->line;
		streams += tasks;
		if (streams > SCENARIO_STREAMS_MAX)
			return refuse(reader->err, "streams of [job]: make %llu in all, expected no more than %d",
				      (unsigned long long)streams,
				      SCENARIO_STREAMS_MAX);
		ios += tasks * job->depth;
		if (ios > SCENARIO_IOS_MAX)
			return refuse(reader->err, "depth of [job]: with streams and count makes %llu I/Os outstanding in all, expected no more than %d",
				      (unsigned long long)ios,
				      SCENARIO_IOS_MAX);
		if (scenario_job_check(job, sc, reader->err))
			return -EINVAL;
		sc->groups[job->group].volumes = max(sc->groups[job->group].volumes,
						     job->volumes);
	}
	return check_volumes(reader);
}

/* What begins only when all is over. */
static int check_times(struct reader *reader)
{
	const struct scenario *sc = reader->sc;
	u64 end = sc->settle_ns + sc->time_ns;
	double seconds = end / 1e9;

	for (size_t i = 0; i < sc->nr_jobs; i++) {
		if (sc->jobs[i].start_ns < end)
			continue;
		reader->nr = sc->jobs[i].line;
		return refuse(reader->err, "start of [job]: expected before the end of the run, at %gs",
			      seconds);
	}
	for (size_t i = 0; i < sc->nr_steps; i++) {
		if (sc->steps[i].at_ns < end)
			continue;
		reader->nr = sc->steps[i].line;
		return refuse(reader->err, "[disk at %gs]: expected before the end of the run, at %gs",
			      sc->steps[i].at_ns / 1e9, seconds);
	}
	if (sc->trace && sc->trace_start_ns >= end) {
		reader->nr = sc->trace_line;
		return refuse(reader->err, "start of [trace]: expected before the end of the run, at %gs",
			      seconds);
	}
	return 0;
}

static int check(struct reader *reader)
{
	struct scenario *sc = reader->sc;
	const char *wrong;

	if (!sc->model)
		return refuse(reader->err, "ends without [disk] and its model: expected flat, serial, hdd, array or ssd");
	if (reader->seen & BIT(SECTION_TRACE) && !sc->trace)
		return refuse(reader->err, "ends without the file of [trace]");
	if (!sc->nr_jobs && !sc->trace)
		return refuse(reader->err, "ends without I/O: expected a [job] or a [trace]");
	if (!sc->time_ns)
		return refuse(reader->err, "time: expected more than 0");
	if (!sc->interval_ns)
		return refuse(reader->err, "interval: expected more than 0");
	if (sc->pool.io_limit && sc->pool.io_throttle > sc->pool.io_limit)
		return refuse(reader->err, "io_throttle %u: expected not to exceed io_limit, %u",
			      sc->pool.io_throttle, sc->pool.io_limit);
	sc->policy = ioband_policy_find(sc->pool.policy);
	if (sc->pool.quantum_ms && !sc->policy->by_time)
		return refuse(reader->err, "quantum: has no effect without policy weight-time");
	sort_steps(sc);
	wrong = check_disk(sc);
	if (wrong)
		return refuse(reader->err, "[disk]: %s", wrong);
	if (check_times(reader))
		return -EINVAL;
	return check_groups(reader);
}

/**
 * scenario_parse - parse a scenario
 * @sc: filled in; to be freed in any case
 * @text: contents of the file
 * @line: on failure, the number of the line
 * @err: on failure names the word and what was expected
 *
 * Return: 0 or -EINVAL.
 */
int scenario_parse(struct scenario *sc, const char *text, unsigned long *line,
		   struct parse_error *err)
{
	struct reader reader = { .sc = sc, .err = err };
	char *copy = xstrdup(text), *at = copy, *next;
	int r = 0;

	memset(sc, 0, sizeof(*sc));
	config_init(&sc->pool, "");
	sc->turnaround_ns = TURNAROUND_NS;
	sc->settle_ns = 10 * NSEC_PER_SEC;
	sc->time_ns = 30 * NSEC_PER_SEC;
	sc->interval_ns = NSEC_PER_SEC;
	while (!r && at) {
		next = strchr(at, '\n');
		if (next)
			*next++ = '\0';
		reader.nr++;
		r = read_line(&reader, at);
		at = next;
	}
	if (!r)
		r = check(&reader);
	*line = reader.nr;
	free(copy);
	return r;
}

/**
 * scenario_free - free a scenario
 * @sc: a scenario filled in by scenario_parse()
 */
void scenario_free(struct scenario *sc)
{
	for (size_t i = 0; i < sc->nr_groups; i++)
		free(sc->groups[i].name);
	free(sc->groups);
	free(sc->jobs);
	free(sc->steps);
	free(sc->trace);
	config_free(&sc->pool);
}
