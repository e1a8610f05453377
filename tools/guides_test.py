import tempfile
import unittest
from pathlib import Path

import guides


def kinds(markdown: str) -> list[tuple[str, str]]:
    return [(step.kind, step.text) for step in guides.steps_of(markdown)]


class StepsOfAPage(unittest.TestCase):
    def test_blocks_run_in_order_and_show_what_they_print(self):
        page = "# T\n```sh\na\n```\nprose\n```json\n{}\n```\n```sh fails\nb\n```\n```json\nno output of sh? yes\n```\n"
        self.assertEqual(kinds(page), [("run", "a\n"), ("shown", "{}\n"), ("fails", "b\n"), ("shown", "no output of sh? yes\n")])

    def test_a_block_that_follows_no_command_is_no_output(self):
        self.assertEqual(kinds("```json\n{}\n```\n```sh\na\n```\n```cpp\nx\n```\n```json\n{}\n```\n"), [("run", "a\n")])

    def test_a_named_block_is_a_file(self):
        (step,) = guides.steps_of("```yaml a/b.yaml\nx: 1\n```\n")
        self.assertEqual((step.kind, step.name, step.text), ("file", "a/b.yaml", "x: 1\n"))

    def test_a_session_holds_commands_and_outputs(self):
        self.assertEqual(kinds("```text\n$ one\n1\n$ two # fails\n2\n```\n"),
                         [("run", "one\n"), ("shown", "1\n"), ("fails", "two # fails\n"), ("shown", "2\n")])

    def test_hidden_commands_run(self):
        self.assertEqual(kinds("<!-- try\ncp a b\n-->\n"), [("run", "cp a b\n")])

    def test_only_set_up_may_be_left_out(self):
        self.assertEqual(kinds("```sh setup\n./dev demo   # builds\n```\n"), [])
        with self.assertRaisesRegex(guides.PageError, "no set-up"):
            guides.steps_of("```sh setup\nrankd run\n```\n")

    def test_a_block_without_its_end_is_an_error(self):
        with self.assertRaisesRegex(guides.PageError, "missing"):
            guides.steps_of("```sh\na\n")


class Outputs(unittest.TestCase):
    def test_times_digests_and_ids_are_not_compared(self):
        self.assertTrue(guides.fits('{"took_ms":1.5,"d":"sha256:ab"} in 3 ms', '{"took_ms":22,"d":"sha256:cd"} in 0.25 ms\n'))

    def test_other_differences_are_found(self):
        self.assertFalse(guides.fits("a\nb", "a\nc"))
        self.assertFalse(guides.fits("a", "a\nb"))

    def test_a_line_may_be_cut_short(self):
        self.assertTrue(guides.fits("stale: …", "stale: no such file"))
        self.assertFalse(guides.fits("stale: …", "fresh"))


class Pages(unittest.TestCase):
    def run_text(self, text: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            scratch = Path(folder)
            (scratch / "page.md").write_text(text, encoding="utf-8")
            return guides._run_in(str(scratch / "page.md"), scratch, Path("/nowhere"), Path("/nowhere"))

    def test_a_page_that_does_what_it_says_passes(self):
        self.assertEqual(self.run_text("```sh\ncd docs\nx=2\n```\n```sh\necho $((x + 1))\n```\n```text\n3\n```\n"), [])

    def test_a_command_that_fails_is_named_with_its_line(self):
        (failure,) = self.run_text("one\n```sh\necho so; false\n```\n")
        self.assertIn("page.md:2: ended with 1", failure)
        self.assertIn("so", failure)

    def test_a_command_that_should_fail_and_does_not_is_named(self):
        (failure,) = self.run_text("```sh fails\ntrue\n```\n")
        self.assertIn("it did not fail", failure)

    def test_another_output_is_named(self):
        (failure,) = self.run_text("```sh\necho 2\n```\n```text\n3\n```\n")
        self.assertIn("prints something else", failure)

    def test_files_land_beside_the_links_and_not_in_the_repository(self):
        self.assertEqual(self.run_text("```text new/x.txt\nhello\n```\n```sh\ncat new/x.txt && ls dev\n```\n```text\nhello\ndev\n```\n"), [])
        self.assertFalse((guides.ROOT / "new").exists())


if __name__ == "__main__":
    unittest.main()
