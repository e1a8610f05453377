"""C++ files are as clang-format leaves them."""

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from .tree import Problem, Tree

_TOOL = "clang-format-19"
_WARNING = re.compile(r"^(?P<path>[^\n:]+):(?P<line>\d+):\d+: (?:error|warning):", re.MULTILINE)


def run(tree: Tree) -> list[Problem]:
    files = tree.cpp()
    if not files:
        return []
    if shutil.which(_TOOL) is None:
        return [Problem(_TOOL, 0, "is missing; run ./dev setup")]
    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        outputs = pool.map(lambda part: _dry_run(tree, part),
                           [files[start::workers] for start in range(workers)])
    first_lines: dict[str, int] = {}
    for match in _WARNING.finditer("\n".join(outputs)):
        first_lines.setdefault(match["path"], int(match["line"]))
    return [Problem(path, line, "not formatted; run ./dev fmt")
            for path, line in first_lines.items()]


def _dry_run(tree: Tree, files: list[str]) -> str:
    if not files:
        return ""
    return subprocess.run([_TOOL, "--dry-run", "-Werror", *files], cwd=tree.root,
                          capture_output=True, text=True, check=False).stderr
