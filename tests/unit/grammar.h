/* SPDX-License-Identifier: GPL-2.0-only */
/* The grammar of table and message, for its tests. */
#ifndef _IOBAND_GRAMMAR_H
#define _IOBAND_GRAMMAR_H

#include "unit.h"
#include <sanitizer/lsan_interface.h>
#include "dm-ioband/args.h"

#define WORDS_MAX 32

struct accepted {
	const char *line;
	const char *expected;
};

struct refused {
	const char *line;
	const char *brief;
	const char *word;
	const char *hint;
};

int parse(bool is_table, const char *line, char *printed,
	  struct ioband_error *err);
void accept(bool is_table, const char *line, const char *expected);
void refuse(bool is_table, const char *line, const char *brief,
	    const char *word, const char *hint);
void accept_all(bool is_table, const struct accepted *rows,
		unsigned int nr);
void refuse_all(bool is_table, const struct refused *rows,
		unsigned int nr);
void accept_message(const char *line, enum ioband_verb verb,
		    const char *rest);

#define ACCEPT_ALL(is_table, rows) accept_all(is_table, rows, ARRAY_SIZE(rows))
#define REFUSE_ALL(is_table, rows) refuse_all(is_table, rows, ARRAY_SIZE(rows))

static inline int no_leak(void **state)
{
	return __lsan_do_recoverable_leak_check();
}

#define leak_test(f) cmocka_unit_test_teardown(f, no_leak)

#endif /* _IOBAND_GRAMMAR_H */
