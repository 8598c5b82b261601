# SPDX-License-Identifier: GPL-2.0-only
"""
Twenty loads drawn at random: 2 to 8 groups, weights of 1 to 1000, I/Os of 4 to 256 KiB,
reads and writes mixed. Shares of the bytes under policy weight-iosize.
"""

import random

from lab import case, disks, verdict

VECTORS, WINDOW = 20, 20


def draw(rng):
    """Weights and I/O sizes in KiB; nobody is due less than 1 %."""
    while True:
        count = rng.randint(2, 8)
        weights = [rng.randint(1, 1000) for _ in range(count)]
        if 100 * min(weights) >= sum(weights):
            return [(weight, rng.choice((4, 8, 16, 32, 64, 128, 256)), rng.randint(0, 100))
                    for weight in weights]


def measure(disk, vector):
    """By how many percent of its due the worst group is off."""
    members = [case.Member(f"group{i}", "randrw", str(weight), depth=32, size=f"{kib}k",
                           options={"rwmixread": reads})
               for i, (weight, kib, reads) in enumerate(vector)]
    load = case.Run(disk.device, members, policy="weight-iosize")
    load.start(settle=12)
    before = load.volume.stats()
    case.time.sleep(WINDOW)
    after = load.volume.stats()
    load.stop()
    got = [sum(after[m.id][key] - before[m.id][key] for key in ("rd_sectors", "wr_sectors"))
           for m in members]
    total, due = sum(got), sum(weight for weight, _, _ in vector)
    worst = 0
    for sectors, (weight, kib, _) in zip(got, vector):
        ideal = total * weight / due
        # One I/O may be on either side of the window's edge.
        worst = max(worst, 100 * (abs(sectors - ideal) - kib * 2) / ideal)
    return worst


def run():
    disk = disks.simdisk("flat", slots=4, service_ns=1000000, queue_depth=64)
    disk.make()
    rng = random.Random(1)
    verdict.goal("vectors-worst-error-percent",
                 max(measure(disk, draw(rng)) for _ in range(VECTORS)), 0.5)
    disk.remove()
