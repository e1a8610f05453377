from . import ratchet
from .planted import PlantedTreeTest
from .tree import Problem

_LIST = "tools/list.txt"


class RatchetTest(PlantedTreeTest):
    def offenders(self, *names: str) -> dict[str, Problem]:
        return {name: Problem(name, 0, "offends") for name in names}

    def test_passes_new_list(self):
        tree = self.plant({_LIST: "a\nb\n"})
        self.assert_clean(ratchet.apply(tree, _LIST, self.offenders("a", "b")))

    def test_reports_unlisted_offender(self):
        tree = self.plant({_LIST: "a\n"})
        self.assert_caught(ratchet.apply(tree, _LIST, self.offenders("a", "b")), "b: offends")

    def test_catches_entry_added_after_main(self):
        self.plant({_LIST: "a\n"})
        self.commit_on_main()
        self.plant({"other": "x"})
        self.commit_on_main()
        tree = self.plant({_LIST: "a\nb\n"})
        self.assert_caught(ratchet.apply(tree, _LIST, self.offenders("a", "b")),
                           "tools/list.txt:2: new entry, but this list may only shrink: b")

    def test_passes_list_that_shrank(self):
        self.plant({_LIST: "a\nb\n"})
        self.commit_on_main()
        self.plant({"other": "x"})
        self.commit_on_main()
        tree = self.plant({_LIST: "a\n"})
        self.assert_clean(ratchet.apply(tree, _LIST, self.offenders("a")))
