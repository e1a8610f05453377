"""Faults of what surrounds `rankd serve`: its log, its disk, its descriptors, its clients, its Redis. MILLRACE_RANKD names the program."""

import http.server
import json
import os
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest
from collections import Counter
from pathlib import Path

from serve_process import ROOT, Answer, Served, plan, read_all, request  # sets the path for what follows

from cluster_parts import Part, free_ports, redis_says, wait_until

KEEP = b"POST /v1/rank/quick HTTP/1.1\r\nHost: h\r\nContent-Length: 13\r\n\r\n{\"user_id\":1}"


def read_replies(link: socket.socket, count: int) -> list[int]:
    """Reads so many whole replies of a connection that stays open."""
    data = b""
    while True:
        answer = Answer(data)
        statuses = answer.statuses
        if len(statuses) >= count and statuses[-1] != -1 and data.endswith(b"}"):
            return statuses
        piece = link.recv(65536)
        if not piece:
            raise AssertionError(f"the connection ended after {statuses}")
        data += piece


class LogFaultTest(unittest.TestCase):
    def test_S52_a_stuck_log_delays_no_answer(self):
        read_end, write_end = os.pipe()  # nobody reads
        with Served(stderr=write_end) as served, served.link() as link:
            os.close(write_end)
            for _ in range(45):
                link.sendall(KEEP * 200)
                self.assertEqual(read_replies(link, 200), [200] * 200)
            wait_until(lambda: served.metric("rankd_log_dropped_total") > 0, "dropped lines")
            self.assertEqual(served.get("/livez").status, 200)
            link.close()
            self.assertEqual(served.end(), 0)
        os.close(read_end)

    def test_S52_a_log_whose_reader_went_away_ends_nothing(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        with Served(stderr=write_end) as served:
            os.close(write_end)
            for _ in range(20):
                self.assertEqual(served.rank().status, 200)
            self.assertEqual(served.end(), 0)

    def test_S52_a_log_on_a_full_disk_ends_nothing(self):
        with open("/dev/full", "wb") as full, Served(stderr=full) as served:
            for _ in range(20):
                self.assertEqual(served.rank().status, 200)
            self.assertEqual(served.end(), 0)


def full_disk() -> list[str] | None:
    """Words before a command that give it a folder `disk` of 64 KiB; None where the system does not allow that."""
    words = ["unshare", "-rm", "sh", "-c", 'mkdir -p disk && mount -t tmpfs -o size=64k none disk && exec "$@"', "sh"]
    with tempfile.TemporaryDirectory() as folder:
        tried = subprocess.run([*words, "true"], cwd=folder, capture_output=True, check=False)
    return words if tried.returncode == 0 else None


class DiskFaultTest(unittest.TestCase):
    def setUp(self):
        self.disk = full_disk()
        if self.disk is None:
            self.skipTest("no folder of limited size can be made here")

    def fill(self, served: Served) -> None:
        """Writes into the folder as the server sees it."""
        path = f"/proc/{served.process.pid}/root{served.folder}/disk/fill"
        try:
            with open(path, "wb", buffering=0) as file:
                while file.write(b"x" * 4096):
                    pass
        except OSError:
            pass

    def test_S52_a_pin_that_cannot_be_kept_is_refused(self):
        with Served("--set", "plans.state_file=disk/state.json", wrap=self.disk) as served:
            version = json.loads(served.get("/v1/plans/quick").body)["version"]
            self.fill(served)
            pinned = served.post("/v1/plans/quick/pin", json.dumps({"version": version}).encode(), admin=True)
            self.assertGreaterEqual(pinned.status, 500, pinned.data)
            self.assertIn(b"No space left", pinned.body)
            self.assertEqual(served.rank().status, 200)
            self.assertEqual(served.end(), 0)

    def test_S52_traces_of_slow_requests_that_find_no_room_fail_nobody(self):
        with Served("--set", "log.slow_ms=1", "--set", "log.slow_trace=all", "--set", "log.slow_dir=disk", wrap=self.disk) as served:
            self.fill(served)
            for _ in range(3):
                self.assertEqual(served.rank("slow").status, 200)
            self.assertEqual(served.metric("rankd_slow_captures_total"), 0)
            self.assertEqual(served.end(), 0)


class DescriptorFaultTest(unittest.TestCase):
    def test_S52_without_descriptors_newcomers_wait_and_idle_ones_make_room(self):
        with Served("--set", "server.connections_max=16") as served:
            pid = served.process.pid
            # A sanitizer looks once at every type, for which it needs descriptors. Some types come late: those of the
            # limit of requests under way, which looks at many requests at a time, and those of what happens rarely.
            self.assertEqual([served.rank().status for _ in range(64)], [200] * 64)
            self.assertEqual(served.post("/v1/reload", b"", admin=True).status, 200)
            self.assertEqual([served.get(page, admin=True).status for page in ("/metrics", "/readyz?verbose")], [200] * 2)
            idle = [served.link() for _ in range(16)]
            for link in idle:
                link.sendall(KEEP)
                read_replies(link, 1)
            # All places are taken.
            self.assertEqual([served.rank().status for _ in range(3)], [200] * 3)
            idle = idle[1:]
            used = len(os.listdir(f"/proc/{pid}/fd"))
            _, most = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (used, most))
            # None is left, so the longest idle connections go, one for each newcomer; two where the server has not yet
            # seen that the newcomer before it is gone.
            for _ in range(6):
                self.assertEqual(served.rank().status, 200)
            self.assertEqual(idle[0].recv(1), b"")
            idle[-1].sendall(KEEP)
            self.assertEqual(read_replies(idle[-1], 1), [200])
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, most))
            self.assertEqual([served.rank().status for _ in range(20)], [200] * 20)
            for link in idle:
                link.close()
            self.assertEqual(served.end(), 0)

    def test_S49_limits_beyond_the_descriptors_keep_it_from_starting(self):
        with self.assertRaisesRegex(RuntimeError, "(?i)descriptors|open files"):
            with Served(wrap=["prlimit", "--nofile=200:200"]):
                pass


