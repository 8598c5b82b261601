# SPDX-License-Identifier: GPL-2.0-only
from lab import families, shapes

EXPERIMENT = families.nothing_else(families.HDD, "sequential readers", shapes.sequential_readers)
