from . import folders
from .planted import PlantedTreeTest


def _units(folder: str, count: int) -> dict[str, str]:
    return {f"{folder}/unit_{number}{ending}": ""
            for number in range(count) for ending in (".h", ".cpp", "_test.cpp", "_fixture.h")}


class FoldersTest(PlantedTreeTest):
    def test_passes_25_units_with_their_tests(self):
        self.assert_clean(folders.run(self.plant(_units("engine/rows", 25))))

    def test_counts_each_folder_for_itself(self):
        self.assert_clean(folders.run(self.plant(_units("engine/rows", 25)
                                                 | _units("engine/rows/sort", 25))))

    def test_catches_26_units(self):
        tree = self.plant(_units("engine/rows/sort", 26) | _units("bench/rows", 40))
        self.assert_caught(folders.run(tree), "engine/rows/sort: holds 26 units")
