# SPDX-License-Identifier: GPL-2.0-only
from lab import families, shapes

EXPERIMENT = families.beside_one(
    families.HDD,
    ("sequential readers", shapes.sequential_readers),
    ("sequential reader", shapes.sequential_readers),
    points=[1, 4, 16],
    weights=(500, 1000),
    title="Weights 500:1000, 1 to 16 sequential readers beside one, on a disk",
    question="Does the lone reader get two thirds of the disk however many others there are?",
    limits=[10],
)
