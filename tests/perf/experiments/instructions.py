# SPDX-License-Identifier: GPL-2.0-only
from lab import disks
from lab.experiment import Experiment, Group, View, measure_jobs
from lab.jobs import Job


def measure(experiment, controller, point, disk):
    """The disk takes no time, so what passes is instructions, one a nanosecond."""
    for group, quantity, value in measure_jobs(experiment, controller, point, disk):
        if (group, quantity) == ("load", "iops"):
            yield group, "instructions", 1e9 / value


EXPERIMENT = Experiment(
    title="Instructions for one read of 4 KiB, with 1 to 1000 groups set up",
    question="What does a controller cost when no I/O has to wait?",
    disk=disks.null_blk,
    groups=lambda count: [Group("load")] + [Group(f"idle{i}") for i in range(1, count)],
    points=[1, 100, 1000],
    point_label="groups set up, one of which reads",
    jobs=lambda count: [Job("load", "randread", 1, 32, options={"size": "1g"})],
    controllers=["none", "mq-deadline", "kyber", "bfq", "iocost", "io.max 10 GiB/s",
                 "dm-linear", "ioband weight", "ioband weight-time", "ioband limit 10 GiB/s"],
    settle_s=0.3,
    window_s=0.4,
    views=[View("load", "instructions", "Instructions per I/O, in fio and the kernel")],
    measure=measure,
    quick=["none", "bfq", "io.max 10 GiB/s", "dm-linear", "ioband weight"],
    quick_points=[1],
)
