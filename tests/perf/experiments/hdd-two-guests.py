# SPDX-License-Identifier: GPL-2.0-only
from lab import disks
from lab.experiment import Experiment, Group, View
from lab.jobs import Job

EXPERIMENT = Experiment(
    title="Weights 500:1000, two virtual machines that write to a partition each",
    question="Does the machine with twice the weight write twice as much?",
    disk=lambda: disks.simdisk("hdd"),
    groups=[Group("g1", 500), Group("g2", 1000)],
    points=[8],
    point_label="writes outstanding in each machine",
    jobs=lambda depth: [Job("g1", "write", 1, depth, "128k", {"size": "20g", "offset": "0"}),
                        Job("g2", "write", 1, depth, "128k", {"size": "20g", "offset": "30g"})],
    controllers=["none", "mq-deadline", "kyber", "bfq", "iocost", "iocost tuned",
                 "ioband weight", "ioband weight-iosize", "ioband weight-time"],
    due="weight",
    views=[View("g2", "share_percent", "Share of the group of weight 1000"),
           View("all", "kib_per_s", "Both groups together")],
    notes="V. Goyal, 2009-09-24, test 4, with deadline: twice the disk time, no other "
          "figures. Writes of the guests reach their host as direct writes; here fio issues "
          "those.",
)
