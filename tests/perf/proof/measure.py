# SPDX-License-Identifier: GPL-2.0-only
"""One run: the tenants of a case under a rival, and its figures."""

import os
import time

from lab import experiment, groups, jobs, system, undo, windows
from . import cases, rivals

TICKS = os.sysconf("SC_CLK_TCK")


def processors():
    """Time that all processors have worked, on whatever."""
    user, nice, kernel, _, _, irq, softirq = map(
        int, system.read("/proc/stat").splitlines()[0].split()[1:8])
    return {"busy_us": (user + nice + kernel + irq + softirq) * 1e6 / TICKS}


def run(device, rival, case, settle_s, window_s):
    """Figures by name: those of a tenant as NAME.FIGURE."""
    for tenant in case.tenants:
        groups.make(rivals.group(tenant))
    running = None
    try:
        path = rival.set_up(device, case)
        running = jobs.start({tenant.name: cases.job(tenant, rivals.group(tenant))
                              for tenant in case.tenants}, path, settle_s)
        counters = {tenant.name: windows.cgroup(rivals.group(tenant), path)
                    for tenant in case.tenants}
        windows.wait_until_all_run(counters)
        time.sleep(settle_s)
        window = windows.Window({**counters, "cpu": processors, "disk": disks(device)},
                                window_s)
        running.stop()
        results = running.results()
    finally:
        if running:
            running.kill()
        for tenant in case.tenants:
            # What fio has forked outlives it.
            system.write(f"{groups.path(rivals.group(tenant))}/cgroup.kill", 1)
            experiment.remove_group(rivals.group(tenant))
        rival.tear_down()
        undo.everything()
    return figures(case, window, results)


def disks(device):
    """What the disk below does for all that is on it; of several nothing can be told."""
    return windows.disk(device.leaf) if len(device.leaves) == 1 else dict


def figures(case, window, results):
    found = {}
    for tenant in case.tenants:
        name = tenant.name
        found[f"{name}.iops"] = window.iops(name)
        found[f"{name}.mib_s"] = window.kib_per_s(name) / 1024
        for direction in results.get(name, {}).values():
            found.update({f"{name}.{key}": value
                          for key, value in jobs.latencies(direction).items()})
    for unit in "iops", "mib_s":
        found[f"total.{unit}"] = sum(found[f"{tenant.name}.{unit}"] for tenant in case.tenants)
    for tenant in case.tenants if found["total.iops"] else []:
        found[f"{tenant.name}.share"] = \
            100 * found[f"{tenant.name}.iops"] / found["total.iops"]
    if window.grown["disk"]:
        found["disk.mib_s"] = window.kib_per_s("disk") / 1024
    if found["total.iops"]:
        found["cpu_us"] = window.grown["cpu"]["busy_us"] / window.seconds / found["total.iops"]
    return found


def due(case, found, alone):
    """
    What the worst served of those that count has of what is due to it, in percent. Where all
    ask for all, and of a limit, more is as far off as less; beside others it is enough.
    """
    percent = []
    for tenant in case.tenants if case.needs else []:
        if not tenant.due:
            continue
        if case.target_us:
            late = found.get("database.p99_ms")
            percent.append(min(100, 100 * case.target_us / 1000 / late) if late else 0)
        elif case.needs == "limits":
            percent.append(closeness(found[f"{tenant.name}.mib_s"] * cases.MIB,
                                     case.limit_of(tenant)))
        elif case.alone:
            owed = alone[repr(tenant.job)]["alone.iops"] * case.part(tenant)
            percent.append(min(100 if case.needs == "weights" else 1e9,
                               100 * found[f"{tenant.name}.iops"] / owed))
        else:
            percent.append(closeness(found.get(f"{tenant.name}.share", 0),
                                     100 * case.part(tenant)))
    return {"due": min(percent)} if percent else {}


def closeness(got, owed):
    return 100 * min(got / owed, owed / got) if got else 0
