import inspect
import unittest
from pathlib import Path

from . import CHECKS
from .tree import Tree


class RegistryTest(unittest.TestCase):
    def test_every_check_has_tests_that_plant_a_violation(self):
        for check in CHECKS:
            source = Path(inspect.getfile(check.run))
            test = source.with_name(source.stem + "_test.py")
            text = test.read_text(encoding="utf-8") if test.exists() else ""
            self.assertIn(f"{source.stem}.{check.run.__name__}(", text, check.name)
            self.assertIn("assert_caught", text, check.name)

    def test_every_check_passes_an_empty_tree(self):
        empty = Tree(Path(__file__).parent / "no_such_folder")
        for check in CHECKS:
            self.assertEqual(check.run(empty), [], check.name)

    def test_names_are_unique(self):
        self.assertEqual(len({check.name for check in CHECKS}), len(CHECKS))
