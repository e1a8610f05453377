"""No folder of engine/ holds more than 25 units; more get sub-folders named by concept."""

from collections import defaultdict

from . import includes
from .tree import Problem, Tree

_UNITS_MAX = 25


def run(tree: Tree) -> list[Problem]:
    units: dict[str, set[str]] = defaultdict(set)
    for name in includes.product_files(tree):
        folder, _, file = name.rpartition("/")
        units[folder].add(includes.unit_of(file))
    return [Problem(folder, 0, f"holds {len(found)} units; above {_UNITS_MAX} make sub-folders "
                               "named by concept")
            for folder, found in units.items() if len(found) > _UNITS_MAX]
