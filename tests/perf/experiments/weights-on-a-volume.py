# SPDX-License-Identifier: GPL-2.0-only
from lab import disks
from lab.experiment import Experiment, Group, View
from lab.jobs import Job

EXPERIMENT = Experiment(
    title="Weights 40:20:10 on a logical volume",
    question="Which controllers can divide a volume rather than the whole disk below it?",
    disk=lambda: disks.Linear(disks.simdisk("flat", service_ns=4000000)),
    groups=[Group("g1", 40), Group("g2", 20), Group("g3", 10)],
    points=[32],
    point_label="readers in each group",
    jobs=lambda nr: [Job(name, "randread", 1, nr) for name in ("g1", "g2", "g3")],
    controllers=["none", "mq-deadline", "kyber", "bfq", "iocost", "io.max", "ioband weight",
                 "ioband weight-iosize", "ioband weight-time"],
    needs_weights=True,
    due="weight",
    settle_s=4,
    window_s=8,
    views=[View("g1", "share_percent", "Share of the group of weight 40"),
           View("all", "jain", "Fairness: 1 if all groups get what their weights say"),
           View("all", "iops", "All groups together")],
    notes="A dm-linear device, which is what a plain logical volume is.",
)
