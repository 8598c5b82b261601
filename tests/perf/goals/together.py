# SPDX-License-Identifier: GPL-2.0-only
"""
Everything at once, from defaults, on a file system on the device PERF_DEVICE (a stripe
over dm-crypt): weights, a reader that thinks, a minimum, a limit for buffered writes,
and a neighbour that changes metadata. The bounds of each hold as if it were alone.
"""

import os
import subprocess
import time

from lab import case, groups, jobs, verdict

DEVICE = os.environ["PERF_DEVICE"]
MOUNT = os.environ["PERF_MOUNT"]
INVERSION = os.path.join(os.path.dirname(__file__), "../../fs/inversion")

WEIGHTS = {"a": 40, "b": 20, "c": 10}
DEPTHS = {"a": 20, "b": 40, "c": 80}
FLOOR_IOS, LIMIT_BYTES = 400, 1 << 20
SECONDS = 40
FILE_MIB = 16


def member(name, settings, **job):
    path = f"{MOUNT}/{name}.data"
    return case.Member(name, "randread", settings, options={
        "filename": path, "size": f"{FILE_MIB}m", **job.pop("options", {})}, **job)


def in_group(name, *args):
    join = f"echo $$ >{groups.make(name)}/cgroup.procs && exec \"$@\""
    return subprocess.Popen(["bash", "-c", join, "-", INVERSION, *args],
                            stdout=subprocess.PIPE, text=True)


def prepare(members):
    subprocess.run(["mkfs.ext4", "-q", "-E", "nodiscard,lazy_itable_init=0", "/dev/mapper/bench"],
                   check=True)
    subprocess.run(["mount", "/dev/mapper/bench", MOUNT], check=True)
    for one in members:
        with open(one.job.options["filename"], "wb") as file:
            for _ in range(FILE_MIB):
                file.write(os.urandom(1 << 20))
            os.fsync(file.fileno())


def run():
    load_members = [member(name, str(weight), depth=DEPTHS[name])
                    for name, weight in WEIGHTS.items()]
    thinker = member("thinker", "200", options={"thinktime": 200})
    floor = member("floor", f"1,miniops={FLOOR_IOS}", depth=16)
    bound = case.Member("bound", "write", f"100,wbps={LIMIT_BYTES}")
    members = load_members + [thinker, floor]
    load = case.Run(DEVICE, members + [bound])
    load.members = members
    prepare(members)

    load.start([thinker])
    idle = load.rates(5)["thinker"]
    load.start([one for one in members if one is not thinker], settle=2 * case.SETTLE)

    writer = in_group("bound", "writer", MOUNT, "32")
    neighbour = in_group("neighbour", "neighbour", MOUNT, "50")
    time.sleep(2 * case.SETTLE)
    before = load.volume.stats()
    with open(f"{MOUNT}/go", "w", encoding="ascii"):
        pass
    counts = [load.count() for _ in range(SECONDS + 1) if time.sleep(1) is None]
    after = load.volume.stats()
    worst_ms = max(float(line.split()[1]) for line in neighbour.communicate()[0].splitlines())
    writer.kill()
    writer.wait()
    results = load.stop_jobs()
    subprocess.run(["umount", MOUNT], check=True)
    load.volume.remove()
    for name in [one.name for one in members] + ["bound", "neighbour"]:
        groups.remove(name)

    rates = [{name: (late[name] - soon[name]) / (end - start) for name in soon}
             for (soon, start), (late, end) in zip(counts, counts[1:])]
    mean = {name: sum(rate[name] for rate in rates) / len(rates) for name in rates[0]}
    verdict.goal("together-share-error-points", max(map(abs, case.share_errors(
        {name: mean[name] for name in WEIGHTS}, WEIGHTS).values())), 0.5)
    print(f"figure together-minimum-least {min(rate['floor'] for rate in rates):.5g}")
    verdict.goal("together-minimum-windows-below",
                 sum(rate["floor"] < FLOOR_IOS - 1 for rate in rates), 0)
    verdict.at_least("together-thinker-of-idle-percent", 100 * mean["thinker"] / idle, 50)
    written = after[bound.id]["wr_sectors"] - before[bound.id]["wr_sectors"]
    # Of the first I/O, which goes at once, 1 MiB is over.
    limit_percent = (100 * (512 * written - LIMIT_BYTES) / LIMIT_BYTES /
                     (after["now"] - before["now"]))
    verdict.goal("together-limit-percent", limit_percent, 101)
    verdict.at_least("together-limited-writes-percent", limit_percent, 50)
    verdict.goal("together-metadata-worst-ms", worst_ms, 100)
    ideal_ms = 1e3 * DEPTHS["c"] / mean["c"]
    verdict.goal("together-p99-over-ideal",
                 jobs.latencies(results["c"]["read"])["p99_ms"] / ideal_ms, 1.1)
