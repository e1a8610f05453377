"""The files under check, read once, and the problems that checks report about them."""

import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True, order=True)
class Problem:
    """One violation; `line` 0 means the whole file. Warnings are shown but fail nothing."""

    path: str
    line: int
    message: str
    warning: bool = False

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {'warning: ' if self.warning else ''}{self.message}"


class Tree:
    """A source tree: what git tracks or would add, or every file where there is no git."""

    def __init__(self, root: Path):
        self.root = root
        self._texts: dict[str, str] = {}

    @cached_property
    def files(self) -> list[str]:
        if (self.root / ".git").exists():
            names = self.git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
            return sorted({name for name in names if (self.root / name).is_file()})
        return sorted(str(path.relative_to(self.root))
                      for path in self.root.rglob("*") if path.is_file())

    def git(self, *arguments: str) -> str:
        """Runs git in the tree; gives an empty text if it fails."""
        result = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, text=True,
                                check=False)
        return result.stdout if result.returncode == 0 else ""

    def ending(self, *suffixes: str, under: str = "") -> list[str]:
        return [name for name in self.files if name.endswith(suffixes) and name.startswith(under)]

    def cpp(self, under: str = "") -> list[str]:
        return self.ending(".h", ".cpp", under=under)

    def exists(self, name: str) -> bool:
        return (self.root / name).exists()

    def text(self, name: str) -> str:
        """Gives the text of a file; an empty one if it is missing or not text."""
        if name not in self._texts:
            try:
                self._texts[name] = (self.root / name).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                self._texts[name] = ""
        return self._texts[name]

    def lines(self, name: str) -> list[str]:
        return self.text(name).splitlines()


def line_of(text: str, offset: int) -> int:
    """Gives the 1-based line of a character offset."""
    return text.count("\n", 0, offset) + 1


def is_test(name: str) -> bool:
    return name.endswith(("_test.cpp", "_fixture.h")) or name.startswith("tests/")
