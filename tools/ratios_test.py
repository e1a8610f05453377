import unittest

import ratios


class RatiosTest(unittest.TestCase):
    def test_readme_has_the_tables_that_the_baselines_give(self):
        readme = (ratios.ROOT / "README.md").read_text(encoding="utf-8")
        for heading, table in ratios.tables().items():
            with self.subTest(heading):
                self.assertIn(table, readme, "paste what `python3 tools/ratios.py` prints")


if __name__ == "__main__":
    unittest.main()
