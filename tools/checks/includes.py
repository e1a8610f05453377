"""Which project headers a C++ file includes, and which unit a file belongs to."""

import re

from .tree import Tree, is_test

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)


def of(tree: Tree, name: str) -> list[tuple[str, int]]:
    """Lists the headers that a file includes in quotes, each with its line."""
    text = tree.text(name)
    return [(match.group(1), text.count("\n", 0, match.start()) + 1)
            for match in _INCLUDE.finditer(text)]


def unit_of(name: str) -> str:
    """Gives the unit of a file: x.h and x.cpp are the unit x."""
    return name.rsplit(".", 1)[0]


def product_files(tree: Tree) -> list[str]:
    """Lists the files of engine/ without tests and what only tests use."""
    return [name for name in tree.cpp("engine/") if not is_test(name) and not name.endswith("_test.h")]
