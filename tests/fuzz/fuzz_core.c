// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input: four bytes (number of queues, depth, policy, where virtual time
 * begins), then events of two bytes, a letter and what or whom it concerns:
 *
 *	h hold, c charge, n next, d done, u unhold, w new weight, r restart
 */
#include "fuzz.h"
#include "invariants.h"

enum {
	QUEUES	= 8,
	IOS	= 256,
};

struct fuzz_io {
	struct ioband_io io;
	bool held;
	unsigned int queue;
	unsigned int number;
};

static struct ioband_sched sched;
static struct ioband_queue queues[QUEUES];
static struct fuzz_io ios[IOS];
static unsigned int nr_queues, nr_ios, nr_held, in_flight;
static u64 vtime;

static void check(void)
{
	const char *broken = ioband_sched_broken(&sched, queues,
						 sizeof(queues[0]), nr_queues);

	if (broken)
		fprintf(stderr, "%s\n", broken);
	must(!broken);
	must(sched.held == nr_held);
	must(!ioband_before(sched.vtime, vtime));
	vtime = sched.vtime;
}

static u64 cost(const struct fuzz_io *io)
{
	return sched.policy->cost(1, io->io.sectors);
}

static struct ioband_queue *joined(u8 arg)
{
	struct ioband_queue *queue = &queues[arg % nr_queues];

	if (!ioband_queue_joined(&sched, queue)) {
		ioband_queue_join(&sched, queue, arg >> 3, arg);
		must(queue->node.key == sched.vtime +
		     (sched.policy->cost(arg >> 3, arg) << 16) / queue->weight);
	}
	return queue;
}

/* The tag of the next I/O: nobody saves up, and nobody is forgiven a debt. */
static u64 due(const struct ioband_queue *queue)
{
	return ioband_before(queue->node.key, sched.vtime) ? sched.vtime :
							     queue->node.key;
}

static void hold(u8 arg)
{
	struct ioband_queue *queue = joined(arg);
	struct fuzz_io *io = &ios[nr_ios];
	u64 tag = due(queue);

	if (nr_ios == IOS)
		return;
	io->io.sectors = 1 + (arg >> 3) * (arg >> 3);
	io->queue = queue - queues;
	io->held = true;
	io->number = nr_ios++;
	nr_held++;
	ioband_hold(&sched, queue, &io->io);
	must(queue->node.key == tag);
}

static void charge(u8 arg)
{
	struct ioband_queue *queue = joined(arg);
	const struct fuzz_io io = { .io.sectors = arg };
	u64 tag = due(queue);

	ioband_charge(&sched, queue, &io.io);
	/* Paid in full, to less than one unit. */
	must(queue->node.key - tag - (cost(&io) << 16) / queue->weight <= 1);
	in_flight++;
}

/* The oldest of a queue than which none has a smaller tag. */
static void next(void)
{
	struct ioband_io *next = ioband_next(&sched, in_flight);
	struct fuzz_io *io;
	unsigned int i;

	must(!next == (!nr_held || in_flight >= sched.depth));
	if (!next)
		return;
	io = container_of(next, struct fuzz_io, io);
	must(io->held);
	io->held = false;
	nr_held--;
	in_flight++;

	must(queues[io->queue].node.key - sched.vtime -
	     (cost(io) << 16) / queues[io->queue].weight <= 1);
	for (i = 0; i < nr_ios; i++) {
		if (!ios[i].held)
			continue;
		must(ios[i].queue != io->queue || ios[i].number > io->number);
		must(!ioband_before(queues[ios[i].queue].node.key,
				    sched.vtime));
	}
}

static void unhold(u8 arg)
{
	unsigned int i;

	for (i = arg; i < nr_ios && !ios[i].held; i++)
		;
	if (i >= nr_ios)
		return;
	ioband_unhold(&sched, &queues[ios[i].queue], &ios[i].io);
	ios[i].held = false;
	nr_held--;
}

static void restart(void)
{
	unsigned int i;

	if (sched.held)
		return;
	ioband_sched_restart(&sched);
	vtime = sched.vtime;
	for (i = 0; i < nr_queues; i++)
		must(!ioband_queue_joined(&sched, &queues[i]));
}

static void event(u8 what, u8 arg)
{
	/* The letters differ modulo 8, and so most bytes mean something. */
	switch (what % 8) {
	case 'h' % 8:
		hold(arg);
		break;
	case 'c' % 8:
		charge(arg);
		break;
	case 'n' % 8:
		next();
		break;
	case 'd' % 8:
		in_flight -= !!in_flight;
		break;
	case 'u' % 8:
		unhold(arg);
		break;
	case 'w' % 8:
		/* 1 to 32767, all orders of magnitude alike. */
		ioband_queue_set_weight(&sched, &queues[arg % nr_queues],
					IOBAND_WEIGHT_MAX >> (arg >> 3) % 15);
		break;
	case 'r' % 8:
		restart();
		break;
	}
	check();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t i;

	if (size < 4)
		return 0;
	nr_queues = 1 + data[0] % QUEUES;
	nr_ios = 0;
	nr_held = 0;
	in_flight = 0;
	ioband_sched_init(&sched, &ioband_policies[data[2] % 3],
			  1 + data[1] % 32);
	/* Begin shortly before the wrap, so that it is passed on the way. */
	vtime = -((u64)data[3] << 16);
	sched.vtime = vtime;
	for (i = 0; i < nr_queues; i++)
		ioband_queue_init(&queues[i], 1 + i * i * 700);

	for (i = 4; i + 1 < size; i += 2)
		event(data[i], data[i + 1]);

	/* All that is held comes out, and then no more. */
	while (nr_held) {
		in_flight = 0;
		event('n', 0);
	}
	event('n', 0);
	return 0;
}
