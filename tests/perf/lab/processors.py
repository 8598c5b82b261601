# SPDX-License-Identifier: GPL-2.0-only
"""
Controllers side by side on several processors.

What processors do to each other no clock here counts as instructions, so it is measured by
a real one, on a machine whose processors are not its own. Therefore all controllers take
turns in one machine, several rounds of them, and what is told are ratios within a round:
their median, and the lowest and the highest. And a rate is that of processors which are
given all the time that they want: it is divided by the part of it that they were given.
Where they idle that is not known, for to idle and to wake up takes the emulator's time, too.
"""

import contextlib
import os
import statistics
import subprocess
import time

from . import controllers, disks, gauge, groups, system, undo, windows
from .controllers import Group
from .experiment import remove_group

BASE = "dm-linear"


def timed(name, tags):
    """A disk with a queue for each of two processors, which takes 1 ms for all that have tags."""
    return disks.NullBlk(name, {"size": 1024, "irqmode": 2, "completion_nsec": 1000000,
                                "submit_queues": 2, "hw_queue_depth": tags})


DISKS = {
    # point: the disk, reads of each job outstanding. Of the first two processors get less
    # than they could give; what the others could give they would not reach without a queue.
    "2 x 128 tags": (timed("nb128", 128), 128),
    "at once": (disks.null_blk(submit_queues=2), 128),
    "2 x 16 tags": (timed("nb16", 16), 64),
    "64 slots": (disks.Simdisk("sd-64", {"model": "flat", "slots": 64, "service_ns": 2000000,
                                         "queue_depth": 1023}), 128),
}
# The weights of jobs, and whether each has a processor of its own or all have both.
LOADS = {"one job": ([100], True), "1:1": ([100, 100], True), "3:1": ([300, 100], True),
         "1:1 on both": ([100, 100], False), "3:1 on both": ([300, 100], False)}
LOWEST, HIGHEST = "_lowest", "_highest"


def start(device, group, cpus, depth):
    """A program that keeps DEPTH reads of 4 KiB outstanding, on some processors."""
    def place():
        system.write(f"{groups.path(group)}/cgroup.procs", os.getpid())
        os.sched_setaffinity(0, cpus)

    process = subprocess.Popen([disks.TREE + "/build/perf/crowd", device, "0", "1", str(depth)],
                               preexec_fn=place)
    undo.push(process.kill)
    return process


def given():
    """Seconds that the host has given to the processors, and when: gauge.py."""
    with contextlib.suppress(OSError, ValueError):
        seconds, now = map(float, system.read(gauge.FILE).split())
        return seconds, now
    return None


def busy():
    """
    Seconds that the processors have wanted so far, and when. It is by what they were idle:
    ticks that came too late are not counted as anything.
    """
    words, now = system.read("/proc/stat").split("\n", 1)[0].split(), time.monotonic()
    return os.cpu_count() * now - (int(words[4]) + int(words[5])) / 100, now


def rate(before, after):
    return (after[0] - before[0]) / (after[1] - before[1])


def measure(controller, disk, load, depth, settle_s, window_s):
    """
    I/Os a second at the disk, the share of the first group in percent, what part of the time
    that they wanted the processors were given, and how many of them were busy.
    """
    weights, apart = LOADS[load]
    wanted = [Group(f"g{i + 1}", weight) for i, weight in enumerate(weights)]
    for group in wanted:
        groups.make(group.name)
    device, running = controller.set_up(disk, wanted), []
    try:
        for cpu, group in enumerate(wanted):
            running.append(start(device, group.name, [cpu] if apart else range(len(wanted)),
                                 depth))
        time.sleep(settle_s)
        was_given, was_busy = given(), busy()
        window = windows.Window({"all": windows.disk(disk.leaf), **{
            group.name: windows.cgroup(group.name, device) for group in wanted}}, window_s)
        cpus, is_given = rate(was_busy, busy()), given()
        # A file that stays as it is was left by a host that ended early.
        part = min(1, rate(was_given, is_given) / cpus) if is_given != was_given else 1
        if any(process.poll() is not None for process in running):
            raise system.Failed("a job has ended")
    finally:
        for process in running:
            process.kill()
            process.wait()
        controller.tear_down(disk)
    got = [window.iops(group.name) for group in wanted]
    return window.iops("all") / part, 100 * got[0] / sum(got), part, cpus


def one_round(experiment, names, disk, point, failed):
    """{controller: {(load, quantity): value}}; FAILED gets the reason of who has none."""
    found = {}
    for name in names:
        controller = controllers.ALL[name]
        try:
            controller.check(disk, False, False)
            figures = {}
            for load, (weights, _) in LOADS.items():
                if len(set(weights)) > 1 and not controller.weights:
                    continue
                iops, share, part, cpus = measure(
                    controller, disk, load, DISKS[point][1], experiment.settle_s,
                    experiment.window_s)
                print("round", point, name, load, round(iops), f"{share:.2f}", f"{part:.3f}",
                      f"{cpus:.2f}", controller.note(), flush=True)
                figures[load, "iops"] = iops
                figures[load, "given_percent"] = 100 * part
                figures[load, "busy_cpus"] = cpus
                if len(weights) > 1 and controller.weights:
                    figures[load, "share_percent"] = share
            found[name] = figures
        except system.CannotDo as reason:
            failed[name] = ("hole", str(reason))
        except Exception as error:      # one that fails must not take the others along
            failed[name] = ("failed", f"{type(error).__name__}: {error}")
    relate(found)
    return found


def relate(found):
    """Add what each has of the base's in the same round, and what a second job brings."""
    base = found.get(BASE)
    for figures in found.values():
        both = figures["1:1", "iops"] / figures["one job", "iops"]
        figures["1:1", "two_over_one"] = both
        for load in LOADS if base else ():
            # Weights are nothing to the base: two jobs are two jobs.
            same = load.replace("3:1", "1:1")
            for quantity, name in (("iops", "of_linear_percent"),
                                   ("busy_cpus", "cpu_of_linear_percent")):
                if (load, quantity) in figures:
                    figures[load, name] = 100 * figures[load, quantity] / base[same, quantity]


def summed_up(rounds):
    """Median, lowest and highest over rounds of {key: value}."""
    for load, quantity in rounds[0]:
        values = [figures[load, quantity] for figures in rounds]
        yield load, quantity, statistics.median(values)
        if len(values) > 1:
            yield load, quantity + LOWEST, min(values)
            yield load, quantity + HIGHEST, max(values)


def run(experiment, names, say, emit):
    """All rounds of all controllers; then what came of it, controller by controller."""
    rounds, failed = {}, {}
    made = {point: DISKS[point][0] for point in experiment.points}
    for disk in made.values():
        disk.make()
    for _ in range(experiment.rounds):
        for point, disk in made.items():
            going = [name for name in names if name not in failed]
            for name, figures in one_round(experiment, going, disk, point, failed).items():
                rounds.setdefault((name, point), []).append(figures)
    for number in range(max(len(weights) for weights, _ in LOADS.values())):
        remove_group(f"g{number + 1}")
    # See experiment.run(): iocost of Linux 6.1 looks there for a while.
    time.sleep(1)
    for disk in made.values():
        disk.remove()
    for name in names:
        say("begin", name)
        for point in experiment.points:
            for load, quantity, value in summed_up(rounds.get((name, point), [{}])):
                emit(point, name, load, quantity, value)
        if name in failed:
            kind, words = failed[name]
            say(kind, name, words)
        say("done", name)
