# SPDX-License-Identifier: GPL-2.0-only
"""Files and programs of the machine that is measured."""

import os
import subprocess


class CannotDo(Exception):
    """What a controller is not made for, as a sentence: a hole in the table."""


class Failed(Exception):
    """What should have worked, and did not."""


def sh(*args):
    """Run a program and give what it prints; Failed with its last words if it fails."""
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    if done.returncode:
        words = (done.stderr or done.stdout).strip().splitlines() or [f"status {done.returncode}"]
        raise Failed(f"{' '.join(args)}: {words[-1]}")
    return done.stdout


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def write(path, text):
    """One write to a file of the kernel; Failed says which word it refuses."""
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(str(text))
    except OSError as error:
        raise Failed(f"{path} refuses '{text}': {error.strerror}") from error


def device_number(device):
    """MAJOR:MINOR by which the io files of cgroups know it: of a partition its disk's."""
    number = os.stat(device).st_rdev
    text = f"{os.major(number)}:{os.minor(number)}"
    if os.path.exists(f"/sys/dev/block/{text}/partition"):
        return read(f"/sys/dev/block/{text}/../dev").strip()
    return text


def sectors(device):
    return int(sh("blockdev", "--getsz", device))
