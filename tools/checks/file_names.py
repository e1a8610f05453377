"""Files are named snake_case after their concept; words that name nothing are banned."""

import re
from pathlib import PurePosixPath

from .tree import Problem, Tree

_BANNED = {"util", "utils", "helper", "helpers", "common", "misc", "manager"}
_SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_CODE = (".h", ".cpp", ".py", ".ts", ".mjs", ".txt")
_GIVEN_BY_TOOLS = {"CMakeLists.txt", "__init__.py"}


def run(tree: Tree) -> list[Problem]:
    return [Problem(name, 0, message) for name in tree.files for message in _messages(name)]


def _messages(name: str) -> list[str]:
    path = PurePosixPath(name)
    stem = path.name.split(".")[0]
    messages = [f"'{word}' names no concept" for word in [*path.parent.parts, stem]
                if _BANNED & set(re.split(r"[_-]", word.lower()))]
    if path.suffix in _CODE and path.name not in _GIVEN_BY_TOOLS and not _SNAKE.fullmatch(stem):
        messages.append("file name is not snake_case")
    if path.suffix in (".cc", ".cxx", ".hpp", ".hh"):
        messages.append("C++ files end in .h and .cpp")
    return messages
