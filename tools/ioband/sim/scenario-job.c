// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sections [job] of a scenario: the tasks that do I/O.
 */
#include "lib/units.h"
#include "lib/words.h"
#include "scenario.h"

enum {
	DEPTH_MAX	= 65536,
	/* Linux makes no larger requests, even if the disk takes any size. */
	BYTES_MAX	= 1280 * 1024,
	SECTOR		= SIMDISK_SECTOR_BYTES,
	MIB		= 1024 * 1024,
};

/* Time to wake up, process the result and submit the next I/O. */
#define THINK_NS	((u64)10 * NSEC_PER_USEC)

static const char * const names[NR_JOB_KEYS] = {
	[JOB_STREAMS]	= "streams",
	[JOB_VOLUMES]	= "volumes",
	[JOB_DEPTH]	= "depth",
	[JOB_THINK]	= "think",
	[JOB_RATE]	= "rate",
	[JOB_ARRIVALS]	= "arrivals",
	[JOB_PATTERN]	= "pattern",
	[JOB_SIZE]	= "size",
	[JOB_WRITE]	= "write",
	[JOB_ASYNC]	= "async",
	[JOB_PRIO]	= "prio",
	[JOB_START]	= "start",
	[JOB_STOP]	= "stop",
	[JOB_OFFSET]	= "offset",
	[JOB_SPAN]	= "span",
};

/**
 * scenario_job_init - initialise a job with defaults
 * @job: filled in
 * @group: the section that it belongs to
 * @line: line number of its section
 */
void scenario_job_init(struct scenario_job *job, int group, unsigned long line)
{
	memset(job, 0, sizeof(*job));
	job->line = line;
	job->group = group;
	job->streams = 1;
	job->volumes = 1;
	job->depth = 1;
	job->think_ns = THINK_NS;
	job->bytes = 4096;
	job->prio = IOBAND_PRIO_NORMAL;
	job->stop_ns = U64_MAX;
}

static int take_number(u64 *to, const char *key, const char *value, u64 least,
		       u64 most, struct parse_error *err)
{
	u64 v;

	if (!parse_u64(value, most, &v) || v < least)
		return refuse(err, "%s '%.40s': expected %llu to %llu", key,
			      value, (unsigned long long)least,
			      (unsigned long long)most);
	*to = v;
	return 0;
}

static int take_time(u64 *to, const char *key, const char *value,
		     struct parse_error *err)
{
	u64 v;

	if (!units_parse_ns(value, &v) || v > S64_MAX / 4)
		return refuse(err, "%s '%.40s': expected a time such as 5ms, 30s or 2h",
			      key, value);
	*to = v;
	return 0;
}

static int take_size(u64 *to, const char *key, const char *value,
		     struct parse_error *err)
{
	u64 v;

	if (!units_parse_size(value, &v) || v % SECTOR)
		return refuse(err, "%s '%.40s': expected a size such as 64K, a multiple of 512",
			      key, value);
	*to = v;
	return 0;
}

/* Parse one of two words, of which the first means false. */
static int take_choice(bool *to, const char *key, const char *value,
		       const char *no, const char *yes, struct parse_error *err)
{
	if (strcmp(value, no) && strcmp(value, yes))
		return refuse(err, "%s '%.40s': expected %s or %s", key, value,
			      no, yes);
	*to = !strcmp(value, yes);
	return 0;
}

static int take_prio(struct scenario_job *job, const char *value,
		     struct parse_error *err)
{
	u64 level;

	if (!strcmp(value, "rt"))
		job->prio = IOBAND_PRIO_RT;
	else if (!strcmp(value, "idle"))
		job->prio = IOBAND_PRIO_IDLE;
	else if (parse_u64(value, 7, &level))
		job->prio = IOBAND_PRIO_BE + level;
	else
		return refuse(err, "prio '%.40s': expected rt, 0 to 7, or idle",
			      value);
	return 0;
}

