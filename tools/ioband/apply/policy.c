// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another policy for a share, without loss of what its groups are set to.
 *
 * The kernel gives all groups of the share their default settings. That a limit is gone,
 * nobody would notice, so all are set again, or nothing is changed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "config/current.h"
#include "config/groupref.h"
#include "converge.h"
#include "lib/action.h"
#include "lib/util.h"
#include "policy.h"

/* Takes over @text. */
static void add_message(struct policy_messages *messages,
			const struct volume *vol, char *text)
{
	messages->v = xreallocarray(messages->v, messages->nr + 1,
				    sizeof(*messages->v));
	messages->v[messages->nr++] = (struct policy_message){ vol, text };
}

/* What takes a group from its defaults to @want. */
static void add_settings(struct policy_messages *messages,
			 const struct volume *vol,
			 const struct config_group *group,
			 const struct settings *want)
{
	struct settings now = group->set;
	struct plan plan = { 0 };
	char ref[GROUPREF_LEN];

	settings_begin_anew(&now);
	groupref_print(ref, group);
	messages_add_settings(&plan, ref, &now, want);
	for (size_t i = 0; i < plan.nr_messages; i++)
		add_message(messages, vol, xstrdup(plan.messages[i]));
	plan_free(&plan);
}

/* Takes over @text. */
static void add_lost(struct policy_change *change, char *text)
{
	char *all = change->lost ? xasprintf("%s, %s", change->lost, text) :
				   xstrdup(text);

	free(change->lost);
	free(text);
	change->lost = all;
}

static void add_group(struct policy_change *change, const struct volume *vol,
		      const struct config_group *group, const char *policy)
{
	struct settings want = group->set;
	char value[SETTING_LEN];

	/* What was promised once is not to be refused now. */
	want.v[SET_FORCE] = (struct setting){
		.given = want.v[SET_MIN].given || want.v[SET_MINIOPS].given ||
			 want.v[SET_LATENCY].given,
		.value = 1,
	};
	add_settings(&change->back, vol, group, &want);
	for (int key = 0; key < NR_SETTINGS; key++) {
		if (setting_acts(key, policy) || setting_is_default(&want, key))
			continue;
		setting_value(value, &want, key, true);
		add_lost(change, xasprintf("%s %s=%s", group->name,
					   setting_name(key), value));
		want.v[key].given = false;
	}
	add_settings(&change->again, vol, group, &want);
}

/**
 * policy_change_make - find out what another policy takes with it
 * @opts: the global options
 * @volumes: what volumes_read() found
 * @vol: a volume of the share
 * @except: name of a volume whose groups are of no interest, or %NULL
 * @policy: the new policy
 * @change: filled in; to be freed by policy_change_free() in any case
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int policy_change_make(const struct options *opts,
		       const struct volumes *volumes, const struct volume *vol,
		       const char *except, const char *policy,
		       struct policy_change *change)
{
	uint32_t quantum_ms = vol->table.quantum_ms;
	int status = 0;

	memset(change, 0, sizeof(*change));
	if (!strcmp(vol->table.policy, policy))
		return 0;
	add_message(&change->back, vol, xasprintf("policy %s",
						  vol->table.policy));
	if (quantum_ms) {
		add_message(&change->back, vol, xasprintf("quantum %u",
							  quantum_ms));
		/* Where a volume is left out, its file says what becomes of that. */
		if (!except)
			add_lost(change, xasprintf("quantum=%u", quantum_ms));
	}
	for (size_t i = 0; !status && i < volumes->nr; i++) {
		const struct volume *other = &volumes->v[i];
		struct config cfg;

		if (strcmp(other->table.share, vol->table.share) ||
		    (except && !strcmp(other->name, except)))
			continue;
		status = volume_config(opts, other, &cfg);
		for (size_t j = 0; !status && j < cfg.nr_groups; j++)
			add_group(change, other, &cfg.groups[j], policy);
		config_free(&cfg);
	}
	return status;
}

/**
 * policy_send - send messages until one fails
 * @opts: the global options
 * @messages: the messages
 *
 * Return: 0, or what the failing one returned.
 */
int policy_send(const struct options *opts,
		const struct policy_messages *messages)
{
	int r = 0;

	for (size_t i = 0; !r && i < messages->nr; i++)
		r = action_message(opts, messages->v[i].vol->name,
				   messages->v[i].vol->start,
				   messages->v[i].text);
	return r;
}

/**
 * policy_change_do - change the policy and set all again, or change nothing
 * @opts: the global options
 * @vol: a volume of the share
 * @policy: the new policy
 * @change: what policy_change_make() found
 *
 * Return: 0, or an exit code after the error has been reported.
 */
int policy_change_do(const struct options *opts, const struct volume *vol,
		     const char *policy, const struct policy_change *change)
{
	char *text = xasprintf("policy %s", policy);
	struct failure why;
	int r, status;

	r = action_message(opts, vol->name, vol->start, text);
	free(text);
	if (r)
		return fail_change(r, "cannot set policy of '%s'", vol->title);
	r = policy_send(opts, &change->again);
	if (!r)
		return 0;
	failure_note(&why, r);
	r = policy_send(opts, &change->back);
	status = fail_action(&why, "cannot set policy of '%s'", vol->title);
	if (r)
		status = fail_change(r, "'%s': its groups have lost settings, and cannot be given them again; see 'ioband show %s'",
				     vol->title, vol->title);
	return status;
}

void policy_change_free(struct policy_change *change)
{
	for (size_t i = 0; i < change->again.nr; i++)
		free(change->again.v[i].text);
	for (size_t i = 0; i < change->back.nr; i++)
		free(change->back.v[i].text);
	free(change->again.v);
	free(change->back.v);
	free(change->lost);
	memset(change, 0, sizeof(*change));
}
