"""Prints where the time of a test run went: test_times.py STEPS FOLDER...

STEPS is the file that ./dev writes, one line per step: its name, when it began and ended, and what
the `times` of the shell said about its children then. Each FOLDER is a build folder with the
junit.xml of ctest.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

_SLOWEST = 10
_CPU = re.compile(r"(\d+)m([\d.]+)s")


def cpu_seconds(times: str) -> float:
    """Adds user and system time, both written like 1m2.5s."""
    return sum(int(minutes) * 60 + float(seconds) for minutes, seconds in _CPU.findall(times))


def steps(file: Path) -> list[tuple[str, float, float]]:
    """Lists the steps, each with its seconds by the clock and of CPU."""
    found = []
    for line in _text(file).splitlines():
        fields = line.split("\t")
        if len(fields) == 5:
            name, start, end, before, after = fields
            found.append((name, float(end) - float(start), cpu_seconds(after) - cpu_seconds(before)))
    return found


def programs(folder: Path) -> list[tuple[float, str]]:
    """Lists the tests that ctest ran, each with its seconds by the clock."""
    try:
        root = ElementTree.fromstring(_text(folder / "junit.xml"))
    except ElementTree.ParseError:
        return []
    return [(float(case.get("time", 0)), f"{folder.name}: {case.get('name')}")
            for case in root.iter("testcase")]


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


def main(arguments: list[str]) -> int:
    rows = steps(Path(arguments[0]))
    print(f"{'where the time went':32}{'clock':>10}{'CPU':>10}")
    for name, clock, cpu in [*rows, ("all", sum(row[1] for row in rows), sum(row[2] for row in rows))]:
        print(f"  {name:30}{clock:8.1f} s{cpu:8.1f} s")
    slowest = sorted((row for folder in arguments[1:] for row in programs(Path(folder))), reverse=True)
    if slowest:
        print("slowest test programs")
    for seconds, name in slowest[:_SLOWEST]:
        print(f"  {name:30}{seconds:8.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
