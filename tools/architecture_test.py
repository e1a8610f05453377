"""The module table and the file names of ARCHITECTURE.md are what the tree has."""

import re
import unittest
from pathlib import Path

from checks import modules
from checks.tree import Tree

ROOT = Path(__file__).resolve().parent.parent
_ROW = re.compile(r"^\| `(\w+)` \| .* \| ([\w –]+) \|$", re.MULTILINE)
_UNIT = re.compile(r"`((?:[a-z_]+/)+(?:[a-z_]+\.(?:h|cpp))?)`")


class ArchitectureTest(unittest.TestCase):
    def setUp(self):
        self.text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")

    def test_module_table_is_what_the_build_files_say(self):
        section = self.text.split("## Modules")[1].split("\n## ")[0]
        table = {name: set(others.replace("–", "").split()) for name, others in _ROW.findall(section)}
        self.assertEqual(table, modules.dependencies(Tree(ROOT)))

    def test_files_exist(self):
        for path in _UNIT.findall(self.text):
            self.assertTrue((ROOT / "engine" / path).exists() or (ROOT / path).exists(), path)


if __name__ == "__main__":
    unittest.main()
