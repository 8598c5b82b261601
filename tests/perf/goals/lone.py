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
    disk = disks.simdisk("flat", slots=1, service_ns=SERVICE_NS, queue_depth=64)
    disk.make()
    for ratio, (mine, others, ceiling) in RATIOS.items():
        for what, (my_rw, their_rw) in TASKS.items():
            name = f"lone-{what}-{ratio.replace(':', '-')}"
            load = case.Run(disk.device, [
                case.Member("lone", my_rw, str(mine), options={"thinktime": THINK_US}),
                case.Member("crowd", their_rw, str(others), depth=32)])
            load.start()
            rates = load.rates(10)
            load.stop()
            error = case.share_errors(rates, {"lone": mine, "crowd": others})["lone"]
            verdict.goal(f"{name}-share-error-points", abs(error), 1)
            used = 100 * sum(rates.values()) * SERVICE_NS / 1e9
            verdict.at_least(f"{name}-of-ceiling-percent", 100 * used / ceiling, 99)
    disk.remove()
