/* SPDX-License-Identifier: GPL-2.0-only */
/* What headers have not had always, not even those of one series: compat.h can do without. */
#undef __uninitialized
