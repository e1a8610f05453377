"""A load of ranking requests over NATS: a few lines of its protocol, so that no client library is needed."""

import asyncio
import json

from cluster_load import LoadThread

CONNECT = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True, "name": "cluster", "lang": "python", "version": "1"}
ANSWER_SECONDS = 5
RECONNECT_SECONDS = 0.2


class NatsLoad(LoadThread):
    """Asks for users in turn, so many requests at a time over one connection, until stopped. A server that goes is looked for again."""

    def __init__(self, port: int, plan: str, users: list[int], outstanding: int, expected: dict[int, list[int]] | None = None):
        super().__init__()
        self.port, self._plan, self._users, self._outstanding = port, plan, users, outstanding
        self._expected = expected or {}
        self._next = 0
        self._open: dict[str, asyncio.Future] = {}
        self._writer: asyncio.StreamWriter | None = None

    async def _run(self) -> None:
        link = asyncio.create_task(self._keep_link())
        await asyncio.gather(*(self._client() for _ in range(self._outstanding)))
        link.cancel()
        if self._writer is not None:
            self._writer.close()

    async def _keep_link(self) -> None:
        while True:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.write(f"CONNECT {json.dumps(CONNECT)}\r\nSUB _INBOX.cluster.* 1\r\n".encode())
                self._writer = writer
                await self._read(reader)
            except (OSError, asyncio.IncompleteReadError):
                pass
            if self._writer is not None:
                self._writer.close()
            self._writer = None
            for waiting in self._open.values():
                if not waiting.done():
                    waiting.set_exception(ConnectionError("the connection to NATS broke"))
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while True:
            words = (await reader.readuntil(b"\r\n")).decode("latin-1").split()
            if not words or words[0] not in ("MSG", "HMSG"):
                if words and words[0] == "PING":
                    self._writer.write(b"PONG\r\n")
                continue
            body = (await reader.readexactly(int(words[-1]) + 2))[:-2]
            head_bytes = int(words[-2]) if words[0] == "HMSG" else 0
            waiting = self._open.get(words[1])
            if waiting is not None and not waiting.done():
                waiting.set_result((body[:head_bytes].decode("latin-1"), body[head_bytes:]))

    async def _client(self) -> None:
        while not self._stop.is_set():
            if self._writer is None:  # nothing is asked while there is nobody to ask
                await asyncio.sleep(RECONNECT_SECONDS)
                continue
            number = self._next
            self._next += 1
            user = self._users[number % len(self._users)]
            self.ledger.sent += 1
            try:
                head, answer = await asyncio.wait_for(self._ask(f"_INBOX.cluster.{number}", user), ANSWER_SECONDS)
                if not self._note(user, head, answer):  # as a polite client: who was refused waits a moment
                    await asyncio.sleep(RECONNECT_SECONDS)
            except (OSError, asyncio.TimeoutError) as error:
                self.ledger.failures.append(f"user {user} over NATS: {type(error).__name__} {error}")

    async def _ask(self, inbox: str, user: int) -> tuple[str, bytes]:
        body = json.dumps({"user_id": user, "limit": 10}).encode()
        waiting = self._open[inbox] = asyncio.get_running_loop().create_future()
        try:
            self._writer.write(f"PUB rank.{self._plan} {inbox} {len(body)}\r\n".encode() + body + b"\r\n")
            return await waiting
        finally:
            del self._open[inbox]

    def _note(self, user: int, head: str, answer: bytes) -> bool:
        """Sorts an answer; false: it was none."""
        first, *lines = head.split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines if ": " in line)
        # The first line is the version, and for "no responders" a status of the server itself.
        status = int((fields.get("Rank-Status") or first.partition(" ")[2] or "0").split()[0])
        self.ledger.note(user, status, answer, self._expected)
        return status == 200
