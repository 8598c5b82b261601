// SPDX-License-Identifier: GPL-2.0-only
#include "ioband-env.h"

bool ioband_shim_out_of_memory;
