# SPDX-License-Identifier: GPL-2.0-only
from lab import families, shapes

EXPERIMENT = families.beside_one(
    families.ARRAY,
    ("sequential readers", shapes.sequential_readers),
    ("random reader", shapes.random_readers),
    points=[1, 8, 32],
    title="1 to 32 sequential readers beside one random reader, on an array",
    question="Does the random reader keep its half of the disk however many "
             "sequential readers there are?",
    limits=[10, 5],
    quick=["none", "bfq", "iocost tuned", "ioband weight-time"],
    quick_points=[8],
)
