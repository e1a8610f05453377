"""A collector of OpenTelemetry for tests: checks what comes, and writes it to a file.

collector.py PORT_FILE SPANS_FILE [STATUS...]: the first answers have these statuses, later ones 200.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

KINDS = {1, 2, 3}


def check_attributes(attributes):
    for attribute in attributes:
        assert set(attribute) == {"key", "value"}, attribute
        ((kind, value),) = attribute["value"].items()
        assert isinstance(value, str), attribute  # numbers of 64 bits are texts, too
        assert kind in ("stringValue", "intValue"), attribute
        if kind == "intValue":
            int(value)


def check_span(span):
    assert re.fullmatch("[0-9a-f]{32}", span["traceId"]) and int(span["traceId"], 16), span
    assert re.fullmatch("[0-9a-f]{16}", span["spanId"]) and int(span["spanId"], 16), span
    if "parentSpanId" in span:
        assert re.fullmatch("[0-9a-f]{16}", span["parentSpanId"]), span
    assert span["name"] and span["kind"] in KINDS, span
    assert 0 < int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]), span
    assert span["status"]["code"] in (0, 1, 2), span
    check_attributes(span["attributes"])


class Collector(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    statuses = [int(text) for text in sys.argv[3:]]

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.statuses.pop(0) if self.statuses else 200
        if status == 200:
            status = self.take(body)
        self.send_response(status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def take(self, body):
        try:
            assert self.path == "/v1/traces", self.path
            assert self.headers["Content-Type"] == "application/json"
            for resource in json.loads(body)["resourceSpans"]:
                check_attributes(resource["resource"]["attributes"])
                for scope in resource["scopeSpans"]:
                    for span in scope["spans"]:
                        check_span(span)
                        with open(sys.argv[2], "a") as spans:
                            spans.write(json.dumps(span, separators=(",", ":")) + "\n")
        except (AssertionError, KeyError, ValueError) as problem:
            with open(sys.argv[2], "a") as spans:
                spans.write(f"BAD {problem!r}\n")
            return 400
        return 200

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Collector)
with open(sys.argv[1], "w") as port:
    port.write(str(server.server_port) + "\n")
server.serve_forever()
