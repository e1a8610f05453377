"""Clients that mean harm, against `rankd serve`: what they get, and that the server goes on. MILLRACE_RANKD names the program."""

import gzip
import json
import socket
import ssl
import subprocess
import tempfile
import unittest

from serve_process import Served, plan, read_all, request  # sets the path for what follows

from cluster_parts import wait_until

GOOD = b'{"user_id":1}'


def post(body: bytes, *fields: str, path: str = "/v1/rank/quick", length: bool = True) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: h", *([f"Content-Length: {len(body)}"] if length else []), *fields]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


CLOSE = request("GET", "/livez")


class AttackTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.served = Served("--loops", "2", "--set", "plans.allow_upload=true", "--set", "cors.origins=https://good.example")
        cls.served.__enter__()
        cls.addClassCleanup(cls.served.__exit__)

    def tearDown(self):
        """Whatever was done: the server lives, answers, and has lost no request."""
        self.assertIsNone(self.served.process.poll(), self.served.log.read_text(errors="replace")[-3000:])
        self.assertEqual(self.served.rank().status, 200)
        self.assertNotIn("internal", self.served.log.read_text(errors="replace"))

    # --- one request inside another ---

    def test_S6_nothing_is_smuggled(self):
        hidden = b"GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n"
        chunked = b"0\r\n\r\n" + hidden
        for name, data in {
            "CL.TE": post(chunked, "Transfer-Encoding: chunked"),
            "TE.CL": post(b"5c\r\n" + hidden + b"\r\n0\r\n\r\n", "Transfer-Encoding: chunked").replace(b"Content-Length: ", b"Content-Length: 4 "),
            "space before colon": post(chunked, "Transfer-Encoding : chunked"),
            "tab in value": post(chunked, "Transfer-Encoding:\tchunked"),
            "vertical tab": post(chunked, "Transfer-Encoding: \x0bchunked", length=False),
            "two codings": post(chunked, "Transfer-Encoding: chunked", "Transfer-Encoding: identity", length=False),
            "coding in quotes": post(chunked, 'Transfer-Encoding: "chunked"', length=False),
            "folded": post(chunked, "Transfer-Encoding:\r\n chunked", length=False),
            "bare CR": post(chunked, "X: y\rTransfer-Encoding: chunked"),
            "bare LF": post(chunked, "X: y\nTransfer-Encoding: chunked"),
            "NUL": post(chunked, "X: y\0Transfer-Encoding: chunked"),
            "lengths that differ": post(hidden, "Content-Length: 0"),
            "lengths in a list": post(hidden, "Content-Length: 0, 5", length=False),
            "plus": post(hidden, "Content-Length: +0", length=False),
            "too long a length": post(hidden, "Content-Length: 18446744073709551616", length=False),
            "chunk size too long": post(b"fffffffffffffffff\r\n" + hidden, "Transfer-Encoding: chunked", length=False),
            "chunk size with sign": post(b"+0\r\n\r\n" + hidden, "Transfer-Encoding: chunked", length=False),
            "chunk without CR": post(b"0\n\n" + hidden, "Transfer-Encoding: chunked", length=False),
            "name with a slash": post(chunked, "Transfer/Encoding: chunked"),
        }.items():
            with self.subTest(name):
                answer = self.served.ask(data)
                self.assertIn(answer.status, (400, 501), answer.data[:300])
                self.assertEqual(len(answer.statuses), 1, answer.data)
                self.assertEqual(answer.field("Connection"), "close")

    def test_S6_bytes_behind_a_refused_body_are_no_request(self):
        for first in (post(b"x" * 50, "Content-Type: text/plain"), post(GOOD, "Content-Encoding: br"), post(b"", "Expect: 200-maybe")):
            answer = self.served.ask(first + CLOSE)
            self.assertIn(answer.status, (415, 417))
        answer = self.served.ask(post(b'{"user_id":1}', path="/nowhere") + post(GOOD) + CLOSE)
        self.assertEqual(answer.statuses, [404, 200, 200], answer.data)

    # --- floods and giants ---

    def test_S7_floods_of_fields(self):
        for data, status in (
            (request("GET", "/livez", *[f"X-{i}: y" for i in range(200)]), 431),
            (request("GET", "/livez", "X: " + "y" * 20000), 431),
            (request("GET", "/livez", *["Y" * 17000 + ": x"]), 431),
            (request("GET", "/" + "a" * 5000), 414),
            (b"\r\n" * 20000, 431),
            (b"GET /livez HTTP/1.1\r\n" + b"a: b\r\n" * 30000, 431),
            (b"G" * 100000, 431),
        ):
            answer = self.served.ask(data)
            self.assertIn(answer.status, (status, 400, 501), data[:40])

    def test_S16_json_of_any_shape_is_an_error_of_the_caller(self):
        for body, statuses in (
            (b"[" * 500_000, (400, 413)), (b'{"a":' * 100_000, (400, 413)), (b'{"user_id":' + b"9" * 100_000 + b"}", (400, 422)),
            (b'{"user_id":1,"limit":-1}', (422,)), (b'{"user_id":1e999}', (400, 422)), (b'{"user_id":1,"user_id":2}', (400, 422)),
            (b'{"user_id":"\xff\xfe"}', (400,)), (b'{"user_id":"\\ud800"}', (400, 422)), (b"\xef\xbb\xbf{}", (400, 422)), (b"null", (400, 422)),
            (b"[]", (400, 422)), (b'{"user_id":1}{"user_id":2}', (400,)), (b'{"user_id":1,"params":{"' + b"k" * 70_000 + b'":1}}', (400, 413, 422)),
            (b'{"user_id":1,"request_id":"' + b"\\u000d\\u000aSet-Cookie: x" + b'"}', (400, 422, 200)), (b" " * 1_000_000, (400,)),
            (b'{"user_id":[' + b"1," * 120_000 + b"1]}", (413, 422)), (b"", (400, 422)), (b"\0" * 1000, (400,)),
        ):
            with self.subTest(body[:40]):
                answer = self.served.ask(post(body, "Connection: close"))
                self.assertIn(answer.status, statuses, answer.data[:400])
                self.assertNotIn(b"\r\nSet-Cookie", answer.data)
                self.assertEqual(len(answer.statuses), 1)
                json.loads(answer.body)

    def test_S9_bombs_of_gzip(self):
        bomb = gzip.compress(b"0" * 50_000_000)
        twice = gzip.compress(gzip.compress(b"0" * 1_000_000))
        for body, statuses in ((bomb, (413,)), (twice, (400, 413)), (gzip.compress(GOOD)[:-4], (400,)), (gzip.compress(GOOD) + b"rest", (400,)),
                               (b"\x1f\x8b" + b"\xff" * 1000, (400,)), (b"", (400, 422)), (gzip.compress(b""), (400, 422))):
            answer = self.served.ask(post(body, "Content-Encoding: gzip", "Connection: close"))
            self.assertIn(answer.status, statuses, answer.data[:300])
        many = gzip.compress(GOOD[:5]) + gzip.compress(GOOD[5:])
        self.assertIn(self.served.ask(post(many, "Content-Encoding: gzip", "Connection: close")).status, (200, 400))
        lines = gzip.compress(b"\n" * 30_000_000)
        self.assertEqual(self.served.ask(post(lines, "Content-Encoding: gzip", "Connection: close", path="/v1/rank/quick/batch")).status, 413)

    def test_S21_batches_of_nonsense(self):
        for body, status in ((b"", 200), (b"\n" * 1000, 200), (b"x\n" * 20_000, None), (b"\0\n" * 10, 200), (b"[" * 900_000, 200),
                             (b"a" * 17_000_000, None), (GOOD + b"\r\n" + GOOD, 200)):
            answer = self.served.ask(post(body, "Connection: close", path="/v1/rank/quick/batch"))
            if status:
                self.assertEqual(answer.status, status, answer.data[:200])

    # --- where requests go ---

    def test_S12_absurd_paths(self):
        for path in ("/../../etc/passwd", "/v1/plans/..%2f..%2fetc%2fpasswd", "//v1//plans", "/v1/plans/%00", "/v1/rank/%ff", "/v1/plans/" + "a" * 3000,
                     "/v1/plans/a%zz", "/%", "/?", "/v1/plans/quick/../slow", "/V1/PLANS", "/v1/plans/", "/v1/rank/quick%20", "/v1/rank/qu%69ck/",
                     "*", "http://evil.example/v1/nothing", "/v1/plans;x", "/v1/rank//batch", "/v1/graphs/x/why/%2e%2e"):
            answer = self.served.get(path)
            self.assertIn(answer.status, (200, 301, 400, 404, 405, 422) if path in ("/?", "*") else (400, 404, 405, 422), (path, answer.data[:200]))
            self.assertNotIn(b"root:", answer.data)
        self.assertEqual(self.served.get("/v1/plans/qu%69ck").status, 200)
        self.assertEqual(self.served.get("/v1/plans?a=b").status, 422)

    def test_S12_every_method_on_every_route(self):
        document = json.loads(self.served.get("/openapi.json").body)
        paths = [path.replace("{plan}", "quick").replace("{graph}", "g").replace("{component}", "c") for path in document["paths"]]
        self.assertGreater(len(paths), 15)
        for path in paths:
            for admin in (False, True):
                if path.endswith(("/reload", "/rollback")):
                    continue  # what changes plans has tests of its own
                options = self.served.ask(request("OPTIONS", path), admin)
                self.assertIn(options.status, (204, 404), (path, options.data[:200]))
                for method in ("HEAD", "PATCH", "DELETE", "TRACE", "PUT", "GET"):
                    answer = self.served.ask(request(method, path), admin)
                    self.assertLess(answer.status, 500, (method, path, answer.data[:200])) if method != "TRACE" else None
                    self.assertEqual(len(answer.statuses), 1 if method != "HEAD" else len(answer.statuses), (method, path))
                    if method == "HEAD":
                        self.assertEqual(answer.body, b"", path)
                    if answer.status == 405:
                        self.assertTrue(answer.field("Allow"), (method, path))
        self.assertIn(self.served.ask(b"CONNECT h:443 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").status, (400, 404, 405, 501))

    def test_S7_upgrades_are_not_taken(self):
        answer = self.served.get("/v1/plans", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13")
        self.assertEqual(answer.status, 200)
        data = request("GET", "/livez").replace(b"Connection: close", b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk")
        self.assertEqual(self.served.ask(data + CLOSE).statuses, [200, 200])
        self.assertEqual(self.served.ask(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0" * 9).status, 505)

    def test_S8_expectations(self):
        waiting = post(GOOD, "Expect: 100-continue", "Connection: close")
        self.assertEqual(self.served.ask(waiting).statuses, [100, 200])
        for data, statuses in ((post(b"", "Expect: 100-continue", path="/nowhere"), (404,)),
                               (post(b"", "Expect: 100-continue").replace(b"Content-Length: 0", b"Content-Length: 99999999"), (413,)),
                               (post(GOOD, "Expect: 100-continue, 100-continue"), (417,)), (post(GOOD, "Expect: x"), (417,)),
                               (post(GOOD, "Expect: 100-continue", "Expect: x", "Connection: close"), (417, 400))):
            answer = self.served.ask(data + (CLOSE if b"nowhere" in data else b""))
            self.assertIn(answer.status, statuses, answer.data[:200])

    def test_S17_text_of_callers_does_not_become_headers_or_lines_of_the_log(self):
        for value in ("a b", "x" * 200, "\x80\xff", "%0d%0aX: y", '"},{"level":"error"'):
            answer = self.served.ask(post(GOOD, f"X-Request-Id: {value}", "Connection: close"))
            self.assertEqual(answer.status, 200)
        whole, _, _ = self.served.log.read_text(errors="replace").rpartition("\n")  # the last line may still be written
        for line in whole.splitlines():
            json.loads(line)

    def test_headers_that_come_twice(self):
        for fields in (("X-Deadline-Ms: 5", "X-Deadline-Ms: -1"), ("X-Request-Id: a", "X-Request-Id: b"), ("Content-Type: application/json", "Content-Type: text/plain"),
                       ("Authorization: Bearer a", "Authorization: Bearer b"), ("traceparent: 00-x", "traceparent: y"), ("Accept-Encoding: gzip;q=2", "Accept-Encoding: ,,,")):
            answer = self.served.ask(post(GOOD, *fields, "Connection: close"))
            self.assertIn(answer.status, (200, 400, 415, 422), (fields, answer.data[:200]))
        for value in ("0", "-5", "nan", "inf", "1e400", "", "5 5", "0x10", "9" * 400):
            self.assertIn(self.served.ask(post(GOOD, f"X-Deadline-Ms: {value}", "Connection: close")).status, (422, 200), value)

    # --- rights ---

    def test_S2_S37_operators_have_their_own_door(self):
        for method, path in (("POST", "/v1/reload"), ("POST", "/v1/plans/quick/rollback"), ("POST", "/v1/plans/quick/pin"), ("POST", "/v1/plans/quick/canary"),
                             ("PUT", "/v1/plans/evil"), ("GET", "/metrics"), ("GET", "/v1/stats")):
            for spelled in (path, path.replace("/v1/", "/v1/%2e/"), path.upper(), path + "/", "/" + path, path.replace("reload", "rel%6fad")):
                answer = self.served.ask(request(method, spelled, body=b"{}" if method != "GET" else b""))
                self.assertIn(answer.status, (404, 405), (method, spelled, answer.data[:200]))
        page = self.served.ask(request("POST", "/v1/reload", "Origin: https://good.example"), admin=True)
        self.assertEqual(page.status, 403, page.data[:200])
        for name in ("..%2fevil", "a/b", "%2e%2e", "x" * 200, "a%00b"):
            put = self.served.ask(request("PUT", f"/v1/plans/{name}", body=plan("evil", 1).encode()), admin=True)
            self.assertIn(put.status, (400, 404, 405, 422), put.data[:200])
        self.assertEqual(sorted(path.name for path in self.served.folder.glob("**/*evil*")), [])

    # --- clients that come and go ---

    def test_S7_pipelines_that_break_off(self):
        for cut in range(1, 400, 7):
            with self.served.link() as link:
                link.sendall((post(GOOD) * 6)[:cut * 2])
        for _ in range(20):
            with self.served.link() as link:
                link.sendall(post(GOOD, path="/v1/rank/slow") * 50)
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        wait_until(lambda: self.served.metric("rankd_inflight") == 0, "the last runs")
        self.assertEqual(self.served.metric("rankd_requests_received_total"), self.served.metric("rankd_requests_total"))

    def test_S7_slow_heads_on_all_loops_hold_up_nobody(self):
        slow = [self.served.link() for _ in range(300)]
        for index, link in enumerate(slow):
            link.sendall(b"POST /v1/rank/quick HTTP/1.1\r\nHost: h\r\nX: "[:1 + index % 40])
        self.assertEqual([self.served.rank().status for _ in range(20)], [200] * 20)
        for link in slow:
            link.sendall(b"y")
        self.assertEqual(self.served.rank().status, 200)
        for link in slow:
            link.close()


class TlsAttackTest(unittest.TestCase):
    def test_S5_garbage_at_a_tls_port_disturbs_nobody(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2",
                            "-subj", "/CN=localhost"], cwd=folder, check=True, capture_output=True)
            with Served("--set", f"tls.cert={folder}/cert.pem", "--set", f"tls.key={folder}/key.pem", scheme="https") as served:
                port = served.port
                hello = bytes.fromhex("16030100310100002d0303") + bytes(32) + bytes.fromhex("000002c02f0100")
                for data in (b"GET / HTTP/1.1\r\nHost: h\r\n\r\n", b"\x16\x03\x01\xff\xff" + b"a" * 70000, bytes(1000), b"\x80\x2e\x01\x00\x02" + bytes(44),
                             hello[:20], hello + b"\x15\x03\x03\x00\x02\x02\x28", b"\x16" * 30000):
                    with socket.create_connection(("127.0.0.1", port), timeout=30) as link:
                        answer = read_all(link, data, ends=True)
                        self.assertNotIn(b"HTTP/", answer.data)
                context = ssl.create_default_context(cafile=f"{folder}/cert.pem")
                context.check_hostname = False
                context.set_alpn_protocols(["h2", "http/1.1"])
                with socket.create_connection(("127.0.0.1", port), timeout=30) as link, context.wrap_socket(link) as safe:
                    self.assertEqual(safe.selected_alpn_protocol(), "http/1.1")
                    self.assertEqual(read_all(safe, request("GET", "/livez")).status, 200)
                self.assertIsNone(served.process.poll())


if __name__ == "__main__":
    unittest.main()
