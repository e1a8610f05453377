from . import layers
from .planted import PlantedTreeTest

_CLEAN = {
    "engine/base/CMakeLists.txt": "mr_module(base LIBS fmt::fmt)\n",
    "engine/base/error.h": "#pragma once\n#include <string>\n",
    "engine/rows/CMakeLists.txt": "find_package(x)\nmr_module(rows\n  DEPS base  # ids\n  ALONE row_test.cpp LIBS x)\n",
    "engine/rows/column.h": '#include "base/error.h"\n#include "rows/batch.h"\n',
}


class LayersTest(PlantedTreeTest):
    def test_passes_includes_within_deps(self):
        self.assert_clean(layers.run(self.plant(_CLEAN)))

    def test_catches_include_outside_deps(self):
        tree = self.plant(_CLEAN | {"engine/base/clock.h": '\n#include "rows/column.h"\n'})
        self.assert_caught(layers.run(tree), "engine/base/clock.h:2: base may not include rows")

    def test_catches_transitive_use_without_own_dependency(self):
        tree = self.plant(_CLEAN | {
            "engine/expr/CMakeLists.txt": "mr_module(expr DEPS rows)\n",
            "engine/expr/vm.cpp": '#include "base/error.h"\n'})
        self.assert_caught(layers.run(tree), "expr may not include base")

    def test_catches_include_without_module(self):
        tree = self.plant(_CLEAN | {"engine/rows/sort.cpp": '#include "column.h"\n'})
        self.assert_caught(layers.run(tree), '"column.h" is not "module/unit.h"')

    def test_catches_cycle(self):
        tree = self.plant(_CLEAN | {"engine/base/CMakeLists.txt": "mr_module(base DEPS rows)\n"})
        self.assert_caught(layers.run(tree), "base/CMakeLists.txt: DEPS form a cycle",
                           "rows/CMakeLists.txt: DEPS form a cycle")

    def test_catches_unknown_module(self):
        tree = self.plant(_CLEAN | {"engine/rows/CMakeLists.txt": "mr_module(rows DEPS base nets)\n"})
        self.assert_caught(layers.run(tree), "DEPS names an unknown module: nets")
