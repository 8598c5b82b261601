# SPDX-License-Identifier: GPL-2.0-only
"""
I/Os a second on processors that no machine here has: a simulation of the pieces that an
I/O consists of, on 1 to 128 of them, by SimPy.

Each processor has a tenant that always has DEPTH reads outstanding. A piece takes its
instructions, and for each cache line that another processor wrote last the time to fetch
it. What a tenant does gives way to a worker, and both to completions, between two pieces.
The disk takes SERVICE_NS for each, and any number at once: processors are the limit.
"""

from collections import deque
from dataclasses import dataclass

import simpy

DEPTH = 64              # outstanding of each tenant; contended, half of it may be at the disk
SERVICE_NS = 80000
BATCH = 64              # BATCH_BIOS of worker.c
COMPLETION, WORKER, TENANT = 0, 1, 2    # what runs first
LINEAR, PASSING, CONTENDED, AT_HOME = "dm-linear", "passing", "contended", "contended, sent at home"


@dataclass(frozen=True)
class Pieces:
    """Instructions, and lines that another processor may have written last."""
    ask: int            # a program asks for an I/O, and hears of its end
    send: int           # the block layer and the driver take it
    complete: int       # interrupt, block layer, device-mapper
    passes: int         # ioband's part of one that passes, map and end_io
    arrive: int         # of one that is held: outside the lock, map and end_io
    hold: int           # under the lock, by its submitter
    decide: int         # under the lock, by the worker, for each
    run: int            # a run of the worker: to wake it, and to switch to it and back
    common_lines: int = 3       # of the pool and its root, at each hold of the lock
    group_lines: int = 2        # of the group, which submitter and worker write in turns
    bio_lines: int = 2          # which the submitter wrote, and who sends it reads


@dataclass(frozen=True)
class Machine:
    ns_per_instruction: float
    line_ns: float
    one_completes: bool = False     # a disk of one interrupt, not of one for each processor


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
            yield from work()
            self.held_ns += self.env.now - begun


class Simulation:
    def __init__(self, kind, cpus, pieces, machine, depth=DEPTH, room=0):
        self.env = simpy.Environment()
        self.kind, self.pieces, self.machine = kind, pieces, machine
        self.cpus = [simpy.PriorityResource(self.env) for _ in range(cpus)]
        self.busy_ns = [0] * cpus
        self.credit = [simpy.Container(self.env, init=depth) for _ in range(cpus)]
        self.in_flight, self.lock = Line(self.env, machine), Lock(self.env, machine)
        self.outstanding, self.room = depth * cpus, room or depth * cpus // 2
        self.held, self.decided = deque(), deque()
        self.worker_is_due = self.worker_runs = False
        self.worked_ns = self.done = 0
        for cpu in range(cpus):
            self.env.process(self.tenant(cpu))

    def timeout(self, instructions, lines=0):
        return self.env.timeout(instructions * self.machine.ns_per_instruction
                                + lines * self.machine.line_ns)

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
        if self.kind in (LINEAR, PASSING):
            if self.kind == PASSING:
                yield self.timeout(pieces.passes)
                yield from self.in_flight.change(cpu)
            yield self.timeout(pieces.send)
            self.disk(cpu, cpu)
            return
        yield self.timeout(pieces.arrive)

        def hold():
            yield self.timeout(pieces.hold)
            self.held.append(cpu)
        yield from self.lock.hold(cpu, pieces.common_lines + pieces.group_lines, hold)
        if self.room:
            self.wake(cpu)

    def disk(self, tenant, sender):
        self.env.process(self.complete(tenant, 0 if self.machine.one_completes else sender))

    def complete(self, tenant, cpu):
        yield self.env.timeout(SERVICE_NS)
        yield from self.on(cpu, COMPLETION, lambda: self.count(cpu))
        self.done += 1
        yield self.credit[tenant].put(1)

    def count(self, cpu):
        yield self.timeout(self.pieces.complete)
        if self.kind == LINEAR:
            return
        yield from self.in_flight.change(cpu)
        if self.kind != PASSING:
            self.room += 1
            if self.held:
                self.wake(cpu)

    def wake(self, cpu):
        """On the processor that asks; if it runs already, once more where it is."""
        self.worker_is_due = True
        if not self.worker_runs:
            self.worker_runs = True
            self.env.process(self.worker(cpu))

    def worker(self, cpu):
        """All that there is room for is decided at once; of that so many are sent."""
        while self.worker_is_due:
            yield from self.on(cpu, WORKER, lambda: self.pump(cpu))
        self.worker_runs = False

    def pump(self, cpu):
        pieces, begun, self.worker_is_due = self.pieces, self.env.now, False
        yield self.timeout(pieces.run)
        yield from self.lock.hold(cpu, pieces.common_lines, self.decide)
        batch = [self.decided.popleft() for _ in range(min(BATCH, len(self.decided)))]
        self.worker_is_due |= bool(self.decided)
        for tenant in batch:
            if self.kind == AT_HOME:
                self.env.process(self.on(tenant, WORKER, lambda t=tenant: self.send(t, t)))
            else:
                yield from self.send(tenant, cpu)
        self.worked_ns += self.env.now - begun

    def decide(self):
        pieces = self.pieces
        while self.room and self.held:
            tenant = self.held.popleft()
            self.room -= 1
            other = tenant != self.lock.owner
            yield self.timeout(pieces.decide, other * pieces.group_lines)
            # Counted at the disk under the lock.
            yield from self.in_flight.change(self.lock.owner)
            self.decided.append(tenant)

    def send(self, tenant, cpu):
        yield self.timeout(self.pieces.send, (tenant != cpu) * self.pieces.bio_lines)
        self.disk(tenant, cpu)

    def run(self, ios):
        """Over so many I/Os, after all that is outstanding has been done once."""
        self.until(self.outstanding)
        done, began, busy = self.done, self.env.now, list(self.busy_ns)
        held, worked = self.lock.held_ns, self.worked_ns
        self.until(done + ios)
        span = self.env.now - began
        return Result(1e9 * (self.done - done) / span, (self.lock.held_ns - held) / span,
                      (self.worked_ns - worked) / span,
                      sum(now - then for now, then in zip(self.busy_ns, busy))
                      / span / len(busy))

    def until(self, done):
        while self.done < done:
            self.env.step()


@dataclass(frozen=True)
class Result:
    """I/Os a second, and what parts of the time lock, worker and processors are taken."""
    iops: float
    lock: float
    worker: float
    cpus: float


def simulate(kind, cpus, pieces, machine, **rest):
    return Simulation(kind, cpus, pieces, machine, **rest).run(3000 + 50 * cpus)