class ClientFaultTest(unittest.TestCase):
    def test_S52_clients_that_stall_are_given_up(self):
        times = [word for name in ("head_timeout", "body_timeout", "idle_timeout", "write_timeout")
                 for word in ("--set", f"server.{name}=200ms")]
        with Served(*times) as served:
            self.assertEqual(served.ask(b"").data, b"")
            self.assertEqual(served.ask(b"GET / HTTP/1.1\r\nHo").status, 408)
            self.assertEqual(served.ask(b"POST /v1/rank/quick HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{").status, 408)
            self.assertEqual(served.ask(KEEP).statuses, [200])  # idle afterwards, and closed
            with served.link() as deaf:
                try:
                    deaf.sendall(request("GET", "/openapi.json").replace(b"Connection: close\r\n", b"") * 400)
                except (BrokenPipeError, ConnectionResetError):
                    pass
                wait_until(lambda: served.metric("rankd_http_connections") == 1, "the end of a client that does not read")
            self.assertEqual(served.rank().status, 200)
            self.assertEqual(served.end(), 0)

    def test_S7_connections_inside_a_request_are_bounded_over_all_loops(self):
        with Served("--loops", "2", "--set", "server.reading_max=10", "--set", "server.head_timeout=60s") as served:
            slow = [served.link() for _ in range(40)]
            for link in slow:
                link.sendall(b"POST /v1/rank/quick HTTP")
            wait_until(lambda: len(select.select(slow, [], [], 0)[0]) == 30, "the end of the oldest 30")
            self.assertEqual([served.rank().status for _ in range(20)], [200] * 20)
            for link in slow:
                link.close()
            self.assertEqual(served.end(), 0)

    def test_S52_a_client_that_leaves_ends_its_run(self):
        with Served(plans={"slow": plan("slow", 2, 200), "quick": plan("quick", 2)}) as served:
            for how in ("close", "reset"):
                with served.link() as link:
                    link.sendall(KEEP.replace(b"quick", b"slow"))
                    wait_until(lambda: served.metric("rankd_inflight") == 1, "the run")
                    if how == "reset":
                        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            wait_until(lambda: served.metric("rankd_inflight") == 0, "the end of the runs")
            page = served.get("/metrics", admin=True).body.decode()
            self.assertIn('rankd_requests_total{plan="slow",outcome="cancelled"} 2\n', page)

    def test_S52_wrk_gets_an_answer_to_everything(self):
        with Served() as served:
            port = re.search(r'"address":"127\.0\.0\.1:(\d+)"', served.log.read_text()).group(1)
            ran = subprocess.run(["wrk", "-t1", "-c64", "-d2s", f"http://127.0.0.1:{port}/v1/rank/quick?user_id=1"],
                                 capture_output=True, text=True, check=True)
            self.assertRegex(ran.stdout, r"[1-9]\d* requests in")
            self.assertNotIn("Non-2xx", ran.stdout)
            self.assertNotIn("Socket errors", ran.stdout)
            # wrk leaves without waiting for its last answers.
            wait_until(lambda: served.metric("rankd_inflight") == 0, "the last runs")
            self.assertEqual(served.metric("rankd_requests_received_total"), served.metric("rankd_requests_total"))
            self.assertEqual(served.end(), 0)


class Collector(http.server.BaseHTTPRequestHandler):
    """Takes spans, and keeps them with the server."""

    def do_POST(self):
        self.server.received.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


