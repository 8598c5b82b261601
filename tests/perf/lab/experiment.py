# SPDX-License-Identifier: GPL-2.0-only
"""
What an experiment is, and how one is run in the machine.

A file tests/perf/experiments/NAME.py has EXPERIMENT. It runs once for each of its
controllers, on a new disk; POINTS are the values of what is varied.
"""

import time
from dataclasses import dataclass, field
from typing import Callable

from . import controllers, groups, jobs, pieces, system, windows
from .controllers import Group


@dataclass
class View:
    """A table and a plot: one quantity of one group over the points."""
    group: str
    quantity: str
    title: str
    log: bool = False


@dataclass
class Experiment:
    title: str
    question: str                       # one line: what the reader is to see
    points: list
    point_label: str
    controllers: list                   # names in lab.controllers
    disk: Callable = None               # makes a disk of lab.disks
    groups: list = field(default_factory=list)  # of Group, or a function of the point
    jobs: Callable = None               # point -> list of Job
    settle_s: float = 10
    window_s: float = 10
    needs_weights: bool = False
    needs_limits: bool = False
    due: str = ""                       # to each group: by "weight" its part, its "limit"
    alone: list = field(default_factory=list)   # groups to measure alone as well, for that
    source: str = ""                    # of the figures in experiments/reported.csv
    views: list = field(default_factory=list)
    compare: bool = False               # with what was reported, in percent
    quick: list = field(default_factory=list)           # controllers of CASES=quick
    quick_points: list = field(default_factory=list)    # and points, all if empty
    notes: str = ""
    measure: Callable = None            # other than jobs in groups: see measure_jobs
    run: Callable = None                # all controllers together: see lab.processors
    cpus: int = 0                       # of a machine with a real clock; 0: the exact one
    rounds: int = 1                     # of those that are run together

    def groups_at(self, point):
        return self.groups(point) if callable(self.groups) else self.groups


def measure_jobs(experiment, controller, point, disk, only=None):
    """Yield (group, quantity, value) of one point; ONLY that group's jobs if given."""
    wanted = experiment.groups_at(point)
    for group in wanted:
        groups.make(group.name)
    device = controller.set_up(disk, wanted)
    running = None
    try:
        chosen = {job.group: job for job in experiment.jobs(point) if only in (None, job.group)}
        counters = {name: windows.cgroup(name, device, bool(job.pieces_gib))
                    for name, job in chosen.items()}
        for name, job in chosen.items():
            pieces.make(device, name, job.pieces_gib)
        running = jobs.start(chosen, device, experiment.settle_s)
        windows.wait_until_all_run(counters)
        time.sleep(experiment.settle_s)
        window = windows.Window({**counters, "all": windows.disk(disk.leaf)},
                                experiment.window_s)
        running.stop()
        results = running.results()
    except BaseException:
        if running:
            running.kill()
        raise
    finally:
        pieces.remove()
        controller.tear_down(disk)

    for name in [*results, "all"]:
        yield name, "kib_per_s", window.kib_per_s(name)
        yield name, "iops", window.iops(name)
    yield "all", "busy_percent", window.grown["all"]["busy_ms"] / 10 / window.seconds
    if only is None:
        yield from shares({group.name: window.kib_per_s(group.name) / group.weight
                           for group in wanted if group.name in results},
                          {group.name: group.weight for group in wanted})
    for name, ways in results.items():
        # Each group either reads or writes; one that was starved did neither.
        for direction in ways.values():
            for quantity, value in jobs.latencies(direction).items():
                yield name, quantity, value


def shares(by_weight, weights):
    """Each group's part of all, and Jain's index: 1 if all have what their weights say."""
    total = sum(value * weights[name] for name, value in by_weight.items())
    if not total:
        return
    for name, value in by_weight.items():
        yield name, "share_percent", 100 * value * weights[name] / total
    squares = sum(value ** 2 for value in by_weight.values())
    yield "all", "jain", sum(by_weight.values()) ** 2 / len(by_weight) / squares


def run(experiment, name, emit):
    """
    Run an experiment under one controller: EMIT(point, controller, group, quantity, value).
    """
    controller = controllers.ALL[name]
    measure = experiment.measure or measure_jobs
    disk = experiment.disk()
    disk.make()
    try:
        controller.check(disk, experiment.needs_weights, experiment.needs_limits)
        for point in experiment.points:
            try:
                for group, quantity, value in measure(experiment, controller, point, disk):
                    emit(point, name, group, quantity, value)
            finally:
                for group in experiment.groups_at(point):
                    remove_group(group.name)
            if controller.note():
                print("note", name, point, controller.note(), flush=True)
        if experiment.alone and name == "none":
            alone(experiment, controller, disk, emit)
    finally:
        # iocost of Linux 6.1 frees what it has of a disk at once, but looks there when
        # it frees what it has of a cgroup, a while after that has gone, and hangs.
        time.sleep(1)
        disk.remove()


def alone(experiment, controller, disk, emit):
    """What groups get with the disk to themselves; one whose jobs stay the same, once."""
    seen = {}
    for name in experiment.alone:
        for point in experiment.points:
            key = repr([job for job in experiment.jobs(point) if job.group == name])
            if key not in seen:
                seen[key] = list(measure_jobs(experiment, controller, point, disk, name))
                for group in experiment.groups_at(point):
                    remove_group(group.name)
            for of, quantity, value in seen[key]:
                if of == name:
                    emit(point, "alone", of, quantity, value)


def remove_group(name):
    """Killed programs take a moment to leave."""
    for _ in range(100):
        try:
            groups.remove(name)
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.1)
    raise system.Failed(f"the cgroup {name} is not empty")


__all__ = ["Experiment", "Group", "View"]
