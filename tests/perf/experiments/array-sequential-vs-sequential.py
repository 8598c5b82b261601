# SPDX-License-Identifier: GPL-2.0-only
from lab import disks, shapes
from lab.experiment import Experiment, Group, View

APART_GIB = 6

EXPERIMENT = Experiment(
    title="1 to 32 sequential readers beside one, on an array",
    question="Does the lone reader get as much as all readers of the other group together?",
    source="V. Goyal, 2009-10-10, Performance numbers with IO throttling patches",
    disk=lambda: disks.simdisk("array"),
    groups=[Group("g1"), Group("g2")],
    points=[1, 8, 32],
    point_label="sequential readers in g1",
    jobs=lambda nr: [shapes.sequential_readers("g1", nr, APART_GIB),
                     shapes.sequential_readers("g2", 1, APART_GIB)],
    controllers=["none", "mq-deadline", "kyber", "bfq", "iocost", "iocost tuned",
                 "io.max 30 MiB/s", "io.max 10 MiB/s", "io.max 5 MiB/s",
                 "ioband limit 30 MiB/s", "ioband limit 10 MiB/s", "ioband limit 5 MiB/s",
                 "ioband weight", "ioband weight-iosize", "ioband weight-time"],
    due="weight",
    alone=["g2"],
    settle_s=3,
    window_s=6,
    views=[View("g2", "kib_per_s", "The lone sequential reader: bandwidth", log=True),
           View("g2", "max_ms", "The lone sequential reader: longest wait", log=True),
           View("all", "kib_per_s", "Both groups together")],
)
