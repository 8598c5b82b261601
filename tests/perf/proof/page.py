# SPDX-License-Identifier: GPL-2.0-only
"""The result: tables for a terminal, and one page of HTML that needs nothing else."""

from html import escape

from . import verdict
from .verdict import Cell, number

COLOURS = {"ioband": "#c2410c", "none": "#9ca3af", "dm-linear": "#9ca3af"}
COLOUR = "#3b6ea5"
BAR, ROW, NAME, WIDTH = 190, 22, 90, 380
STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:62em;margin:2em auto;padding:0 1em;
color:#1f2937;background:#fff}h1{font-size:1.6em}h2{font-size:1.2em;margin:2.2em 0 .2em}
table{border-collapse:collapse;margin:.8em 0}td,th{padding:.25em .9em .25em 0;text-align:right;
border-bottom:1px solid #e5e7eb;vertical-align:top}td:first-child,th:first-child{text-align:left}
th{font-weight:600;max-width:9em}small{color:#6b7280;display:block}.ioband td{font-weight:600}
.why{text-align:left;color:#6b7280}.facts td{text-align:left}.noisy{border-left:4px solid #c2410c;
padding-left:1em}.plots{display:flex;flex-wrap:wrap;gap:1em}svg{max-width:100%}"""


class Report:
    """RESULTS: by case and rival, a list of figures, one a round; HOLES: why there are none."""

    def __init__(self, facts, cases, results, holes, alone, notes):
        self.facts, self.cases, self.notes = facts, cases, notes
        self.results, self.holes = results, holes
        self.noise = verdict.noise(results, alone)

    def rows(self, case):
        """(rival, cells or why not)."""
        for name in self.facts["rivals"]:
            rounds = self.results[case.key].get(name)
            if rounds:
                yield name, [Cell.of(rounds, figure) for figure in case.columns]
            elif (case.key, name) in self.holes:
                yield name, self.holes[case.key, name]

    def says(self, case):
        found = self.results[case.key]
        return verdict.of_case(case, {name: found[name] for name in self.facts["rivals"]
                                      if name in found})

    def heading(self):
        return self.noise and "Too noisy for a verdict: " + " ".join(self.noise)

    # Terminal

    def text(self):
        lines = [f"{what + ':':13} {words}" for what, words in self.facts["about"]]
        for case in self.cases:
            lines += ["", case.title, ""] + self.table(case)
            lines += [] if self.noise else ["", f"  {self.says(case)}"]
        return "\n".join(lines + ["", *([self.heading()] if self.noise else []), *self.notes])

    def table(self, case):
        grid = [["", *case.columns.values()]]
        for name, cells in self.rows(case):
            grid.append([name, cells] if isinstance(cells, str) else [name, *(
                " ".join(filter(None, (cell.text()[0], f"({cell.text()[1]})"
                                       if cell.text()[1] else ""))) if cell else "-"
                for cell in cells)])
        full = [row for row in grid if len(row) == len(grid[0])]
        widths = [max(len(row[i]) for row in full + [["mq-deadline"] * len(full[0])])
                  for i in range(len(full[0]))]
        return ["  " + row[0].ljust(widths[0]) + "  " + ("  ".join(
            cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))
            if row in full else row[1]) for row in grid]

    # HTML

    def html(self):
        facts = "".join(f"<tr><td>{escape(what)}</td><td>{escape(words)}</td></tr>"
                        for what, words in self.facts["about"])
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        noisy = f'<p class="noisy"><b>{escape(self.heading())}</b></p>' if self.noise else ""
        parts = "".join(self.section(case) for case in self.cases)
        return (f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" '
                f'content="width=device-width"><title>ioband on a disk</title><style>{STYLE}</style>'
                f"<h1>Who gets what of this disk</h1>{noisy}<table class=facts>{facts}</table>"
                f"<p>Medians of the rounds, with the lowest and the highest. <b>Due</b> is what "
                f"weight, limit or target promise; 100 % is exact.</p>{self.glance()}{parts}"
                f"<h2>How it was measured</h2><ul>{notes}</ul></html>\n")

    def glance(self):
        """The first column of every case."""
        def cell(case, name):
            found = Cell.of(self.results[case.key].get(name, []), "due")
            return f"{found.median:.0f} %" if found else ""
        heads = "".join(f"<th>{escape(name)}</th>" for name in self.facts["rivals"])
        rows = "".join(f'<tr><td><a href="#{case.key}">{escape(case.title)}</a></td>' + "".join(
            f"<td>{cell(case, name)}</td>" for name in self.facts["rivals"]) + "</tr>"
            for case in self.cases)
        return f"<table><tr><th>of what is due</th>{heads}</tr>{rows}</table>"

    def section(self, case):
        rows, plots = "", ""
        for name, cells in self.rows(case):
            rows += f'<tr class="{escape(name)}"><td>{escape(name)}</td>'
            rows += f'<td class="why" colspan="9">{escape(cells)}</td>' \
                if isinstance(cells, str) else "".join(
                    f"<td>{cell.text()[0]}<small>{cell.text()[1]}</small></td>" if cell else
                    "<td>-</td>" for cell in cells)
            rows += "</tr>"
        for index, title in enumerate(case.columns.values()):
            bars = [(name, cells[index]) for name, cells in self.rows(case)
                    if not isinstance(cells, str) and cells[index]]
            if bars and (index < 4 or "%" not in title):
                plots += plot(title, bars, 100 if index == 0 else None)
        heads = "".join(f"<th>{escape(title)}</th>" for title in case.columns.values())
        says = "" if self.noise else f"<p><b>{escape(self.says(case))}</b></p>"
        return (f'<h2 id="{case.key}">{escape(case.title)}</h2><p>{escape(case.says)}</p>{says}'
                f'<div class="plots">{plots}</div><table><tr><th></th>{heads}</tr>{rows}</table>')


def plot(title, bars, due):
    """Bars of (name, cell), with a whisker from the lowest to the highest, and a line of DUE."""
    most = max([cell.high for _, cell in bars] + [due or 0]) or 1
    height = 34 + ROW * len(bars)
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12" '
           f'role="img"><title>{escape(title)}</title>'
           f'<text x="0" y="14" font-weight="600">{escape(title)}</text>']

    def x(value):
        return NAME + BAR * value / most
    for row, (name, cell) in enumerate(bars):
        y = 26 + ROW * row
        middle = y + ROW / 2 - 2
        svg += [f'<text x="{NAME - 6}" y="{middle + 4}" text-anchor="end">{escape(name)}</text>',
                f'<rect x="{NAME}" y="{y}" width="{max(1, x(cell.median) - NAME):.1f}" '
                f'height="{ROW - 5}" fill="{COLOURS.get(name, COLOUR)}"/>',
                f'<path d="M{x(cell.low):.1f} {middle}H{x(cell.high):.1f}m0 -4v8M'
                f'{x(cell.low):.1f} {middle - 4}v8" stroke="#111" fill="none"/>',
                f'<text x="{x(max(cell.median, cell.high)) + 6:.1f}" y="{middle + 4}">'
                f"{number(cell.median)}</text>"]
    if due:
        svg.append(f'<path d="M{x(due):.1f} 20V{height - 6}" stroke="#111" '
                   f'stroke-dasharray="4 3"/>')
    return "".join(svg) + "</svg>"
