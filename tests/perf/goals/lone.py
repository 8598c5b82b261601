# SPDX-License-Identifier: GPL-2.0-only
"""
A reader that thinks between its I/Os beside writers with a queue, on a disk that does
one thing at a time: it is to get its share all the same.
"""

from lab import case, disks, verdict

THINK_US, SERVICE_NS = 200, 1000000

# Reader's weight against the other's, its share due, and what the disk can reach at
# most while it waits for the reader to think.
RATIOS = {"2:1": (200, 100, 93.75), "4:1": (400, 100, 89.3), "1:1": (100, 100, 100)}
TASKS = {"reads": ("randread", "randwrite"), "writes": ("randwrite", "randread")}


def run():
    # The disk of the goal: one slot, one tag. And one with a queue, which is always busy
    # if it has two I/Os, so that to give it one at a time costs what lies between two.
    slot = disks.null_blk(irqmode=2, completion_nsec=SERVICE_NS, hw_queue_depth=1)
    queue = disks.simdisk("flat", slots=1, service_ns=SERVICE_NS, queue_depth=64)
    for prefix, disk in (("lone", slot), ("lone-queue", queue)):
        disk.make()
        _, full = case.alone(disk.device, disk.leaf, case.Member("crowd", "randread", depth=32))
        for ratio, terms in RATIOS.items():
            for what, tasks in TASKS.items():
                beside(disk, f"{prefix}-{what}-{ratio.replace(':', '-')}", full, terms, tasks)
        disk.remove()


def beside(disk, name, full, terms, tasks):
    (mine, others, ceiling), (my_rw, their_rw) = terms, tasks
    load = case.Run(disk.device, [
        case.Member("lone", my_rw, str(mine), options={"thinktime": THINK_US}),
        case.Member("crowd", their_rw, str(others), depth=32)])
    load.start()
    rates = load.rates(10)
    load.stop()
    error = case.share_errors(rates, {"lone": mine, "crowd": others})["lone"]
    verdict.goal(f"{name}-share-error-points", abs(error), 1)
    verdict.at_least(f"{name}-of-ceiling-percent",
                     100 * 100 * sum(rates.values()) / full / ceiling, 99)
