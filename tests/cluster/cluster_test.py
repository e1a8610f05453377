"""Several servers behind HAProxy and on a Redis Cluster, with parts that end. MILLRACE_RANKD names the program."""

import http.client
import http.server
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from cluster_load import Load  # noqa: E402
from cluster_nats import NatsLoad  # noqa: E402
from cluster_parts import Deployment, Part, free_ports, ids_of, key_slot, wait_until  # noqa: E402

RANKD = Path(os.environ["MILLRACE_RANKD"])
USERS = list(range(1, 51))
WHO = {"schema_version": 1, "name": "who", "outputs": ["v"],
       "nodes": [{"id": "v", "op": "viewer", "inputs": [], "params": {"endpoint": "redis_default"},
                  "on_failure": {"use": "empty"}}]}


def ask(port: int, plan: str, user: int) -> list[int]:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    link.request("POST", f"/v1/rank/{plan}", json.dumps({"user_id": user, "limit": 10}), {"Content-Type": "application/json"})
    reply = link.getresponse()
    body = reply.read()
    link.close()
    if reply.status != 200:
        raise AssertionError(f"status {reply.status}: {body!r}")
    return ids_of(body)


class Backend:
    """A stand-in for a server: healthy, and what it does with a ranking request is given."""

    def __init__(self, on_rank):
        self.asked = 0
        backend = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.answer(200, b"ok")

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                backend.asked += 1
                on_rank(self)

            def answer(self, status, body):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

            def handle(self):
                try:
                    super().handle()
                except ConnectionError:  # the balancer ends connections as it likes
                    pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.hang_ups = itertools.count()
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def refuse(handler):
    handler.answer(503, b"{}")


def hang_up_often(handler):
    """Every third time: HAProxy may draw the same server again, and it must not have bad luck for ever."""
    if handler.server.hang_ups.__next__() % 3:
        return handler.answer(200, b"{}")
    handler.close_connection = True
    handler.connection.close()


def serve(handler):
    handler.answer(200, b"{}")


