// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event loop. Of simultaneous events the disk comes first, then the pool, then the
 * jobs. So a worker woken by the completion of an I/O dispatches before the job of that
 * I/O can submit another one, as in Linux, where the worker runs before tasks.
 */
#include "lib/words.h"
#include "sim-run.h"

enum {
	/* After that many I/Os without the clock advancing, it never will. */
	STANDSTILL = 10000000,
};

static struct sim_job *job_of_event(struct ioband_heap_node *node)
{
	return container_of(node, struct sim_job, event);
}

static struct sim_io *io_of_event(struct ioband_heap_node *node)
{
	return container_of(node, struct sim_io, event);
}

static void make_ready(struct sim *sim, struct sim_job *job)
{
	if (job->is_ready || job->blocked)
		return;
	job->is_ready = true;
	list_add_tail(&job->ready, &sim->ready);
}

static void unblock(struct sim *sim, struct sim_job *job)
{
	job->blocked = false;
	make_ready(sim, job);
}

/* Called by the pool: wake the jobs that wait for room in a group. */
static void released(struct sim_pool *pool, struct sim_group *group)
{
	struct sim *sim = container_of(pool, struct sim, pool);

	while (!list_empty(&group->waiters)) {
		struct sim_job *job = list_first_entry(&group->waiters,
						       struct sim_job, waiting);

		list_del_init(&job->waiting);
		unblock(sim, job);
	}
}

static void to_disk(struct sim *sim, struct sim_io *iob)
{
	sim->tags_used++;
	simdisk_submit(&sim->disk, &iob->disk, sim->now_ns);
}

/* Send an I/O. Without a free tag it waits, and so does its job if @by_job. */
static void send(struct sim *sim, struct sim_io *iob, bool by_job)
{
	iob->blocks_job = false;
	if (sim->tags_used < sim->pool.tags) {
		to_disk(sim, iob);
		return;
	}
	iob->blocks_job = by_job;
	iob->job->blocked |= by_job;
	list_add_tail(&iob->link, &sim->tag_waits);
}

static void give_back_tag(struct sim *sim)
{
	struct sim_io *iob;

	sim->tags_used--;
	if (list_empty(&sim->tag_waits))
		return;
	iob = list_first_entry(&sim->tag_waits, struct sim_io, link);
	list_del(&iob->link);
	to_disk(sim, iob);
	if (iob->blocks_job)
		unblock(sim, iob->job);
}

static void span_begin(struct sim_span *span, u64 now_ns)
{
	if (!span->nr++)
		span->since_ns = now_ns;
}

/* Time before counting has started is left out. */
static void span_stop(const struct sim *sim, struct sim_span *span, u64 end_ns)
{
	if (sim->counting)
		span->ns += end_ns - max(span->since_ns, sim->from_ns);
}

static void span_end(const struct sim *sim, struct sim_span *span)
{
	if (!--span->nr)
		span_stop(sim, span, sim->now_ns);
}

static void count_begin(struct sim_count *count, u64 now_ns)
{
	span_begin(&count->want, now_ns);
	span_begin(&count->busy, now_ns);
}

static void count_end(struct sim *sim, struct sim_io *iob, u64 work_ns)
{
	u64 bytes = (u64)iob->io.sectors * SIMDISK_SECTOR_BYTES;
	struct sim_count *count = iob->group->count;
	u64 took_ns = sim->now_ns - iob->begin_ns;

	sim->ios++;
	if (count->series) {
		count->series->ios++;
		count->series->bytes += bytes;
		count->series->latency_ns += took_ns;
	}
	span_end(sim, &count->want);
	span_end(sim, &count->busy);
	if (!sim->counting)
		return;
	count->ios[iob->io.dir]++;
	count->bytes[iob->io.dir] += bytes;
	count->work_ns += work_ns;
	sim_hist_add(count->hist, took_ns);
}

/* Issue an I/O of a closed loop again, after the think time. */
static void come_back(struct sim *sim, struct sim_io *iob)
{
	if (!sim_job_goes_on(sim, iob->job)) {
		list_add_tail(&iob->link, &sim->spare);
		return;
	}
	iob->begin_ns = sim->now_ns;
	iob->is_aimed = false;
	list_add_tail(&iob->link, &iob->job->pending);
	make_ready(sim, iob->job);
}

static void complete(struct sim *sim, struct sim_io *iob)
{
	struct sim_job *job = iob->job;

	iop_complete(&sim->pool, iob, sim->now_ns);
	give_back_tag(sim);
	count_end(sim, iob, ioband_clock_stop(&sim->pool.work, iob->work_ns,
						    sim->now_ns));
	if (job->spec && job->spec->think_ns) {
		span_begin(&iob->group->count->busy, sim->now_ns);
		iob->event.key = sim->now_ns + job->spec->think_ns;
		ioband_heap_insert(&sim->thoughts, &iob->event);
	} else {
		come_back(sim, iob);
	}
}

static void submit(struct sim *sim, struct sim_job *job, struct sim_io *iob)
{
	struct sim_io *other;

	switch (iop_submit(&sim->pool, iob, &other, sim->now_ns)) {
	case SIM_PASS:
		send(sim, iob, true);
		break;
	case SIM_HELD:
		if (other)
			send(sim, other, false);
		break;
	case SIM_WAIT:
		/* Back to the head of the list. */
		list_add(&iob->link, &job->pending);
		job->blocked = true;
		list_add_tail(&job->waiting, &iob->group->waiters);
		break;
	}
}

