#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The part of tests/perf/bench that runs in the machine, as root:

  guest NAME CONTROLLER[,CONTROLLER ...] [POINT,POINT ...]

prints lines of CSV after the word "row", "hole" with the reason where there is none,
and "done" after each controller.
"""

import csv
import os
import subprocess
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from lab import catalogue, experiment, groups, system      # noqa: E402 (after the path is set)


def prepare():
    """What udev does to a new disk would count as the experiment's I/O."""
    subprocess.run(["udevadm", "control", "--exit"], check=False, capture_output=True)
    os.environ["DM_DISABLE_UDEV"] = "1"
    if os.path.exists("/run/udev/control"):
        os.unlink("/run/udev/control")
    groups.enable("io", "memory")


def main(name, names, points=""):
    prepare()
    what = catalogue.load(name)
    if points:
        what.points = [point for point in what.points if str(point) in points.split(",")]
    for controller in names.split(","):
        lines = csv.writer(sys.stdout, lineterminator="\n")

        def emit(point, which, group, quantity, value, lines=lines):
            lines.writerow(["row", name, point, which, group, quantity, f"{value:.6g}"])
            sys.stdout.flush()

        print(f"begin,{name},{controller}", flush=True)
        try:
            experiment.run(what, controller, emit)
        except system.CannotDo as reason:
            lines.writerow(["hole", name, controller, str(reason)])
        except Exception as error:      # one that fails must not take the others along
            traceback.print_exc()
            lines.writerow(["failed", name, controller, f"{type(error).__name__}: {error}"])
        print(f"done,{name},{controller}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
