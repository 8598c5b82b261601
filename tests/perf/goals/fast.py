# SPDX-License-Identifier: GPL-2.0-only
"""
Groups that want more than a fast disk has: what an I/O costs over dm-linear, in
instructions and in switches of tasks. One process each, one system call for each I/O.

What a disk does at once it completes at once if it takes the same time for each, and one
interrupt and one wake-up serve several. Where times vary, as on every real one, each has its
own. How many come back together depends on the depth: so what is measured has several trials
and pauses of the search for it, and the depth that there was most of the time is told.
"""

import collections
import re
import subprocess
import time

from lab import disks, dm, system, undo, verdict
from lab.spinner import Spinner

FIRST = 20000
# Percent of dm-linear's rate, and points of share over all.
RATE, SHARE = 99, 0.1
# Seconds: on the disk itself, on ioband, and from one look to the next.
PLAIN, OURS, LOOK = 1, 6, 0.25
CASES = {
    # name: slots, service, how much of that is random, weights, reads of each outstanding,
    # seconds until the depth is found, at most so many instructions and switches more
    "varying-two": (64, 1600000, 50, (100, 100), 128, 2.5, 1900, 0),
    "varying-three-to-one": (64, 1600000, 50, (300, 100), 128, 2.5, 1900, 0),
    "varying-eight": (64, 1600000, 50, (100,) * 8, 32, 2.5, 2200, 0),
    "few-two": (4, 100000, 50, (100, 100), 32, 1, 2300, 0),
    "few-three-to-one": (4, 100000, 50, (300, 100), 32, 1, 2300, 0),
    "few-eight": (4, 100000, 50, (100,) * 8, 32, 1, 3500, 0.05),
    "lockstep-two": (32, 800000, 0, (100, 100), 128, 2.5, 3000, 0.2),
    "lockstep-eight": (32, 800000, 0, (100,) * 8, 32, 2.5, 3500, 0.2),
}


def switches():
    words = system.read("/proc/stat").split()
    return int(words[words.index("ctxt") + 1])


class Users:
    """COUNT processes that each keep DEPTH reads of DEVICE outstanding, each a user's."""

    def __init__(self, device, count, depth, settle):
        program = disks.TREE + "/build/perf/crowd"
        self.processes = [
            subprocess.Popen(list(map(str, [program, device, FIRST + i, 1, depth])))
            for i in range(count)]
        undo.push(self.stop)
        time.sleep(settle)

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes = []


class Costs:
    """What was done, what it took of the processor and how often tasks were switched."""

    def __init__(self):
        self.ios = self.ns = self.busy_ns = self.switches = 0

    def add(self, ios, ns, idle_ns, switched):
        self.ios += ios
        self.ns += ns
        self.busy_ns += ns - idle_ns
        self.switches += switched

    def figures(self):
        return {"instructions": self.busy_ns / self.ios, "switches": self.switches / self.ios,
                "ios-a-second": self.ios * 1e9 / self.ns}


def disk_ios(disk):
    return int(system.read(f"/sys/block/{disk.leaf}/stat").split()[0])


def watch(disk, seconds, depth=lambda: 0):
    """What all of it costs, and each part by the depth at its end."""
    def look():
        return disk_ios(disk), time.monotonic_ns(), spinner.idle_ns(), switches()

    spinner = Spinner()
    time.sleep(LOOK)
    every, parts, before = Costs(), collections.defaultdict(Costs), look()
    for _ in range(round(seconds / LOOK)):
        time.sleep(LOOK)
        at, now = depth(), look()
        part = [b - a for a, b in zip(before, now)]
        every.add(*part)
        parts[at].add(*part)
        before = now
    spinner.stop()
    return every, parts


def depth_of(volume):
    return int(re.search(r"\bdepth=(\d+)", volume.message("show", 1 << 12))[1])


def sent_by(volume, users):
    """How many I/Os of each user have gone."""
    stats = volume.stats()
    return [stats[str(FIRST + i)]["rd_ios"] for i in range(users)]


def measure(name, slots, service_ns, random_percent, weights, depth, settle, *limits):
    users = len(weights)
    disk = disks.simdisk("flat", slots=slots, service_ns=service_ns,
                         jitter_percent=random_percent, queue_depth=1023)
    disk.make()
    system.sh("dmsetup", "create", "plain", "--table",
              f"0 {system.sectors(disk.device)} linear {disk.device} 0")
    undo.push(system.sh, "dmsetup", "remove", "--retry", "plain")
    load = Users("/dev/mapper/plain", users, depth, 0.3)
    plain = watch(disk, PLAIN)[0].figures()
    load.stop()
    system.sh("dmsetup", "remove", "--retry", "plain")

    groups = " ".join(f"{FIRST + i}:{weight}" for i, weight in enumerate(weights))
    volume = dm.Volume(disk.device, groups=groups, kind="user")
    load = Users(volume.path, users, depth, settle)
    before = sent_by(volume, users)
    every, parts = watch(disk, OURS, lambda: depth_of(volume))
    got = [b - a for a, b in zip(before, sent_by(volume, users))]
    load.stop()
    volume.remove()
    disk.remove()

    ours = every.figures()
    for what, value in plain.items():
        print(f"figure {name}-plain-{what} {value:.5g}")
        print(f"figure {name}-ioband-{what} {ours[what]:.5g}")
    most = max(parts, key=lambda at: parts[at].ns)
    print(f"figure {name}-depth {most}")
    print(f"figure {name}-depth-percent {100 * parts[most].ns / every.ns:.0f}")
    print(f"figure {name}-at-depth-instructions "
          f"{parts[most].figures()['instructions'] - plain['instructions']:.5g}")
    for what, most_due in zip(("instructions", "switches"), limits):
        verdict.goal(f"{name}-overhead-{what}", ours[what] - plain[what], most_due)
    verdict.at_least(f"{name}-rate-percent",
                     100 * ours["ios-a-second"] / plain["ios-a-second"], RATE)
    verdict.goal(f"{name}-share-off-points",
                 max(abs(100 * part / sum(got) - 100 * weight / sum(weights))
                     for part, weight in zip(got, weights)), SHARE)


def run(*names):
    for name in names or CASES:
        measure(name, *CASES[name])
