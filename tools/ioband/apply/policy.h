/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Another policy for a share, without loss of what its groups are set to.
 */
#ifndef IOBAND_POLICY_H
#define IOBAND_POLICY_H

#include "lib/volume.h"

struct options;

/**
 * struct policy_message - a message to a volume
 * @vol: the volume
 * @text: the message
 */
struct policy_message {
	const struct volume *vol;
	char *text;
};

struct policy_messages {
	struct policy_message *v;
	size_t nr;
};

/**
 * struct policy_change - how to change the policy of a share
 * @again: sets under the new policy what groups are set to, where it acts there
 * @back: sets everything under the old one, policy included
 * @lost: what cannot be carried over, as "/db.slice weight=300, default latency=5000";
 *	%NULL if there is nothing
 */
struct policy_change {
	struct policy_messages again;
	struct policy_messages back;
	char *lost;
};

int policy_change_make(const struct options *opts,
		       const struct volumes *volumes, const struct volume *vol,
		       const char *except, const char *policy,
		       struct policy_change *change);
int policy_change_do(const struct options *opts, const struct volume *vol,
		     const char *policy, const struct policy_change *change);
int policy_send(const struct options *opts,
		const struct policy_messages *messages);
void policy_change_free(struct policy_change *change);

#endif /* IOBAND_POLICY_H */
