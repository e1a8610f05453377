from . import wording
from .planted import PlantedTreeTest

_MARK = "TO" + "DO"


class ToDoFormTest(PlantedTreeTest):
    def test_passes_owned_marker(self):
        tree = self.plant({"engine/a.cpp": f"// {_MARK}(#12): spread over loops.\n"})
        self.assert_clean(wording.to_do_form(tree))

    def test_catches_unowned_markers(self):
        tree = self.plant({"engine/a.cpp": f"// {_MARK}: later\n// FIX" + "ME\n",
                           "docs/b.md": f"{_MARK}(me): x\n"})
        self.assert_caught(wording.to_do_form(tree), "engine/a.cpp:1:", "engine/a.cpp:2:",
                           "docs/b.md:1:")


class MachinePathsTest(PlantedTreeTest):
    def test_passes_relative_and_system_paths(self):
        tree = self.plant({"a.sh": "#!/usr/bin/env bash\ncd ./tmp/x\n$HOME/work/y docs/work/z\n"})
        self.assert_clean(wording.machine_paths(tree))

    def test_catches_path_of_one_machine(self):
        tree = self.plant({"a.md": "see\n/ho" + "me/me/notes\n", "b.cpp": 'open("/tm' + 'p/x");\n'})
        self.assert_caught(wording.machine_paths(tree), "a.md:2: path of one machine", "b.cpp:1:")
