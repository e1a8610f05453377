from . import unit_cycles
from .planted import PlantedTreeTest

_CLEAN = {
    "engine/rows/a.h": '#include "rows/b.h"\n',
    "engine/rows/a.cpp": '#include "rows/a.h"\n#include "rows/inner/c.h"\n',
    "engine/rows/b.h": '#include <vector>\n#include "base/a.h"\n',
    "engine/rows/inner/c.h": '#include "rows/b.h"\n',
    "engine/base/a.h": "",
    # Tests may include whatever they like.
    "engine/rows/b_test.cpp": '#include "rows/a.h"\n',
    "engine/rows/b_fixture.h": '#include "rows/a.h"\n',
}


class UnitCyclesTest(PlantedTreeTest):
    def test_passes_units_in_order(self):
        self.assert_clean(unit_cycles.run(self.plant(_CLEAN)))

    def test_catches_a_pair_that_closes_in_a_source(self):
        tree = self.plant(_CLEAN | {"engine/rows/b.cpp": '\n#include "rows/a.h"\n'})
        self.assert_caught(
            unit_cycles.run(tree),
            "engine/rows/a.h:1: units include each other: rows/a -> rows/b -> rows/a",
            'engine/rows/b.cpp:2: units include each other: rows/b -> rows/a -> rows/b '
            '(engine/rows/b.cpp:2 includes "rows/a.h", engine/rows/a.h:1 includes "rows/b.h")',
            "rows/a -> rows/inner/c -> rows/b -> rows/a",
            "rows/inner/c -> rows/b -> rows/a -> rows/inner/c")

    def test_passes_listed_includes(self):
        tree = self.plant({"engine/rows/a.h": '#include "rows/b.h"\n',
                           "engine/rows/b.h": '#include "rows/a.h"\n',
                           unit_cycles.EXCEPTIONS: "engine/rows/a -> engine/rows/b  # why\n"
                                                   "engine/rows/b -> engine/rows/a\n"})
        self.assert_clean(unit_cycles.run(tree))

    def test_catches_entries_of_a_broken_cycle(self):
        tree = self.plant(_CLEAN | {unit_cycles.EXCEPTIONS: "engine/rows/a -> engine/rows/b\n"})
        self.assert_caught(unit_cycles.run(tree),
                           "stale entry, remove it: engine/rows/a -> engine/rows/b")
