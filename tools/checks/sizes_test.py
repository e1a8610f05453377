from . import sizes
from .planted import PlantedTreeTest


def _function(name: str, line_count: int) -> str:
    return f"void {name}() {{\n" + "  step();\n" * (line_count - 2) + "}\n"


class SizesTest(PlantedTreeTest):
    def test_passes_small_files_and_functions(self):
        tree = self.plant({"engine/a.cpp": _function("short", 69), "dev": "#!/bin/bash\n"})
        self.assert_clean(sizes.run(tree))

    def test_warns_from_300_lines(self):
        problems = sizes.run(self.plant({"engine/a.cpp": "int x;\n" * 300}))
        self.assert_caught(problems, "warning: has 300 lines")
        self.assertTrue(problems[0].warning)

    def test_catches_file_of_500_lines(self):
        problems = sizes.run(self.plant({"engine/a.cpp": "int x;\n" * 500}))
        self.assert_caught(problems, "has 500 lines; split it")
        self.assertFalse(problems[0].warning)

    def test_catches_function_of_70_lines(self):
        problems = sizes.run(self.plant({"engine/a.cpp": "\n" + _function("endless", 70)}))
        self.assert_caught(problems, "engine/a.cpp:2: endless has 70 lines")

    def test_catches_six_parameters(self):
        text = "int f(int a, std::map<int, int> b, int c, int d, int e, int g) { return a; }\n"
        self.assert_caught(sizes.run(self.plant({"engine/a.h": text})), "f has 6 parameters")

    def test_passes_listed_exception(self):
        tree = self.plant({"engine/a.cpp": _function("endless", 70),
                           sizes.EXCEPTIONS: "engine/a.cpp endless\n"})
        self.assert_clean(sizes.run(tree))

    def test_catches_stale_exception(self):
        tree = self.plant({"engine/a.cpp": _function("short", 9),
                           sizes.EXCEPTIONS: "# why\nengine/a.cpp short\n"})
        self.assert_caught(sizes.run(tree), "tools/oversized.txt:2: stale entry")
