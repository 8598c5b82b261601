# SPDX-License-Identifier: GPL-2.0-only
"""
I/Os a second on processors that no machine here has: a simulation of the pieces that an
I/O consists of, on 1 to 128 of them, by SimPy.

Each processor has a tenant that always has DEPTH reads outstanding. A piece takes its
instructions, and for each cache line that another processor wrote last the time to fetch
it. What a tenant does gives way to completions between two pieces. The disk takes SERVICE_NS
for each, and any number at once: processors are the limit.
"""

from dataclasses import dataclass

import simpy

DEPTH = 64              # outstanding of each tenant; contended, half of it may be at the disk
SERVICE_NS = 80000
COMPLETION, TENANT = 0, 1               # what runs first
LINEAR, PASSING, CONTENDED = "dm-linear", "passing", "contended"


@dataclass(frozen=True)
class Pieces:
    """Instructions, and lines that another processor may have written last."""
    ask: int            # a program asks for an I/O, and hears of its end
    send: int           # the block layer and the driver take it
    complete: int       # interrupt, block layer, device-mapper
    passes: int         # ioband's part of one that passes, map and end_io
    hold: int           # of one that is held: what it takes more, under the lock
    common_lines: int = 3       # of the pool and its root, at each hold of the lock
    group_lines: int = 2        # of groups, which others have moved in the order since


@dataclass(frozen=True)
class Machine:
    ns_per_instruction: float
    line_ns: float


class Line:
    """A cache line that one after the other changes."""

    def __init__(self, env, machine):
        self.env, self.machine = env, machine
        self.turn, self.owner = simpy.Resource(env), None

    def change(self, cpu):
        with self.turn.request() as turn:
            yield turn
            if self.owner not in (None, cpu):
                yield self.env.timeout(self.machine.line_ns)
            self.owner = cpu


class Lock(Line):
    """
    A queued spinlock. Who waited has its own line written, and then writes the lock's. With
    it come the lines that it guards.
    """
    held_ns = 0

    def hold(self, cpu, lines, work):
        waits = self.turn.count > 0
        with self.turn.request() as turn:
            yield turn
            begun = self.env.now
            if self.owner not in (None, cpu):
                yield self.env.timeout((1 + waits + lines) * self.machine.line_ns)
            self.owner = cpu
            result = yield from work
            self.held_ns += self.env.now - begun
            return result


class Simulation:
    def __init__(self, kind, cpus, pieces, machine, depth=DEPTH):
        self.env = simpy.Environment()
        self.kind, self.pieces, self.machine = kind, pieces, machine
        self.cpus = [simpy.PriorityResource(self.env) for _ in range(cpus)]
        self.busy_ns = [0] * cpus
        self.credit = [simpy.Container(self.env, init=depth) for _ in range(cpus)]
        self.in_flight, self.lock = Line(self.env, machine), Lock(self.env, machine)
        self.outstanding, self.room = depth * cpus, depth * cpus // 2
        self.done = 0
        for cpu in range(cpus):
            self.env.process(self.tenant(cpu))

    def timeout(self, instructions):
        return self.env.timeout(instructions * self.machine.ns_per_instruction)

    def on(self, cpu, priority, work):
        """WORK has a processor to itself, which spins where it waits for lock or line."""
        with self.cpus[cpu].request(priority=priority) as turn:
            yield turn
            begun = self.env.now
            yield from work()
            self.busy_ns[cpu] += self.env.now - begun

    def tenant(self, cpu):
        while True:
            yield self.credit[cpu].get(1)
            yield from self.on(cpu, TENANT, lambda: self.submit(cpu))

    def submit(self, cpu):
        pieces = self.pieces
        yield self.timeout(pieces.ask)
        if self.kind != LINEAR:
            yield self.timeout(pieces.passes)
        if self.kind == PASSING:
            yield from self.in_flight.change(cpu)
        elif self.kind == CONTENDED:
            lines = pieces.common_lines + pieces.group_lines
            if not (yield from self.lock.hold(cpu, lines, self.hold(cpu))):
                return
        yield self.timeout(pieces.send)
        self.env.process(self.complete(cpu))

    def hold(self, cpu):
        """Whose task comes with one more sends one that is held, if there is room."""
        yield self.timeout(self.pieces.hold)
        if not self.room:
            return False
        self.room -= 1
        yield from self.in_flight.change(cpu)
        return True

    def complete(self, tenant):
        yield self.env.timeout(SERVICE_NS)
        yield from self.on(tenant, COMPLETION, lambda: self.count(tenant))
        self.done += 1
        yield self.credit[tenant].put(1)

    def count(self, cpu):
        yield self.timeout(self.pieces.complete)
        if self.kind != LINEAR:
            yield from self.in_flight.change(cpu)
            self.room += 1

    def run(self, ios):
        """Over so many I/Os, after all that is outstanding has been done once."""
        self.until(self.outstanding)
        done, began, busy = self.done, self.env.now, list(self.busy_ns)
        held = self.lock.held_ns
        self.until(done + ios)
        span = self.env.now - began
        return Result(1e9 * (self.done - done) / span, (self.lock.held_ns - held) / span,
                      sum(now - then for now, then in zip(self.busy_ns, busy))
                      / span / len(busy))

    def until(self, done):
        while self.done < done:
            self.env.step()


@dataclass(frozen=True)
class Result:
    """I/Os a second, and what parts of the time lock and processors are taken."""
    iops: float
    lock: float
    cpus: float


def simulate(kind, cpus, pieces, machine, **rest):
    return Simulation(kind, cpus, pieces, machine, **rest).run(3000 + 50 * cpus)
