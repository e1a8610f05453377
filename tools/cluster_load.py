"""A load of ranking requests over HTTP, with a ledger of what became of each."""

import asyncio
import json
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Self


@dataclass
class Ledger:
    """What became of the requests. Written by the load, read by anybody."""

    sent: int = 0
    good: int = 0
    degraded: Counter = field(default_factory=Counter)  # by user
    failures: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    last_degraded: float = 0.0  # time.monotonic()

    def note(self, user: int, status: int, answer: bytes, expected: dict[int, list[int]]) -> None:
        """Sorts one answer; `expected` has the ids of users whose answer is known."""
        if status != 200:
            self.failures.append(f"user {user}: status {status} {answer[:200]!r}")
            return
        parsed = json.loads(answer)
        if parsed["degraded"]["is"]:
            self.degraded[user] += 1
            self.last_degraded = time.monotonic()
            return
        ids = [candidate["id"] for candidate in parsed["candidates"]]
        if user in expected and ids != expected[user]:
            self.wrong.append(f"user {user}: {ids}")
            return
        self.good += 1


class LoadThread:
    """A load that runs on a thread of its own from `with` to the end of it; `_run` is what it does until `_stop` is set."""

    def __init__(self):
        self.ledger = Ledger()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join(timeout=30)

    async def _run(self) -> None:
        raise NotImplementedError


class Load(LoadThread):
    """Clients that ask for users in turn, each on a connection of its own, until stopped."""

    def __init__(self, port: int, plan: str, users: list[int], clients: int, expected: dict[int, list[int]] | None = None,
                 pause: float = 0.0):
        super().__init__()
        self._port, self._plan, self._users, self._pause = port, plan, users, pause
        self._clients, self._expected = clients, expected or {}
        self._next = 0

    async def _run(self) -> None:
        await asyncio.gather(*(self._client() for _ in range(self._clients)))

    async def _client(self) -> None:
        reader = writer = None
        while not self._stop.is_set():
            user = self._users[self._next % len(self._users)]
            self._next += 1
            self.ledger.sent += 1
            try:
                if writer is None:
                    reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
                keep = await asyncio.wait_for(self._ask(reader, writer, user), timeout=15)
            except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError, ValueError) as error:
                self.ledger.failures.append(f"user {user}: {type(error).__name__} {error}")
                keep = False
            if not keep and writer is not None:
                writer.close()
                reader = writer = None
            await asyncio.sleep(self._pause)
        if writer is not None:
            writer.close()

    async def _ask(self, reader, writer, user: int) -> bool:
        body = json.dumps({"user_id": user, "limit": 10}).encode()
        head = f"POST /v1/rank/{self._plan} HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
        writer.write(head.encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
        answer = await reader.readexactly(int(fields["content-length"]))
        self.ledger.note(user, int(lines[0].split(" ")[1]), answer, self._expected)
        return fields.get("connection") != "close"
