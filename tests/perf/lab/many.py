# SPDX-License-Identifier: GPL-2.0-only
"""The model's section of docs/results.md: its curve, its ceilings, and how it fits."""

from . import model, plots
from .experiment import View
from .model import CONTENDED, LINEAR, PASSING, Machine, Pieces

# The first three counted by function in the machine that counts instructions: two users, each
# with 128 reads of 4 KiB outstanding, on dm-linear above a disk of 32 slots of 800 us. What
# passes is docs/results.md's, what is held over that tests/perf/024's of two groups on a disk
# of 64 slots, searches for its depth included: all of it is taken to be under the lock.
PIECES = Pieces(ask=5500, send=2300, complete=2700, passes=343, hold=1680)
NS_PER_INSTRUCTION, LINE_NS, LINES_NS = 0.3, 70, (50, 100)
CPUS = [1, 2, 4, 8, 16, 32, 64, 128]
NAMES = {LINEAR: "dm-linear", PASSING: "ioband passing", CONTENDED: "ioband contended"}
AIM = 3e6
FILE = "processors"
VIEW = View("all", "iops", "Model: I/Os a second on 1 to 128 processors", log=True)


def curves(line_ns):
    """{kind: {number of processors: result}}"""
    machine = Machine(NS_PER_INSTRUCTION, line_ns)
    return {kind: {str(cpus): model.simulate(kind, cpus, PIECES, machine) for cpus in CPUS}
            for kind in NAMES}


def picture(found):
    series = [(NAMES[kind], {cpus: result.iops for cpus, result in by_cpus.items()}, False)
              for kind, by_cpus in found.items()]
    series.append(("aim", {str(cpus): AIM for cpus in CPUS}, True))
    return plots.lines(VIEW, "processors, a tenant on each", CPUS, series)


def thousands(iops):
    return f"{iops / 1000:,.0f}"


def table(found):
    lines = ["| thousand I/Os a second | " + " | ".join(map(str, CPUS)) + " |",
             "|---" + "|--:" * len(CPUS) + "|"]
    for kind, by_cpus in found.items():
        mark = "**" if kind != LINEAR else ""
        lines.append(f"| {mark}{NAMES[kind]}{mark} | " + " | ".join(
            thousands(result.iops) for result in by_cpus.values()) + " |")
    return "\n".join(lines)


def ceilings():
    """What the most processors do, by what a cache line takes."""
    lines = ["| at 128 processors, a line taking | " + " | ".join(
        f"{ns} ns | lock held" for ns in LINES_NS) + " |",
        "|---" + "|--:" * 2 * len(LINES_NS) + "|"]
    by_ns = [curves_at_most(ns) for ns in LINES_NS]
    for kind, name in NAMES.items():
        if kind == LINEAR:
            continue
        cells = []
        for found in by_ns:
            one = found[kind]
            cells += [thousands(one.iops), f"{100 * one.lock:.0f} %"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def curves_at_most(line_ns):
    machine = Machine(NS_PER_INSTRUCTION, line_ns)
    return {kind: model.simulate(kind, CPUS[-1], PIECES, machine) for kind in NAMES}


TEXT = """## Processors that no machine here has

How far does one pool go when processors are many and the disk takes whatever comes? A
simulation (`tests/perf/lab/model.py`, by SimPy) of the pieces of an I/O. A tenant on each
processor always has {depth} reads outstanding; *contended*, half of them wait for their turn.

![{title}](results/{file}.svg)

{table}

Contended, each I/O takes the pool's lock once, and whoever comes with one more sends one that
its group has held: where tasks come, as here, no worker does. So the lock is the bound. The aim
was {aim} thousand a second.

{ceilings}

Counted (docs/decisions.rst says how): instructions of a read of 4 KiB for the program and
system calls {p.ask:,}, to send it {p.send:,}, to complete it {p.complete:,}; of ioband passing
{p.passes:,}, and where it holds {p.hold:,} more, taken to be all under the lock.
Assumed: {ns} ns an instruction; {line} ns in the curve for a cache line that another processor
wrote last; {p.common_lines} of these for each hold of the lock besides the lock's own, and
{p.group_lines} for groups beside which others were put in order; one more for who waited for the
lock; an interrupt for each processor at the disk. Waiting
processors spin. Left out: power and turbo, sockets and hyperthreads, the scheduler's own
costs, memory's bandwidth, and that a line that many read is slower.

On two emulated processors, which have no caches to fetch lines from, it would have 84 % of
dm-linear's rate contended; 65 to 80 % were measured (docs/decisions.rst). It has no search for
the depth, no worker where a task is late, and no host that takes a processor away from who holds
the lock, so that the other spins. So take the ceilings for upper bounds.
"""


def section(folder):
    found = curves(LINE_NS)
    with open(f"{folder}/{FILE}.svg", "w", encoding="utf-8") as out:
        out.write("<!-- SPDX-License-Identifier: GPL-2.0-only -->\n" + picture(found) + "\n")
    return TEXT.format(depth=model.DEPTH, title=VIEW.title, file=FILE, table=table(found),
                       aim=thousands(AIM), ceilings=ceilings(), p=PIECES, line=LINE_NS,
                       ns=NS_PER_INSTRUCTION)
