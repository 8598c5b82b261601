# SPDX-License-Identifier: GPL-2.0-only
"""
The jobs of the 2009 tests. Each read or wrote a file of its own of 2 GiB. Here
sequential jobs have parts of the disk, laid out evenly, g2's the first; random jobs go
over all of it, for that is how the simulated disks were fitted to the rates reported.
"""

from .jobs import Job

FILE = "2g"
ANYWHERE = {"size": "100%"}


def place(group, apart_gib):
    if group == "g2":
        return {"size": FILE, "offset": 0}
    return {"size": FILE, "offset": f"{apart_gib}g", "offset_increment": f"{apart_gib}g"}


def random_readers(group, count, _apart_gib):
    return Job(group, "randread", count, 1, "4k", ANYWHERE)


def sequential_readers(group, count, apart_gib):
    return Job(group, "read", count, 1, "4k", place(group, apart_gib))


def random_writers(group, count, _apart_gib):
    return Job(group, "randwrite", count, 4, "64k", ANYWHERE)


def sequential_writers(group, count, apart_gib):
    return Job(group, "write", count, 1, "4k", place(group, apart_gib))


def small_random_writers(group, count, _apart_gib):
    return Job(group, "randwrite", count, 1, "4k", ANYWHERE)


def buffered_writers(group, count, apart_gib):
    starts = (0,) if group == "g2" else range(apart_gib, apart_gib * (count + 1), apart_gib)
    return Job(group, "write", count, 1, "64k", {"direct": 0}, tuple(starts))
