"""One connection of a client that knows what HTTP/1.1 looks like on the wire, and may break it."""

import asyncio
import socket
import struct
from dataclasses import dataclass


class Broken(Exception):
    """What came back is no reply, or ends in the middle of one."""


@dataclass
class Reply:
    status: int
    fields: dict[str, str]
    body: bytes

    @property
    def closes(self) -> bool:
        return self.fields.get("connection", "").lower() == "close"


class Link:
    """A connection. All waiting is bounded by `timeout`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, timeout: float):
        self._reader, self._writer, self._timeout = reader, writer, timeout

    @classmethod
    async def open(cls, port: int, timeout: float = 30.0) -> "Link":
        reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), timeout)
        return cls(reader, writer, timeout)

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await asyncio.wait_for(self._writer.drain(), self._timeout)

    def end_input(self) -> None:
        self._writer.write_eof()

    def close(self) -> None:
        self._writer.close()

    def reset(self) -> None:
        """Goes away without a word: the server gets RST."""
        link = self._writer.get_extra_info("socket")
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def reply(self, method: str = "GET") -> Reply:
        try:
            return await asyncio.wait_for(self._reply(method), self._timeout)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            raise Broken(f"the reply ends early: {error}") from error
        except asyncio.TimeoutError as error:
            raise Broken(f"no whole reply within {self._timeout} s") from error

    async def rest(self) -> bytes:
        """All bytes until the server ends the connection."""
        return await asyncio.wait_for(self._reader.read(-1), self._timeout)

    async def _reply(self, method: str) -> Reply:
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        words = head[0].split(" ", 2)
        if len(words) < 2 or words[0] != "HTTP/1.1" or not words[1].isdigit():
            raise Broken(f"this is no reply: {head[0][:80]!r}")
        fields = dict((name.lower(), value) for name, _, value in (line.partition(": ") for line in head[1:]) if name)
        status = int(words[1])
        if status < 200:
            return await self._reply(method)
        if method == "HEAD" or status in (204, 304):
            return Reply(status, fields, b"")
        if fields.get("transfer-encoding") == "chunked":
            return Reply(status, fields, await self._chunks())
        return Reply(status, fields, await self._reader.readexactly(int(fields["content-length"])))

    async def _chunks(self) -> bytes:
        body = b""
        while True:
            size = int(await self._reader.readuntil(b"\r\n"), 16)
            piece = await self._reader.readexactly(size + 2)
            if size == 0:
                return body
            body += piece[:-2]


def post(path: str, body: bytes, *fields: str) -> bytes:
    """The bytes of a request."""
    lines = [f"POST {path} HTTP/1.1", "Host: soak", "Content-Type: application/json", f"Content-Length: {len(body)}", *fields]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def get(path: str, *fields: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: soak", *fields]).encode() + b"\r\n\r\n"
