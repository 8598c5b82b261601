# SPDX-License-Identifier: GPL-2.0-only
import time

from lab import disks, files, groups
from lab.experiment import Experiment, Group, View

DIRECTORIES, FILES, KIB = 1, 150, 12        # kernel/*.c
WRITTEN_MIB = 256


def measure(experiment, controller, point, disk):
    """Seconds to read a directory of small files while a large one is written."""
    writer_group = "reader" if point == "one group" else "writer"
    for group in experiment.groups:
        groups.make(group.name)
    files.make(disk.device)
    files.mount(disk.device)
    files.fill(DIRECTORIES, FILES, KIB)
    files.large("foo", WRITTEN_MIB)
    files.unmount()
    device = controller.set_up(disk, experiment.groups)
    writer = None
    try:
        files.mount(device)
        files.limit_dirty()
        files.forget()
        if point != "no writer":
            writer = files.Child(writer_group, files.write_for_ever, f"{files.MOUNT}/foo",
                                 WRITTEN_MIB)
            time.sleep(10)
        reader = files.Child("reader", files.read_tree, files.TREE)
        yield "reader", "seconds", reader.seconds()
    finally:
        if writer:
            writer.stop()
        files.unmount()
        controller.tear_down(disk)


EXPERIMENT = Experiment(
    title="Reading 150 source files while a large file is written",
    question="Can a directory be read while another task floods the disk with writes?",
    source="A. Morton, 2002-09-26, Re: [PATCH] deadline io scheduler (an IDE disk)",
    disk=lambda: disks.simdisk("hdd", memory_backed=1),
    groups=[Group("reader"), Group("writer")],
    points=["no writer", "one group", "two groups"],
    point_label="the writer",
    controllers=["none", "mq-deadline", "kyber", "bfq", "iocost", "ioband weight",
                 "ioband weight-time"],
    jobs=lambda point: [],
    views=[View("reader", "seconds", "Time to read the files", log=True)],
    notes="Writer and reader in one group, as in 2002, and in two groups of equal weight.",
    measure=measure,
)
