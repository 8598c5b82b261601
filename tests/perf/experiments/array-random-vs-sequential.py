# SPDX-License-Identifier: GPL-2.0-only
from lab import families, shapes

EXPERIMENT = families.beside_one(
    families.ARRAY,
    ("random readers", shapes.random_readers),
    ("sequential reader", shapes.sequential_readers),
    points=[1, 8, 32],
    title="1 to 32 random readers beside one sequential reader, on an array",
    question="Does the sequential reader keep its half of the disk however many "
             "random readers there are?",
    limits=[10],
)
