"""A public header includes, of other modules, only what is public as well.

engine/public_headers.txt lists the public headers; all others are installed under millrace/detail/.
"""

import re

from . import modules, ratchet
from .tree import Problem, Tree

_LIST = "engine/public_headers.txt"
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def run(tree: Tree) -> list[Problem]:
    public = ratchet.entries(tree, _LIST)
    problems = [Problem(_LIST, line, f"there is no engine/{header}")
                for header, line in public.items() if not tree.exists(f"engine/{header}")]
    for header in public:
        name = f"engine/{header}"
        for number, line in enumerate(tree.lines(name), start=1):
            match = _INCLUDE.match(line)
            if match and not _allowed(name, match.group(1), public):
                problems.append(Problem(
                    name, number, f"a public header includes a private one of another module: {match.group(1)}"))
    return problems


def _allowed(name: str, included: str, public: dict[str, int]) -> bool:
    return included in public or modules.module_of(f"engine/{included}") == modules.module_of(name)
