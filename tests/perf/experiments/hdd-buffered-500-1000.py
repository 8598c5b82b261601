# SPDX-License-Identifier: GPL-2.0-only
from lab import disks, shapes
from lab.experiment import Experiment, Group, View

APART_GIB = 3

EXPERIMENT = Experiment(
    title="Weights 500:1000, a buffered writer in each group, on a disk",
    question="Does the page cache level out the difference that weights should make?",
    disk=lambda: disks.simdisk("hdd"),
    groups=[Group("g1", 500), Group("g2", 1000)],
    points=[1],
    point_label="writers in each group",
    jobs=lambda nr: [shapes.buffered_writers("g1", nr, APART_GIB),
                     shapes.buffered_writers("g2", nr, APART_GIB)],
    controllers=["none", "mq-deadline", "kyber", "bfq", "iocost", "iocost tuned",
                 "ioband weight", "ioband weight-iosize", "ioband weight-time"],
    due="weight",
    window_s=40,
    views=[View("g2", "share_percent", "Share of the group of weight 1000"),
           View("all", "kib_per_s", "Both groups together")],
    notes="V. Goyal, 2009-09-24, test 5, gives no figures: no differentiation was seen. Here "
          "each writer has a linear volume of its own.",
)
