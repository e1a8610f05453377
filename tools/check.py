"""Runs the house checks: `check.py [--list] [--no-self-test] [NAME...]`; see ./dev help check."""

import argparse
import sys
import time
import unittest
from pathlib import Path

from checks import CHECKS, Check
from checks.tree import Tree

ROOT = Path(__file__).resolve().parent.parent


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev check", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="checks to run; all if none")
    parser.add_argument("--list", action="store_true", help="show the checks and their rules")
    parser.add_argument("--no-self-test", action="store_true", help="skip the checks' own tests")
    options = parser.parse_args(arguments)
    unknown = set(options.names) - {check.name for check in CHECKS}
    if unknown:
        parser.error(f"unknown check: {', '.join(sorted(unknown))}; --list shows them")
    return options


def run_checks(selected: list[Check]) -> int:
    """Prints what the checks find; gives the number of errors."""
    tree, errors = Tree(ROOT), 0
    for check in selected:
        for problem in sorted(check.run(tree)):
            print(f"{problem} [{check.name}]")
            errors += not problem.warning
    return errors


def run_self_tests() -> bool:
    suite = unittest.defaultTestLoader.discover(str(ROOT / "tools"), pattern="*_test.py")
    return unittest.TextTestRunner(verbosity=0, stream=sys.stdout).run(suite).wasSuccessful()


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    if options.list:
        for check in CHECKS:
            print(f"{check.name:16}{check.rule}")
        return 0
    started = time.monotonic()
    selected = [check for check in CHECKS if not options.names or check.name in options.names]
    errors = run_checks(selected)
    healthy = options.no_self_test or bool(options.names) or run_self_tests()
    verdict = f"{errors} problems" if errors else "clean"
    print(f"check: {len(selected)} checks, {verdict} ({time.monotonic() - started:.1f} s)")
    return 0 if errors == 0 and healthy else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
