import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import test_times


class TestTimesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "dev").mkdir()

    def show(self) -> list[str]:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            test_times.main([str(self.root / "steps"), str(self.root / "dev")])
        return [" ".join(line.split()) for line in output.getvalue().splitlines()]

    def test_shows_steps_and_their_sum(self):
        (self.root / "steps").write_text("check\t10.5\t14.0\t0m1.000s 0m0.500s\t0m4.000s 0m0.700s\n"
                                         "build dev\t14.0\t134.0\t0m4.000s 0m0.700s\t3m4.0s 0m10.7s\n",
                                         encoding="utf-8")
        self.assertEqual(self.show(), ["where the time went clock CPU", "check 3.5 s 3.2 s",
                                       "build dev 120.0 s 190.0 s", "all 123.5 s 193.2 s"])

    def test_shows_the_ten_slowest_programs(self):
        cases = "".join(f'<testcase name="t{number}" time="{number}"/>' for number in range(12))
        (self.root / "dev" / "junit.xml").write_text(f"<testsuite>{cases}</testsuite>", encoding="utf-8")
        lines = self.show()
        self.assertEqual(lines[-11:-9], ["slowest test programs", "dev: t11 11.0 s"])
        self.assertEqual(lines[-1], "dev: t2 2.0 s")

    def test_shows_nothing_but_heads_where_nothing_ran(self):
        (self.root / "dev" / "junit.xml").write_text("<broken", encoding="utf-8")
        self.assertEqual(self.show(), ["where the time went clock CPU", "all 0.0 s 0.0 s"])
