# SPDX-License-Identifier: GPL-2.0-only
"""Cgroups (version 2) that jobs run in."""

import os

from . import system, undo

ROOT = "/sys/fs/cgroup"


def enable(*controllers, at=""):
    """Controllers for the children of the cgroup AT, and of all above it."""
    words = [word for word in at.split("/") if word]
    for depth in range(len(words) + 1):
        path = "/".join([ROOT, *words[:depth]])
        for controller in controllers:
            system.write(f"{path}/cgroup.subtree_control", "+" + controller)


def path(name):
    return f"{ROOT}/{name}"


def make(name):
    if not os.path.isdir(path(name)):
        undo.push(remove, name)
        os.makedirs(path(name))
    return path(name)


def number(name):
    """The id that ioband's type cgroup knows it by."""
    return os.stat(path(name)).st_ino


def remove(name):
    os.rmdir(path(name))
