# SPDX-License-Identifier: GPL-2.0-only
"""
ioband volumes to measure.

Messages are sent by ioctl: a dmsetup for each of them would take the only processor for
5 ms, in the midst of what is measured.
"""

import errno
import fcntl
import os
import struct
import time

from . import system, undo

MESSAGE, DM_MAGIC = 14, 0xfd
HEAD = "=IIIIIIiIIIQ128s129s7x"         # struct dm_ioctl
HEAD_SIZE = struct.calcsize(HEAD)
ANSWER_SIZE = 1 << 20


class Volume:
    """/dev/mapper/NAME, an ioband volume on all of DEVICE."""

    def __init__(self, device, policy="weight", groups="", options=(), name="bench",
                 kind="cgroup"):
        self.name, self.path = name, f"/dev/mapper/{name}"
        extra = f" options {len(options)} {' '.join(options)}" if options else ""
        self.table = (f"0 {system.sectors(device)} ioband {device} {name} 0 0 {kind} "
                      f"{policy} 0 :100 {groups}{extra}")
        system.sh("dmsetup", "create", name, "--table", self.table)
        undo.push(self.remove)
        self.control = os.open("/dev/mapper/control", os.O_RDWR)

    def message(self, text, answer_size=ANSWER_SIZE):
        """What the kernel answers; OSError if it refuses. Room for much costs much time."""
        data = struct.pack("=Q", 0) + text.encode() + b"\0"
        buffer = bytearray(HEAD_SIZE + answer_size)
        struct.pack_into(HEAD, buffer, 0, 4, 0, 0, len(buffer), HEAD_SIZE, 0, 0, 0, 0, 0, 0,
                         self.name.encode(), b"")
        buffer[HEAD_SIZE:HEAD_SIZE + len(data)] = data
        fcntl.ioctl(self.control, 3 << 30 | HEAD_SIZE << 16 | DM_MAGIC << 8 | MESSAGE, buffer)
        start = struct.unpack_from(HEAD, buffer)[4]
        return bytes(buffer[start:]).split(b"\0", 1)[0].decode()

    def reload(self):
        """The first table once more, in the middle of everything."""
        system.sh("dmsetup", "load", self.name, "--table", self.table)
        system.sh("dmsetup", "resume", "--noflush", self.name)

    def stats(self):
        """All groups at one moment: {id: {key: number}}, and when: {"now": seconds}."""
        now, found = time.monotonic(), {}
        for line in self.message("stats").splitlines():
            words = dict(word.split("=", 1) for word in line.split())
            found[words["group"]] = {key: int(value) for key, value in words.items()
                                     if value.lstrip("-").isdigit()}
        found["now"] = now
        return found

    def remove(self):
        for _ in range(100):
            try:
                system.sh("dmsetup", "remove", "--retry", self.name)
                break
            except system.Failed as error:
                if "busy" not in str(error):
                    raise
                time.sleep(0.1)
        os.close(self.control)


def refuses(volume, text):
    """Whether the kernel refuses a message as a wrong one."""
    try:
        volume.message(text)
    except OSError as error:
        return error.errno == errno.EINVAL
    return False
