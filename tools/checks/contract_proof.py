"""Every numbered statement of the contracts is named by a test, or stands in a shrinking list.

A page of which no test names a single statement is listed as a whole, by its path: it is not built
yet. The first test that names one of its statements makes that entry stale, and then each counts.
"""

import re

from . import ratchet
from .tree import Problem, Tree, is_test

CONTRACTS = "docs/contract/"
EXCEPTIONS = "tools/unproven.txt"
_ID = r"(?:[A-Z]+\d+|C-cost)"
# A statement opens a list item, a table row or a heading with its number, plain or bold.
_STATEMENT = re.compile(rf"^\s*(?:[-*]\s+|\|\s*|#+\s+)(?:\*\*|`)?({_ID})(?![\w-])")
_TEST = re.compile(r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)"
                   r"\(\s*\w+\s*,\s*(\w+)")
_COMMENT = re.compile(r"//.*?\bChecks:\s*(.*)")
# The title of a TypeScript test begins with its numbers and a colon: test("DSL2 EXP1: ...").
_TITLE = re.compile(rf"\btest\(\s*[\"'`]({_ID}(?:[ ,]+{_ID})*):")

# The name of a Python test begins with its numbers: def test_BAL2_restarting_…
_METHOD = re.compile(rf"\bdef test_({_ID}(?:_{_ID})*)_")


def run(tree: Tree) -> list[Problem]:
    proven = _proven(tree)
    offenders: dict[str, Problem] = {}
    repeated: list[Problem] = []
    pages: dict[str, str] = {}
    for page in tree.ending(".md", under=CONTRACTS):
        statements = _statements(tree, page)
        for statement, line in statements.items():
            if pages.setdefault(statement, page) != page:
                repeated.append(Problem(page, line, f"{statement} is in {pages[statement]} too"))
        offenders |= _unproven(page, statements, proven)
    return repeated + (ratchet.apply(tree, EXCEPTIONS, offenders) if pages else [])


def _unproven(page: str, statements: dict[str, int], proven: set[str]) -> dict[str, Problem]:
    if statements and proven.isdisjoint(statements):
        return {page: Problem(page, 0, "no test names any of its statements")}
    return {
        statement: Problem(page, line, f"no test names {statement}: start the name of one with "
                                       f"{statement}_ or write // Checks: {statement}")
        for statement, line in statements.items() if statement not in proven}


def _statements(tree: Tree, page: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, line in enumerate(tree.lines(page), start=1):
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
            proven.update(re.findall(rf"\b{_ID}\b", comment))
    for name in tree.ending("_test.py", under="tests/"):
        for numbers in _METHOD.findall(tree.text(name)):
            proven.update(numbers.split("_"))
    for name in tree.ending(".test.ts"):
        for title in _TITLE.findall(tree.text(name)):
            proven.update(re.findall(_ID, title))
    return proven
