#!/usr/bin/env python3
"""Starts three rankd behind HAProxy, a NATS server and a Redis Cluster of six nodes on loopback, asks over both, and shows what comes back.

    ./dev cluster [--seconds N] [--clients N] [--do 'AT COMMAND']...

Then type what shall happen; the rates go on meanwhile:

    kill NAME     kill -9, as an accident would        kill redis2, kill nats
    stop NAME     SIGTERM, as an operator would        stop rankd1
    start NAME    start it again
    status        which parts run, and where
    quit          end everything (Ctrl-C and SIGTERM do, too)

--do gives a command at a second after the start, for scripts: --do '5 kill rankd2' --do '10 start rankd2'.
"""

import argparse
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from cluster_load import Ledger, Load
from cluster_nats import NatsLoad
from cluster_parts import ROOT, Deployment, describe

PLAN = "complex_dag"
COMMANDS = ("kill", "stop", "start", "status", "quit")


def read_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev cluster", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=0, metavar="N", help="end after so long; without it, when you say so")
    parser.add_argument("--clients", type=int, default=8, metavar="N", help="requests under way over HTTP, and as many over NATS (8)")
    parser.add_argument("--do", action="append", default=[], metavar="'AT COMMAND'", help="a command at a second")
    parser.add_argument("--rankd", default=str(ROOT / "engine/bin/rankd"), help="the program (engine/bin/rankd)")
    options = parser.parse_args(arguments)
    program = shutil.which(options.rankd)
    if program is None:
        parser.error(f"{options.rankd} is missing; run ./dev build release")
    options.rankd = Path(program).resolve()
    try:
        options.plan = sorted((int(text.split(None, 1)[0]), text.split(None, 1)[1]) for text in options.do)
    except (ValueError, IndexError):
        parser.error("--do needs a second and a command, as '5 kill rankd2'")
    return options


def obey(deployment: Deployment, line: str) -> str:
    """Does what a line says and gives a sentence about it; `quit` is left to the caller."""
    words = line.split()
    if words[0] == "status":
        return describe(deployment)
    if words[0] not in COMMANDS or len(words) != 2:
        return f"'{line}' is no command; there are: kill NAME, stop NAME, start NAME, status, quit"
    part = next((part for part in deployment.parts if part.name == words[1]), None)
    if part is None:
        return f"there is no '{words[1]}'; there are: {' '.join(part.name for part in deployment.parts)}"
    if words[0] == "start":
        if part.is_running():
            return f"{part.name} runs already"
        part.start()
        return f"{part.name} is started"
    if not part.is_running():
        return f"{part.name} is down already"
    part.send(signal.SIGKILL if words[0] == "kill" else signal.SIGTERM)
    return f"{part.name} is {'killed' if words[0] == 'kill' else 'asked to end'}"


class Counter:
    """What became of the requests of one load since it was asked last."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._last = (0, 0, 0, 0)

    def take(self) -> list[int]:
        now = (self._ledger.good, sum(self._ledger.degraded.values()), len(self._ledger.failures), len(self._ledger.wrong))
        change = [new - old for new, old in zip(now, self._last)]
        self._last = now
        return change


class Table:
    """One line per second: what happened since the last one."""

    def __init__(self, http: Ledger, nats: Ledger) -> None:
        self._http, self._nats = Counter(http), Counter(nats)
        self._rate_max = 1
        print(f"{'second':>6} {'HTTP/s':>8} {'NATS/s':>8} {'degraded':>9} {'failed':>7} {'wrong':>6}  down")

    def row(self, second: int, deployment: Deployment) -> str:
        http, nats = self._http.take(), self._nats.take()
        good, degraded, failed, wrong = (one + other for one, other in zip(http, nats))
        self._rate_max = max(self._rate_max, good)
        down = " ".join(part.name for part in deployment.parts if not part.is_running())
        bar = "█" * round(20 * good / self._rate_max)
        return f"{second:6} {http[0]:8} {nats[0]:8} {degraded:9} {failed:7} {wrong:6}  {bar:20} {down}"


class Typed:
    """The lines that come in. Reads the descriptor itself, so that of several lines which come at once none stays in a buffer."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._rest, self._has_ended = descriptor, b"", False

    def take(self) -> list[str]:
        """Those that came until now; none once the input has ended."""
        while not self._has_ended and select.select([self._descriptor], [], [], 0)[0]:
            piece = os.read(self._descriptor, 65536)
            self._has_ended = not piece
            self._rest += piece or b"\n"
        *lines, self._rest = self._rest.split(b"\n")
        return [line.decode(errors="replace").strip() for line in lines if line.strip()]


def show(deployment: Deployment, table: Table, options: argparse.Namespace) -> None:
    second, began, typed = 0, time.monotonic(), Typed(sys.stdin.fileno())
    while not options.seconds or second < options.seconds:
        second += 1
        time.sleep(max(0.0, began + second - time.monotonic()))
        due = [command for at, command in options.plan if at == second]
        for command in due + typed.take():
            if command == "quit":
                return
            print(f"> {command}\n{obey(deployment, command)}")
        print(table.row(second, deployment), flush=True)


def on_end(handler) -> None:
    """Who asks this program to end. Its parts have sessions of their own, so a signal for all of this terminal does not reach them."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handler)


def main(arguments: list[str]) -> int:
    options = read_options(arguments)
    on_end(signal.default_int_handler)
    users = list(range(1, 101))
    with tempfile.TemporaryDirectory(prefix="millrace-cluster-", ignore_cleanup_errors=True) as folder:
        deployment = Deployment(Path(folder), options.rankd, server_count=3, redis_count=6, has_nats=True)
        load = Load(deployment.front_port, PLAN, users, options.clients)
        nats = NatsLoad(deployment.nats[0].port, PLAN, users, options.clients)
        try:
            print("starting six Redis nodes, a NATS server, three rankd and HAProxy …", flush=True)
            deployment.start()
            print(f"{describe(deployment)}\nrequests go to http://127.0.0.1:{deployment.front_port}/v1/rank/{PLAN} "
                  f"and to rank.{PLAN} of nats://127.0.0.1:{nats.port}\n")
            with load, nats:
                show(deployment, Table(load.ledger, nats.ledger), options)
        except KeyboardInterrupt:
            print()
        finally:
            on_end(signal.SIG_IGN)  # one that comes now must not leave parts behind
            deployment.stop()
    for name, ledger in (("HTTP", load.ledger), ("NATS", nats.ledger)):
        print(f"{name}: sent {ledger.sent}: {ledger.good} in full, {sum(ledger.degraded.values())} degraded, {len(ledger.failures)} failed")
        for failure in ledger.failures[:5]:
            print(f"  {failure}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
