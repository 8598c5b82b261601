# SPDX-License-Identifier: GPL-2.0-only
"""The device that is measured: whether it is spare, what it is, what it was set to."""

import contextlib
import errno
import json
import os
import re
import stat
import subprocess

from lab import groups, system

LEFT = "/run/ioband-bench.json"     # what to put back, should this be killed
SMALLEST_MIB = 64


class Refused(Exception):
    """Why a device is not measured, as a sentence."""


def first_line(path, default=""):
    try:
        return system.read(path).strip()
    except OSError:
        return default


def leaves(folder):
    """Names of the disks below the block device with this folder in /sys."""
    if os.path.exists(f"{folder}/partition"):
        folder = os.path.dirname(folder)
    below = os.listdir(f"{folder}/slaves") if os.path.isdir(f"{folder}/slaves") else []
    found = [leaf for name in sorted(below) for leaf in leaves(os.path.realpath(
        f"/sys/class/block/{name}"))]
    return list(dict.fromkeys(found)) or [os.path.basename(folder)]


class Device:
    """As controllers of the lab take a disk; jobs use its first SPAN bytes."""

    def __init__(self, path, span=0):
        try:
            mode = os.stat(path)
        except OSError as error:
            raise Refused(f"{path}: {error.strerror}") from error
        if not stat.S_ISBLK(mode.st_mode):
            raise Refused(f"{path} is not a block device")
        self.device = path
        self.number = f"{os.major(mode.st_rdev)}:{os.minor(mode.st_rdev)}"
        self.folder = os.path.realpath(f"/sys/dev/block/{self.number}")
        self.leaves = leaves(self.folder)
        self.leaf = self.leaves[0]
        self.bytes = 512 * int(first_line(f"{self.folder}/size", "0"))
        self.span = min(span or self.bytes, self.bytes) >> 21 << 21
        self.rotational = any(first_line(f"/sys/block/{leaf}/queue/rotational") == "1"
                              for leaf in self.leaves)

    def refuse_unless_spare(self, overwrite):
        """It will be written to. Who uses it says the kernel, which gives it to one at a time."""
        if self.bytes < SMALLEST_MIB << 20:
            raise Refused(f"{self.device} has {self.bytes >> 20} MiB, expected at least "
                          f"{SMALLEST_MIB}")
        try:
            os.close(os.open(self.device, os.O_RDWR | os.O_EXCL))
        except OSError as error:
            raise Refused(f"{self.device} is in use: {self.user()}"
                          if error.errno == errno.EBUSY else
                          f"{self.device} cannot be written: {error.strerror}") from error
        done = subprocess.run(["blkid", "-p", "-o", "export", self.device], capture_output=True,
                              text=True, check=False)
        # 2: nothing is known of it.
        if done.returncode != 2 and not overwrite:
            what = re.findall("^(?:PT)?TYPE=(.*)", done.stdout, re.M) or ["several, or unreadable"]
            raise Refused(f"{self.device} is not empty, its signature is: {', '.join(what)}. "
                          "All on it would be lost; --overwrite if that is meant")

    def user(self):
        """Who has it, or a partition of it."""
        parts = [self.folder] + [f"{self.folder}/{name}" for name in os.listdir(self.folder)
                                 if os.path.exists(f"{self.folder}/{name}/partition")]
        numbers = [first_line(f"{part}/dev") for part in parts]
        for line in system.read("/proc/self/mountinfo").splitlines():
            words = line.split()
            if words[2] in numbers:
                return f"mounted at {words[4]}"
        held = [first_line(f"/sys/class/block/{name}/dm/name", name)
                for part in parts for name in os.listdir(f"{part}/holders")]
        return f"held by {', '.join(held)}" if held else "swap, or held by a program or the kernel"

    def written(self):
        return int(first_line(f"{self.folder}/stat").split()[6]) * 512

    def tune(self, key, value):
        for leaf in self.leaves:
            system.write(f"/sys/block/{leaf}/queue/{key}", value)

    def schedulers(self):
        """Those of all disks below, the present one of the first of them at the head."""
        lists = [first_line(f"/sys/block/{leaf}/queue/scheduler") for leaf in self.leaves]
        found = re.findall(r"[\w-]+", lists[0])
        now = re.findall(r"\[([\w-]+)\]", lists[0])
        return now + [name for name in found if name not in now and
                      all(name in line for line in lists)]


