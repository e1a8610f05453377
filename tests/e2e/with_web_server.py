"""Runs a command beside a web server: `with_web_server.py REGISTRY COMMAND...`.

The server takes a free port; REGISTRY becomes a copy of registry/ whose http endpoints are there, with
time enough for slow machines.
"""

import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Pages(BaseHTTPRequestHandler):
    """/score/N in several forms; /status/N; /bad; /endless; /stall."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        _, kind, *rest = self.path.split("/")
        body = b'{"deep": {"score": %s}}' % (rest[0].encode() if rest else b"0")
        if kind == "score":
            self._reply(200, body)
        elif kind == "chunked":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for byte in body:
                self.wfile.write(b"1\r\n" + bytes([byte]) + b"\r\n")
            self.wfile.write(b"0\r\n\r\n")
        elif kind == "until-close":
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)
        elif kind == "status":
            self._reply(int(rest[0]), body)
        elif kind == "bad":
            self._reply(200, b"<html>")
        elif kind == "endless":
            self._send_for_ever()
        elif kind == "stall":
            self.rfile.read(1)  # until the client has had enough
        else:
            self._reply(200, b"{}")

    def _reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _send_for_ever(self) -> None:
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"x" * 65536)
        except OSError:
            self.close_connection = True

    def log_message(self, *arguments) -> None:
        pass


def main(registry: str, *command: str) -> int:
    # A client may open many connections at once. Without room in this queue it would retry only
    # after seconds.
    ThreadingHTTPServer.request_queue_size = 128
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    shutil.copytree("registry", registry, symlinks=False)
    endpoints = Path(registry, "endpoints.toml")
    text = endpoints.read_text().replace("port = 8081", f"port = {server.server_address[1]}")
    endpoints.write_text(re.sub(r'_timeout = "\w+"', '_timeout = "60s"', text))
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
