"""Sums the results of one or more test runs and closes with `N passed, N failed`.

A GoogleTest executable counts once per test case (from the XML report that mr_test asks for), any
other ctest once. An executable that crashed wrote no complete report and counts as one failure. A
folder with tests.tap holds a run of `node --test`, which counts once per test case, too.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def gtest_outcomes(report: Path) -> dict[str, bool]:
    """Maps each test case that ran to whether it passed; empty if there is no report."""
    try:
        root = ElementTree.parse(report).getroot()
    except (OSError, ElementTree.ParseError):
        return {}
    return {
        f"{case.get('classname')}.{case.get('name')}": case.find("failure") is None
        for case in root.iter("testcase")
        if case.get("status") == "run" and case.get("result") != "skipped"
    }


def ctest_outcomes(build: Path) -> dict[str, bool]:
    """Maps each test of one build folder to whether it passed."""
    try:
        root = ElementTree.parse(build / "junit.xml").getroot()
    except (OSError, ElementTree.ParseError):
        return {f"{build}: ctest left no results": False}
    outcomes = {}
    for case in root.iter("testcase"):
        name, passed = case.get("name"), case.get("status") == "run"
        cases = gtest_outcomes(build / "gtest" / f"{name}.xml")
        if not cases or passed != all(cases.values()):
            outcomes[name] = passed
        outcomes.update({f"{name}: {case_name}": ok for case_name, ok in cases.items()})
    return outcomes


_TAP_POINT = re.compile(r"^( *)(not )?ok \d+ - (.*?)( # (?:SKIP|TO" r"DO).*| # time=.*)?$")


def tap_outcomes(report: Path) -> dict[str, bool]:
    """Maps each innermost test of a TAP report to whether it passed."""
    try:
        lines = report.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    outcomes, inner = {}, []
    for number, line in enumerate(lines, start=1):
        point = _TAP_POINT.match(line)
        if not point:
            continue
        depth, passed = len(point.group(1)), not point.group(2)
        deeper = [ok for level, ok in inner if level > depth]
        inner = [(level, ok) for level, ok in inner if level <= depth]
        inner.append((depth, passed))
        skipped = (point.group(4) or "").startswith((" # SKIP", " # TO" "DO"))
        # A test around others counts only when it failed by itself.
        if not skipped and (not deeper or (not passed and all(deeper))):
            outcomes[f"{point.group(3)} (line {number})"] = passed
    if not any(re.match(r"1\.\.\d+$", line) for line in lines):
        outcomes["the run did not end"] = False
    return outcomes


def outcomes_of(folder: Path) -> dict[str, bool]:
    """Maps each test that ran in a folder to whether it passed."""
    report = folder / "tests.tap"
    return tap_outcomes(report) if report.exists() else ctest_outcomes(folder)


def main(folders: list[str]) -> int:
    outcomes = [(f"{folder}: {name}", passed)
                for folder in folders
                for name, passed in outcomes_of(Path(folder)).items()]
    failures = [name for name, passed in outcomes if not passed]
    for name in failures:
        print(f"FAILED {name}")
    print(f"{len(outcomes) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
