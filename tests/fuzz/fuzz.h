/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _IOBAND_FUZZ_H
#define _IOBAND_FUZZ_H

#include "ioband-env.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* As assert(), but never compiled out. */
#define must(condition) do {						\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,	\
			__LINE__, #condition);				\
		abort();						\
	}								\
} while (0)

#endif /* _IOBAND_FUZZ_H */
