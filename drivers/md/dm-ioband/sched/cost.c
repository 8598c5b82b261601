// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policies: what an I/O costs its group.
 */
#include "cost.h"

static u64 cost_ios(u64 ios, u64 sectors)
{
	return ios;
}

/* A disk takes as long for less than a page as for one. */
static u64 cost_size(u64 ios, u64 sectors)
{
	return max(sectors, ios * IOBAND_PAGE_SECTORS);
}

/* "default" is a policy of its own because 1.14 prints back the word it was given. */
const struct ioband_policy ioband_policies[] = {
	{ "default",		cost_ios,	.has_weights = true },
	{ "weight",		cost_ios,	.has_weights = true },
	{ "weight-iosize",	cost_size,	.has_weights = true },
	{ "weight-time",	cost_ios,	.has_weights = true,
						.by_time = true },
	{ "range-bw",		cost_size,	.is_range = true },
	{ "limit",		cost_size,	.only_limits = true },
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
