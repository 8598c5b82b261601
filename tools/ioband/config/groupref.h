/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resolve words that name groups.
 */
#ifndef IOBAND_GROUPREF_H
#define IOBAND_GROUPREF_H

#include "config.h"

struct options;

/* Room for a group as the kernel calls it: "-1" or its number. */
enum {
	GROUPREF_LEN = 24,
};

int groupref_resolve(const struct options *opts, const char *type,
		     const char *word, struct config_group *group, char **why);
char *groupref_io_command(const struct options *opts,
			  const struct config_group *group);
void groupref_warn(const struct options *opts, const char *word,
		   const struct config_group *group);
int groupref_resolve_all(const struct options *opts, struct config *cfg,
			 unsigned int *nr_missing);
char *groupref_dormant(const struct config *cfg);
void report_dormant(const struct options *opts, const char *title,
		    const struct config *cfg);
struct config_group *groupref_find_dormant(const struct options *opts,
					   struct config *cfg, const char *word);
int groupref_resolve_parent(const struct options *opts, const char *type,
			    struct settings *set, char **why);
const char *groupref_print(char buf[GROUPREF_LEN],
			   const struct config_group *group);

#endif /* IOBAND_GROUPREF_H */
