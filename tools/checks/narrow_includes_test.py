from . import narrow_includes
from .planted import PlantedTreeTest

_CLEAN = {
    "engine/host/clients.h": '#include "stores/store_client.h"\n#include "rank/ranker.h"\n',
    "engine/host/clients_test.cpp": '#include "stores/embedded_client.h"\n',
    "engine/host/project_fixture.h": '#include "stores/embedded_client.h"\n',
    "engine/apps/main.cpp": '#include "stores/embedded_client.h"\n',
}


class NarrowIncludesTest(PlantedTreeTest):
    def test_passes_the_headers_of_the_table_and_what_tests_include(self):
        self.assert_clean(narrow_includes.run(self.plant(_CLEAN)))

    def test_catches_another_header(self):
        tree = self.plant(_CLEAN | {"engine/host/clients.cpp": '\n#include "stores/redis/client.h"\n'})
        self.assert_caught(narrow_includes.run(tree),
                           'engine/host/clients.cpp:2: host may not include "stores/redis/client.h": '
                           "of stores only stores/store_client.h")
