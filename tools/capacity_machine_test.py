"""Tries what needs no server of capacity_machine.py."""

import tempfile
import unittest
from pathlib import Path

import capacity_machine


class CapacityMachineTest(unittest.TestCase):
    def test_foreign_work_is_never_a_pass(self):
        exact = {1: 100.0, 2: 150.0}
        self.assertEqual(capacity_machine.judge(exact, exact, 0.04)[0], "passed")
        self.assertEqual(capacity_machine.judge(exact, exact, 0.06)[0], "not measured")

    def test_one_figure_beyond_its_bar_is_a_miss(self):
        verdict, lines = capacity_machine.judge({1: 100.0, 2: 116.0}, {1: 100.0, 2: 100.0}, 0)
        self.assertEqual(verdict, "missed")
        self.assertIn("+16.0%", lines[1])

    def test_the_registry_is_put_on_the_own_server(self):
        with tempfile.TemporaryDirectory() as name:
            registry = capacity_machine.project_on(Path(name), 12345)
            text = (registry / "endpoints.toml").read_text(encoding="utf-8")
            self.assertIn("port = 12345", text)


if __name__ == "__main__":
    unittest.main()
