# SPDX-License-Identifier: GPL-2.0-only
"""
Small logical volumes on the device that is measured: linear, of 2 GiB.

The page cache is written back by inode, each of them as the one cgroup that writes most
to it. A device is one inode: two groups that write to the same through the page cache are
one writer to everybody below. Each of these is an inode of its own, as a file is.
"""

from . import system, undo

DIRECTORY = "/dev/mapper"
SECTORS_PER_GIB = 1 << 21
SIZE_GIB = 2

_made = []


def name(group, number):
    return f"{group}.{number}"


def make(device, group, starts_gib):
    """One at each of these."""
    undo.push(remove)
    for number, start in enumerate(starts_gib):
        system.sh("dmsetup", "create", name(group, number), "--table",
                  f"0 {SIZE_GIB * SECTORS_PER_GIB} linear {device} {start * SECTORS_PER_GIB}")
        _made.append(name(group, number))


def remove():
    """All of them."""
    while _made:
        system.sh("dmsetup", "remove", "--retry", _made[-1])
        _made.pop()
