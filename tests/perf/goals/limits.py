# SPDX-License-Identifier: GPL-2.0-only
"""
Limits under a constant backlog: the rate in the long run, and how even it is.
"""

from lab import case, disks, verdict, jobs

KIB = 1024
BLOCK = 4 * KIB

# Limit, and I/Os of 4 KiB a second that makes.
LIMITS = {"riops=1": 1, "riops=10": 10, "riops=100": 100, "riops=1000": 1000,
          "riops=3000": 3000, f"rbps={4 * KIB}": 1, f"rbps={256 * KIB}": 64,
          f"rbps={8 * KIB * KIB}": 2048}
DEPTH = 16
IOS = 2000          # in a window: one I/O at its edge is half of what is allowed


def run():
    disk = disks.simdisk("flat", slots=4, service_ns=1000000, queue_depth=64)
    disk.make()
    for limit, rate in LIMITS.items():
        single(disk, limit, rate)
    # A parent's limit holds for its children together, each with its part.
    two_levels(disk)
    disk.remove()


def single(disk, limit, rate):
    load = case.Run(disk.device, [
        case.Member("bound", "randread", "100," + limit, depth=DEPTH)])
    load.start(settle=max(case.SETTLE, 3 * DEPTH / rate))
    seconds = max(5, min(IOS / rate, 1200))
    got = load.rates(seconds)["bound"]
    result = load.stop()["bound"]["read"]
    name = limit.replace("=", "-")
    # No window says more of a rate than to one I/O at each end.
    verdict.goal(f"{name}-error-percent", max(0, 100 * (abs(got - rate) - 1 / seconds) / rate), 0.1)
    lat = jobs.latencies(result)
    if rate > 1:
        verdict.goal(f"{name}-p99-over-p50", lat["p99_ms"] / lat["p50_ms"], 1.1)


def two_levels(disk):
    parent = case.Member("bound", "randread", "100,riops=1000", depth=DEPTH)
    case.groups.enable("io", at="bound")
    child = case.Member("bound/child", "randread", "300", depth=DEPTH)
    free = case.Member("free", "randread", "100", depth=DEPTH)
    load = case.Run(disk.device, [child, parent, free])
    load.members = [child, free]
    load.start()
    rates = load.rates(20)
    load.stop()
    case.groups.remove("bound")
    verdict.goal("limit-above-error-percent", abs(rates["bound/child"] - 1000) / 10, 0.1)
    verdict.at_least("limit-above-rest-percent", 100 * sum(rates.values()) / 4000, 99)
