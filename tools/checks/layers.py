"""A module includes only itself and the modules of its DEPS, and DEPS have no cycle."""

import re

from . import modules
from .tree import Problem, Tree

_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def run(tree: Tree) -> list[Problem]:
    allowed = modules.dependencies(tree)
    problems = [problem for name in tree.cpp("engine/") for problem in _includes(tree, name, allowed)]
    return problems + _unknown(allowed) + _cycles(allowed)


def _includes(tree: Tree, name: str, allowed: dict[str, set[str]]) -> list[Problem]:
    module = modules.module_of(name)
    problems = []
    for number, line in enumerate(tree.lines(name), start=1):
        match = _INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1).split("/")[0]
        if target not in allowed or "/" not in match.group(1):
            problems.append(Problem(name, number, f'"{match.group(1)}" is not "module/unit.h"; '
                                                  "other headers stand in <>"))
        elif target != module and target not in allowed.get(module, set()):
            problems.append(Problem(name, number, f"{module} may not include {target}: it is not in "
                                                  f"DEPS of engine/{module}/CMakeLists.txt"))
    return problems


def _unknown(allowed: dict[str, set[str]]) -> list[Problem]:
    return [Problem(f"engine/{module}/CMakeLists.txt", 0, f"DEPS names an unknown module: {other}")
            for module, others in allowed.items() for other in sorted(others - allowed.keys())]


def _cycles(allowed: dict[str, set[str]]) -> list[Problem]:
    """Removes modules without open dependencies until none is left; the rest is cyclic."""
    open_dependencies = {module: others & allowed.keys() for module, others in allowed.items()}
    while ready := {module for module, others in open_dependencies.items() if not others}:
        open_dependencies = {module: others - ready
                             for module, others in open_dependencies.items() if module not in ready}
    return [Problem(f"engine/{module}/CMakeLists.txt", 0, f"DEPS form a cycle with: {sorted(others)}")
            for module, others in open_dependencies.items()]
