/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The volumes of a volume group that is enabled or disabled as a whole.
 */
#ifndef IOBAND_VG_H
#define IOBAND_VG_H

#include "config/config.h"
#include "config/store.h"

int vg_find(const struct options *opts, const char *word, struct names *names);
int vg_find_known(const struct options *opts, const char *word,
		  struct names *names);
int vg_each(const struct options *opts, const struct names *names,
	    int (*act)(const struct options *opts, const char *word,
		       const struct config *words),
	    const struct config *words);

#endif /* IOBAND_VG_H */
