#include "base/sync/time_slice.h"

#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace millrace::base {
namespace {

/// Asks in a thread of its own, so that the test's thread stays as it is.
std::optional<Duration> ask_apart(Duration slice, int nice, int& nice_after) {
  std::optional<Duration> found;
  std::thread thread([&] {
    const auto id = static_cast<id_t>(gettid());
    EXPECT_EQ(setpriority(PRIO_PROCESS, id, nice), 0);
    found = ask_for_time_slice(slice);
    nice_after = getpriority(PRIO_PROCESS, id);
  });
  thread.join();
  return found;
}

/// Linux does from 6.12 on.
bool system_knows_slices() {
  utsname system{};
  EXPECT_EQ(uname(&system), 0);
  int major = 0;
  int minor = 0;
  EXPECT_EQ(std::sscanf(system.release, "%d.%d", &major, &minor), 2) << system.release;
  return std::pair(major, minor) >= std::pair(6, 12);
}

TEST(TimeSliceTest, AThreadGetsTheSliceItAsksForAndKeepsItsPriority) {
  int nice = 0;
  const auto found = ask_apart(kShortTimeSlice, 3, nice);
  EXPECT_EQ(nice, 3);
  EXPECT_EQ(found, system_knows_slices() ? std::optional(kShortTimeSlice) : std::nullopt);
}

TEST(TimeSliceTest, ASliceThatIsNoneChangesNothing) {
  int nice = 0;
  EXPECT_EQ(ask_apart(Duration::zero(), 0, nice), std::nullopt);
}

}  // namespace
}  // namespace millrace::base
