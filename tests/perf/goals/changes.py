# SPDX-License-Identifier: GPL-2.0-only
"""
A thousand changes of all kinds while I/O flows and is verified: how long the longest I/O
takes, and how soon shares are what they should be.
"""

import random
import time

from lab import case, disks, verdict

SLOTS, SERVICE_NS = 4, 1000000
CHANGES, CHECKS = 1000, 20
WEIGHTS = [50, 100, 200, 400]


def run():
    disk = disks.simdisk("flat", slots=SLOTS, service_ns=SERVICE_NS, queue_depth=64,
                         memory_backed=1)
    disk.make()
    verified = case.Member("verified", "randwrite", depth=8, options={
        "verify": "crc32c", "verify_backlog": 64, "norandommap": 0, "filesize": "16m"})
    crowd = [case.Member(name, "randread", depth=32, options={"offset": "32m"})
             for name in ("a", "b")]
    load = case.Run(disk.device, [verified, *crowd])
    load.start()
    change(load, [member.id for member in load.members])
    errors = [settled_error(load, crowd, weights) for weights in
              [random.sample(WEIGHTS, 2) for _ in range(CHECKS)]]
    results = load.stop()           # which fails if what was read is not what was written
    disk.remove()
    verdict.goal("longest-wait-ms", case.worst_latency(results["verified"]), 100)
    verdict.goal("shares-after-100-ms-error-percent", max(errors), 2)


def change(load, ids):
    """One every 20 ms. Limits and minimums leave all enough for their longest wait."""
    random.seed(1)
    extra = "999999"
    for _ in range(CHANGES):
        who = random.choice(ids)
        kind = random.randrange(9)
        if kind == 0:
            load.volume.message(f"attach {extra}")
            load.volume.message(f"set {extra} weight={random.randint(1, 1000)}")
            load.volume.message(f"detach {extra}")
        elif kind == 1:
            load.volume.message("policy " + random.choice(
                ["weight", "weight-iosize", "weight-time"]))
        elif kind == 2:
            load.volume.reload()
        else:
            load.volume.message(f"set {who} " + random.choice([
                f"weight={random.randint(50, 500)}",
                f"iops={random.randint(1000, 4000)}", "iops=max",
                f"miniops={random.randint(1, 500)}", "miniops=0",
                f"latency={random.randint(5000, 50000)}", "latency=0",
                f"wbps={random.randint(8 << 20, 64 << 20)}",
                "wbps=max"]))
            load.volume.message(f"set {ids[0]} class={random.choice(['rt', 'be'])}")
        time.sleep(0.02)
    load.volume.message("policy weight")
    for who in ids:
        load.volume.message(f"set {who} weight=100 iops=max wbps=max miniops=0 latency=0 class=be")


def settled_error(load, pair, weights):
    """In percent of what is due, in the second that begins 100 ms after a change."""
    for member, weight in zip(pair, weights):
        load.volume.message(f"set {member.id} weight={weight}")
    time.sleep(0.1)
    rates = load.rates(1)
    due = weights[0] / weights[1]
    return 100 * abs(rates[pair[0].name] / rates[pair[1].name] / due - 1)
