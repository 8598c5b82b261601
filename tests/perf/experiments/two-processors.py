# SPDX-License-Identifier: GPL-2.0-only
from lab import processors
from lab.experiment import Experiment, View

EXPERIMENT = Experiment(
    title="Two processors, a job on each, on disks that are faster than they are",
    question="What does it cost to divide a disk when processors are what is short?",
    points=list(processors.DISKS),
    point_label="disk",
    controllers=["dm-linear", "mq-deadline", "kyber", "bfq", "iocost tuned",
                 "ioband weight"],
    run=processors.run,
    cpus=2,
    rounds=5,
    settle_s=2,
    window_s=1.5,
    views=[View("1:1", "of_linear_percent", "Two jobs, equal weights: I/Os beside dm-linear's"),
           View("3:1", "of_linear_percent", "Weights 3:1: I/Os beside dm-linear's"),
           View("3:1", "share_percent", "Weights 3:1: share of the first"),
           View("one job", "of_linear_percent", "One job: I/Os beside dm-linear's"),
           View("1:1", "two_over_one", "I/Os of two jobs over those of one"),
           View("1:1", "busy_cpus", "Two jobs: processors that are busy")],
    notes="Measured by a real clock on two emulated processors beside whatever else ran on the "
          "host: medians of five rounds, and in brackets the lowest and the highest. All "
          "controllers took turns in one machine, each figure is beside dm-linear's of the same "
          "round, and what others took of the processors' time is taken off as far as the host "
          "tells. 128 reads of 4 KiB are outstanding for each job, 64 where there are 2 x 16 tags. Of "
          "the first two disks, a queue for each processor with 128 tags of 1 ms and one that "
          "answers at once, processors get less than they could give: there is little to divide. "
          "2 x 16 tags are fewer than are outstanding, and 64 slots of 2 ms as fast as both "
          "processors. Each job has one of them, or all have both. mq-deadline, "
          "kyber, BFQ and "
          "iocost act on the disk itself and have no device-mapper to pay for. An emulated "
          "processor has no cache of its own: what moving lines between real ones costs is not "
          "in these figures.",
)
