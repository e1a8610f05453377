import tempfile
import unittest
from pathlib import Path

import request_profile

_HEAD = "# IR level Instrumentation Flag\n:ir\n# Always instrument the function entry block\n:entry_first\n"


def _function(name: str, *counts: int, more: str = "") -> str:
    lines = [name, "# Func Hash:", "77", "# Num Counters:", str(len(counts)), "# Counter Values:"]
    return "\n".join(lines + [str(count) for count in counts]) + "\n" + more


class RequestProfileTest(unittest.TestCase):
    def kept(self, *blocks: str) -> list[str]:
        return [lines[0] for lines in request_profile.select(_HEAD + "\n".join(blocks))]

    def test_keeps_what_requests_call_often(self):
        often, rare = request_profile.CALLS_MIN, request_profile.CALLS_MIN - 1
        self.assertEqual(self.kept(_function("often", often, 0), _function("rare", rare, 5)), ["often"])

    def test_leaves_loops_over_rows_alone(self):
        calls, turns = request_profile.CALLS_MIN, request_profile.TURNS_MAX
        loop, short = _function("loop", calls, turns * calls + 1), _function("short", calls, turns * calls)
        self.assertEqual(self.kept(loop, short), ["short"])

    def test_reads_no_counter_in_what_follows_the_counters(self):
        targets = "# Num Value Kinds:\n1\n# ValueKind = IPVK_IndirectCallTarget:\n0\n1\n999999999\n"
        calls = request_profile.CALLS_MIN
        function = request_profile.functions(_HEAD + _function("f", calls, 3, more=targets))[0]
        self.assertEqual(request_profile.counters(function), [calls, 3])
        self.assertEqual(self.kept(_function("f", calls, 3, more=targets)), ["f"])

    def test_writes_what_it_can_read(self):
        calls = request_profile.CALLS_MIN
        kept = request_profile.select(_HEAD + _function("f", calls, 1) + "\n" + _function("g", calls))
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "profile"
            request_profile.write_profile(kept, output)
            text = output.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("#"))
        self.assertEqual(request_profile.functions(text), kept)

    def test_the_profile_in_the_tree_names_no_folder(self):
        profile = Path(__file__).parent.parent / "cmake" / "requests.proftext"
        names = [lines[0] for lines in request_profile.functions(profile.read_text(encoding="utf-8"))]
        self.assertGreater(len(names), 100)
        self.assertEqual([name for name in names if "/" in name], [])


if __name__ == "__main__":
    unittest.main()
