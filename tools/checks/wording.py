"""Text that must not be committed: unowned to-dos and paths of one machine."""

import re

from .tree import Problem, Tree

_MARKER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
_OWNED = re.compile(r"TO" r"DO\(#\d+\): \S")
_MACHINE_PATH = re.compile(r"(?<![\w.$}/-])/(home|Users|root|work|opt|mnt|tmp)/")


def to_do_form(tree: Tree) -> list[Problem]:
    return [Problem(name, number, "write it as TO" "DO(#123): what is left")
            for name in tree.files
            for number, line in enumerate(tree.lines(name), start=1)
            for match in _MARKER.finditer(line) if not _OWNED.match(line, match.start())]


def machine_paths(tree: Tree) -> list[Problem]:
    return [Problem(name, number, f"path of one machine: {match.group()}")
            for name in tree.files
            for number, line in enumerate(tree.lines(name), start=1)
            for match in _MACHINE_PATH.finditer(line)]
