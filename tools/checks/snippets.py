"""Code blocks in Markdown that say where they are cut from still say what the source says.

`<!-- snippet: FILE NAME -->` stands on the line above the block; FILE has the text between two lines
that contain `snippet-begin: NAME` and `snippet-end: NAME`.
"""

import re
import textwrap

from .tree import Problem, Tree, line_of

_BLOCK = re.compile(r"<!-- snippet: (\S+) (\w+) -->\n(?:```\w*\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)


def run(tree: Tree) -> list[Problem]:
    problems = []
    for name in tree.ending(".md"):
        for match in _BLOCK.finditer(tree.text(name)):
            message = _compare(tree, *match.groups())
            if message:
                problems.append(Problem(name, line_of(tree.text(name), match.start()), message))
    return problems


def _compare(tree: Tree, source: str, snippet: str, block: str | None) -> str | None:
    """Gives what is wrong with one block, or None."""
    region = re.search(rf"^[^\n]*snippet-begin: {snippet}\n(.*?)^[^\n]*snippet-end: {snippet}$",
                       tree.text(source), re.DOTALL | re.MULTILINE)
    if region is None:
        return f"{source} has no snippet '{snippet}'"
    if block is None:
        return "no code block follows the snippet comment"
    if textwrap.dedent(region.group(1)).strip() != block.strip():
        return f"the block differs from snippet '{snippet}' of {source}"
    return None
