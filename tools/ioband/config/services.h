/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The units that keep a volume what its file says.
 */
#ifndef IOBAND_SERVICES_H
#define IOBAND_SERVICES_H

#include <stdbool.h>
#include <stddef.h>

struct options;

/**
 * struct service - a unit
 * @is_wanted: what is about to be done is about this one
 */
struct service {
	char *unit;
	bool is_enabled;
	bool is_active;
	bool is_wanted;
};

/* What a volume has of its own, then what all volumes have in common. */
enum {
	SERVICE_FOLLOW,
	SERVICE_VOLUME,
	SERVICE_TIMER,
	SERVICE_TARGET,
	NR_SERVICES,
};

struct services {
	struct service v[NR_SERVICES];
};

bool systemd_wants(const struct options *opts, const char *by,
		   const char *unit);
bool volume_is_enabled(const struct options *opts, const char *name);
bool systemd_is_running(const struct options *opts);

int services_read(const struct options *opts, const char *name,
		  struct services *services);
int services_reload(const struct options *opts);
int services_start(const struct options *opts, const struct services *services,
		   bool reload);
int services_undo(const struct options *opts, const struct services *services);
int services_stop(const struct options *opts, const struct services *services);
char *services_list(const struct services *services);
void services_free(struct services *services);

#endif /* IOBAND_SERVICES_H */
