"""A `rankd serve` of a test: started with given flags, asked over sockets, ended as operators do."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from cluster_parts import wait_until  # noqa: E402

RANKD = os.environ["MILLRACE_RANKD"]
TIMEOUT = 60


def plan(name: str, rows: int, sleep_ms: int = 0) -> str:
    nodes = [{"id": "rows", "op": "fixed_source", "inputs": [], "params": {"row_count": rows}}]
    if sleep_ms:
        nodes.append({"id": "wait", "op": "sleep", "inputs": ["rows"], "params": {"duration_ms": sleep_ms}})
    return json.dumps({"schema_version": 1, "name": name, "nodes": nodes, "outputs": [nodes[-1]["id"]], "output_keys": ["id"]})


class Answer:
    """All bytes of one connection, and what they say."""

    def __init__(self, data: bytes):
        self.data = data

    @property
    def statuses(self) -> list[int]:
        """Of replies with a length; chunked bodies here are the last on their connection."""
        found, rest = [], self.data
        while rest:
            match = re.match(rb"HTTP/1\.1 (\d{3}) .*?\r\n\r\n", rest, re.DOTALL)
            if not match:
                return [*found, -1]
            found.append(int(match.group(1)))
            length = re.search(rb"(?i)\r\ncontent-length: (\d+)", match.group(0))
            rest = rest[match.end() + (int(length.group(1)) if length else 0):]
            if b"transfer-encoding: chunked" in match.group(0).lower():
                return found
        return found

    @property
    def status(self) -> int:
        return self.statuses[0] if self.data else 0

    def field(self, name: str) -> str:
        match = re.search(rb"(?i)\r\n" + name.encode() + rb": ([^\r]*)\r\n", self.data.split(b"\r\n\r\n")[0] + b"\r\n")
        return match.group(1).decode() if match else ""

    @property
    def body(self) -> bytes:
        return self.data.partition(b"\r\n\r\n")[2]


class Served:
    """One process in a folder of its own, with the plans `quick` and `slow`."""

    def __init__(self, *flags: str, stderr=None, plans: dict[str, str] | None = None, wrap: list[str] | None = None,
                 folder: Path | None = None, scheme: str = "http"):
        self._temporary = tempfile.TemporaryDirectory(prefix="millrace-serve-", ignore_cleanup_errors=True)
        self.folder = folder or Path(self._temporary.name)
        (self.folder / "plans").mkdir(exist_ok=True)
        shutil.copytree(ROOT / "registry", self.folder / "registry", dirs_exist_ok=True)
        shutil.copytree(ROOT / "data", self.folder / "data", dirs_exist_ok=True)
        for name, text in (plans or {"quick": plan("quick", 5), "slow": plan("slow", 2, 300)}).items():
            (self.folder / f"plans/{name}.plan.json").write_text(text, encoding="utf-8")
        self.socket_path, self.admin_path = str(self.folder / "main"), str(self.folder / "admin")
        self.log, self._scheme = self.folder / "log", scheme
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*(wrap or []), RANKD, "serve", "--root", str(self.folder), "--admin", f"unix:{self.admin_path}",
                 "--set", f"server.listen=127.0.0.1:0,unix:{self.socket_path}", "--set", "drain.notice=0", *flags],
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr or log, start_new_session=True)

    def __enter__(self) -> "Served":
        wait_until(lambda: self.process.poll() is not None or self._is_ready(), "the server")
        if self.process.poll() is not None:
            raise RuntimeError(f"the server has ended with {self.process.returncode}: {self.log.read_text(errors='replace')}")
        return self

    def __exit__(self, *_) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._temporary.cleanup()

    def _is_ready(self) -> bool:
        try:
            if self._scheme == "https":  # only its admin listener is plain
                return '"event":"listening"' in self.log.read_text() and self.get("/readyz", admin=True).status == 200
            return self.ask(b"GET /readyz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").status == 200
        except OSError:
            return False

    @property
    def port(self) -> int:
        """Of the listener on TCP."""
        return int(re.search(r'"address":"127\.0\.0\.1:(\d+)"', self.log.read_text()).group(1))

    def link(self, admin: bool = False) -> socket.socket:
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(TIMEOUT)
        try:
            link.connect(self.admin_path if admin else self.socket_path)
        except OSError:
            link.close()
            raise
        return link

    def ask(self, data: bytes, admin: bool = False) -> Answer:
        """Sends bytes on a connection of their own, and reads until the server ends it."""
        with self.link(admin) as link:
            return read_all(link, data)

    def get(self, path: str, *fields: str, admin: bool = False) -> Answer:
        return self.ask(request("GET", path, *fields), admin)

    def post(self, path: str, body: bytes, *fields: str, admin: bool = False) -> Answer:
        return self.ask(request("POST", path, *fields, body=body), admin)

    def rank(self, name: str = "quick") -> Answer:
        return self.post(f"/v1/rank/{name}", b'{"user_id":1}')

    def metric(self, name: str) -> float:
        """The sum of all its series."""
        page = self.get("/metrics", admin=True).body.decode()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", page, re.MULTILINE))

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=TIMEOUT)


def read_all(link: socket.socket, data: bytes, ends: bool = False) -> Answer:
    """Sends bytes, and the end of input if wanted; reads until the server ends the connection."""
    received = b""
    try:
        link.sendall(data)
        if ends:
            with contextlib.suppress(OSError):  # it may have ended already
                link.shutdown(socket.SHUT_WR)
        while piece := link.recv(65536):
            received += piece
    except ConnectionError:  # the server had enough; what it said before counts
        pass
    return Answer(received)


def request(method: str, path: str, *fields: str, body: bytes = b"") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: h", "Connection: close", *fields]
    if body or method == "POST":
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body
