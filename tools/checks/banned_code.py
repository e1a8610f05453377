"""Code that the house rules forbid: throw in engine/, std::mutex, sleeping tests."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from . import cpp_code
from .tree import Problem, Tree, is_test, line_of


@dataclass(frozen=True)
class Ban:
    pattern: re.Pattern[str]
    applies_to: Callable[[str], bool]
    message: str


_THROW = Ban(re.compile(r"\bthrow\b"), lambda name: name.startswith("engine/") and not is_test(name),
             "no throw in engine/: return a Result")
_MUTEX = Ban(re.compile(r"\bstd::(recursive_|shared_|timed_)*mutex\b"),
             lambda name: name != "engine/base/sync/mutex.h",
             "use base::Mutex: thread-safety analysis cannot see through std::mutex")
# The event loop has awaitables of the same names, which cost virtual time only.
_SLEEP = Ban(re.compile(r"\bthis_thread::sleep_|\b(usleep|(clock_)?nanosleep)\s*\(|\bsleep\s*\(\s*\d"),
             is_test,
             "no sleeping in tests: let the test own time (base/clock.h)")


def no_throw(tree: Tree) -> list[Problem]:
    return _find(tree, _THROW)


def no_std_mutex(tree: Tree) -> list[Problem]:
    return _find(tree, _MUTEX)


def no_sleep(tree: Tree) -> list[Problem]:
    return _find(tree, _SLEEP)


def _find(tree: Tree, ban: Ban) -> list[Problem]:
    return [Problem(name, line_of(tree.text(name), match.start()), ban.message)
            for name in tree.cpp() if ban.applies_to(name)
            for match in ban.pattern.finditer(cpp_code.blank(tree.text(name)))]
