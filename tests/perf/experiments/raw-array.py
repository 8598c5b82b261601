# SPDX-License-Identifier: GPL-2.0-only
from lab import disks
from lab.experiment import Experiment, Group, View
from lab.jobs import Job

APART = {"size": "2g", "offset_increment": "240g"}
ANYWHERE = {"size": "100%"}
BUFFERED = {"direct": 0}
JOBS = {
    "sequential, buffered": Job("g1", "read", 8, 1, "64k", {**APART, **BUFFERED}),
    "sequential, 64 KiB": Job("g1", "read", 8, 1, "64k", APART),
    "sequential, 4 KiB": Job("g1", "read", 8, 1, "4k", APART),
    "random, buffered, 64 KiB": Job("g1", "randread", 8, 1, "64k", {**ANYWHERE, **BUFFERED}),
    "random, 64 KiB": Job("g1", "randread", 8, 1, "64k", ANYWHERE),
    "random, 4 KiB": Job("g1", "randread", 8, 1, "4k", ANYWHERE),
}

EXPERIMENT = Experiment(
    title="What the array itself does: 8 readers",
    question="How close is the simulated array to the one of 2009?",
    source="V. Goyal, 2009-10-10, Performance numbers with IO throttling patches",
    disk=lambda: disks.simdisk("array"),
    groups=[Group("g1")],
    points=list(JOBS),
    point_label="8 readers",
    jobs=lambda point: [JOBS[point]],
    controllers=["none"],
    settle_s=3,
    window_s=6,
    views=[View("g1", "kib_per_s", "8 readers", log=True)],
    compare=True,
    notes="The figures of 2009 are with CFQ, those here without a scheduler.",
)
