# SPDX-License-Identifier: GPL-2.0-only
"""
A disk that becomes four times slower, and as fast as before, every 5 seconds: shares
in every second, and how soon the disk is fully used again.
"""

import time

from lab import case, disks, system, verdict

WEIGHTS = {"a": 40, "b": 20, "c": 10}
DEPTHS = {"a": 20, "b": 40, "c": 80}
FAST_NS, SLOW_NS = 1000000, 4000000
SLOTS = 4


def run():
    disk = disks.simdisk("flat", slots=SLOTS, service_ns=FAST_NS, queue_depth=64)
    disk.make()
    load = case.Run(disk.device, [case.Member(name, "randread", str(weight), depth=DEPTHS[name])
                                  for name, weight in WEIGHTS.items()])
    load.start()
    worst, least = 0, 100
    for second in range(20):
        if second % 5 == 0:
            service_ns = SLOW_NS if service_ns_of(disk) == FAST_NS else FAST_NS
            system.write(attribute(disk), service_ns)
            time.sleep(0.1)                 # to find its feet again
        rates = load.rates(1)
        worst = max(worst, *map(abs, case.share_errors(rates, WEIGHTS).values()))
        least = min(least, 100 * sum(rates.values()) / (SLOTS * 1e9 / service_ns))
    load.stop()
    disk.remove()
    verdict.goal("steps-share-error-points", worst, 0.5)
    verdict.at_least("steps-throughput-percent", least, 99)


def attribute(disk):
    return f"{disks.CONFIGFS}/simdisk/{disk.name}/service_ns"


def service_ns_of(disk):
    return int(system.read(attribute(disk)))
