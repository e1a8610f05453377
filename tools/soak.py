#!/usr/bin/env python3
"""Runs `rankd serve` for ten minutes with everything at once, and counts what comes back.

Clients that rank, stream batches, pipeline, pack and hurry; clients that leave, babble, dribble and do not read; plans that change all
the time; a Redis that is killed, stopped and slow. Every answer is compared with what it was before, every page of metrics must add up,
memory must not grow, and in the end nothing may be left.

    ./dev soak [--seconds N] [--seed N]
"""

import argparse
import asyncio
import random
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from cluster_parts import ROOT
from soak_clients import Clients
from soak_judge import MEMORY_GROWTH_MAX, MEMORY_SECONDS_MIN, Ledger, Scrapes, total_of
from soak_world import World, plan

RELOADS_PER_SECOND = 1000 / 600
WATCHED_SECONDS = 2.0
OUTCOMES = ("good", "degraded", "failed", "refused", "late", "wrong")


class Soak:
    """One run: what disturbs the server, and what watches it."""

    def __init__(self, world: World, seconds: float, seed: int):
        self.world, self.seconds = world, seconds
        self.ledger = Ledger()
        self.scrapes = Scrapes(self.ledger)
        self.clients = Clients(world, self.ledger, seed)
        self.exit_code: int | None = None
        self.descriptors_before = self.descriptors_after = 0.0
        self._chance = random.Random(seed)
        self._began = 0.0

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._began

    async def run(self, progress) -> None:
        await self.clients.learn()
        self._began = time.monotonic()
        await self._scrape()
        self.descriptors_before = self.scrapes.descriptors
        everyone = [asyncio.create_task(one) for one in
                    (*self.clients.everyone(), self._reload(), self._disturb_redis(), self._watch(progress))]
        while self.elapsed < self.seconds and self.world.server.is_running():
            await asyncio.sleep(0.1)
        self.clients.is_over = True
        await asyncio.gather(*everyone)
        if self.world.server.is_running():
            await self._settle()
        self.world.server.send(signal.SIGTERM)
        self.exit_code = await asyncio.to_thread(self.world.server.wait)

    async def _scrape(self) -> None:
        self.scrapes.add(self.elapsed, await self.world.metrics())

    async def _watch(self, progress) -> None:
        while not self.clients.is_over:
            try:
                await self._scrape()
            except (OSError, asyncio.TimeoutError) as error:
                self.ledger.complain("scrape", f"{type(error).__name__}: {error}")
            progress(self)
            await asyncio.sleep(0.25)

    async def _settle(self) -> None:
        """Everybody has left: soon nothing is in flight, and no descriptor is left behind."""
        for _ in range(200):
            await self._scrape()
            self.descriptors_after = self.scrapes.descriptors
            if self.scrapes.inflight == 0 and self.descriptors_after <= self.descriptors_before:
                return
            await asyncio.sleep(0.05)

    async def _disturb_redis(self) -> None:
        while not self.clients.is_over:
            await asyncio.sleep(min(self.seconds / 5, 15.0))
            if self.clients.is_over:
                return
            kind = self._chance.choice(("killed", "stopped", "slow"))
            await self.world.disturb_redis(kind, 0.3 + 2 * self._chance.random())
            self.ledger.deeds[f"Redis {kind}"] += 1

    async def _reload(self) -> None:
        """New plans by all ways, and some that must be refused."""
        while not self.clients.is_over:
            began = time.monotonic()
            kind = self._chance.choice(("asked", "asked", "asked", "hang_up", "watched", "bad"))
            try:
                await (self._reload_bad() if kind == "bad" else self._reload_good(kind))
            except (OSError, asyncio.TimeoutError) as error:
                self.ledger.complain("reload", f"{type(error).__name__}: {error}")
            self.ledger.deeds["reloads"] += 1
            await asyncio.sleep(max(0.0, 1 / RELOADS_PER_SECOND - (time.monotonic() - began)))

    async def _reload_good(self, kind: str) -> None:
        version = self.world.next_live()
        if kind == "asked":
            status, body = await self.world.ask_reload()
            if status != 200 or await self.world.live_version() != version:
                self.ledger.complain("reload", f"{version}: {status} {body[:300]!r}")
            return
        if kind == "hang_up":
            self.world.hang_up()
        await self._until_live(version)

    async def _until_live(self, version: str) -> None:
        """Waits until the watch of the folder has found a version."""
        end = time.monotonic() + 5 * WATCHED_SECONDS
        while await self.world.live_version() != version:
            if time.monotonic() > end:
                return self.ledger.complain("reload", f"{version} does not serve")
            await asyncio.sleep(0.02)

    async def _reload_bad(self) -> None:
        before = await self.world.live_version()
        self.world.write_plan("live", plan("live", 3, "v0")[:-20])
        status, body = await self.world.ask_reload()
        if status != 422 or await self.world.live_version() != before:
            self.ledger.complain("reload", f"a broken plan: {status} {body[:300]!r}")
        # Else it might begin to serve while the next broken plan is judged.
        await self._until_live(self.world.next_live())

    # --- the verdict ---

    def checks(self) -> list[tuple[bool, str]]:
        """What must hold, with a sentence each."""
        ended = total_of(self.scrapes.last, "rankd_requests_total")
        received = total_of(self.scrapes.last, "rankd_requests_received_total")
        exact = sum(value for key, value in self.scrapes.last.items() if key.startswith('rankd_requests_total{plan="exact"'))
        # The question that learns what to expect, once per user, counts as well; warm-up does not.
        sent = self.clients.exact_sent + sum(1 for name, _ in self.clients.expected if name == "exact")
        growth = self.scrapes.memory_growth(self.seconds)
        is_judged = self.seconds >= MEMORY_SECONDS_MIN
        return [
            (self.ledger.wrong_count == 0, f"{self.ledger.wrong_count} wrong answers"),
            (received == ended, f"{received:.0f} received, {ended:.0f} ended, at all {self.scrapes.count} scrapes exact"),
            (exact == sent, f"{sent} sent by clients that never leave, {exact:.0f} counted"),
            (self.descriptors_after <= self.descriptors_before,
             f"{self.descriptors_before:.0f} descriptors before, {self.descriptors_after:.0f} after"),
            (growth <= MEMORY_GROWTH_MAX or not is_judged,
             f"memory {growth:+.1%} from the second to the last fifth" + ("" if is_judged else " (too short to judge)")),
            (self.exit_code == 0, f"exit code {self.exit_code}"),
        ]


