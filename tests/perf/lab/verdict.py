# SPDX-License-Identifier: GPL-2.0-only
"""
A figure and what it should be, as lines that do not change from run to run.

Where a goal is known to be missed, always or by chance, the test says so and by how much
at most, in the environment as SHORT_<name>; the golden output then has both.
"""

import os


def goal(name, value, limit, most=True):
    """Print whether VALUE is at most, or at least, LIMIT, and the figure itself."""
    def met(bar):
        return value <= bar if most else value >= bar

    bound = os.environ.get("SHORT_" + name.replace("-", "_"))
    print(f"figure {name} {value:.5g}")
    if not met(float(bound or limit)):
        print(f"{name}: {value:.5g}, goal {limit:g}", flush=True)
    elif bound:
        print(f"{name}: within {bound}, the goal being {limit:g}")
    else:
        print(f"{name}: within {limit:g}")


def at_least(name, value, limit):
    goal(name, value, limit, most=False)
