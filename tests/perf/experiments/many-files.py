# SPDX-License-Identifier: GPL-2.0-only
from lab import disks, files, groups
from lab.experiment import Experiment, Group, View

DIRECTORIES, FILES, KIB, LARGE_MIB = 100, 100, 8, 128


def measure(experiment, controller, point, disk):
    """Seconds of a cold find, grep -r and cp, each alone or all together."""
    for group in experiment.groups:
        groups.make(group.name)
    files.make(disk.device)
    files.mount(disk.device)
    files.fill(DIRECTORIES, FILES, KIB)
    files.large("iso", LARGE_MIB)
    files.unmount()
    work = {"find": (files.find, files.TREE), "grep": (files.read_tree, files.TREE),
            "cp": (files.read_file, f"{files.MOUNT}/iso")}
    device = controller.set_up(disk, experiment.groups)
    try:
        files.mount(device)
        for batch in [[name] for name in work] if point == "alone" else [list(work)]:
            files.forget()
            children = {name: files.Child(name, *work[name]) for name in batch}
            for name, child in children.items():
                yield name, "seconds", child.seconds()
    finally:
        files.unmount()
        controller.tear_down(disk)


EXPERIMENT = Experiment(
    title="find, grep -r and cp over cold directories of many small files",
    question="How long do three tasks take that read the same disk at once?",
    source="Fengguang Wu, 2007-01-10, ext3 readdir readahead (without the patch; 100 "
           "directories of 1000 files of 8 KiB, and a CD's image)",
    disk=lambda: disks.simdisk("hdd", memory_backed=1),
    groups=[Group("find"), Group("grep"), Group("cp")],
    points=["alone", "together"],
    point_label="the three tasks",
    controllers=["none", "mq-deadline", "kyber", "bfq", "iocost", "ioband weight",
                 "ioband weight-time"],
    jobs=lambda point: [],
    views=[View("find", "seconds", "find"), View("grep", "seconds", "grep -r"),
           View("cp", "seconds", "cp")],
    notes="Here each of the 100 directories has 100 files, and the image 128 MiB.",
    measure=measure,
)
