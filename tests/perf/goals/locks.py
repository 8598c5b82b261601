# SPDX-License-Identifier: GPL-2.0-only
"""
What an I/O does that processors wait for each other for: how often it takes the pool's lock,
and how many locked instructions of the module it executes, where it passes and where it is
held. Where many are held, one hold of the lock by a worker serves several. One locked
instruction is bio_adopt()'s, on its own stack.
"""

import os
import time

from goals import fast
from lab import disks, dm, probes, system, verdict

WINDOW = 1
CASES = {
    # name: users, reads of each outstanding, seconds until the depth is found, and at most,
    # for each I/O: holds of the lock, locked instructions
    "passing": (1, 64, 1, 0, 1),
    "held": (2, 128, 2.5, 1.25, 4.5),
}
# What is done beside I/O: the work that looks at what groups get takes the lock, too.
BESIDE = 0.001


def measure(counted, disk, name, users, depth, settle, most_taken, most_locked):
    groups = " ".join(f"{fast.FIRST + i}:100" for i in range(users))
    volume = dm.Volume(disk.device, groups=groups, kind="user")
    load = fast.Users(volume.path, users, depth, settle)
    before = counted.taken(), counted.locked(), fast.disk_ios(disk)
    time.sleep(WINDOW)
    after = counted.taken(), counted.locked(), fast.disk_ios(disk)
    taken, locked, ios = (b - a for a, b in zip(before, after))
    load.stop()
    held = volume.stats()[str(fast.FIRST)]["held_ios"]
    volume.remove()
    if bool(held) != (name == "held"):
        raise system.Failed(f"{name}: {held} I/Os were held")
    verdict.goal(f"{name}-lock-taken-per-io", taken / ios, most_taken + BESIDE)
    verdict.goal(f"{name}-locked-instructions-per-io", locked / ios, most_locked + BESIDE)


def run():
    disk = disks.simdisk("flat", slots=32, service_ns=800000, queue_depth=1023)
    disk.make()
    counted = probes.Probes("dm_ioband", f"{disks.TREE}/build/module-{os.uname().release}"
                                         "/dm-ioband.ko")
    for name, case in CASES.items():
        measure(counted, disk, name, *case)
    counted.remove()
    disk.remove()
