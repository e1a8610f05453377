"""Names in backticks, in comments of C++ files and in READMEs of modules, exist somewhere.

A word in backticks must occur in code: as an identifier or inside a string of a C++ file, in
another source or data file, or in the name of a file. Names of things outside the project that no
code mentions stand in `_FOREIGN`. Words that still offend stand in a list that may only shrink, one
line `FILE WORD` each.
"""

import re

from . import cpp_code, ratchet
from .tree import Problem, Tree, line_of

EXCEPTIONS = "tools/comment_names.txt"
_WORD = re.compile(r"[A-Za-z_]\w*")
# What a reader replaces is no name: a word in capitals (`NAME KEY`), or part of one (`*_pass.cpp`).
_NAME = re.compile(r"(?<![\w*])(?![A-Z]+\b)[A-Za-z_]\w*(?![\w*])")
_SPAN = re.compile(r"`([^`\n]+)`")
_FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
# Files that can define a name; documents only mention them.
_SOURCES = (".ts", ".mjs", ".py", ".sh", ".cmake", "CMakeLists.txt", ".json", ".jsonl", ".toml",
            ".redis", "dev")
# This check's own files would make every name exist that they plant.
_OWN = ("tools/checks/comment_names.py", "tools/checks/comment_names_test.py")
# Words of C++ and of the system that code here does not happen to use.
_FOREIGN = {"sockaddr_un", "xor"}


def run(tree: Tree) -> list[Problem]:
    known, comments = _read_cpp(tree)
    for name in tree.files:
        known.update(_WORD.findall(name))
        if name.endswith(_SOURCES) and name not in _OWN:
            known.update(_WORD.findall(tree.text(name)))
    offenders: dict[str, Problem] = {}
    for name, start, text in comments + _readmes(tree):
        for span in _SPAN.finditer(text):
            for word in set(_NAME.findall(span.group(1))) - known:
                if _is_part_of_names(word, known):
                    continue
                line = line_of(tree.text(name), start + span.start())
                offenders.setdefault(f"{name} {word}", Problem(
                    name, line, f"nothing is called {word}: correct `{span.group(1)}`"))
    return ratchet.apply(tree, EXCEPTIONS, offenders)


def _is_part_of_names(word: str, known: set[str]) -> bool:
    """Says whether it is a prefix like find_ or a suffix like _index, and names have it."""
    return (word.endswith("_") and any(name.startswith(word) for name in known)) or (
        word.startswith("_") and any(name.endswith(word) for name in known))


def _read_cpp(tree: Tree) -> tuple[set[str], list[tuple[str, int, str]]]:
    """Gives the words of all code, and the comments with backticks: file, offset, text."""
    known, comments = set(_FOREIGN), []
    for name in tree.cpp():
        text, position = tree.text(name), 0
        code = []
        for start, end in cpp_code.comments(text):
            code.append(text[position:start])
            position = end
            if "`" in text[start:end]:
                comments.append((name, start, text[start:end]))
        code.append(text[position:])
        known.update(_WORD.findall(" ".join(code)))
    return known, comments


def _readmes(tree: Tree) -> list[tuple[str, int, str]]:
    # Fenced blocks keep their length, so that lines can be counted.
    return [(name, 0, _FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), tree.text(name)))
            for name in tree.ending("/README.md", under="engine/")]
