# SPDX-License-Identifier: GPL-2.0-only
"""
Disks to measure on: docs/simdisk.rst, null_blk, and device-mapper devices above them.

A disk is made by make(), is then at .device, and goes with remove(). .leaf is the name
of the disk at the bottom, which has the scheduler and the counters.
"""

import os
import subprocess
from dataclasses import dataclass, field

from . import system, undo

CONFIGFS = "/sys/kernel/config"
TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))


def insert(module, path):
    if not os.path.isdir(f"/sys/module/{module}"):
        system.sh("insmod", path.format(os.uname().release))


def mount_configfs():
    subprocess.run(["modprobe", "-q", "configfs"], check=False)
    if not os.path.isdir(f"{CONFIGFS}/simdisk") and not os.path.ismount(CONFIGFS):
        system.sh("mount", "-t", "configfs", "configfs", CONFIGFS)


@dataclass
class Disk:
    """One in configfs: ATTRIBUTES are written in their order, then QUEUE's."""
    name: str
    attributes: dict
    queue: dict = field(default_factory=dict)
    folder = ""

    @property
    def device(self):
        return "/dev/" + self.name

    @property
    def leaf(self):
        return self.name

    def load(self):
        raise NotImplementedError

    def make(self):
        mount_configfs()
        self.load()
        path = f"{CONFIGFS}/{self.folder}/{self.name}"
        os.mkdir(path)
        undo.push(self.remove)
        for key, value in {**self.attributes, "power": 1}.items():
            system.write(f"{path}/{key}", value)
        self.tune("scheduler", "none")
        for key, value in self.queue.items():
            self.tune(key, value)

    def tune(self, key, value):
        """Set a queue attribute, until the disk goes."""
        if key == "scheduler" and value != "none":
            subprocess.run(["modprobe", "-q", value + ("-iosched" if value == "kyber" else "")],
                           check=False)
        system.write(f"/sys/block/{self.name}/queue/{key}", value)

    def remove(self):
        path = f"{CONFIGFS}/{self.folder}/{self.name}"
        if os.path.isdir(path):
            os.rmdir(path)


class Simdisk(Disk):
    folder = "simdisk"

    def load(self):
        insert("simdisk", TREE + "/build/simdisk-{}/simdisk.ko")


class NullBlk(Disk):
    folder = "nullb"

    def load(self):
        system.sh("modprobe", "null_blk", "nr_devices=0")


def simdisk(model, **attributes):
    return Simdisk("sd-" + model, {"model": model, **attributes})


def null_blk(**attributes):
    """At once, whatever it is asked: what is measured is instructions."""
    return NullBlk("nb0", {"size": 1024, "irqmode": 0, "submit_queues": 1,
                           "hw_queue_depth": 128, **attributes})


class Linear:
    """A dm-linear device above another disk, as a logical volume is."""

    def __init__(self, below):
        self.below = below
        self.device, self.leaf, self.tune = "/dev/mapper/linear", below.leaf, below.tune

    def make(self):
        self.below.make()
        subprocess.run(["modprobe", "-q", "dm_mod"], check=False)
        system.sh("dmsetup", "create", "linear", "--table",
                  f"0 {system.sectors(self.below.device)} linear {self.below.device} 0")

    def remove(self):
        subprocess.run(["dmsetup", "remove", "--retry", "linear"], check=False,
                       capture_output=True)
        self.below.remove()
