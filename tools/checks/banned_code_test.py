from . import banned_code
from .planted import PlantedTreeTest


class NoThrowTest(PlantedTreeTest):
    def test_passes_word_in_comment_string_and_test(self):
        tree = self.plant({"engine/a.cpp": '// may throw\nf("throw");\nint throws_;\n',
                           "engine/a_test.cpp": "throw 1;\n"})
        self.assert_clean(banned_code.no_throw(tree))

    def test_catches_throw(self):
        tree = self.plant({"engine/a.cpp": "void f() {\n  throw 1;\n}\n"})
        self.assert_caught(banned_code.no_throw(tree), "engine/a.cpp:2: no throw in engine/")


class NoStdMutexTest(PlantedTreeTest):
    def test_passes_the_wrapper(self):
        tree = self.plant({"engine/base/sync/mutex.h": "std::mutex m;\n", "engine/a.h": "Mutex m;\n"})
        self.assert_clean(banned_code.no_std_mutex(tree))

    def test_catches_every_kind(self):
        tree = self.plant({"engine/a.h": "std::mutex m;\n", "tests/b.cpp": "std::shared_mutex m;\n"})
        self.assert_caught(banned_code.no_std_mutex(tree), "engine/a.h:1:", "tests/b.cpp:1:")


class NoSleepTest(PlantedTreeTest):
    def test_passes_virtual_time_and_product_code(self):
        tree = self.plant({"engine/a_test.cpp": "clock.advance(1ms);\nco_await sleep_for(loop, 1h);\n",
                           "engine/a.cpp": "std::this_thread::sleep_for(1ms);\n"})
        self.assert_clean(banned_code.no_sleep(tree))

    def test_catches_sleeping_test(self):
        tree = self.plant({"engine/a_test.cpp": "std::this_thread::sleep_for(1ms);\n",
                           "tests/model/b.cpp": "usleep(3);\nsleep(1);\n"})
        self.assert_caught(banned_code.no_sleep(tree), "engine/a_test.cpp:1:", "tests/model/b.cpp:1:",
                           "tests/model/b.cpp:2:")
