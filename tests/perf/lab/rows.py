# SPDX-License-Identifier: GPL-2.0-only
"""
Tables of what was measured: build/report/rows.csv has what was measured here,
docs/results/rows.csv what is published.
"""

import csv
import os
import subprocess
from collections import Counter

COLUMNS = ["experiment", "point", "controller", "group", "quantity", "value", "commit"]
KINDS = {"begin": 2, "row": 6, "hole": 3, "failed": 3, "done": 2}
WORDS = ("hole", "failed")


def parse(line):
    """One line of the machine: its kind and values, or (None, ...) for what it says else."""
    try:
        kind, *values = next(csv.reader([line.strip("\r\n")])) or [None]
    except (StopIteration, csv.Error):
        return None, []
    return (kind, values) if KINDS.get(kind) == len(values) else (None, [])


def commit():
    """Of what is measured: the last of this tree, with a + if there is more."""
    done = subprocess.run(["git", "describe", "--always", "--abbrev=7", "--exclude=*", "--dirty=+"],
                          cwd=os.path.dirname(__file__), capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() or "unknown"


class Table:
    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.commit = commit()
        self.path, self.log_path = f"{folder}/rows.csv", f"{folder}/machine.log"
        self.rows = []
        if os.path.exists(self.path):
            with open(self.path, newline="", encoding="utf-8") as file:
                self.rows = [tuple(row[key] for key in COLUMNS) for row in csv.DictReader(file)]

    def forget(self, experiment, controller, points=None):
        """What is measured again; "alone" is measured with none."""
        names = [controller, "alone"] if controller == "none" else [controller]
        wanted = points and [str(point) for point in points]
        self.rows = [row for row in self.rows if not (
            row[0] == experiment and row[2] in names
            and (not wanted or row[1] in wanted or row[4] in WORDS))]

    def add(self, *row):
        self.rows.append((*row, self.commit))

    def add_words(self, experiment, controller, kind, words):
        self.add(experiment, "", controller, "", kind, words)

    def commits(self):
        """How many figures are of each commit, the most frequent first."""
        return Counter(row[6] for row in self.rows if row[4] not in WORDS).most_common()

    def failures(self, experiment):
        return sum(row[0] == experiment and row[4] == "failed" for row in self.rows)

    def take(self, newer):
        """What another table has takes the place of what is here, but for failures."""
        found = [row for row in newer.rows if row[4] != "failed"]
        points = {row[:3] for row in found}
        named = {(row[0], row[2]) for row in found}
        self.rows = sorted(found + [row for row in self.rows if row[:3] not in points and not (
            row[4] in WORDS and (row[0], row[2]) in named)])

    def differences(self, newer, percent, names):
        """(key, value here, value there) of figures in both that are that far apart."""
        old = {row[:5]: float(row[5]) for row in self.rows
               if row[0] in names and row[4] not in WORDS}
        pairs = [(row[:5], old[row[:5]], float(row[5])) for row in newer.rows if row[:5] in old]
        return len(pairs), [(key, was, now) for key, was, now in pairs
                            if abs(now - was) > max(abs(was), abs(now)) * percent / 100]

    def log(self, experiment, line):
        with open(self.log_path, "a", encoding="utf-8") as file:
            file.write(f"{experiment}: {line}")

    def save(self):
        """All or nothing: a reader never sees half of it."""
        with open(self.path + ".new", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(self.rows)
        os.replace(self.path + ".new", self.path)

    def figures(self, experiment):
        """value by [controller][group, quantity][point], and words by controller."""
        values, words = {}, {}
        for of, point, controller, group, quantity, value, _ in self.rows:
            if of != experiment:
                continue
            if quantity in WORDS:
                words[controller] = f"{quantity}: {value}" if quantity == "failed" else value
            else:
                values.setdefault(controller, {}).setdefault((group, quantity), {})[
                    point] = float(value)
        return values, words
