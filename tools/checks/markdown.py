"""Links, paths, ./dev verbs and CMake presets in Markdown name things that exist."""

import posixpath
import re

from .tree import Problem, Tree

_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"(?:\./)?((?:engine|docs|tools|tests|cmake|bench|examples|\.ci)/[\w./-]*)")
_DEV_VERB = re.compile(r"\./dev\s+([a-z]+)")
_PRESET = re.compile(r"--preset[ =](\w+)")
_HEADING = re.compile(r"^#+\s+(.*?)\s*$", re.MULTILINE)


def run(tree: Tree) -> list[Problem]:
    verbs = set(_first_match(r"VERBS=\(([^)]*)\)", tree.text("dev")).split())
    presets = set(re.findall(r'"name": "(\w+)"', tree.text("CMakePresets.json")))
    problems = []
    for name in tree.ending(".md"):
        fenced = False
        for number, line in enumerate(tree.lines(name), start=1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            messages = [f"./dev has no verb '{verb}'"
                        for verb in _DEV_VERB.findall(line) if verb not in verbs]
            messages += [f"there is no CMake preset '{preset}'"
                         for preset in _PRESET.findall(line) if preset not in presets]
            if not fenced:
                messages += _links(tree, name, line) + _paths(tree, line)
            problems += [Problem(name, number, message) for message in messages]
    return problems


def _first_match(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match.group(1) if match else ""


def _links(tree: Tree, name: str, line: str) -> list[str]:
    messages = []
    for target in _LINK.findall(_CODE_SPAN.sub("", line)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
        if not tree.exists(path):
            messages.append(f"broken link: {target}")
        elif anchor and path.endswith(".md") and anchor not in _anchors(tree.text(path)):
            messages.append(f"no such heading: {target}")
    return messages


def _paths(tree: Tree, line: str) -> list[str]:
    paths = (_PATH.fullmatch(span) for span in _CODE_SPAN.findall(line))
    return [f"no such path: {path.group(1)}" for path in paths
            if path and not tree.exists(path.group(1).rstrip("."))]


def _anchors(text: str) -> set[str]:
    """Gives the anchors that GitHub makes of headings."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in _HEADING.findall(text)}
