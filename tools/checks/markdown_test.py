from . import markdown
from .planted import PlantedTreeTest

_CLEAN = {
    "dev": "VERBS=(setup test)\n",
    "CMakePresets.json": '{"configurePresets": [{"name": "dev"}]}\n',
    "README.md": "# Mill race\nSee [map](docs/map.md#two-words), [web](https://example.org) and\n"
                 "`tools/x.py`, `engine/<module>/`, [here](#mill-race).\n```\n./dev test\n"
                 "cmake --preset dev\n"
                 "engine/gone/ drawn [x](y)\n```\n",
    "docs/map.md": "# Map\n## Two words\n[back](../README.md)\n",
    "tools/x.py": "",
}


class MarkdownTest(PlantedTreeTest):
    def test_passes_what_exists(self):
        self.assert_clean(markdown.run(self.plant(_CLEAN)))

    def test_catches_broken_link(self):
        tree = self.plant(_CLEAN | {"docs/a.md": "# A\n[x](gone.md)\n"})
        self.assert_caught(markdown.run(tree), "docs/a.md:2: broken link: gone.md")

    def test_catches_broken_anchor(self):
        tree = self.plant(_CLEAN | {"docs/a.md": "[x](map.md#three-words)\n"})
        self.assert_caught(markdown.run(tree), "no such heading: map.md#three-words")

    def test_catches_missing_path(self):
        tree = self.plant(_CLEAN | {"docs/a.md": "Look at `tools/gone.py`.\n"})
        self.assert_caught(markdown.run(tree), "no such path: tools/gone.py")

    def test_catches_unknown_verb_also_in_code(self):
        tree = self.plant(_CLEAN | {"docs/a.md": "```\n./dev tset\n```\n"})
        self.assert_caught(markdown.run(tree), "./dev has no verb 'tset'")

    def test_catches_unknown_preset(self):
        tree = self.plant(_CLEAN | {"docs/a.md": "`cmake --workflow --preset fast`\n"})
        self.assert_caught(markdown.run(tree), "there is no CMake preset 'fast'")
