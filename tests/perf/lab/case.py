# SPDX-License-Identifier: GPL-2.0-only
"""What the cases of goals/ have in common: groups with jobs on one ioband volume."""

import time

from . import dm, groups, jobs, windows

SETTLE = 8          # seconds in which all programs have started and found their rates


class Member:
    """A group and its one job; SETTINGS are its weight and what may follow after commas."""

    def __init__(self, name, rw, settings="100", **job):
        self.name = name
        self.settings = "weight=" + settings if "=" in settings else settings
        self.job = jobs.Job(name, rw, **job)
        groups.make(name)
        self.id = str(groups.number(name))


class Run:
    """All members' jobs on an ioband volume above DEVICE, or on DEVICE itself."""

    def __init__(self, device, members, policy="weight", options=(), ioband=True):
        self.members = members
        self.volume = dm.Volume(device, policy, " ".join(
            f"{m.id}:{m.settings}" for m in members), options) if ioband else None
        self.path = self.volume.path if ioband else device
        self.started = []

    def start(self, members=None, settle=SETTLE):
        """One fio for these, or all; their latencies count when they have settled."""
        chosen = {m.name.replace("/", "-"): m.job for m in members or self.members}
        self.started.append(jobs.start(chosen, self.path, ramp=settle))
        time.sleep(settle)
        return self.started[-1]

    def count(self):
        """I/Os by group name, and when."""
        stats = self.volume.stats()
        found = {m.name: stats[m.id]["rd_ios"] + stats[m.id]["wr_ios"] for m in self.members}
        return found, stats["now"]

    def rates(self, seconds):
        """I/Os a second by group name, in a window."""
        before, start = self.count()
        time.sleep(seconds)
        after, end = self.count()
        return {name: (after[name] - before[name]) / (end - start) for name in after}

    def sums(self, key):
        """A counter of each group by name."""
        stats = self.volume.stats()
        return {m.name: stats[m.id][key] for m in self.members}

    def stop(self):
        """End all; gives what each job says of itself, by direction."""
        results = self.stop_jobs()
        if self.volume:
            self.volume.remove()
        for member in self.members:
            groups.remove(member.name)
        return results

    def stop_jobs(self):
        results = {}
        for running in self.started:
            running.stop()
        for running in self.started:
            results.update(running.results())
        return results


def worst_latency(result, name="max_ms"):
    """Over both directions of a job."""
    return max(jobs.latencies(way)[name] for way in result.values())


def alone(device, disk, member, seconds=5):
    """A job on the bare device: its latencies, and I/Os of the disk a second."""
    run = Run(device, [member], ioband=False)
    run.start()
    window = windows.Window({"disk": windows.disk(disk)}, seconds)
    result = run.stop()[member.name]
    groups.make(member.name)
    return jobs.latencies(next(iter(result.values()))), window.iops("disk")


def share_errors(rates, weights):
    """Percentage points by which each is off."""
    total, due = sum(rates.values()), sum(weights.values())
    return {name: 100 * rates[name] / total - 100 * weights[name] / due for name in weights}
