"""Each module has a README of at most 30 lines."""

from . import modules
from .tree import Problem, Tree

_LINES_MAX = 30


def run(tree: Tree) -> list[Problem]:
    problems = []
    for module in modules.dependencies(tree):
        name = f"engine/{module}/README.md"
        count = len(tree.lines(name))
        if count == 0:
            problems.append(Problem(name, 0, "is missing: purpose, types, threads, how to add one"))
        elif count > _LINES_MAX:
            problems.append(Problem(name, 0, f"has {count} lines; at most {_LINES_MAX}"))
    return problems
