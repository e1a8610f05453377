"""The parts of a small deployment on loopback: rankd servers, HAProxy, a NATS server, a Redis Cluster; each a process that can be ended and started."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60


def free_ports(count: int) -> list[int]:
    """Ports that nobody has. Those of Redis need the one 10000 above, too, so both are low enough."""
    ports: list[int] = []
    while len(ports) < count:
        with socket.socket() as probe, socket.socket() as bus:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1] - 10000
            try:
                bus.bind(("127.0.0.1", port))
            except (OSError, OverflowError):
                continue
            if port > 1024 and port not in ports:
                ports.append(port)
    return ports


def wait_until(condition, what: str, seconds: float = START_SECONDS) -> None:
    """Waits for another process; asks 50 times a second."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} took longer than {seconds} s")
        time.sleep(0.02)


class Part:
    """One process: what starts it, and whether it runs."""

    def __init__(self, name: str, port: int, command: list[str], folder: Path, environment: dict[str, str] | None = None):
        self.name, self.port, self.command, self.folder = name, port, command, folder
        self._environment = environment or {}
        self._process: subprocess.Popen | None = None
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(self.command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                             env=dict(os.environ, **self._environment), start_new_session=True)

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def send(self, number: int) -> None:
        if self.is_running():
            self._process.send_signal(number)

    def wait(self, seconds: float = START_SECONDS) -> int:
        """Waits for its end and gives its exit code."""
        return self._process.wait(timeout=seconds)

    def kill(self) -> None:
        """kill -9, as an accident would."""
        self.send(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    def accepts(self) -> bool:
        """Whether somebody takes connections on its port."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
        except OSError:
            return False

    def answers(self, path: str) -> bool:
        """Whether GET PATH gives 200."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as link:
                link.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
                return b" 200 " in link.recv(64)
        except OSError:
            return False


def redis_says(port: int, *words: str) -> str:
    return subprocess.run(["redis-cli", "-p", str(port), *words], capture_output=True, text=True, check=False).stdout


class Deployment:
    """Servers, balancer and, if wanted, a Redis Cluster that the servers read and a NATS server that asks them."""

    def __init__(self, folder: Path, rankd: Path, server_count: int = 3, redis_count: int = 0, has_nats: bool = False):
        self.folder = folder
        ports = free_ports(server_count + redis_count + 2)
        self.front_port = ports.pop()
        nats_port = ports.pop()
        self.nats = [Part("nats", nats_port, ["nats-server", "-a", "127.0.0.1", "-p", str(nats_port), "-js", "-sd", str(folder / "nats")],
                          folder)] if has_nats else []
        redis_ports = [ports.pop() for _ in range(redis_count)]
        self.project = self._make_project(redis_ports)
        self.redis = [self._redis(index, port) for index, port in enumerate(redis_ports, 1)]
        more = ["--env", "test"] if redis_ports else []
        more += ["--nats", f"nats://127.0.0.1:{nats_port}"] if has_nats else []
        self.servers = [Part(f"rankd{index}", port,
                             [str(rankd), "serve", "--root", str(self.project), "--listen", f"127.0.0.1:{port}", *more,
                              "--set", "log.requests=errors"], folder)
                        for index, port in enumerate(ports, 1)]
        addresses = {f"RANKD_{index}": f"127.0.0.1:{part.port}" for index, part in enumerate(self.servers, 1)}
        self.balancer = Part("haproxy", self.front_port, ["haproxy", "-db", "-f", str(ROOT / "deploy/haproxy.cfg")], folder,
                             dict(addresses, RANKD_FRONT=f"127.0.0.1:{self.front_port}"))

    @property
    def parts(self) -> list[Part]:
        return [*self.redis, *self.nats, *self.servers, self.balancer]

    def start(self) -> None:
        """Starts everything and waits until the balancer answers."""
        for part in self.redis + self.nats:
            part.start()
        if self.redis:
            self._join_redis()
        for part in self.nats:
            wait_until(part.accepts, part.name)
        for part in self.servers:
            part.start()
        for part in self.servers:
            self._wait_for(part)
        self.balancer.start()
        self._wait_for(self.balancer)

    def stop(self) -> None:
        for part in self.parts:
            part.kill()

    def restart(self, part: Part) -> int:
        """Ends one server as an operator would, and starts it again; gives its exit code."""
        part.send(signal.SIGTERM)
        code = part.wait()
        part.start()
        self._wait_for(part)
        return code

    def _wait_for(self, part: Part) -> None:
        try:
            wait_until(lambda: part.answers("/readyz") or not part.is_running(), part.name)
            if part.is_running():
                return
            error = f"{part.name} has ended"
        except TimeoutError as late:
            error = str(late)
        raise RuntimeError(f"{error}; its log ends with:\n{part.log.read_text(errors='replace')[-2000:]}")

    def _make_project(self, redis_ports: list[int]) -> Path:
        project = self.folder / "project"
        for name in ("registry", "plans", "data"):
            shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("*.ts", "*.test.json"))
        if redis_ports:
            endpoints = project / "registry/endpoints.toml"
            text, count = re.subn(r"(\[test\.redis_default\]\nkind = \"redis\"\nhost = \"127.0.0.1\"\n)port = \d+\npolicy = .*",
                                  rf'\1port = {redis_ports[0]}\ncluster = true\n'
                                  'policy = { request_timeout = "250ms", connect_timeout = "100ms" }',
                                  endpoints.read_text(encoding="utf-8"))
            assert count == 1, "registry/endpoints.toml has another shape than expected here"
            endpoints.write_text(text, encoding="utf-8")
        return project

    def _redis(self, index: int, port: int) -> Part:
        return Part(f"redis{index}", port,
                    ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--cluster-enabled", "yes",
                     "--cluster-node-timeout", "1000", "--cluster-config-file", f"nodes-{port}.conf",
                     "--cluster-require-full-coverage", "no", "--save", "", "--appendonly", "no"],
                    self.folder / f"redis{index}")

    def _join_redis(self) -> None:
        """Makes one cluster of the nodes, half of them masters, and fills it."""
        for part in self.redis:
            wait_until(lambda part=part: "PONG" in redis_says(part.port, "PING"), part.name)
        subprocess.run(["redis-cli", "--cluster", "create", *(f"127.0.0.1:{part.port}" for part in self.redis),
                        "--cluster-replicas", "1", "--cluster-yes"], check=True, capture_output=True)
        for part in self.redis:
            wait_until(lambda part=part: "cluster_state:ok" in redis_says(part.port, "CLUSTER", "INFO"), f"{part.name} joining")
        with (ROOT / "data/demo.redis").open("rb") as data:
            subprocess.run(["redis-cli", "-c", "-p", str(self.redis[0].port)], stdin=data, check=True, capture_output=True)
        for part in self.replicas():
            wait_until(lambda part=part: "master_link_status:up" in redis_says(part.port, "INFO", "replication"), part.name)

    def masters(self) -> dict[str, tuple[int, int]]:
        """The slots of each master, by the name of the part, as the first node that runs sees it."""
        port = next(part.port for part in self.redis if part.is_running())
        found = {}
        for line in redis_says(port, "CLUSTER", "NODES").splitlines():
            match = re.match(r"\w+ 127\.0\.0\.1:(\d+)@.* (\d+)-(\d+)$", line)
            if match and "master" in line and "fail" not in line:
                name = next(part.name for part in self.redis if part.port == int(match.group(1)))
                found[name] = (int(match.group(2)), int(match.group(3)))
        return found

    def replicas(self) -> list[Part]:
        masters = self.masters()
        return [part for part in self.redis if part.name not in masters]


def key_slot(port: int, key: str) -> int:
    return int(redis_says(port, "CLUSTER", "KEYSLOT", key))


def describe(deployment: Deployment) -> str:
    """One line per part, for people."""
    return "\n".join(f"  {part.name:9} 127.0.0.1:{part.port:<6} {'runs' if part.is_running() else 'is down'}"
                     for part in deployment.parts)


def ids_of(body: bytes) -> list[int]:
    """The ids of an answer's candidates."""
    return [candidate["id"] for candidate in json.loads(body)["candidates"]]
