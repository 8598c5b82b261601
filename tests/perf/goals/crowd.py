# SPDX-License-Identifier: GPL-2.0-only
"""
A thousand groups in four levels that always want more: the share of each, and what all of
them cost for an I/O beside what two do.
"""

import subprocess
import time

from lab import disks, dm, system, undo, verdict
from lab.spinner import Spinner

SLOTS, SERVICE_NS = 4, 400000
FULL = SLOTS * 1e9 / SERVICE_NS
FAN = [5, 5, 5, 8]
STEP = [37, 100, 50, 100]       # each child of a level has so much more than the one before
DEPTH = 4
FIRST_LEAF, LEAVES = 10000, 1000
SETTLE, COSTS, SHARES = 5, 5, 90


def tree():
    """Words of the table, and what is due to each leaf by its number."""
    words, parents = [], [(None, 1.0)]
    for level, fan in enumerate(FAN):
        leaves, below = level == len(FAN) - 1, []
        weights = [100 + i * STEP[level] for i in range(fan)]
        for parent, share in parents:
            for weight in weights:
                number = (FIRST_LEAF if leaves else 1000 * (level + 1)) + len(below)
                words.append(f"{number}:weight={weight}"
                             + (f",parent={parent}" if parent else ""))
                below.append((number, share * weight / sum(weights)))
        parents = below
    return " ".join(words), dict(parents)


class Crowd:
    """COUNT users' reads from DEVICE, as many of them outstanding whoever they belong to."""

    def __init__(self, program, device, count):
        words = [program, device, FIRST_LEAF, count, DEPTH * LEAVES // count]
        self.process = subprocess.Popen(list(map(str, words)))
        undo.push(self.stop)
        time.sleep(SETTLE)

    def cost_ns(self, disk, spinner):
        """Of the processor's time, for each I/O: the kernel does not count interrupts."""
        ios, idle, start = disk.ios(), spinner.idle_ns(), time.monotonic_ns()
        time.sleep(COSTS)
        took, idle = time.monotonic_ns() - start, spinner.idle_ns() - idle
        return (took - idle) / (disk.ios() - ios)

    def stop(self):
        self.process.kill()
        self.process.wait()


class Disk:
    def __init__(self):
        self.simdisk = disks.simdisk("flat", slots=SLOTS, service_ns=SERVICE_NS, queue_depth=64)
        self.simdisk.make()
        self.device = self.simdisk.device

    def ios(self):
        return int(system.read(f"/sys/block/{self.simdisk.leaf}/stat").split()[0])


def run():
    disk = Disk()
    measure(disk, disks.TREE + "/build/perf/crowd")
    disk.simdisk.remove()


def measure(disk, program):
    spinner = Spinner()
    system.sh("dmsetup", "create", "plain", "--table",
              f"0 {system.sectors(disk.device)} linear {disk.device} 0")
    undo.push(system.sh, "dmsetup", "remove", "--retry", "plain")
    crowd = Crowd(program, "/dev/mapper/plain", 2)
    plain_ns = crowd.cost_ns(disk, spinner)
    crowd.stop()

    volume = dm.Volume(disk.device, groups=f"{FIRST_LEAF}:100 {FIRST_LEAF + 1}:200",
                       kind="user")
    crowd = Crowd(program, volume.path, 2)
    two_ns = crowd.cost_ns(disk, spinner)
    crowd.stop()
    volume.remove()

    words, due = tree()
    volume = dm.Volume(disk.device, groups=words, kind="user")
    crowd = Crowd(program, volume.path, LEAVES)
    all_ns = crowd.cost_ns(disk, spinner)
    spinner.stop()
    before = volume.stats()
    time.sleep(SHARES)
    after = volume.stats()
    crowd.stop()
    volume.remove()

    got = {number: after[str(number)]["rd_ios"] - before[str(number)]["rd_ios"]
           for number in due}
    total = sum(got.values())
    # Counting begins and ends within an I/O of a group's own.
    worst = max((abs(got[n] - total * due[n]) - 1) / (total * due[n]) for n in due)
    verdict.goal("crowd-share-error-percent", 100 * worst, 2)
    verdict.at_least("crowd-throughput-percent",
                     100 * total / (after["now"] - before["now"]) / FULL, 99)
    print(f"figure plain-instructions {plain_ns:.5g}")
    verdict.goal("contended-overhead-instructions", two_ns - plain_ns, 1500)
    verdict.goal("crowd-cost-over-two-groups", all_ns / two_ns, 1.25)
