// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policies: what an I/O costs its group.
 */
#include "cost.h"

static u64 cost_ios(u64 ios, u64 sectors)
{
	return ios;
}

static u64 cost_sectors(u64 ios, u64 sectors)
{
	return sectors;
}

/* "default" is a policy of its own because 1.14 prints back the word it was given. */
const struct ioband_policy ioband_policies[] = {
	{ "default",		cost_ios,	.has_weights = true },
	{ "weight",		cost_ios,	.has_weights = true },
	{ "weight-iosize",	cost_sectors,	.has_weights = true },
	{ "weight-time",	cost_ios,	.has_weights = true,
						.by_time = true },
	{ "range-bw",		cost_sectors,	.is_range = true },
	{ "limit",		cost_sectors,	.only_limits = true },
	{ },
};

/**
 * ioband_policy_find - look up a policy
 * @name: word of a table line or message
 *
 * Return: the policy, or %NULL if there is none of that name.
 */
const struct ioband_policy *ioband_policy_find(const char *name)
{
	const struct ioband_policy *policy;

	for (policy = ioband_policies; policy->name; policy++)
		if (!strcmp(policy->name, name))
			return policy;
	return NULL;
}
