"""What a soak runs against: `rankd serve`, the Redis it reads, and plans that change under it."""

import asyncio
import json
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from cluster_parts import ROOT, Part, free_ports, redis_says, wait_until
from soak_link import Link, get, post

SLOW_MS = 40
# Needs Redis, and has an answer without it.
WHO = {"schema_version": 1, "name": "who", "outputs": ["v"],
       "nodes": [{"id": "v", "op": "viewer", "inputs": [], "params": {"endpoint": "redis_default"}, "on_failure": {"use": "empty"}}]}
# After Redis is back, a connection has to be made again; until then nodes may fail.
RECOVERY_SECONDS = 3.0


def plan(name: str, rows: int, version: str | None = None, sleep_ms: int = 0) -> str:
    """A plan of so many rows that needs no store."""
    nodes = [{"id": "rows", "op": "fixed_source", "inputs": [], "params": {"row_count": rows}}]
    if sleep_ms:
        nodes.append({"id": "wait", "op": "sleep", "inputs": ["rows"], "params": {"duration_ms": sleep_ms}})
    made = {"schema_version": 1, "name": name, "nodes": nodes, "outputs": [nodes[-1]["id"]], "output_keys": ["id"]}
    return json.dumps(made | ({"version": version} if version else {}))


def live_rows(version: str) -> int:
    """How many rows the version of the plan `live` has."""
    return 1 + int(version.removeprefix("v")) % 50


class World:
    """All processes of a soak and the folder they share."""

    def __init__(self, folder: Path, rankd: Path, settings: list[str]):
        self.port, self.admin, redis_port = free_ports(3)
        self.project = folder / "project"
        self.version = 1
        self._make_project(redis_port)
        self.redis = Part("redis", redis_port,
                          ["redis-server", "--port", str(redis_port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                           "--enable-debug-command", "local"], folder / "redis")
        self.server = Part("rankd", self.port,
                           [str(rankd), "serve", "--root", str(self.project), "--env", "test",
                            "--listen", f"127.0.0.1:{self.port}", "--admin", f"127.0.0.1:{self.admin}", "--loops", "2",
                            "--set", "log.requests=errors", "--set", "drain.notice=100ms",
                            *(word for one in settings for word in ("--set", one))], folder)
        self._down_since: float | None = None
        self._up_since = 0.0

    def start(self) -> None:
        self.redis.start()
        wait_until(lambda: "PONG" in redis_says(self.redis.port, "PING"), "redis")
        with (ROOT / "data/demo.redis").open("rb") as data:
            subprocess.run(["redis-cli", "-p", str(self.redis.port)], stdin=data, check=True, capture_output=True)
        # It comes back with the same data; without it answers would be wrong and not degraded.
        redis_says(self.redis.port, "SAVE")
        self.server.start()
        wait_until(lambda: self.server.answers("/readyz") or not self.server.is_running(), "rankd")
        if not self.server.is_running():
            raise RuntimeError(f"rankd has ended; its log ends with:\n{self.log_end()}")

    def stop(self) -> None:
        self.server.kill()
        self.redis.send(signal.SIGCONT)
        self.redis.kill()

    def log_end(self) -> str:
        return self.server.log.read_text(errors="replace")[-2000:]

    def redis_was_up(self, since: float) -> bool:
        """Whether a request that began then had a whole Redis all the time."""
        return self._down_since is None and since > self._up_since + RECOVERY_SECONDS

    async def disturb_redis(self, kind: str, seconds: float) -> None:
        """Lets Redis be `killed`, `stopped` or `slow` for a while."""
        self._down_since = time.monotonic()
        if kind == "slow":
            redis_says(self.redis.port, "CLIENT", "PAUSE", str(int(seconds * 1000)), "ALL")
            await asyncio.sleep(seconds)
        elif kind == "stopped":
            self.redis.send(signal.SIGSTOP)
            await asyncio.sleep(seconds)
            self.redis.send(signal.SIGCONT)
        else:
            self.redis.kill()
            await asyncio.sleep(seconds)
            self.redis.start()
            await asyncio.to_thread(wait_until, lambda: "PONG" in redis_says(self.redis.port, "PING"), "redis")
        self._up_since, self._down_since = time.monotonic(), None

    # --- plans that change ---

    def write_plan(self, name: str, text: str) -> None:
        """In one step, as a deployment would."""
        (self.project / "new").write_text(text, encoding="utf-8")
        (self.project / "new").rename(self.project / f"plans/{name}.plan.json")

    def next_live(self) -> str:
        self.version += 1
        self.write_plan("live", plan("live", live_rows(f"v{self.version}"), f"v{self.version}"))
        return f"v{self.version}"

    async def ask_reload(self) -> tuple[int, bytes]:
        link = await Link.open(self.admin)
        await link.send(post("/v1/reload", b"", "Connection: close"))
        reply = await link.reply()
        link.close()
        return reply.status, reply.body

    def hang_up(self) -> None:
        self.server.send(signal.SIGHUP)

    async def live_version(self) -> str:
        link = await Link.open(self.port)
        await link.send(get("/v1/plans/live", "Connection: close"))
        reply = await link.reply()
        link.close()
        return json.loads(reply.body)["version"]

    async def metrics(self) -> str:
        link = await Link.open(self.admin)
        await link.send(get("/metrics", "Connection: close"))
        reply = await link.reply()
        link.close()
        return reply.body.decode()

    def _make_project(self, redis_port: int) -> None:
        for name in ("registry", "plans", "data"):
            shutil.copytree(ROOT / name, self.project / name, ignore=shutil.ignore_patterns("*.ts", "*.test.json"))
        endpoints = self.project / "registry/endpoints.toml"
        text, count = re.subn(r"(\[test\.redis_default\]\nkind = \"redis\"\nhost = \"127.0.0.1\"\n)port = \d+\npolicy = .*",
                              rf'\1port = {redis_port}\npolicy = {{ request_timeout = "1s", connect_timeout = "500ms" }}',
                              endpoints.read_text(encoding="utf-8"))
        if count != 1:
            raise RuntimeError("registry/endpoints.toml has another shape than expected here")
        endpoints.write_text(text, encoding="utf-8")
        self.write_plan("who", json.dumps(WHO))
        self.write_plan("still", plan("still", 30))
        self.write_plan("exact", plan("exact", 7))
        self.write_plan("slow", plan("slow", 3, sleep_ms=SLOW_MS))
        self.write_plan("live", plan("live", live_rows("v1"), "v1"))
