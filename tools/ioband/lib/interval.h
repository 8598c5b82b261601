/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What groups got between two samples, and what was due to them.
 */
#ifndef IOBAND_INTERVAL_H
#define IOBAND_INTERVAL_H

#include "sample.h"
#include "settings.h"

/* A group that has waited for so long and got nothing is starved. */
#define STARVED_MS	10000

/* A minimum is not kept if more than this part of the time was missed. */
#define UNMET_PART	0.05

/* A latency target is missed if more of the I/Os than this part were late. */
#define MISSED_PART	0.1

/**
 * struct interval_group - a group between two samples
 * @was: the earlier one, %NULL if there was none
 * @now: the later one
 * @set: its settings
 * @above: index of the group above, or -1
 * @is_busy: it had I/O, or waits, or one below it
 * @is_own_busy: it had I/O of its own, or waits
 * @is_held: it had I/O waiting at both times, or one below it
 * @has_waited: it had I/O waiting at any time, or one below it
 * @is_content: it has not waited, and got less than its weight would give it: it asks
 *	for no more, and the rest is due to those beside it
 * @is_limited: it has limits, or one above it
 * @is_idle: its class is to get nothing while others have I/O, or that of one above it
 * @ios: I/Os that it and those below it got
 * @bytes: likewise
 * @work: likewise, as the policy counts
 * @own_work: without those below it
 * @weights: sum of the weights of those below it that were busy, and are not content
 * @taken: work of those below it that are content
 * @due: percent of the share's service by weights among those with I/O, or what it got
 *	if it is content; negative if it had none
 * @got: percent of the service that it and those below it got, negative if there was
 *	none
 * @unmet_s: seconds by which it did not get its minimum, negative if it has none
 * @late: part of its I/Os that completed later than its target says, negative if it has
 *	none, or none completed
 * @starves: it has waited for %STARVED_MS and got nothing, and no limit is to blame
 */
struct interval_group {
	const struct volume *vol;
	const struct stats_group *was;
	const struct stats_group *now;
	struct settings set;
	ssize_t above;
	bool is_busy;
	bool is_own_busy;
	bool is_held;
	bool has_waited;
	bool is_content;
	bool is_limited;
	bool is_idle;
	double ios;
	double bytes;
	double work;
	double own_work;
	double weights;
	double taken;
	double due;
	double got;
	double unmet_s;
	double late;
	bool starves;
};

/**
 * struct interval - all groups of all volumes, in the order of the later sample
 * @seconds: how long it was, 0 if there is no earlier sample
 */
struct interval {
	struct interval_group *v;
	size_t nr;
	double seconds;
};

uint64_t stats_grown(const struct stats_group *was,
		     const struct stats_group *now, enum stats_key key);
void interval_make(struct interval *interval, const struct sample *was,
		   const struct sample *now);
char *interval_failing(const struct interval *interval,
		       const struct interval_group *group);
void interval_free(struct interval *interval);

#endif /* IOBAND_INTERVAL_H */
