# SPDX-License-Identifier: GPL-2.0-only
"""What there is to run, and where its results go."""

import glob
import importlib.util
import os

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
OUTPUT = f"{TREE}/build/report"
EXPERIMENTS = f"{TREE}/tests/perf/experiments"
QUICK_GOALS = ["001"]

# As a reader wants them; what is not named comes last, by name.
ORDER = ["raw-array", "raw-hdd", "weights-40-20-10", "weights-on-a-volume", "limits",
         "noisy-neighbour", "instructions", "two-processors",
         "array-sequential-vs-random", "array-random-vs-sequential",
         "array-sequential-vs-sequential", "array-writers-vs-random",
         "array-buffered-writers", "hdd-sequential-vs-random", "hdd-writers-vs-random",
         "hdd-sequential-500-1000"]


def load(name):
    path = f"{EXPERIMENTS}/{name}.py"
    spec = importlib.util.spec_from_file_location("experiment_" + name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.EXPERIMENT


def all_experiments():
    names = [os.path.basename(path)[:-3] for path in glob.glob(f"{EXPERIMENTS}/*.py")]
    place = {name: index for index, name in enumerate(ORDER)}
    names.sort(key=lambda name: (place.get(name, len(ORDER)), name))
    return {name: load(name) for name in names}


def goals():
    return sorted(os.path.basename(path)
                  for path in glob.glob(f"{TREE}/tests/perf/[0-9][0-9][0-9]"))
