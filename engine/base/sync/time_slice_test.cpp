#include "base/sync/time_slice.h"

#include <chrono>
#include <optional>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
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

TEST(TimeSliceTest, AThreadGetsTheSliceItAsksForAndKeepsItsPriority) {
  int nice = 0;
  const auto found = ask_apart(kShortTimeSlice, 3, nice);
  EXPECT_EQ(nice, 3);
  if (!found) GTEST_SKIP() << "this system does not know slices of threads";
  EXPECT_EQ(*found, kShortTimeSlice);
}

TEST(TimeSliceTest, ASliceThatIsNoneChangesNothing) {
  int nice = 0;
  EXPECT_EQ(ask_apart(Duration::zero(), 0, nice), std::nullopt);
}

}  // namespace
}  // namespace millrace::base
