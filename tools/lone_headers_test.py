import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import lone_headers

_COMPILER = shutil.which("clang++-19")


@unittest.skipUnless(_COMPILER, "clang++-19 is not installed")
class LoneHeadersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def compile(self, headers: dict[str, str]) -> subprocess.CompletedProcess:
        for name, text in headers.items():
            (self.root / name).write_text("#pragma once\n" + text, encoding="utf-8")
        return subprocess.run(
            [sys.executable, lone_headers.__file__, f"--compiler={_COMPILER}", "--name=planted",
             f"--root={self.root}", f"--work={self.root / 'work'}", f"--stamp={self.root / 'stamp'}",
             *(str(self.root / name) for name in headers)], capture_output=True, text=True, check=False)

    def test_passes_headers_that_include_what_they_use(self):
        result = self.compile({"a.h": "struct A {};\n", "b.h": '#include "a.h"\nstruct B { A a; };\n'})
        self.assertEqual((result.returncode, result.stdout + result.stderr), (0, ""))
        self.assertTrue((self.root / "stamp").exists())

    def test_catches_a_header_that_relies_on_one_before_it(self):
        result = self.compile({"a.h": "struct A {};\n", "b.h": "struct B { A a; };\n"})
        self.assertEqual(result.returncode, 1)
        self.assertIn("b.h:2:12: error: unknown type name 'A'", result.stderr)
        self.assertFalse((self.root / "stamp").exists())

    def test_passes_what_only_modules_refuse(self):
        result = self.compile({"a.h": "struct A {};\n",
                               "b.h": 'namespace b {\n#include "a.h"\n}\n'})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("but not as Clang modules", result.stdout)

    def test_names_modules_after_their_headers(self):
        self.assertEqual(lone_headers.header_map("/e", ["/e/rows/sort/key.h"]),
                         'module rows__sort__key_h { header "/e/rows/sort/key.h" export * }\n')

    def test_keeps_a_map_that_did_not_change(self):
        path = lone_headers.write_if_changed(self.root / "x.modulemap", "one")
        before = path.stat().st_mtime_ns
        self.assertEqual(lone_headers.write_if_changed(path, "one").stat().st_mtime_ns, before)
        self.assertEqual(lone_headers.write_if_changed(path, "two").read_text(encoding="utf-8"), "two")
