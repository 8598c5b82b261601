# SPDX-License-Identifier: GPL-2.0-only
"""
A minimum of a quarter of the disk for a group of weight 1, and a latency target of
another's, beside 16 groups of weight 1000 that always want more.
"""

from lab import case, disks, dm, jobs, verdict, windows

SLOTS, SERVICE_NS, FLOOR = 4, 1000000, 1000
FULL = SLOTS * 1e9 / SERVICE_NS


def run():
    disk = disks.simdisk("flat", slots=SLOTS, service_ns=SERVICE_NS, queue_depth=64)
    disk.make()
    crowd = [case.Member(f"crowd{i}", "randread", "1000", depth=64) for i in range(16)]
    load = case.Run(disk.device, [
        case.Member("floor", "randread", f"1,miniops={FLOOR}", depth=8),
        case.Member("swift", "randread", "100,latency=3000", depth=1), *crowd])
    load.start(settle=2 * case.SETTLE)
    before = load.sums("unmet_min")["floor"]
    rates = [load.rates(1)["floor"] for _ in range(20)]
    window = windows.Window({"disk": windows.disk(disk.leaf)}, 5)
    unmet = load.sums("unmet_min")["floor"] - before
    # What the disk has shown it can do bounds what may be promised.
    refused = dm.refuses(load.volume, f"set {crowd[0].id} miniops={int(FULL * 0.8)}")
    results = load.stop()
    disk.remove()
    # A window's edge may cut off one I/O.
    verdict.goal("minimum-windows-below", sum(rate < FLOOR - 1 for rate in rates), 0)
    verdict.goal("minimum-unmet-counted", unmet, 0)
    verdict.goal("minimum-excess-percent", 100 * (sum(rates) / len(rates) / FLOOR - 1), 1)
    verdict.goal("latency-p99-ms", jobs.latencies(results["swift"]["read"])["p99_ms"], 3)
    verdict.at_least("promises-throughput-percent", 100 * window.iops("disk") / FULL, 95)
    print("over-commitment:", "refused" if refused else "taken")
