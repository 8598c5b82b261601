# SPDX-License-Identifier: GPL-2.0-only
"""
The tests of 2009 come in two families: some jobs beside one of another group, which is
to keep its part, and some jobs with nothing beside them, which are to lose nothing.
"""

from dataclasses import dataclass

from . import disks
from .experiment import Experiment, Group, View

PLAIN = ["none", "mq-deadline", "kyber", "bfq", "iocost", "iocost tuned"]
OURS = ["ioband weight", "ioband weight-iosize", "ioband weight-time"]


@dataclass
class Place:
    """A disk, how far apart files lie on it, and who reported of one like it."""
    model: str
    apart_gib: int
    source: str

    def disk(self):
        return disks.simdisk(self.model)


ARRAY = Place("array", 6, "V. Goyal, 2009-10-10, Performance numbers with IO throttling patches")
HDD = Place("hdd", 3, "V. Goyal, 2009-09-24, IO scheduler based IO controller V10")


def beside_one(place, many, one, points, limits=(), plain=(), ours=(), weights=(100, 100), **rest):
    """
    As many jobs in g1 as the point says beside one in g2: MANY and ONE are the name and
    the function of lab.shapes. LIMITS, in MiB/s, are tried on both.
    """
    (names, make_many), (name, make_one) = many, one
    rest.setdefault("views", [
        View("g2", "kib_per_s", f"The lone {name}: bandwidth", log=True),
        View("g2", "max_ms", f"The lone {name}: longest wait", log=True),
        View("all", "kib_per_s", "Both groups together")])
    return Experiment(
        source=place.source,
        disk=place.disk,
        groups=[Group("g1", weights[0]), Group("g2", weights[1])],
        points=points,
        point_label=f"{names} in g1",
        jobs=lambda nr: [make_many("g1", nr, place.apart_gib),
                         make_one("g2", 1, place.apart_gib)],
        controllers=[*(plain or PLAIN),
                     *(f"io.max {limit} MiB/s" for limit in limits),
                     *(f"ioband limit {limit} MiB/s" for limit in limits),
                     *(ours or OURS)],
        due="weight",
        alone=["g2"],
        **rest)


def nothing_else(place, names, make):
    """As many jobs as the point says, and nobody to divide the disk with."""
    return Experiment(
        title=f"1 to 16 {names} and nothing else, on a disk",
        question="What does a controller cost that has nothing to divide?",
        source=place.source,
        disk=place.disk,
        groups=[Group("g1")],
        points=[1, 4, 16],
        point_label=names,
        jobs=lambda nr: [make("g1", nr, place.apart_gib)],
        controllers=["none", "mq-deadline", "bfq", "iocost", "ioband weight",
                     "ioband weight-time"],
        views=[View("g1", "kib_per_s", "Bandwidth"),
               View("g1", "max_ms", "Longest wait", log=True)])
