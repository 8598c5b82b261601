/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output of --help.
 */
#ifndef IOBAND_HELP_H
#define IOBAND_HELP_H

struct command;

void help_all(const struct command *commands, int nr);
void help_command(const struct command *cmd);

#endif /* IOBAND_HELP_H */
