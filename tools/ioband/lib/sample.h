/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of all groups of the chosen volumes at one moment.
 */
#ifndef IOBAND_SAMPLE_H
#define IOBAND_SAMPLE_H

#include <stdint.h>

#include "cgroup.h"
#include "stats.h"
#include "volume.h"

struct options;

/**
 * struct sample - all statistics
 * @stats: those of each volume in @volumes; empty if neither it was chosen nor, for
 *	sample_read_shares(), another one of its share
 * @shows: the state of its share likewise, once sample_read_shows() was called
 * @cgroups: paths of all groups of type cgroup
 * @time_ns: clock_now_ns() at the time of reading
 */
struct sample {
	struct volumes volumes;
	struct stats *stats;
	struct show *shows;
	struct cgroup_paths cgroups;
	uint64_t time_ns;
};

int sample_read(struct sample *sample, const struct options *opts, int argc,
		char **argv);
int sample_read_shares(struct sample *sample, const struct options *opts,
		       int argc, char **argv);
void sample_free(struct sample *sample);
const struct stats_group *sample_find(const struct sample *sample,
				      const struct volume *vol,
				      const struct stats_group *group);
char *owner_name(const struct volume *vol, uint64_t id, const char *sysroot);
char *sample_name(const struct sample *sample, const struct volume *vol,
		  const struct stats_group *group, const char *sysroot);
int sample_show(const struct volume *vol, struct show *show);
int sample_read_shows(struct sample *sample);

#endif /* IOBAND_SAMPLE_H */
