# SPDX-License-Identifier: GPL-2.0-only
"""
fio in cgroups.

In the machine with exact time starting a program costs seconds of its time, and not
the same each time. So jobs run until they are told to stop, and what is counted is
counted in a window in which all of them run: windows.py.
"""

import json
import signal
import subprocess
from dataclasses import dataclass, field

from . import groups, system

QUANTILES = {"p50_ms": "50.000000", "p99_ms": "99.000000", "p999_ms": "99.900000"}


@dataclass
class Job:
    """
    One fio process, with COUNT equal jobs, in the cgroup GROUP. OPTIONS are fio's,
    by name; each of the jobs has a region of its own if offset_increment is given.
    """
    group: str
    rw: str
    count: int = 1
    depth: int = 1
    size: str = "4k"
    options: dict = field(default_factory=dict)

    def arguments(self, device, ramp):
        options = {
            "name": self.group.replace("/", "-"), "filename": device, "rw": self.rw,
            "bs": self.size, "numjobs": self.count, "group_reporting": 1, "direct": 1,
            "ioengine": "psync" if self.depth == 1 else "libaio",
            "iodepth": self.depth, "time_based": 1, "runtime": 36000,
            "ramp_time": ramp, "norandommap": 1, "randrepeat": 0,
            "randseed": 1 + sum(map(ord, self.group)), "lat_percentiles": 1,
            "clat_percentiles": 0, "percentile_list": "50:99:99.9",
            "output-format": "json", **self.options,
        }
        return ["fio"] + [f"--{key}={value}" for key, value in options.items()
                          if value is not None]

    def start(self, device, ramp=0):
        """Latencies of the first RAMP seconds are not counted."""
        join = f"echo $$ >{groups.make(self.group)}/cgroup.procs && exec \"$@\""
        return Running(subprocess.Popen(
            ["bash", "-c", join, "-", *self.arguments(device, ramp)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))


class Running:
    def __init__(self, process):
        self.process = process

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def result(self):
        """fio's own report of the job, in one dict for each direction that did any."""
        out, err = self.process.communicate()
        start = out.find("{")
        if start < 0:
            words = (err or out).strip().splitlines() or ["no output"]
            raise system.CannotDo("fio: " + words[-1])
        job = json.loads(out[start:])["jobs"][0]
        if job["error"]:
            raise system.CannotDo(f"fio: error {job['error']}, {err.strip()[:200]}")
        return {way: job[way] for way in ("read", "write") if job[way]["total_ios"]}


def latencies(direction):
    """Milliseconds from submission to completion, from one of result()'s dicts."""
    lat = direction["lat_ns"]
    found = {name: lat["percentile"][key] / 1e6 for name, key in QUANTILES.items()}
    return {**found, "mean_ms": lat["mean"] / 1e6, "max_ms": lat["max"] / 1e6}


def warm_up(device):
    """Have fio in the page cache, so that its start takes less of what is counted."""
    system.sh("fio", "--name=warm", f"--filename={device}", "--rw=randread", "--bs=4k",
              "--direct=1", "--number_ios=1", "--size=1m", "--output-format=json")
