import json
import pathlib
import tempfile
import unittest
from xml.etree import ElementTree

import load_svg
import picture_svg
import pictures


class PicturesTest(unittest.TestCase):
    def test_committed_pictures_are_what_the_recordings_give(self):
        for name, text in pictures.pictures().items():
            committed = (pictures.FOLDER / name).read_text(encoding="utf-8")
            self.assertEqual(committed, text, f"{name} is stale: python3 tools/pictures.py draw")

    def test_pages_show_what_was_printed(self):
        for page in pictures.PAGES:
            committed = (pictures.ROOT / page).read_text(encoding="utf-8")
            self.assertEqual(committed, pictures.with_pictures(page), f"{page} is stale: python3 tools/pictures.py draw")

    def test_every_picture_is_on_a_page_and_every_marked_page_is_known(self):
        pages = {page.relative_to(pictures.ROOT).as_posix(): page.read_text(encoding="utf-8")
                 for page in (*pictures.ROOT.glob("docs/**/*.md"), pictures.ROOT / "README.md")}
        for file in (*pictures.FOLDER.glob("*.svg"), *pictures.FOLDER.glob("*.txt")):
            self.assertTrue(any(file.name in text for text in pages.values()), file.name)
        marked = {page for page, text in pages.items() if "<!-- picture: " in text}
        self.assertLessEqual(marked, set(pictures.PAGES))

    def test_a_picture_that_a_program_prints_differently_is_stale(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("rankd", "topoexec"):
                program = pathlib.Path(folder) / name
                program.write_text("#!/bin/sh\necho something else\n", encoding="utf-8")
                program.chmod(0o755)
            stale = pictures.stale_pictures(pathlib.Path(folder))
        self.assertIn("docs/pictures/my_plan.svg is not what `rankd explain my_plan --format svg` prints", stale)
        self.assertEqual(len(stale), 4)

    def test_the_run_of_median_duration_is_kept_with_the_names_of_threads(self):
        def run(number, start, end):
            return [{"ph": "b", "cat": "run", "ts": start, "id": number}, {"ph": "e", "cat": "run", "ts": end, "id": number},
                    {"ph": "X", "cat": "node", "ts": start, "dur": 1, "run": number}]

        name = {"ph": "M", "name": "thread_name"}
        trace = {"traceEvents": [name, *run(1, 0, 100), *run(2, 10, 12), *run(3, 20, 25), *run(4, 30, 50)], "otherData": {}}
        self.assertEqual(pictures.median_run(trace, 1)["traceEvents"], [name, *run(3, 20, 25)])

    def test_recordings_are_of_the_plan_as_it_is(self):
        explanation = json.loads((pictures.FOLDER / "plan.json").read_text(encoding="utf-8"))
        artifact = json.loads((pictures.ROOT / "plans/complex_dag.plan.json").read_text(encoding="utf-8"))
        drawn = {source for node in explanation["nodes"] for source in node["source_ids"]}
        self.assertEqual(drawn, {node["id"] for node in artifact["nodes"]},
                         "record again: python3 tools/pictures.py record engine/bin")

    def test_pictures_are_well_formed_and_stay_inside_their_frame(self):
        for name, text in pictures.pictures().items():
            root = ElementTree.fromstring(text)
            width = float(root.get("width"))
            for box in root.iter("{http://www.w3.org/2000/svg}rect"):
                self.assertLessEqual(float(box.get("x")) + float(box.get("width")), width, name)

    def test_node_params_are_edges_too(self):
        edges = pictures.edges_of(json.loads((pictures.FOLDER / "plan.json").read_text(encoding="utf-8")))
        self.assertIn(("fs", "c"), edges)
        self.assertIn(("rs", "c"), edges)
        self.assertIn(("c", "take"), edges)

    def test_a_load_has_a_mark_for_each_step_and_line(self):
        curve = [{"share": share, "rate": 900 * share, "goodput": min(900 * share, 900), "p50_ms": 22, "p99_ms": 30}
                 for share in (0.5, 1, 3)]
        text = load_svg.draw_load({"curve": curve})
        marks = [box for box in ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}rect")
                 if box.get("width") == "8"]
        self.assertEqual(len(marks), 9)

    def test_text_is_escaped(self):
        drawing = picture_svg.Drawing("a < b", 10)
        drawing.text(0, 0, "x & y")
        self.assertIn("a &lt; b", drawing.svg())
        self.assertIn("x &amp; y", drawing.svg())


if __name__ == "__main__":
    unittest.main()
