"""Counts which ways requests take: request_profile.py BUILD_FOLDER OUTPUT.

BUILD_FOLDER holds programs that count (the preset `profile`). They answer requests for every shipped
plan, from embedded data and from Redis; OUTPUT gets what cmake/profile.cmake compiles releases with.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PROFDATA = "llvm-profdata-19"
# A function that not even every third request calls decides nothing.
CALLS_MIN = 10_000
# One that turns more often than this per call is a loop over rows: it is tuned as it is, and what is
# rare for the few rows of the shipped plans is not for other people's.
TURNS_MAX = 50
# Requests at a time, requests and what they ask for; those that explain are fewer, but enough for
# CALLS_MIN over all plans.
LOADS = (
    ("64", "3000", '{"user_id": 1}'),
    ("1", "3000", '{"user_id": 1}'),
    ("1", "1500", '{"user_id": 1, "explain": {"ids": [1100, 201, 301, 7]}}'),
)
HEADER = "# Made by ./dev profile: how often requests took which way.\n:ir\n:entry_first\n"
_COUNTERS = "# Counter Values:"


def functions(text: str) -> list[list[str]]:
    """Splits counts in text form into the lines of each function."""
    found = []
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line]
        while lines and (lines[0].startswith(("#", ":"))):
            lines.pop(0)
        if _COUNTERS in lines:
            found.append(lines)
    return found


def counters(function: list[str]) -> list[int]:
    """Gives a function's counters; the first tells how often it was called."""
    place = function.index(_COUNTERS)
    number = int(function[place - 1])
    return [int(line) for line in function[place + 1 : place + 1 + number]]


def select(text: str) -> list[list[str]]:
    """Keeps the functions that requests pass through often and, in the main, straight."""
    kept = []
    for function in functions(text):
        counts = counters(function)
        if counts[0] >= CALLS_MIN and max(counts) <= TURNS_MAX * counts[0]:
            kept.append(function)
    return kept


def count(command: list[str], counts: Path) -> None:
    """Runs a program that writes what it counted into the folder `counts`."""
    environment = dict(os.environ, LLVM_PROFILE_FILE=str(counts / "%p.profraw"))
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)


def merge(counts: Path) -> str:
    """Adds up everything in the folder `counts`, in text form."""
    merged = counts / "merged.proftext"
    files = [str(file) for file in sorted(counts.glob("*.prof*")) if file != merged]
    command = [PROFDATA, "merge", "--sparse", "--text", "-o", str(merged), *files]
    subprocess.run(command, check=True)
    return merged.read_text(encoding="utf-8")


def write_profile(kept: list[list[str]], output: Path) -> None:
    body = "\n".join("\n".join(function) + "\n" for function in kept)
    output.write_text(HEADER + body, encoding="utf-8")


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    build, output = Path(arguments[0]), Path(arguments[1])
    embedded, redis = fresh(build / "counts" / "embedded"), fresh(build / "counts" / "redis")
    for plan in sorted(Path("plans").glob("*.plan.json")):
        name = plan.name.removesuffix(".plan.json")
        print(f"==> {name} on embedded data", flush=True)
        for concurrency, requests, request in LOADS:
            count([str(build / "engine/apps/rankd"), "--plan_name", name, "--bench", requests,
                   "--bench_concurrency", concurrency, "--bench_request", request], embedded)
    print("==> plans on Redis (half a minute)", flush=True)
    count([str(build / "bench/bench_redis"), "--fanout", "10"], redis)
    both = fresh(build / "counts" / "both")
    for folder in (embedded, redis):
        write_profile(select(merge(folder)), both / f"{folder.name}.proftext")
    kept = functions(merge(both))
    write_profile(kept, output)
    print(f"{output}: {len(kept)} functions")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
