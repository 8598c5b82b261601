# SPDX-License-Identifier: GPL-2.0-only
"""
docs/results.md and a part of README.md: the main tables and three plots, of what was
measured last. docs/results/rows.csv has all of these figures.
"""

import os

from . import catalogue, figures, plots, report, system

SPDX = "<!-- SPDX-License-Identifier: GPL-2.0-only -->"
DOCS = f"{catalogue.TREE}/docs"
README = f"{catalogue.TREE}/README.md"
README_BEGIN, README_END = "<!-- results: begin -->\n", "<!-- results: end -->\n"
README_COLUMNS = ["none", "bfq", "iocost tuned", "io.max", "ioband weight", "ioband weight-time",
                  "ioband limit"]
PLOTS = [("array-sequential-vs-random", 0, "random-reader-bandwidth"),
         ("array-sequential-vs-random", 1, "random-reader-wait"),
         ("weights-40-20-10", 0, "weights")]

HEAD = """<!-- SPDX-License-Identifier: GPL-2.0-only -->
# Results

dm-ioband beside other controllers, and beside what was reported of them, on simulated
disks ([simdisk.rst](simdisk.rst)) in a machine whose clock counts instructions. Made by
`make bench`, then `tests/perf/bench publish`, which keeps what was not measured anew;
`make bench` also writes all figures and plots to `build/report/index.html`, and
`tests/perf/bench compare` tells which of them differ from those here.
{versions}

Bandwidths, rates and shares are counted over a window in which all jobs run, of 10 s in
most cases, when they have run for 10 s: what is below some 10 KiB/s there is a handful of
I/Os. Latencies are fio's own, of all that it did. Where a task is timed, that is from its
begin to its end. **Bold** is dm-ioband. *due* is what the group's weight gives it: its part
of what it has with the disk to itself. Rows with a year are what was reported then, of the
disks of that time. A controller that is not there, or a cell that is empty, was not
measured.

All rows are of one commit, b3d4c4e, and two runs of it gave the same 8,177 figures, to the
digit. Another commit is another archive for the machine to unpack, so its loads begin
elsewhere, and where disks seek or what is written is cached some figures differ by much: of
two buffered writers with weights 500:1000 on a disk *bfq* gave one 82 % of what is due in
rows of an earlier commit, and gives it 36 % here.

*none* is the disk without a scheduler. *iocost* is as it comes; *iocost tuned* has the
model of the very disk, measured just before, and a fixed rate of 96 %. *io.max* and *ioband
limit* have a limit for each of the two groups.
"""


def markdown_table(experiment, view, shown, words):
    points = [str(point) for point in experiment.points]
    unit = plots.UNITS.get(view.quantity, view.quantity)
    lines = [f"| {unit} | " + " | ".join(points) + " |", "|---" + "|--:" * len(points) + "|"]
    for name, values, kind in shown:
        mark = {"ours": "**", "due": "*"}.get(kind, "")
        cells = [plots.number(values[p]) if p in values else "" for p in points]
        if kind == "ours":
            cells = [f"**{cell}**" if cell else "" for cell in cells]
        lines.append(f"| {mark}{name}{mark} | " + " | ".join(cells) + " |")
    percent = figures.comparison(experiment, shown)
    if percent:
        cells = [f"{percent[p]:.0f} %" if p in percent else "" for p in points]
        lines.append("| of what was reported | " + " | ".join(cells) + " |")
    lines += [f"| {name} | {words[name]} |" + " |" * (len(points) - 1)
              for name in experiment.controllers if name in words]
    return "\n".join(lines)


def summary_table(rows, only=None):
    columns, lines = figures.summary(catalogue.all_experiments(), rows)
    columns = [column for column in columns if only is None or column in only]
    text = ["| | " + " | ".join(columns) + " |", "|---" + "|--:" * len(columns) + "|"]
    for _, title, cells in lines:
        text.append(f"| {title} | " + " | ".join(
            f"**{cells[column]}**" if column in cells and column.startswith("ioband")
            else cells.get(column, "") for column in columns) + " |")
    return "\n".join(text) + "\n"


def readme_part(rows):
    shown = []
    for name, index, file in PLOTS:
        experiment = catalogue.all_experiments()[name]
        if os.path.exists(f"{DOCS}/results/{file}.svg"):
            shown.append(f"{experiment.title}:\n\n"
                         f"![{experiment.views[index].title}](docs/results/{file}.svg)\n")
    return "\n".join([figures.SUMMARY + "\n", summary_table(rows, README_COLUMNS)] + shown)


def write_readme(rows):
    with open(README, encoding="utf-8") as file:
        before, begin, rest = file.read().partition(README_BEGIN)
    _, end, after = rest.partition(README_END)
    if not begin or not end:
        raise system.Failed(f"{README}: expected lines '{README_BEGIN.strip()}' and "
                            f"'{README_END.strip()}'")
    with open(README, "w", encoding="utf-8") as file:
        file.write(before + README_BEGIN + readme_part(rows) + README_END + after)


def write(rows):
    others = figures.reported()
    parts = [HEAD.format(versions=report.versions()),
             f"## At a glance\n\n{figures.SUMMARY}\n", summary_table(rows)]
    os.makedirs(f"{DOCS}/results", exist_ok=True)
    for name, experiment in catalogue.all_experiments().items():
        values, words = rows.figures(name)
        if not values:
            continue
        parts += [f"## {experiment.title}\n", experiment.question + "\n"]
        if experiment.source:
            parts.append(f"Reported by {experiment.source}.\n")
        if experiment.notes:
            parts.append(experiment.notes + "\n")
        for index, view in enumerate(experiment.views):
            shown = figures.series(experiment, values, others.get(name, {}),
                                   (view.group, view.quantity))
            if not any(kind in ("peer", "ours") for _, _, kind in shown):
                continue
            parts.append(f"### {view.title}\n")
            for of, which, file in PLOTS:
                if (of, which) == (name, index):
                    with open(f"{DOCS}/results/{file}.svg", "w", encoding="utf-8") as out:
                        out.write(f"{SPDX}\n{report.picture(experiment, view, shown)}\n")
                    parts.append(f"![{view.title}](results/{file}.svg)\n")
            if len(experiment.points) > 1 and not isinstance(experiment.points[0], str):
                parts.append(f"By {experiment.point_label}:\n")
            parts.append(markdown_table(experiment, view, shown, words) + "\n")
    missing = [name for name in catalogue.all_experiments() if not rows.figures(name)[0]]
    if missing:
        parts.append("## Not measured\n\nThere are experiments of which no figures are kept here: "
                     + ", ".join(missing) + ".\n")
    path = f"{DOCS}/results.md"
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts))
    write_readme(rows)
    return f"{path}\n{README}"
