# SPDX-License-Identifier: GPL-2.0-only
"""
The controllers that are compared, and how each is set up for a disk and its groups.

A controller takes the weights and limits it can take. What it cannot do is CannotDo,
whose sentence stands in the report where a figure would be.
"""

import glob
import subprocess
from dataclasses import dataclass

from . import disks, groups, jobs, system
from .system import CannotDo

VOLUME = "lab"


@dataclass
class Group:
    """A weight, and a limit in bytes a second (0: none)."""
    name: str
    weight: int = 100
    limit: int = 0


class Controller:
    """None, which is also what the others are built on: the disk as it is."""
    weights = limits = False
    needs_leaf = False

    def __init__(self, name):
        self.name = name

    def check(self, disk, weights, limits):
        """The experiment needs WEIGHTS, or LIMITS, to be obeyed."""
        if weights and not self.weights and self.limits:
            raise CannotDo(f"{self.name} has limits only, no weights")
        if limits and not self.limits:
            raise CannotDo(f"{self.name} has no limits")
        if self.needs_leaf and disk.device != f"/dev/{disk.leaf}":
            raise CannotDo(f"{self.name} acts on disks with a request queue only, "
                           f"not on {disk.device}")

    def set_up(self, disk, wanted):
        """Give the device that the jobs use."""
        return disk.device

    def tear_down(self, disk):
        pass

    def note(self):
        """What it tells of itself after a run, for the log."""
        return ""


class Scheduler(Controller):
    def __init__(self, name, scheduler, weights=False, queue=None, needs_leaf=True):
        super().__init__(name)
        self.scheduler, self.weights, self.queue = scheduler, weights, queue or {}
        self.needs_leaf = needs_leaf

    def set_up(self, disk, wanted):
        disk.tune("scheduler", self.scheduler)
        for key, value in self.queue.items():
            disk.tune(key, value)
        for group in wanted if self.weights else []:
            if group.weight > 1000:
                raise CannotDo(f"{self.name} takes weights up to 1000, not {group.weight}")
            system.write(f"{groups.path(group.name)}/io.bfq.weight", group.weight)
        return disk.device

    def tear_down(self, disk):
        disk.tune("scheduler", "none")


class Iocost(Controller):
    """
    As it comes (enable=1 only), or TUNED: with the model of this very disk, measured
    just before by the workloads that tools/cgroup/iocost_coef_gen.py of the kernel uses,
    and at the fixed rate of 96 % at which it was found to share most exactly.
    """
    weights = True
    RATE_PERCENT = 96

    def __init__(self, name, tuned=False, needs_leaf=True):
        super().__init__(name)
        self.tuned, self.models, self.model = tuned, {}, ""
        self.needs_leaf = needs_leaf

    def set_up(self, disk, wanted):
        number = system.device_number(f"/dev/{disk.leaf}")
        if self.tuned:
            # The same disk has the same model.
            if disk.leaf not in self.models:
                self.models[disk.leaf] = self.measure(disk)
            self.model = self.models[disk.leaf]
            system.write(f"{groups.ROOT}/io.cost.model",
                         f"{number} ctrl=user model=linear {self.model}")
            system.write(f"{groups.ROOT}/io.cost.qos",
                         f"{number} enable=1 ctrl=user rpct=0 rlat=1000000 wpct=0 wlat=1000000 "
                         f"min={self.RATE_PERCENT} max={self.RATE_PERCENT}")
        else:
            system.write(f"{groups.ROOT}/io.cost.qos", f"{number} enable=1")
        for group in wanted:
            system.write(f"{groups.path(group.name)}/io.weight", f"{number} {group.weight}")
        return disk.device

    def tear_down(self, disk):
        number = system.device_number(f"/dev/{disk.leaf}")
        system.write(f"{groups.ROOT}/io.cost.qos", f"{number} enable=0")
        for path in glob.glob(f"{groups.ROOT}/**/io.weight", recursive=True):
            system.write(path, f"{number} default")

    def note(self):
        return self.model

    @staticmethod
    def measure(disk, group="calibrate", span="25%"):
        shapes = {"bps": ("", "1m", 8), "seqiops": ("", "4k", 32), "randiops": ("rand", "4k", 32)}
        wanted = {letter + word: jobs.Job(group, order + way, 1, depth, size,
                                          {"size": span, "stonewall": 1})
                  for letter, way in (("r", "read"), ("w", "write"))
                  for word, (order, size, depth) in shapes.items()}
        found = jobs.start(wanted, disk.device, ramp=1, seconds=3).results()
        groups.remove(group)
        rates = {name: next(iter(ways.values()))["bw_bytes" if name.endswith("bps") else "iops"]
                 for name, ways in found.items()}
        return " ".join(f"{name}={max(1, round(rate))}" for name, rate in rates.items())


