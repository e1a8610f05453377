"""The units of a module include each other without cycles.

A unit is x.h and x.cpp; tests and fixtures do not count. Cycles that still exist stand in a list
that may only shrink, one line `engine/module/x -> engine/module/y` for each include within a cycle.
"""

from collections import deque

from . import includes, modules, ratchet
from .tree import Problem, Tree

EXCEPTIONS = "tools/unit_cycles.txt"

# For each unit the units of its module that it includes, each with the first place that does.
Graph = dict[str, dict[str, tuple[str, int]]]


def run(tree: Tree) -> list[Problem]:
    graph = _graph(tree)
    offenders = {}
    for unit, others in graph.items():
        for other, (name, line) in others.items():
            if way := _way_back(graph, other, unit):
                offenders[f"{unit} -> {other}"] = Problem(name, line, _describe(graph, [unit, *way]))
    return ratchet.apply(tree, EXCEPTIONS, offenders)


def _graph(tree: Tree) -> Graph:
    names = includes.product_files(tree)
    units = {includes.unit_of(name) for name in names}
    graph: Graph = {unit: {} for unit in units}
    for name in names:
        unit = includes.unit_of(name)
        for header, line in includes.of(tree, name):
            other = includes.unit_of("engine/" + header)
            same_module = modules.module_of(name) == header.split("/")[0]
            if other in units and other != unit and same_module:
                graph[unit].setdefault(other, (name, line))
    return graph


def _way_back(graph: Graph, start: str, goal: str) -> list[str]:
    """Gives the shortest chain of includes from one unit to another; empty if there is none."""
    before: dict[str, str] = {start: ""}
    waiting = deque([start])
    while waiting:
        unit = waiting.popleft()
        if unit == goal:
            way = [unit]
            while before[way[0]]:
                way.insert(0, before[way[0]])
            return way
        for other in sorted(graph[unit]):
            if other not in before:
                before[other] = unit
                waiting.append(other)
    return []


def _describe(graph: Graph, cycle: list[str]) -> str:
    short = " -> ".join(unit.removeprefix("engine/") for unit in cycle)
    steps = []
    for unit, other in zip(cycle, cycle[1:]):
        name, line = graph[unit][other]
        steps.append(f'{name}:{line} includes "{other.removeprefix("engine/")}.h"')
    return f"units include each other: {short} ({', '.join(steps)})"
