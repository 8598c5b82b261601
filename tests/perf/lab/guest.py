#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
The part of tests/perf/bench that runs in the machine, as root:

  guest NAME CONTROLLER[,CONTROLLER ...] [POINT,POINT ... [ROUNDS SECONDS]]

(ROUNDS, and SECONDS of settling and measuring, in place of the experiment's own) prints lines of CSV after the word "row", "hole" with the reason where there is none,
and "done" after each controller.
"""

import csv
import os
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

from lab import catalogue, experiment, groups, system, undo    # noqa: E402 (after the path is set)


def main(name, names, points="", rounds=None, seconds=None):
    groups.enable("io", "memory")
    what = catalogue.load(name)
    if points:
        what.points = [point for point in what.points if str(point) in points.split(",")]
    if seconds:
        what.rounds, what.settle_s, what.window_s = int(rounds), float(seconds), float(seconds)
    lines = csv.writer(sys.stdout, lineterminator="\n")

    def say(kind, *values):
        lines.writerow([kind, name, *values])
        sys.stdout.flush()

    def emit(point, controller, group, quantity, value):
        say("row", point, controller, group, quantity, f"{value:.6g}")

    if what.run:
        try:
            what.run(what, names.split(","), say, emit)
        finally:
            undo.everything()
        return
    for controller in names.split(","):
        say("begin", controller)
        try:
            experiment.run(what, controller, emit)
        except system.CannotDo as reason:
            say("hole", controller, reason)
        except Exception as error:      # one that fails must not take the others along
            traceback.print_exc()
            say("failed", controller, f"{type(error).__name__}: {error}")
        say("done", controller)


if __name__ == "__main__":
    main(*sys.argv[1:])
