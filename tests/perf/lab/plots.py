# SPDX-License-Identifier: GPL-2.0-only
"""Plots of an experiment's figures, as SVG."""

import io

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({
    "svg.hashsalt": "ioband", "font.size": 9, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": "#e6e6e6",
    "axes.axisbelow": True, "figure.facecolor": "white",
})
from matplotlib import pyplot, ticker       # noqa: E402 (after the backend is chosen)

UNITS = {"kib_per_s": "KiB/s", "iops": "I/O per second", "max_ms": "ms", "p50_ms": "ms",
         "p99_ms": "ms", "p999_ms": "ms", "mean_ms": "ms", "share_percent": "% of all",
         "instructions": "instructions per I/O", "seconds": "s", "jain": "Jain's index",
         "busy_percent": "% busy", "of_linear_percent": "% of dm-linear's",
         "two_over_one": "times", "busy_cpus": "processors"}

# One colour for each family of controllers: ioband strong, the others quiet.
FAMILIES = [("ioband weight-time", "#c1121f"), ("ioband limit", "#e07a5f"),
            ("ioband weight-iosize", "#f4a261"), ("ioband passing", "#f4a261"),
            ("ioband", "#f26419"),
            ("io.max", "#6a4c93"), ("iocost tuned", "#1982c4"), ("iocost", "#8ab6d6"),
            ("bfq", "#2a9d8f"),
            ("mq-deadline", "#8d99ae"), ("kyber", "#b5838d"), ("none", "#222222")]


def colour(name):
    return next((value for start, value in FAMILIES if name.startswith(start)), "#999999")


def style(name, reported):
    if reported:
        return {"color": "#999999", "linestyle": ":", "linewidth": 1.2, "marker": ".",
                "markersize": 4}
    if name == "due":
        return {"color": "#000000", "linestyle": "--", "linewidth": 1.4}
    bold = name.startswith("ioband") and "limit" not in name
    alike = sum(map(ord, name)) % 3     # several of a family are told apart by the marker
    return {"color": colour(name), "linewidth": 2.4 if bold else 1.3,
            "marker": "os^"[alike], "markersize": 5 if bold else 3.5}


def number(value):
    """As people write it: 0.25, 3.14, 17.1, 12,400."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def cell(values, spread, point):
    """A figure for a table, with the lowest and the highest of its rounds if it has any."""
    if point not in values:
        return ""
    if point not in spread:
        return number(values[point])
    low, high = spread[point]
    return f"{number(values[point])} ({number(low)}-{number(high)})"


def tick(value, _):
    return f"{value:,.10g}"


def as_svg(figure):
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None}, bbox_inches="tight")
    pyplot.close(figure)
    text = out.getvalue()
    return text[text.index("<svg"):]


def spread(positions, gap, top):
    """Move labels apart: each at least GAP above the one below it, and none above TOP."""
    order = sorted(range(len(positions)), key=lambda i: positions[i])
    placed, bound = list(positions), None
    for index in order:
        if bound is not None:
            placed[index] = max(placed[index], bound)
        bound = placed[index] + gap
    bound = top
    for index in reversed(order):
        placed[index] = min(placed[index], bound)
        bound = placed[index] - gap
    return placed


def lines(view, label, points, series):
    """SERIES: (name, {point: value}, reported) in the order of the key."""
    figure, axes = pyplot.subplots(figsize=(8.2, 4.4))
    ends = []
    for name, values, reported in series:
        where = [(i, values[str(p)]) for i, p in enumerate(points) if str(p) in values]
        if view.log:
            where = [(x, y) for x, y in where if y > 0]
        if not where:
            continue
        axes.plot(*zip(*where), **style(name, reported),
                  zorder=4 if name.startswith("ioband") else 3)
        ends.append((name, reported, *where[-1]))
    if view.log:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5), numticks=12))
        axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    else:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(tick))
    axes.set_xticks(range(len(points)), [str(p) for p in points])
    axes.set_xlabel(label)
    axes.set_ylabel(UNITS.get(view.quantity, view.quantity))
    axes.set_title(view.title, loc="left", fontweight="bold")
    axes.margins(x=0.03)
    # Names at the lines' ends, in axes' own height so that they can be spread.
    to_axes = axes.transData + axes.transAxes.inverted()
    heights = [to_axes.transform((x, y))[1] for _, _, x, y in ends]
    for (name, reported, x, y), height in zip(ends, spread(heights, 0.045, 1)):
        axes.annotate(name, (x, y), xytext=(1.03, height), textcoords="axes fraction",
                      va="center", fontsize=8, annotation_clip=False,
                      color="#777777" if reported else colour(name) if name != "due"
                      else "#000000",
                      fontweight="bold" if name.startswith("ioband") else "normal",
                      arrowprops={"arrowstyle": "-", "lw": 0.5, "color": "#bbbbbb",
                                  "shrinkA": 0, "shrinkB": 2})
    return as_svg(figure)


def groups_of_bars(view, points, series):
    """Points that are words: one block of bars for each."""
    figure, axes = pyplot.subplots()
    row, labels = 0, []
    for point in points:
        first = row
        for name, values, reported in series:
            if point not in values:
                continue
            axes.barh(row, values[point], height=0.85,
                      color="#cccccc" if reported else colour(name))
            axes.annotate(f"{number(values[point])}  {name}", (values[point], row),
                          xytext=(3, 0), textcoords="offset points", va="center", fontsize=8)
            row += 1
        labels.append(((first + row - 1) / 2, point))
        row += 0.8
    figure.set_size_inches(7.2, 0.9 + 0.22 * row)
    axes.set_yticks([place for place, _ in labels], [point for _, point in labels])
    axes.invert_yaxis()
    if view.log:
        axes.set_xscale("log")
    axes.margins(x=0.25)
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(tick))
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(UNITS.get(view.quantity, view.quantity))
    axes.set_title(view.title, loc="left", fontweight="bold")
    return as_svg(figure)


def bars(view, series):
    """SERIES: (name, value, reported); one named due is a line."""
    dues = [value for name, value, _ in series if name == "due"]
    shown = [one for one in series if one[0] != "due"][::-1]
    figure, axes = pyplot.subplots(figsize=(7.2, 0.9 + 0.3 * len(shown)))
    axes.barh([name for name, _, _ in shown], [value for _, value, _ in shown],
              color=["#cccccc" if reported else colour(name) for name, _, reported in shown],
              height=0.7)
    widest = max([value for _, value, _ in shown] + dues)
    for index, (_, value, reported) in enumerate(shown):
        if not view.log and value > widest / 5:     # in the bar, where no line of what is due is
            axes.text(value - widest * 0.02, index, number(value), va="center", ha="right",
                      fontsize=8, color="black" if reported else "white")
        else:
            axes.text(value * 1.06 if view.log else value + widest * 0.01, index, number(value),
                      va="center", fontsize=8,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})
    for value in dues:
        axes.axvline(value, color="black", linestyle="--", linewidth=1.3)
        axes.text(value, len(shown) - 0.4, f"due {number(value)}", ha="center", fontsize=8)
    if view.log:
        axes.set_xscale("log")
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(tick))
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(UNITS.get(view.quantity, view.quantity))
    axes.set_title(view.title, loc="left", fontweight="bold", pad=14)
    return as_svg(figure)
