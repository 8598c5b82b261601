# SPDX-License-Identifier: GPL-2.0-only
"""The model's section of docs/results.md: its curve, its ceilings, and how it fits."""

from . import model, plots, processors
from .experiment import View
from .model import AT_HOME, CONTENDED, LINEAR, PASSING, Machine, Pieces

# Counted by function in the machine that counts instructions: two users, each with 128 reads
# of 4 KiB outstanding, on a disk of 32 slots of 800 us (tests/perf/024), on ioband and on
# dm-linear. What one run of the worker takes is what it takes where it serves one I/O.
PIECES = Pieces(ask=5500, send=2300, complete=2700, passes=580, arrive=750, hold=600,
                decide=1500, run=6500)
NS_PER_INSTRUCTION, LINE_NS, LINES_NS = 0.3, 70, (50, 100)
CPUS = [1, 2, 4, 8, 16, 32, 64, 128]
NAMES = {LINEAR: "dm-linear", PASSING: "ioband passing", CONTENDED: "ioband contended",
         AT_HOME: "ioband sent at home"}
AIM = 3e6
FILE = "processors"
VIEW = View("all", "iops", "Model: I/Os a second on 1 to 128 processors", log=True)
# Where the model is compared, and the depth that was found there.
POINT, ROOM = "64 slots", 64


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
        f"{ns} ns | lock held | worker runs" for ns in LINES_NS) + " |",
        "|---" + "|--:" * 3 * len(LINES_NS) + "|"]
    by_ns = [curves_at_most(ns) for ns in LINES_NS]
    for kind, name in NAMES.items():
        if kind == LINEAR:
            continue
        cells = []
        for found in by_ns:
            one = found[kind]
            cells += [thousands(one.iops), f"{100 * one.lock:.0f} %", f"{100 * one.worker:.0f} %"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def curves_at_most(line_ns):
    machine = Machine(NS_PER_INSTRUCTION, line_ns)
    return {kind: model.simulate(kind, CPUS[-1], PIECES, machine) for kind in NAMES}


def predictions(rows):
    """(what, predicted, measured) on two emulated processors, from one of them."""
    values, _ = rows.figures("two-processors")

    def measured(controller, load, quantity="iops"):
        return values[controller][load, quantity][POINT]

    alone = PIECES.ask + PIECES.send + PIECES.complete
    ns = 1e9 / measured(processors.BASE, "one job") / alone
    # An emulated processor has no cache.
    machine = Machine(ns, 0, one_completes=True)
    yield "ns an instruction, from dm-linear, one job", ns, ns
    for what, kind, cpus, controller, load in [
            ("ioband, one job, passing", PASSING, 1, "ioband weight", "one job"),
            ("dm-linear, two jobs", LINEAR, 2, processors.BASE, "1:1"),
            ("ioband, two jobs, contended", CONTENDED, 2, "ioband weight", "1:1")]:
        result = model.simulate(kind, cpus, PIECES, machine, depth=processors.DISKS[POINT][1],
                                room=ROOM)
        yield what + ", I/Os a second", result.iops, measured(controller, load)


def fit(rows):
    lines = ["| | predicted | measured | error |", "|---|--:|--:|--:|"]
    found = list(predictions(rows))
    for what, predicted, real in found:
        error = f"{100 * (predicted / real - 1):+.0f} %" if predicted != real else "taken"
        lines.append(f"| {what} | {plots.number(predicted)} | {plots.number(real)} | {error} |")
    (_, linear, real_linear), (_, ours, real_ours) = found[-2:]
    lines.append(f"| ioband's over dm-linear's, two jobs | {100 * ours / linear:.0f} % | "
                 f"{100 * real_ours / real_linear:.0f} % | "
                 f"{100 * (ours * real_linear / linear / real_ours - 1):+.0f} % |")
    return "\n".join(lines)


TEXT = """## Processors that no machine here has

How far does one pool go when processors are many and the disk takes whatever comes? A
simulation (`tests/perf/lab/model.py`, by SimPy) of the pieces of an I/O. A tenant on each
processor always has {depth} reads outstanding; *contended*, half of them wait for their turn.

![{title}](results/{file}.svg)

{table}

*ioband contended* is the module as it is: one worker sends down what was held, so it, and the
interrupts of what it has sent, have one processor for all tenants. *sent at home* is what the
same decisions would allow if each I/O went down on the processor that it came from; the
module does not do that. On one processor each completion wakes the worker for one I/O, on
more of them it serves several. The aim was {aim} thousand decisions a second.

{ceilings}

Counted (docs/decisions.rst says how): instructions of a read of 4 KiB for the program and
system calls {p.ask:,}, to send it {p.send:,}, to complete it {p.complete:,}; of ioband passing
{p.passes:,}; held {p.arrive:,} outside the lock, {p.hold:,} under it to be held and {p.decide:,} to
be chosen; {p.run:,} for each run of the worker, which serves all that there is room for.
Assumed: {ns} ns an instruction; {line} ns in the curve for a cache line that another processor
wrote last; {p.common_lines} of these for each hold of the lock besides the lock's own,
{p.group_lines} for a group, {p.bio_lines} for a bio that is sent by another than its submitter; one
more for who waited for the lock; an interrupt for each processor at the disk. Waiting
processors spin. Left out: power and turbo, sockets and hyperthreads, the scheduler's own
costs, memory's bandwidth, and that a line that many read is slower.

How it fits what was measured on two emulated processors (above), with what one instruction
takes there from dm-linear's one job, no time for lines, of which these processors have no
copies, and all completions on one of them, as with this disk:

{fit}

What passes is met. What is contended the model takes for cheaper than it was there. It has no
host that takes a processor away from who holds the lock, so that the other spins; whether
that is all was not found out. So take the ceilings for upper bounds.
"""


def section(rows, folder):
    found = curves(LINE_NS)
    with open(f"{folder}/{FILE}.svg", "w", encoding="utf-8") as out:
        out.write("<!-- SPDX-License-Identifier: GPL-2.0-only -->\n" + picture(found) + "\n")
    return TEXT.format(depth=model.DEPTH, title=VIEW.title, file=FILE, table=table(found),
                       aim=thousands(AIM), ceilings=ceilings(), p=PIECES, line=LINE_NS,
                       ns=NS_PER_INSTRUCTION, fit=fit(rows))
