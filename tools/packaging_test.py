"""The unit for systemd and the container file are well formed and say what the contract does (S48)."""

import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PACKAGING = Path(__file__).resolve().parent.parent / "packaging"
_INSTRUCTIONS = {"FROM", "RUN", "COPY", "USER", "WORKDIR", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT"}


def instructions():
    """The instructions of the container file and their arguments, in order."""
    text = (PACKAGING / "Containerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    return [tuple(line.split(None, 1)) for line in joined.splitlines()]


class PackagingTest(unittest.TestCase):
    def verify(self, unit):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rankd.service"
            # The program need not be installed here.
            path.write_text(unit.replace("/usr/bin/rankd", "/bin/true"), encoding="utf-8")
            run = subprocess.run(["systemd-analyze", "verify", str(path)], capture_output=True, text=True, timeout=60)
        return [line for line in (run.stdout + run.stderr).splitlines() if line.startswith(("rankd.service", str(folder)))]

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
    def test_systemd_finds_nothing_wrong_with_the_unit(self):
        unit = (PACKAGING / "rankd.service").read_text(encoding="utf-8")
        self.assertEqual(self.verify(unit), [])
        self.assertNotEqual(self.verify(unit.replace("WatchdogSec=10s", "WatchdogSec=often")), [])

    def test_the_container_runs_without_rights_and_is_probed(self):
        found = dict(instructions())
        self.assertLessEqual(set(found), _INSTRUCTIONS)
        self.assertEqual(found["USER"].split(":")[0], "10001")
        health = found["HEALTHCHECK"]
        self.assertEqual(json.loads(health[health.index("["):])[:2], ["rankd", "probe"])
        self.assertEqual(json.loads(found["ENTRYPOINT"])[:2], ["rankd", "serve"])


if __name__ == "__main__":
    unittest.main()
