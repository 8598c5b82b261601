# SPDX-License-Identifier: GPL-2.0-only
"""
A figure and what it should be, as lines that do not change from run to run.

Where a goal is known to be missed, the test says so and by how much at most, in the
environment as SHORT_<name>; the golden output then has the shortfall.
"""

import os


def goal(name, value, limit, most=True):
    """Print whether VALUE is at most, or at least, LIMIT, and the figure itself."""
    def met(bound):
        return value <= bound if most else value >= bound

    short = os.environ.get("SHORT_" + name.replace("-", "_"))
    print(f"figure {name} {value:.5g}")
    if met(limit):
        print(f"{name}: within {limit:g}")
    elif short and met(float(short)):
        print(f"{name}: within {short}, short of the goal {limit:g}")
    else:
        print(f"{name}: {value:.5g}, goal {limit:g}", flush=True)


def at_least(name, value, limit):
    goal(name, value, limit, most=False)
