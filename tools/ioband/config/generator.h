/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ioband-generator: tell systemd which device the service of each volume waits for.
 */
#ifndef IOBAND_GENERATOR_H
#define IOBAND_GENERATOR_H

#include <stdbool.h>

struct options;

char *systemd_escape(const char *text, bool is_path);
int generator(const struct options *opts, int argc, char **argv);

#endif /* IOBAND_GENERATOR_H */
