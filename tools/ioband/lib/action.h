/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything that changes the system: carried out, or with --dry-run printed as
 * equivalent commands.
 */
#ifndef IOBAND_ACTION_H
#define IOBAND_ACTION_H

#include "dm.h"
#include "util.h"

struct options;

/**
 * struct failure - why something failed, kept while the change is rolled back
 * @err: a negative errno, 0 if nothing failed
 * @reason: from the kernel log, or ""
 * @detail: from libdevmapper, or ""
 */
struct failure {
	int err;
	char reason[300];
	char detail[200];
};

/* As in dm.h. */
int action_create(const struct options *opts, const char *name,
		  const char *uuid, const struct ioband_dm_targets *targets,
		  unsigned int read_ahead, enum ioband_dm_udev udev);
int action_remove(const struct options *opts, const char *name);
int action_remove_deferred(const struct options *opts, const char *name);
int action_message(const struct options *opts, const char *name,
		   uint64_t sector, const char *text);

int action_write(const struct options *opts, const char *path,
		 const char *text);

/* Replacing a table: read, then replace, rolled back on failure. */
int action_table(const struct options *opts, const char *verb,
		 const char *name, struct ioband_dm_targets *targets);
int action_replace(const struct options *opts, const char *verb,
		   const char *name, const struct ioband_dm_targets *old,
		   const struct ioband_dm_targets *new);

/* Whether any of these has changed anything yet. */
bool action_done(void);

/* Between these, signals are blocked and our pages are locked in memory. */
void action_begin(void);
void action_end(void);

void failure_note(struct failure *why, int err);
int fail_action(const struct failure *why, const char *fmt, ...)
	__printf(2, 3);
int fail_change(int err, const char *fmt, ...) __printf(2, 3);

void targets_add(struct ioband_dm_targets *targets, uint64_t start,
		 uint64_t length, const char *type, const char *params);

#endif /* IOBAND_ACTION_H */
