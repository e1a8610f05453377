"""Counts which ways requests take: request_profile.py BUILD_FOLDER OUTPUT.

BUILD_FOLDER holds programs that count (the preset `profile`). They answer requests for every shipped
plan, from embedded data, over HTTP and from Redis; OUTPUT gets what cmake/profile.cmake compiles releases with.
"""

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
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
# Over HTTP: connections at a time, and requests of each for every plan.
HTTP_CONNECTIONS, HTTP_REQUESTS = 8, 250
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


def counting(counts: Path) -> dict[str, str]:
    """Gives the environment of a program that is to write what it counted into the folder `counts`."""
    return dict(os.environ, LLVM_PROFILE_FILE=str(counts / "%p.profraw"))


def count(command: list[str], counts: Path) -> None:
    """Runs a program that writes what it counted into the folder `counts`."""
    subprocess.run(command, check=True, env=counting(counts), stdout=subprocess.DEVNULL)


def count_server(rankd: Path, plans: list[str], counts: Path) -> None:
    """Serves requests for all plans over HTTP, with the settings that are shipped."""
    server = subprocess.Popen([rankd, "serve", "--listen", "127.0.0.1:0"], env=counting(counts), text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    address = next(record["address"] for record in map(json.loads, server.stderr) if record["event"] == "listening")
    # A log that nobody reads is dropped from some time on, and dropping is not what requests do.
    reader = threading.Thread(target=server.stderr.read)
    clients = [threading.Thread(target=ask_server, args=(address, plans)) for _ in range(HTTP_CONNECTIONS)]
    for thread in (reader, *clients):
        thread.start()
    for client in clients:
        client.join()
    server.send_signal(signal.SIGTERM)
    reader.join()
    if server.wait() != 0:
        raise RuntimeError(f"rankd serve ended with {server.returncode}")


def ask_server(address: str, plans: list[str]) -> None:
    """Sends requests for all plans over one connection."""
    connection = http.client.HTTPConnection(address)
    for plan in plans:
        for _ in range(HTTP_REQUESTS):
            connection.request("POST", f"/v1/rank/{plan}", '{"user_id": 1}', {"Content-Type": "application/json"})
            connection.getresponse().read()


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
    rankd = build / "engine/apps/rankd"
    plans = [plan.name.removesuffix(".plan.json") for plan in sorted(Path("plans").glob("*.plan.json"))]
    folders = {name: fresh(build / "counts" / name) for name in ("embedded", "http", "redis")}
    for plan in plans:
        print(f"==> {plan} on embedded data", flush=True)
        for concurrency, requests, request in LOADS:
            count([str(rankd), "--plan_name", plan, "--bench", requests, "--bench_concurrency", concurrency,
                   "--bench_request", request], folders["embedded"])
    print("==> all plans over HTTP", flush=True)
    count_server(rankd, plans, folders["http"])
    print("==> plans on Redis (half a minute)", flush=True)
    count([str(build / "bench/bench_redis"), "--fanout", "10"], folders["redis"])
    all_of_them = fresh(build / "counts" / "all")
    for name, folder in folders.items():
        write_profile(select(merge(folder)), all_of_them / f"{name}.proftext")
    kept = functions(merge(all_of_them))
    write_profile(kept, output)
    print(f"{output}: {len(kept)} functions")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
