from . import module_readme
from .planted import PlantedTreeTest

_BUILD = {"engine/rows/CMakeLists.txt": "mr_module(rows DEPS base)\n"}


class ModuleReadmeTest(PlantedTreeTest):
    def test_passes_short_readme(self):
        tree = self.plant(_BUILD | {"engine/rows/README.md": "# rows\n" * 30})
        self.assert_clean(module_readme.run(tree))

    def test_catches_missing_readme(self):
        self.assert_caught(module_readme.run(self.plant(_BUILD)), "engine/rows/README.md: is missing")

    def test_catches_long_readme(self):
        tree = self.plant(_BUILD | {"engine/rows/README.md": "x\n" * 31})
        self.assert_caught(module_readme.run(tree), "has 31 lines")
