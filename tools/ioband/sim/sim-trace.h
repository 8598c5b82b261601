/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recorded I/O, as printed by the tracepoints of the module.
 */
#ifndef IOBAND_SIM_TRACE_H
#define IOBAND_SIM_TRACE_H

#include "scenario.h"

/**
 * struct trace_io - one I/O
 * @at_ns: time of arrival, since that of the first I/O
 * @sector: first sector
 * @group: its group, as index of a section of the scenario
 */
struct trace_io {
	u64 at_ns;
	u64 sector;
	u32 sectors;
	u8 dir;
	int group;
};

/* In the order of arrival. */
struct trace {
	struct trace_io *ios;
	size_t nr;
};

int trace_parse(struct trace *trace, const struct scenario *sc,
		const char *text, unsigned long *line, struct parse_error *err);
void trace_free(struct trace *trace);

#endif /* IOBAND_SIM_TRACE_H */
