/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What set and group have in common.
 */
#ifndef IOBAND_SET_H
#define IOBAND_SET_H

#include "config/config.h"
#include "lib/volume.h"

struct options;

int group_list(const struct options *opts, int argc, char **argv);
int set_follow(const struct options *opts, const struct volumes *volumes,
	       const struct volume *vol, const char *value);
int check_owner(const struct options *opts, const struct volume *vol,
		const char *word, const struct config_group *group);
int check_member(const struct options *opts, const struct volume *vol,
		 const char *word, const struct config_group *group,
		 bool is_add);
void tell_unchecked(const struct options *opts, const struct volume *vol,
		    const struct settings *set);

#endif /* IOBAND_SET_H */