def show_progress(soak: Soak) -> None:
    """One line that changes on a terminal; elsewhere a line now and then."""
    is_terminal = sys.stdout.isatty()
    if not is_terminal and soak.scrapes.count % 40 != 1:
        return
    ledger = soak.ledger
    line = (f"{soak.elapsed:5.0f} of {soak.seconds:.0f} s  {ledger.total('good'):8} good  {ledger.total('degraded'):6} degraded  "
            f"{ledger.total('refused'):5} refused  {ledger.deeds['reloads']:4} reloads  {soak.scrapes.inflight:4.0f} in flight  "
            f"{soak.scrapes.memory[-1][1] / 2**20:5.0f} MiB  {ledger.wrong_count} wrong")
    print(f"\r{line}" if is_terminal else line, end="" if is_terminal else "\n", flush=True)


def show_summary(soak: Soak) -> bool:
    """The table, and what it means. True if all is well."""
    print(f"\n{'client':12}" + "".join(f"{outcome:>10}" for outcome in OUTCOMES))
    for kind, counts in sorted(soak.ledger.counts.items()):
        print(f"{kind:12}" + "".join(f"{counts[outcome] or '-':>10}" for outcome in OUTCOMES))
    print("\n" + ", ".join(f"{count} {deed}" for deed, count in sorted(soak.ledger.deeds.items())) + "\n")
    checks = soak.checks()
    for is_good, text in checks:
        print(f"  {'ok    ' if is_good else 'FAILED'} {text}")
    for text in soak.ledger.wrong:
        print(f"  {text}")
    return all(is_good for is_good, _ in checks)


def run_soak(rankd: Path, seconds: float, seed: int, progress=show_progress, settings: list[str] = []) -> Soak:
    """Runs one; also what the test calls."""
    with tempfile.TemporaryDirectory(prefix="millrace-soak-", ignore_cleanup_errors=True) as folder:
        world = World(Path(folder), rankd, settings)
        try:
            world.start()
            soak = Soak(world, seconds, seed)
            asyncio.run(soak.run(progress))
            if soak.exit_code != 0:
                print(f"\nthe log of rankd ends with:\n{world.log_end()}")
            return soak
        finally:
            world.stop()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600, metavar="N", help="how long (600)")
    parser.add_argument("--seed", type=int, default=int(time.time()), metavar="N", help="what chance begins with (the time)")
    parser.add_argument("--rankd", default=str(ROOT / "engine/bin/rankd"), help="the program (engine/bin/rankd)")
    options = parser.parse_args(arguments)
    if options.seconds < 1:
        parser.error("--seconds must be at least 1")
    program = shutil.which(options.rankd)
    if program is None:
        parser.error(f"{options.rankd} is missing; run ./dev build release")
    print(f"seed {options.seed}; everything at once for {options.seconds:.0f} s", flush=True)
    return 0 if show_summary(run_soak(Path(program).resolve(), options.seconds, options.seed)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
