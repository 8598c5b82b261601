# SPDX-License-Identifier: GPL-2.0-only
"""
How much of the processor's time nobody else needs, in the machine whose clock counts
instructions.

The kernel's own account has neither interrupts nor what it does to go idle and come back. And
a loop in Python will not do: the interpreter rewrites one that has run a few times, and it
goes on 1.6 times as fast.
"""

import ctypes
import mmap
import os
import signal
import struct

from . import undo


class Spinner:
    """Takes all idle time, and counts. An instruction is a ns, and a nop costs the host none."""

    ROUND_NS = 64
    # 1: incq (%rdi); nop ...; jmp 1b
    LOOP = b"\x48\xff\x07" + b"\x90" * (ROUND_NS - 2) + b"\xeb\xbd"

    def __init__(self):
        self.count = mmap.mmap(-1, 4096)
        self.pid = os.fork()
        if self.pid:
            undo.push(self.stop)
            return
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code.write(self.LOOP)
        spin = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(
            ctypes.addressof(ctypes.c_char.from_buffer(code)))
        spin(ctypes.addressof(ctypes.c_char.from_buffer(self.count)))

    def idle_ns(self):
        return self.ROUND_NS * struct.unpack("Q", self.count[:8])[0]

    def stop(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.pid = 0
