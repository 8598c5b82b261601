# SPDX-License-Identifier: GPL-2.0-only
"""
How often the module's locked instructions are executed, and by whom spinlocks are taken,
counted by probes of the kernel.

Each such instruction waits for its cache line to be this processor's own, so these, and not
the clock of a machine of one processor, say what processors do to each other.
"""

import contextlib
import re
import struct

from . import system, undo

TRACING = "/sys/kernel/tracing"
EVENTS = "ioband_probes"
FENCE = b"\xf0\x83\x44\x24\xfc\x00"     # smp_mb(): lock addl $0, -4(%rsp), not of the list below
SECTION = "<IIQQQQIIQQ"                 # Elf64_Shdr
RELOCATION = "<QQq"                     # Elf64_Rela


def sections(elf):
    """{name: content} of an object file of 64 bits."""
    table, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    found = [struct.unpack_from(SECTION, elf, table + i * size) for i in range(count)]

    def name(entry):
        start = found[names][4] + entry[0]
        return elf[start:elf.index(b"\0", start)].decode()
    return {name(entry): elf[entry[4]:entry[4] + entry[5]] for entry in found}


def locked_offsets(elf):
    """Where in .text there is a lock prefix: the list by which the kernel patches them."""
    parts = sections(elf)
    found = {addend for _, _, addend in struct.iter_unpack(RELOCATION, parts[".rela.smp_locks"])}
    return found | {match.start() for match in re.finditer(re.escape(FENCE), parts[".text"])}


class Probes:
    def __init__(self, module, path):
        undo.push(self.remove)
        base = int(system.read(f"/sys/module/{module}/sections/.text"), 16)
        with open(path, "rb") as file:
            offsets = locked_offsets(file.read())
        lines = [f"p:{EVENTS}/at_{offset:x} {base + offset:#x}" for offset in sorted(offsets)]
        lines.append(f"p:{EVENTS}/taken _raw_spin_lock caller=+0(%sp):u64")
        system.write(f"{TRACING}/kprobe_events", "\n".join(lines) + "\n")
        system.write(f"{TRACING}/events/{EVENTS}/taken/trigger", "hist:keys=caller.sym")
        system.write(f"{TRACING}/events/{EVENTS}/enable", 1)
        self.module = module

    def locked(self):
        """Locked instructions of the module that were executed so far."""
        return sum(int(line.split()[1])
                   for line in system.read(f"{TRACING}/kprobe_profile").splitlines()
                   if line.split()[0].startswith("at_"))

    def taken(self):
        """Spinlocks that the module has taken itself so far."""
        text = system.read(f"{TRACING}/events/{EVENTS}/taken/hist")
        return sum(map(int, re.findall(rf"\[{self.module}\].*hitcount: +(\d+)", text)))

    @staticmethod
    def remove():
        with contextlib.suppress(system.Failed):
            system.write(f"{TRACING}/events/{EVENTS}/enable", 0)
            system.write(f"{TRACING}/events/{EVENTS}/taken/trigger", "!hist:keys=caller.sym")
        system.write(f"{TRACING}/kprobe_events", "")
