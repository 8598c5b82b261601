/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Storage of configurations: permanent ones in /etc/ioband, and in /run/ioband the
 * records of attached volumes, and of others of which there is something to say that
 * device-mapper does not know. Records last until the next boot.
 */
#ifndef IOBAND_STORE_H
#define IOBAND_STORE_H

#include "config.h"

struct options;

#define STORE_ETC "/etc/ioband"
#define STORE_RUN "/run/ioband"

/* How our own files begin. */
#define STORE_HEAD "# What 'ioband apply "

/* Names of volumes, sorted. */
struct names {
	char **v;
	size_t nr;
};

int store_names(const struct options *opts, const char *dir,
		struct names *names);
void names_free(struct names *names);

int store_load(const struct options *opts, const char *dir, const char *name,
	       struct config *cfg, bool *found);
int store_text(const struct config *cfg, char **text);
char *store_get(const struct options *opts, const char *dir, const char *name);
int store_put(const struct options *opts, const char *dir, const char *name,
	      const char *text);
int store_write(const struct options *opts, const char *name, const char *text);
int store_check(const struct config *cfg);
int store_save(const struct options *opts, const char *dir,
	       const struct config *cfg);
bool store_has_file(const struct options *opts, const char *name);
bool store_has_dropins(const struct options *opts, const char *name);

/* Records, in /run. */
bool record_exists(const struct options *opts, const char *name);
bool record_find(const struct options *opts, const char *name,
		 const char *uuid, struct config *cfg);
void record_remove(const struct options *opts, const char *name);

int check_volume_name(const char *name);

#endif /* IOBAND_STORE_H */
