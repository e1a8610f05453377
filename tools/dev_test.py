"""Tries what ./dev promises without building anything."""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def dev(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(["./dev", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def verbs() -> list[str]:
    return re.search(r"VERBS=\(([^)]*)\)", (ROOT / "dev").read_text(encoding="utf-8")).group(1).split()


class DevTest(unittest.TestCase):
    def test_help_names_every_verb(self):
        for call in (["help"], ["--help"], []):
            result = dev(*call)
            self.assertEqual(result.returncode, 0)
            for verb in verbs():
                self.assertRegex(result.stdout, rf"(?m)^  {verb}\b.* {{2,}}\S")

    def test_every_verb_explains_itself(self):
        for verb in verbs():
            self.assertRegex(dev("help", verb).stdout, rf"^\./dev {verb}\b.*: \S", verb)
        self.assertEqual(dev("build", "--help").stdout, dev("help", "build").stdout)

    def test_unknown_verb_gets_a_suggestion(self):
        result = dev("biuld")
        self.assertEqual(result.returncode, 2)
        self.assertIn("Did you mean ./dev build?", result.stderr)

    def test_wrong_usage_exits_with_2(self):
        for call in (["build", "debug"], ["test", "--fast"], ["test", "--long", "base"], ["test", "--long", "--tsan"],
                      ["check", "nonsense"], ["help", "nonsense"]):
            self.assertEqual(dev(*call).returncode, 2, call)

    def test_every_verb_of_the_readme_exists(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        for verb in set(re.findall(r"\./dev ([a-z]+)", text)):
            self.assertEqual(dev("help", verb).returncode, 0, verb)
