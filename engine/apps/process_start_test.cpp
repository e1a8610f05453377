#include "apps/process_start.h"

#include <cerrno>
#include <csignal>
#include <new>
#include <stdexcept>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace millrace::apps {
namespace {

TEST(ProcessStart, CLI9_AClosedDescriptorStaysUnusable) {
  const auto write_to_closed = [] {
    close(STDOUT_FILENO);
    reserve_standard_descriptors();
    const int file = open("/dev/null", O_WRONLY | O_CLOEXEC);  // must not become stdout
    const bool is_refused = write(STDOUT_FILENO, "x", 1) == -1 && errno == EBADF;
    _exit(file > STDERR_FILENO && is_refused ? 7 : 8);
  };
  EXPECT_EXIT(write_to_closed(), testing::ExitedWithCode(7), "");
}

TEST(ProcessStart, AReaderThatIsGoneIsAFailedWrite) {
  const auto write_to_nobody = [](int, char**) {
    int ends[2] = {};
    if (pipe2(ends, O_CLOEXEC) != 0) return 9;
    close(ends[0]);
    return write(ends[1], "x", 1) == -1 && errno == EPIPE ? 7 : 8;
  };
  const auto run = [&] { _exit(run_program("p", write_to_nobody, 0, nullptr)); };
  EXPECT_EXIT(run(), testing::ExitedWithCode(7), "");
}

TEST(ProcessStart, WhatIsThrownEndsTheProgramWithAReason) {
  const auto run = [](int (*main_function)(int, char**)) {
    _exit(run_program("program", main_function, 0, nullptr));
  };
  EXPECT_EXIT(run([](int, char**) -> int { throw std::runtime_error("no threads"); }),
              testing::ExitedWithCode(1),
              "program: stopped by an unexpected error: no threads");
  EXPECT_EXIT(run([](int, char**) -> int { throw std::bad_alloc(); }),
              testing::ExitedWithCode(1),
              "program: out of memory");
}

}  // namespace
}  // namespace millrace::apps