class BatchSpansTest(unittest.TestCase):
    def test_S41_lines_of_a_batch_have_spans_with_their_runs_and_nodes(self):
        collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
        collector.received = []
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        self.addCleanup(collector.server_close)
        self.addCleanup(collector.shutdown)
        with Served("--set", f"trace.endpoint=http://127.0.0.1:{collector.server_address[1]}") as served:
            sampled = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            self.assertEqual(served.post("/v1/rank/quick/batch", b'{"user_id":1}\n{"user_id":2}\n', sampled).status, 200)
            self.assertEqual(served.end(), 0)
        spans = [span for body in collector.received for resource in json.loads(body)["resourceSpans"]
                 for scope in resource["scopeSpans"] for span in scope["spans"]]
        names = Counter(span["name"] for span in spans)
        self.assertEqual(names, {"POST /v1/rank/{plan}/batch": 1, "batch line": 2, "run quick": 2, "rows": 2})
        (batch,) = [span for span in spans if span["name"].startswith("POST")]
        self.assertEqual({span["parentSpanId"] for span in spans if span["name"] == "batch line"}, {batch["spanId"]})


class RedisFaultTest(unittest.TestCase):
    """The plan `who` has a fallback, `viewer_filter` has none."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        (port,) = free_ports(1)
        self.redis = Part("redis", port, ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""], Path(folder.name))
        self.redis.start()
        self.addCleanup(self.redis.kill)
        wait_until(lambda: "PONG" in redis_says(port, "PING"), "redis")
        redis_says(port, "HSET", "user:1", "country", "DE", "age", "30")
        redis_says(port, "SAVE")
        who = {"schema_version": 1, "name": "who", "outputs": ["v"],
               "nodes": [{"id": "v", "op": "viewer", "inputs": [], "params": {"endpoint": "redis_default"}, "on_failure": {"use": "empty"}}]}
        must = {"schema_version": 1, "name": "must", "outputs": ["v"],
                "nodes": [{"id": "v", "op": "viewer", "inputs": [], "params": {"endpoint": "redis_default"}}]}
        root = Path(folder.name) / "root"
        root.mkdir()
        shutil.copytree(ROOT / "registry", root / "registry")
        text = re.sub(r"(\[test\.redis_default\]\nkind = \"redis\"\nhost = \"127.0.0.1\"\n)port = \d+\npolicy = .*",
                      rf'\1port = {port}\npolicy = {{ request_timeout = "200ms", connect_timeout = "100ms" }}',
                      (root / "registry/endpoints.toml").read_text(encoding="utf-8"))
        self.plans = {"who": json.dumps(who), "must": json.dumps(must), "quick": plan("quick", 5)}
        self.served = Served("--env", "test", plans=self.plans, wrap=["sh", "-c", 'cp "$0" registry/endpoints.toml && exec "$@"',
                                                                     str(self.copy(root, text))])
        self.served.__enter__()
        self.addCleanup(self.served.__exit__)
        self.expect_whole()

    def copy(self, root: Path, text: str) -> Path:
        path = root / "endpoints.toml"
        path.write_text(text, encoding="utf-8")
        return path

    def expect_whole(self) -> None:
        wait_until(lambda: self.served.rank("must").status == 200, "whole answers")
        answer = self.served.rank("who")
        self.assertEqual((answer.status, answer.field("X-Degraded")), (200, ""), answer.data)

    def expect_without_redis(self, status: int) -> None:
        """Answers that need no Redis come while others wait for it."""
        failed: list[Answer] = []
        waiting = [threading.Thread(target=lambda: failed.append(self.served.rank("must"))) for _ in range(8)]
        for thread in waiting:
            thread.start()
        self.assertEqual(self.served.rank().status, 200)
        self.assertEqual(self.served.get("/livez").status, 200)
        # A replica that only lost its Redis stays: the others have lost it, too.
        self.assertEqual(self.served.get("/readyz").status, 200)
        for thread in waiting:
            thread.join()
        self.assertEqual({answer.status for answer in failed} - {status, 502}, set(), [answer.data for answer in failed])
        degraded = self.served.rank("who")
        self.assertEqual((degraded.status, degraded.field("X-Degraded")), (200, "1"), degraded.data)

    def test_S52_redis_killed_and_started_again(self):
        self.redis.kill()
        self.expect_without_redis(502)
        self.redis.start()
        self.expect_whole()
        self.assertEqual(self.served.end(), 0)

    def test_S52_redis_stopped_and_going_on(self):
        self.redis.send(signal.SIGSTOP)
        self.expect_without_redis(504)
        self.redis.send(signal.SIGCONT)
        self.expect_whole()
        self.assertEqual(self.served.end(), 0)

    def test_S52_redis_slower_than_its_timeout(self):
        redis_says(self.redis.port, "CLIENT", "PAUSE", "3000", "ALL")
        self.expect_without_redis(504)
        self.expect_whole()
        self.assertEqual(self.served.end(), 0)


if __name__ == "__main__":
    unittest.main()