class BalancerTest(unittest.TestCase):
    def balance(self, *backends: Backend) -> int:
        """HAProxy with the shipped file before these; gives its port."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (port,) = free_ports(1)
        addresses = {f"RANKD_{index}": f"127.0.0.1:{backend.port}" for index, backend in enumerate(backends, 1)}
        part = Part("haproxy", port, ["haproxy", "-db", "-f", str(ROOT / "deploy/haproxy.cfg")], Path(folder.name),
                    dict(addresses, RANKD_FRONT=f"127.0.0.1:{port}"))
        part.start()
        for backend in backends:
            self.addCleanup(backend.close)
        self.addCleanup(part.kill)
        wait_until(lambda: part.answers("/readyz"), "haproxy")
        return port

    def post(self, port: int) -> int:
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        link.request("POST", "/v1/rank/p", b"{}", {"Content-Type": "application/json"})
        status = link.getresponse().status
        link.close()
        return status

    def test_BAL1_a_server_that_hangs_up_is_passed_over(self):
        backends = [Backend(hang_up_often), Backend(serve), Backend(serve)]
        port = self.balance(*backends)
        self.assertEqual([self.post(port) for _ in range(60)], [200] * 60)
        self.assertGreater(backends[0].asked, 0)

    def test_BAL1_a_refusal_is_not_sent_again(self):
        backends = [Backend(refuse), Backend(refuse), Backend(refuse)]
        port = self.balance(*backends)
        self.assertEqual([self.post(port) for _ in range(30)], [503] * 30)
        self.assertEqual(sum(backend.asked for backend in backends), 30)


class ClusterTest(unittest.TestCase):
    def deploy(self, **sizes) -> Deployment:
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        deployment = Deployment(Path(folder.name), RANKD, **sizes)
        self.addCleanup(deployment.stop)
        return deployment

    def test_BAL2_restarting_all_in_turn_fails_no_request(self):
        deployment = self.deploy()
        deployment.start()
        expected = {user: ask(deployment.front_port, "complex_dag", user) for user in USERS}
        self.assertTrue(all(expected.values()))
        with Load(deployment.front_port, "complex_dag", USERS, clients=8, expected=expected, pause=0.002) as load:
            wait_until(lambda: load.ledger.good > 100, "the first answers")
            for server in deployment.servers:
                before = load.ledger.good
                self.assertEqual(deployment.restart(server), 0, server.log.read_text())
                wait_until(lambda: load.ledger.good > before + 50, "answers after a restart")
                # Until the balancer has noticed, two servers would be down at once.
                wait_until(lambda: server.answers("/readyz"), server.name)
        self.assertEqual(load.ledger.failures, [])
        self.assertEqual(load.ledger.wrong, [])
        self.assertEqual(sum(load.ledger.degraded.values()), 0)
        self.assertEqual(load.ledger.sent, load.ledger.good)

    def test_BAL2_a_killed_server_takes_at_most_what_it_worked_on(self):
        deployment = self.deploy()
        deployment.start()
        clients = 8
        with Load(deployment.front_port, "complex_dag", USERS, clients=clients, pause=0.002) as load:
            wait_until(lambda: load.ledger.good > 100, "the first answers")
            deployment.servers[0].kill()
            before = load.ledger.good
            wait_until(lambda: load.ledger.good > before + 300, "answers after the kill")
        self.assertLessEqual(len(load.ledger.failures), clients, load.ledger.failures)
        self.assertEqual(load.ledger.sent, load.ledger.good + len(load.ledger.failures))

    def test_NAT6_a_lost_nats_server_costs_http_nothing_and_comes_back(self):
        deployment = self.deploy(server_count=2, has_nats=True)
        deployment.start()
        expected = {user: ask(deployment.front_port, "complex_dag", user) for user in USERS}
        (nats,) = deployment.nats
        outstanding = 8
        with Load(deployment.front_port, "complex_dag", USERS, clients=2, expected=expected, pause=0.005) as load, \
                NatsLoad(nats.port, "complex_dag", USERS, outstanding, expected) as asked:
            wait_until(lambda: asked.ledger.good > 100 and load.ledger.good > 50, "the first answers")
            nats.kill()
            before = load.ledger.good
            wait_until(lambda: load.ledger.good > before + 50, "answers without NATS")
            nats.start()
            before = asked.ledger.good
            wait_until(lambda: asked.ledger.good > before + 100, "answers over NATS again")
        self.assertEqual((load.ledger.failures, load.ledger.wrong, asked.ledger.wrong), ([], [], []))
        lost = [failure for failure in asked.ledger.failures if "status 503" not in failure]
        self.assertLessEqual(len(lost), outstanding, "only what was under way is lost")

    def test_BAL3_a_lost_master_degrades_only_its_slots_until_its_replica_takes_over(self):
        deployment = self.deploy(server_count=1, redis_count=6)
        (deployment.project / "plans/who.plan.json").write_text(json.dumps(WHO), encoding="utf-8")
        deployment.start()
        port = deployment.redis[0].port
        name, (first, last) = sorted(deployment.masters().items())[-1]
        lost = {user for user in USERS if first <= key_slot(port, f"user:{user}") <= last}
        self.assertTrue(lost and lost != set(USERS))
        expected = {user: [user] for user in USERS}
        with Load(deployment.servers[0].port, "who", USERS, clients=8, expected=expected, pause=0.002) as load:
            wait_until(lambda: load.ledger.good > 200, "the first answers")
            self.assertEqual(load.ledger.degraded, {})
            killed_at = time.monotonic()
            next(part for part in deployment.redis if part.name == name).kill()
            wait_until(lambda: time.monotonic() > killed_at + 6, "node timeout and 5 s")
            recovered = load.ledger.good
            degraded = sum(load.ledger.degraded.values())
            wait_until(lambda: load.ledger.good > recovered + 500, "answers after the failover")
        self.assertEqual(load.ledger.failures, [])
        self.assertEqual(load.ledger.wrong, [])
        self.assertLessEqual(set(load.ledger.degraded), lost)
        self.assertEqual(sum(load.ledger.degraded.values()), degraded, "degraded answers after node timeout + 5 s")


class ToolTest(unittest.TestCase):
    """`./dev cluster`, as somebody at a terminal uses it."""

    def test_lines_that_come_at_once_are_all_obeyed_and_SIGTERM_leaves_nothing_behind(self):
        tool = subprocess.Popen([sys.executable, str(ROOT / "tools/cluster.py"), "--rankd", str(RANKD), "--seconds", "60", "--clients", "2"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(tool.kill)
        tool.stdin.write("status\ndance\nkill nobody\n")
        tool.stdin.flush()
        said = ""
        for line in tool.stdout:
            said += line
            if "there is no 'nobody'" in line or "in full" in line:
                break
        self.assertIn("'dance' is no command", said)
        self.assertIn("there is no 'nobody'", said)
        tool.send_signal(signal.SIGTERM)
        said += tool.communicate(timeout=60)[0]
        self.assertEqual(tool.returncode, 0, said)
        ports = {int(port) for port in re.findall(r"127\.0\.0\.1:(\d+) +runs", said)}
        self.assertEqual(len(ports), 6 + 1 + 3 + 1, said)
        for port in ports:
            with self.assertRaises(ConnectionError, msg=f"port {port}"):
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
        self.assertRegex(said, r"HTTP: sent \d+: [1-9]\d* in full")


if __name__ == "__main__":
    unittest.main()
