# SPDX-License-Identifier: GPL-2.0-only
"""
A disk that has to seek, under policy weight-time: a random reader beside sequential
ones, a sequential one beside random ones, and random ones of weights 1:2. However many
compete, it is to stay as it is.
"""

from lab import case, disks, jobs, verdict

GROUPS = {"one": "100", "many": "100"}
COUNTS = (2, 8, 32)


def run():
    disk = disks.simdisk("serial")
    disk.make()
    random_beside_sequential(disk)
    sequential_beside_random(disk)
    shares(disk)
    disk.remove()


def compete(disk, one, many, count, weights=(100, 100), options=(), one_count=1):
    """Rates, shares of the disk's time, and both jobs' own words."""
    region = {"offset_increment": "16m", "size": "16m"}
    load = case.Run(disk.device, [
        case.Member("one", one, str(weights[0]), count=one_count, options={"size": "512m"}),
        case.Member("many", many, str(weights[1]), count=count,
                    options={**region, "offset": "512m"} if many == "read" else {"size": "512m"})],
        policy="weight-time", options=options)
    load.start(settle=2 * case.SETTLE)
    rates = load.rates(30)
    shares_got = load.sums("got_ppm")
    results = load.stop()
    return rates, shares_got["one"] / 1e4, results["one"]["read"]


def random_beside_sequential(disk):
    rates, worst_ms, worst_share = [], 0, 0
    for count in COUNTS:
        got, share, result = compete(disk, "randread", "read", count)
        rates.append(got["one"])
        worst_ms = max(worst_ms, jobs.latencies(result)["max_ms"])
        worst_share = max(worst_share, abs(share - 50))
    middle = (max(rates) + min(rates)) / 2
    verdict.goal("random-varies-percent", 100 * (max(rates) - middle) / middle, 1)
    verdict.goal("random-max-ms", worst_ms, 80)
    verdict.goal("random-time-error-points", worst_share, 0.5)
    got, _, _ = compete(disk, "randread", "read", 16, options=("quantum", "80"))
    # Half of what a sequential reader has for himself.
    _, alone = case.alone(disk.device, disk.leaf,
                          case.Member("many", "read", options={"size": "512m"}))
    verdict.at_least("sequential-rest-of-half-percent", 200 * got["many"] / alone, 90)


def sequential_beside_random(disk):
    rates, worst_ms = [], 0
    for count in COUNTS:
        got, _, result = compete(disk, "read", "randread", count)
        rates.append(got["one"])
        worst_ms = max(worst_ms, jobs.latencies(result)["max_ms"])
    verdict.at_least("sequential-kept-percent", 100 * rates[-1] / rates[0], 97)
    verdict.goal("sequential-max-ms", worst_ms, 80)


def shares(disk):
    worst = 0
    for count in (1, 4, 16):
        got, _, _ = compete(disk, "randread", "randread", count, (1000, 500), one_count=count)
        worst = max(worst, *map(abs, case.share_errors(got, {"one": 1000, "many": 500}).values()))
    verdict.goal("random-shares-error-points", worst, 0.2)
