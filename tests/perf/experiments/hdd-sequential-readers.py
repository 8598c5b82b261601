# SPDX-License-Identifier: GPL-2.0-only
from lab import disks, shapes
from lab.experiment import Experiment, Group, View

EXPERIMENT = Experiment(
    title="1 to 16 sequential readers and nothing else, on a disk",
    question="What does a controller that has nothing to divide cost?",
    source="V. Goyal, 2009-09-24, IO scheduler based IO controller V10",
    disk=lambda: disks.simdisk("hdd"),
    groups=[Group("g1")],
    points=[1, 4, 16],
    point_label="sequential readers",
    jobs=lambda nr: [shapes.sequential_readers("g1", nr, 3)],
    controllers=["none", "mq-deadline", "bfq", "iocost", "ioband weight",
                 "ioband weight-time"],
    settle_s=3,
    window_s=6,
    views=[View("g1", "kib_per_s", "Bandwidth"),
           View("g1", "max_ms", "Longest wait", log=True)],
)
