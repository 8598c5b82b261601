# SPDX-License-Identifier: GPL-2.0-only
"""
File systems and readers of files. The readers are this program's own children: what they
take is timed, and to start another program is not a part of it.
"""

import os
import signal
import subprocess
import time

from . import groups, system

MOUNT = "/mnt"
TREE = MOUNT + "/tree"
DIRTY_BYTES = 64 << 20      # little, so that a writer waits for the disk soon


def make(device):
    """An ext4 that does nothing by itself later."""
    system.sh("mkfs.ext4", "-q", "-F", "-N", "65536", "-E",
              "lazy_itable_init=1,lazy_journal_init=1,nodiscard", device)


def mount(device):
    system.sh("mount", "-t", "ext4", "-o", "noatime,noinit_itable", device, MOUNT)


def unmount():
    subprocess.run(["umount", MOUNT], check=False, capture_output=True)


def fill(directories, files, kib):
    for outer in range(directories):
        os.makedirs(f"{TREE}/{outer}")
        for inner in range(files):
            with open(f"{TREE}/{outer}/{inner}", "wb") as file:
                file.write(b"x" * (kib << 10))


def large(name, mib):
    with open(f"{MOUNT}/{name}", "wb") as file:
        for _ in range(mib):
            file.write(b"x" * (1 << 20))


def forget():
    """Nothing of the file system stays in memory."""
    os.sync()
    system.write("/proc/sys/vm/drop_caches", 3)


def limit_dirty():
    system.write("/proc/sys/vm/dirty_bytes", DIRTY_BYTES)
    system.write("/proc/sys/vm/dirty_background_bytes", DIRTY_BYTES // 2)


def find(root):
    for _, _, _ in os.walk(root):
        pass


def read_tree(root):
    for path, _, names in os.walk(root):
        for name in names:
            read_file(f"{path}/{name}")


def read_file(path):
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 17):
            pass


def write_for_ever(path, mib):
    block = b"y" * (1 << 20)
    with open(path, "r+b", buffering=0) as file:
        while True:
            file.seek(0)
            for _ in range(mib):
                file.write(block)


class Child:
    """A function that runs in a cgroup, and how long it takes."""

    def __init__(self, group, function, *args):
        groups.make(group)
        ours, theirs = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                system.write(f"{groups.path(group)}/cgroup.procs", os.getpid())
                start = time.monotonic()
                function(*args)
                os.write(theirs, str(time.monotonic() - start).encode())
                status = 0
            except OSError as error:
                print(f"{group}: {error}", flush=True)
            finally:
                os._exit(status)
        os.close(theirs)
        self.pipe = ours

    def seconds(self):
        with os.fdopen(self.pipe) as pipe:
            text = pipe.read()
        os.waitpid(self.pid, 0)
        if not text:
            raise system.Failed("a reader of files failed")
        return float(text)

    def stop(self):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.pipe)
        os.waitpid(self.pid, 0)
