# SPDX-License-Identifier: GPL-2.0-only
from lab import disks
from lab.experiment import Experiment, Group, View
from lab.jobs import Job

EXPERIMENT = Experiment(
    title="Limits of 2 MiB/s and 256 KiB/s, 16 random readers in each group",
    question="Does each group get its limit, and how evenly are its reads spaced?",
    disk=lambda: disks.simdisk("flat"),
    groups=[Group("g1", limit=2 << 20), Group("g2", limit=256 << 10)],
    points=[16],
    point_label="readers in each group",
    jobs=lambda nr: [Job(name, "randread", 1, nr) for name in ("g1", "g2")],
    controllers=["none", "bfq", "iocost", "io.max", "ioband limit", "ioband weight",
                 "ioband weight-iosize"],
    needs_limits=True,
    due="limit",
    settle_s=5,
    views=[View("g1", "kib_per_s", "The group with 2 MiB/s"),
           View("g2", "kib_per_s", "The group with 256 KiB/s"),
           View("g1", "p50_ms", "Median read latency of the group with 2 MiB/s"),
           View("g1", "p99_ms", "99th percentile of its read latency")],
)