class State:
    """What is put back: of disks what is in queue/, and their lines in io.cost."""

    def __init__(self, device):
        self.was = []
        numbers = [first_line(f"/sys/block/{leaf}/dev") for leaf in device.leaves]
        for name in ("model", "qos"):
            for number in numbers:
                self.keep(f"{groups.ROOT}/io.cost.{name}", number)
        for leaf in device.leaves:
            queue = f"/sys/block/{leaf}/queue"
            tunables = sorted(os.listdir(f"{queue}/iosched")) \
                if os.path.isdir(f"{queue}/iosched") else []
            # A new scheduler brings defaults of what follows it.
            for name in ["scheduler", *(f"iosched/{one}" for one in tunables),
                         "nr_requests", "wbt_lat_usec"]:
                self.keep(f"{queue}/{name}", "")
        self.disks = list(self.was)
        self.keep(f"{groups.ROOT}/cgroup.subtree_control", "io")
        with open(LEFT, "w", encoding="ascii") as file:
            json.dump(self.was, file)

    def keep(self, path, key):
        with contextlib.suppress(OSError):
            self.was.append((path, key, self.now(path, key)))

    @staticmethod
    def now(path, key):
        text = system.read(path).strip()
        if path.endswith("subtree_control"):
            return key if key in text.split() else ""
        if key:
            return next((line for line in text.splitlines() if line.split()[0] == key), "")
        chosen = re.search(r"\[([\w-]+)\]", text)
        return chosen[1] if path.endswith("/scheduler") and chosen else text

    @classmethod
    def restore(cls, was):
        """Write what differs. Gives what could not be put back, as sentences."""
        wrong = []
        for path, key, value in was:
            try:
                if cls.now(path, key) == value:
                    continue
                if path.endswith("subtree_control"):
                    value = f"-{key}" if not value else f"+{key}"
                elif "io.cost" in path and ("ctrl=auto" in value or not value):
                    # Any number beside it would be taken as set by hand.
                    words = [word for word in value.split() if word.startswith("enable=")]
                    words = words or ["enable=0"] * path.endswith("qos")
                    value = " ".join([key, *words, "ctrl=auto"])
                system.write(path, value)
            except (OSError, system.Failed) as error:
                wrong.append(f"{path} was '{value}': {error}")
        return wrong

    @classmethod
    def end(cls):
        """Put back all that was there before this, or one that was killed."""
        if not os.path.exists(LEFT):
            return []
        with open(LEFT, encoding="ascii") as file:
            wrong = cls.restore(json.load(file))
        if not wrong:
            os.remove(LEFT)
        return wrong


def about(device):
    """Machine, kernel and drive, as (what, words), without what names somebody."""
    def model(leaf):
        words = [first_line(f"/sys/block/{leaf}/device/{name}") for name in ("vendor", "model")]
        return " ".join(word for word in words if word and not word.startswith("0x")) or leaf

    def gigabytes(leaf):
        return int(first_line(f"/sys/block/{leaf}/size")) * 512 / 1e9

    def kind():
        below = "" if device.folder.endswith(f"/{device.leaf}") else " on it"
        if os.path.exists(f"{device.folder}/partition"):
            return "a partition" + below
        if os.path.isdir(f"{device.folder}/dm"):
            uuid = first_line(f"{device.folder}/dm/uuid").split("-")[0]
            return ("a logical volume" if uuid == "LVM" else "a device-mapper device") + below
        return "an md array" if os.path.isdir(f"{device.folder}/md") else "the whole disk"

    cpus = system.read("/proc/cpuinfo")
    name = re.search(r"^model name\s*: (.*)", cpus, re.M)
    memory = round(int(re.search(r"MemTotal:\s*(\d+)", system.read("/proc/meminfo"))[1]) / 2**20)
    guest = ", a virtual machine" if re.search(r"^flags.*\bhypervisor\b", cpus, re.M) else ""
    queue = f"/sys/block/{device.leaf}/queue"
    return [
        ("Machine", f"{name[1] if name else os.uname().machine}, {os.cpu_count()} processors, "
                    f"{memory} GiB{guest}"),
        ("Kernel", f"{os.uname().release} {os.uname().machine}"),
        ("Drive", "; ".join(f"{model(leaf)}, {gigabytes(leaf):,.3g} GB" for leaf in device.leaves)
                  + (", rotational" if device.rotational else ", not rotational")),
        ("Queue", f"{first_line(queue + '/nr_requests', '?')} requests, scheduler "
                  f"{(device.schedulers() or ['none'])[0]}, write cache "
                  f"{first_line(queue + '/write_cache', 'unknown')}, writeback throttled: wbt_lat_usec "
                  f"{first_line(queue + '/wbt_lat_usec', 'unknown')}"),
        ("Measured on", f"{kind()}, the first {device.span / 2**30:,.2f} GiB"),
    ]