static void run_job(struct sim *sim, struct sim_job *job)
{
	struct sim_io *iob;

	while (!job->blocked) {
		if (list_empty(&job->pending) && !sim_job_due(sim, job))
			return;
		iob = list_first_entry(&job->pending, struct sim_io, link);
		list_del(&iob->link);
		if (!iob->is_aimed) {
			sim_job_aim(sim, job, iob);
			count_begin(iob->group->count, sim->now_ns);
			iob->is_aimed = true;
		}
		submit(sim, job, iob);
	}
}

static void run_jobs(struct sim *sim)
{
	struct sim_job *job;

	while (!list_empty(&sim->ready)) {
		job = list_first_entry(&sim->ready, struct sim_job, ready);
		list_del(&job->ready);
		job->is_ready = false;
		run_job(sim, job);
	}
}

static void run_pool(struct sim *sim)
{
	struct sim_pool *pool = &sim->pool;
	struct sim_io *iob;

	if (pool->is_armed && pool->timer_ns <= sim->now_ns) {
		pool->is_armed = false;
		if (!pool->is_pumping) {
			pool->is_pumping = true;
			pool->pump_ns = sim->now_ns + pool->turnaround_ns;
		}
	}
	if (!pool->is_pumping || pool->pump_ns > sim->now_ns)
		return;
	pool->is_pumping = false;
	iop_pump(pool, sim->now_ns);
	while (!list_empty(&pool->lane)) {
		iob = list_first_entry(&pool->lane, struct sim_io, link);
		list_del(&iob->link);
		send(sim, iob, false);
	}
}

static void run_events(struct sim *sim)
{
	struct ioband_heap_node *node;

	while ((node = ioband_heap_first(&sim->thoughts)) &&
	       node->key <= sim->now_ns) {
		struct sim_io *iob = io_of_event(node);

		ioband_heap_erase(&sim->thoughts, node);
		span_end(sim, &iob->group->count->busy);
		come_back(sim, iob);
	}
	while ((node = ioband_heap_first(&sim->events)) &&
	       node->key <= sim->now_ns) {
		struct sim_job *job = job_of_event(node);

		ioband_heap_erase(&sim->events, node);
		sim_job_start(sim, job);
		make_ready(sim, job);
	}
}

/* Do what is due: changes of the disk, start of counting, points of the plot. */
static void run_clock(struct sim *sim)
{
	const struct scenario *sc = sim->sc;
	u64 at_ns = sim->now_ns - SIM_BEGIN_NS;
	bool changed = false;

	for (; sim->step < sc->nr_steps &&
	     sc->steps[sim->step].at_ns <= at_ns; sim->step++) {
		simdisk_param_set(&sim->disk.params, sc->steps[sim->step].place,
				  sc->steps[sim->step].value);
		changed = true;
	}
	if (changed)
		simdisk_changed(&sim->disk, sim->now_ns);
	if (!sim->counting && sim->now_ns >= sim->from_ns) {
		sim->counting = true;
		for (size_t i = 0; i < sim->nr_groups; i++)
			if (sim->groups[i].node.terms)
				sim->counts[i].unmet_ns =
					sim->groups[i].node.terms->unmet_ns;
	}
	if (sim->point && sim->now_ns >= sim->next_point_ns) {
		sim->point(sim, sim->point_data);
		sim->next_point_ns += sc->interval_ns;
	}
}

static u64 next_ns(struct sim *sim)
{
	const struct sim_pool *pool = &sim->pool;
	const struct ioband_heap_node *node;
	u64 next = min(sim->end_ns, simdisk_next(&sim->disk));

	if (pool->is_pumping)
		next = min(next, pool->pump_ns);
	if (pool->is_armed)
		next = min(next, pool->timer_ns);
	node = ioband_heap_first(&sim->thoughts);
	if (node)
		next = min(next, node->key);
	node = ioband_heap_first(&sim->events);
	if (node)
		next = min(next, node->key);
	if (!sim->counting)
		next = min(next, sim->from_ns);
	if (sim->point)
		next = min(next, sim->next_point_ns);
	if (sim->step < sim->sc->nr_steps)
		next = min(next, SIM_BEGIN_NS +
				 sim->sc->steps[sim->step].at_ns);
	return next;
}

static void finish(struct sim *sim)
{
	for (size_t i = 0; i < sim->nr_groups; i++) {
		struct sim_count *count = &sim->counts[i];
		const struct ioband_terms *terms = sim->groups[i].node.terms;

		if (count->want.nr)
			span_stop(sim, &count->want, sim->end_ns);
		if (count->busy.nr)
			span_stop(sim, &count->busy, sim->end_ns);
		if (terms)
			count->unmet_ns = terms->unmet_ns - count->unmet_ns;
	}
}

/**
 * sim_run - run a simulation to its end
 * @sim: a simulation set up by sim_init()
 * @err: on failure says what was wrong
 *
 * Return: 0, or -EINVAL if time stands still.
 */
int sim_run(struct sim *sim, struct parse_error *err)
{
	u64 ios_then = 0, then_ns = 0;
	struct simdisk_io *io;

	sim->pool.released = released;
	run_clock(sim);
	run_events(sim);
	run_jobs(sim);
	for (;;) {
		sim->now_ns = max(sim->now_ns, next_ns(sim));
		if (sim->now_ns >= sim->end_ns)
			break;
		if (sim->now_ns != then_ns) {
			then_ns = sim->now_ns;
			ios_then = sim->ios;
		} else if (sim->ios - ios_then > STANDSTILL) {
			return refuse(err, "%llu I/Os in no time at all: expected a disk that takes some, or jobs with think",
				      (unsigned long long)(sim->ios - ios_then));
		}
		run_clock(sim);
		while ((io = simdisk_done(&sim->disk, sim->now_ns)))
			complete(sim, container_of(io, struct sim_io, disk));
		run_pool(sim);
		run_events(sim);
		run_jobs(sim);
	}
	run_clock(sim);
	finish(sim);
	return 0;
}
