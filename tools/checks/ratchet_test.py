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

    def test_catches_stale_entry(self):
        tree = self.plant({_LIST: "a\n"})
        self.assert_caught(ratchet.apply(tree, _LIST, {}), "list.txt:1: stale entry, remove it: a")

    def commit_twice_with_list(self, text: str) -> None:
        self.plant({_LIST: text})
        self.commit_on_main()
        self.plant({"other": "x"})
        self.commit_on_main()

    def test_passes_entry_added_while_the_list_is_collected(self):
        self.commit_twice_with_list("a\n")
        tree = self.plant({_LIST: "a\nb\n"})
        self.assert_clean(ratchet.apply(tree, _LIST, self.offenders("a", "b")))

    def test_catches_entry_added_to_frozen_list(self):
        self.commit_twice_with_list("# frozen\na\n")
        tree = self.plant({_LIST: "# frozen\na\nb\n"})
        self.assert_caught(ratchet.apply(tree, _LIST, self.offenders("a", "b")),
                           "tools/list.txt:3: new entry, but this list is frozen: b")

    def test_catches_thawing(self):
        self.commit_twice_with_list("# frozen\na\n")
        tree = self.plant({_LIST: "a\n"})
        self.assert_caught(ratchet.apply(tree, _LIST, self.offenders("a")), "'# frozen' must stay")

    def test_passes_frozen_list_that_shrank(self):
        self.commit_twice_with_list("# frozen\na\nb\n")
        tree = self.plant({_LIST: "# frozen\na\n"})
        self.assert_clean(ratchet.apply(tree, _LIST, self.offenders("a")))
