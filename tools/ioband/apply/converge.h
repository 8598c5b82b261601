/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Make a volume match its configuration.
 */
#ifndef IOBAND_CONVERGE_H
#define IOBAND_CONVERGE_H

#include "plan.h"

struct options;

int plan_do(const struct options *opts, const struct volumes *volumes,
	    struct config *cfg, const struct plan *plan);

#endif /* IOBAND_CONVERGE_H */
