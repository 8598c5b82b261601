/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recorded I/O: what the tracepoints of the module print.
 */
#ifndef IOBAND_SIM_TRACE_H
#define IOBAND_SIM_TRACE_H

#include "scenario.h"

/**
 * struct trace_io - one I/O
 * @at_ns: when it came, from the first of all
 * @sector: first sector
 * @group: whose it was: the section of the scenario
 */
struct trace_io {
	u64 at_ns;
	u64 sector;
	u32 sectors;
	u8 dir;
	int group;
};

/* In the order in which they came. */
struct trace {
	struct trace_io *ios;
	size_t nr;
};

int trace_parse(struct trace *trace, const struct scenario *sc,
		const char *text, unsigned long *line, struct parse_error *err);
void trace_free(struct trace *trace);

#endif /* IOBAND_SIM_TRACE_H */
