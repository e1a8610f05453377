from . import snippets
from .planted import PlantedTreeTest

_SOURCE = "void f() {\n  // snippet-begin: first\n  int x = 1;\n  if (x) go();\n  // snippet-end: first\n}\n"
_PAGE = "Text\n<!-- snippet: examples/a.cpp first -->\n```cpp\nint x = 1;\nif (x) go();\n```\n"


class SnippetsTest(PlantedTreeTest):
    def test_passes_block_that_is_in_the_source(self):
        self.assert_clean(snippets.run(self.plant({"README.md": _PAGE, "examples/a.cpp": _SOURCE})))

    def test_catches_block_that_differs(self):
        tree = self.plant({"README.md": _PAGE.replace("1", "2"), "examples/a.cpp": _SOURCE})
        self.assert_caught(snippets.run(tree), "README.md:2: the block differs from snippet 'first'")

    def test_catches_missing_snippet(self):
        tree = self.plant({"README.md": _PAGE, "examples/a.cpp": "int x;\n"})
        self.assert_caught(snippets.run(tree), "examples/a.cpp has no snippet 'first'")

    def test_catches_comment_without_block(self):
        tree = self.plant({"README.md": _PAGE.split("```")[0], "examples/a.cpp": _SOURCE})
        self.assert_caught(snippets.run(tree), "no code block follows")
