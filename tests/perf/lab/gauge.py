# SPDX-License-Identifier: GPL-2.0-only
"""
How much time an emulated machine's processors were given: while it runs, the host writes
that down where the machine can read it. Such a machine cannot know by itself, and takes the
time that others had for its own.
"""

import contextlib
import glob
import os
import threading
import time

from . import system

FOLDER = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../../build/report"))
FILE = f"{FOLDER}/given"
EVERY_S = 0.05


def descendants(pid):
    yield pid
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        for child in system.read(path).split():
            yield from descendants(int(child))


def taken(pid):
    """Seconds of processors that QEMU has had: its own processors, and little else."""
    for one in descendants(pid):
        with contextlib.suppress(OSError):
            name, words = system.read(f"/proc/{one}/stat").split("(", 1)[1].rsplit(")", 1)
            if name.startswith("qemu-system"):
                # Of user and system, threads that have ended included.
                return sum(map(int, words.split()[11:13])) / os.sysconf("SC_CLK_TCK")
    return 0


class Gauge(threading.Thread):
    """Until it is stopped, for the machine that descends from a process."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.ended = pid, threading.Event()

    def run(self):
        while not self.ended.wait(EVERY_S):
            with contextlib.suppress(OSError):
                self.write(f"{taken(self.pid):.2f} {time.monotonic():.6f}")

    @staticmethod
    def write(text):
        """All or nothing: a reader never sees half of it."""
        system.write(FILE + ".new", text)
        os.replace(FILE + ".new", FILE)

    def stop(self):
        self.ended.set()
        self.join()
        with contextlib.suppress(FileNotFoundError):
            os.remove(FILE)
