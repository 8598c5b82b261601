/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Put ioband into a device that is in use, and take it out again.
 */
#ifndef IOBAND_INSIDE_H
#define IOBAND_INSIDE_H

#include "config/config.h"
#include "lib/volume.h"

struct options;

int inside_put(const struct options *opts, const struct volumes *volumes,
	       const struct config *cfg);
int inside_take_out(const struct options *opts, const struct volumes *volumes,
		    const char *name);
int inside_clean(const struct options *opts, const struct volumes *volumes,
		 const char *name, const char *uuid);

#endif /* IOBAND_INSIDE_H */
