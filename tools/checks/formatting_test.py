from . import formatting
from .planted import PlantedTreeTest


class FormattingTest(PlantedTreeTest):
    def test_passes_formatted_file(self):
        tree = self.plant({".clang-format": "BasedOnStyle: Google\n", "a.cpp": "int f() { return 1; }\n"})
        self.assert_clean(formatting.run(tree))

    def test_catches_unformatted_file_once(self):
        tree = self.plant({".clang-format": "BasedOnStyle: Google\n",
                           "a.cpp": "int f()  {return 1;}\nint  g( );\n", "b.h": "int x;\n"})
        self.assert_caught(formatting.run(tree), "a.cpp:1: not formatted")
