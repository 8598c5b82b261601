/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What changes something: done, or with --dry-run printed as the commands that
 * would do the same.
 */
#ifndef IOBAND_ACTION_H
#define IOBAND_ACTION_H

#include "dm.h"
#include "util.h"

struct options;

/**
 * struct failure - why something failed, kept while it is being undone
 * @err: a negative errno, 0 if nothing failed
 * @reason: of the kernel log, or ""
 * @detail: of libdevmapper, or ""
 */
struct failure {
	int err;
	char reason[256];
	char detail[200];
};

/* As in dm.h. */
int action_create(const struct options *opts, const char *name,
		  const char *uuid, const struct ioband_dm_targets *targets,
		  unsigned int read_ahead, bool hidden);
int action_remove(const struct options *opts, const char *name);
int action_message(const struct options *opts, const char *name,
		   uint64_t sector, const char *text);

/* The usual pair, with the way back if it fails. */
int action_table(const char *verb, const char *name,
		 struct ioband_dm_targets *targets);
int action_replace(const struct options *opts, const char *verb,
		   const char *name, const struct ioband_dm_targets *old,
		   const struct ioband_dm_targets *new);

/* No signal ends what is between these, and none of our pages is on a disk. */
void action_begin(void);
void action_end(void);

void failure_note(struct failure *why, int err);
int fail_action(const struct failure *why, const char *fmt, ...)
	__printf(2, 3);
int fail_change(int err, const char *fmt, ...) __printf(2, 3);

void targets_add(struct ioband_dm_targets *targets, uint64_t start,
		 uint64_t length, const char *type, const char *params);

#endif /* IOBAND_ACTION_H */
