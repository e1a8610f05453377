from . import file_names
from .planted import PlantedTreeTest


class FileNamesTest(PlantedTreeTest):
    def test_passes_concept_names(self):
        tree = self.plant({"engine/base/strong_id.h": "", "engine/CMakeLists.txt": "",
                           "docs/adr/0001-layers.md": "", "tools/checks/__init__.py": "", "dev": ""})
        self.assert_clean(file_names.run(tree))

    def test_catches_banned_words(self):
        tree = self.plant({"engine/base/string_utils.h": "", "engine/common/x.h": "",
                           "tools/helpers.py": ""})
        self.assert_caught(file_names.run(tree), "string_utils.h: 'string_utils' names no concept",
                           "'common' names no concept", "'helpers' names no concept")

    def test_catches_other_cases(self):
        tree = self.plant({"engine/base/StrongId.h": "", "engine/base/strong-id.cpp": ""})
        self.assert_caught(file_names.run(tree), "StrongId.h: file name is not snake_case",
                           "strong-id.cpp: file name is not snake_case")

    def test_catches_other_endings(self):
        self.assert_caught(file_names.run(self.plant({"engine/base/x.hpp": ""})), "end in .h and .cpp")
