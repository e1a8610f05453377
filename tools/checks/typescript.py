"""TypeScript in dsl/src: no import cycles, no `any`, no compiled output under version control."""

import posixpath
import re

from .tree import Problem, Tree, line_of

_SOURCES = "dsl/src/"
_IMPORT = re.compile(r"^(?:import|export)\b(?! type\b)[^;]*?from \"(\.[^\"]+)\"", re.MULTILINE)
_ANY = re.compile(r"[:<,|&]\s*any\b|\bas any\b")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|`(?:[^`\\]|\\.)*`|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'",
                      re.DOTALL)


def run(tree: Tree) -> list[Problem]:
    sources = tree.ending(".ts", under=_SOURCES)
    problems = [Problem(name, 0, "compiled output is not committed")
                for name in tree.ending(".js", ".js.map", under="dsl/")]
    for name in sources:
        if name.endswith(".test.ts"):
            continue
        text = tree.text(name)
        code = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
        problems += [Problem(name, line_of(code, match.start()), "no `any`: say what it is, or `unknown`")
                     for match in _ANY.finditer(code)]
    return problems + _cycles({name: _imports(tree, name) for name in sources})


def _imports(tree: Tree, name: str) -> list[str]:
    folder = posixpath.dirname(name)
    return [posixpath.normpath(posixpath.join(folder, match.group(1)))
            for match in _IMPORT.finditer(tree.text(name))]


def _cycles(imports: dict[str, list[str]]) -> list[Problem]:
    """Gives one problem for each import that closes a circle, found depth first."""
    done, problems = set(), []

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            circle = [*above[above.index(name):], name]
            problems.append(Problem(above[-1], 0, f"imports in a circle: {' -> '.join(circle)}"))
        elif name not in done:
            for imported in imports.get(name, []):
                visit(imported, (*above, name))
            done.add(name)

    for name in sorted(imports):
        visit(name, ())
    return problems
