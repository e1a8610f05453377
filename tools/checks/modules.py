"""What the build files say about modules: their names and the modules they may include."""

import re

from .tree import Tree

_CALL = re.compile(r"mr_module\(\s*(\w+)([^)]*)\)")
_KEYWORDS = {"FOLDERS", "DEPS", "LIBS", "CONCURRENCY_TESTS", "SEPARATE_TESTS", "ALONE"}


def dependencies(tree: Tree) -> dict[str, set[str]]:
    """Maps each module of engine/ to the DEPS of its mr_module call."""
    found = {}
    for name in tree.ending("/CMakeLists.txt", under="engine/"):
        for module, arguments in _CALL.findall(re.sub(r"#[^\n]*", "", tree.text(name))):
            found[module] = set(_values_of("DEPS", arguments.split()))
    return found


def module_of(name: str) -> str | None:
    """Gives the module that a path belongs to, or None outside engine/."""
    parts = name.split("/")
    return parts[1] if parts[0] == "engine" and len(parts) > 2 else None


def _values_of(keyword: str, words: list[str]) -> list[str]:
    values, current = [], None
    for word in words:
        if word in _KEYWORDS:
            current = word
        elif current == keyword:
            values.append(word)
    return values