class IoMax(Controller):
    """The groups' limits in io.max, or RATE (bytes a second) for each of them, or for ONLY one."""
    limits = True

    def __init__(self, name, rate=0, only=""):
        super().__init__(name)
        self.rate, self.only = rate, only

    def set_up(self, disk, wanted):
        number = system.device_number(disk.device)
        for group in wanted:
            limit = self.rate or group.limit
            if limit and self.only in ("", group.name):
                system.write(f"{groups.path(group.name)}/io.max",
                             f"{number} rbps={limit} wbps={limit}")
        return disk.device


class Ioband(Controller):
    """A policy of dm-ioband; with RATE, that limit for each group by policy limit."""
    weights = limits = True

    def __init__(self, name, policy, rate=0, options=""):
        super().__init__(name)
        self.policy, self.rate, self.options = policy, rate, options
        self.weights = policy != "limit"
        self.state = ""

    def parameter(self, group):
        rate = self.rate or group.limit
        if self.policy == "limit":
            return f"bps={rate}" if rate else "0"
        return f"weight={group.weight}" + (f",bps={rate}" if rate else "")

    def set_up(self, disk, wanted):
        subprocess.run(["modprobe", "-q", "dm_mod"], check=False)
        disks.insert("dm_ioband", disks.TREE + "/build/module-{}/dm-ioband.ko")
        words = " ".join(f"{groups.number(group.name)}:{self.parameter(group)}"
                         for group in wanted)
        default = "0" if self.policy == "limit" else "100"
        system.sh("dmsetup", "create", VOLUME, "--table",
                  f"0 {system.sectors(disk.device)} ioband {disk.device} {VOLUME} 0 0 cgroup "
                  f"{self.policy} 0 :{default} {words} {self.options}")
        return f"/dev/mapper/{VOLUME}"

    def tear_down(self, disk):
        # For the log: afterwards it can no longer be asked.
        self.state = system.sh("dmsetup", "message", VOLUME, "0", "show").splitlines()[0]
        system.sh("dmsetup", "remove", "--retry", VOLUME)

    def note(self):
        return self.state


class Linear(Controller):
    """What device-mapper costs by itself."""

    def set_up(self, disk, wanted):
        system.sh("dmsetup", "create", VOLUME, "--table",
                  f"0 {system.sectors(disk.device)} linear {disk.device} 0")
        return f"/dev/mapper/{VOLUME}"

    def tear_down(self, disk):
        system.sh("dmsetup", "remove", "--retry", VOLUME)


def mib(number):
    return number << 20


ALL = {controller.name: controller for controller in [
    Controller("none"),
    Linear("dm-linear"),
    Scheduler("mq-deadline", "mq-deadline"),
    Scheduler("kyber", "kyber"),
    Scheduler("bfq", "bfq", weights=True),
    Scheduler("bfq nr=256", "bfq", weights=True, queue={"nr_requests": 256}),
    Iocost("iocost"),
    Iocost("iocost tuned", tuned=True),
    # Below a logical volume: they divide the whole disk.
    Scheduler("bfq below", "bfq", weights=True, needs_leaf=False),
    Iocost("iocost tuned below", tuned=True, needs_leaf=False),
    IoMax("io.max"),
    IoMax("io.max 10 GiB/s", mib(10240)),
    IoMax("io.max 30 MiB/s", mib(30)),
    IoMax("io.max 10 MiB/s", mib(10)),
    IoMax("io.max 5 MiB/s", mib(5)),
    IoMax("io.max 4 MiB/s for the backup", mib(4), "backup"),
    Ioband("ioband weight", "weight"),
    Ioband("ioband weight-iosize", "weight-iosize"),
    Ioband("ioband weight-time", "weight-time"),
    Ioband("ioband limit", "limit"),
    Ioband("ioband limit 10 GiB/s", "limit", mib(10240)),
    Ioband("ioband limit 30 MiB/s", "limit", mib(30)),
    Ioband("ioband limit 10 MiB/s", "limit", mib(10)),
    Ioband("ioband limit 5 MiB/s", "limit", mib(5)),
]}
