"""Each third-party library is included by one module of engine/ and wrapped there."""

import re
from collections import defaultdict

from . import modules
from .tree import Problem, Tree, is_test

_INCLUDE = re.compile(r"^\s*#\s*include\s+<([^>]+)>")
# Headers of the C++ and C libraries and of the kernel belong to the platform.
_PLATFORM = re.compile(r"[a-z0-9_]+|(sys|linux|arpa|net|netinet|sanitizer)/[a-z0-9_]+\.h"
                       r"|(dlfcn|errno|fcntl|netdb|poll|pthread|sched|signal|stdint|time|unistd|immintrin)\.h")
# Start of the include path -> library. A new library needs a line here and an ADR.
LIBRARIES = {
    "uv.h": "libuv",
    "fmt/": "fmt",
    "simdjson.h": "simdjson",
    "toml++/": "toml++",
    "yaml.h": "libyaml",
    "openssl/sha.h": "libcrypto",
    "openssl/": "libssl",
    "llhttp.h": "llhttp",
    "nats/nats.h": "libnats",
    "zlib.h": "zlib",
    "zconf.h": "zlib",
    "re2/": "re2",
    "CLI/": "CLI11",
    "hwy/": "highway",
    "gtest/": "googletest",
    "gmock/": "googletest",
    "rapidcheck": "rapidcheck",
}


def run(tree: Tree) -> list[Problem]:
    problems, users = [], defaultdict(lambda: defaultdict(list))
    for name in tree.cpp("engine/"):
        for number, line in enumerate(tree.lines(name), start=1):
            match = _INCLUDE.match(line)
            if not match or _is_test_code(name) or _PLATFORM.fullmatch(match.group(1)):
                continue
            library = _library(match.group(1))
            if library is None:
                problems.append(Problem(name, number, f"unknown library: <{match.group(1)}>"))
            else:
                users[library][modules.module_of(name)].append((name, number))
    return problems + [
        Problem(*place, f"{library} is included by {' and '.join(sorted(by_module))}: wrap it in one")
        for library, by_module in users.items() if len(by_module) > 1
        for places in by_module.values() for place in places]


def _library(header: str) -> str | None:
    return next((library for start, library in LIBRARIES.items() if header.startswith(start)), None)


def _is_test_code(name: str) -> bool:
    """Fixtures are headers that only tests include."""
    return is_test(name) or name.endswith("_fixture.h")
