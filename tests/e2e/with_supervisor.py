"""Runs a server as systemd would: `with_supervisor.py PROGRAM ARGUMENT...`.

The server gets a listening socket named `main` and one named `admin`, and a socket for its messages. It is asked over
both, told to reload and to stop. Prints what it said and how it ended.
"""

import os
import signal
import socket
import subprocess
import sys
import urllib.request


def status(port: int, path: str) -> int:
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60).status
    except urllib.error.HTTPError as error:
        return error.code


def main() -> None:
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    heard.bind("notify")
    heard.settimeout(60)
    listening = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    ports = [one.getsockname()[1] for one in listening]

    def hand_down() -> None:
        for number, one in enumerate(listening):
            os.dup2(one.fileno(), 10 + number)
        for number in range(2):
            os.dup2(10 + number, 3 + number)

    command = 'LISTEN_PID=$$ LISTEN_FDS=2 LISTEN_FDNAMES=main:admin exec "$@"'
    server = subprocess.Popen(
        ["/bin/sh", "-c", command, "sh", *sys.argv[1:]],
        env={**os.environ, "NOTIFY_SOCKET": os.path.abspath("notify"), "WATCHDOG_USEC": "200000"},
        preexec_fn=hand_down,
        close_fds=False,
    )

    def wait_for(word: bytes) -> str:
        while True:
            message = heard.recv(256)
            if message.startswith(word):
                return message.decode().replace("\n", " ").strip()

    print(wait_for(b"READY=1"))
    print(wait_for(b"WATCHDOG=1"))
    print("main", status(ports[0], "/v1/plans"), status(ports[0], "/metrics"))
    print("admin", status(ports[1], "/metrics"))
    server.send_signal(signal.SIGHUP)
    print(wait_for(b"RELOADING=1"))
    print(wait_for(b"READY=1"))
    server.send_signal(signal.SIGTERM)
    print(wait_for(b"STOPPING=1"))
    print("exit", server.wait())


main()
