#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Tests of what surrounds the measuring: which cases are taken, what becomes of a machine
that ends early, what is due. The last line counts.
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import types
import unittest
from dataclasses import replace

PERF = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path.insert(0, PERF)
sys.dont_write_bytecode = True

from lab import (       # noqa: E402 (after the path is set)
    catalogue, controllers, figures, model, processors, rows)
from lab.experiment import shares                           # noqa: E402
from lab.system import CannotDo                             # noqa: E402
from proof import cases, device, measure, page, verdict     # noqa: E402


def load_bench():
    loader = importlib.machinery.SourceFileLoader("bench", f"{PERF}/bench")
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
    loader.exec_module(module)
    return module


BENCH = load_bench()


class Cases(unittest.TestCase):
    def refused(self, *words):
        done = subprocess.run([f"{PERF}/bench", *words], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_unknown_case_is_named_with_the_list(self):
        said = self.refused("weights-40-20-10", "nonsuch")
        self.assertIn("no case 'nonsuch'", said.splitlines()[0])
        self.assertIn("\n  instructions\n", said)

    def test_unknown_controller_is_named_with_the_list(self):
        said = self.refused("instructions:nonsuch")
        self.assertIn("'nonsuch', only none,", said)

    def test_names(self):
        tests, goals = BENCH.chosen(["instructions:ioband_weight,none", "003"])
        self.assertEqual(tests, [("instructions", ["ioband weight", "none"], None)])
        self.assertEqual(goals, ["003"])

    def test_every_experiment_names_known_controllers_and_points(self):
        for name, experiment in catalogue.all_experiments().items():
            with self.subTest(name):
                self.assertLessEqual(set(experiment.controllers), set(controllers.ALL))
                self.assertLessEqual(set(experiment.quick), set(experiment.controllers))
                for point in experiment.points if experiment.jobs else ():
                    known = {group.name for group in experiment.groups_at(point)}
                    self.assertLessEqual({job.group for job in experiment.jobs(point)}, known)
                self.assertTrue(experiment.views)

    def test_what_was_reported_belongs_to_an_experiment(self):
        known = catalogue.all_experiments()
        for name, by_controller in figures.reported().items():
            points = {str(point) for point in known[name].points}
            for by_key in by_controller.values():
                for by_point in by_key.values():
                    self.assertTrue(points & set(by_point), name)


class Machine(unittest.TestCase):
    """With a machine that says what it is told to."""

    def run_machine(self, said, status):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        tree = self.folder.name
        os.makedirs(f"{tree}/tests/vm")
        with open(f"{tree}/tests/vm/run", "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncat <<'END'\n{said}\nEND\nexit {status}\n")
        os.chmod(f"{tree}/tests/vm/run", 0o755)
        table = rows.Table(f"{tree}/report")
        was, catalogue.TREE = catalogue.TREE, tree
        self.addCleanup(setattr, catalogue, "TREE", was)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            left = BENCH.run_machine("x", ["none", "bfq", "kyber"], None, table)
        return rows.Table(f"{tree}/report"), left, out.getvalue()

    ONE = "begin,x,none\nrow,x,1,none,g1,iops,5\ndone,x,none"

    def test_holes_have_their_reason_and_the_others_go_on(self):
        table, left, _ = self.run_machine(
            self.ONE + "\nbegin,x,bfq\nhole,x,bfq,\"no, never\"\ndone,x,bfq\n"
            "begin,x,kyber\nfailed,x,kyber,why\ndone,x,kyber", 0)
        values, words = table.figures("x")
        self.assertEqual(values, {"none": {("g1", "iops"): {"1": 5.0}}})
        self.assertEqual(words, {"bfq": "no, never", "kyber": "failed: why"})
        self.assertEqual((left, table.failures("x")), ([], 1))

    def test_a_machine_that_dies_costs_one_controller(self):
        table, left, said = self.run_machine(self.ONE + "\nbegin,x,bfq\nnoise", 125)
        self.assertEqual(left, ["kyber"])
        self.assertIn("status 125", table.figures("x")[1]["bfq"])
        self.assertIn("failed: the machine ended with status 125", said)

    def test_a_machine_that_does_not_boot_is_not_tried_for_ever(self):
        table, left, _ = self.run_machine("", 125)
        self.assertEqual((left, table.failures("x")), ([], 3))

    def test_a_fault_in_the_kernel_log_is_a_failure(self):
        said = "\n".join(self.ONE.replace("none", name) for name in ("none", "bfq", "kyber"))
        table, left, _ = self.run_machine(said, 99)
        self.assertEqual((left, table.failures("x")), ([], 1))

    def test_measured_again_replaces(self):
        table = rows.Table(tempfile.mkdtemp(dir=self.enterContext(
            tempfile.TemporaryDirectory())))
        for name, point in (("none", "1"), ("none", "2"), ("alone", "1"), ("bfq", "1")):
            table.add("x", point, name, "g1", "iops", "1")
        table.add_words("x", "none", "failed", "why")
        table.forget("x", "none", [1])
        self.assertEqual([row[1:3] for row in table.rows], [("2", "none"), ("1", "bfq")])
        table.forget("x", "none")
        self.assertEqual([row[2] for row in table.rows], ["bfq"])

    def test_what_was_not_measured_anew_stays_published(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        old, new = rows.Table(f"{folder}/old"), rows.Table(f"{folder}/new")
        for name, point, value in ("bfq", "1", 100), ("bfq", "2", 100), ("none", "1", 100):
            old.add("x", point, name, "g1", "iops", str(value))
        old.add_words("x", "none", "hole", "why")
        for name, point, value in ("bfq", "1", 100.4), ("none", "1", 101), ("none", "2", 5):
            new.add("x", point, name, "g1", "iops", str(value))
        new.add_words("x", "bfq", "failed", "the machine ended")
        self.assertEqual(old.differences(new, 0.5, {"x"}), (2, [
            (("x", "1", "none", "g1", "iops"), 100, 101)]))
        self.assertEqual(old.differences(new, 0.5, {"y"}), (0, []))
        new.rows = [(*row[:6], "newer") for row in new.rows]
        self.assertEqual([count for _, count in old.commits()], [3])
        old.take(new)
        self.assertEqual(old.commits()[0], ("newer", 3))
        self.assertEqual([row[1:3] + row[4:6] for row in old.rows], [
            ("1", "bfq", "iops", "100.4"), ("1", "none", "iops", "101"),
            ("2", "bfq", "iops", "100"), ("2", "none", "iops", "5")])


class Figures(unittest.TestCase):
    def test_due_is_the_part_of_what_a_group_has_alone(self):
        experiment = catalogue.load("hdd-sequential-500-1000")
        key = ("g2", "kib_per_s")
        values = {"alone": {key: {"1": 3000.0}}}
        self.assertEqual(figures.due(experiment, values, key), {"1": 2000.0})
        self.assertEqual(figures.due(experiment, values, ("g2", "max_ms")), {})

    def test_due_by_limit(self):
        experiment = catalogue.load("limits")
        self.assertEqual(figures.due(experiment, {}, ("g2", "kib_per_s")), {"16": 256.0})

    def test_of_due_is_the_worst_point(self):
        experiment = catalogue.load("hdd-sequential-500-1000")
        key = ("g2", "kib_per_s")
        values = {"alone": {key: {"1": 3.0, "4": 3.0}}, "bfq": {key: {"1": 2.2, "4": 1.0}}}
        self.assertAlmostEqual(figures.of_due(experiment, values, "bfq"), 50)
        self.assertIsNone(figures.of_due(experiment, values, "none"))

    def test_shares(self):
        found = list(shares({"a": 10.0, "b": 10.0}, {"a": 3, "b": 1}))
        self.assertEqual(found, [("a", "share_percent", 75.0), ("b", "share_percent", 25.0),
                                 ("all", "jain", 1.0)])

    def test_what_a_controller_cannot_do_is_said_by_name(self):
        class Disk:
            device, leaf = "/dev/mapper/x", "sd-hdd"
        with self.assertRaisesRegex(CannotDo, "bfq acts on disks .* not on /dev/mapper/x"):
            controllers.ALL["bfq"].check(Disk, False, False)
        with self.assertRaisesRegex(CannotDo, "bfq has no limits"):
            controllers.ALL["bfq"].check(Disk, False, True)
        with self.assertRaisesRegex(CannotDo, "io.max .* has limits only"):
            controllers.ALL["io.max 5 MiB/s"].check(Disk, True, False)


class Rounds(unittest.TestCase):
    def test_each_is_beside_the_base_of_its_round(self):
        found = {"dm-linear": {("one job", "iops"): 100, ("1:1", "iops"): 150},
                 "ioband weight": {("one job", "iops"): 90, ("1:1", "iops"): 120,
                                   ("3:1", "iops"): 75}}
        processors.relate(found)
        ours = found["ioband weight"]
        self.assertEqual(ours["one job", "of_linear_percent"], 90)
        self.assertEqual(ours["1:1", "of_linear_percent"], 80)
        self.assertEqual(ours["3:1", "of_linear_percent"], 50)
        self.assertAlmostEqual(found["dm-linear"]["1:1", "two_over_one"], 1.5)

    def test_median_lowest_and_highest(self):
        rounds = [{("1:1", "iops"): value} for value in (3, 1, 2)]
        self.assertEqual(list(processors.summed_up(rounds)), [
            ("1:1", "iops", 2), ("1:1", "iops_lowest", 1), ("1:1", "iops_highest", 3)])
        self.assertEqual(list(processors.summed_up([{}])), [])


class Proof(unittest.TestCase):
    """What bench-disk makes of its figures."""
    CASES = {case.key: case for case in cases.all_of(types.SimpleNamespace(rotational=False, span=1 << 30))}

    @staticmethod
    def rounds(*dues, kept=(5, 5, 5)):
        return [{"due": due, "backup.mib_s": one, "total.mib_s": 1, "disk.mib_s": 1}
                for due, one in zip(dues, kept)]

    def test_due(self):
        def due(key, found, alone=None, **changes):
            case = replace(self.CASES[key], **changes)
            return round(measure.due(case, found, {
                repr(tenant.job): {"alone.iops": alone}
                for tenant in case.tenants})["due"], 3)
        self.assertEqual(due("two", {"gold.share": 50, "basic.share": 50}), 50)
        self.assertEqual(due("two", {"gold.share": 75, "basic.share": 25}), 100)
        self.assertEqual(due("backup", {"database.iops": 30}, alone=100), 40)
        self.assertEqual(due("backup", {"database.iops": 90}, alone=100), 100)
        self.assertEqual(due("limit", {"backup.mib_s": 4}, fixed={"backup": 2 << 20}), 50)
        self.assertEqual(due("latency", {"database.p99_ms": 8}, target_us=2000), 25)
        self.assertEqual(due("latency", {}, target_us=2000), 0)
        self.assertEqual(due("one", {"one.iops": 105}, alone=100), 105)

    def test_what_is_due_to_every_tenant_is_measured_alone(self):
        alone = cases.lone(self.CASES.values())
        for case in self.CASES.values():
            for tenant in case.tenants:
                self.assertEqual(alone[repr(tenant.job)].tenants[0].name, "alone")

    def test_verdict(self):
        said = verdict.of_case(self.CASES["backup"], {
            "none": self.rounds(20, 30, 40), "BFQ": self.rounds(80, 95, 99),
            "iocost": self.rounds(91, 95, 99, kept=(7, 8, 9)),
            "ioband": self.rounds(91, 95, 99, kept=(8, 9, 9.5)),
            "io.max": self.rounds(91, 95, 99, kept=(1, 2, 3))})
        self.assertEqual(said, "At least 90 % of what is due, in every round: iocost, ioband and "
                         "io.max. Less: none (30.0 %). Now more, now less: BFQ. Of the former, "
                         "backup, MiB/s (9.00) cannot be told apart with iocost and ioband.")

    def test_no_verdict_on_a_noisy_disk(self):
        calm = [{"total.iops": value} for value in (100, 101, 99)]
        self.assertEqual(verdict.noise({}, {"x": calm}), [])
        self.assertIn("30.8 %", verdict.noise({}, {"x": calm + [{"total.iops": 130}]})[0])
        used = {"two": {"none": [{"total.mib_s": 8, "disk.mib_s": 10}]}}
        self.assertIn("20.0 %", verdict.noise(used, {"x": calm})[0])
        self.assertIn("one round", verdict.noise({}, {"x": calm[:1]})[0])
        report = page.Report({"about": [], "rivals": ["none"]}, [self.CASES["two"]],
                             {"two": {"none": self.rounds(99)}}, {}, {"x": calm[:1]}, [])
        for text in report.text(), report.html():
            self.assertIn("Too noisy", text)
            self.assertNotIn("At least", text)

    def test_automatic_parameters_are_not_put_back_as_if_set_by_hand(self):
        path = f"{self.enterContext(tempfile.TemporaryDirectory())}/io.cost.qos"
        for was, then in ("8:0 enable=1 ctrl=auto rpct=0.00", "8:0 enable=1 ctrl=auto"), (
                "", "8:0 enable=0 ctrl=auto"), ("8:0 enable=1 ctrl=user min=5",) * 2:
            with open(path, "w", encoding="ascii") as file:
                file.write("8:0 enable=1 ctrl=user rpct=9\n")
            self.assertEqual(device.State.restore([(path, "8:0", was)]), [])
            with open(path, encoding="ascii") as file:
                self.assertEqual(file.read(), then)


class Model(unittest.TestCase):
    PIECES = model.Pieces(ask=400, send=300, complete=200, passes=50, hold=160)
    FREE = model.Pieces(*[0] * 5, common_lines=0, group_lines=0)

    def iops(self, kind, cpus, pieces, line_ns=0, **rest):
        return model.simulate(kind, cpus, pieces, model.Machine(1, line_ns), **rest).iops

    def test_one_processor_does_the_sum_of_the_pieces(self):
        for kind, ns in (model.LINEAR, 900), (model.PASSING, 950), (model.CONTENDED, 1110):
            found = self.iops(kind, 1, self.PIECES, depth=512)
            self.assertAlmostEqual(found * ns / 1e9, 1, delta=0.01)

    def test_what_shares_nothing_doubles(self):
        one, four = (self.iops(model.LINEAR, cpus, self.PIECES, 100) for cpus in (1, 4))
        self.assertAlmostEqual(four / one, 4, delta=0.1)

    def test_passing_is_bounded_by_the_line_that_counts(self):
        pieces = replace(self.FREE, ask=1000)
        self.assertAlmostEqual(self.iops(model.PASSING, 64, pieces, 100) * 200 / 1e9, 1,
                               delta=0.05)

    def test_contended_is_bounded_by_the_lock(self):
        pieces = replace(self.FREE, ask=1000, hold=400)
        self.assertAlmostEqual(self.iops(model.CONTENDED, 32, pieces) * 400 / 1e9, 1, delta=0.02)

    def test_a_lock_that_others_had_takes_its_lines(self):
        pieces = replace(self.FREE, ask=1000, hold=400, common_lines=3)
        ns = 1e9 / self.iops(model.CONTENDED, 32, pieces, 100)
        # Its own, the waiter's, and those; at times also the one that counts.
        self.assertTrue(900 <= ns <= 1000, ns)


if __name__ == "__main__":
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(
        unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]))
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad} passed, {bad} failed, 0 skipped")
    sys.exit(bool(bad))
