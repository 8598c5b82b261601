# SPDX-License-Identifier: GPL-2.0-only
"""Rounds summed up: medians and spread, what can be said of them, and when nothing can."""

import statistics
from dataclasses import dataclass

GOOD_PERCENT = 90       # of what is due
NOISY_PERCENT = 20      # by which what a load has alone may vary
OTHERS_PERCENT = 5      # of what the disk does may be of others


@dataclass(frozen=True)
class Cell:
    median: float
    low: float
    high: float

    @classmethod
    def of(cls, rounds, figure):
        values = [one[figure] for one in rounds if figure in one]
        return cls(statistics.median(values), min(values), max(values)) if values else None

    def text(self):
        spread = f"{number(self.low)} - {number(self.high)}"
        return number(self.median), spread if self.low != self.high else ""


def number(value):
    """Three digits, thousands in groups."""
    digits = 0 if abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2
    return f"{value:,.{digits}f}" if abs(value) >= 0.0995 or not value else f"{value:.2g}"


def listed(words):
    return " and ".join([", ".join(words[:-1])] * (len(words) > 1) + words[-1:])


def of_case(case, rounds_of):
    """One or two sentences; ROUNDS_OF by the rival's name."""
    cells = {name: Cell.of(rounds, "due") for name, rounds in rounds_of.items()}
    cells = {name: cell for name, cell in cells.items() if cell}
    if not cells:
        return "Nothing was measured."

    def those(test):
        return [name for name, cell in cells.items() if test(cell)]
    good = those(lambda cell: cell.low >= GOOD_PERCENT)
    bad = those(lambda cell: cell.high < GOOD_PERCENT)
    unsure = [name for name in cells if name not in good + bad]
    text = []
    if good:
        text.append(f"At least {GOOD_PERCENT} % of what is due, in every round: {listed(good)}.")
    if bad:
        text.append("Less: " + listed([f"{name} ({number(cells[name].median)} %)"
                                       for name in bad]) + ".")
    if unsure:
        text.append(f"Now more, now less: {listed(unsure)}.")
    kept = {name: Cell.of(rounds_of[name], case.kept) for name in good if case.kept}
    if len(kept) > 1:
        best = max(kept, key=lambda name: kept[name].median)
        alike = [name for name in kept if kept[name].high >= kept[best].low]
        what = f"{case.columns[case.kept]} ({number(kept[best].median)})"
        text.append(f"Of the former, {what} is most with {best}." if alike == [best] else
                    f"Of the former, {what} cannot be told apart with {listed(alike)}.")
    return " ".join(text)


def noise(results, alone):
    """Sentences of why the disk gives no verdict: empty if it does."""
    found = []
    rounds = max((len(one) for one in alone.values()), default=0)
    if rounds < 2:
        return ["There was one round only, so how far rounds differ is not known."]
    varied = [(100 * (cell.high - cell.low) / cell.median, name) for name, cell in
              ((name, Cell.of(one, "total.iops")) for name, one in alone.items()) if cell.median]
    worst, name = max(varied)
    if worst > NOISY_PERCENT:
        found.append(f"What a load has alone varied by {number(worst)} % from round to round "
                     f"({name}), more than {NOISY_PERCENT} %.")
    others = [100 * (1 - one["total.mib_s"] / one["disk.mib_s"])
              for by_rival in results.values() for rounds_of in by_rival.values()
              for one in rounds_of if one.get("disk.mib_s")]
    if others and statistics.median(others) > OTHERS_PERCENT:
        found.append(f"Others used the disk: half of the time they had more than "
                     f"{number(statistics.median(others))} % of what it did.")
    return found
