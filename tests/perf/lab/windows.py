# SPDX-License-Identifier: GPL-2.0-only
"""
Differences of counters over a window in which all jobs run.

A counter is a function that gives a dict of numbers; what it counts only ever grows.
"""

import time

from . import groups, system

SECTOR = 512


def disk(name):
    """I/Os and bytes that were done at a disk, and for how long it was busy."""
    def count():
        words = system.read(f"/sys/block/{name}/stat").split()
        return {"rios": int(words[0]), "rbytes": int(words[2]) * SECTOR,
                "wios": int(words[4]), "wbytes": int(words[6]) * SECTOR,
                "busy_ms": int(words[9])}
    return count


def cgroup(group, device, buffered=False):
    """
    What a cgroup and those below it have sent to a device, by the kernel's io.stat; where
    they write through the page cache, less what of that is not done yet. It is much: the
    kernel sends in lumps of seconds.
    """
    number = system.device_number(device)

    def under_writeback():
        for line in system.read(f"{groups.path(group)}/memory.stat").splitlines():
            name, value = line.split()
            if name == "file_writeback":
                return int(value)
        raise system.Failed(f"{group}'s memory.stat has no file_writeback")

    def count():
        found = {"rios": 0, "rbytes": 0, "wios": 0, "wbytes": 0}
        for line in system.read(f"{groups.path(group)}/io.stat").splitlines():
            words = line.split()
            if words[0] == number:
                pairs = (word.split("=") for word in words[1:])
                found.update({key: int(value) for key, value in pairs
                              if value.isdigit()})
        if buffered:
            found["wbytes"] -= under_writeback()
        return found
    return count


def ioband(volume, group_id):
    """What a group of an ioband volume has had, by its own stats."""
    def count():
        for line in system.sh("dmsetup", "message", volume, "0", "stats").splitlines():
            words = dict(word.split("=") for word in line.split())
            if words["group"] == str(group_id):
                return {"rios": int(words["rd_ios"]), "wios": int(words["wr_ios"]),
                        "rbytes": int(words["rd_sectors"]) * SECTOR,
                        "wbytes": int(words["wr_sectors"]) * SECTOR,
                        "held_ns": int(words["held_ns"])}
        raise system.Failed(f"{volume} has no group {group_id}")
    return count


class Window:
    """By how much each of the named counters grew, and in how many seconds."""

    def __init__(self, counters, seconds):
        before, start = {name: count() for name, count in counters.items()}, time.monotonic()
        time.sleep(seconds)
        after, end = {name: count() for name, count in counters.items()}, time.monotonic()
        self.seconds = end - start
        self.grown = {name: {key: after[name][key] - before[name].get(key, 0)
                             for key in after[name]} for name in counters}

    def kib_per_s(self, name):
        grown = self.grown[name]
        return (grown["rbytes"] + grown["wbytes"]) / 1024 / self.seconds

    def iops(self, name):
        grown = self.grown[name]
        return (grown["rios"] + grown["wios"]) / self.seconds


def wait_until_all_run(counters, limit=120):
    """Until every counter has grown: programs take a while to start."""
    def ios():
        return {name: count()["rios"] + count()["wios"] for name, count in counters.items()}

    start, end = ios(), time.monotonic() + limit
    while any(now == start[name] for name, now in ios().items()):
        if time.monotonic() > end:
            idle = [name for name, now in ios().items() if now == start[name]]
            raise system.Failed(f"no I/O of {', '.join(idle)} in {limit} s")
        time.sleep(0.1)
