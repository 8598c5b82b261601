/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What device-mapper does not know of a volume: whether its policy is automatic, and
 * whether it is followed.
 */
#ifndef IOBAND_KEPT_H
#define IOBAND_KEPT_H

#include <stdbool.h>

#include "lib/volume.h"

struct options;

enum {
	PID_LEN = 24,
};

int keep_auto_policy(const struct options *opts, const char *name,
		     bool is_auto);
int keep_follow(const struct options *opts, const struct volumes *volumes,
		const struct volume *vol, bool follow);

void find_follower(const struct options *opts, const char *name,
		   char pid[PID_LEN]);
bool volume_is_followed(const struct options *opts, const struct volume *vol);

#endif /* IOBAND_KEPT_H */
