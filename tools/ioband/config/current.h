/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The present state: volumes as configurations, and what has become of attached ones.
 */
#ifndef IOBAND_CURRENT_H
#define IOBAND_CURRENT_H

#include "config.h"
#include "lib/volume.h"

struct options;

bool volume_is_attached(const struct volume *vol);
bool volume_is_wiped(const struct volumes *volumes, const char *name);
bool volume_known(const struct options *opts, const struct volumes *volumes,
		  const char *word, char *name);
int volume_meant(const struct options *opts, const struct volumes *volumes,
		 const char *verb, const char *word, char *name);
int volume_config(const struct options *opts, const struct volume *vol,
		  struct config *cfg);
const char *volume_state(const struct options *opts, const struct volume *vol);
void config_keep_absent(const struct options *opts, const struct config *old,
			struct config *cfg);
void config_keep_auto(const struct options *opts,
		      const struct volumes *volumes, const struct volume *vol,
		      const struct config *old, struct config *cfg);
int save_config(const struct options *opts, const struct volumes *volumes,
		const struct volume *vol, int follow, struct config *cfg);
void tell_unsaved(const struct options *opts, const struct volume *vol,
		  bool is_removal);
int volume_record(const struct options *opts, const struct volumes *volumes,
		  const struct volume *vol, const struct config *want);
int volume_changed(const struct options *opts, const char *name,
		   const struct config *want);

/**
 * struct ghost - what is left of an attached volume
 * @name: device-mapper name, present or former
 * @state: "lost", "gone" or "orphan"
 * @chosen: for the caller: it was asked for
 * @cfg: its recorded configuration; empty for an orphan
 */
struct ghost {
	char name[VOLUME_LEN];
	const char *state;
	bool chosen;
	struct config cfg;
};

struct ghosts {
	struct ghost *v;
	size_t nr;
};

int ghosts_read(const struct options *opts, const struct volumes *volumes,
		struct ghosts *ghosts);
char *ghost_sentence(const struct options *opts, const struct ghost *ghost);
void ghosts_free(struct ghosts *ghosts);

#endif /* IOBAND_CURRENT_H */
