from . import comment_names
from .planted import PlantedTreeTest

_CLEAN = {
    "engine/rows/batch.h": """#pragma once
/// Keeps what `Batch::append` got; see `batch.h`, `rows_max()`, `--smoke` and `GET`.
class Batch { void append(int rows_max); };  // `sorted_by` is in plans, `rows_max` not.
inline const char* kFlags = "--smoke GET";
""",
    "plans/a.plan.json": '{"sorted_by": []}',
    "engine/rows/README.md": "`Batch` holds rows; `PLACE`, `*_place.h`, `place_*`, `sorted_`, `_max`.\n```cpp\n`NoSuchName`\n```\n",
}


class CommentNamesTest(PlantedTreeTest):
    def test_passes_names_that_exist(self):
        self.assert_clean(comment_names.run(self.plant(_CLEAN)))

    def test_catches_a_name_that_is_gone_from_code(self):
        tree = self.plant(_CLEAN | {"engine/rows/sort.cpp": "\n// Calls `Batch::put()`,\n"
                                                            "// then `Batch::append`. put is gone.\n"})
        self.assert_caught(comment_names.run(tree),
                           "engine/rows/sort.cpp:2: nothing is called put: correct `Batch::put()`")

    def test_catches_a_prefix_that_no_name_has(self):
        tree = self.plant(_CLEAN | {"engine/rows/sort.h": "// `append_`\n"})
        self.assert_caught(comment_names.run(tree), "nothing is called append_")

    def test_catches_a_file_that_is_gone(self):
        tree = self.plant(_CLEAN | {"engine/rows/sort.h": "/* as in `table.h` */\n"})
        self.assert_caught(comment_names.run(tree), "engine/rows/sort.h:1: nothing is called table")

    def test_catches_a_name_in_a_readme(self):
        tree = self.plant(_CLEAN | {"engine/rows/README.md": "```\nx\n```\n`Table` holds rows.\n",
                                    "docs/guide.md": "`Table`\n"})
        self.assert_caught(comment_names.run(tree), "engine/rows/README.md:4: nothing is called Table")

    def test_passes_listed_names_and_catches_stale_ones(self):
        tree = self.plant(_CLEAN | {"engine/rows/sort.h": "// `Table`\n",
                                    comment_names.EXCEPTIONS: "engine/rows/sort.h Table\n"
                                                              "engine/rows/sort.h Other\n"})
        self.assert_caught(comment_names.run(tree), "stale entry, remove it: engine/rows/sort.h Other")
