# SPDX-License-Identifier: GPL-2.0-only
"""What tests/perf/bench-disk is made of."""
