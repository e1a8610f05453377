"""Lists of known exceptions, one per line, that may only shrink."""

from .tree import Problem, Tree


def entries(tree: Tree, list_file: str) -> dict[str, int]:
    """Maps each entry of a list to its line."""
    return _parse(tree.text(list_file))


def apply(tree: Tree, list_file: str, offenders: dict[str, Problem]) -> list[Problem]:
    """Reports offenders that are not listed, entries that offend no more, and entries added."""
    listed = entries(tree, list_file)
    problems = [problem for name, problem in offenders.items() if name not in listed]
    problems += [Problem(list_file, line, f"stale entry, remove it: {name}")
                 for name, line in listed.items() if name not in offenders]
    before = _entries_before(tree, list_file)
    if before is not None:
        problems += [Problem(list_file, line, f"new entry, but this list may only shrink: {name}")
                     for name, line in listed.items() if name not in before and name in offenders]
    return problems


def _parse(text: str) -> dict[str, int]:
    lines = ((line.split("#")[0].strip(), number)
             for number, line in enumerate(text.splitlines(), start=1))
    return {entry: number for entry, number in lines if entry}


def _entries_before(tree: Tree, list_file: str) -> dict[str, int] | None:
    """Gives the list where this branch left main (on main: one commit ago); None if it is new."""
    if not (tree.root / ".git").exists():
        return None
    head = tree.git("rev-parse", "HEAD").strip()
    start = tree.git("merge-base", "HEAD", "main").strip()
    if start in ("", head):
        start = "HEAD~1"
    if not tree.git("ls-tree", start, "--", list_file):
        return None
    return _parse(tree.git("show", f"{start}:{list_file}"))
