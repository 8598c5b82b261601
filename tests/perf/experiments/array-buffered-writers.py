# SPDX-License-Identifier: GPL-2.0-only
from lab import families, shapes
from lab.experiment import View

EXPERIMENT = families.beside_one(
    families.ARRAY,
    ("buffered writers", shapes.buffered_writers),
    ("writer", shapes.buffered_writers),
    points=[1, 8, 32],
    title="1 to 32 buffered writers beside one, on an array",
    question="Does the lone writer get as much of the disk as the whole other group?",
    limits=[30],
    plain=["none", "bfq", "iocost", "iocost tuned"],
    ours=["ioband weight-iosize", "ioband weight-time"],
    window_s=20,
    views=[View("g2", "kib_per_s", "The lone writer: bandwidth", log=True),
           View("all", "kib_per_s", "Both groups together")],
    notes="Data written to the disk in the window. Each writer has a linear volume of its own: "
          "no file system, so no journal.",
)
