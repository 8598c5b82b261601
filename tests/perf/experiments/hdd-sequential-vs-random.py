# SPDX-License-Identifier: GPL-2.0-only
from lab import families, shapes

EXPERIMENT = families.beside_one(
    families.HDD,
    ("sequential readers", shapes.sequential_readers),
    ("random reader", shapes.random_readers),
    points=[1, 4, 16],
    title="1 to 16 sequential readers beside one random reader, on a disk",
    question="Does the random reader keep its half of the disk however many "
             "sequential readers there are?",
    limits=[10],
)
