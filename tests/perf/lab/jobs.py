# SPDX-License-Identifier: GPL-2.0-only
"""
fio in cgroups.

One fio has the jobs of all groups, which run until it is told to stop, and what is
counted is counted in a window in which all of them run: windows.py.
"""

import json
import signal
import subprocess
from dataclasses import dataclass, field

from . import groups, pieces, system, undo

QUANTILES = {"p50_ms": "50.000000", "p99_ms": "99.000000", "p999_ms": "99.900000"}
FOR_EVER = 36000


@dataclass
class Job:
    """
    COUNT equal jobs in the cgroup GROUP. OPTIONS are fio's, by name; each of the jobs
    has a region of its own if offset_increment is given, or a device of its own, of
    lab.pieces, at each of PIECES_GIB.
    """
    group: str
    rw: str
    count: int = 1
    depth: int = 1
    size: str = "4k"
    options: dict = field(default_factory=dict)
    pieces_gib: tuple = ()

    def arguments(self, name, device):
        where = {"filename": device}
        if self.pieces_gib:
            where = {"directory": pieces.DIRECTORY,
                     "filename_format": pieces.name(self.group, "$jobnum")}
        options = {
            "name": name, "new_group": 1, **where, "rw": self.rw, "bs": self.size,
            "numjobs": self.count, "direct": 1, "iodepth": self.depth,
            "ioengine": "psync" if self.depth == 1 else "libaio",
            "cgroup": self.group, "cgroup_nodelete": 1, "time_based": 1, "norandommap": 1,
            "randrepeat": 0, "randseed": 1 + sum(map(ord, self.group)), **self.options,
        }
        return [f"--{key}={value}" for key, value in options.items() if value is not None]


class Running:
    def __init__(self, process):
        self.process = process
        undo.push(self.kill)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def results(self):
        """fio's own report: for each job, one dict for each direction that did any."""
        out, err = self.process.communicate()
        words = (err or out).strip().splitlines() or ["no output"]
        start = out.find("{")
        if start < 0:
            raise system.Failed("fio: " + words[-1])
        found = {}
        for job in json.loads(out[start:])["jobs"]:
            if job["error"]:
                raise system.Failed(f"fio: error {job['error']}, {words[-1]}")
            found[job["jobname"]] = {way: job[way] for way in ("read", "write")
                                     if job[way]["total_ios"]}
        return found


def start(jobs, device, ramp=0, seconds=FOR_EVER):
    """
    JOBS by name. Latencies of the first RAMP seconds are not counted. fio takes their
    groups to be there.
    """
    command = ["fio", "--output-format=json", f"--ramp_time={ramp}", f"--runtime={seconds}",
               "--group_reporting", "--lat_percentiles=1", "--clat_percentiles=0",
               "--percentile_list=50:99:99.9"]
    for name, job in jobs.items():
        groups.make(job.group)
        command += job.arguments(name, device)
    return Running(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    text=True))


def latencies(direction):
    """Milliseconds from submission to completion, from one of result()'s dicts."""
    lat = direction["lat_ns"]
    found = {name: lat["percentile"][key] / 1e6 for name, key in QUANTILES.items()}
    return {**found, "mean_ms": lat["mean"] / 1e6, "max_ms": lat["max"] / 1e6}
