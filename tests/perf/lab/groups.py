# SPDX-License-Identifier: GPL-2.0-only
"""Cgroups (version 2) that jobs run in."""

import os

from . import system

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
    os.makedirs(path(name), exist_ok=True)
    return path(name)


def number(name):
    """The id that ioband's type cgroup knows it by."""
    return os.stat(path(name)).st_ino


def remove(name):
    os.rmdir(path(name))
