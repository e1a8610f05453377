"""The registry: every check of the house, its name and its rule.

To add one: write NAME.py with a function from Tree to problems, NAME_test.py that plants a
violation and a clean tree, and a line here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from . import (adr, banned_code, comment_names, contract_proof, file_names, folders, formatting, layers,
               markdown, module_readme, narrow_includes, public_headers, sizes, snippets, third_party,
               typescript, unit_cycles, untested, wording)
from .tree import Problem, Tree


@dataclass(frozen=True)
class Check:
    name: str
    rule: str
    run: Callable[[Tree], list[Problem]]


CHECKS = (
    Check("format", "C++ files are as clang-format leaves them", formatting.run),
    Check("layers", "includes stay within DEPS; no cycles", layers.run),
    Check("public_headers", "public headers include only public ones of other modules",
          public_headers.run),
    Check("narrow_includes", "some modules include only the door of another", narrow_includes.run),
    Check("unit_cycles", "units of a module include each other without cycles", unit_cycles.run),
    Check("folders", "no folder of engine/ holds more than 25 units", folders.run),
    Check("third_party", "one module wraps each library", third_party.run),
    Check("sizes", "files, functions and parameter lists stay small", sizes.run),
    Check("file_names", "snake_case, named after the concept", file_names.run),
    Check("untested", "every unit has a test beside it", untested.run),
    Check("typescript", "dsl/ has no import cycle, no `any`, no output", typescript.run),
    Check("no_throw", "no throw in engine/", banned_code.no_throw),
    Check("no_std_mutex", "base::Mutex instead of std::mutex", banned_code.no_std_mutex),
    Check("no_sleep", "tests do not sleep", banned_code.no_sleep),
    Check("comment_names", "names in backticks exist", comment_names.run),
    Check("markdown", "links, paths and commands in Markdown exist", markdown.run),
    Check("snippets", "code in Markdown is what its source says", snippets.run),
    Check("module_readme", "each module has a README of at most 30 lines", module_readme.run),
    Check("adr", "decision records are numbered once and complete", adr.run),
    Check("to_do_form", "to-dos name an issue", wording.to_do_form),
    Check("machine_paths", "no path of one machine", wording.machine_paths),
    Check("contract_proof", "every contract statement is named by a test", contract_proof.run),
)
