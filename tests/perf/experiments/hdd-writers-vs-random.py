# SPDX-License-Identifier: GPL-2.0-only
from lab import disks, shapes
from lab.experiment import Experiment, Group, View

APART_GIB = 3

EXPERIMENT = Experiment(
    title="1 to 32 random writers beside one random reader, on a disk",
    question="Does the random reader keep its half of the disk however many writers there are?",
    source="V. Goyal, 2009-09-24, IO scheduler based IO controller V10",
    disk=lambda: disks.simdisk("hdd"),
    groups=[Group("g1"), Group("g2")],
    points=[1, 8, 32],
    point_label="random writers in g1",
    jobs=lambda nr: [shapes.random_writers("g1", nr, APART_GIB),
                     shapes.random_readers("g2", 1, APART_GIB)],
    controllers=["none", "mq-deadline", "kyber", "bfq", "iocost", "iocost tuned",
                 "io.max 10 MiB/s", "ioband limit 10 MiB/s", "ioband weight",
                 "ioband weight-iosize", "ioband weight-time"],
    due="weight",
    alone=["g2"],
    settle_s=3,
    window_s=6,
    views=[View("g2", "kib_per_s", "The lone random reader: bandwidth", log=True),
           View("g2", "max_ms", "The lone random reader: longest wait", log=True),
           View("all", "kib_per_s", "Both groups together")],
)
