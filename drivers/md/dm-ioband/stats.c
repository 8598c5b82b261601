// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a group has done, summed over all processors.
 */
#include "stats.h"

/* Add up structures of @size bytes that are counters and nothing else. */
static void add(void *sum, const void *counters, size_t size)
{
	const u64 *from = counters;
	u64 *to = sum;

	for (; size; size -= sizeof(u64), from++, to++)
		*to += READ_ONCE(*from);
}

/**
 * iog_sum - add up a group's statistics over all CPUs
 * @group: the group
 * @sums: what was counted since the group was made; this is added
 *
 * Context: any.
 */
void iog_sum(const struct ioband_group *group, struct ioband_sums *sums)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		add(&sums->stats, per_cpu_ptr(group->stats, cpu), sizeof(sums->stats));
	add(&sums->waits, &group->waits, sizeof(sums->waits));
}

/**
 * iog_reset - reset the statistics of a group
 * @group: the group
 *
 * The counters themselves only ever grow: iog_in_flight() depends on that. Who reads
 * meanwhile finds some of them reset.
 *
 * Context: process, ioband_mutex held.
 */
void iog_reset(struct ioband_group *group)
{
	struct ioband_sums sums = { };
	unsigned int i;

	lockdep_assert_held(&ioband_mutex);

	iog_sum(group, &sums);
	smp_mb();	/* Pairs with iog_counted(). */
	for (i = 0; i < sizeof(sums) / sizeof(u64); i++)
		WRITE_ONCE(((u64 *)&group->base)[i], ((u64 *)&sums)[i]);
	WRITE_ONCE(group->busy_jiffies, 0);
}

/**
 * iog_counted - the statistics of a group since the last reset
 * @group: the group
 * @sums: filled in
 *
 * Context: any.
 */
void iog_counted(const struct ioband_group *group, struct ioband_sums *sums)
{
	u64 *counter;

	memset(sums, 0, sizeof(*sums));
	add(sums, &group->base, sizeof(*sums));
	for (counter = (u64 *)sums; counter < (u64 *)(sums + 1); counter++)
		*counter = -*counter;
	/* Pairs with iog_reset(): what follows is no less than the base. */
	smp_rmb();
	iog_sum(group, sums);
}

static u64 over_cpus(const u64 __percpu *counter)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(counter, cpu));
	return sum;
}

/**
 * iog_count_data - count the data that a group has read and written, or has on its way
 * @group: the group
 * @done_sectors: of reads and of writes that are done; this is added
 * @there_sectors: likewise, of those that are at the disk
 *
 * As iog_in_flight(), but it costs less: a line of each CPU's.
 *
 * Context: any.
 */
void iog_count_data(const struct ioband_group *group, u64 done_sectors[IOBAND_DIRS],
		    u64 there_sectors[IOBAND_DIRS])
{
	unsigned int i;
	u64 done;

	for (i = 0; i < IOBAND_DIRS; i++) {
		done = over_cpus(&group->stats->done_sectors[i]);
		done_sectors[i] += done;
		there_sectors[i] -= done;
	}
	/* Pairs with the atomics between issue and completion of a bio. */
	smp_rmb();
	for (i = 0; i < IOBAND_DIRS; i++)
		there_sectors[i] += over_cpus(&group->stats->issued_sectors[i]);
}

/**
 * iog_in_flight - count what a group has in flight
 * @group: the group
 * @sectors: filled in: sectors in flight, of reads and of writes
 *
 * What is done is read before what was issued, so a bio that moves on meanwhile
 * may be counted as still in flight, but never as done and not issued.
 *
 * Context: any.
 * Return: the number of bios in flight.
 */
u64 iog_in_flight(const struct ioband_group *group, u64 sectors[IOBAND_DIRS])
{
	u64 ios = 0, done[IOBAND_DIRS] = { };
	unsigned int i;

	memset(sectors, 0, sizeof(*sectors) * IOBAND_DIRS);
	iog_count_data(group, done, sectors);
	for (i = 0; i < IOBAND_BUCKETS; i++)
		ios -= over_cpus(&group->stats->services[i]);
	/* Likewise. */
	smp_rmb();
	for (i = 0; i < IOBAND_DIRS; i++)
		ios += over_cpus(&group->stats->issued_ios[i]);
	return ios;
}
