# SPDX-License-Identifier: GPL-2.0-only
"""
Inside one group: somebody who reads small files one after the other, while four others
write as fast as they can. On a disk whose I/Os differ, as they do on any, a read waits for the
next of four slots. Where all take the same time they come back together, and who has just
missed them waits for as long as the read itself takes; and there the writes are sequential:
they merge in the disk's queue if it is deeper, and so at times it is.
"""

from lab import case, disks, dm, groups, jobs, verdict

SLOTS, SERVICE_NS = 4, 1000000


def measure(what, writes, **disk):
    disk = disks.simdisk("flat", slots=SLOTS, service_ns=SERVICE_NS, queue_depth=64, **disk)
    disk.make()
    reads = {"size": "16k"}
    idle, _ = case.alone(disk.device, disk.leaf, case.Member("one", "randread", **reads))
    volume = dm.Volume(disk.device, groups=f"{groups.number('one')}:100")
    running = jobs.start({
        "reader": jobs.Job("one", "randread", **reads),
        "writers": jobs.Job("one", writes, count=4, depth=64, size="64k",
                            options={"offset_increment": "64m"}),
    }, volume.path, ramp=case.SETTLE, seconds=case.SETTLE + 20)
    results = running.results()
    volume.remove()
    groups.remove("one")
    disk.remove()
    beside = jobs.latencies(results["reader"]["read"])
    verdict.goal(f"reads-beside-{what}-over-idle", beside["mean_ms"] / idle["mean_ms"], 1.3)
    # What is merged cannot be counted.
    if writes == "randwrite":
        verdict.at_least(f"throughput-beside-{what}-percent", 100 * SERVICE_NS / 1e9 / SLOTS *
                         (results["reader"]["read"]["iops"] +
                          results["writers"]["write"]["iops"]), 98)


def run():
    measure("writes", "randwrite", jitter_percent=50)
    measure("steady-writes", "write")
