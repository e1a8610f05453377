"""The unit for systemd and the container file are well formed and say what the contract does (S48)."""

import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGING = ROOT / "packaging"
UNITS = (PACKAGING / "rankd.service", ROOT / "deploy/rankd@.service", ROOT / "deploy/rankd.target")
_INSTRUCTIONS = {"FROM", "RUN", "COPY", "USER", "WORKDIR", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT"}


def instructions():
    """The instructions of the container file and their arguments, in order."""
    text = (PACKAGING / "Containerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    return [tuple(line.split(None, 1)) for line in joined.splitlines()]


HAS_SYSTEMD = unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
# Packages that every image of Debian has.
_BASE_PACKAGES = {"libc6", "libgcc-s1"}


def programs():
    """Those that were built here."""
    return [path for preset in ("release", "dev") if (path := ROOT / "build" / preset / "engine/apps/rankd").exists()]


def packages_of(program):
    """The packages whose libraries a program names."""
    loaded = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True).stdout
    dynamic = subprocess.run(["readelf", "-d", str(program)], capture_output=True, text=True, check=True).stdout
    packages = set()
    for library in re.findall(r"Shared library: \[([^]]+)\]", dynamic):
        paths = re.findall(rf"^\t{re.escape(library)} => (\S+)", loaded, re.MULTILINE)
        # Links of the merged /usr are not in the database of packages.
        for path in {name for found in paths for name in (found, str(Path(found).resolve()), f"/usr{found}")}:
            owner = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True, check=False).stdout
            packages |= {line.split(":")[0] for line in owner.splitlines()}
    return packages


class PackagingTest(unittest.TestCase):
    def analyse(self, *words, change=lambda text: text):
        """What systemd says about the units; they name a program that is there."""
        with tempfile.TemporaryDirectory() as folder:
            for source in UNITS:
                text = source.read_text(encoding="utf-8").replace("/usr/bin/rankd", "/bin/true")
                (Path(folder) / source.name).write_text(change(text), encoding="utf-8")
            return subprocess.run(["systemd-analyze", *words], cwd=folder, capture_output=True, text=True, timeout=60, check=False)

    def complaints(self, **options):
        run = self.analyse("verify", "./rankd.service", "./rankd@8081.service", "./rankd.target", **options)
        return [line for line in (run.stdout + run.stderr).splitlines() if "rankd" in line]

    @HAS_SYSTEMD
    def test_systemd_finds_nothing_wrong_with_the_units(self):
        self.assertEqual(self.complaints(), [])
        self.assertNotEqual(self.complaints(change=lambda text: text.replace("WatchdogSec=10s", "WatchdogSec=often")), [])

    @HAS_SYSTEMD
    def test_the_units_leave_the_server_little_to_harm(self):
        for unit in ("./rankd.service", "./rankd@8081.service"):
            judged = ("security", "--offline=true", "--no-pager", "--threshold=35", unit)
            run = self.analyse(*judged)
            self.assertEqual(run.returncode, 0, run.stdout[-300:])
            # Less than that is noticed.
            weak = self.analyse(*judged, change=lambda text: text.replace("CapabilityBoundingSet=\n", ""))
            self.assertNotEqual(weak.returncode, 0)

    @unittest.skipUnless(programs() and shutil.which("readelf") and shutil.which("dpkg"), "no program was built, or no tools to look into it")
    def test_the_container_has_the_libraries_of_the_program(self):
        run = next(arguments for name, arguments in instructions() if name == "RUN")
        for program in programs():
            needed = packages_of(program) - _BASE_PACKAGES
            self.assertIn("libuv1", needed)
            self.assertLessEqual(needed, set(run.split()), program)

    def test_the_container_runs_without_rights_and_is_probed(self):
        found = dict(instructions())
        self.assertLessEqual(set(found), _INSTRUCTIONS)
        self.assertEqual(found["USER"].split(":")[0], "10001")
        health = found["HEALTHCHECK"]
        self.assertEqual(json.loads(health[health.index("["):])[:2], ["rankd", "probe"])
        self.assertEqual(json.loads(found["ENTRYPOINT"])[:2], ["rankd", "serve"])


if __name__ == "__main__":
    unittest.main()
