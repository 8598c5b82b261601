/* SPDX-License-Identifier: GPL-2.0-only */
/* What cmocka.h wants to have been included, and cmocka.h. */
#ifndef _IOBAND_UNIT_H
#define _IOBAND_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif /* _IOBAND_UNIT_H */
