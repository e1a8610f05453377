"""Some modules may include only a few headers of another one, though it is in their DEPS."""

from dataclasses import dataclass

from . import includes, modules
from .tree import Problem, Tree


@dataclass(frozen=True)
class Door:
    """The only headers of `into` that the product code of `module` may include."""

    module: str
    into: str
    headers: frozenset[str]
    reason: str


_DOORS = (
    Door("host", "stores", frozenset({"stores/store_client.h"}),
         "apps registers the kinds of stores"),
)


def run(tree: Tree, doors: tuple[Door, ...] = _DOORS) -> list[Problem]:
    by_pair = {(door.module, door.into): door for door in doors}
    problems = []
    for name in includes.product_files(tree):
        module = modules.module_of(name)
        for header, line in includes.of(tree, name):
            door = by_pair.get((module, header.split("/")[0]))
            if door and header not in door.headers:
                problems.append(Problem(
                    name, line, f'{module} may not include "{header}": of {door.into} only '
                                f"{', '.join(sorted(door.headers))}, because {door.reason}"))
    return problems
