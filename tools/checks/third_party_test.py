from . import third_party
from .planted import PlantedTreeTest

_CLEAN = {
    "engine/loop/loop.cpp": "#include <uv.h>\n#include <vector>\n#include <sys/eventfd.h>\n",
    "engine/loop/loop_test.cpp": "#include <gtest/gtest.h>\n",
    "engine/base/error_test.cpp": "#include <gtest/gtest.h>\n",
    "engine/rows/rows_fixture.h": "#include <gtest/gtest.h>\n",
    "bench/rival.cpp": "#include <tbb/task_group.h>\n",
}


class ThirdPartyTest(PlantedTreeTest):
    def test_passes_one_module_per_library(self):
        self.assert_clean(third_party.run(self.plant(_CLEAN)))

    def test_catches_second_module(self):
        tree = self.plant(_CLEAN | {"engine/net/tcp.h": "#include <uv.h>\n"})
        self.assert_caught(third_party.run(tree), "engine/net/tcp.h:1: libuv is included by",
                           "engine/loop/loop.cpp:1: libuv is included by")

    def test_catches_unknown_library(self):
        tree = self.plant(_CLEAN | {"engine/net/tcp.h": "#include <boost/asio.hpp>\n"})
        self.assert_caught(third_party.run(tree), "unknown library: <boost/asio.hpp>")
