# SPDX-License-Identifier: GPL-2.0-only
"""
Work conservation. A group that reads now and then beside one that always wants more;
and groups that come and go twice a second.
"""

import signal

from lab import case, disks, verdict, windows

SLOTS, SERVICE_NS = 4, 1000000
FULL = SLOTS * 1e9 / SERVICE_NS


def run():
    disk = disks.simdisk("flat", slots=SLOTS, service_ns=SERVICE_NS, queue_depth=64)
    disk.make()
    now_and_then(disk)
    come_and_go(disk)
    disk.remove()


def now_and_then(disk):
    thinks = {"depth": 1, "options": {"thinktime": 9000}}
    idle, _ = case.alone(disk.device, disk.leaf, case.Member("reader", "randread", **thinks))
    # A minimum and grace are at work too: neither may cost the others anything.
    reader = case.Member("reader", "randread", "100,miniops=50", **thinks)
    load = case.Run(disk.device, [reader, case.Member("hog", "randread", depth=64)])
    load.start()
    window = windows.Window({"disk": windows.disk(disk.leaf)}, 10)
    result = load.stop()["reader"]["read"]
    verdict.at_least("hog-throughput-percent", 100 * window.iops("disk") / FULL, 99.5)
    verdict.goal("hog-reader-mean-over-idle",
                 result["lat_ns"]["mean"] / 1e6 / idle["mean_ms"], 1.2)


def come_and_go(disk):
    # Threads stop with the process that is told to.
    guests = [case.Member(f"guest{i}", "randread", depth=16, options={"thread": 1})
              for i in range(3)]
    host = case.Member("host", "randread", depth=64)
    load = case.Run(disk.device, guests + [host])
    load.start([host])
    processes = [load.start([guest]).process for guest in guests]
    least = FULL
    for turn in range(20):
        for number, process in enumerate(processes):
            process.send_signal(signal.SIGSTOP if number == turn % 3 else signal.SIGCONT)
        least = min(least, windows.Window({"disk": windows.disk(disk.leaf)}, 0.5).iops("disk"))
    for process in processes:
        process.send_signal(signal.SIGCONT)
    load.stop()
    verdict.at_least("come-and-go-throughput-percent", 100 * least / FULL, 99)
