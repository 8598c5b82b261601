# SPDX-License-Identifier: GPL-2.0-only
"""What belongs into a table: what others reported, what is due, what was measured."""

import csv
import math

from . import catalogue, controllers


def reported():
    """What others reported: [experiment][controller][group, quantity][point]."""
    found = {}
    with open(f"{catalogue.EXPERIMENTS}/reported.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["experiment"], {}).setdefault(row["controller"], {}).setdefault(
                (row["group"], row["quantity"]), {})[row["point"]] = float(row["value"])
    return found


def due(experiment, values, key):
    """
    By point: what the group's weight or limit gives it. By weight that is of bandwidth its
    part of what it has alone, and of shares its part of all.
    """
    group, quantity = key
    known = {one.name: one for one in experiment.groups_at(experiment.points[0])}
    if group not in known or not experiment.due:
        return {}
    if experiment.due == "limit":
        limit = known[group].limit / 1024
        return {str(point): limit for point in experiment.points} if quantity == "kib_per_s" else {}
    weights = {name: one.weight for name, one in known.items()}
    part = weights[group] / sum(weights.values())
    if quantity == "share_percent":
        return {str(point): 100 * part for point in experiment.points}
    if quantity in ("kib_per_s", "iops"):
        return {point: value * part
                for point, value in values.get("alone", {}).get(key, {}).items()}
    return {}


def series(experiment, values, others, key):
    """(name, {point: value}, kind) in the order of the table."""
    found = [(name, figures[key], "reported") for name, figures in others.items()
             if key in figures]
    names = [name for name in experiment.controllers if key in values.get(name, {})]
    found += [(name, values[name][key], "ours" if name.startswith("ioband") else "peer")
              for name in names]
    owed = due(experiment, values, key)
    if owed:
        found.append(("due", owed, "due"))
    return found


def spreads(values, key):
    """[controller][point] of what was measured in rounds: the lowest and the highest."""
    group, quantity = key
    return {name: {point: (low, found[group, quantity + "_highest"][point])
                   for point, low in found.get((group, quantity + "_lowest"), {}).items()}
            for name, found in values.items()}


def comparison(experiment, shown):
    """What is measured in percent of what was reported, by point, if that is the question."""
    theirs = next((figures for _, figures, kind in shown if kind == "reported"), {})
    ours = next((figures for _, figures, kind in shown if kind == "peer"), {})
    if not experiment.compare:
        return {}
    return {point: 100 * ours[point] / theirs[point] for point in ours if point in theirs}


def of_due(experiment, values, controller):
    """
    What a controller gave the group of the first view in percent of what was due to it, at
    the point at which the two differ by the largest factor; None if it cannot be told.
    """
    view = experiment.views[0]
    key = (view.group, view.quantity)
    owed, got = due(experiment, values, key), values.get(controller, {}).get(key, {})
    found = [100 * got[point] / owed[point] for point in got if owed.get(point)]
    return max(found, key=lambda percent: abs(math.log(percent or 1e-9, 100) - 1)) \
        if found else None


def closeness(experiment, values, controller):
    """The same from 0 to 100 %: half of what is due and twice as much are both 50 %."""
    percent = of_due(experiment, values, controller)
    return percent and min(percent, 100 * 100 / percent)


def summary(experiments, rows):
    """Names of the controllers, and for each experiment that has a due (name, title, cells)."""
    lines, seen = [], set()
    for name, experiment in experiments.items():
        values, words = rows.figures(name)
        cells = {controller: of_due(experiment, values, controller)
                 for controller in experiment.controllers}
        if any(cell is not None for cell in cells.values()):
            cells = {controller: f"{cell:.0f} %" for controller, cell in cells.items()
                     if cell is not None}
            cells.update({controller: "cannot" for controller, why in words.items()
                          if not why.startswith("failed")})
            lines.append((name, experiment.title, cells))
            seen.update(cells)
    return [name for name in controllers.ALL if name in seen], lines


SUMMARY = ("What the group under test got, in percent of what it was due, at the point where "
           "the two differ by the largest factor. Due is its share by weight of what it gets with "
           "the disk to itself; for weights 40:20:10, buffered writers and virtual machines, of "
           "what all groups got; for limits, the limit. Where disks seek, only weight-time "
           "divides the disk itself: weight and weight-iosize divide I/Os and sectors, whatever "
           "each of them costs. Giving a slow reader its half lowers the total: the tables of "
           "each case have what all groups got together.")
