/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ioband top shows: the difference between two samples, as rows.
 */
#ifndef IOBAND_TOP_H
#define IOBAND_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/output.h"
#include "lib/sample.h"

enum top_column {
	TOP_VOLUME,
	TOP_GROUP,
	TOP_NAME,
	TOP_WEIGHT,
	TOP_RBPS,
	TOP_WBPS,
	TOP_IOPS,
	TOP_DUE,
	TOP_GOT,
	TOP_P50,
	TOP_P99,
	TOP_HELD,
	TOP_WHY,
	TOP_BPS,
	TOP_RIOPS,
	TOP_WIOPS,
	TOP_DISK_P50,
	TOP_DISK_P99,
	TOP_IN_FLIGHT,
	TOP_URGENT,
	TOP_UNMET,
	TOP_PARENT,
	TOP_SHARE,
	TOP_TIME,
	NR_TOP_COLUMNS,
};

extern const struct column top_columns[];

/**
 * struct top_row - one group
 * @name: human-readable name, or %NULL
 * @why: the main reason for which I/Os were held, or %NULL
 * @v: values by column, negative if unknown: rates per second, times in microseconds,
 *	parts in percent
 */
struct top_row {
	char *volume;
	char *title;
	char *share;
	uint64_t id;
	bool is_default;
	char *name;
	char *parent;
	const char *why;
	double v[NR_TOP_COLUMNS];
};

struct top_rows {
	struct top_row *v;
	size_t nr;
};

/**
 * struct top_view - what to show, and how
 * @first: row at the top of the screen
 * @tree: cgroups below each other, rather than sorted
 * @typing: @search is being typed
 * @search: only groups and volumes whose name has this
 */
struct top_view {
	size_t first;
	bool tree;
	bool typing;
	char search[64];
	enum top_column sort;
	bool reverse;
	bool active;
	uint64_t delay_ns;
};

const char *top_row_name(const struct top_row *row, char buf[24]);
void top_rows_make(struct top_rows *rows, const struct sample *was,
		   const struct sample *now, const char *sysroot);
void top_rows_arrange(struct top_rows *rows, const struct top_view *view);
void top_rows_free(struct top_rows *rows);

size_t top_draw(const struct top_rows *rows, const struct sample *sample,
		const struct top_view *view, bool help);
enum top_column top_next_sort(enum top_column sort, int step);

#endif /* IOBAND_TOP_H */
