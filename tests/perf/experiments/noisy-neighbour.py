# SPDX-License-Identifier: GPL-2.0-only
from lab import disks
from lab.experiment import Experiment, Group, View
from lab.jobs import Job

EXPERIMENT = Experiment(
    title="A quiet reader beside a writer with 1 to 256 I/Os outstanding, equal weights",
    question="Does a reader with one I/O at a time notice how many its neighbour has?",
    disk=lambda: disks.simdisk("ssd", channels=1, dies=4),
    groups=[Group("writer"), Group("reader")],
    points=[1, 16, 64, 256],
    point_label="writes outstanding",
    jobs=lambda nr: [Job("writer", "randwrite", 1, nr, "64k",
                         {"ioengine": "libaio", "size": "4g", "offset": "1g"}),
                     Job("reader", "randread", 1, 1, "4k",
                         {"size": "1g", "thinktime": 1000})],
    controllers=["none", "mq-deadline", "kyber", "bfq", "iocost", "iocost tuned",
                 "ioband weight", "ioband weight-iosize", "ioband weight-time"],
    settle_s=4,
    window_s=4,
    views=[View("reader", "p50_ms", "Median latency of the reader", log=True),
           View("reader", "p99_ms", "99th percentile of its latency", log=True),
           View("reader", "p999_ms", "99.9th percentile of its latency", log=True),
           View("reader", "iops", "Reads of the reader"),
           View("writer", "kib_per_s", "Bandwidth of the writer"),
           View("all", "kib_per_s", "Both together")],
    notes="A small flash disk: one channel of four dies. The reader pauses for a millisecond "
          "after each read, so that it asks for less than its half.",
)