static int take(struct scenario_job *job, enum scenario_job_key which,
		const char *value, struct parse_error *err)
{
	const char *key = names[which];

	switch (which) {
	case JOB_STREAMS:
		return take_number(&job->streams, key, value, 1,
				   SCENARIO_STREAMS_MAX, err);
	case JOB_VOLUMES:
		return take_number(&job->volumes, key, value, 1,
				   SCENARIO_VOLUMES_MAX, err);
	case JOB_DEPTH:
		return take_number(&job->depth, key, value, 1, DEPTH_MAX, err);
	case JOB_THINK:
		return take_time(&job->think_ns, key, value, err);
	case JOB_RATE:
		if (!units_parse_interval(value, &job->interval_ns))
			return refuse(err, "rate '%.40s': expected I/Os per time such as 500/s, 2.5/min or 6/h",
				      value);
		return 0;
	case JOB_ARRIVALS:
		return take_choice(&job->is_poisson, key, value, "regular",
				   "random", err);
	case JOB_PATTERN:
		return take_choice(&job->is_sequential, key, value, "random",
				   "sequential", err);
	case JOB_SIZE:
		if (take_size(&job->bytes, key, value, err))
			return -EINVAL;
		if (!job->bytes || job->bytes > BYTES_MAX)
			return refuse(err, "size '%.40s': expected 512 to 1280K",
				      value);
		return 0;
	case JOB_WRITE:
		return take_number(&job->write_percent, key, value, 0, 100,
				   err);
	case JOB_ASYNC:
		return take_choice(&job->is_async, key, value, "0", "1", err);
	case JOB_PRIO:
		return take_prio(job, value, err);
	case JOB_START:
		return take_time(&job->start_ns, key, value, err);
	case JOB_STOP:
		return take_time(&job->stop_ns, key, value, err);
	case JOB_OFFSET:
		return take_size(&job->offset_bytes, key, value, err);
	case JOB_SPAN:
		return take_size(&job->span_bytes, key, value, err);
	case NR_JOB_KEYS:
		break;
	}
	return -EINVAL;
}

/**
 * scenario_job_take - parse one key
 * @job: job to set it in
 * @key: such as "depth"
 * @value: such as "32"
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int scenario_job_take(struct scenario_job *job, const char *key,
		      const char *value, struct parse_error *err)
{
	for (int i = 0; i < NR_JOB_KEYS; i++) {
		if (strcmp(key, names[i]))
			continue;
		if (job->given[i])
			return refuse(err, "%s: given twice", key);
		job->given[i] = true;
		return take(job, i, value, err);
	}
	return refuse(err, "key '%.40s': expected streams, volumes, depth, think, rate, arrivals, pattern, size, write, async, prio, start, stop, offset or span",
		      key);
}

/**
 * scenario_job_check - check that the keys of a job are compatible
 * @job: the job
 * @sc: the scenario, whose disk has been parsed
 * @err: says what was wrong on failure
 *
 * Return: 0 or -EINVAL.
 */
int scenario_job_check(const struct scenario_job *job,
		       const struct scenario *sc, struct parse_error *err)
{
	u64 disk = sc->params.size_mib * MIB;

	if (job->interval_ns && (job->given[JOB_DEPTH] ||
				 job->given[JOB_THINK]))
		return refuse(err, "%s: has no effect in a job with rate, which waits for nothing",
			      job->given[JOB_DEPTH] ? "depth" : "think");
	if (!job->interval_ns && job->given[JOB_ARRIVALS])
		return refuse(err, "arrivals: has no effect without rate");
	if (job->is_async && !job->write_percent)
		return refuse(err, "async: has no effect without write");
	if (job->volumes > job->streams)
		return refuse(err, "volumes: expected no more than streams, %llu: each task's I/O is to one volume",
			      (unsigned long long)job->streams);
	if (job->stop_ns <= job->start_ns)
		return refuse(err, "stop: expected later than start");
	if (job->offset_bytes >= disk)
		return refuse(err, "offset: expected less than the disk's %llu MiB",
			      (unsigned long long)sc->params.size_mib);
	if (job->span_bytes > disk - job->offset_bytes)
		return refuse(err, "span: expected to end within the disk's %llu MiB",
			      (unsigned long long)sc->params.size_mib);
	if (job->bytes > (job->span_bytes ?: disk - job->offset_bytes))
		return refuse(err, "size: expected no more than the part of the disk that is used");
	return 0;
}
