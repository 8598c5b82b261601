# SPDX-License-Identifier: GPL-2.0-only
from lab import disks
from lab.experiment import Experiment, Group, View
from lab.jobs import Job

EXPERIMENT = Experiment(
    title="A database beside a backup on a logical volume, weights 300:100",
    question="Does the database keep three quarters of the disk, and answer in time, while a "
             "backup runs?",
    disk=lambda: disks.Linear(disks.simdisk("flat", service_ns=1000000)),
    groups=[Group("db", 300), Group("backup", 100)],
    points=[64],
    point_label="reads outstanding of the backup",
    jobs=lambda nr: [Job("db", "randread", 1, 4),
                     Job("backup", "randread", 1, nr)],
    controllers=["none", "bfq below", "iocost tuned below", "io.max 4 MiB/s for the backup",
                 "ioband weight", "ioband weight-iosize"],
    due="weight",
    alone=["db"],
    settle_s=3,
    window_s=5,
    views=[View("db", "share_percent", "Share of the database"),
           View("db", "max_ms", "Longest wait of the database"),
           View("db", "p50_ms", "Median latency of the database", log=True),
           View("db", "p99_ms", "99th percentile of its latency", log=True),
           View("db", "iops", "Reads of the database"),
           View("all", "iops", "Both together")],
    notes="The disk does four I/Os at once, 1 ms each. The database has four random reads of "
          "4 KiB outstanding, the backup 64. bfq and iocost are below the volume, on the disk. "
          "io.max limits the backup to a quarter of what this disk does: somebody has to know "
          "that, and the backup gets no more when the database is idle.",
)
