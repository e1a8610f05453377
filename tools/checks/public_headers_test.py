from . import public_headers
from .planted import PlantedTreeTest

_CLEAN = {
    "engine/public_headers.txt": "# What strangers include.\nbase/result.h\nloop/task.h\n",
    "engine/base/result.h": '#include "base/expected.h"\n',
    "engine/base/expected.h": "",
    "engine/loop/task.h": '#include <vector>\n#include "base/result.h"\n#include "loop/job.h"\n',
    "engine/loop/job.h": '#include "base/expected.h"\n',
}


class PublicHeadersTest(PlantedTreeTest):
    def test_passes_public_headers_and_private_ones_of_the_same_module(self):
        self.assert_clean(public_headers.run(self.plant(_CLEAN)))

    def test_catches_private_header_of_another_module(self):
        tree = self.plant(_CLEAN | {"engine/loop/task.h": '#include "base/expected.h"\n'})
        self.assert_caught(public_headers.run(tree), "engine/loop/task.h:1: a public header includes a "
                                                     "private one of another module: base/expected.h")

    def test_catches_listed_header_that_is_not_there(self):
        tree = self.plant(_CLEAN | {"engine/public_headers.txt": "base/result.h\nbase/gone.h\n"})
        self.assert_caught(public_headers.run(tree),
                           "engine/public_headers.txt:2: there is no engine/base/gone.h")
