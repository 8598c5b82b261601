# SPDX-License-Identifier: GPL-2.0-only
from lab import disks, shapes
from lab.experiment import Experiment, Group, View

JOBS = {
    "sequential reader": shapes.sequential_readers("g1", 1, 3),
    "random reader": shapes.random_readers("g1", 1, 3),
    "sequential writer": shapes.sequential_writers("g1", 1, 3),
    "random writer": shapes.small_random_writers("g1", 1, 3),
}

EXPERIMENT = Experiment(
    title="What the disk itself does: one reader or writer of 4 KiB",
    question="How close is the simulated disk to the one of 2009?",
    source="V. Goyal, 2009-09-24, IO scheduler based IO controller V10",
    disk=lambda: disks.simdisk("hdd"),
    groups=[Group("g1")],
    points=list(JOBS),
    point_label="alone",
    jobs=lambda point: [JOBS[point]],
    controllers=["none"],
    settle_s=6,
    window_s=10,
    views=[View("g1", "kib_per_s", "One reader or writer", log=True)],
    compare=True,
    notes="The figures of 2009 are with CFQ, those here without a scheduler. The random "
          "writer of 2009 wrote to a file of 2 GiB, the one here to the whole disk.",
)
