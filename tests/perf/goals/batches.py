# SPDX-License-Identifier: GPL-2.0-only
"""
Two groups that read, or write, 4 KiB after 4 KiB past the page cache, 32 at a time: the
block layer makes a request of what one system call brings, and still does if it was held.

And two that read at random, and submit nothing before all of a batch has come: nobody but a
worker is there to send what is held.
"""

from lab import case, disks, system, undo, verdict, windows

SLOTS, SERVICE_NS = 4, 100000
SECONDS = 3
BATCH = 32
PLAIN = "plain"


def megabytes(device, disk, rw, ioband, least=1):
    """A second, and KiB a request; if LEAST of a batch have come, as many are submitted."""
    batches = {"iodepth_batch_submit": BATCH, "iodepth_batch_complete_min": least,
               "iodepth_batch_complete_max": BATCH, "size": "40%"}
    members = [case.Member(name, rw, depth=BATCH, options={**batches, "offset": offset})
               for name, offset in (("low", "0%"), ("high", "50%"))]
    load = case.Run(device, members, ioband=ioband)
    load.start(settle=3)
    window = windows.Window({"disk": windows.disk(disk.leaf)}, SECONDS)
    load.stop()
    rate = window.kib_per_s("disk")
    return rate * 1024 / 1e6, rate / window.iops("disk")


def run():
    disk = disks.simdisk("flat", slots=SLOTS, service_ns=SERVICE_NS, queue_depth=64)
    disk.make()
    system.sh("dmsetup", "create", PLAIN, "--table",
              f"0 {system.sectors(disk.device)} linear {disk.device} 0")
    undo.push(system.sh, "dmsetup", "remove", "--retry", PLAIN)
    for rw in "read", "write":
        plain, plain_kib = megabytes(f"/dev/mapper/{PLAIN}", disk, rw, False)
        ours, ours_kib = megabytes(disk.device, disk, rw, True)
        for what, value in (("plain", plain), ("ioband", ours)):
            print(f"figure batches-{rw}-{what}-mb-a-second {value:.4g}")
        verdict.at_least(f"batches-{rw}-percent", 100 * ours / plain, 90)
        verdict.at_least(f"batches-{rw}-request-size-percent", 100 * ours_kib / plain_kib, 90)
    plain, _ = megabytes(f"/dev/mapper/{PLAIN}", disk, "randread", False, BATCH)
    ours, _ = megabytes(disk.device, disk, "randread", True, BATCH)
    verdict.at_least("batches-at-random-percent", 100 * ours / plain, 95)
    system.sh("dmsetup", "remove", "--retry", PLAIN)
    disk.remove()
