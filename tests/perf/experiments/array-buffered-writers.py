# SPDX-License-Identifier: GPL-2.0-only
from lab import disks, shapes
from lab.experiment import Experiment, Group, View

APART_GIB = 6

EXPERIMENT = Experiment(
    title="1 to 32 buffered writers beside one, on an array",
    question="Does the lone writer get as much of the disk as all of the other group together?",
    source="V. Goyal, 2009-10-10, Performance numbers with IO throttling patches",
    disk=lambda: disks.simdisk("array"),
    groups=[Group("g1"), Group("g2")],
    points=[1, 8, 32],
    point_label="buffered writers in g1",
    jobs=lambda nr: [shapes.buffered_writers("g1", nr, APART_GIB),
                     shapes.buffered_writers("g2", 1, APART_GIB)],
    controllers=["none", "bfq", "iocost", "iocost tuned", "io.max 30 MiB/s",
                 "ioband limit 30 MiB/s", "ioband weight-iosize", "ioband weight-time"],
    due="weight",
    alone=["g2"],
    settle_s=10,
    views=[View("g2", "kib_per_s", "The lone writer: bandwidth", log=True),
           View("all", "kib_per_s", "Both groups together")],
    notes="What was written to the disk in the window. Writes to the disk itself: no file "
          "system, so no journal.",
)
