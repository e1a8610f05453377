import json
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

    def test_recordings_are_of_the_plan_as_it_is(self):
        explanation = json.loads((pictures.FOLDER / "plan.json").read_text(encoding="utf-8"))
        artifact = json.loads((pictures.ROOT / "plans/complex_dag.plan.json").read_text(encoding="utf-8"))
        drawn = {source for node in explanation["nodes"] for source in node["source_ids"]}
        self.assertEqual(drawn, {node["id"] for node in artifact["nodes"]},
                         "record again: python3 tools/pictures.py record engine/bin/rankd")

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
