# SPDX-License-Identifier: GPL-2.0-only
"""What is compared on the disk: tenants with a load each, what is due to them, what is shown."""

from dataclasses import dataclass, field, replace

from lab import jobs

MIB = 1 << 20


@dataclass(frozen=True)
class Tenant:
    """JOB is of lab.jobs but for its group; DUE: it counts whether it gets what is due to it."""
    name: str
    weight: int
    job: dict
    due: bool = True
    latency: bool = False


@dataclass(frozen=True)
class Case:
    key: str
    title: str
    says: str
    tenants: list
    needs: str              # weights, limits, latency or cost
    columns: dict           # figure: heading
    kept: str               # of those who do what is due, the best is the one with more of this
    alone: bool = True      # due is the part by weight of what a tenant has alone, not of all
    fixed: dict = field(default_factory=dict)       # limits by name
    target_us: int = 0      # of the tenant with latency

    def limit_of(self, tenant):
        return self.fixed.get(tenant.name, 0)

    def part(self, tenant):
        return tenant.weight / sum(one.weight for one in self.tenants)

    def suits(self, rival):
        """Why RIVAL has no figures here: "" if it has, None if it is not asked."""
        if rival.name == "dm-linear" and self.needs != "cost":
            return None
        if self.needs == "weights" and self.alone or self.needs == "cost":
            return ""       # without weights, too: what they are for
        if self.needs == "weights":
            return "limits only, no weights" if rival.name == "io.max" else ""
        return "" if self.needs in rival.able else \
            f"no {'latency target' if self.needs == 'latency' else self.needs}"


def load(rw, block, depth, options, count=1):
    return {"rw": rw, "size": block, "depth": depth, "count": count, "options": options}


def all_of(device):
    # A hard disk has every I/O behind all others.
    depth, count = (16, 1) if device.rotational else (64, 2)
    half = device.span // 2 // MIB * MIB
    whole = {"size": device.span}
    first, second = {"size": half}, {"size": half, "offset": half}
    many = load("randread", "4k", depth, whole, count)
    database = Tenant("database", 300, load("randread", "4k", 4, first))
    single = replace(database, job=load("randread", "4k", 1, first), latency=True)
    backup = Tenant("backup", 100, load("read", "1m", 8, second), due=False)
    flood = Tenant("flood", 100, load("write", "1m", 32, second), due=False)
    shares = {"due": "worst served, % of due", "total.iops": "I/O per second"}

    def beside(other, word):
        return {"due": "database, % of due", "database.iops": "its reads per second",
                "database.p99_ms": "its 99th percentile, ms", f"{other}.mib_s": word}
    return [
        Case("two", "Two tenants, weights 3:1", "Both read 4 KiB at random as fast as they can.",
             [Tenant("gold", 300, many), Tenant("basic", 100, many)], "weights",
             {**shares, "gold.share": "gold, % of all", "basic.share": "basic, % of all"},
             "total.iops", alone=False),
        Case("four", "Four tenants, weights 4:3:2:1",
             "All read 4 KiB at random as fast as they can.",
             [Tenant(f"t{weight}", 100 * weight, many) for weight in (4, 3, 2, 1)], "weights",
             {**shares, **{f"t{n}.share": f"weight {n}, %" for n in (4, 3, 2, 1)}},
             "total.iops", alone=False),
        Case("backup", "A database beside a backup, weights 3:1",
             "The database reads 4 KiB at random, 4 at a time; the backup reads 1 MiB in "
             "sequence, 8 at a time. Due to the database are three quarters of what it has alone.",
             [database, backup], "weights", beside("backup", "backup, MiB/s"), "backup.mib_s"),
        Case("flood", "A database beside a flood of writes, weights 3:1",
             "The database reads 4 KiB at random, one at a time; the flood writes 1 MiB in "
             "sequence, 32 at a time.",
             [single, flood], "weights", beside("flood", "written, MiB/s"), "flood.mib_s"),
        Case("latency", "A latency target beside the same flood",
             "Due is that 99 of 100 reads take no longer than the target.",
             [single, flood], "latency", {
                 "due": "target, % kept", "database.p99_ms": "99th percentile, ms",
                 "database.iops": "its reads per second", "flood.mib_s": "written, MiB/s"},
             "flood.mib_s"),
        Case("limit", "A backup with a limit beside a database",
             "The backup has a limit, a tenth of what it has alone.",
             [replace(backup, due=True), replace(database, due=False)], "limits",
             {"due": "backup, % of its limit", "backup.mib_s": "backup, MiB/s",
              "database.iops": "reads of the database per second"}, "database.iops"),
        Case("one", "What it costs: one read at a time", "One tenant, nobody beside it.",
             [Tenant("one", 100, single.job)], "cost",
             {"due": "% of alone", "one.iops": "reads per second", "one.p50_ms": "median, ms",
              "one.p99_ms": "99th percentile, ms"}, ""),
        Case("many", "What it costs: many reads at a time", "One tenant, nobody beside it.",
             [Tenant("many", 100, many)], "cost",
             {"due": "% of alone", "many.iops": "reads per second",
              "cpu_us": "processor time, us per read"}, ""),
    ]


def lone(cases):
    """A case for each load to be measured alone, by what it is; its tenant has that name."""
    found = {}
    for case in cases:
        for tenant in case.tenants:
            found.setdefault(repr(tenant.job), replace(
                case, key="alone", tenants=[replace(tenant, name="alone")], needs="",
                target_us=0, fixed={}))
    return found


def named(tenant):
    job = tenant.job
    return f"{job['rw']} {job['size']}, {job['depth'] * job['count']} at a time"


def job(tenant, group):
    return jobs.Job(group, **tenant.job)
