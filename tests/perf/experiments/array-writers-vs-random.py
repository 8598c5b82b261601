# SPDX-License-Identifier: GPL-2.0-only
from lab import families, shapes

EXPERIMENT = families.beside_one(
    families.ARRAY,
    ("random writers", shapes.random_writers),
    ("random reader", shapes.random_readers),
    points=[1, 8, 32],
    title="1 to 32 random writers beside one random reader, on an array",
    question="Does the random reader keep its half of the disk however many writers there are?",
    limits=[30, 10],
    plain=["none", "bfq", "iocost", "iocost tuned"],
    ours=["ioband weight", "ioband weight-time"],
)
