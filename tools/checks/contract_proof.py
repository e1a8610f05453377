"""Every numbered statement of a contract is named by a test, or stands in a shrinking list."""

import re

from . import ratchet
from .tree import Problem, Tree, is_test

CONTRACT = "docs/contract/scheduler.md"
EXCEPTIONS = "tools/unproven.txt"
_ID = r"(?:[A-Z]\d+|C-cost)"
# A statement opens a list item, a table row or a heading with its number, plain or bold.
_STATEMENT = re.compile(rf"^\s*(?:[-*]\s+|\|\s*|#+\s+)?(?:\*\*|`)?({_ID})(?![\w-])")
_TEST = re.compile(r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)"
                   r"\(\s*\w+\s*,\s*(\w+)")
_COMMENT = re.compile(r"//.*?\bChecks:\s*(.*)")


def run(tree: Tree) -> list[Problem]:
    if not tree.exists(CONTRACT):
        return []
    proven = _proven(tree)
    offenders = {
        statement: Problem(CONTRACT, line, f"no test names {statement}: start the name of one with "
                                           f"{statement}_ or write // Checks: {statement}")
        for statement, line in _statements(tree).items() if statement not in proven}
    return ratchet.apply(tree, EXCEPTIONS, offenders)


def _statements(tree: Tree) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, line in enumerate(tree.lines(CONTRACT), start=1):
        if match := _STATEMENT.match(line):
            found.setdefault(match.group(1), number)
    return found


def _proven(tree: Tree) -> set[str]:
    proven: set[str] = set()
    for name in filter(is_test, tree.cpp()):
        text = tree.text(name)
        for test in _TEST.findall(text):
            if not test.startswith("DISABLED"):
                proven.update(test.replace("C_cost", "C-cost").split("_"))
        for comment in _COMMENT.findall(text):
            proven.update(re.findall(_ID, comment))
    return proven
