# SPDX-License-Identifier: GPL-2.0-only
"""
Groups on different disks of a stripe. Whoever has a disk to himself is to have all of
it, whatever his weight; where two meet, the one who has another disk besides leaves more
of this one to the other, until what they have in all is as their weights say.
"""

import os

from lab import case, verdict, windows

DEVICE = os.environ["PERF_DEVICE"]
LEGS = os.environ["PERF_LEGS"].split(",")
CHUNK_KIB, DEPTH = 64, 32
FULL = 4000          # I/Os a second of one leg
APART = {"a": 200, "b": 100}


def on_leg(name, leg, weight):
    """A group that reads at random from one chunk after the other of a leg."""
    return case.Member(name, "randread", str(weight), depth=DEPTH, options={
        "offset": f"{CHUNK_KIB * leg}k", "zonemode": "strided", "zonesize": f"{CHUNK_KIB}k",
        "zonerange": f"{CHUNK_KIB}k", "zoneskip": f"{CHUNK_KIB * (len(LEGS) - 1)}k"})


def measure(members, ioband=True):
    """I/Os a second of each leg, and of each group if ioband counts them."""
    load = case.Run(DEVICE, members, ioband=ioband)
    load.start()
    before = load.count() if ioband else None
    window = windows.Window({leg: windows.disk(leg) for leg in LEGS}, 10)
    after = load.count() if ioband else None
    load.stop()
    legs = [window.iops(leg) for leg in LEGS]
    if not ioband:
        return legs, None
    return legs, {name: (after[0][name] - before[0][name]) / (after[1] - before[1])
                  for name in before[0]}


def apart(ioband):
    legs, _ = measure([on_leg(name, leg, weight)
                       for leg, (name, weight) in enumerate(APART.items())], ioband)
    return sum(legs)


def run():
    verdict.at_least("legs-apart-of-none-percent", 100 * apart(True) / apart(False), 97)

    wide = case.Member("wide", "randread", "100", depth=4 * DEPTH)
    legs, rates = measure([wide, on_leg("narrow", 1, 100)])
    verdict.goal("legs-met-error-points",
                 abs(100 * rates["narrow"] / sum(rates.values()) - 50), 0.5)
    verdict.at_least("legs-met-throughput-percent", 100 * legs[1] / FULL, 97)
