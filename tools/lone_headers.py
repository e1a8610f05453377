"""Proves that the headers of one module compile alone; cmake/lone_headers.cmake calls this.

Compiling 270 headers one by one reads the same text hundreds of times. Here every header is a Clang
module of its own instead: it is compiled once, sees only what it includes, and who includes it loads
the result. If Clang refuses a header that way, the headers are compiled one by one without modules,
and only what that says counts.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

# Deprecated, or empty in C++23: they warn, and nothing may include them.
_STANDARD_WITHOUT = {"ccomplex", "ciso646", "cstdalign", "cstdbool", "ctgmath", "cuchar"}


def standard_map(folder: Path) -> str:
    """Makes each header of the standard library a part of the module `std`."""
    names = sorted(path.name for path in folder.iterdir()
                   if path.is_file() and re.fullmatch(r"[a-z_0-9]+", path.name)
                   and path.name not in _STANDARD_WITHOUT)
    parts = [f'  module {name}_ {{ header "{folder / name}" export * }}\n' for name in names]
    return "module std [system] {\n" + "".join(parts) + "}\n"


def header_map(root: str, headers: list[str]) -> str:
    """Makes each header a Clang module of its own, named after its path."""
    names = [re.sub(r"\W", "_", header.removeprefix(root).strip("/").replace("/", "__"))
             for header in headers]
    return "".join(f'module {name} {{ header "{header}" export * }}\n'
                   for name, header in zip(names, headers))


def write_if_changed(path: Path, text: str) -> Path:
    """Keeps the time of a file that is as it should be: compiled modules depend on it."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path


def compiler_call(options: argparse.Namespace) -> list[str]:
    call = [options.compiler, "-std=c++23", "-fsyntax-only", "-w", "-x", "c++", "-I", options.root]
    for folder in filter(None, options.include.split(";")):
        if folder not in (options.root, "/usr/include"):
            call += ["-isystem", folder]
    return call


def compile_as_modules(options: argparse.Namespace) -> bool:
    work = Path(options.work)
    maps = [work / f"{name}.modulemap" for name in filter(None, options.after.split(";"))]
    if options.standard:
        maps.append(write_if_changed(work / "std.modulemap", standard_map(Path(options.standard))))
    maps.append(write_if_changed(work / f"{options.name}.modulemap",
                                 header_map(options.root, options.headers)))
    everything = "".join(f'#include "{header}"\n' for header in options.headers)
    call = compiler_call(options) + [
        "-fmodules", f"-fmodules-cache-path={work / 'cache'}", "-fno-implicit-module-maps",
        "-Xclang", "-fmodules-local-submodule-visibility",
        *(f"-fmodule-map-file={path}" for path in maps), "-"]
    result = subprocess.run(call, input=everything, text=True, capture_output=True, check=False)
    return result.returncode == 0


def compile_one_by_one(options: argparse.Namespace) -> bool:
    results = [subprocess.run([*compiler_call(options), "-"], input=f'#include "{header}"\n',
                              text=True, check=False) for header in options.headers]
    return all(result.returncode == 0 for result in results)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--name", required=True, help="the module")
    parser.add_argument("--root", required=True, help="the folder that includes start from")
    parser.add_argument("--work", required=True, help="a folder for what this leaves behind")
    parser.add_argument("--stamp", required=True, help="the file to write when all is well")
    parser.add_argument("--standard", default="", help="the folder of the standard library's headers")
    parser.add_argument("--include", default="", help="folders of libraries, separated by ;")
    parser.add_argument("--after", default="", help="modules that this one includes, separated by ;")
    parser.add_argument("headers", nargs="+")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    if not compile_as_modules(options):
        if not compile_one_by_one(options):
            return 1
        print(f"{options.name}: headers compile alone, but not as Clang modules: slow, not wrong")
    Path(options.stamp).touch()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
