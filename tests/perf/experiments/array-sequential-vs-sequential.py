# SPDX-License-Identifier: GPL-2.0-only
from lab import families, shapes

EXPERIMENT = families.beside_one(
    families.ARRAY,
    ("sequential readers", shapes.sequential_readers),
    ("sequential reader", shapes.sequential_readers),
    points=[1, 8, 32],
    title="1 to 32 sequential readers beside one, on an array",
    question="Does the lone reader get as much as the whole other group?",
    limits=[30, 10, 5],
)
