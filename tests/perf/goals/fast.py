# SPDX-License-Identifier: GPL-2.0-only
"""
Groups that want more than a fast disk has: what an I/O costs over dm-linear, in
instructions and in switches of tasks. One process each, one system call for each I/O.

What a disk does at once it completes at once if it takes the same time for each, and one
interrupt and one wake-up serve several. Where times vary, as on every real one, each has its
own.
"""

import subprocess
import time

from lab import disks, dm, system, undo, verdict

FIRST, COSTS = 20000, 0.5
CASES = {
    # name: slots, service, how much of that is random, users, reads of each outstanding,
    # seconds until the depth is found, at most so much more
    "two-groups": (4, 100000, 0, 2, 32, 1, 2500),
    "eight-groups": (4, 100000, 0, 8, 32, 1, 3000),
    "many-slots": (32, 800000, 0, 2, 128, 2.5, 1800),
    "one-by-one": (64, 1600000, 50, 2, 128, 2.5, 1800),
}
SWITCHES = 0.1


def switches():
    words = system.read("/proc/stat").split()
    return int(words[words.index("ctxt") + 1])


class Users:
    """COUNT processes that each keep DEPTH reads of DEVICE outstanding, as a user of its own."""

    def __init__(self, device, count, depth, settle):
        program = disks.TREE + "/build/perf/crowd"
        self.processes = [
            subprocess.Popen(list(map(str, [program, device, FIRST + i, 1, depth])))
            for i in range(count)]
        undo.push(self.stop)
        time.sleep(settle)

    def cost(self, disk, undisturbed):
        """Instructions and switches for each I/O, and I/Os a second."""
        ios, switched, start = disk_ios(disk), switches(), time.monotonic()
        rounds = system.spin(COSTS)
        took = time.monotonic() - start
        ios = disk_ios(disk) - ios
        # The end may come late to who only has what nobody else needs.
        return ((took - COSTS * rounds / undisturbed) * 1e9 / ios,
                (switches() - switched) / ios, ios / took)

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes = []


def disk_ios(disk):
    return int(system.read(f"/sys/block/{disk.leaf}/stat").split()[0])


def measure(undisturbed, name, slots, service_ns, random_percent, users, depth, settle, limit):
    disk = disks.simdisk("flat", slots=slots, service_ns=service_ns,
                         jitter_percent=random_percent, queue_depth=1023)
    disk.make()
    system.sh("dmsetup", "create", "plain", "--table",
              f"0 {system.sectors(disk.device)} linear {disk.device} 0")
    undo.push(system.sh, "dmsetup", "remove", "--retry", "plain")
    load = Users("/dev/mapper/plain", users, depth, 0.3)
    plain = load.cost(disk, undisturbed)
    load.stop()
    system.sh("dmsetup", "remove", "--retry", "plain")

    groups = " ".join(f"{FIRST + i}:100" for i in range(users))
    volume = dm.Volume(disk.device, groups=groups, kind="user")
    load = Users(volume.path, users, depth, settle)
    ours = load.cost(disk, undisturbed)
    load.stop()
    volume.remove()
    disk.remove()

    for what, index in ("instructions", 0), ("switches", 1), ("ios-a-second", 2):
        print(f"figure {name}-plain-{what} {plain[index]:.5g}")
        print(f"figure {name}-ioband-{what} {ours[index]:.5g}")
    verdict.goal(f"{name}-overhead-instructions", ours[0] - plain[0], limit)
    verdict.goal(f"{name}-overhead-switches", ours[1] - plain[1], SWITCHES)


def run():
    undisturbed = system.spin(COSTS)
    for name, case in CASES.items():
        measure(undisturbed, name, *case)
