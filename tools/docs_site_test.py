"""Tries the builder of the documentation site on small projects of its own."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import docs_site


class Project:
    """A folder under git with the given files."""

    def __init__(self, files: dict[str, str]):
        self._folder = tempfile.TemporaryDirectory()
        self.root = Path(self._folder.name)
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)

    def stage(self, page: str) -> str:
        pages = set(docs_site.project_pages(self.root))
        docs_site.stage_page(self.root, page, pages, self.root / "staged")
        return (self.root / "staged" / page).read_text(encoding="utf-8")

    def close(self):
        self._folder.cleanup()


class DocsSiteTest(unittest.TestCase):
    def project(self, files: dict[str, str]) -> Project:
        made = Project(files)
        self.addCleanup(made.close)
        return made

    def test_linked_files_come_along(self):
        project = self.project({"docs/a.md": "see [the plan](../plans/x.ts)", "plans/x.ts": "text"})
        self.assertEqual(project.stage("docs/a.md"), "see [the plan](../plans/x.ts)")
        self.assertEqual((project.root / "staged/plans/x.ts").read_text(encoding="utf-8"), "text")

    def test_folders_become_their_readme_or_plain_text(self):
        project = self.project({"a.md": "[one](x) and [two](y)", "x/README.md": "# X", "y/z.txt": ""})
        self.assertEqual(project.stage("a.md"), "[one](x/README.md) and two")

    def test_fenced_text_stays_as_it_is(self):
        text = "```\n[two](y)\n```\n"
        self.assertEqual(self.project({"a.md": text, "y/z.txt": ""}).stage("a.md"), text)

    def test_a_fence_keeps_only_its_language(self):
        project = self.project({"a.md": "```ts plans/a.plan.ts\nx\n```\n"})
        self.assertEqual(project.stage("a.md"), "```ts\nx\n```\n")

    def test_menus_follow_the_index_and_name_a_page_once(self):
        project = self.project({
            "docs/README.md": "# Docs\n## A cook: eat\n[b](b.md), [a](a.md)\n## A guest: sit\n[a](a.md) [c](c.md)\n",
            "docs/a.md": "# A\n", "docs/b.md": "# B\n", "docs/c.md": "no title"})
        pages = set(docs_site.project_pages(project.root))
        menus = docs_site.each_once(docs_site.readers(project.root, pages))
        self.assertEqual(menus, [{"Cook": [{"B": "docs/b.md"}, {"A": "docs/a.md"}]}, {"Guest": [{"docs/c.md": "docs/c.md"}]}])

    def test_the_style_for_narrow_windows_is_part_of_the_site(self):
        self.assertTrue(docs_site.STYLE.exists())
        self.assertEqual(docs_site.settings(docs_site.ROOT, set(), docs_site.ROOT)["extra_css"], [docs_site.STYLE.name])

    def test_finds_what_would_be_loaded_from_elsewhere(self):
        for text in ('<script src="https://x.example/a.js">', '<link rel="stylesheet" href="//x.example/a.css">',
                     '<img src="http://x.example/a.png">', '<style>@import "https://x.example/a.css"</style>'):
            project = self.project({"a.html": text})
            self.assertEqual(len(docs_site.find_outside_requests(project.root)), 1, text)
        project = self.project({"a.html": '<a href="https://x.example/">read</a><script src="a.js"></script>'})
        self.assertEqual(docs_site.find_outside_requests(project.root), [])


if __name__ == "__main__":
    unittest.main()
