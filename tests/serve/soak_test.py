"""A short soak, and what its judges must find. MILLRACE_RANKD names the program; MILLRACE_SOAK_SECONDS makes it longer."""

import os
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from soak import run_soak  # noqa: E402
from soak_clients import Clients  # noqa: E402
from soak_corpus import bad_requests, unescape  # noqa: E402
from soak_judge import Ledger, Scrapes  # noqa: E402
from soak_link import Reply  # noqa: E402

PAGE = """# TYPE rankd_requests_received_total counter
rankd_requests_received_total 10
# TYPE rankd_requests_total counter
rankd_requests_total{plan="a",outcome="ok"} 7
# TYPE rankd_inflight gauge
rankd_inflight{priority="normal"} 3.0
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 1000000
"""


class JudgeTest(unittest.TestCase):
    def test_a_page_that_adds_up_is_good(self):
        scrapes = Scrapes(Ledger())
        scrapes.add(0, PAGE)
        self.assertEqual(scrapes.ledger.wrong, [])
        self.assertEqual(scrapes.inflight, 3)

    def test_a_lost_request_is_found(self):
        scrapes = Scrapes(Ledger())
        scrapes.add(0, PAGE.replace("} 3.0", "} 2.0"))
        self.assertIn("10 received, but 7 ended and 2 in flight", scrapes.ledger.wrong[0])

    def test_a_counter_that_goes_back_is_found_but_not_a_gauge(self):
        scrapes = Scrapes(Ledger())
        scrapes.add(0, PAGE)
        scrapes.add(1, PAGE.replace("total 10", "total 9").replace("} 3.0", "} 2.0"))
        self.assertEqual(len(scrapes.ledger.wrong), 1)
        self.assertIn("rankd_requests_received_total went back", scrapes.ledger.wrong[0])

    def test_memory_that_grows_is_found(self):
        scrapes = Scrapes(Ledger())
        for second in range(100):
            scrapes.add(second, PAGE.replace("1000000", str(1000000 + 1000 * second)))
        self.assertAlmostEqual(scrapes.memory_growth(100), 0.058, places=2)

    def test_only_an_outage_excuses_a_failed_answer(self):
        class World:
            up = True

            def redis_was_up(self, _):
                return self.up

        clients = Clients(World(), Ledger(), 1)
        clients.expected = {("who", 1): b'"candidates":[1]', ("still", 1): b'"candidates":[1]'}
        failed = Reply(502, {}, b'{"error":{"code":"endpoint_unavailable"}}')
        clients.judge("ranker", "who", 1, 0.0, failed)
        World.up = False
        clients.judge("ranker", "who", 1, 0.0, failed)
        clients.judge("embedded", "still", 1, 0.0, failed)
        clients.judge("embedded", "still", 1, 0.0, Reply(200, {}, b'{"candidates":[2],"took_ms":1}'))
        clients.judge("embedded", "still", 1, 0.0, Reply(200, {}, b'{"candidates":[1],"took_ms":1}'))
        self.assertEqual(clients.ledger.wrong_count, 3, clients.ledger.wrong)
        self.assertEqual(clients.ledger.total("good"), 1)

    def test_the_corpus_is_read(self):
        self.assertGreater(len(bad_requests()), 90)
        self.assertEqual(unescape(r"a\r\n\x00\{3|b\t}\\"), b"a\r\n\0b\tb\tb\t\\")


class SoakTest(unittest.TestCase):
    def test_S53_everything_at_once(self):
        soak = run_soak(Path(os.environ["MILLRACE_RANKD"]), float(os.environ.get("MILLRACE_SOAK_SECONDS", "20")), 1,
                        progress=lambda _: None)
        self.assertEqual([text for is_good, text in soak.checks() if not is_good], [], "\n".join(soak.ledger.wrong))
        for kind, counts in soak.ledger.counts.items():
            self.assertGreater(counts["good"], 0, kind)
        self.assertGreater(soak.ledger.deeds["reloads"], 5)


if __name__ == "__main__":
    unittest.main()
