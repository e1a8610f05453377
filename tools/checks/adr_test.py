from . import adr
from .planted import PlantedTreeTest

_RECORD = "# 1. Title\n\n## Context\n\n## Decision\n\n## Rejected options\n\n## Consequences\n"
_CLEAN = {"docs/adr/0001-layers.md": _RECORD, "docs/adr/0002-two-words.md": _RECORD,
          "docs/adr/README.md": "[1](0001-layers.md) [2](0002-two-words.md) [3](0003-short.md)\n"}


class AdrTest(PlantedTreeTest):
    def test_passes_complete_records(self):
        self.assert_clean(adr.run(self.plant(_CLEAN)))

    def test_catches_number_used_twice(self):
        tree = self.plant(_CLEAN | {"docs/adr/0002-zebra.md": _RECORD,
                                    "docs/adr/README.md": "(0001-layers.md) (0002-two-words.md) "
                                                          "(0002-zebra.md)\n"})
        self.assert_caught(adr.run(tree), "0002-zebra.md: number 0002 is used twice")

    def test_catches_record_that_is_not_in_the_index(self):
        tree = self.plant(_CLEAN | {"docs/adr/0004-later.md": _RECORD})
        self.assert_caught(adr.run(tree), "README.md: does not link docs/adr/0004-later.md")

    def test_catches_missing_part_and_bad_name(self):
        tree = self.plant(_CLEAN | {"docs/adr/0003-short.md": _RECORD.replace("## Context", ""),
                                    "docs/adr/ideas.md": ""})
        self.assert_caught(adr.run(tree), "has no section '## Context'", "ideas.md: name it")
