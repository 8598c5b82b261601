# SPDX-License-Identifier: GPL-2.0-only
from lab import disks
from lab.experiment import Experiment, Group, View
from lab.jobs import Job

EXPERIMENT = Experiment(
    title="Two tenants with as many reads outstanding as a flash disk takes, weights 100:200",
    question="Do weights hold where a disk takes nearly all that there is at once?",
    disk=lambda: disks.simdisk("flat", slots=32, jitter_percent=50),
    groups=[Group("light", 100), Group("heavy", 200)],
    points=[20, 32, 64],
    point_label="reads outstanding of each",
    jobs=lambda nr: [Job("light", "randread", 1, nr), Job("heavy", "randread", 1, nr)],
    controllers=["none", "bfq", "iocost", "iocost tuned", "ioband weight",
                 "ioband weight-iosize"],
    needs_weights=True,
    due="weight",
    alone=["heavy"],
    settle_s=3,
    window_s=2,
    views=[View("heavy", "share_percent", "Share of the heavier tenant"),
           View("heavy", "p99_ms", "99th percentile of its latency"),
           View("all", "iops", "Both together")],
    notes="The disk does 32 I/Os at once, in a millisecond each, half of which is random. "
          "Who sends 20 at a time leaves it a queue of 8: to give two thirds of the disk to "
          "one of two such tenants, something has to be held.",
)
