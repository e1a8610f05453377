from . import untested
from .planted import PlantedTreeTest


class UntestedTest(PlantedTreeTest):
    def test_passes_unit_with_test(self):
        tree = self.plant({"engine/base/x.cpp": "", "engine/base/x_test.cpp": "", "bench/y.cpp": ""})
        self.assert_clean(untested.run(tree))

    def test_catches_unit_without_test(self):
        tree = self.plant({"engine/base/x.cpp": ""})
        self.assert_caught(untested.run(tree), "engine/base/x.cpp: has no test beside it")

    def test_passes_a_program(self):
        tree = self.plant({"engine/apps/x/main.cpp": ""})
        self.assert_clean(untested.run(tree))

    def test_passes_listed_unit(self):
        tree = self.plant({"engine/base/x.cpp": "", untested.EXCEPTIONS: "engine/base/x.cpp\n"})
        self.assert_clean(untested.run(tree))

    def test_catches_entry_that_has_a_test_now(self):
        tree = self.plant({"engine/base/x.cpp": "", "engine/base/x_test.cpp": "",
                           untested.EXCEPTIONS: "engine/base/x.cpp\n"})
        self.assert_caught(untested.run(tree), "stale entry, remove it: engine/base/x.cpp")
