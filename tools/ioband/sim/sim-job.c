// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs: when the next I/O arrives, and what it is.
 *
 * A closed loop reissues a fixed number of I/Os, each after its completion and the
 * think time. Other I/Os arrive by the clock or as recorded. If their group has too
 * many held they are late; their latency counts from when they should have arrived.
 */
#include <math.h>

#include "sim-run.h"

static bool is_closed(const struct sim_job *job)
{
	return job->spec && !job->spec->interval_ns;
}

/* Whether a completed I/O of a closed loop is to be issued again. */
bool sim_job_goes_on(const struct sim *sim, const struct sim_job *job)
{
	return is_closed(job) &&
	       sim->now_ns - SIM_BEGIN_NS < job->spec->stop_ns;
}

static u64 gap_ns(struct sim_job *job)
{
	double uniform;

	if (!job->spec->is_poisson)
		return job->spec->interval_ns;
	/* In (0, 1]. */
	uniform = (prng_next(&job->prng) + 1.0) / 4294967296.0;
	return -log(uniform) * job->spec->interval_ns + 0.5;
}

/* Find out when the next I/O arrives; U64_MAX for never. */
static void set_next(const struct sim *sim, struct sim_job *job)
{
	const struct scenario *sc = sim->sc;
	u64 at_ns;

	if (!job->spec) {
		const struct trace_io *ios = sim->trace->ios;
		int group = ios[job->next].group;
		size_t i = job->next + 1;

		while (i < sim->trace->nr && ios[i].group != group)
			i++;
		job->next = i;
		job->next_ns = i == sim->trace->nr ? U64_MAX :
			       SIM_BEGIN_NS + sc->trace_start_ns +
			       ios[i].at_ns;
		return;
	}
	at_ns = job->next_ns - SIM_BEGIN_NS + gap_ns(job);
	job->next_ns = at_ns < job->spec->stop_ns ? SIM_BEGIN_NS + at_ns :
		       U64_MAX;
}

static void arm(struct sim *sim, struct sim_job *job)
{
	if (job->next_ns >= sim->end_ns)
		return;
	job->event.key = job->next_ns;
	ioband_heap_insert(&sim->events, &job->event);
}

/**
 * sim_job_start - handle the event of a job
 * @sim: the simulation
 * @job: a job that is not blocked, whose start or next I/O is due
 *
 * Issues the I/Os of a closed loop. Others are left to sim_job_due().
 */
void sim_job_start(struct sim *sim, struct sim_job *job)
{
	if (!is_closed(job))
		return;
	for (u64 i = 0; i < job->spec->depth; i++) {
		struct sim_io *iob = sim_io_get(sim);

		iob->job = job;
		iob->begin_ns = sim->now_ns;
		list_add_tail(&iob->link, &job->pending);
	}
	job->next_ns = U64_MAX;
}

/**
 * sim_job_due - create the next I/O of a job if it has arrived
 * @sim: the simulation
 * @job: a job that is free to submit I/O
 *
 * Return: whether an I/O was added to the end of the job's pending ones. Otherwise
 * the event of the next one has been set.
 */
bool sim_job_due(struct sim *sim, struct sim_job *job)
{
	struct sim_io *iob;

	if (is_closed(job))
		return false;
	if (job->next_ns > sim->now_ns) {
		arm(sim, job);
		return false;
	}
	iob = sim_io_get(sim);
	iob->job = job;
	iob->begin_ns = job->next_ns;
	if (!job->spec) {
		const struct trace_io *io = &sim->trace->ios[job->next];

		iob->io.sectors = io->sectors;
		iob->io.dir = io->dir;
		iob->disk.sector = io->sector;
	}
	set_next(sim, job);
	list_add_tail(&iob->link, &job->pending);
	return true;
}

static u64 random_block(struct sim_job *job)
{
	u64 high = prng_next(&job->prng);

	if (job->blocks <= U32_MAX)
		return high * job->blocks >> 32;
	return (high << 32 | prng_next(&job->prng)) % job->blocks;
}

/**
 * sim_job_aim - decide direction, size and place of an I/O
 * @sim: the simulation
 * @job: the job that issues it
 * @iob: filled in, unless it was recorded
 */
void sim_job_aim(struct sim *sim, struct sim_job *job, struct sim_io *iob)
{
	const struct scenario_job *spec = job->spec;

	iob->group = job->group;
	iob->io.prio = IOBAND_PRIO_NORMAL;
	iob->io.is_async = false;
	iob->is_writeback = false;
	if (spec) {
		u64 sectors = spec->bytes / SIMDISK_SECTOR_BYTES, block;

		if (!spec->is_sequential)
			block = random_block(job);
		else
			block = job->head;
		job->head = block + 1 == job->blocks ? 0 : block + 1;
		iob->disk.sector = spec->offset_bytes / SIMDISK_SECTOR_BYTES +
				   block * sectors;
		iob->io.sectors = sectors;
		iob->io.dir = spec->write_percent &&
			      prng_percent(&job->prng, spec->write_percent) ?
			      IOBAND_WRITE : IOBAND_READ;
		/* Writes of either kind, direct or writeback, let others go first. */
		iob->io.is_async = iob->io.dir == IOBAND_WRITE;
		iob->is_writeback = iob->io.is_async && spec->is_async;
		iob->io.prio = spec->prio;
	}
	iob->disk.sectors = iob->io.sectors;
	iob->disk.op = iob->io.dir == IOBAND_WRITE ? SIMDISK_WRITE :
						     SIMDISK_READ;
	iob->disk.fua = false;
}
