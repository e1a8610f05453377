"""What the tests of the checks share: small trees, clean or with a violation planted in them."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from .tree import Problem, Tree


class PlantedTreeTest(unittest.TestCase):
    """Base class: makes trees in a folder that goes away with the test."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def plant(self, files: dict[str, str]) -> Tree:
        """Writes the files over what is there and gives a fresh view of the tree."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Tree(self.root)

    def commit_on_main(self) -> None:
        # Inside a git hook GIT_DIR names the real repository: these commands must not see it.
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        for command in (["init", "-q", "-b", "main"], ["add", "-A"],
                        [*identity, "commit", "-q", "--no-verify", "-m", "planted"]):
            subprocess.run(["git", *command], cwd=self.root, env=environment, check=True,
                           capture_output=True)

    def assert_clean(self, problems: list[Problem]) -> None:
        self.assertEqual([str(problem) for problem in problems], [])

    def assert_caught(self, problems: list[Problem], *expected: str) -> None:
        """Expects exactly one problem per given text, in any order."""
        texts = [str(problem) for problem in problems]
        self.assertEqual(len(texts), len(expected), texts)
        for part in expected:
            self.assertTrue(any(part in text for text in texts), f"'{part}' not in {texts}")
