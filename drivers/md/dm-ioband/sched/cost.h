/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policies: what an I/O costs its group.
 */
#ifndef _IOBAND_COST_H
#define _IOBAND_COST_H

#include "env.h"

/* Index of what is kept per direction; same values as READ and WRITE. */
enum ioband_dir {
	IOBAND_READ,
	IOBAND_WRITE,
	IOBAND_DIRS,
};

/* Where I/O costs its size, an I/O costs no less than a page of 4 KiB. */
#define IOBAND_PAGE_SECTORS	((u64)8)

/**
 * struct ioband_policy - how groups share
 * @name: the word in table and message
 * @cost: cost of @ios I/Os that move @sectors of 512 bytes in all
 * @has_weights: shares follow weights; without, all groups weigh the same
 * @only_limits: I/O waits for limits only
 * @by_time: the cost is the time the disk works for an I/O, known only when it
 *	completes; until then the group's recent mean is charged
 * @is_range: the parameter of a group is MIN:MAX
 *
 * Costs are relative: only their ratios matter, never the disk's speed.
 */
struct ioband_policy {
	const char *name;
	u64 (*cost)(u64 ios, u64 sectors);
	bool has_weights;
	bool only_limits;
	bool by_time;
	bool is_range;
};

extern const struct ioband_policy ioband_policies[];
const struct ioband_policy *ioband_policy_find(const char *name);

#endif /* _IOBAND_COST_H */
