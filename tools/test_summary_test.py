import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import test_summary

_JUNIT = '<testsuite>{}</testsuite>'
_CASE = '<testcase name="{}" status="{}"/>'
_GTEST = ('<testsuites><testsuite><testcase name="A" classname="T" status="run" result="completed"/>'
          '<testcase name="B" classname="T" status="run" result="completed">{}</testcase>'
          '<testcase name="C" classname="T" status="notrun" result="suppressed"/>'
          '</testsuite></testsuites>')


class SummaryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name)
        (self.build / "gtest").mkdir()

    def summarise(self, cases: str) -> tuple[int, list[str]]:
        if cases:
            (self.build / "junit.xml").write_text(_JUNIT.format(cases), encoding="utf-8")
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = test_summary.main([str(self.build)])
        return code, output.getvalue().splitlines()

    def report(self, name: str, failure: str = "") -> None:
        (self.build / "gtest" / f"{name}.xml").write_text(_GTEST.format(failure), encoding="utf-8")

    def test_counts_cases_of_gtest_and_whole_other_tests(self):
        self.report("base_test")
        code, lines = self.summarise(_CASE.format("base_test", "run") + _CASE.format("install", "run"))
        self.assertEqual((code, lines[-1]), (0, "3 passed, 0 failed"))

    def test_names_failed_cases(self):
        self.report("base_test", '<failure message="x"/>')
        code, lines = self.summarise(_CASE.format("base_test", "fail"))
        self.assertEqual((code, lines[-1]), (1, "1 passed, 1 failed"))
        self.assertTrue(lines[0].endswith("base_test: T.B"), lines)

    def test_counts_crash_without_report_as_failure(self):
        code, lines = self.summarise(_CASE.format("base_test", "fail"))
        self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed"))

    def test_counts_leak_after_all_cases_passed_as_failure(self):
        self.report("base_test")
        code, lines = self.summarise(_CASE.format("base_test", "fail"))
        self.assertEqual((code, lines[-1]), (1, "2 passed, 1 failed"))

    def test_counts_missing_executable_as_failure(self):
        self.assertEqual(self.summarise(_CASE.format("base_test", "notrun"))[1][-1], "0 passed, 1 failed")

    def test_fails_without_results(self):
        code, lines = self.summarise("")
        self.assertEqual((code, lines[-1]), (1, "0 passed, 1 failed"))

    def tap(self, *lines: str) -> tuple[int, list[str]]:
        (self.build / "tests.tap").write_text("\n".join(["TAP version 13", *lines]), encoding="utf-8")
        return self.summarise("")

    def test_counts_innermost_tests_of_a_tap_report(self):
        code, lines = self.tap("# Subtest: file", "    # Subtest: a", "    ok 1 - a",
                               "    ok 2 - b # SKIP no engine", "    not ok 3 - c", "    1..3",
                               "not ok 1 - file", "ok 2 - d", "1..2", "# pass 2")
        self.assertEqual((code, lines[-1]), (1, "2 passed, 1 failed"))
        self.assertIn(": c ", lines[0])

    def test_counts_a_test_that_fails_around_passing_ones(self):
        _, lines = self.tap("    ok 1 - a", "    1..1", "not ok 1 - file", "1..1")
        self.assertEqual(lines[-1], "1 passed, 1 failed")

    def test_counts_a_tap_report_that_breaks_off_as_failure(self):
        code, lines = self.tap("ok 1 - a")
        self.assertEqual((code, lines[-1]), (1, "1 passed, 1 failed"))
