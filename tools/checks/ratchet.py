"""Lists of known exceptions, one per line, that may only shrink.

Entries that no longer offend must go at once. While a list is still being collected it may take new
entries; once main has the line `# frozen` in it, it may not.
"""

from .tree import Problem, Tree

_FROZEN = "# frozen"

def entries(tree: Tree, list_file: str) -> dict[str, int]:
    """Maps each entry of a list to its line."""
    return _parse(tree.text(list_file))


def apply(tree: Tree, list_file: str, offenders: dict[str, Problem]) -> list[Problem]:
    """Reports offenders that are not listed, entries that offend no more, and entries added."""
    listed = entries(tree, list_file)
    problems = [problem for name, problem in offenders.items() if name not in listed]
    problems += [Problem(list_file, line, f"stale entry, remove it: {name}")
                 for name, line in listed.items() if name not in offenders]
    return problems + _growth(tree, list_file, listed)


def _growth(tree: Tree, list_file: str, listed: dict[str, int]) -> list[Problem]:
    before = _text_before(tree, list_file)
    if _FROZEN not in before.splitlines():
        return []
    problems = [Problem(list_file, line, f"new entry, but this list is frozen: {name}")
                for name, line in listed.items() if name not in _parse(before)]
    if _FROZEN not in tree.lines(list_file):
        problems.append(Problem(list_file, 0, f"the line '{_FROZEN}' must stay"))
    return problems


def _parse(text: str) -> dict[str, int]:
    lines = ((line.split("#")[0].strip(), number)
             for number, line in enumerate(text.splitlines(), start=1))
    return {entry: number for entry, number in lines if entry}


def _text_before(tree: Tree, list_file: str) -> str:
    """Gives the list where this branch left main (on main: one commit ago); empty if it is new."""
    if not (tree.root / ".git").exists():
        return ""
    head = tree.git("rev-parse", "HEAD").strip()
    start = tree.git("merge-base", "HEAD", "main").strip()
    if start in ("", head):
        start = "HEAD~1"
    return tree.git("show", f"{start}:{list_file}")
