# SPDX-License-Identifier: GPL-2.0-only
from lab import disks
from lab.experiment import Experiment, Group, View
from lab.jobs import Job

EXPERIMENT = Experiment(
    title="Weights 40:20:10, 128 random readers in each group",
    question="Does each group get its share of a disk of four slots, and how much of the disk "
             "is left unused?",
    source="R. Tsuruta, 2008-01-25, dm-band bandwidth control test (partitions of a SATA disk)",
    disk=lambda: disks.simdisk("flat", service_ns=4000000),
    groups=[Group("g1", 40), Group("g2", 20), Group("g3", 10)],
    points=[128],
    point_label="readers in each group",
    jobs=lambda nr: [Job(name, "randread", 1, nr) for name in ("g1", "g2", "g3")],
    controllers=["none", "mq-deadline", "kyber", "bfq", "bfq nr=256", "iocost", "iocost tuned",
                 "ioband weight", "ioband weight-iosize", "ioband weight-time",
                 "io.max"],
    needs_weights=True,
    due="weight",
    settle_s=4,
    window_s=8,
    views=[View("g1", "share_percent", "Share of the group of weight 40"),
           View("g3", "share_percent", "Share of the group of weight 10"),
           View("all", "jain", "Fairness: 1 if all groups get what their weights say"),
           View("all", "iops", "All groups together"),
           View("g1", "p99_ms", "99th percentile of read latency of the group of weight 40")],
    notes="Each process of 2008 is one outstanding I/O of a single process here.",
    quick=["none", "bfq", "iocost tuned", "ioband weight"],
)
