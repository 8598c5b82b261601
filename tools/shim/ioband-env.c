// SPDX-License-Identifier: GPL-2.0-only
#include "ioband-env.h"

bool ioband_shim_out_of_memory;
u64 ioband_shim_steps;

/*
 * The compiler puts a call of this at each basic block of what is built with
 * -fsanitize-coverage=trace-pc. The fuzzers have their own.
 */
void __sanitizer_cov_trace_pc(void);
__attribute__((weak)) void __sanitizer_cov_trace_pc(void)
{
	ioband_shim_steps++;
}
