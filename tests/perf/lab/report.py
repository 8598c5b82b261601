# SPDX-License-Identifier: GPL-2.0-only
"""build/report/index.html: a table and a plot of each view of each experiment."""

import glob
import html
import os
import subprocess

from . import catalogue, plots
from .figures import SUMMARY, comparison, reported, series, spreads, summary

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em;
       color: #222 }
h1 { font-size: 1.6em } h2 { margin-top: 2.6em; border-top: 2px solid #222; padding-top: .5em }
table { border-collapse: collapse; margin: .6em 0; font-size: 13px }
td, th { padding: .18em .7em; text-align: right; border-bottom: 1px solid #ddd }
td:first-child, th:first-child { text-align: left }
tr.reported td { color: #888 } tr.due td { border-top: 1px solid #222; font-style: italic }
tr.ours td, td.ours { font-weight: bold; background: #fff4ec }
td.hole { text-align: left; color: #888 }
tr.failed td { color: #b00 } .question { font-size: 1.1em } .source { color: #666 }
svg { max-width: 100%; height: auto } .toc li { margin: .1em 0 }
"""


OURS = ' class="ours"'


def table(experiment, view, shown, words, spreads):
    points = [str(point) for point in experiment.points]
    head = "".join(f"<th>{html.escape(point)}</th>" for point in points)
    lines = [f"<table><tr><th>{plots.UNITS.get(view.quantity, view.quantity)}</th>{head}</tr>"]
    for name, figures, kind in shown:
        cells = "".join(f"<td>{plots.cell(figures, spreads.get(name, {}), p)}</td>"
                        for p in points)
        lines.append(f'<tr class="{kind}"><td>{html.escape(name)}</td>{cells}</tr>')
    percent = comparison(experiment, shown)
    if percent:
        cells = "".join(f"<td>{percent[p]:.0f} %</td>" if p in percent else "<td></td>"
                        for p in points)
        lines.append(f"<tr><td>of what was reported</td>{cells}</tr>")
    for name, why in words.items():
        kind = "failed" if why.startswith("failed") else "peer"
        lines.append(f'<tr class="{kind}"><td>{html.escape(name)}</td>'
                     f'<td class="hole" colspan="{len(points)}">{html.escape(why)}</td></tr>')
    return "\n".join(lines + ["</table>"])


def picture(experiment, view, shown):
    points = [str(point) for point in experiment.points]
    if len(points) == 1:
        flat = [(name, figures[points[0]], kind == "reported")
                for name, figures, kind in shown if points[0] in figures]
        return plots.bars(view, flat) if flat else ""
    several = [(name, figures, kind == "reported") for name, figures, kind in shown]
    if isinstance(experiment.points[0], str):
        return plots.groups_of_bars(view, points, several)
    return plots.lines(view, experiment.point_label, points, several)


def section(name, experiment, values, words, others):
    parts = [f'<h2 id="{name}">{html.escape(experiment.title)}</h2>',
             f'<p class="question">{html.escape(experiment.question)}</p>']
    if experiment.source:
        parts.append(f'<p class="source">Grey: {html.escape(experiment.source)}, on the disks '
                     "of that time.</p>")
    if experiment.notes:
        parts.append(f"<p>{html.escape(experiment.notes)}</p>")
    for view in experiment.views:
        key = (view.group, view.quantity)
        shown = series(experiment, values, others, key)
        if any(kind in ("peer", "ours") for _, _, kind in shown):
            parts += [f"<h3>{html.escape(view.title)}</h3>", picture(experiment, view, shown),
                      table(experiment, view, shown, words, spreads(values, key))]
    return "\n".join(parts)


def summary_section(rows):
    columns, lines = summary(catalogue.all_experiments(), rows)
    if not lines:
        return ""
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = ""
    for name, title, cells in lines:
        marked = "".join(
            f"<td{OURS if column.startswith('ioband') else ''}>{cells.get(column, '')}</td>"
            for column in columns)
        body += f'<tr><td><a href="#{name}">{html.escape(title)}</a></td>{marked}</tr>'
    return f"<p>{SUMMARY}</p><table><tr><th></th>{head}</tr>{body}</table>"


def goals_section():
    rows = []
    for path in sorted(glob.glob(f"{catalogue.TREE}/build/results/*/perf/*/values")):
        kernel, _, goal, _ = path.split("/")[-4:]
        with open(path, encoding="utf-8") as file:
            rows += [f"<tr><td>{goal}</td><td>{kernel}</td><td>{html.escape(words[0])}</td>"
                     f"<td>{html.escape(words[1])}</td></tr>"
                     for words in (line.split(None, 1) for line in file) if len(words) == 2]
    if not rows:
        return ""
    return ('<h2 id="goals">Goals</h2><p>Figures of the goal cases as last run; '
            "what is due is in tests/perf/NNN.out.</p><table><tr><th>case</th><th>kernel</th>"
            "<th>figure</th><th>value</th></tr>" + "".join(rows) + "</table>")


def versions():
    def first_line(*args):
        done = subprocess.run(args, cwd=catalogue.TREE, capture_output=True, text=True,
                              check=False)
        return done.stdout.strip().splitlines()[0] if done.stdout.strip() else "unknown"
    return (f"Kernel {first_line('scripts/kernels')}, dm-ioband {first_line('cat', 'VERSION')}, "
            f"{first_line('fio', '--version')}.")


def write(rows, folder):
    others, sections, contents = reported(), [], []
    for name, experiment in catalogue.all_experiments().items():
        values, words = rows.figures(name)
        if values or words:
            sections.append(section(name, experiment, values, words, others.get(name, {})))
            contents.append(f'<li><a href="#{name}">{html.escape(experiment.title)}</a></li>')
    sections.append(goals_section())
    text = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>dm-ioband beside other controllers</title>
<style>{STYLE}</style></head><body>
<h1>dm-ioband beside other controllers</h1>
<p>Measured in a machine whose clock counts instructions, on simulated disks
(docs/simdisk.rst), each figure over a window in which all jobs run. {html.escape(versions())}
<b>Bold</b>: dm-ioband. Dashed, in italics: what is due to the group by its weight. An empty
cell was not measured. All figures: <a href="rows.csv">rows.csv</a>.</p>
<ul class="toc">{"".join(contents)}</ul>
{summary_section(rows)}
{"".join(sections)}
</body></html>
"""
    path = os.path.join(folder, "index.html")
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)
    return path
