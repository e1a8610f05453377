"""Decision records: one number each, the four parts of a decision, and a line in the index."""

import re
from collections import defaultdict
from pathlib import PurePosixPath

from .tree import Problem, Tree

_NAME = re.compile(r"docs/adr/(\d{4})-[a-z0-9]+(-[a-z0-9]+)*\.md")
_INDEX = "docs/adr/README.md"
_PARTS = ("Context", "Decision", "Rejected options", "Consequences")


def run(tree: Tree) -> list[Problem]:
    problems, by_number = [], defaultdict(list)
    for name in tree.ending(".md", under="docs/adr/"):
        match = _NAME.fullmatch(name)
        if match:
            by_number[int(match.group(1))].append(name)
            problems += _parts(tree, name)
        elif name != _INDEX:
            problems.append(Problem(name, 0, "name it docs/adr/NNNN-title-in-words.md"))
    problems += [Problem(name, 0, f"number {number:04} is used twice")
                 for number, names in by_number.items() for name in names[1:]]
    index = tree.text(_INDEX)
    return problems + [Problem(_INDEX, 0, f"does not link {name}")
                       for names in by_number.values() for name in names
                       if f"({PurePosixPath(name).name})" not in index]


def _parts(tree: Tree, name: str) -> list[Problem]:
    return [Problem(name, 0, f"has no section '## {part}'") for part in _PARTS
            if f"## {part}" not in tree.lines(name)]
