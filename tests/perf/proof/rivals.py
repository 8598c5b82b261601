# SPDX-License-Identifier: GPL-2.0-only
"""
What is compared, and how each is set up for the tenants of a case.

A rival makes itself ready, or says why this kernel or this disk has it not, in PREPARE; ABLE
is what it takes of limits, latency and weights. What it changes of the disk's own settings is put
back after each run, by proof.device.State.
"""

import os
import subprocess
import time

from lab import controllers, disks, groups, system

TOP = "ioband-bench"            # our cgroup and our device
UNREACHED = 1 << 40             # a limit for what a limit costs
TOOL = os.path.join(disks.TREE, "tools/ioband/ioband")


def group(tenant):
    return f"{TOP}/{tenant.name}"


class Rival:
    """None: the disk without a scheduler. OVER: the scheduler it is set up over."""
    able = ()
    told = ""                   # what the page tells of it

    def __init__(self, name, over="none"):
        self.name, self.over = name, over

    def prepare(self, device):
        return ""

    def set_up(self, device, case):
        """Give the device that the jobs use."""
        if device.schedulers():
            device.tune("scheduler", self.over)
        return device.device

    def tear_down(self):
        pass


class Scheduler(Rival):
    def __init__(self, name, able=()):
        super().__init__(name.lower(), name.lower())
        self.name, self.able = name, able

    def prepare(self, device):
        subprocess.run(["modprobe", "-q", self.over], check=False)
        if not device.schedulers() or device.schedulers() == ["none"]:
            return f"the kernel gives {device.leaf} no I/O scheduler"
        return "" if self.over in device.schedulers() else f"the kernel has no {self.over}"

    def set_up(self, device, case):
        super().set_up(device, case)
        for tenant in case.tenants if self.able else []:
            system.write(f"{groups.path(group(tenant))}/io.bfq.weight", tenant.weight)
        return device.device


class Iocost(Rival):
    """
    With a model of this disk, measured by the loads that iocost_coef_gen.py of the kernel uses,
    for a few seconds each, and 96 % of it as a fixed rate; where a latency is due, with that as
    rlat and a rate from 10 to 100 % instead.
    """
    able = ("weights", "latency", "cost")

    def prepare(self, device):
        if not os.path.exists(f"{groups.ROOT}/io.cost.qos"):
            return "the kernel has no iocost (CONFIG_BLK_CGROUP_IOCOST)"
        if len(device.leaves) > 1:
            return "it acts on one disk, and here are several"
        super().set_up(device, None)
        self.told = controllers.Iocost.measure(device, f"{TOP}/calibrate", device.span)
        return ""

    def set_up(self, device, case):
        super().set_up(device, case)
        number = system.device_number(f"/dev/{device.leaf}")
        qos = "rpct=0 rlat=1000000 wpct=0 wlat=1000000 min=96 max=96"
        if case.target_us:
            qos = f"rpct=99 rlat={case.target_us} wpct=0 wlat=1000000 min=10 max=100"
        system.write(f"{groups.ROOT}/io.cost.model", f"{number} ctrl=user model=linear {self.told}")
        system.write(f"{groups.ROOT}/io.cost.qos", f"{number} enable=1 ctrl=user {qos}")
        for tenant in case.tenants:
            system.write(f"{groups.path(group(tenant))}/io.weight", tenant.weight)
        return device.device


class IoMax(Rival):
    """Limits; beside a database, by hand for the other one: its part of what it has alone."""
    able = ("limits", "cost")

    def prepare(self, device):
        subprocess.run(["modprobe", "-q", "dm_mod"], check=False)
        return "" if os.path.exists(f"{groups.path(TOP)}/io.max") else \
            "the kernel has no io.max (CONFIG_BLK_DEV_THROTTLING)"

    def set_up(self, device, case):
        super().set_up(device, case)
        number = system.device_number(device.device)
        for tenant in case.tenants:
            limit = case.limit_of(tenant) or UNREACHED * (case.needs == "cost")
            if limit:
                system.write(f"{groups.path(group(tenant))}/io.max",
                             f"{number} rbps={limit} wbps={limit}")
        return device.device


class Linear(Rival):
    """What device-mapper costs without ioband."""
    able = ("cost",)
    target = "linear {device} 0"

    def set_up(self, device, case):
        super().set_up(device, case)
        system.sh("dmsetup", "create", TOP, "--table",
                  f"0 {system.sectors(device.device)} linear {device.device} 0")
        return f"/dev/mapper/{TOP}"

    def tear_down(self):
        remove_volume()


class Ioband(Linear):
    """As its command sets it up, with the policy that it chooses."""
    able = ("weights", "limits", "latency", "cost")

    def prepare(self, device):
        insert_module()
        return ""

    def set_up(self, device, case):
        Rival.set_up(self, device, case)
        # A share of its own: that of this disk may be in use.
        system.sh(TOOL, "create", "--force", TOP, device.device, f"share={TOP}")
        self.told = system.sh("dmsetup", "table", TOP).split()[8]
        for tenant in case.tenants:
            keys = [f"weight={tenant.weight}"]
            keys += [f"bps={case.limit_of(tenant)}"] if case.needs == "limits" and \
                case.limit_of(tenant) else []
            keys += [f"latency={case.target_us}us"] if case.target_us and tenant.latency else []
            system.sh(TOOL, "group", "add", TOP, f"/{group(tenant)}", *keys)
        return f"/dev/mapper/{TOP}"


def all_of(device):
    """In the order of the table. ioband and others without a scheduler are over what is there."""
    found = device.schedulers() or ["none"]
    over = found[0] if found[0] != "bfq" else \
        "mq-deadline" if "mq-deadline" in found else "none"
    return [Rival("none"), Linear("dm-linear", over), Scheduler("mq-deadline", ("cost",)),
            Scheduler("BFQ", ("weights", "cost")), Iocost("iocost", over), IoMax("io.max", over),
            Ioband("ioband", over)], over


def insert_module():
    if os.path.isdir("/sys/module/dm_ioband"):
        return False
    built = f"{disks.TREE}/build/module-{os.uname().release}/dm-ioband.ko"
    subprocess.run(["modprobe", "-q", "dm_mod"], check=False)
    system.sh(*(["insmod", built] if os.path.exists(built) else ["modprobe", "dm-ioband"]))
    return True


def remove_volume():
    """Whoever had it open takes a moment to leave."""
    for left in reversed(range(50)):
        if not os.path.exists(f"/dev/mapper/{TOP}"):
            return
        try:
            kind = system.sh("dmsetup", "table", TOP).split()
            # Also puts back the throttling of writeback.
            system.sh(*((TOOL, "remove", TOP) if kind[2:3] == ["ioband"] else
                        ("dmsetup", "remove", TOP)))
        except system.Failed:
            if not left:
                raise
            time.sleep(0.1)
